"""Information criteria of linear models: the likelihood of a subset, less a charge for its size."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from math import log
from typing import Literal

import numpy as np

from sweepless._checks import not_negative, one_of, positive
from sweepless._typing import Features
from sweepless.criteria.base import Criterion, Cursor
from sweepless.criteria.linear.information_smooth import LikelihoodCursor, require_two_classes
from sweepless.criteria.linear.information_squares import SquaresCursor
from sweepless.criteria.linear.ridge import RidgeCriterion
from sweepless.criteria.linear.score_test import ScoreTest
from sweepless.criteria.linear.smooth import LinearModel
from sweepless.dataset import Dataset

_ALPHA = 0.01  # without any penalty, classes that a subset separates would have no optimum


@dataclass(frozen=True)
class InformationCriterion(Criterion):
    """AIC, BIC or extended BIC of a linear model on all samples: least squares, or logistic regression of classes.

    J is what the subset adds to the log-likelihood per sample over no features at all, less a charge per feature. So
    J = -(IC - IC₀) / 2n, where IC is the criterion of textbooks and IC₀ that of the mean alone, or of the shares of the
    classes. It falls when a feature is not worth its charge: the size of the greatest J is a choice of the size.

    Parameters
    ----------
    score : {"aic", "bic", "ebic"}
        What a coefficient is charged in units of log-likelihood: 1 (Akaike), log(n) / 2 (Schwarz), or log(n) / 2 and
        log(D) more for each feature, because it was chosen among D of them (Chen and Chen, with gamma = 1). The first
        two are for subsets that were not searched for among many: with thousands of features they never stop.
    alpha : float, optional
        The penalty on squared coefficients: half of it times their squares is added to the losses of logistic
        regression, of features that are standardized; the sum of squares of least squares grows by it as in
        `RidgeCriterion`, in the features' own units. None is 0.01 for classes, and nothing for least squares.

    Notes
    -----
    Values are rounded to a grid of about 1.5e-8 before the charge. As in `RidgeCriterion`, least squares also penalizes
    every feature by 2**-40 of its own square, and at least 2**-40 of the target's square counts as unexplained.
    Logistic regression is valued at its penalized optimum, with the penalty. Several classes have one coefficient less
    than there are classes for each feature.

    For n samples and d members, an addition to least squares costs O(n) in sweeps, two products for all features, and 8
    bytes per sample and feature (at most 512 MB); otherwise it costs O(nd). Additions to logistic regression cost O(nd)
    for each of a few steps. There, sampled methods by name have 20 candidates proposed by `ScoreTest` at every step.

    References
    ----------
    H. Akaike: A new look at the statistical model identification. IEEE Transactions on Automatic Control 19, 1974.
    G. Schwarz: Estimating the dimension of a model. Annals of Statistics 6, 1978.
    J. Chen and Z. Chen: Extended BIC for small-n-large-P sparse GLM. Statistica Sinica 22, 2012.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from sweepless import Dataset, run
    >>> from sweepless.criteria import InformationCriterion
    >>> data = Dataset(*load_diabetes(return_X_y=True))
    >>> result = run("SFFS", InformationCriterion("bic"), data)
    >>> max(result.archive.values(), key=lambda record: record.value).features.tolist()
    [1, 2, 3, 4, 5, 8]
    """

    score: Literal["aic", "bic", "ebic"] = "ebic"
    alpha: float | None = None

    def __post_init__(self) -> None:
        one_of("score", self.score, ("aic", "bic", "ebic"))
        if self.alpha is not None:
            not_negative("alpha", self.alpha)

    def bind(self, data: Dataset) -> Cursor:
        charge = partial(self._charge, data)
        if data.has_classes:
            require_two_classes(data)
            return LikelihoodCursor(data, self._alpha_of_classes, charge)
        data.require_variation()
        return SquaresCursor(data, float(self.alpha or 0.0), charge)

    @property
    def _alpha_of_classes(self) -> float:
        alpha = _ALPHA if self.alpha is None else float(self.alpha)
        positive("alpha", alpha)
        return alpha

    def _charge(self, data: Dataset, size: int) -> float:
        """Return what a subset of some size is charged per sample."""
        n_coefficients = np.count_nonzero(data.class_sizes) - 1 if data.has_classes else 1
        each = n_coefficients * (1.0 if self.score == "aic" else log(data.n_samples) / 2.0)
        choice = log(data.n_features) if self.score == "ebic" else 0.0
        return float(size * (each + choice) / data.n_samples)

    def screen(self, data: Dataset) -> Criterion | None:
        return ScoreTest(self._alpha_of_classes) if data.has_classes else None

    def operations(self, data: Dataset, size: int) -> float:
        # Measured: least squares .5, 1 and 2 us at 100, 500 and 2,000 samples; logistic regression 35 and 60 us at 500
        # samples and sizes 5 and 20, 125 us at 2,000 and 20; three classes eight to twenty times that.
        if not data.has_classes:
            return 400.0 + data.n_samples
        n_classes = len(data.classes)
        return (1.0 if n_classes == 2 else 1.5 * n_classes**2) * (8000.0 + data.n_samples * (50.0 + 0.8 * size))

    def validate(self, train: Dataset, test: Dataset, members: Features) -> float:
        """Return the accuracy, or R², on `test` of the model fitted to all of `train`."""
        if train.has_classes:
            return LinearModel(C=1.0 / self._alpha_of_classes).validate(train, test, members)
        return RidgeCriterion(float(self.alpha or 0.0)).validate(train, test, members)
