"""Drawing without replacement, given the uniform numbers."""

from __future__ import annotations

import math

import numpy as np

from sweepless._typing import Features, Mask, Values
from sweepless.kernels._jit import kernel


@kernel
def shuffle_prefix(items: Features, uniforms: Values) -> None:
    """Move a uniform sample of len(uniforms) items to the front, by partial Fisher-Yates (METHOD 7.1.6)."""
    n_items = len(items)
    for k in range(len(uniforms)):
        j = k + math.floor(uniforms[k] * (n_items - k))
        items[k], items[j] = items[j], items[k]


@kernel
def softmax_weights(preference: Values, temperature: float) -> Values:
    """Return exp((p - max p) / temperature)."""
    top = preference.max()
    weights = np.empty(len(preference))
    for i in range(len(preference)):
        weights[i] = math.exp((preference[i] - top) / temperature)
    return weights


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


@kernel
def draw_by_blocks(weights: Values, preference: Values, uniforms: Values) -> Features:
    """Draw positions by walking block sums, then one block: equal in law, O(sqrt(pool)) a draw."""
    n_items = len(weights)
    width = max(16, int(math.sqrt(n_items)))
    n_blocks = (n_items + width - 1) // width
    left = np.ones(n_items, dtype=np.bool_)
    current = weights.copy()
    sums = np.empty(n_blocks)
    for block in range(n_blocks):
        sums[block] = current[block * width : (block + 1) * width].sum()
    most_preferred = np.empty(0, dtype=np.int64)  # per block, once every weight has underflowed
    drawn = np.empty(len(uniforms), dtype=np.intp)
    for k in range(len(uniforms)):
        goal = uniforms[k] * sums.sum()
        cumulative = 0.0
        block = -1
        for b in range(n_blocks):
            if sums[b] > 0.0:
                block = b
                if cumulative + sums[b] > goal:
                    break
                cumulative += sums[b]
        choice = -1
        if block >= 0:
            for i in range(block * width, min((block + 1) * width, n_items)):
                if current[i] > 0.0:
                    choice = i
                    cumulative += current[i]
                    if cumulative > goal:
                        break
        else:
            if len(most_preferred) == 0:
                most_preferred = np.empty(n_blocks, dtype=np.int64)
                for b in range(n_blocks):
                    most_preferred[b] = _most_preferred(preference, left, b * width, (b + 1) * width)
            for b in range(n_blocks):
                best = most_preferred[b]
                if best >= 0 and (choice < 0 or preference[best] > preference[choice]):
                    choice = best
        left[choice] = False
        current[choice] = 0.0
        # Summed anew, so that an emptied block is exactly zero.
        block = choice // width
        sums[block] = current[block * width : (block + 1) * width].sum()
        if len(most_preferred):
            most_preferred[block] = _most_preferred(preference, left, block * width, (block + 1) * width)
        drawn[k] = choice
    return drawn


@kernel
def _most_preferred(preference: Values, left: Mask, start: int, stop: int) -> int:
    """Return the first of the greatest preferences left in a range, -1 if nothing is left."""
    choice = -1
    for i in range(start, min(stop, len(preference))):
        if left[i] and (choice < 0 or preference[i] > preference[choice]):
            choice = i
    return choice
