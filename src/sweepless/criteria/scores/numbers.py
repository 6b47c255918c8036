"""Scores of predicted numbers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, TypeAlias

import numpy as np

from sweepless._typing import AnyArray, Values
from sweepless.criteria.scores.base import FoldScore, Needs, Score
from sweepless.kernels.scores import gamma_deviances, poisson_deviances, row_sums, squared_logarithms, sum_squares

Loss: TypeAlias = Callable[[Values, Values], Values]
"""Takes the truth and the predictions (candidate, sample), returns one loss per candidate."""


class NumberScore(Score):
    """A score of predictions of shape (candidate, sample)."""

    needs: ClassVar[Needs] = "numbers"


@dataclass(frozen=True, repr=False)
class MinusLoss(NumberScore):
    """Minus a loss."""

    loss: Loss

    def bind(self, truth: AnyArray, classes: AnyArray, perfect: float = 0.0) -> FoldScore:
        actual = np.asarray(truth, dtype=np.float64)
        return lambda predicted: -self.loss(actual, predicted)


@dataclass(frozen=True, repr=False)
class Explained(NumberScore):
    """One minus a loss divided by that of the best constant.

    If the target is constant in a fold, a perfect prediction is worth 1 and any other one 0; one that may be perfect
    but for rounding has no value.
    """

    loss: Loss
    whole: Callable[[Values], float]

    def objection(self, classes: AnyArray, folds: list[AnyArray]) -> str | None:
        is_short = self.loss is not spread and any(len(truth) < 2 for truth in folds)
        return f"{self.name} of a single sample is not defined" if is_short else None

    def bind(self, truth: AnyArray, classes: AnyArray, perfect: float = 0.0) -> FoldScore:
        actual = np.asarray(truth, dtype=np.float64)
        whole = self.whole(actual) if len(actual) else 0.0

        def values(predicted: Values) -> Values:
            if whole > 0.0:
                return np.asarray(1.0 - self.loss(actual, predicted) / whole)
            misses = (spread if self.loss is spread else squares)(actual, predicted)
            return np.where(misses > perfect, 0.0, np.nan if perfect > 0.0 else 1.0)

        return values


def squares(actual: Values, predicted: Values) -> Values:
    """Return sums of squared errors."""
    sums = np.empty(len(predicted))
    sum_squares(actual, predicted, sums)
    return sums


def spread(actual: Values, predicted: Values) -> Values:
    """Return sums of squared errors around the mean error."""
    errors = actual - predicted
    errors -= (row_sums(errors) / max(len(actual), 1))[:, None]
    return row_sums(errors * errors)


def absolutes(actual: Values, predicted: Values) -> Values:
    """Return sums of absolute errors."""
    return row_sums(np.abs(actual - predicted))


def mean_square(actual: Values, predicted: Values) -> Values:
    """Return mean squared errors."""
    return np.asarray(squares(actual, predicted) / max(len(actual), 1))


def root_mean_square(actual: Values, predicted: Values) -> Values:
    """Return roots of mean squared errors."""
    return np.sqrt(mean_square(actual, predicted))


def mean_absolute(actual: Values, predicted: Values) -> Values:
    """Return mean absolute errors."""
    return np.asarray(absolutes(actual, predicted) / max(len(actual), 1))


def median_absolute(actual: Values, predicted: Values) -> Values:
    """Return medians of absolute errors."""
    return np.asarray(np.median(np.abs(actual - predicted), axis=1))


def largest(actual: Values, predicted: Values) -> Values:
    """Return the largest absolute errors."""
    return np.asarray(np.abs(actual - predicted).max(axis=1))


def mean_percentage(actual: Values, predicted: Values) -> Values:
    """Return mean errors in units of the target, which counts as at least epsilon."""
    units = np.maximum(np.abs(actual), np.finfo(np.float64).eps)
    return np.asarray(row_sums(np.abs(actual - predicted) / units) / len(actual))


def mean_squared_log(actual: Values, predicted: Values) -> Values:
    """Return mean squared differences of log(1 + x); NaN if a number is negative."""
    return np.asarray(squared_logarithms(actual, np.ascontiguousarray(predicted)) / len(actual))


def root_mean_squared_log(actual: Values, predicted: Values) -> Values:
    """Return roots of mean squared differences of log(1 + x); NaN if a number is negative."""
    return np.sqrt(mean_squared_log(actual, predicted))


def mean_poisson_deviance(actual: Values, predicted: Values) -> Values:
    """Return mean Poisson deviances; NaN where they are not defined."""
    return np.asarray(poisson_deviances(actual, np.ascontiguousarray(predicted)) / len(actual))


def mean_gamma_deviance(actual: Values, predicted: Values) -> Values:
    """Return mean gamma deviances; NaN where they are not defined."""
    return np.asarray(gamma_deviances(actual, np.ascontiguousarray(predicted)) / len(actual))


def squares_around_mean(actual: Values) -> float:
    """Return the sum of squared errors of the mean."""
    return float(np.sum((actual - actual.mean()) ** 2))


def absolutes_around_median(actual: Values) -> float:
    """Return the sum of absolute errors of the median."""
    return float(np.sum(np.abs(actual - np.median(actual))))
