"""Softmax draws from a million scores: one pass over them, then a walk down three levels of sums.

Rough weights decide nearly all draws (`rough`); what they leave open is drawn here by exact ones, which are the
definition: all sums are those of exact weights without what was drawn before, whoever drew it.

The weights themselves are never stored. A block of 256 is summed in the pass and worked out again when a draw
falls into it; the sums of 64 blocks make a group.
"""

from __future__ import annotations

import numpy as np

from sweepless._typing import Features, Values
from sweepless.kernels._jit import in_wide_vectors, index, inner, inner_maker, maker
from sweepless.kernels.elementary import exp_of
from sweepless.kernels.sampling.proposal import descend
from sweepless.kernels.sampling.rough import draw_surely

_BLOCK = 256
_GROUP = 64
_UNDERFLOW = -746.0  # exp of anything below is zero


@maker
def draw_by_softmax(scores: Values, temperature: float, uniforms: Values) -> Features:
    """Draw positions with probability proportional to exp(score / temperature), without replacement.

    Each draw takes the first position at which the cumulated weights of what is left exceed its share of their
    total, as in `draw_by_walk`; when every weight has underflowed, those of what is left are taken relative to the
    greatest score left, so that equal ones are drawn and not taken by their position.
    Infinitely bad scores are never drawn. `scores` serves as a note pad: at the end it is as before.
    """
    drawn = np.empty(len(uniforms), dtype=np.intp)
    before = np.empty(len(uniforms))
    n_drawn = draw_surely(scores, temperature, uniforms, drawn, before)
    if n_drawn < len(uniforms):
        _draw_exactly(scores, temperature, uniforms, n_drawn, drawn, before)
    for k in range(len(uniforms)):
        scores[drawn[k]] = before[k]
    return drawn


@inner_maker
def _draw_exactly(
    scores: Values, temperature: float, uniforms: Values, n_drawn: int, drawn: Features, before: Values
) -> None:
    """Draw what is left by exact weights, which is the definition; the scores of those drawn are minus infinity."""
    in_wide_vectors()
    n_blocks = (len(scores) + _BLOCK - 1) // _BLOCK
    n_groups = (n_blocks + _GROUP - 1) // _GROUP
    weights = np.empty(_BLOCK)
    greatest = np.empty(n_blocks)
    sums = np.empty(n_blocks)
    group_sums = np.empty(n_groups)
    for block in range(n_blocks):
        greatest[block] = _greatest(scores, block, weights)
    top = greatest.max()
    for k in range(n_drawn):  # weights are relative to the greatest score before the first draw
        top = max(top, before[k])
    coldness = min(1.0 / temperature, 1e308)  # a product is several times faster than a quotient
    _weigh(scores, greatest, top, coldness, weights, sums, group_sums)

    for k in range(n_drawn, len(uniforms)):
        if group_sums.sum() == 0.0:
            top = greatest.max()
            _weigh(scores, greatest, top, coldness, weights, sums, group_sums)
        goal = uniforms[k] * group_sums.sum()
        group, below = descend(group_sums, 0, n_groups, goal, 0.0)
        block, below = descend(sums, group * _GROUP, min((group + 1) * _GROUP, n_blocks), goal, below)
        _block_weights(scores, block, top, coldness, weights)
        place, _ = descend(weights, 0, _BLOCK, goal, below)
        choice = block * _BLOCK + place
        # Summed anew, so that an emptied block is exactly zero.
        weights[place] = 0.0
        sums[block] = _sum_of(weights)
        group_sums[group] = sums[group * _GROUP : (group + 1) * _GROUP].sum()
        drawn[k] = choice
        before[k] = scores[choice]
        scores[choice] = -np.inf
        greatest[block] = _greatest(scores, block, weights)


@inner_maker
def _weigh(
    scores: Values, greatest: Values, top: float, coldness: float, pad: Values, sums: Values, group_sums: Values
) -> None:
    """Sum the weights of every block and group relative to the greatest score."""
    in_wide_vectors()
    for block in range(len(sums)):
        sums[block] = _block_sum(scores, block, greatest[block], top, coldness, pad)
    for group in range(len(group_sums)):
        group_sums[group] = sums[group * _GROUP : (group + 1) * _GROUP].sum()


@inner
def _greatest(scores: Values, block: int, pad: Values) -> float:
    """Return the greatest score of a block."""
    part = scores[block * _BLOCK : (block + 1) * _BLOCK]
    if len(part) < _BLOCK:
        for k in range(index(_BLOCK)):
            pad[k] = part[k] if k < index(len(part)) else -np.inf
        part = pad
    for k in range(index(32)):
        pad[k] = _greatest_of_eight(part, k, index(32))
    for k in range(index(4)):
        pad[k] = _greatest_of_eight(pad, k, index(4))
    return _greater(_greater(pad[0], pad[1]), _greater(pad[2], pad[3]))


@inner
def _greatest_of_eight(values: Values, k: int, step: int) -> float:
    a, b = values[k], values[k + step]
    c, d = values[k + index(2) * step], values[k + index(3) * step]
    e, f = values[k + index(4) * step], values[k + index(5) * step]
    g, h = values[k + index(6) * step], values[k + index(7) * step]
    return _greater(_greater(_greater(a, b), _greater(c, d)), _greater(_greater(e, f), _greater(g, h)))


@inner
def _greater(first: float, second: float) -> float:
    return first if first > second else second


@inner
def _block_weights(scores: Values, block: int, top: float, coldness: float, weights: Values) -> None:
    in_wide_vectors()
    part = scores[block * _BLOCK : (block + 1) * _BLOCK]
    if len(part) == _BLOCK:
        for k in range(index(_BLOCK)):
            weights[k] = exp_of((part[k] - top) * coldness)
    else:
        weights[len(part) :] = 0.0
        for k in range(index(len(part))):
            weights[k] = exp_of((part[k] - top) * coldness)


@inner
def _block_sum(scores: Values, block: int, greatest: float, top: float, coldness: float, weights: Values) -> float:
    """Return the sum of a block's weights."""
    if (greatest - top) * coldness < _UNDERFLOW:
        return 0.0
    _block_weights(scores, block, top, coldness, weights)
    return _sum_of(weights)


@inner
def _sum_of(weights: Values) -> float:
    """Return the sum of 256 weights, added up in halves, three halvings at a time: an order that vectorizes."""
    for k in range(index(32)):
        weights[k] = _sum_of_eight(weights, k, index(32))
    for k in range(index(4)):
        weights[k] = _sum_of_eight(weights, k, index(4))
    total: float = (weights[0] + weights[2]) + (weights[1] + weights[3])
    return total


@inner
def _sum_of_eight(values: Values, k: int, step: int) -> float:
    a, b = values[k], values[k + step]
    c, d = values[k + index(2) * step], values[k + index(3) * step]
    e, f = values[k + index(4) * step], values[k + index(5) * step]
    g, h = values[k + index(6) * step], values[k + index(7) * step]
    total: float = ((a + e) + (c + g)) + ((b + f) + (d + h))
    return total
