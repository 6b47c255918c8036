"""Splits in which samples repeat, as those of a bootstrap: every repetition becomes a row of its own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from sweepless._typing import Counts, Features, Values
from sweepless.criteria.base import Criterion, Cursor
from sweepless.dataset import Dataset


@dataclass(frozen=True, repr=False)
class Resampled(Criterion):
    """A criterion on one split of rows that may repeat.

    Parameters
    ----------
    criterion : Criterion
        A criterion on a split of the places in `rows`.
    rows : tuple of int
        Rows of the data.
    """

    criterion: Criterion
    rows: tuple[int, ...]

    def __repr__(self) -> str:
        return repr(self.criterion)

    def bind(self, data: Dataset) -> Cursor:
        return self.criterion.bind(ResampledDataset(data, self.rows))

    def operations(self, data: Dataset, size: int) -> float:
        return self.criterion.operations(data, size) * len(self.rows) / data.n_samples

    def validate(self, train: Dataset, test: Dataset, members: Features) -> float:
        """Return the holdout value, which does not depend on splits."""
        return self.criterion.validate(train, test, members)


class ResampledDataset(Dataset):
    """A view of some rows of a data set, each as often as it is named; only columns that are fetched are copied."""

    def __init__(self, data: Dataset, rows: Sequence[int] | Counts) -> None:
        kept = ("name", "n_features", "feature_names", "task", "has_missing", "has_classes", "_population")
        self.__dict__.update({name: getattr(data, name) for name in kept})
        self._whole, self._rows = data, np.array(rows)
        self.frame = None
        self.n_samples = len(rows)
        self.y = data.target[self._rows]
        self._given_classes = data.classes.tolist() if data._is_labelled else None

    @cached_property
    def X(self) -> Any:
        """The rows themselves, for the criterion that needs more than columns."""
        return self._whole.take(self._rows).X

    def columns(self, features: Any) -> Values:
        return np.ascontiguousarray(self._whole.columns(features)[:, self._rows])

    def require_variation(self) -> None:
        self._whole.require_variation()
