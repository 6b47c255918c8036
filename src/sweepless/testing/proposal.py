"""Check that a proposal consists of `budget` distinct candidates, reproducibly."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import product
from math import comb

import numpy as np

from sweepless._typing import Features, Values
from sweepless.engine.portable import PortableRng
from sweepless.engine.reference import ReferenceRng
from sweepless.errors import InputError
from sweepless.search.proposal import Pool, Proposal
from sweepless.testing.laws import require


def check_proposal(proposal: Proposal, *, seed: int = 0) -> None:
    """Check that a proposal returns exactly `budget` distinct features of the pool, reproducibly.

    Parameters
    ----------
    proposal : Proposal
    seed : int

    Raises
    ------
    AssertionError
        If a proposal does not hold `budget` distinct features of the pool, changes its input, or differs for the same
        seed. Both engines, both signs, several budgets and many pools (with tied, constant and widely spread scores)
        are checked; pairs are checked as well if the proposal draws tuples.
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
        require(unchanged, f"a proposal must not change the pool it is given, {asked}")
        counted = proposed.shape == shape and proposed.dtype.kind == "i"
        require(counted, f"a proposal must hold exactly as many features as the budget says, {asked}")
        rows = [tuple(sorted(row)) for row in proposed.reshape(len(proposed), -1).tolist()]
        distinct = len(set(rows)) == len(rows) and all(len(set(row)) == len(row) for row in rows)
        require(distinct, f"proposed features must be distinct, {asked}")
        require(
            bool(np.isin(proposed, pool.features).all()),
            f"proposed features must come from the pool, {asked}",
        )
        again = np.asarray(draw(engine(seed)))
        require(np.array_equal(again, proposed), f"the same seed must give the same proposal, {asked}")
