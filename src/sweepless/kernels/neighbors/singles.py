"""1-NN on a single feature: one sort finds the nearest neighbors of all samples."""

from __future__ import annotations

import numpy as np

from sweepless._typing import Counts, Features, Mask, Values
from sweepless.kernels.neighbors.definition import Frame

_BLOCK = 1 << 15  # values that share the second-level cache with their places


def count_correct_alone(frame: Frame, by_rank: Features, columns: Values, correct: Counts) -> Mask:
    """Count the correctly classified rows for each feature by itself; return for which features the count is proved.

    `by_rank` lists all samples, those that win ties first. Every column of a group must be allowed to classify all of
    its rows, which holds where each fold has a group of its own.

    In either metric a distance is the difference itself, since the root of a square is the number itself, and
    different values on one side have different distances. Only if values are nearly equal, tiny or huge may the
    rounding of differences and squares change this; then nothing is proved.
    """
    is_proved = np.empty(len(columns), dtype=np.bool_)
    height = max(1, _BLOCK // len(by_rank))
    for first in range(0, len(columns), height):
        part = slice(first, first + height)
        with np.errstate(over="ignore"):  # huge values, for which nothing is proved
            is_proved[part] = _count_block(frame, by_rank, columns[part], correct[part])
    return is_proved


def _count_block(frame: Frame, by_rank: Features, columns: Values, correct: Counts) -> Mask:
    # Samples are sorted by value, then by rank. Places number the samples of all features in one sequence. Behind the
    # last sample of each feature comes an infinitely distant one, which stands for none; as place -1 is the last of
    # the sequence, there is one before the first feature, too.
    n_features, n_samples = len(columns), len(by_rank)
    ranks, values = np.full((2, n_features, n_samples + 1), np.inf)
    ranks[:, :-1] = np.argsort(columns[:, by_rank], axis=1, kind="stable")
    samples = by_rank[ranks[:, :-1].astype(np.intp)]
    values[:, :-1] = np.take_along_axis(columns, samples, axis=1)
    places = np.arange(values.size).reshape(values.shape)
    gaps = np.diff(values[:, :-1], axis=1)
    is_first = np.ones(values.shape, dtype=np.bool_)
    is_first[:, 1:-1] = gaps > 0.0
    starts = np.maximum.accumulate(np.where(is_first, places, 0), axis=1)  # where each value begins
    place_of = np.empty_like(samples)
    np.put_along_axis(place_of, samples, places[:, :-1], axis=1)

    for group, class_start in enumerate(frame.class_start):
        rows = np.flatnonzero(frame.row_group == group)
        if len(rows) == 0:
            continue
        train_class = np.full(n_samples, -1)
        train_class[frame.col_sample[group, : class_start[-1]]] = frame.col_class[group, : class_start[-1]]
        classes = np.full(values.shape, -1)
        classes[:, :-1] = train_class[samples]
        is_train = classes >= 0
        is_train[:, -1] = True
        below = np.maximum.accumulate(np.where(is_train, places, places[:, :1] - 1), axis=1)
        above = np.minimum.accumulate(np.where(is_train, places, values.size)[:, ::-1], axis=1)[:, ::-1]

        here = place_of[:, frame.row_sample[rows]]
        start = starts.take(here)
        right = above.take(start)
        left = above.take(starts.take(below.take(start - 1)))  # the first of its value, which wins ties
        value = values.take(here)
        far_left, far_right = np.abs(value - values.take(left)), np.abs(value - values.take(right))
        is_tied = (far_left == far_right) & (ranks.take(left) < ranks.take(right))
        nearest = np.where((far_left < far_right) | is_tied, left, right)
        is_correct = classes.take(nearest) == frame.row_class[rows]
        correct[:, frame.row_account[rows[0]]] += np.count_nonzero(is_correct, axis=1)

    least = np.where(gaps > 0.0, gaps, np.inf).min(axis=1, initial=np.inf)
    greatest = np.abs(columns).max(axis=1)
    return np.asarray((least > 2.0**-50 * greatest) & (least > 1e-150) & (greatest < 1e150))
