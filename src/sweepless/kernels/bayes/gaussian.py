"""Cross-validated Gaussian naive Bayes for the neighbors of a subset; `bayes.definition` defines the values.

The filter adds one term to incremental scores, or subtracts it. The terms are the same doubles as in the definition, so
only the sums differ. `bounds` holds the most by which two scores may differ; closer scores are left to the definition.
"""

from __future__ import annotations

import numpy as np

from sweepless._typing import AnyArray, Counts, Mask, Values
from sweepless.kernels._jit import index, inner, inner_maker, maker
from sweepless.kernels.bayes.definition import add_terms, tally, winner
from sweepless.kernels.bayes.moments import closest_call, is_close, largest_term, tabulate

_BLOCK = 512  # samples whose scores stay in the first-level cache for all candidates


@maker
def count_correct(
    correct: Counts,
    has_close_call: Mask,
    scores: Values,
    sign: float,
    slots: Counts,
    epsilon: Values,
    columns: Values,
    extents: Values,
    means: Values,
    variances: Values,
    heights: Values,
    slopes: Values,
    bounds: Values,
    kept: tuple[AnyArray, ...],
    priors: Values,
    cells: Counts,
    prior: float,
) -> None:
    """Count the correctly classified samples per candidate and fold, and mark candidates with a close call.

    `kept` describes the members: columns, means, variances, heights, slopes, extents. `slots` are the places of the
    candidates among them. An infinite bound leaves the whole fold to the definition, which marks candidates that
    change `epsilon`. Calls are only found close within `bounds`.
    """
    n_classes = priors.shape[1]
    members = kept[0]
    own_score = np.empty(_BLOCK)
    other_score = np.empty(_BLOCK)
    settled = np.empty(n_classes)
    for m in range(len(columns)):
        for k in range(len(priors)):
            if not bounds[m, k] < np.inf:
                correct[m, k], is_near = _count_fold(
                    k, sign, slots[m], epsilon[m, k], columns[m], extents[m], means[m, k], variances[m, k],
                    kept, priors, cells, prior,
                )  # fmt: skip
                has_close_call[m] |= is_near
    closest = np.empty(len(columns))  # in the fold at hand, where it was needed
    for k in range(len(priors)):
        closest[:] = -1.0
        for own in range(n_classes):
            if priors[k, own] == -np.inf:
                continue  # a class never trained on is never right
            for start in range(cells[k, own], cells[k, own + 1], _BLOCK):
                stop = min(start + _BLOCK, cells[k, own + 1])
                mine = own_score[: stop - start]
                others = other_score[: stop - start]
                for m in range(len(columns)):
                    bound = bounds[m, k]
                    if not bound < np.inf:
                        continue
                    values = columns[m, start:stop]
                    others[:] = -np.inf
                    for c in range(n_classes):
                        if priors[k, c] == -np.inf:
                            continue
                        mean, height, slope = means[m, k, c], heights[m, k, c], slopes[m, k, c]
                        line = scores[c, start:stop]
                        if c == own:
                            for i in range(index(len(values))):
                                apart = values[i] - mean
                                mine[i] = line[i] + sign * (height - slope * (apart * apart))
                        else:
                            for i in range(index(len(values))):
                                apart = values[i] - mean
                                score = line[i] + sign * (height - slope * (apart * apart))
                                others[i] = score if score > others[i] else others[i]
                    n_right, n_open = tally(mine, others, bound)
                    correct[m, k] += n_right
                    if n_open == 0:
                        continue
                    for i in range(len(values)):
                        lead = mine[i] - others[i]
                        if not (lead > bound or lead < -bound):
                            _settle(
                                settled, start + i, k, sign, slots[m], values[i],
                                means[m, k], heights[m, k], slopes[m, k], members, kept[1], kept[3], kept[4], priors,
                            )  # fmt: skip
                            correct[m, k] += winner(settled, priors[k]) == own
                            if closest[m] < 0.0:
                                closest[m] = _closest_call(
                                    k, sign, slots[m], extents[m], means[m, k], heights[m, k], slopes[m, k],
                                    kept, priors, columns.shape[1], prior,
                                )  # fmt: skip
                            has_close_call[m] |= is_close(settled, own, priors[k], closest[m])


@inner
def _settle(
    scores: Values,
    sample: int,
    fold: int,
    sign: float,
    slot: int,
    value: float,
    mean: Values,
    height: Values,
    slope: Values,
    members: Values,
    means: Values,
    heights: Values,
    slopes: Values,
    priors: Values,
) -> None:
    """Score one sample by the definition: in ascending feature order, with the candidate in its place or without it."""
    for c in range(len(scores)):
        total = priors[fold, c]
        for f in range(len(members) + 1):
            if f == slot and sign > 0.0:
                apart = value - mean[c]
                total += height[c] - slope[c] * (apart * apart)
            if f < len(members) and not (f == slot and sign < 0.0):
                apart = members[f, sample] - means[f, fold, c]
                total += heights[f, fold, c] - slopes[f, fold, c] * (apart * apart)
        scores[c] = total


@inner
def _closest_call(
    fold: int,
    sign: float,
    slot: int,
    extent: Values,
    mean: Values,
    height: Values,
    slope: Values,
    kept: tuple[AnyArray, ...],
    priors: Values,
    n_samples: int,
    prior: float,
) -> float:
    """Return how near two scores of one fold are in a close call, with the candidate in its place or without it."""
    means, heights, slopes, extents = kept[1], kept[3], kept[4], kept[5]
    doubts = terms = 0.0
    for f in range(len(means) + 1):
        if f == slot and sign > 0.0:
            term, doubt = largest_term(extent, mean, height, slope, priors[fold], n_samples)
            terms += term
            doubts += doubt
        if f < len(means) and not (f == slot and sign < 0.0):
            term, doubt = largest_term(
                extents[f], means[f, fold], heights[f, fold], slopes[f, fold], priors[fold], n_samples
            )
            terms += term
            doubts += doubt
    return closest_call(doubts, terms, prior, len(means) + (1 if sign > 0.0 else -1))


@inner_maker
def _count_fold(
    fold: int,
    sign: float,
    slot: int,
    epsilon: float,
    column: Values,
    extent: Values,
    mean: Values,
    variance: Values,
    kept: tuple[AnyArray, ...],
    priors: Values,
    cells: Counts,
    prior: float,
) -> tuple[int, bool]:
    """Count one fold by the definition where the candidate changes epsilon, and with it every term.

    Also tell whether a call was close.
    """
    members, means, variances = kept[0], kept[1], kept[2]
    n_classes = priors.shape[1]
    start, stop = cells[fold, 0], cells[fold, n_classes]
    scores = np.empty((n_classes, stop - start))
    for c in range(n_classes):
        scores[c] = priors[fold, c]
    shift = np.full((1, 1), epsilon)
    height = np.empty((1, 1, n_classes))
    slope = np.empty((1, 1, n_classes))
    doubts = terms = 0.0
    for f in range(len(members) + 1):
        if f == slot and sign > 0.0:
            tabulate(variance.reshape(1, 1, n_classes), shift, height, slope)
            add_terms(scores, 1.0, column[start:stop], mean, height[0, 0], slope[0, 0], 0, stop - start)
            term, doubt = largest_term(extent, mean, height[0, 0], slope[0, 0], priors[fold], len(column))
            terms += term
            doubts += doubt
        if f < len(members) and not (f == slot and sign < 0.0):
            tabulate(variances[f, fold].copy().reshape(1, 1, n_classes), shift, height, slope)
            add_terms(scores, 1.0, members[f, start:stop], means[f, fold], height[0, 0], slope[0, 0], 0, stop - start)
            term, doubt = largest_term(kept[5][f], means[f, fold], height[0, 0], slope[0, 0], priors[fold], len(column))
            terms += term
            doubts += doubt
    close = closest_call(doubts, terms, prior, len(members) + (1 if sign > 0.0 else -1))
    has_close_call = False
    n_right = 0
    for own in range(n_classes):
        for i in range(cells[fold, own] - start, cells[fold, own + 1] - start):
            n_right += winner(scores[:, i], priors[fold]) == own
            has_close_call |= is_close(scores[:, i], own, priors[fold], close)
    return n_right, has_close_call
