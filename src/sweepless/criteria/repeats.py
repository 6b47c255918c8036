"""The mean of a criterion over several partitions of the samples."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from sweepless.criteria.base import Cursor
from sweepless.criteria.composite import Mean
from sweepless.criteria.folds import Partition
from sweepless.dataset import Dataset


def over_repeats(criterion: Any, data: Dataset) -> Cursor | None:
    """Return a cursor on the mean of the criterion over its repeated folds; None if they are not repeated.

    Models of different partitions share nothing but the columns, so each partition has a cursor of its own.
    """
    folds = criterion.folds
    if not isinstance(folds, Partition) or folds.repeats == 1:
        return None
    return Mean([replace(criterion, folds=one) for one in folds.each()]).bind(data)
