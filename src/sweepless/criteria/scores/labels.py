"""Scores of predicted classes: functions of the confusion table, which holds whole numbers."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, Literal, TypeAlias

import numpy as np

from sweepless._typing import AnyArray, Counts, Values
from sweepless.criteria.scores.base import FoldScore, Needs, Score, Single
from sweepless.kernels.scores import confusion_tables

Measure: TypeAlias = Literal["precision", "recall", "f1", "jaccard"]
Average: TypeAlias = Literal["binary", "micro", "macro", "weighted"]
MEASURES: tuple[Measure, ...] = ("precision", "recall", "f1", "jaccard")
AVERAGES: tuple[Average, ...] = ("micro", "macro", "weighted")


class LabelScore(Score):
    """A score of confusion tables."""

    needs: ClassVar[Needs] = "labels"

    def bind(self, truth: AnyArray, classes: AnyArray, perfect: float = 0.0) -> FoldScore:
        def values(predicted: Counts | Single) -> Values:
            return self.of_tables(tables_of(predicted, truth, len(classes)), classes)

        return values

    @abstractmethod
    def of_tables(self, tables: Counts, classes: AnyArray) -> Values:
        """Return the values of tables of shape (candidate, true class, predicted class)."""

    def of_folds(self, tables: Counts, classes: AnyArray) -> Values:
        """Return the values of tables of shape (fold, candidate, true class, predicted class), for empty folds 0."""
        found = np.zeros(tables.shape[:2])
        is_tested = tables[:, :1].any(axis=(1, 2, 3))
        values = self.of_tables(tables[is_tested].reshape(-1, *tables.shape[2:]), classes)
        found[is_tested] = values.reshape(-1, tables.shape[1])
        return found


@dataclass(frozen=True, repr=False)
class TableScore(LabelScore):
    """A score that treats all classes alike."""

    function: Callable[[Counts], Values]

    def of_tables(self, tables: Counts, classes: AnyArray) -> Values:
        return self.function(tables)


@dataclass(frozen=True, repr=False)
class ClassScore(LabelScore):
    """Precision, recall, F1 or Jaccard index, of one class or averaged over those that occur or are predicted.

    Parameters
    ----------
    measure : {"precision", "recall", "f1", "jaccard"}
    average : {"binary", "micro", "macro", "weighted"}
    positive : object
        The label of the class that "binary" is about.
    zero_division : float
        What a share of nothing is worth.
    """

    measure: Measure
    average: Average
    positive: object = 1
    zero_division: float = 0.0

    def objection(self, classes: AnyArray, folds: list[AnyArray]) -> str | None:
        if self.average == "binary" and (len(classes) > 2 or self.positive not in classes.tolist()):
            return f"{self.name} needs two classes, one of them {self.positive!r}"
        return None

    def of_tables(self, tables: Counts, classes: AnyArray) -> Values:
        right = np.diagonal(tables, axis1=1, axis2=2)
        true, predicted = tables.sum(axis=2), tables.sum(axis=1)
        if self.average == "binary":
            chosen = classes.tolist().index(self.positive)
            return self._shares(right[:, chosen], true[:, chosen], predicted[:, chosen])
        if self.average == "micro":
            return self._shares(right.sum(axis=1), true.sum(axis=1), predicted.sum(axis=1))
        shares = self._shares(right, true, predicted)
        weights = true if self.average == "weighted" else ((true > 0) | (predicted > 0)).astype(np.int64)
        return weighted_mean(shares, weights)

    def _shares(self, right: Counts, true: Counts, predicted: Counts) -> Values:
        if self.measure == "precision":
            return share(right, predicted, self.zero_division)
        if self.measure == "recall":
            return share(right, true, self.zero_division)
        if self.measure == "f1":
            return share(2 * right, true + predicted, self.zero_division)
        return share(right, true + predicted - right, self.zero_division)


def tables_of(predicted: Counts | Single, truth: Counts, n_classes: int) -> Counts:
    """Return the confusion tables of labels of shape (candidate, sample), if they are not known."""
    if isinstance(predicted, Single):
        return predicted.tables
    tables = np.zeros((len(predicted), n_classes, n_classes), dtype=np.int64)
    confusion_tables(predicted, truth, tables)
    return tables


def share(part: AnyArray, whole: AnyArray, otherwise: float) -> Values:
    """Divide where there is something to divide by."""
    return np.asarray(np.divide(part, whole, out=np.full(np.shape(whole), otherwise), where=whole != 0))


def weighted_mean(values: Values, weights: Counts) -> Values:
    """Average over classes (columns), added up class by class, so that the batch does not matter."""
    total = np.zeros(len(values))
    for k in range(values.shape[1]):
        total += weights[:, k] * values[:, k]
    return np.asarray(total / weights.sum(axis=1))


def accuracy(tables: Counts) -> Values:
    """Return the share of right predictions."""
    return np.asarray(np.trace(tables, axis1=1, axis2=2) / tables.sum(axis=(1, 2)))


def balanced_accuracy(tables: Counts) -> Values:
    """Return the mean recall of the classes that occur."""
    true = tables.sum(axis=2)
    return weighted_mean(share(np.diagonal(tables, axis1=1, axis2=2), true, 0.0), (true > 0).astype(np.int64))


def adjusted_balanced_accuracy(tables: Counts) -> Values:
    """Return the mean recall, 0 for chance and 1 for no error; a single class has none."""
    chance = 1.0 / np.count_nonzero(tables.sum(axis=2), axis=1)
    return share(balanced_accuracy(tables) - chance, 1.0 - chance, np.nan)


def matthews_correlation(tables: Counts) -> Values:
    """Return the correlation of true and predicted classes; 0 if one of them is constant."""
    true, predicted = tables.sum(axis=2), tables.sum(axis=1)
    whole = true.sum(axis=1)
    together = np.trace(tables, axis1=1, axis2=2) * whole - (true * predicted).sum(axis=1)
    spreads = [(whole * whole - (counts * counts).sum(axis=1)).astype(np.float64) for counts in (true, predicted)]
    return share(together, np.sqrt(spreads[0] * spreads[1]), 0.0)


def cohen_kappa(tables: Counts) -> Values:
    """Return the agreement beyond chance; NaN if all samples are of one class and predicted so."""
    true, predicted = tables.sum(axis=2), tables.sum(axis=1)
    whole = true.sum(axis=1)
    missed = whole - np.trace(tables, axis1=1, axis2=2)
    expected = whole * whole - (true * predicted).sum(axis=1)  # times the number of samples
    return 1.0 - share(missed * whole, expected, np.nan)
