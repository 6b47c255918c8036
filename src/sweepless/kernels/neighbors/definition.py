"""k-NN by the definition, and what the faster computations share with it.

The frame: every row is a sample to classify; the columns of its group are the samples that may classify it, sorted
by class, so that a class is a range of columns. A column may classify a row if their folds differ; columns that
only pad a group have fold -1.

The definition (semantics: distances of k-NN): squared (for Manhattan, absolute) differences are summed in double
over ascending features, and the root is taken (for Manhattan, none). The nearest come first, equally distant ones by
rank; the k nearest vote, and equal votes go to the lowest class.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from sweepless._typing import AnyArray, Counts, Values
from sweepless.kernels._jit import index, inner, integer, maker

# The error of one float32 term added to a base of value v is at most E(v) = SLOPE * v + OFFSET * span, where span is
# the candidate's largest term. That is twice the sum of all roundings, each at most 2**-24: of the cast of the centered
# column, the difference, the square and the sum.
SLOPE = 4.0 * 2.0**-24
OFFSET = 16.0 * 2.0**-24
INF32 = np.int32(0x7F800000)
CELLS = 1 << 17  # distances brought up to date at a time


class Frame(NamedTuple):
    """Which samples are classified, and by which others."""

    row_sample: Counts
    row_class: Counts
    row_fold: Counts  # what a column's fold must not be
    row_account: Counts  # where a correct row is counted
    row_group: Counts
    col_sample: Counts  # per group
    col_class: Counts  # per group
    col_fold: Counts  # per group
    col_order: Counts  # per group: the columns by rank, which decides between equally near ones
    col_rank: Counts  # per group: the places of the columns in this order
    class_start: Counts  # per group: where each class begins, and where the last ends


def shares_columns(frame: Frame) -> bool:
    """Tell whether folds share columns, so that some may not classify all rows of their group."""
    return bool(np.any(frame.col_fold[frame.row_group[0]] == frame.row_fold[0]))


@inner
def term(difference: float, manhattan: bool) -> float:
    """Return the contribution of one feature to a distance."""
    return abs(difference) if manhattan else difference * difference


@inner
def add_terms(total: AnyArray, here: Any, there: AnyArray, sign: Any, manhattan: bool) -> None:
    """Add (sign 1) or subtract (-1) the terms of one feature.

    The sums change in place: two arrays that might overlap would keep the loop from being vectorized.
    """
    for j in range(index(len(there))):
        total[j] += sign * term(here - there[j], manhattan)


@maker
def count_correct_by_definition(
    frame: Frame, columns: Values, n_neighbors: int, n_accounts: int, manhattan: bool, gains: Counts | None
) -> Counts:
    """Count the correctly classified rows, or the points that `gains` gives, for the subset with these columns."""
    n_columns = frame.col_sample.shape[1]
    correct = np.zeros(n_accounts, dtype=np.int64)
    total = np.empty(n_columns)
    votes = np.zeros(frame.class_start.shape[1] - 1, dtype=np.int64)
    best = np.empty(n_neighbors + 1)
    best_column = np.empty(n_neighbors + 1, dtype=np.int64)
    gathered = np.empty((frame.col_sample.shape[0], len(columns), n_columns))
    for g in range(frame.col_sample.shape[0]):
        for k in range(len(columns)):
            for j in range(index(n_columns)):
                gathered[g, k, j] = columns[k, frame.col_sample[g, j]]
    for r in range(len(frame.row_sample)):
        group = frame.row_group[r]
        for j in range(n_columns):
            total[j] = 0.0
        for k in range(len(columns)):
            add_terms(total, columns[k, frame.row_sample[r]], gathered[group, k], 1.0, manhattan)
        n_found = integer(0)
        for j in frame.col_order[group]:
            fold = frame.col_fold[group, j]
            if fold < 0 or fold == frame.row_fold[r]:
                continue
            # A distance can only be among the nearest if its square is not greater than that of the farthest of them.
            if n_found < n_neighbors or total[j] <= best[n_neighbors]:
                n_found = insert(best, best_column, n_found, n_neighbors, rooted(total[j], manhattan), j)
                if n_found == n_neighbors:
                    worst = best[n_neighbors - 1]
                    best[n_neighbors] = worst if manhattan else worst * worst * (1.0 + 1e-14) + 1e-300
        winner = vote(best_column, n_found, frame.col_class[group], votes)
        correct[frame.row_account[r]] += points(winner, frame.row_class[r], votes, gains)
    return correct


def ballot_for(frame: Frame, n_neighbors: int, gains: Counts | None) -> Counts | None:
    """Return room to count votes; None if it is enough to know whether the class of one neighbor is the row's own."""
    if n_neighbors == 1 and gains is None:
        return None
    return np.zeros(frame.class_start.shape[1] - 1, dtype=np.int64)


@inner
def summed(columns: Values, here: int, there: int, manhattan: bool) -> float:
    """Return the sum of the terms between two samples, given one feature per row."""
    total = 0.0
    for k in range(len(columns)):
        total += term(columns[k, here] - columns[k, there], manhattan)
    return total


@inner
def rooted(total: float, manhattan: bool) -> float:
    """Return the distance that a sum of terms stands for."""
    return total if manhattan else math.sqrt(total)


@inner
def insert(best: Values, best_column: Counts, n_found: int, limit: int, value: float, column: int) -> int:
    """Insert into the `limit` least values, behind equal ones; return how many there are now."""
    place = n_found
    if n_found == limit:
        if value >= best[limit - 1]:
            return n_found
        place -= 1
    while place > 0 and best[place - 1] > value:
        best[place] = best[place - 1]
        best_column[place] = best_column[place - 1]
        place -= 1
    best[place] = value
    best_column[place] = column
    return n_found + 1 if n_found < limit else limit


@inner
def vote(best_column: Counts, n_found: int, col_class: Counts, votes: Counts | None) -> Any:
    """Return the most frequent class among the found columns, ties to the lowest; -1 if none was found.

    `votes` is working space; the class of one neighbor needs none.
    """
    if n_found == 0:
        return -1
    if votes is None:
        return col_class[best_column[0]]
    for c in range(len(votes)):
        votes[c] = 0
    for k in range(n_found):
        votes[col_class[best_column[k]]] += 1
    winner = 0
    for c in range(1, len(votes)):
        if votes[c] > votes[winner]:
            winner = c
    return winner


@inner
def points(winner: int, own: int, votes: Any, gains: Any) -> Any:
    """Return what a row is worth: one if its class wins, or what the votes for its class and for each class gain.

    The first row of `gains` is for its class; another one is for all classes, or one more for each, where every vote
    gains the same. If there is none, the number of the winner is what counts, or 0.
    """
    if gains is None:
        return integer(winner == own)
    if len(gains) == 0:
        return integer(max(winner, 0))
    gained = gains[0, votes[own] if 0 <= own < len(votes) else 0]  # a class of new samples may be an unknown one
    for c in range(len(votes)):
        gained += gains[1 + c if len(gains) > 2 else 1, votes[c]]
    return gained
