"""Features of one scale in front of any criterion, with outliers drawn in."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from sweepless._checks import positive
from sweepless._typing import Features, Values
from sweepless.criteria.base import Cursor
from sweepless.criteria.wrapper import Wrapper
from sweepless.dataset import Dataset

_CELLS = 1 << 20  # values standardized at a time


@dataclass(frozen=True)
class Standardized(Wrapper):
    """Another criterion on features of mean 0 and variance 1.

    Parameters
    ----------
    criterion : Criterion
    clip : float, optional
        Draw values in that are farther than this many standard deviations from the mean, and standardize once more.
        Counts of words and other heavy tails then weigh like a yes or no, which linear criteria need.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sweepless import Dataset
    >>> from sweepless.criteria import KNN, Standardized
    >>> data = Dataset(*load_wine(return_X_y=True))
    >>> round(KNN().bind(data).evaluate([6, 12]), 3), round(Standardized(KNN()).bind(data).evaluate([6, 12]), 3)
    (0.696, 0.865)
    """

    clip: float | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.clip is not None:
            positive("clip", self.clip)

    def bind(self, data: Dataset) -> Cursor:
        return self.criterion.bind(Scales.of(data, self.clip).apply(data))

    def validate(self, train: Dataset, test: Dataset, members: Features) -> float:
        scales = Scales.of(train, self.clip)
        return self.criterion.validate(scales.apply(train), scales.apply(test), members)


class Scales:
    """The mean and deviation of every feature, before values are drawn in and after."""

    def __init__(self, n_features: int, clip: float | None) -> None:
        self._clip = clip
        self._shifts, self._deviations = np.zeros((2, n_features)), np.ones((2, n_features))

    @classmethod
    def of(cls, data: Dataset, clip: float | None = None) -> Scales:
        """Learn the scales of the features of some data."""
        scales = cls(data.n_features, clip)
        width = max(1, _CELLS // data.n_samples)
        for start in range(0, data.n_features, width):
            part = slice(start, start + width)
            block = data.columns(np.arange(data.n_features)[part])
            for stage in range(1 if clip is None else 2):
                scales._learn(stage, part, block)
                block = scales._scaled(stage, part, block)
        return scales

    def apply(self, data: Dataset) -> Dataset:
        """Return the data with standardized features; those of sparse data are standardized when they are fetched."""
        if sparse.issparse(data.X):
            return _StandardizedView(data, self)
        return data.with_matrix(self.scaled(slice(None), data.columns(np.arange(data.n_features))).T)

    def scaled(self, part: slice | Features, block: Values) -> Values:
        """Standardize the values of some features, one per row."""
        for stage in range(1 if self._clip is None else 2):
            block = self._scaled(stage, part, block)
        return block

    def _learn(self, stage: int, part: slice, block: Values) -> None:
        with np.errstate(all="ignore"):
            mean = block.mean(axis=1)
            deviation = np.sqrt(np.mean((block - mean[:, None]) ** 2, axis=1))
            # A deviation within rounding of the mean is that of a constant; values that overflow count as constant too.
            varies = np.isfinite(deviation) & (deviation > 1e-13 * np.abs(mean))
        self._shifts[stage, part] = np.where(varies, mean, 0.0)
        self._deviations[stage, part] = np.where(varies, deviation, np.inf)

    def _scaled(self, stage: int, part: slice | Features, block: Values) -> Values:
        block = (block - self._shifts[stage, part][:, None]) / self._deviations[stage, part][:, None]
        if stage == 0 and self._clip is not None:
            np.clip(block, -self._clip, self._clip, out=block)
        return block


class _StandardizedView(Dataset):
    """Sparse data whose columns are standardized when they are fetched, because they would not stay sparse."""

    def __init__(self, data: Dataset, scales: Scales) -> None:
        self.__dict__.update(data.__dict__)
        del self.X  # only columns are standardized
        self._whole, self._scales = data, scales

    def columns(self, features: Features) -> Values:
        features = np.arange(self.n_features)[features]
        return self._scales.scaled(features, self._whole.columns(features))

    def require_variation(self) -> None:
        self._whole.require_variation()
