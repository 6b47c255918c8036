"""What the exact scores of naive Bayes are worth by any score of labels, outputs or probabilities."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from sweepless._typing import AnyArray, Counts, Mask, Values
from sweepless.criteria.bayes.layout import Cells
from sweepless.criteria.scores.base import BoundScore, Outputs, Score, mean_over_folds
from sweepless.criteria.scores.outputs import LossScore
from sweepless.kernels.bayes.moments import ROUNDING
from sweepless.kernels.bayes.probabilities import fill_probabilities

LARGEST_SCORE = 4096.0
"""Beyond this, the rounding of log likelihoods changes the twelfth digit of losses."""
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
        self._folds = [BoundScore(score, truth[part], classes) for part in self._parts]

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
            return np.where(largest <= LARGEST_SCORE, self._folds[k](Outputs.counted(probabilities)), np.nan)
        rounding = 4.0 * ROUNDING * (largest + 8.0)
        bounds = np.stack([np.full(len(here), _SMALLEST), rounding, coldness * doubts.calls[:, k]], axis=1)
        return self._folds[k](Outputs(probabilities, bounds, (0.0, 1.0), lambda m: doubts.rows(m)[part]))
