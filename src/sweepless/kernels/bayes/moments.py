"""Means, variances and terms of Gaussian naive Bayes; `bayes.definition` explains the layout."""

from __future__ import annotations

import math

import numpy as np

from sweepless._typing import Counts, Values
from sweepless.kernels._jit import inner, inner_maker, kernel, maker

ROUNDING = 2.0**-52  # twice the relative error of one operation
NO_VARIANCE = 1e-290  # below this 1 / v may overflow


@maker
def describe(columns: Values, cells: Counts, means: Values, variances: Values, spreads: Values) -> None:
    """Describe every column (sorted samples) in each training part: by class, and its variance over all classes.

    There may be more folds than are asked for; the last ones are then only trained on.

    Deviations refer to a value that occurs, so the variance of a constant is exactly 0. Parts are combined by sums of
    terms that are not negative, so nothing cancels.
    """
    n_folds, n_classes = cells.shape[0], cells.shape[1] - 1
    center = np.empty((n_folds, n_classes))
    squares = np.empty((n_folds, n_classes))
    for m in range(len(columns)):
        column = columns[m]
        for k in range(n_folds):
            for c in range(n_classes):
                center[k, c], squares[k, c] = _moments(column[cells[k, c] : cells[k, c + 1]])
        for k in range(means.shape[1]):
            total = 0
            for c in range(n_classes):
                size = 0
                shift = 0.0
                origin = 0.0
                for j in range(n_folds):
                    part = cells[j, c + 1] - cells[j, c]
                    if j != k and part > 0:
                        if size == 0:
                            origin = center[j, c]
                        size += part
                        shift += part * (center[j, c] - origin)
                means[m, k, c] = origin + shift / max(size, 1)
                inside = 0.0
                for j in range(n_folds):
                    part = cells[j, c + 1] - cells[j, c]
                    if j != k and part > 0:
                        apart = center[j, c] - means[m, k, c]
                        inside += squares[j, c] + part * (apart * apart)
                variances[m, k, c] = inside / max(size, 1)
                total += size
            spreads[m, k] = _spread(means[m, k], variances[m, k], cells, k, total)


@kernel
def describe_weighted(columns: Values, cells: Counts, weights: Values, means: Values, variances: Values) -> None:
    """Describe every column (sorted samples) in each training part by class, where samples have weights."""
    n_folds, n_classes = cells.shape[0], cells.shape[1] - 1
    for m in range(len(columns)):
        column = columns[m]
        for k in range(means.shape[1]):
            for c in range(n_classes):
                mass, shift, origin = 0.0, 0.0, 0.0
                for j in range(n_folds):
                    for i in range(cells[j, c], cells[j, c + 1] if j != k else cells[j, c]):
                        if weights[i] > 0.0:
                            if mass == 0.0:
                                origin = column[i]
                            mass += weights[i]
                            shift += weights[i] * (column[i] - origin)
                mean = origin + shift / mass if mass > 0.0 else origin
                inside = 0.0
                for j in range(n_folds):
                    for i in range(cells[j, c], cells[j, c + 1] if j != k else cells[j, c]):
                        inside += weights[i] * ((column[i] - mean) * (column[i] - mean))
                means[m, k, c] = mean
                variances[m, k, c] = inside / mass if mass > 0.0 else 0.0


@inner
def _moments(values: Values) -> tuple[float, float]:
    """Return the mean and the sum of squared deviations; four sums at once, which do not wait for one another."""
    size = len(values)
    if size == 0:
        return 0.0, 0.0
    origin = values[0]
    rest = size % 4
    s0 = s1 = s2 = s3 = 0.0
    for i in range(0, size - rest, 4):
        s0 += values[i] - origin
        s1 += values[i + 1] - origin
        s2 += values[i + 2] - origin
        s3 += values[i + 3] - origin
    for i in range(size - rest, size):
        s0 += values[i] - origin
    mean = origin + ((s0 + s1) + (s2 + s3)) / size
    s0 = s1 = s2 = s3 = 0.0
    for i in range(0, size - rest, 4):
        d0 = values[i] - mean
        d1 = values[i + 1] - mean
        d2 = values[i + 2] - mean
        d3 = values[i + 3] - mean
        s0 += d0 * d0
        s1 += d1 * d1
        s2 += d2 * d2
        s3 += d3 * d3
    for i in range(size - rest, size):
        d0 = values[i] - mean
        s0 += d0 * d0
    return mean, (s0 + s1) + (s2 + s3)


@inner_maker
def _spread(means: Values, variances: Values, cells: Counts, fold: int, total: int) -> float:
    """Return the variance over a whole training part from the variances of its classes."""
    n_folds, n_classes = cells.shape[0], cells.shape[1] - 1
    sizes = np.zeros(n_classes)
    for c in range(n_classes):
        for j in range(n_folds):
            if j != fold:
                sizes[c] += cells[j, c + 1] - cells[j, c]
    origin = 0.0
    for c in range(n_classes - 1, -1, -1):
        if sizes[c] > 0:
            origin = means[c]
    shift = 0.0
    for c in range(n_classes):
        if sizes[c] > 0:
            shift += sizes[c] * (means[c] - origin)
    mean = origin + shift / max(total, 1)
    squares = 0.0
    for c in range(n_classes):
        if sizes[c] > 0:
            apart = means[c] - mean
            squares += sizes[c] * (variances[c] + apart * apart)
    spread: float = squares / max(total, 1)
    return spread if spread < np.inf else np.inf  # instead of NaN, which cannot be compared


@kernel
def tabulate(variances: Values, epsilon: Values, heights: Values, slopes: Values) -> None:
    """Fill in a and b of every feature, training part and class."""
    for m in range(variances.shape[0]):
        for k in range(variances.shape[1]):
            for c in range(variances.shape[2]):
                heights[m, k, c], slopes[m, k, c] = parabola(variances[m, k, c] + epsilon[m, k])


@inner
def parabola(variance: float) -> tuple[float, float]:
    """Return a and b of a term for a smoothed variance."""
    if variance >= NO_VARIANCE:
        return -0.5 * math.log(2.0 * math.pi * variance), 0.5 / variance
    return 0.0, 0.0


def measure(columns: Values, origins: Values) -> Values:
    """Return the least and the greatest value of every column, and how far it reaches from zero with its origin."""
    low, high = columns.min(axis=1), columns.max(axis=1)
    return np.column_stack((low, high, np.abs(origins) + np.maximum(np.abs(low), np.abs(high))))


@maker
def largest_terms(
    extents: Values, means: Values, heights: Values, slopes: Values, priors: Values, n_samples: int
) -> tuple[Values, Values]:
    """Bound |term| of every column in every fold, and by how much a term may differ in another arithmetic."""
    terms, doubts = np.zeros(means.shape[:2]), np.zeros(means.shape[:2])
    for m in range(means.shape[0]):
        for k in range(means.shape[1]):
            terms[m, k], doubts[m, k] = largest_term(
                extents[m], means[m, k], heights[m, k], slopes[m, k], priors[k], n_samples
            )
    return terms, doubts


@inner
def largest_term(
    extent: Values, means: Values, heights: Values, slopes: Values, priors: Values, n_samples: int
) -> tuple[float, float]:
    """Bound |term| of one column in one fold over all samples and classes, and how much rounding may change it.

    A mean that was summed in any order may be off by `shift`, a variance by n roundings and the square of the shift;
    every other operation adds one rounding.
    """
    low, high, reach = extent[0], extent[1], extent[2]
    shift = ROUNDING * (n_samples + 8) * (reach + (high - low))
    largest = 0.0
    doubt = 0.0
    for c in range(len(priors)):
        if priors[c] > -np.inf:
            slope = slopes[c]
            far = max(abs(low - means[c]), abs(high - means[c]))
            square = slope * (far * far)
            term = abs(heights[c]) + square
            moved = slope * shift * (2.0 * far + shift)
            spread = 3.0 * ROUNDING * (n_samples + 12) + 2.0 * slope * shift * shift
            change = moved + (0.5 + square) * spread + 16.0 * ROUNDING * term
            if not term <= largest:
                largest = term
            if not change <= doubt:
                doubt = change
    return largest, doubt


@inner
def closest_call(doubts: float, terms: float, prior: float, n_members: int) -> float:
    """Return by how much another arithmetic may change the difference of two scores, from sums over the members."""
    return 2.0 * (doubts + 4.0 * ROUNDING * (n_members + 8) * (terms + prior))


@inner
def is_close(scores: Values, own: int, priors: Values, doubt: float) -> bool:
    """Tell whether the scores of a sample's own class, if it was trained on, and of the best other are nearly equal."""
    if priors[own] == -np.inf:
        return False
    other = -np.inf
    for c in range(len(priors)):
        if c != own and priors[c] > -np.inf and not scores[c] <= other:
            other = scores[c]
    return not abs(scores[own] - other) > doubt
