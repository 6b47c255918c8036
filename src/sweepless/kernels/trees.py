"""A tree of random splits: small, fast, and indifferent to the scale of features."""

from __future__ import annotations

import numpy as np

from sweepless._typing import Counts, Values
from sweepless.kernels._jit import inner, integer, kernel


def tree_outputs(
    rows: Values, codes: Counts, weights: Values, n_outputs: int, draws: Values, new: Values, outputs: Values
) -> None:
    """Grow one tree and add what it says of new samples to their outputs.

    A node of different targets is split by the best of a few features, each at the value of one of the node's samples,
    all drawn at random. The best leaves the least squared error of the outputs, which for classes is Gini's impurity.
    A leaf says the mean of its samples.

    Parameters
    ----------
    rows : array of shape (sample, feature)
    codes, weights : array
        Which output a sample adds to, and how much: its class and 1, or 0 and the number to predict.
    n_outputs : int
    draws : array of shape (node, 2 * tries)
        Reals in [0, 1): a feature and a sample per try, for every node that may be split, which are fewer than samples.
    new : array of shape (sample, feature)
    outputs : array of shape (new sample, output)
        Added to.
    """
    n_samples, n_new = len(rows), len(new)
    order, fresh, spare = np.arange(n_samples), np.arange(n_new), np.empty(max(n_samples, n_new), dtype=np.int64)
    # What is still to be done: the samples and the new samples of a node, as stretches of their orders.
    stack = np.empty((n_samples + 1, 4), dtype=np.int64)
    stack[0] = 0, n_samples, 0, n_new
    _grow(rows, codes, weights, draws, new, outputs, order, fresh, spare, np.empty((2, n_outputs)), stack)


@kernel
def _grow(
    rows: Values,
    codes: Counts,
    weights: Values,
    draws: Values,
    new: Values,
    outputs: Values,
    order: Counts,
    fresh: Counts,
    spare: Counts,
    sides: Values,
    stack: Counts,
) -> None:
    n_waiting, n_tried = 1, integer(0)
    while n_waiting > 0:
        n_waiting -= 1
        first, last = stack[n_waiting, 0], stack[n_waiting, 1]
        first_new, last_new = stack[n_waiting, 2], stack[n_waiting, 3]
        if first_new == last_new:  # nobody asks what is below
            continue
        feature, threshold = -1, 0.0
        if not _is_pure(order, first, last, codes, weights):
            feature, threshold = _best_split(rows, order, first, last, codes, weights, draws, n_tried, sides)
            n_tried += 1
        if feature < 0:
            for c in range(sides.shape[1]):
                sides[0, c] = 0.0
            for p in range(first, last):
                sides[0, codes[order[p]]] += weights[order[p]]
            for p in range(first_new, last_new):
                for c in range(sides.shape[1]):
                    outputs[fresh[p], c] += sides[0, c] / (last - first)
            continue
        middle = _partition(order, first, last, spare, rows, feature, threshold)
        middle_new = _partition(fresh, first_new, last_new, spare, new, feature, threshold)
        stack[n_waiting, 1], stack[n_waiting, 3] = middle, middle_new  # the left child, where the node was
        stack[n_waiting + 1, 0], stack[n_waiting + 1, 1] = middle, last
        stack[n_waiting + 1, 2], stack[n_waiting + 1, 3] = middle_new, last_new
        n_waiting += 2


# A node is a stretch of an order, from `first` to `last`.


@inner
def _is_pure(order: Counts, first: int, last: int, codes: Counts, weights: Values) -> bool:
    """Tell whether all samples of a node have the same target."""
    code, weight = codes[order[first]], weights[order[first]]
    for p in range(first, last):  # noqa: SIM110 (the compiler knows no generators)
        if codes[order[p]] != code or weights[order[p]] != weight:
            return False
    return True


@inner
def _best_split(
    rows: Values,
    order: Counts,
    first: int,
    last: int,
    codes: Counts,
    weights: Values,
    draws: Values,
    node: int,
    sides: Values,
) -> tuple[int, float]:
    """Return the best feature and threshold of those drawn, or if these are constant, the next that is not; else -1."""
    n_features, n_tries = rows.shape[1], draws.shape[1] // 2
    best, chosen, where, feature = -np.inf, -1, 0.0, 0
    for k in range(n_tries + n_features):
        if k < n_tries:
            feature = int(draws[node, 2 * k] * n_features)
        elif chosen >= 0:
            break
        else:
            feature = (feature + 1) % n_features
        drawn = draws[node, 2 * min(k, n_tries - 1) + 1]
        value = rows[order[first + int(drawn * (last - first))], feature]
        threshold = _threshold(rows, order, first, last, feature, value)
        gain = _gain(rows, order, first, last, codes, weights, feature, threshold, sides)
        if gain > best:
            best, chosen, where = gain, feature, threshold
    return chosen, where


@inner
def _threshold(rows: Values, order: Counts, first: int, last: int, feature: int, value: float) -> float:
    """Return what separates a value from the next greater one, or the greatest from the one below."""
    above, below = np.inf, -np.inf
    for p in range(first, last):
        x = rows[order[p], feature]
        if x > value:
            above = min(above, x)
        elif x < value:
            below = max(below, x)
    if above < np.inf:
        return value + 0.5 * (above - value)
    return below + 0.5 * (value - below) if below > -np.inf else np.nan


@inner
def _gain(
    rows: Values,
    order: Counts,
    first: int,
    last: int,
    codes: Counts,
    weights: Values,
    feature: int,
    threshold: float,
    sides: Values,
) -> float:
    """Return the sum of squared sums per sample on both sides, which grows as the squared error falls."""
    for c in range(sides.shape[1]):
        sides[0, c], sides[1, c] = 0.0, 0.0
    n_left = 0
    for p in range(first, last):
        i = order[p]
        if rows[i, feature] <= threshold:
            sides[0, codes[i]] += weights[i]
            n_left += 1
        else:
            sides[1, codes[i]] += weights[i]
    if n_left == 0 or n_left == last - first:
        return -np.inf
    on_left, on_right = 0.0, 0.0
    for c in range(sides.shape[1]):
        on_left += sides[0, c] * sides[0, c]
        on_right += sides[1, c] * sides[1, c]
    return on_left / n_left + on_right / (last - first - n_left)


@inner
def _partition(
    order: Counts, first: int, last: int, spare: Counts, rows: Values, feature: int, threshold: float
) -> int:
    """Put samples at or below the threshold first, all in the order that they have; return where the others begin."""
    low, n_high = first, 0
    for p in range(first, last):
        i = order[p]
        if rows[i, feature] <= threshold:
            order[low] = i
            low += 1
        else:
            spare[n_high] = i
            n_high += 1
    for k in range(n_high):
        order[low + k] = spare[k]
    return low
