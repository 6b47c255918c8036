"""Scores of outputs and probabilities: ranks of samples, ranks of classes, and losses."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import combinations, permutations
from typing import Literal

import numpy as np

from sweepless._typing import AnyArray, Counts, Values
from sweepless.criteria.scores.base import FoldScore, Keyed, Needs, Outputs, Score, Shares, Single
from sweepless.criteria.scores.ranks import Measure, Ranking
from sweepless.kernels.scores import count_top, sum_log_losses, sum_squared_losses


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

    measure: Measure
    positive: object = None

    def objection(self, classes: AnyArray, folds: list[AnyArray]) -> str | None:
        if len(classes) != 2 or (self.positive is not None and self.positive not in classes.tolist()):
            which = "" if self.positive is None else f", one of them {self.positive!r}"
            return f"{self.name} needs two classes{which}"
        return super().objection(classes, folds)

    def bind(self, truth: AnyArray, classes: AnyArray, perfect: float = 0.0) -> FoldScore:
        code = 1 if self.positive is None else classes.tolist().index(self.positive)
        ranking = Ranking(truth, np.array([[code, 1 - code]]))
        return lambda outputs: ranking(outputs, self.measure)[0]


@dataclass(frozen=True, repr=False)
class ManyRankScore(OutputScore):
    """A measure of every class against the rest, averaged over classes.

    Parameters
    ----------
    measure : {"area", "precision"}
    average : {"macro", "weighted"}
    """

    measure: Measure
    average: Literal["macro", "weighted"]

    def objection(self, classes: AnyArray, folds: list[AnyArray]) -> str | None:
        return super().objection(classes, folds) if len(classes) > 2 else f"{self.name} needs more than two classes"

    def bind(self, truth: AnyArray, classes: AnyArray, perfect: float = 0.0) -> FoldScore:
        contests = self.contests(len(classes))
        ranking = Ranking(truth, contests)
        weights = np.array([self._weight(truth, contest) for contest in contests])
        whole = sum(weights.tolist())

        def values(outputs: Outputs | Keyed | Single) -> Values:
            found = weights[:, None] * ranking(outputs, self.measure)
            total = np.add.accumulate(found)[-1]  # one contest after the other, whatever the batch
            return np.asarray(total / whole)

        return values

    def contests(self, n_classes: int) -> Counts:
        """Return what is averaged: classes, each with those above whose samples its own should rank."""
        codes = range(n_classes)
        return np.array([[code, *(other for other in codes if other != code)] for code in codes])

    def _weight(self, truth: Counts, contest: Counts) -> float:
        return float(np.count_nonzero(truth == contest[0])) if self.average == "weighted" else 1.0


class PairedRankScore(ManyRankScore):
    """Every class against every other one instead of the rest."""

    def contests(self, n_classes: int) -> Counts:
        return np.array([sides for pair in combinations(range(n_classes), 2) for sides in permutations(pair)])

    def _weight(self, truth: Counts, contest: Counts) -> float:
        return float(np.count_nonzero(np.isin(truth, contest))) if self.average == "weighted" else 1.0


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
        worth = self.worth(truth, classes)

        def values(outputs: Outputs | Single | Shares) -> Values:
            if isinstance(outputs, Outputs):
                return worth(self.loss(outputs.values, truth))
            if isinstance(outputs, Shares):
                return worth(self._sums_of_votes(outputs.tables))
            hit, miss = self.loss(np.eye(len(classes))[[0, -1], :, None], np.zeros(1, dtype=np.int64))
            n_hits = np.trace(outputs.tables, axis1=1, axis2=2)
            return worth(n_hits * hit + (len(truth) - n_hits) * miss)

        return values

    def _sums_of_votes(self, tables: Counts) -> Values:
        """Return the sums of losses of shares of votes, number by number, so that the batch does not matter."""
        counts, n_votes = tables.sum(axis=1), tables.shape[2] - 1
        own = np.arange(n_votes + 1) / n_votes
        each = self.loss(np.stack([own, own[::-1]], axis=1)[:, :, None], np.zeros(1, dtype=np.int64))
        return np.asarray(np.add.accumulate(counts * each, axis=1)[:, -1])

    def worth(self, truth: AnyArray, classes: AnyArray) -> Callable[[Values], Values]:
        """Return what sums of losses on one fold are worth."""
        if not self.is_relative:
            return lambda sums: -sums / len(truth)
        shares = np.bincount(truth, minlength=len(classes)) / len(truth)
        whole = self.loss(np.repeat(shares[None, :, None], len(truth), axis=2), truth)[0]
        return lambda sums: 1.0 - sums / whole


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
