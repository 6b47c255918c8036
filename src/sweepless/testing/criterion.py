"""Check that the value of a subset depends on nothing but the subset."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import product

import numpy as np

from sweepless._typing import Features, Values
from sweepless.criteria.base import Criterion, Cursor
from sweepless.dataset import Dataset
from sweepless.direction import Direction
from sweepless.engine.portable import PortableRng
from sweepless.testing.laws import require, require_same

_BATCH = 5  # candidates per peek: enough to be a batch, few enough for slow criteria


def check_criterion(criterion: Criterion, dataset: Dataset, *, seed: int = 0, n_rounds: int = 20) -> None:
    """Check that J is a function of the subset, however the cursor reached it.

    Parameters
    ----------
    criterion : Criterion
    dataset : Dataset
        A small but not trivial data set; a round evaluates about fifty subsets.
    seed : int
        Determines which subsets are checked.
    n_rounds : int
        How many subsets to move to.

    Raises
    ------
    AssertionError
        If `evaluate` is not a deterministic finite float, `evaluate_many` or `peek` differs from it in any bit (for
        single features or pairs, to add or to remove), or `peek` moves the cursor, depends on the batch or on its
        order, on the path to the subset, on the cursor, or on what another thread does.
    """
    draws = PortableRng(seed)
    cursor, walker = criterion.bind(dataset), criterion.bind(dataset)
    require(cursor is not walker, "`bind` must return a cursor of its own every time")
    require(cursor.size == 0, "a bound cursor must stand at the empty subset")
    n_features = criterion.n_features(dataset)
    law = f"a cursor must have as many features as its criterion says, got {cursor.n_features} for {n_features}"
    require(cursor.n_features == len(cursor.members) == n_features, law)
    for _ in range(n_rounds):
        members = draws.subset(n_features, draws.below(n_features + 1))
        cursor.jump(members)
        _require_standing(cursor, members, "`jump`")
        _wander(walker, members, draws)
        _require_standing(walker, members, "a walk by `move`")
        for direction, candidates in _neighborhoods(cursor, draws):
            _check_peeks(cursor, walker, direction, candidates)
    _check_threads(criterion, dataset, draws)


def _wander(walker: Cursor, goal: Features, draws: PortableRng) -> None:
    """Move a cursor to a subset by single moves in random order, with detours."""
    for feature in draws.subset(walker.n_features, min(3, walker.n_features)):
        _toggle(walker, int(feature))
    wanted = np.zeros(walker.n_features, dtype=np.bool_)
    wanted[goal] = True
    differing = np.flatnonzero(walker.members != wanted)
    for feature in differing[np.argsort(draws.uniforms(len(differing)))]:
        _toggle(walker, int(feature))


def _toggle(cursor: Cursor, feature: int) -> None:
    cursor.move(Direction.REMOVE if cursor.members[feature] else Direction.ADD, feature)


def _neighborhoods(cursor: Cursor, draws: PortableRng) -> Iterator[tuple[Direction, Features]]:
    """Yield legal batches of single features and of pairs around the current subset."""
    for direction, tuple_size in product(Direction, (1, 2)):
        pool = direction.pool(cursor.members)
        if len(pool) >= tuple_size and direction.is_legal(cursor.size, cursor.n_features, tuple_size):
            chosen = [pool[draws.subset(len(pool), tuple_size)] for _ in range(_BATCH)]
            candidates = np.unique(np.array(chosen), axis=0)
            yield direction, candidates[:, 0] if tuple_size == 1 else candidates


def _check_peeks(cursor: Cursor, walker: Cursor, direction: Direction, candidates: Features) -> None:
    members = np.flatnonzero(cursor.members)
    around = f"around {members.tolist()}, direction {direction.name}, candidates {candidates.tolist()}"
    subsets = [np.flatnonzero(direction.applied(cursor.members, candidate)) for candidate in candidates]
    expected = [_evaluated(cursor, members) for members in subsets]
    _require_standing(cursor, members, "`evaluate`")
    require_same(cursor.evaluate_many(subsets), expected, "`evaluate_many` must equal `evaluate` bit for bit", around)
    peeked = _peeked(cursor, direction, candidates)
    _require_standing(cursor, members, "`peek`")
    require_same(peeked, expected, "`peek` must equal `evaluate` bit for bit", around)
    again = _peeked(cursor, direction, candidates)
    require_same(again, expected, "`peek` must give the same values when called again", around)
    backwards = _peeked(cursor, direction, candidates[::-1])[::-1]
    require_same(backwards, expected, "`peek` must not depend on the order of the batch", around)
    alone = [_peeked(cursor, direction, candidates[k : k + 1])[0] for k in range(len(candidates))]
    require_same(alone, expected, "`peek` must not depend on the rest of the batch", around)
    walked = _peeked(walker, direction, candidates)
    require_same(walked, expected, "`peek` must not depend on the path to the subset, nor on the cursor", around)


def _check_threads(criterion: Criterion, dataset: Dataset, draws: PortableRng) -> None:
    cursors = [criterion.bind(dataset) for _ in range(2)]
    n_features = cursors[0].n_features
    members = draws.subset(n_features, n_features // 2)
    for cursor in cursors:
        cursor.jump(members)
    candidates = Direction.ADD.pool(cursors[0].members)[: 4 * _BATCH]
    expected = _peeked(cursors[0], Direction.ADD, candidates)
    with ThreadPoolExecutor(max_workers=2) as threads:
        together = list(threads.map(lambda cursor: _peeked(cursor, Direction.ADD, candidates), cursors))
    for values in together:
        law = "`peek` must not depend on what a cursor in another thread does"
        require_same(values, expected, law, f"around {members.tolist()}")


def _peeked(cursor: Cursor, direction: Direction, candidates: Features) -> Values:
    given = candidates.copy()
    values = np.asarray(cursor.peek(direction, candidates))
    require(np.array_equal(given, candidates), "`peek` must not change the candidates it is given")
    require(
        values.dtype == np.float64 and values.shape == (len(candidates),),
        f"`peek` must return one double per candidate, got {values.dtype} of shape {values.shape}",
    )
    return values


def _evaluated(cursor: Cursor, members: Features) -> float:
    value = cursor.evaluate(members)
    named = f"for the subset {members.tolist()}"
    require(isinstance(value, float), f"`evaluate` must return a float, got {type(value).__name__} {named}")
    require(bool(np.isfinite(value)), f"`evaluate` must return a finite number, got {value} {named}")
    again = cursor.evaluate(members)
    require(again == value, f"`evaluate` must be deterministic, got {value!r} and then {again!r} {named}")
    return value


def _require_standing(cursor: Cursor, members: Features, who: str) -> None:
    found = np.flatnonzero(cursor.members).tolist()
    require(found == members.tolist(), f"{who} must leave the cursor at {members.tolist()}, got {found}")
