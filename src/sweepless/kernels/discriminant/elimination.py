"""Scores of held-out samples by normal models, for all neighbors of a subset, by the operations of a single one.

A covariance A = U'U is eliminated row by row, in ascending order of features, together with columns on its right, which
become U'⁻¹ times themselves: whitened. What precedes a candidate's place is the same for all candidates at that place,
so these are taken in ascending order and only rows from the place on are eliminated anew. Each entry sees the same
operations in the same order as if the subset had been eliminated from scratch.

The columns on the right are, in this order: one per feature and one for the candidate, which hold the identity and
give the inverse of A; some of zeros, which make rows as long as vectors want them; one per held-out sample; one per
class center, for linear scores. The products of the first ones with the centers are the weights of the features, so a
linear score needs no column per sample. They begin where a vector does, after columns that nobody looks at.
"""

from __future__ import annotations

import math

from sweepless._typing import Counts, Values
from sweepless.kernels._jit import index, inner, kernel
from sweepless.kernels.elementary import log_of

WIDTH = 8  # doubles in a vector: one that begins elsewhere than at a multiple takes two fetches


@kernel
def score_neighbors(
    matrices: Values,
    right: Values,
    units: Values,
    scales: Values,
    edges: Values,
    corners: Values,
    edge_right: Values,
    edge_units: Values,
    edge_scales: Values,
    slots: Counts,
    adds: bool,
    weighs: bool,
    priors: Values,
    scores: Values,
    inverses: Values,
    centers: Values,
    work: tuple[Values, Values, Values, Values],
) -> None:
    """Fill in what the models with, or without, each candidate say about the held-out samples, or by which weights.

    There is one model, to whose centers all classes belong, or one model for each class.

    Parameters
    ----------
    matrices : array of shape (model, 1 or candidate, member, member)
        The covariance of the members; one for each candidate if it changes what is between members.
    right : array of shape (model, member, column)
    units : array of shape (model, member)
        The units of the covariance, which its determinant depends on.
    scales : array of shape (model, member)
        The units of the covariance in those in which the inverse is wanted.
    edges, corners, edge_right, edge_units, edge_scales : array of shape (model, candidate, …)
        The candidates' covariances with the members, their variances, columns on the right, units and scales.
    slots : array of int
        The candidates' places among the members, ascending.
    weighs : bool
        Whether weights of features are wanted, and there are no columns of samples.
    priors : array
        The probabilities of the classes.
    scores : array of shape (candidate, class, sample)
        Is filled with log posteriors but for a term that all classes of a sample share; or with weights: (candidate,
        class, feature), the candidate's after the members'.
    inverses : array of shape (2, model, candidate)
        Is filled with the greatest diagonal entry of the inverse, as it is wanted and in the units of the covariance.
    centers : array of shape (candidate, feature, class)
        Is filled with the whitened centers.
    work : tuple of arrays
        Room for a matrix with its columns on the right, for one with a row more, and twice for sums of every class and
        for squares.
    """
    size, n_centers, n_tested = right.shape[1], centers.shape[2], 0 if weighs else scores.shape[2]
    state, new, sums, squares = work
    tested = right.shape[2] - n_centers - n_tested
    first, n_squares = index(state.shape[1] - right.shape[2]), index(tested + (0 if n_centers else n_tested))
    level, level_log = index(0), 0.0
    for g in range(len(right)):
        for m in range(len(slots)):
            slot = index(slots[m])
            if m == 0 or matrices.shape[1] > 1:
                _load(matrices[g, m if matrices.shape[1] > 1 else 0], right[g], state)
                _copy(squares, sums, -1)
                level, level_log = index(0), 0.0
            while level < slot:
                level_log += log_of(_settle(state, level) * units[g, level])
                _account(state, level, first, n_squares, squares[0], sums[0], n_centers)
                level += index(1)
            _copy(squares, sums, 0)
            row, half_log = slot, level_log
            if adds:
                pivot = _enter(state, edges[g, m], corners[g, m], edge_right[g, m], slot, new)
                half_log += log_of(pivot * edge_units[g, m])
                _account(new, row, first, n_squares, squares[1], sums[1], n_centers)
                row += index(1)
            for i in range(slot + (index(0) if adds else index(1)), index(size)):
                half_log += log_of(_follow(state, i, new, slot, row) * units[g, i])
                _account(new, row, first, n_squares, squares[1], sums[1], n_centers)
                row += index(1)
            wanted, own = 0.0, 0.0
            for j in range(size + 1):
                square, scale = squares[1, j], scales[g, j] if j < size else edge_scales[g, m] if adds else 1.0
                wanted = wanted if wanted >= square / (scale * scale) else square / (scale * scale)
                own = own if own >= square else square
            inverses[0, g, m], inverses[1, g, m] = wanted, own
            if n_centers:
                _finish_linear(scores[m], sums[1], centers[m], state, new, slot, weighs, priors)
            else:
                offset = log_of(priors[g]) - half_log
                for t in range(n_tested):
                    scores[m, g, t] = offset - 0.5 * squares[1, tested + t]


@inner
def _copy(squares: Values, sums: Values, source: int) -> None:
    """Put the first row of squares and of sums in place of the second, or zeros in place of the first."""
    for j in range(squares.shape[1]):
        squares[source + 1, j] = squares[0, j] if source == 0 else 0.0
    for c in range(sums.shape[1]):
        for t in range(sums.shape[2]):
            sums[source + 1, c, t] = sums[0, c, t] if source == 0 else 0.0


@inner
def _load(matrix: Values, right: Values, state: Values) -> None:
    """Put the matrix and the columns on its right side by side."""
    size, first = len(matrix), state.shape[1] - right.shape[1]
    for i in range(size):
        for j in range(i, size):
            state[i, j] = matrix[i, j]
        for j in range(right.shape[1]):
            state[i, first + j] = right[i, j]


@inner
def _settle(state: Values, level: int) -> float:
    """Divide a row by the root of its pivot, eliminate it from the rows below, and return that root.

    The inverse of the root replaces the pivot.
    """
    size, width = index(len(state)), index(state.shape[1])
    pivot = math.sqrt(state[level, level])
    scale = 1.0 / pivot
    state[level, level] = scale
    for j in range(level + index(1), width):
        state[level, j] *= scale
    for i in range(level + index(1), size):
        factor = state[level, i]
        for j in range(i, width):
            state[i, j] -= factor * state[level, j]
    return pivot


@inner
def _enter(state: Values, edge: Values, corner: float, right: Values, slot: int, new: Values) -> float:
    """Eliminate the rows before a candidate from its row, put it into `new`, and return the root of its pivot.

    Its covariances come first and leave the factors of the rows, of which then four are fetched at a time.
    """
    size, width, n_first = index(len(state)), index(state.shape[1]), slot % index(4)
    first, row = width - index(len(right)), new[slot]
    for j in range(size):
        row[j] = edge[j]
    for k in range(slot):
        row[k] *= state[k, k]
        corner -= row[k] * row[k]
        for j in range(k + index(1), size):
            row[j] -= row[k] * state[k, j]
    for j in range(first, width):
        row[j] = right[j - first]
    for k in range(n_first):
        for j in range(first, width):
            row[j] -= row[k] * state[k, j]
    for k in range(n_first, slot, index(4)):
        two, three, four = k + index(1), k + index(2), k + index(3)
        p, q, r, s = row[k], row[two], row[three], row[four]
        for j in range(first, width):
            rest = (row[j] - p * state[k, j]) - q * state[two, j]
            row[j] = (rest - r * state[three, j]) - s * state[four, j]
    pivot = math.sqrt(corner)
    scale = 1.0 / pivot
    for j in range(slot, width):
        row[j] *= scale
    return pivot


@inner
def _follow(state: Values, source: int, new: Values, start: int, row: int) -> float:
    """Eliminate the new rows from the row of a later member, put it after them, and return the root of its pivot.

    Rows are subtracted one after the other, but four are fetched at a time, after those that are left over. What is
    left of the pivot is computed for the sake of vectors, and nobody looks at it.
    """
    width, n_first, begin = index(state.shape[1]), (row - start) % index(4), source - source % index(WIDTH)
    one, two, three = start, start + index(1), start + index(2)
    if n_first == 0:
        for j in range(begin, width):
            new[row, j] = state[source, j]
    elif n_first == 1:
        p = new[one, source]
        for j in range(begin, width):
            new[row, j] = state[source, j] - p * new[one, j]
    elif n_first == 2:
        p, q = new[one, source], new[two, source]
        for j in range(begin, width):
            new[row, j] = (state[source, j] - p * new[one, j]) - q * new[two, j]
    else:
        p, q, r = new[one, source], new[two, source], new[three, source]
        for j in range(begin, width):
            new[row, j] = ((state[source, j] - p * new[one, j]) - q * new[two, j]) - r * new[three, j]
    for k in range(start + n_first, row, index(4)):
        two, three, four = k + index(1), k + index(2), k + index(3)
        p, q, r, s = new[k, source], new[two, source], new[three, source], new[four, source]
        for j in range(begin, width):
            rest = (new[row, j] - p * new[k, j]) - q * new[two, j]
            new[row, j] = (rest - r * new[three, j]) - s * new[four, j]
    pivot = math.sqrt(new[row, source])
    scale = 1.0 / pivot
    for j in range(begin, width):
        new[row, j] *= scale
    return pivot


@inner
def _account(rows: Values, row: int, first: int, n_squares: int, squares: Values, sums: Values, n_centers: int) -> None:
    """Add what one whitened row contributes to squared lengths and to products with the centers."""
    for j in range(n_squares):
        squares[j] += rows[row, first + j] * rows[row, first + j]
    n_tested = index(sums.shape[1])
    tested = first + index(len(squares)) - n_tested
    for c in range(index(n_centers)):
        center = rows[row, tested + n_tested + c]
        for t in range(n_tested):
            sums[c, t] += center * rows[row, tested + t]


@inner
def _finish_linear(
    scores: Values, sums: Values, centers: Values, state: Values, new: Values, slot: int, weighs: bool, priors: Values
) -> None:
    """Turn products of samples and centers into scores, unless they are weights, and keep the centers."""
    place = state.shape[1] - centers.shape[1]
    for c in range(len(sums)):
        length = 0.0
        for k in range(len(centers)):
            centers[k, c] = state[k, place + c] if k < slot else new[k, place + c]
            length += centers[k, c] * centers[k, c]
        offset = 0.0 if weighs else log_of(priors[c]) - 0.5 * length
        for t in range(sums.shape[1]):
            scores[c, t] = sums[c, t] + offset
