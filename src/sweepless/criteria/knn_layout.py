"""Which sample is classified by which others."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sweepless._typing import Counts, Mask, Values
from sweepless.kernels.neighbors import count_correct_by_definition

# Up to this many folds each has columns of its own; beyond, all share one set of columns.
MOST_GROUPS = 8


@dataclass(frozen=True)
class Layout:
    """Which sample is classified by which others, in the order the kernels want."""

    row_sample: Counts
    row_class: Counts
    row_fold: Counts
    row_group: Counts
    col_sample: Counts  # per group: samples sorted by class, padded
    col_rank: Counts  # per group: which of equally near columns is nearer
    class_start: Counts  # per group: where each class begins
    allowed: Mask  # per row: which of its group's columns it may be classified by

    @staticmethod
    def cross_validation(codes: Counts, folds: Counts, n_folds: int, ties: str) -> Layout:
        own_columns = n_folds <= MOST_GROUPS
        groups = [folds != fold for fold in range(n_folds)] if own_columns else [np.ones(len(codes), np.bool_)]
        row_group = folds if own_columns else np.zeros_like(folds)
        samples = np.arange(len(codes))
        return Layout._build(codes, samples, codes, folds, row_group, groups, folds, ties)

    @staticmethod
    def holdout(train_codes: Counts, test_codes: Counts, ties: str) -> Layout:
        """Rows are the test samples, numbered after the training samples."""
        rows = len(train_codes) + np.arange(len(test_codes))
        zeros = np.zeros(len(rows), dtype=np.int64)
        folds = np.ones(len(train_codes), dtype=np.int64)
        everything = [np.ones(len(train_codes), np.bool_)]
        return Layout._build(train_codes, rows, test_codes, zeros, zeros, everything, folds, ties)

    @staticmethod
    def _build(
        codes: Counts,
        row_sample: Counts,
        row_class: Counts,
        row_fold: Counts,
        row_group: Counts,
        groups: list[Mask],
        col_fold: Counts,
        ties: str,
    ) -> Layout:
        n_classes = int(codes.max()) + 1
        n_columns = max(1, max(int(np.count_nonzero(group)) for group in groups))
        col_sample = np.zeros((len(groups), n_columns), dtype=np.int64)
        col_rank = np.zeros_like(col_sample)
        class_start = np.zeros((len(groups), n_classes + 1), dtype=np.int64)
        real = np.zeros(col_sample.shape, dtype=np.bool_)
        for g, group in enumerate(groups):
            samples = np.flatnonzero(group)
            samples = samples[np.argsort(codes[samples], kind="stable")]
            col_sample[g, : len(samples)] = samples
            col_rank[g, : len(samples)] = samples if ties == "index" else np.arange(len(samples))
            class_start[g] = np.searchsorted(codes[samples], np.arange(n_classes + 1))
            real[g, : len(samples)] = True
        allowed = real[row_group] & (col_fold[col_sample[row_group]] != row_fold[:, None])
        return Layout(row_sample, row_class, row_fold, row_group, col_sample, col_rank, class_start, allowed)

    def count_by_definition(self, columns: Values, n_neighbors: int, n_folds: int) -> Counts:
        return count_correct_by_definition(
            columns,
            self.row_sample,
            self.row_class,
            self.row_fold,
            self.row_group,
            self.allowed,
            self.col_sample,
            self.col_rank,
            self.class_start,
            n_neighbors,
            n_folds,
        )
