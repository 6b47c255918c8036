"""What the exact scores of naive Bayes are worth by any score of labels, outputs or probabilities."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from sweepless._typing import AnyArray, Counts, Mask, Values
from sweepless.criteria.bayes.layout import Cells
from sweepless.criteria.scores.base import BoundScore, Outputs, Score, mean_over_folds
from sweepless.criteria.scores.outputs import LossScore, log_loss
from sweepless.kernels.bayes.moments import ROUNDING
from sweepless.kernels.bayes.probabilities import fill_probabilities
from sweepless.kernels.scores import row_sums

_LARGEST_SCORE = 4096.0  # beyond this, the rounding of log likelihoods changes the twelfth digit of losses
_LARGEST_ERROR = 4e-13  # of a loss
_SATURATED = 2.0**-57  # a complement that is 0 in any arithmetic
_SMALLEST = 2e-323  # some steps between the smallest doubles


class Doubts(NamedTuple):
    """How far another arithmetic may be from the scores of candidates."""

    calls: Values  # (candidate, fold): by how much the difference of two scores may change
    rows: Callable[[int], Values]  # of a candidate: samples with equal rows have equal scores in any arithmetic
    settled: Mask | None = None  # (candidate, sample): whether the scores are the priors in any arithmetic


class Scored:
    """A score, bound to every fold; leave-one-out is one fold of all samples."""

    def __init__(self, score: Score, cells: Cells, codes: Counts, classes: AnyArray) -> None:
        ends = cells.bounds[: cells.n_folds, [0, -1]].tolist()
        self._needs, self._is_loss = score.needs, isinstance(score, LossScore)
        self._parts = [slice(ends[0][0], ends[-1][1])] if cells.leaves_one_out else [slice(*end) for end in ends]
        truth = codes[cells.order] if len(codes) else codes
        self._firsts = [truth[part] == 0 if len(classes) == 2 and self._is_log(score) else None for part in self._parts]
        self._folds = [BoundScore(score, truth[part], classes) for part in self._parts]

    @staticmethod
    def _is_log(score: Score) -> bool:
        return isinstance(score, LossScore) and score.loss is log_loss

    def _lost(self, k: int, probabilities: Values, largest: Values) -> Values:
        """Estimate what a log loss loses where the first of two classes has the complement of the second's probability.

        That is how scikit-learn's scorers pass the probabilities of two classes on. The complement is as exact as the
        second one, which is off by roundings of its own logarithm; those of different samples are independent.
        """
        firsts = self._firsts[k]
        if firsts is None:
            return np.zeros(len(probabilities))
        shares = probabilities[:, 0, firsts]
        errors = 0.5 * ROUNDING * (1.0 + largest)[:, None] / np.maximum(shares, _SATURATED)
        errors[shares < _SATURATED] = 0.0
        return np.asarray(4.0 * np.sqrt(row_sums(errors * errors)) / probabilities.shape[2])

    def values(self, scores: Values, coldness: float, doubts: Doubts | None) -> Values:
        """Return the values of scores (candidate, class, sample); without doubts everything is taken as computed."""
        return mean_over_folds([self._value(k, scores, coldness, doubts) for k in range(len(self._folds))])

    def _value(self, k: int, scores: Values, coldness: float, doubts: Doubts | None) -> Values:
        part = self._parts[k]
        here = np.ascontiguousarray(scores[:, :, part])
        if self._needs == "labels":
            if doubts is None:
                return self._folds[k](Outputs.counted(here))
            settled = None if doubts.settled is None else np.ascontiguousarray(doubts.settled[:, part])
            return self._folds[k](Outputs.margins(here, doubts.calls[:, k])._replace(settled=settled))
        probabilities, largest = np.empty(here.shape), np.empty(len(here))
        fill_probabilities(here, coldness, probabilities, largest)
        if doubts is None:
            return self._folds[k](Outputs.counted(probabilities))
        if self._is_loss:
            is_fine = (largest <= _LARGEST_SCORE) & (self._lost(k, probabilities, largest) <= _LARGEST_ERROR)
            return np.where(is_fine, self._folds[k](Outputs.counted(probabilities)), np.nan)
        rounding = 4.0 * ROUNDING * (largest + 8.0)
        bounds = np.stack([np.full(len(here), _SMALLEST), rounding, coldness * doubts.calls[:, k]], axis=1)
        return self._folds[k](Outputs(probabilities, bounds, (0.0, 1.0), lambda m: doubts.rows(m)[part]))
