"""Which samples are classified by which others, laid out as the kernels need it."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np

from sweepless._typing import Counts, Features, Mask
from sweepless.criteria.folds import Folds, Split, assigned_folds
from sweepless.errors import DataError
from sweepless.kernels._lanes import WIDTH
from sweepless.kernels.neighbors.definition import Frame

# Up to this many folds, each fold has its own columns; more folds share one set of columns.
MOST_GROUPS = 8


Apart: TypeAlias = list[Split]
"""Splits of different samples: each has columns and an account of its own."""


def layout(
    folds: Folds | Apart, codes: Counts, strata: Counts, ties: str, n_neighbors: int, name: str
) -> tuple[Frame, int]:
    """Lay out the folds, or some splits, and return the number of accounts too; leave-one-out has one account."""
    if isinstance(folds, Split):
        folds = [folds]
    if isinstance(folds, list):
        _require_neighbors(n_neighbors, min(len(split.train) for split in folds), name)
        tested = np.array([split.tested(len(codes), name) for split in folds])
        numbers, rows = np.nonzero(tested == 0)
        zeros, folds_of = np.zeros_like(rows), np.ones_like(codes)
        return _frame(codes, rows, codes[rows], zeros, numbers, numbers, list(tested == 1), folds_of, ties), len(folds)
    if folds == "loo":
        numbers, accounts = np.arange(len(codes)), np.zeros(len(codes), dtype=np.int64)
    else:
        numbers = accounts = assigned_folds(folds, strata, name)
    _require_neighbors(n_neighbors, len(codes) - int(np.bincount(numbers).max()), name)
    n_accounts = folds if isinstance(folds, int) else int(accounts.max()) + 1
    return _cross_validation(codes, numbers, accounts, ties), n_accounts


def _cross_validation(codes: Counts, folds: Counts, accounts: Counts, ties: str) -> Frame:
    """Lay out cross-validation: a sample is classified by those of other folds, and counted on its account."""
    n_folds = int(folds.max()) + 1
    own_columns = n_folds <= MOST_GROUPS
    groups = [folds != fold for fold in range(n_folds)] if own_columns else [np.ones(len(codes), np.bool_)]
    row_group = folds if own_columns else np.zeros_like(folds)
    return _frame(codes, np.arange(len(codes)), codes, folds, accounts, row_group, groups, folds, ties)


def holdout(train_codes: Counts, test_codes: Counts, ties: str) -> Frame:
    """Lay out a holdout: rows are the test samples, numbered after the training samples."""
    rows = len(train_codes) + np.arange(len(test_codes))
    zeros = np.zeros(len(rows), dtype=np.int64)
    folds = np.ones(len(train_codes), dtype=np.int64)
    everything = [np.ones(len(train_codes), np.bool_)]
    return _frame(train_codes, rows, test_codes, zeros, zeros, zeros, everything, folds, ties)


def _require_neighbors(n_neighbors: int, smallest: int, name: str) -> None:
    """Raise unless every training part has that many samples."""
    if n_neighbors > smallest:
        raise DataError(
            f"`n_neighbors` must be at most {smallest}, the smallest training part of {name}, got {n_neighbors}."
        )


def by_rank(codes: Counts, ties: str) -> Features:
    """Return all samples, those that win ties first: by class, then by row, or by row alone."""
    return np.argsort(codes, kind="stable") if ties == "class" else np.arange(len(codes))


def _frame(
    codes: Counts,
    row_sample: Counts,
    row_class: Counts,
    row_fold: Counts,
    row_account: Counts,
    row_group: Counts,
    groups: list[Mask],
    folds: Counts,
    ties: str,
) -> Frame:
    n_classes = int(codes.max()) + 1
    n_columns = -(-max(1, max(int(np.count_nonzero(group)) for group in groups)) // WIDTH) * WIDTH  # whole vectors
    col_sample = np.zeros((len(groups), n_columns), dtype=np.int64)
    col_class = np.zeros_like(col_sample)
    col_order = np.zeros_like(col_sample)
    col_fold = np.full_like(col_sample, -1)
    class_start = np.zeros((len(groups), n_classes + 1), dtype=np.int64)
    rank = np.empty(len(codes), dtype=np.int64)
    rank[by_rank(codes, ties)] = np.arange(len(codes))
    for g, group in enumerate(groups):
        samples = np.flatnonzero(group)
        samples = samples[np.argsort(codes[samples], kind="stable")]
        col_sample[g, : len(samples)] = samples
        col_class[g, : len(samples)] = codes[samples]
        col_order[g] = np.append(np.argsort(rank[samples]), np.arange(len(samples), n_columns))  # padding comes last
        col_fold[g, : len(samples)] = folds[samples]
        class_start[g] = np.searchsorted(codes[samples], np.arange(n_classes + 1))
    rows, col_rank = (row_sample, row_class, row_fold, row_account, row_group), np.argsort(col_order, axis=1)
    return Frame(*rows, col_sample, col_class, col_fold, col_order, col_rank, class_start)
