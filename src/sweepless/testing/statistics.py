"""Check that statistics count every entry once for every feature."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import numpy as np

from sweepless._typing import Mask, Values
from sweepless.direction import Direction
from sweepless.engine.folds import FastFold, SequentialFold
from sweepless.search.statistics import Statistics
from sweepless.search.step import Batch
from sweepless.testing.laws import require


def check_statistics(statistics: Statistics, *, seed: int = 0) -> None:
    """Check that statistics count every entry once for every feature, and start empty every time.

    Parameters
    ----------
    statistics : Statistics
        The prototype, of which only `fresh` is called.
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
    for fold in (FastFold(), SequentialFold()):
        data = np.random.default_rng(seed)
        taught = statistics.fresh(n_features, fold)
        _require_empty(taught, n_features)
        idle = statistics.fresh(n_features, fold)
        scores = []
        for position, batch in enumerate(_batches(n_features, data)):
            _check_learning(taught, batch, is_warm_up=position == 0)
            scores.append(taught.scores.copy())
        _require_empty(idle, n_features)
        _require_empty(statistics.fresh(n_features, fold), n_features)
        folded.append(scores)
    for fast, by_entry in zip(*folded, strict=True):
        require(
            np.allclose(fast, by_entry, rtol=1e-9, atol=1e-9),
            "folding fast and folding entry by entry must give the same scores up to rounding",
        )


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
    require(unchanged, "learning must not change the batch it is given")
    require(bool(np.isfinite(statistics.scores).all()), "scores must be finite after every batch")
    risen_with = statistics.count_with - with_before
    risen_without = statistics.count_without - without_before
    ignored = not risen_with.any() and not risen_without.any()
    if ignored and not is_warm_up:
        still = np.array_equal(statistics.scores, scores_before)
        require(still, "statistics that do not count a batch must not change their scores by it")
        return
    n_entries = len(batch.values)
    inside = np.sum([_subset(batch, entry) for entry in range(n_entries)], axis=0)
    require(
        np.array_equal(risen_with, inside) and np.array_equal(risen_without, n_entries - inside),
        "every entry must count once for every feature, with it or without it, "
        f"got {risen_with.tolist()} with and {risen_without.tolist()} without for a batch of {n_entries}",
    )


def _subset(batch: Batch, entry: int) -> Mask:
    return batch.direction.applied(batch.common, batch.changed[entry])


def _require_empty(statistics: Statistics, n_features: int) -> None:
    counts = (statistics.count_with, statistics.count_without)
    empty = all(count.shape == (n_features,) and not count.any() for count in counts)
    require(empty, "fresh statistics must have seen nothing, and share nothing with others")
    scores = statistics.scores
    finite = scores.shape == (n_features,) and bool(np.isfinite(scores).all())
    require(finite, "fresh statistics must offer a finite score for every feature")
    require(bool(np.all(scores == scores[0])), "fresh statistics must not prefer one feature to another")
