"""The score test of every feature, given the members: what it promises at the price of a few additions a sample."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sweepless._checks import positive
from sweepless._typing import AnyArray, Features, Values
from sweepless.criteria.base import Criterion
from sweepless.criteria.linear import kept
from sweepless.criteria.linear.information_smooth import LikelihoodCursor, require_two_classes
from sweepless.dataset import Dataset
from sweepless.direction import Direction
from sweepless.kernels.linear.score_tests import slopes_and_curvatures

_BLOCK = 2**20  # numbers that are scaled at a time


@dataclass(frozen=True)
class ScoreTest(Criterion):
    """A screen for logistic regression: what each feature seems to add to the likelihood of the members.

    Steps whose `screen` this is have the candidates of the greatest statistic valued by their own criterion. It is no
    criterion for a search: a statistic belongs to a step, not to a subset.

    Parameters
    ----------
    alpha : float
        The penalty on squared coefficients of standardized features.

    Notes
    -----
    At the optimum of the members, let g be the slope of the log-likelihood along a feature and h its curvature. To
    second order, and as if the members' coefficients stayed where they are, the feature adds g²/2h: Rao's score test,
    for all features in one pass over their columns, which are kept in single precision (4 bytes per sample and feature,
    at most 512 MB). A member whose coefficient is b, and v what the inverse of all curvatures says of it, is worth
    b²/2v: Wald's test. Splicing (abess) ranks features by the same two numbers.

    References
    ----------
    C. R. Rao: Large sample tests of statistical hypotheses concerning several parameters. Proceedings of the Cambridge
    Philosophical Society 44, 1948.
    J. Zhu and others: A polynomial algorithm for best-subset selection problem. PNAS 117, 2020.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sweepless import Dataset, run
    >>> from sweepless.criteria import InformationCriterion, ScoreTest
    >>> data = Dataset(*load_breast_cancer(return_X_y=True))
    >>> result = run("sSFS", InformationCriterion(), data, target=3, budget=5, screen=ScoreTest())
    >>> result.archive[3].features.tolist()
    [21, 22, 24]
    """

    alpha: float = 0.01

    def __post_init__(self) -> None:
        positive("alpha", self.alpha)

    def bind(self, data: Dataset) -> ScoreTestCursor:
        require_two_classes(data)
        return ScoreTestCursor(data, float(self.alpha), lambda size: 0.0)

    def operations(self, data: Dataset, size: int) -> float:
        return 100.0 + data.n_samples / 4.0


class ScoreTestCursor(LikelihoodCursor):
    """Keeps the columns of all features, if memory suffices."""

    _columns: AnyArray | None = None

    def _peek(self, direction: Direction, candidates: Features) -> Values:
        (fit,) = self._part.fits
        if not direction.adds:
            return -fit.wald(np.searchsorted(self._features, candidates) + 1)
        slopes, curvatures = fit.slopes.astype(np.float32), fit.bends.astype(np.float32)
        found, width = np.empty(len(candidates)), max(1, _BLOCK // self.data.n_samples)
        is_kept = 4 * self.n_features * self.data.n_samples <= kept.MOST_BYTES
        if is_kept and self._columns is None and len(candidates) > self.n_features // 8:
            self._columns = np.empty((self.data.n_samples, self.n_features), dtype=np.float32)
            for start in range(0, self.n_features, width):
                some = np.arange(start, min(start + width, self.n_features))
                self._columns[:, some] = self._block(some)[0].T
        if self._columns is not None:
            return self._statistics(self._columns, slopes, curvatures)[candidates]
        for start in range(0, len(candidates), width):
            part = slice(start, start + width)
            columns = np.ascontiguousarray(self._block(candidates[part])[0].T, dtype=np.float32)
            found[part] = self._statistics(columns, slopes, curvatures)
        return found

    def _statistics(self, columns: AnyArray, slopes: AnyArray, curvatures: AnyArray) -> Values:
        total = np.zeros(columns.shape[1])
        for slope, curvature in zip(slopes, curvatures, strict=True):
            sums = slopes_and_curvatures(columns, slope, curvature).astype(np.float64)
            total += sums[0] ** 2 / (2.0 * (sums[1] + self._alpha))
        return total
