"""Distances between normal class models: Bhattacharyya, divergence, generalized Mahalanobis."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from itertools import combinations
from numbers import Real

import numpy as np

from sweepless._typing import Values
from sweepless.criteria.base import Criterion
from sweepless.criteria.gaussian.cursor import GaussianCursor
from sweepless.criteria.gaussian.terms import Recipe
from sweepless.dataset import Dataset
from sweepless.errors import InputError

_LEAST_REGULARIZATION = 1e-12  # less would drown in the rounding of a unit variance

_RULES = """
    Parameters
    ----------
    regularization : float
        This share of a feature's variance over all samples (of 1 for a constant feature) is added to its variance
        in every class, so that constant, duplicate and too many features have a finite distance. This is part of
        the definition, whether the covariances are singular or not.

    Notes
    -----
    Covariances are divided by n - 1; a class of one sample has covariance 0 before the regularization. For more
    than two classes J is the mean over pairs of classes, weighted by the product of their shares of the
    samples; for two classes it is the formula itself.
    A peek costs one triangular solve, O(d²), for each covariance and candidate, all candidates at once. Where the
    covariances are so nearly singular that the bounds on rounding are useless (more features than samples
    of a class), every neighbor is computed from scratch: the values are the same, but it is slow.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sweepless import Dataset
    >>> from sweepless.criteria import {name}
    >>> data = Dataset(*load_iris(return_X_y=True))
    >>> round({name}().bind(data).evaluate([2, 3]), 3)
    {value}
    """


def require_regularization(given: object) -> None:
    """Raise unless the value is a share that is greater than rounding."""
    is_number = isinstance(given, Real) and not isinstance(given, bool)
    if not is_number or not _LEAST_REGULARIZATION <= given <= 1.0:  # type: ignore[operator]
        raise InputError(f"`regularization` must be a number from {_LEAST_REGULARIZATION} to 1, got {given!r}.")


@dataclass(frozen=True)
class _Gaussian(Criterion):
    regularization: float = 1e-9

    def __post_init__(self) -> None:
        require_regularization(self.regularization)

    def bind(self, data: Dataset) -> GaussianCursor:
        data.require_classes()
        data.require_variation()
        sizes = data.class_sizes[data.class_sizes > 0]
        return GaussianCursor(data, self._recipe(sizes / sizes.sum()), float(self.regularization))

    def operations(self, data: Dataset, size: int) -> float:
        # Measured: 5 us at 300 samples of 2 classes, 20 to 75 us at size 50; 40 us with 6 classes; 100 us at 3,000.
        n_pairs = len(data.classes) * (len(data.classes) - 1) / 2
        return 30.0 * data.n_samples + n_pairs * (1500.0 + 10.0 * size**2)

    @abstractmethod
    def _recipe(self, priors: Values) -> Recipe:
        """Return the terms of the distance."""


@dataclass(frozen=True)
class GaussianBhattacharyya(_Gaussian):
    __doc__ = f"""Bhattacharyya distance between normal classes.

    `¼ Δ'(Σ₁+Σ₂)⁻¹Δ + ½ ln(|½(Σ₁+Σ₂)| / √(|Σ₁||Σ₂|))`, Δ the difference of the means.
    {_RULES.format(name="GaussianBhattacharyya", value="8.926")}"""

    def _recipe(self, priors: Values) -> Recipe:
        n_classes = len(priors)
        recipe = Recipe(n_classes)
        alone = [recipe.mixture(np.eye(n_classes)[c]) for c in range(n_classes)]
        for i, j, weight in _pairs(priors):
            shared = recipe.mixture(0.5 * (np.eye(n_classes)[i] + np.eye(n_classes)[j]))
            recipe.forms.append((shared, i, j, weight / 8.0))  # ¼ of the sum is ⅛ of the mean
            recipe.determinants[shared] += 0.5 * weight
            recipe.determinants[alone[i]] -= 0.25 * weight
            recipe.determinants[alone[j]] -= 0.25 * weight
        return recipe


@dataclass(frozen=True)
class GaussianDivergence(_Gaussian):
    __doc__ = f"""Divergence (symmetric Kullback-Leibler) between normal classes.

    `½ Δ'(Σ₁⁻¹+Σ₂⁻¹)Δ + ½ tr(Σ₁⁻¹Σ₂ + Σ₂⁻¹Σ₁ - 2I)`, Δ the difference of the means.
    {_RULES.format(name="GaussianDivergence", value="181.501")}"""

    def _recipe(self, priors: Values) -> Recipe:
        n_classes = len(priors)
        recipe = Recipe(n_classes)
        alone = [recipe.mixture(np.eye(n_classes)[c]) for c in range(n_classes)]
        for i, j, weight in _pairs(priors):
            for one, other in ((i, j), (j, i)):
                recipe.forms.append((alone[one], i, j, 0.5 * weight))
                recipe.traces.append((alone[one], alone[other], 0.5 * weight))
        recipe.per_feature = -1.0  # the weights of the pairs sum to 1
        return recipe


@dataclass(frozen=True)
class GeneralizedMahalanobis(_Gaussian):
    __doc__ = f"""Generalized Mahalanobis distance between classes.

    `Δ'(P₁Σ₁+P₂Σ₂)⁻¹Δ`, Δ the difference of the means and P the shares of the two classes among their
    samples.
    {_RULES.format(name="GeneralizedMahalanobis", value="69.076")}"""

    def _recipe(self, priors: Values) -> Recipe:
        recipe = Recipe(len(priors))
        for i, j, weight in _pairs(priors):
            shares = np.zeros(len(priors))
            shares[[i, j]] = priors[[i, j]] / (priors[i] + priors[j])
            recipe.forms.append((recipe.mixture(shares), i, j, weight))
        return recipe


def _pairs(priors: Values) -> list[tuple[int, int, float]]:
    """List the pairs of classes with weights that sum to 1, and are 1 for a single pair."""
    pairs = list(combinations(range(len(priors)), 2))
    products = [float(priors[i] * priors[j]) for i, j in pairs]
    total = float(np.cumsum([0.0, *products])[-1])  # `sum` rounds otherwise from Python 3.12 on
    return [(i, j, product / total) for (i, j), product in zip(pairs, products, strict=True)]
