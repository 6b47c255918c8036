"""Moments of features within classes, and sums over pairs of features.

Samples are rows here, so that the inner loops run over features: every sum has one order, that of the samples, however
many features are described at once.
"""

from __future__ import annotations

import math

import numpy as np

from sweepless._typing import Counts, Values
from sweepless.kernels._jit import index, maker


@maker
def standardize_within(samples: Values, starts: Counts) -> tuple[Values, Values]:
    """Turn samples, sorted by class, into deviations from the class means of unit norm, in place.

    Return the class means and the standard deviations in the classes. What does not vary in a class deviates by 0.
    """
    n_classes, width = len(starts) - 1, index(samples.shape[1])
    means, deviations = np.zeros((n_classes, samples.shape[1])), np.zeros((n_classes, samples.shape[1]))
    rest = np.empty(samples.shape[1])
    for c in range(n_classes):
        start, stop = index(starts[c]), index(starts[c + 1])
        for t in range(start, stop):
            for k in range(width):
                means[c, k] += samples[t, k]
        rest[:] = 0.0
        for k in range(width):
            means[c, k] /= stop - start
        for t in range(start, stop):
            for k in range(width):
                rest[k] += samples[t, k] - means[c, k]
        for k in range(width):
            rest[k] /= stop - start
        for t in range(start, stop):
            for k in range(width):
                samples[t, k] = samples[t, k] - means[c, k] - rest[k]
                deviations[c, k] += samples[t, k] * samples[t, k]
        for k in range(width):
            norm = math.sqrt(deviations[c, k])
            rest[k] = 1.0 / norm if norm > 0.0 else 0.0
            deviations[c, k] = norm / math.sqrt(float(stop - start))
        for t in range(start, stop):
            for k in range(width):
                samples[t, k] *= rest[k]
    return means, deviations


@maker
def class_products(rows: Values, others: Values, starts: Counts) -> Values:
    """Return sums of products over the samples of every class: (class, feature of `rows`, feature of `others`).

    Samples are added one after the other, but four are fetched at a time.
    """
    size, width = index(rows.shape[1]), index(others.shape[1])
    found = np.zeros((len(starts) - 1, rows.shape[1], others.shape[1]))
    one, two, three, four = index(1), index(2), index(3), index(4)
    for c in range(len(starts) - 1):
        start, stop = index(starts[c]), index(starts[c + 1])
        whole = stop - (stop - start) % four
        for t in range(start, whole, four):
            for i in range(size):
                p, q, r, s = rows[t, i], rows[t + one, i], rows[t + two, i], rows[t + three, i]
                for k in range(width):
                    total = found[c, i, k] + p * others[t, k]
                    total = (total + q * others[t + one, k]) + r * others[t + two, k]
                    found[c, i, k] = total + s * others[t + three, k]
        for t in range(whole, stop):
            for i in range(size):
                p = rows[t, i]
                for k in range(width):
                    found[c, i, k] += p * others[t, k]
    return found


@maker
def class_lengths(rows: Values, starts: Counts) -> Values:
    """Return sums of squares over the samples of every class, one after the other: (class, feature)."""
    width = index(rows.shape[1])
    found = np.zeros((len(starts) - 1, rows.shape[1]))
    for c in range(len(starts) - 1):
        for t in range(index(starts[c]), index(starts[c + 1])):
            for k in range(width):
                found[c, k] += rows[t, k] * rows[t, k]
    return found


@maker
def pair_sums(table: Values, edges: Values, corners: Values, slots: Counts, adds: bool) -> Values:
    """Return the sum of all entries of a symmetric table with, or without, each candidate, in the order of features."""
    sums = np.zeros(len(slots))
    size = len(table) + (1 if adds else -1)
    for m in range(len(slots)):
        slot, total = slots[m], 0.0
        for i in range(size):
            if adds and i == slot:
                total += corners[m]
                for j in range(slot, size - 1):
                    total += 2.0 * edges[m, j]
                continue
            source = i - (adds and i > slot) + (not adds and i >= slot)
            total += table[source, source]
            for j in range(i + 1, size):
                if adds and j == slot:
                    total += 2.0 * edges[m, source]
                else:
                    total += 2.0 * table[source, j - (adds and j > slot) + (not adds and j >= slot)]
        sums[m] = total
    return sums
