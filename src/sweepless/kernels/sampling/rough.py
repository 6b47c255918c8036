"""Softmax draws that rough weights decide beyond doubt, as they do nearly always, in one pass over a million scores.

A rough weight is a power of two with ten digits, relative to one of the greater scores instead of the greatest: a third
of the work of an exact one. A draw is certain if its share of the total is farther from both ends of what it falls into
than all errors together can move them.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from sweepless._typing import AnyArray, Features, Values
from sweepless.kernels._eights import POWER_ERROR, greater, two_to
from sweepless.kernels._jit import index, inner, inner_maker
from sweepless.kernels._lanes import DOUBLES, every, lesser, load, minus, plus, store, times
from sweepless.kernels.sampling.proposal import descend

_BLOCK = 256
_GROUP = 64
_LOOKS = 64  # scores of which the greatest is what weights are relative to
_LOG2_E = 1.4426950408889634
_COLDEST = 1e100
_FAR = 1000.0  # a power of two beyond would not be a normal number
_ROOM = 2.0**400  # totals from its inverse to it are far from where a weight, rough or exact, over- or underflows
# Of the total: the goal and the sum that it is compared with may each be off by the error of a power, and a twentieth
# of that is far more than what rounding adds, to exact sums, too (below 2**-40).
_DOUBT = 2.1 * POWER_ERROR


@inner_maker
def draw_surely(scores: Values, temperature: float, uniforms: Values, drawn: Features, before: Values) -> int:
    """Draw until a draw is not certain, and return how many are; the scores of those drawn are minus infinity then.

    `drawn` is set to their positions and `before` to the scores that they had.
    """
    reference = -np.inf
    for k in range(_LOOKS):
        reference = max(reference, scores[k * len(scores) // _LOOKS])
    coldness = _LOG2_E / temperature
    if not (coldness < _COLDEST and reference > -np.inf):
        return 0
    n_full = len(scores) // _BLOCK
    n_blocks = (len(scores) + _BLOCK - 1) // _BLOCK
    n_groups = (n_blocks + _GROUP - 1) // _GROUP
    blocks = scores[: n_full * _BLOCK].reshape((n_full, _BLOCK))
    rest = np.full((1, _BLOCK), -np.inf)
    rest[0, : len(scores) - n_full * _BLOCK] = scores[n_full * _BLOCK :]
    weights = np.empty((2, _BLOCK))  # of one block; the second row is a note pad
    sums = np.zeros((n_groups, _GROUP))
    group_sums = np.zeros((1, (n_groups + DOUBLES - 1) // DOUBLES * DOUBLES))
    for group in range(n_groups):
        for block in range(group * _GROUP, min((group + 1) * _GROUP, n_blocks)):
            part, row = (blocks, block) if block < n_full else (rest, 0)
            sums[group, block % _GROUP] = _weigh(part, row, reference, coldness, weights)
        group_sums[0, group] = _sum_of(sums, group, weights)
        if not group_sums[0, group] < _ROOM:  # too cold: most exact weights are zero, which takes no time to see
            return 0

    for k in range(len(uniforms)):
        total = _sum_of(group_sums, 0, weights)
        if not (1.0 / _ROOM < total < _ROOM):
            return k
        goal, doubt = uniforms[k] * total, _DOUBT * total
        group, below = descend(group_sums[0], 0, n_groups, goal, 0.0)
        inside, below = descend(sums[group], 0, _GROUP, goal, below)
        block = group * _GROUP + inside
        part, row = (blocks, block) if block < n_full else (rest, 0)
        _weigh(part, row, reference, coldness, weights)
        place, below = descend(weights[0], 0, _BLOCK, goal, below)
        if not below + doubt < goal < below + weights[0, place] - doubt:
            return k
        drawn[k] = choice = block * _BLOCK + place
        before[k] = scores[choice]
        scores[choice] = -np.inf
        if block >= n_full:
            rest[0, place] = -np.inf
        weights[0, place] = 0.0
        sums[group, inside] = _sum_of(weights, 0, weights)
        group_sums[0, group] = _sum_of(sums, group, weights)
    return len(uniforms)


@inner
def _weigh(scores: AnyArray, row: int, reference: float, coldness: float, weights: AnyArray) -> float:
    """Set the weights of a block, and return their sum."""
    total = every(0.0)
    for lane in range(index(0), index(_BLOCK), index(DOUBLES)):
        x = times(minus(load(scores, index(row), lane), every(reference)), every(coldness))
        weight = two_to(lesser(greater(x, every(-_FAR)), every(_FAR)))
        store(weights, index(0), lane, weight)
        total = plus(total, weight)
    return _across(total, weights)


@inner
def _sum_of(values: AnyArray, row: int, weights: AnyArray) -> float:
    """Return the sum of a row."""
    total = every(0.0)
    for lane in range(index(0), index(values.shape[1]), index(DOUBLES)):
        total = plus(total, load(values, index(row), lane))
    return _across(total, weights)


@inner
def _across(total: Any, weights: AnyArray) -> float:
    """Return the sum of eight doubles, which are put beside the weights."""
    store(weights, index(1), index(0), total)
    a, b, c, d = weights[1, 0], weights[1, 1], weights[1, 2], weights[1, 3]
    e, f, g, h = weights[1, 4], weights[1, 5], weights[1, 6], weights[1, 7]
    whole: float = ((a + b) + (c + d)) + ((e + f) + (g + h))
    return whole
