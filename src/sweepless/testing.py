"""The laws that criteria, proposals and statistics of your own must keep, as checks to run in your tests.

>>> from sweepless.testing import check_criterion
>>> check_criterion(MyCriterion(), my_dataset)  # doctest: +SKIP

A check passes silently or raises an AssertionError that names the broken law. It needs no test runner.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import product
from math import comb

import numpy as np

from sweepless._typing import Features, Mask, Values
from sweepless.criteria.base import Criterion, Cursor
from sweepless.dataset import Dataset
from sweepless.direction import Direction
from sweepless.errors import InputError
from sweepless.rng import PortableRng, ReferenceRng
from sweepless.search.proposal import Pool, Proposal
from sweepless.search.statistics import Statistics
from sweepless.search.step import Batch

__all__ = ["check_criterion", "check_proposal", "check_statistics"]

_BATCH = 5  # candidates per peek: enough to be a batch, few enough for slow criteria


def check_criterion(criterion: Criterion, dataset: Dataset, *, seed: int = 0, n_rounds: int = 20) -> None:
    """Check that J is a function of the set, whoever asks and however the cursor came to where it stands.

    Parameters
    ----------
    criterion : Criterion
    dataset : Dataset
        Small but not trivial: a round evaluates some fifty subsets.
    seed : int
        Decides which subsets are looked at.
    n_rounds : int
        How many subsets to stand at.

    Raises
    ------
    AssertionError
        If `evaluate` is not a deterministic finite float, or `peek` differs from it in any bit (for single
        features or pairs, to add or to remove), moves the cursor, depends on the batch or on its order, on
        the path to the subset, on the cursor, or on what another thread does.
    """
    draws = PortableRng(seed)
    cursor, walker = criterion.bind(dataset), criterion.bind(dataset)
    _require(cursor is not walker, "`bind` must return a cursor of its own every time")
    _require(cursor.size == 0, "a bound cursor must stand at the empty subset")
    for _ in range(n_rounds):
        members = draws.subset(dataset.n_features, draws.below(dataset.n_features + 1))
        cursor.jump(members)
        _require_standing(cursor, members, "`jump`")
        _wander(walker, members, draws)
        _require_standing(walker, members, "a walk by `move`")
        for direction, candidates in _neighbourhoods(cursor, draws):
            _check_peeks(cursor, walker, direction, candidates)
    _check_threads(criterion, dataset, draws)


def check_proposal(proposal: Proposal, *, seed: int = 0) -> None:
    """Check that a proposal names exactly `budget` distinct features of the pool, reproducibly.

    Parameters
    ----------
    proposal : Proposal
    seed : int

    Raises
    ------
    AssertionError
        If for either engine, sign and any of many pools (tied, constant, hugely spread scores) and budgets
        the proposal is not `budget` distinct features of the pool, changes its input, or differs for the
        same seed. Pairs are checked likewise where the proposal draws tuples.
    """
    data = np.random.default_rng(seed)
    for size, sign in product((2, 3, 8, 21), (1, -1)):
        features = np.sort(data.choice(3 * size, size, replace=False)).astype(np.intp)
        for name, scores in _score_vectors(size, data):
            pool = Pool(features, data.integers(0, 4, size), scores, sign)
            where = f"{size} features with {name} scores and sign {sign:+d}"
            for budget in range(1, size):
                _check_draw(pool, partial(proposal, pool, budget), (budget,), seed, where)
            n_pairs = size // 2
            if n_pairs < comb(size, 2) and _draws_pairs(proposal, pool):
                _check_draw(pool, partial(proposal.tuples, pool, n_pairs, 2), (n_pairs, 2), seed, where)


def check_statistics(statistics: Statistics, *, seed: int = 0) -> None:
    """Check that statistics count every entry once for every feature, and start empty every time.

    Parameters
    ----------
    statistics : Statistics
        The prototype; only `fresh` is asked of it.
    seed : int

    Raises
    ------
    AssertionError
        If `fresh` is not empty or shares state with the prototype or with another `fresh`; if learning
        miscounts, changes the batch or makes a score that is not finite; or if folding fast and folding
        entry by entry disagree. Statistics may ignore `learn` altogether, like frozen ones.
    """
    n_features = 12
    folded: list[list[Values]] = []
    for sequential in (False, True):
        data = np.random.default_rng(seed)
        taught = statistics.fresh(n_features, sequential=sequential)
        _require_empty(taught, n_features)
        idle = statistics.fresh(n_features, sequential=sequential)
        scores = []
        for position, batch in enumerate(_batches(n_features, data)):
            _check_learning(taught, batch, is_warm_up=position == 0)
            scores.append(taught.scores.copy())
        _require_empty(idle, n_features)
        _require_empty(statistics.fresh(n_features, sequential=sequential), n_features)
        folded.append(scores)
    for fast, by_entry in zip(*folded, strict=True):
        _require(
            np.allclose(fast, by_entry, rtol=1e-9, atol=1e-9),
            "folding fast and folding entry by entry must give the same scores up to rounding",
        )


# Criteria


def _wander(walker: Cursor, goal: Features, draws: PortableRng) -> None:
    """Bring the walker to the goal by single moves in random order, with detours."""
    for feature in draws.subset(walker.n_features, min(3, walker.n_features)):
        _toggle(walker, int(feature))
    wanted = np.zeros(walker.n_features, dtype=np.bool_)
    wanted[goal] = True
    differing = np.flatnonzero(walker.members != wanted)
    for feature in differing[np.argsort(draws.uniforms(len(differing)))]:
        _toggle(walker, int(feature))


def _toggle(cursor: Cursor, feature: int) -> None:
    cursor.move(Direction.REMOVE if cursor.members[feature] else Direction.ADD, feature)


def _neighbourhoods(cursor: Cursor, draws: PortableRng) -> Iterator[tuple[Direction, Features]]:
    """Yield legal batches of single features and of pairs around where the cursor stands."""
    for direction, tuple_size in product(Direction, (1, 2)):
        pool = direction.pool(cursor.members)
        if len(pool) >= tuple_size and direction.is_legal(cursor.size, cursor.n_features, tuple_size):
            chosen = [pool[draws.subset(len(pool), tuple_size)] for _ in range(_BATCH)]
            candidates = np.unique(np.array(chosen), axis=0)
            yield direction, candidates[:, 0] if tuple_size == 1 else candidates


def _check_peeks(cursor: Cursor, walker: Cursor, direction: Direction, candidates: Features) -> None:
    members = np.flatnonzero(cursor.members)
    around = f"around {members.tolist()}, direction {direction.name}, candidates {candidates.tolist()}"
    expected = [
        _evaluated(cursor, np.flatnonzero(direction.applied(cursor.members, candidate))) for candidate in candidates
    ]
    _require_standing(cursor, members, "`evaluate`")
    peeked = _peeked(cursor, direction, candidates)
    _require_standing(cursor, members, "`peek`")
    _require_same(peeked, expected, "`peek` must equal `evaluate` bit for bit", around)
    again = _peeked(cursor, direction, candidates)
    _require_same(again, expected, "`peek` must give the same values when asked again", around)
    backwards = _peeked(cursor, direction, candidates[::-1])[::-1]
    _require_same(backwards, expected, "`peek` must not depend on the order of the batch", around)
    alone = [_peeked(cursor, direction, candidates[k : k + 1])[0] for k in range(len(candidates))]
    _require_same(alone, expected, "`peek` must not depend on the rest of the batch", around)
    walked = _peeked(walker, direction, candidates)
    _require_same(walked, expected, "`peek` must not depend on the path to the subset, nor on the cursor", around)


def _check_threads(criterion: Criterion, dataset: Dataset, draws: PortableRng) -> None:
    cursors = [criterion.bind(dataset) for _ in range(2)]
    members = draws.subset(dataset.n_features, dataset.n_features // 2)
    for cursor in cursors:
        cursor.jump(members)
    candidates = Direction.ADD.pool(cursors[0].members)[: 4 * _BATCH]
    expected = _peeked(cursors[0], Direction.ADD, candidates)
    with ThreadPoolExecutor(max_workers=2) as threads:
        together = list(threads.map(lambda cursor: _peeked(cursor, Direction.ADD, candidates), cursors))
    for values in together:
        law = "`peek` must not depend on what a cursor in another thread does"
        _require_same(values, expected, law, f"around {members.tolist()}")


def _peeked(cursor: Cursor, direction: Direction, candidates: Features) -> Values:
    given = candidates.copy()
    values = np.asarray(cursor.peek(direction, candidates))
    _require(np.array_equal(given, candidates), "`peek` must not change the candidates it is given")
    _require(
        values.dtype == np.float64 and values.shape == (len(candidates),),
        f"`peek` must return one double per candidate, got {values.dtype} of shape {values.shape}",
    )
    return values


def _evaluated(cursor: Cursor, members: Features) -> float:
    value = cursor.evaluate(members)
    named = f"for the subset {members.tolist()}"
    _require(isinstance(value, float), f"`evaluate` must return a float, got {type(value).__name__} {named}")
    _require(bool(np.isfinite(value)), f"`evaluate` must return a finite number, got {value} {named}")
    again = cursor.evaluate(members)
    _require(again == value, f"`evaluate` must be deterministic, got {value!r} and then {again!r} {named}")
    return value


def _require_standing(cursor: Cursor, members: Features, who: str) -> None:
    found = np.flatnonzero(cursor.members).tolist()
    _require(found == members.tolist(), f"{who} must leave the cursor at {members.tolist()}, got {found}")


def _require_same(values: Values | list[float], expected: Values | list[float], law: str, where: str) -> None:
    _require(
        np.array_equal(values, expected),
        f"{law}, got {np.asarray(values).tolist()} for {np.asarray(expected).tolist()} {where}",
    )


# Proposals


def _draws_pairs(proposal: Proposal, pool: Pool) -> bool:
    try:
        proposal.tuples(pool, 1, 2, PortableRng(0))
    except InputError:
        return False
    return True


def _score_vectors(size: int, data: np.random.Generator) -> Iterator[tuple[str, Values]]:
    yield "ordinary", data.normal(size=size)
    yield "constant", np.zeros(size)
    yield "tied", data.integers(-1, 2, size).astype(np.float64)
    yield "hugely spread", data.normal(size=size) * 10.0 ** data.uniform(-200, 200, size)
    yield "all but one equal", np.where(np.arange(size) == size // 2, 1.0, 0.0)


def _check_draw(
    pool: Pool,
    draw: Callable[[PortableRng | ReferenceRng], Features],
    shape: tuple[int, ...],
    seed: int,
    where: str,
) -> None:
    before = [array.copy() for array in (pool.features, pool.exposure, pool.scores)]
    for engine in (PortableRng, ReferenceRng):
        proposed = np.asarray(draw(engine(seed)))
        asked = f"asked for {shape[0]} of {where}, got {proposed.tolist()}"
        after = (pool.features, pool.exposure, pool.scores)
        unchanged = all(np.array_equal(old, new) for old, new in zip(before, after, strict=True))
        _require(unchanged, f"a proposal must not change the pool it is given, {asked}")
        counted = proposed.shape == shape and proposed.dtype.kind == "i"
        _require(counted, f"a proposal must hold exactly as many features as the budget says, {asked}")
        rows = [tuple(sorted(row)) for row in proposed.reshape(len(proposed), -1).tolist()]
        distinct = len(set(rows)) == len(rows) and all(len(set(row)) == len(row) for row in rows)
        _require(distinct, f"proposed features must be distinct, {asked}")
        _require(
            bool(np.isin(proposed, pool.features).all()),
            f"proposed features must come from the pool, {asked}",
        )
        again = np.asarray(draw(engine(seed)))
        _require(np.array_equal(again, proposed), f"the same seed must give the same proposal, {asked}")


# Statistics


def _batches(n_features: int, data: np.random.Generator) -> Iterator[Batch]:
    """Yield a warm-up, then steps of all kinds: forward, backward, tuples, no spread, one entry."""
    nothing = np.zeros(n_features, dtype=np.bool_)
    probes = np.array([np.sort(data.choice(n_features, 4, replace=False)) for _ in range(15)])
    yield Batch(Direction.ADD, nothing, probes, data.normal(size=15))
    for _ in range(30):
        members = data.random(n_features) < 0.5
        members[:3], members[-3:] = True, False
        for direction, tuple_size in product(Direction, (1, 2)):
            pool = direction.pool(members)
            chosen = [data.choice(pool, tuple_size, replace=False) for _ in range(6)]
            changed = np.unique(np.sort(np.array(chosen)), axis=0)
            spread = data.choice([0.0, 1.0, 1e-3])
            yield Batch(direction, members, changed, 0.7 + spread * data.normal(size=len(changed)))


def _check_learning(statistics: Statistics, batch: Batch, *, is_warm_up: bool) -> None:
    with_before, without_before = statistics.count_with.copy(), statistics.count_without.copy()
    scores_before = statistics.scores.copy()
    given = [array.copy() for array in (batch.common, batch.changed, batch.values)]
    (statistics.warm_up if is_warm_up else statistics.learn)(batch)
    taken = (batch.common, batch.changed, batch.values)
    unchanged = all(np.array_equal(old, new) for old, new in zip(given, taken, strict=True))
    _require(unchanged, "learning must not change the batch it is given")
    _require(bool(np.isfinite(statistics.scores).all()), "scores must be finite after every batch")
    risen_with = statistics.count_with - with_before
    risen_without = statistics.count_without - without_before
    ignored = not risen_with.any() and not risen_without.any()
    if ignored and not is_warm_up:
        still = np.array_equal(statistics.scores, scores_before)
        _require(still, "statistics that do not count a batch must not change their scores by it")
        return
    n_entries = len(batch.values)
    inside = np.sum([_subset(batch, entry) for entry in range(n_entries)], axis=0)
    _require(
        np.array_equal(risen_with, inside) and np.array_equal(risen_without, n_entries - inside),
        "every entry must count once for every feature, with it or without it, "
        f"got {risen_with.tolist()} with and {risen_without.tolist()} without for a batch of {n_entries}",
    )


def _subset(batch: Batch, entry: int) -> Mask:
    return batch.direction.applied(batch.common, batch.changed[entry])


def _require_empty(statistics: Statistics, n_features: int) -> None:
    counts = (statistics.count_with, statistics.count_without)
    empty = all(count.shape == (n_features,) and not count.any() for count in counts)
    _require(empty, "fresh statistics must have seen nothing, and share nothing with others")
    scores = statistics.scores
    finite = scores.shape == (n_features,) and bool(np.isfinite(scores).all())
    _require(finite, "fresh statistics must offer a finite score for every feature")
    _require(bool(np.all(scores == scores[0])), "fresh statistics must not prefer one feature to another")


def _require(kept: bool, law: str) -> None:
    if not kept:
        raise AssertionError(f"{law}.")
