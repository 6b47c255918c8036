"""A tree of random splits: small, fast, and indifferent to the scale of features."""

from __future__ import annotations

import numpy as np

from sweepless._typing import Counts, Values
from sweepless.kernels._jit import index, inner, kernel


@kernel
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
    left, right = np.empty(n_outputs), np.empty(n_outputs)
    # What is still to be done: the samples and the new samples of a node, as stretches of their orders.
    stack = np.empty((n_samples + 1, 4), dtype=np.int64)
    stack[0, 0], stack[0, 1], stack[0, 2], stack[0, 3] = 0, n_samples, 0, n_new
    n_waiting, n_tried = 1, 0
    while n_waiting > 0:
        n_waiting -= 1
        first, last, first_new, last_new = stack[n_waiting]
        if first_new == last_new:  # nobody asks what is below
            continue
        feature, threshold = -1, 0.0
        if not _is_pure(order[first:last], codes, weights):
            feature, threshold = _best_split(rows, order[first:last], codes, weights, draws[n_tried], left, right)
            n_tried += 1
        if feature < 0:
            left[:] = 0.0
            for i in order[first:last]:
                left[codes[i]] += weights[i]
            for i in fresh[first_new:last_new]:
                for c in range(n_outputs):
                    outputs[i, c] += left[c] / (last - first)
            continue
        middle = first + _partition(order[first:last], spare, rows, feature, threshold)
        middle_new = first_new + _partition(fresh[first_new:last_new], spare, new, feature, threshold)
        stack[n_waiting, 0], stack[n_waiting, 1] = first, middle
        stack[n_waiting, 2], stack[n_waiting, 3] = first_new, middle_new
        stack[n_waiting + 1, 0], stack[n_waiting + 1, 1] = middle, last
        stack[n_waiting + 1, 2], stack[n_waiting + 1, 3] = middle_new, last_new
        n_waiting += 2


@inner
def _is_pure(samples: Counts, codes: Counts, weights: Values) -> bool:
    """Tell whether all samples have the same target."""
    code, weight = codes[samples[0]], weights[samples[0]]
    for i in samples:  # noqa: SIM110 (the compiler knows no generators)
        if codes[i] != code or weights[i] != weight:
            return False
    return True


@inner
def _best_split(
    rows: Values, samples: Counts, codes: Counts, weights: Values, draws: Values, left: Values, right: Values
) -> tuple[int, float]:
    """Return the best feature and threshold of those drawn, or if these are constant, the next that is not; else -1."""
    n_features, n_tries = rows.shape[1], len(draws) // 2
    best, chosen, where, feature = -np.inf, -1, 0.0, 0
    for k in range(n_tries + n_features):
        if k < n_tries:
            feature = int(draws[2 * k] * n_features)
        elif chosen >= 0:
            break
        else:
            feature = (feature + 1) % n_features
        drawn = draws[2 * min(k, n_tries - 1) + 1]
        threshold = _threshold(rows, samples, feature, rows[samples[int(drawn * len(samples))], feature])
        gain = _gain(rows, samples, codes, weights, feature, threshold, left, right)
        if gain > best:
            best, chosen, where = gain, feature, threshold
    return chosen, where


@inner
def _threshold(rows: Values, samples: Counts, feature: int, value: float) -> float:
    """Return what separates a value from the next greater one, or the greatest from the one below."""
    above, below = np.inf, -np.inf
    for i in samples:
        x = rows[i, feature]
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
    samples: Counts,
    codes: Counts,
    weights: Values,
    feature: int,
    threshold: float,
    left: Values,
    right: Values,
) -> float:
    """Return the sum of squared sums per sample on both sides, which grows as the squared error falls."""
    left[:], right[:] = 0.0, 0.0
    n_left = 0
    for i in samples:
        if rows[i, feature] <= threshold:
            left[codes[i]] += weights[i]
            n_left += 1
        else:
            right[codes[i]] += weights[i]
    if n_left == 0 or n_left == len(samples):
        return -np.inf
    on_left, on_right = 0.0, 0.0
    for c in range(index(len(left))):
        on_left += left[c] * left[c]
        on_right += right[c] * right[c]
    return on_left / n_left + on_right / (len(samples) - n_left)


@inner
def _partition(samples: Counts, spare: Counts, rows: Values, feature: int, threshold: float) -> int:
    """Put samples at or below the threshold first, all in the order that they have, and return how many they are."""
    n_low, n_high = 0, 0
    for i in samples:
        if rows[i, feature] <= threshold:
            samples[n_low] = i
            n_low += 1
        else:
            spare[n_high] = i
            n_high += 1
    samples[n_low:] = spare[:n_high]
    return n_low
