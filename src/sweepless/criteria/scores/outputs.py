"""Scores of outputs and probabilities: ranks of samples, ranks of classes, and losses."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import combinations, permutations
from typing import Literal

import numpy as np

from sweepless._typing import AnyArray, Counts, Mask, Values
from sweepless.criteria.scores.base import FoldScore, Needs, Outputs, Score
from sweepless.kernels.scores import count_ranks, count_top, sum_log_losses, sum_squared_losses


@dataclass(frozen=True, repr=False)
class OutputScore(Score):
    """A score of `Outputs`, which scikit-learn defines on folds that hold all classes."""

    needs: Needs = field(default="outputs", kw_only=True)  # type: ignore[misc]

    def objection(self, classes: AnyArray, folds: list[AnyArray]) -> str | None:
        is_whole = all(len(np.unique(codes)) == len(classes) for codes in folds)
        return None if is_whole else f"{self.name} needs every class in every fold"


@dataclass(frozen=True, repr=False)
class RankScore(OutputScore):
    """Area under the ROC curve, or average precision, of one of two classes.

    Parameters
    ----------
    measure : {"area", "precision"}
    positive : object
        The label of the class that should rank high; None for the second class.
    """

    measure: Literal["area", "precision"]
    positive: object = None

    def objection(self, classes: AnyArray, folds: list[AnyArray]) -> str | None:
        if len(classes) != 2 or (self.positive is not None and self.positive not in classes.tolist()):
            which = "" if self.positive is None else f", one of them {self.positive!r}"
            return f"{self.name} needs two classes{which}"
        return super().objection(classes, folds)

    def bind(self, truth: AnyArray, classes: AnyArray, perfect: float = 0.0) -> FoldScore:
        code = 1 if self.positive is None else classes.tolist().index(self.positive)
        sides = np.flatnonzero(truth == code), np.flatnonzero(truth != code)
        return lambda outputs: ranks(outputs, code, *sides)[self.measure]


@dataclass(frozen=True, repr=False)
class ManyRankScore(OutputScore):
    """A measure of every class against the rest, averaged over classes.

    Parameters
    ----------
    measure : {"area", "precision"}
    average : {"macro", "weighted"}
    """

    measure: Literal["area", "precision"]
    average: Literal["macro", "weighted"]

    def objection(self, classes: AnyArray, folds: list[AnyArray]) -> str | None:
        return super().objection(classes, folds) if len(classes) > 2 else f"{self.name} needs more than two classes"

    def bind(self, truth: AnyArray, classes: AnyArray, perfect: float = 0.0) -> FoldScore:
        contests = list(self.contests(truth, len(classes)))

        def values(outputs: Outputs) -> Values:
            total, whole = np.zeros(len(outputs.values)), 0.0
            for code, positives, negatives, weight in contests:
                total += weight * ranks(outputs, code, positives, negatives)[self.measure]
                whole += weight
            return np.asarray(total / whole)

        return values

    def contests(self, truth: Counts, n_classes: int) -> Iterator[tuple[int, Counts, Counts, float]]:
        """Yield positive classes, their samples, those of the others, and weights."""
        for code in range(n_classes):
            yield code, np.flatnonzero(truth == code), np.flatnonzero(truth != code), self._weight(truth == code)

    def _weight(self, chosen: Mask) -> float:
        return float(np.count_nonzero(chosen)) if self.average == "weighted" else 1.0


class PairedRankScore(ManyRankScore):
    """Every class against every other one instead of the rest."""

    def contests(self, truth: Counts, n_classes: int) -> Iterator[tuple[int, Counts, Counts, float]]:
        for pair in combinations(range(n_classes), 2):
            weight = self._weight(np.isin(truth, pair))
            for code, other in permutations(pair):
                yield code, np.flatnonzero(truth == code), np.flatnonzero(truth == other), weight


@dataclass(frozen=True, repr=False)
class TopScore(OutputScore):
    """The share of samples whose class is among those with the `k` greatest outputs."""

    k: int = 2

    def objection(self, classes: AnyArray, folds: list[AnyArray]) -> str | None:
        return super().objection(classes, folds) if len(classes) > 2 else f"{self.name} needs more than two classes"

    def bind(self, truth: AnyArray, classes: AnyArray, perfect: float = 0.0) -> FoldScore:
        def values(outputs: Outputs) -> Values:
            hits = np.empty(len(outputs.values))
            count_top(outputs.values, truth, self.k, outputs.doubts, *outputs.exact, hits)
            return np.asarray(hits / len(truth))

        return values


@dataclass(frozen=True, repr=False)
class LossScore(OutputScore):
    """Minus a loss of probabilities, or one minus its ratio to that of the shares that the classes have of the fold.

    Parameters
    ----------
    loss : callable
        Sums the losses of probabilities (candidate, class, sample), given the truth.
    is_relative : bool
    """

    loss: Callable[[Values, Counts], Values]
    is_relative: bool = False
    needs: Needs = field(default="probabilities", kw_only=True)  # type: ignore[misc]

    def objection(self, classes: AnyArray, folds: list[AnyArray]) -> str | None:
        if self.loss is brier_loss and len(classes) == 2 and classes.dtype.kind in "OUS":
            return f"{self.name} needs to be told which of two names is the positive class"
        return super().objection(classes, folds)

    def bind(self, truth: AnyArray, classes: AnyArray, perfect: float = 0.0) -> FoldScore:
        if not self.is_relative:
            return lambda outputs: -self.loss(outputs.values, truth) / len(truth)
        shares = np.bincount(truth, minlength=len(classes)) / len(truth)
        whole = self.loss(np.repeat(shares[None, :, None], len(truth), axis=2), truth)[0]
        return lambda outputs: 1.0 - self.loss(outputs.values, truth) / whole


def ranks(outputs: Outputs, code: int, positives: Counts, negatives: Counts) -> dict[str, Values]:
    """Return both measures of how high the positive samples rank above the negative ones by the output of one class."""
    values = outputs.of_class(code)
    sides = [values.take(samples, axis=1) for samples in (positives, negatives)]
    for side in sides:
        side.sort()
    areas, precisions = np.empty((2, len(values)))

    def count(some: slice, rows: Values) -> None:
        doubts = outputs.doubts[some], *outputs.exact
        count_ranks(sides[0][some], sides[1][some], *doubts, rows, areas[some], precisions[some])

    count(slice(None), np.empty((0, 0)))
    if outputs.rows is not None and np.isnan(areas).any():
        chosen = np.concatenate([positives, negatives])
        for m in np.flatnonzero(np.isnan(areas)).tolist():
            count(slice(m, m + 1), np.column_stack([values[m], outputs.rows(m)])[chosen])
    return {"area": areas, "precision": precisions}


def log_loss(probabilities: Values, truth: Counts) -> Values:
    """Return sums of log losses."""
    losses = np.empty(len(probabilities))
    sum_log_losses(probabilities, truth, losses)
    return losses


def brier_loss(probabilities: Values, truth: Counts) -> Values:
    """Return sums of squared errors over all classes; those of two classes, which are equal, count once."""
    losses = np.empty(len(probabilities))
    sum_squared_losses(probabilities, truth, losses)
    return np.asarray(losses * 0.5 if probabilities.shape[1] == 2 else losses)
