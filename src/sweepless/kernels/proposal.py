"""Drawing without replacement, given the uniform numbers."""

from __future__ import annotations

import math

import numpy as np

from sweepless._typing import Features, Mask, Values
from sweepless.kernels._jit import index, inner, kernel


@kernel
def shuffle_prefix(items: Features, uniforms: Values) -> None:
    """Move a uniform sample of len(uniforms) items to the front, by partial Fisher-Yates (METHOD 7.1.6)."""
    n_items = len(items)
    for k in range(len(uniforms)):
        j = k + math.floor(uniforms[k] * (n_items - k))
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


@kernel
def draw_by_walk(weights: Values, preference: Values, uniforms: Values) -> Features:
    """Draw positions by walking the cumulative weights: the reference's way, O(pool) a draw (METHOD 7.1.7).

    The total is decremented, never summed again. A walk that overruns by rounding takes the last
    positive weight; when every weight has underflowed, the greatest preference left is taken.
    """
    left = np.ones(len(weights), dtype=np.bool_)
    drawn = np.empty(len(uniforms), dtype=np.intp)
    total = 0.0
    for weight in weights:
        total += weight
    for k in range(len(uniforms)):
        goal = uniforms[k] * total
        cumulative = 0.0
        choice = -1
        for i in range(len(weights)):
            if left[i] and weights[i] > 0.0:
                cumulative += weights[i]
                choice = i
                if cumulative > goal:
                    break
        if choice < 0:
            choice = _most_preferred(preference, left, 0, len(left))
        left[choice] = False
        total -= weights[choice]
        drawn[k] = choice
    return drawn


def draw_by_blocks(weights: Values, preference: Values, uniforms: Values) -> Features:
    """Draw positions by walking block sums, then one block: equal in law, O(sqrt(pool)) a draw."""
    width = max(16, math.isqrt(len(weights)))
    n_blocks = (len(weights) + width - 1) // width
    drawn = np.empty(len(uniforms), dtype=np.intp)
    is_left = np.ones(len(weights), dtype=np.bool_)
    best = np.full(n_blocks, -1)
    _draw_by_blocks(weights.copy(), preference, uniforms, width, is_left, np.empty(n_blocks), best, drawn)
    return drawn


@kernel
def _draw_by_blocks(
    weights: Values,
    preference: Values,
    uniforms: Values,
    width: int,
    left: Mask,
    sums: Values,
    most_preferred: Features,
    drawn: Features,
) -> None:
    """Draw, emptying the weights; `sums` and `most_preferred` are notes per block."""
    for block in range(len(sums)):
        sums[block] = _block_sum(weights, block, width)
    has_underflowed = False
    for k in range(len(uniforms)):
        total = 0.0
        for block in range(len(sums)):
            total += sums[block]
        goal = uniforms[k] * total
        cumulative = 0.0
        chosen = -1
        for block in range(len(sums)):
            if sums[block] > 0.0:
                chosen = block
                if cumulative + sums[block] > goal:
                    break
                cumulative += sums[block]
        choice = -1
        if chosen >= 0:
            for i in range(chosen * width, (chosen + 1) * width):
                if i < len(weights) and weights[i] > 0.0:
                    choice = i
                    cumulative += weights[i]
                    if cumulative > goal:
                        break
        else:
            for block in range(len(sums)):
                if not has_underflowed:
                    most_preferred[block] = _most_preferred(preference, left, block * width, (block + 1) * width)
                best = most_preferred[block]
                if best >= 0 and (choice < 0 or preference[best] > preference[choice]):
                    choice = best
            has_underflowed = True
        left[choice] = False
        weights[choice] = 0.0
        # Summed anew, so that an emptied block is exactly zero.
        chosen = choice // width
        sums[chosen] = _block_sum(weights, chosen, width)
        if has_underflowed:
            most_preferred[chosen] = _most_preferred(preference, left, chosen * width, (chosen + 1) * width)
        drawn[k] = choice


@inner
def _block_sum(weights: Values, block: int, width: int) -> float:
    total = 0.0
    for i in range(block * width, (block + 1) * width):
        if i < len(weights):
            total += weights[i]
    return total


@inner
def _most_preferred(preference: Values, left: Mask, start: int, stop: int) -> int:
    """Return the first of the greatest preferences left in a range, -1 if nothing is left."""
    choice = -1
    for i in range(start, min(stop, len(preference))):
        if left[i] and (choice < 0 or preference[i] > preference[choice]):
            choice = i
    return choice
