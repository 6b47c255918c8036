"""What normal models say about held-out samples, as scores want to hear it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from sweepless._typing import Mask, Values
from sweepless.criteria.discriminant.training import TrainingPart
from sweepless.criteria.scores.base import Needs, Outputs, Score
from sweepless.criteria.scores.outputs import LossScore
from sweepless.kernels.bayes.probabilities import fill_probabilities
from sweepless.kernels.discriminant.margins import share_by_margin, sum_magnitudes
from sweepless.kernels.scores import row_sums

CLASS_SCORES: tuple[Needs, ...] = ("labels", "outputs", "probabilities")
"""What a score may need."""

# Beyond this error of log posteriors, in units of their magnitude, their digits say too little about the estimator's.
_LARGEST_DOUBT = 2.0**-20
# Beyond this bound on the error of log posteriors the twelfth digit of a loss is in doubt. Of 4,000 random and hostile
# losses, and of 6,000 by QDA on features of any scale, none with a smaller bound was off by more than 2e-13.
_LARGEST_LOSS_DOUBT = 2.0**-30
_SMALLEST = 2e-323  # some steps between the smallest doubles
_LARGEST_LOST = 2.0**-43  # the mean of what log probabilities may lose where 1 - p is rounded


class Outcome(NamedTuple):
    """What the models of candidates say about held-out samples.

    Attributes
    ----------
    scores : array of shape (candidate, class, sample)
        Log posteriors but for a term that all classes of a sample share; for the classes that were trained on.
    doubts : array of shape (candidate,)
        How far they may be off by rounding, in units of their magnitude; infinite if there is no value.
    """

    scores: Values
    doubts: Values

    def doubted(self, factor: float) -> Outcome:
        """Return the same with greater doubts."""
        return Outcome(self.scores, factor * self.doubts)

    def outputs(self, score: Score, part: TrainingPart) -> tuple[Outputs, Mask]:
        """Return what a score needs, and which candidates have a value."""
        is_sound = self.doubts <= _LARGEST_DOUBT
        doubts = np.where(is_sound, self.doubts, 0.0)
        if score.needs == "labels":
            return Outputs(self._of_all(part), np.outer(doubts, [1.0, 2.0, 0.0]), (-np.inf, np.inf)), is_sound
        with np.errstate(invalid="ignore"):  # where there is no value
            if isinstance(score, LossScore):
                shares, _ = self._probabilities()
                is_sound &= doubts * self._magnitude(part) <= _LARGEST_LOSS_DOUBT
                is_sound &= _lost(shares, part) <= _LARGEST_LOST
                return Outputs.counted(shares), is_sound
            errors = doubts * (1.0 + 2.0 * np.abs(self.scores).max(axis=(1, 2)))
            if score.needs == "outputs":
                values = self.scores[:, 1:] - self.scores[:, :1] if self.scores.shape[1] == 2 else self.scores
                return Outputs.margins(values, 2.0 * errors), is_sound
            shares, largest = self._probabilities()
        bounds = np.stack([np.full(len(errors), _SMALLEST), 2.0**-50 * (largest + 8.0), 2.0 * errors], axis=1)
        return Outputs(shares, bounds, (0.0, 1.0)), is_sound

    def _of_all(self, part: TrainingPart) -> Values:
        """Return scores for all classes: minus infinity for those that were not trained on."""
        if len(part.present) == len(part.classes):
            return self.scores
        scores = np.full((len(self.scores), len(part.classes), self.scores.shape[2]), -np.inf)
        scores[:, part.present] = self.scores
        return scores

    def _probabilities(self) -> tuple[Values, Values]:
        """Return probabilities, and the largest score of a winner."""
        shares, largest = np.empty(self.scores.shape), np.zeros(len(self.scores))
        if self.scores.shape[1] == 2:  # scores take the probability of the second class, and of the first what is left
            share_by_margin(self.scores, shares)
        else:
            fill_probabilities(self.scores, 1.0, shares, largest)
        return shares, largest

    def _magnitude(self, part: TrainingPart) -> Values:
        """Return the mean over samples of the magnitudes that the probability of the true class depends on."""
        sums = np.empty(len(self.scores))
        sum_magnitudes(self.scores, part.truth, sums)
        return 1.0 + sums / len(part.truth)


def _lost(shares: Values, part: TrainingPart) -> Values:
    """Return the mean of what log probabilities of the first of two classes may lose, as they are what is left of 1."""
    if shares.shape[1] > 2:
        return np.zeros(len(shares))
    with np.errstate(divide="ignore"):
        lost = np.ascontiguousarray(2.0**-53 / shares[:, 0, part.truth == 0])  # the layout that is compiled ahead
        return np.asarray(row_sums(lost) / len(part.truth))
