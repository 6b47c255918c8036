"""Cross-validated multinomial naive Bayes for a subset and its neighbors; `bayes.definition` explains the layout.

The definition: A starts with the log prior; every member, in ascending order, adds x log(N + alpha), where N is the
class's count of that feature in the training part. The score is A - L log(M + alpha d), where L is the sum of x and M
the sum of N over the d members. The first class with the greatest score wins.

Counts lie on a grid on which all their sums are exact, so N, M and L do not depend on the order of summing. Only A
does: the filter updates it incrementally, `bounds` holds the most by which two scores may be off, and closer scores
are left to the definition. The score of a sample without any of the words is its prior, exactly.

A call is close where the best two scores differ by less than rounding may add up to in any order of summing: its
outcome would depend on the order, not on the data.
"""

from __future__ import annotations

import math

import numpy as np

from sweepless._typing import AnyArray, Counts, Mask, Values
from sweepless.kernels._jit import index, inner, kernel, maker
from sweepless.kernels.bayes.definition import tally, winner

CLOSE = 2.0**-40  # of the magnitude of a score's parts
_BLOCK = 512  # samples whose scores stay in the first-level cache for all candidates


@maker
def count_words(columns: Values, cells: Counts, alpha: float, counts: Values, logs: Values) -> None:
    """Count every column (sorted samples) in each training part by class, and take log(N + alpha)."""
    n_folds, n_classes = cells.shape[0], cells.shape[1] - 1
    inside = np.empty((n_folds, n_classes))
    for m in range(len(columns)):
        for k in range(n_folds):
            for c in range(n_classes):
                total = 0.0
                for i in range(cells[k, c], cells[k, c + 1]):
                    total += columns[m, i]
                inside[k, c] = total
        for c in range(n_classes):
            total = 0.0
            for k in range(n_folds):
                total += inside[k, c]
            for k in range(counts.shape[1]):
                counts[m, k, c] = total - inside[k, c]
    log_table(counts, alpha, logs)


@maker
def count_weighted_words(
    columns: Values, cells: Counts, weights: Values, alpha: float, spacing: float, counts: Values, logs: Values
) -> None:
    """Count where samples have weights: N is summed in the order of the samples, and rounded for sums over features.

    The logarithm of N needs no grid, because no order of moves changes it.
    """
    n_folds, n_classes = cells.shape[0], cells.shape[1] - 1
    for m in range(len(columns)):
        for k in range(counts.shape[1]):
            for c in range(n_classes):
                total = 0.0
                for j in range(n_folds):
                    for i in range(cells[j, c], cells[j, c + 1] if j != k else cells[j, c]):
                        total += weights[i] * columns[m, i]
                counts[m, k, c] = total
    log_table(counts, alpha, logs)
    counts[:] = np.rint(counts / spacing) * spacing


@kernel
def log_table(masses: Values, smoothing: float, logs: Values) -> None:
    """Take log(mass + smoothing) everywhere."""
    for m in range(masses.shape[0]):
        for k in range(masses.shape[1]):
            for c in range(masses.shape[2]):
                logs[m, k, c] = math.log(masses[m, k, c] + smoothing)


@kernel
def add_words(scores: Values, sign: float, column: Values, logs: Values, cells: Counts) -> None:
    """Add (sign 1) or subtract (-1) one feature's terms to A."""
    for k in range(len(logs)):
        start, stop = cells[k, 0], cells[k, -1]
        values = column[start:stop]
        for c in range(len(scores)):
            line = scores[c, start:stop]
            weight = logs[k, c]
            for i in range(index(len(line))):
                line[i] += sign * (values[i] * weight)


@maker
def count_by_definition(
    columns: Values, logs: Values, closing: Values, priors: Values, cells: Counts
) -> tuple[Counts, bool]:
    """Count the correctly classified samples per fold, and tell whether a call was close.

    `closing` is log(M + alpha d) per fold and class.
    """
    has_close_call = False
    n_classes = priors.shape[1]
    scores = np.empty((n_classes, columns.shape[1]))
    lengths = np.zeros(columns.shape[1])
    for k in range(len(priors)):
        for c in range(n_classes):
            scores[c, cells[k, 0] : cells[k, n_classes]] = priors[k, c]
    for f in range(len(columns)):
        add_words(scores, 1.0, columns[f], logs[f], cells)
        lengths += columns[f]
    correct = np.zeros(len(priors), dtype=np.int64)
    for k in range(len(priors)):
        for own in range(n_classes):
            for i in range(cells[k, own], cells[k, own + 1]):
                for c in range(n_classes):
                    scores[c, i] -= lengths[i] * closing[k, c]
                correct[k] += winner(scores[:, i], priors[k]) == own
                has_close_call |= is_close(scores[:, i], lengths[i], closing[k], priors[k])
    return correct, has_close_call


@inner
def is_close(scores: Values, length: float, closing: Values, priors: Values) -> bool:
    """Tell whether the best two scores of one sample, of the given length, are nearly equal."""
    if length == 0.0:
        return False  # the scores are the priors themselves
    best, second, largest = -np.inf, -np.inf, 0.0
    for c in range(len(scores)):
        if priors[c] > -np.inf:
            largest = max(largest, abs(closing[c]))
            if scores[c] > best:
                best, second = scores[c], best
            else:
                second = max(second, scores[c])
    return best - second <= CLOSE * (1.0 + abs(best) + length * largest)


@maker
def count_correct(
    correct: Counts,
    has_close_call: Mask,
    scores: Values,
    lengths: Values,
    sign: float,
    slots: Counts,
    columns: Values,
    logs: Values,
    closing: Values,
    bounds: Values,
    members: Values,
    member_logs: Values,
    priors: Values,
    cells: Counts,
) -> None:
    """Count the correctly classified samples per candidate and fold; `slots` are places among the members."""
    n_classes = priors.shape[1]
    own_score = np.empty(_BLOCK)
    other_score = np.empty(_BLOCK)
    settled = np.empty(n_classes)
    for k in range(len(priors)):
        prior_winner = winner(priors[k], priors[k])
        for own in range(n_classes):
            if priors[k, own] == -np.inf:
                continue  # a class never trained on is never right
            for start in range(cells[k, own], cells[k, own + 1], _BLOCK):
                stop = min(start + _BLOCK, cells[k, own + 1])
                mine = own_score[: stop - start]
                others = other_score[: stop - start]
                length = lengths[start:stop]
                for m in range(len(columns)):
                    bound = bounds[m, k]
                    values = columns[m, start:stop]
                    others[:] = -np.inf
                    for c in range(n_classes):
                        if priors[k, c] == -np.inf:
                            continue
                        weight, close = logs[m, k, c], closing[m, k, c]
                        line = scores[c, start:stop]
                        if c == own:
                            for i in range(index(len(values))):
                                signed = sign * values[i]
                                mine[i] = (line[i] + signed * weight) - (length[i] + signed) * close
                        else:
                            for i in range(index(len(values))):
                                signed = sign * values[i]
                                score = (line[i] + signed * weight) - (length[i] + signed) * close
                                others[i] = score if score > others[i] else others[i]
                    n_right, n_open = tally(mine, others, bound)
                    correct[m, k] += n_right
                    if n_open == 0:
                        continue
                    for i in range(len(values)):
                        lead = mine[i] - others[i]
                        if lead > bound or lead < -bound:
                            continue
                        total = length[i] + sign * values[i]
                        if total == 0.0:
                            correct[m, k] += prior_winner == own
                            continue
                        _settle(
                            settled, start + i, k, sign, slots[m], values[i], total,
                            logs[m, k], closing[m, k], members, member_logs, priors,
                        )  # fmt: skip
                        correct[m, k] += winner(settled, priors[k]) == own
                        has_close_call[m] |= is_close(settled, total, closing[m, k], priors[k])


@inner
def _settle(
    scores: Values,
    sample: int,
    fold: int,
    sign: float,
    slot: int,
    value: float,
    length: float,
    weights: Values,
    closing: Values,
    members: Values,
    logs: AnyArray,
    priors: Values,
) -> None:
    """Score one sample by the definition: in ascending feature order, with the candidate in its place or without it."""
    for c in range(len(scores)):
        total = priors[fold, c]
        for f in range(len(members) + 1):
            if f == slot and sign > 0.0:
                total += value * weights[c]
            if f < len(members) and not (f == slot and sign < 0.0):
                total += members[f, sample] * logs[f, fold, c]
        scores[c] = total - length * closing[c]
