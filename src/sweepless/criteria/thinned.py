"""A criterion on some of the samples, if it is too dear on all of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sweepless._checks import whole
from sweepless._typing import Features
from sweepless.criteria.base import Cursor
from sweepless.criteria.wrapper import Wrapper
from sweepless.dataset import Dataset


@dataclass(frozen=True)
class Thinned(Wrapper):
    """Another criterion on at most so many samples, which are spread evenly over each class, or over all numbers.

    Parameters
    ----------
    criterion : Criterion
    most : int
        The number of samples above which some are left out.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from sweepless import Dataset
    >>> from sweepless.criteria import KNN, Thinned
    >>> data = Dataset(*load_digits(return_X_y=True))
    >>> Thinned(KNN(), most=300).bind(data).data.n_samples
    300
    """

    most: int

    def __post_init__(self) -> None:
        super().__post_init__()
        whole("most", self.most, 2)

    def bind(self, data: Dataset) -> Cursor:
        return self.criterion.bind(self._thinned(data))

    def operations(self, data: Dataset, size: int) -> float:
        return self.criterion.operations(self._thinned(data), size)

    def _thinned(self, data: Dataset) -> Dataset:
        return data if data.n_samples <= self.most else data.take(spread_rows(data, self.most))


def spread_rows(data: Dataset, most: int) -> Features:
    """Return at most so many rows, spread evenly over the samples in the order of their target."""
    if data.n_samples <= most:
        return np.arange(data.n_samples)
    order = np.argsort(data.codes if data.has_classes else data.target, kind="stable")
    return np.sort(order[np.linspace(0, data.n_samples - 1, most).round().astype(np.intp)])
