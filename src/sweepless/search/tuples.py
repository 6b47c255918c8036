"""Distinct random tuples: the budgeted step for more than one feature at a time.

This goes beyond the paper, which falls back to full sweeps for tuples (C30). A tuple is drawn with
probability proportional to the product of its features' weights, by c independent draws. A draw that repeats a
feature or an earlier tuple is made again.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sweepless._typing import Features, Values
from sweepless.engine.generator import Rng

_PATIENCE = 50  # draws per tuple before skewed weights are replaced by uniform ones


def distinct_tuples(
    parts: Sequence[tuple[int, Features | None, Values | None]], n_items: int, tuple_size: int, rng: Rng
) -> Features:
    """Draw ascending tuples, all distinct, part after part.

    Parameters
    ----------
    parts : sequence of (count, among, weights)
        How many tuples to draw, among which positions (None: all) and with which weights (None: equal). A part that
        cannot be filled in reasonable time, because few weights are positive or few tuples exist, is filled up
        uniformly from all positions; more tuples must exist than are drawn in all parts together.
    n_items : int
    tuple_size : int
    rng : Rng
    """
    seen: dict[tuple[int, ...], None] = {}
    wanted = 0
    for count, among, weights in parts:
        wanted += count
        positions = np.arange(n_items) if among is None else among
        attempts = _PATIENCE * count
        cumulative = None if weights is None else np.cumsum(weights)
        while len(seen) < wanted:
            if attempts == 0:
                positions, cumulative = np.arange(n_items), None
            attempts -= 1
            if cumulative is None:
                places = rng.subset(len(positions), tuple_size)
            else:
                places = np.searchsorted(cumulative, rng.uniforms(tuple_size) * cumulative[-1], side="right")
                places = np.unique(np.minimum(places, len(positions) - 1))
            if len(places) == tuple_size:
                seen[tuple(positions[places].tolist())] = None
    return np.array(list(seen), dtype=np.intp).reshape(len(seen), tuple_size)
