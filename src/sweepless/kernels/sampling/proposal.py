"""Drawing without replacement, given the uniform numbers."""

from __future__ import annotations

import math

import numpy as np

from sweepless._typing import Features, Values
from sweepless.kernels._jit import index, inner, integer, kernel


def shuffle_prefix(items: Features, uniforms: Values) -> None:
    """Move a uniform sample of len(uniforms) items to the front, by partial Fisher-Yates (semantics: draws)."""
    for k, uniform in enumerate(uniforms.tolist()):
        j = k + math.floor(uniform * (len(items) - k))
        items[k], items[j] = items[j], items[k]


def softmax_weights(preference: Values, temperature: float) -> Values:
    """Return exp((p - max p) / temperature)."""
    weights: Values = (preference - preference.max()) / temperature
    _exponentiate(weights)
    return weights


@kernel
def _exponentiate(values: Values) -> None:
    """Replace every number by its exponential, that of the C library; NumPy's own is another in the last place."""
    for i in range(index(len(values))):
        values[i] = math.exp(values[i])


def draw_by_walk(weights: Values, preference: Values, uniforms: Values) -> Features:
    """Draw positions by walking the cumulative weights: the reference's way, O(pool) a draw (semantics: draws).

    The total is decremented, never summed again. A walk that overruns by rounding takes the last
    positive weight; when every weight has underflowed, the greatest preference left is taken.
    """
    drawn = np.empty(len(uniforms), dtype=np.intp)
    n_drawn = _draw_by_walk(weights.copy(), uniforms, drawn)
    if n_left := len(drawn) - n_drawn:
        drawn[n_drawn:] = _by_preference(preference, drawn[:n_drawn])[:n_left]
    return drawn


@kernel
def _draw_by_walk(weights: Values, uniforms: Values, drawn: Features) -> int:
    """Draw, emptying the weights; return how many could be drawn."""
    total = 0.0
    for weight in weights:
        total += weight
    for k in range(len(uniforms)):
        choice, _ = descend(weights, integer(0), integer(len(weights)), uniforms[k] * total, 0.0)
        if choice < 0:
            return k
        total -= weights[choice]
        weights[choice] = 0.0
        drawn[k] = choice
    return len(uniforms)


def draw_by_blocks(weights: Values, preference: Values, uniforms: Values) -> Features:
    """Draw positions by walking block sums, then one block: equal in law, O(sqrt(pool)) a draw.

    When every weight has underflowed, the greatest preferences left are taken; the last of equal ones are drawn.
    """
    width = max(16, math.isqrt(len(weights)))
    n_blocks = (len(weights) + width - 1) // width
    blocks = np.zeros((n_blocks, width))
    blocks.reshape(-1)[: len(weights)] = weights
    drawn = np.empty(len(uniforms), dtype=np.intp)
    sums = np.cumsum(blocks, axis=1)[:, -1].copy()
    n_drawn = _draw_by_blocks(blocks.reshape(-1), sums, uniforms, drawn)
    if n_left := len(drawn) - n_drawn:
        rest = _by_preference(preference, drawn[:n_drawn])
        last = preference[rest[n_left - 1]]
        n_sure = int(np.count_nonzero(preference[rest] > last))
        tied = rest[preference[rest] == last]
        shuffle_prefix(tied, uniforms[n_drawn + n_sure :])
        drawn[n_drawn:] = np.concatenate([rest[:n_sure], tied])[:n_left]
    return drawn


@kernel
def _draw_by_blocks(weights: Values, sums: Values, uniforms: Values, drawn: Features) -> int:
    """Draw, emptying the weights; return how many could be drawn."""
    n_blocks = integer(len(sums))
    width = len(weights) // n_blocks
    for k in range(len(uniforms)):
        total = 0.0
        for block_sum in sums:
            total += block_sum
        goal = uniforms[k] * total
        block, below = descend(sums, integer(0), n_blocks, goal, 0.0)
        if block < 0:
            return k
        start = block * width
        choice, _ = descend(weights, start, start + width, goal, below)
        weights[choice] = 0.0
        # Summed anew, so that an emptied block is exactly zero.
        block_sum = 0.0
        for i in range(start, start + width):
            block_sum += weights[i]
        sums[block] = block_sum
        drawn[k] = choice
    return len(uniforms)


@inner
def descend(sums: Values, start: int, stop: int, goal: float, below: float) -> tuple[int, float]:
    """Return the first place where the cumulated sums exceed the goal, else the last positive one, -1 if none is.

    Beside it comes what is cumulated before it.
    """
    place = integer(-1)
    before = below
    for k in range(start, stop):
        if sums[k] > 0.0:
            place, before = k, below
            below += sums[k]
            if below > goal:
                break
    return place, before


def _by_preference(preference: Values, drawn: Features) -> Features:
    """List the positions that are not drawn, the greatest preference first, equal ones in ascending order."""
    order = np.argsort(-preference, kind="stable")
    return np.asarray(order[~np.isin(order, drawn)])
