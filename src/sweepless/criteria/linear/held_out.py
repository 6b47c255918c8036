"""What the outputs of a linear model for held-out samples are worth, and what their errors leave open.

This is the one place where outputs become values. Scores of classes and of ranks are proven as soon as no two outputs
are within their errors of each other; losses are smooth, so that they are off by little and J is rounded to a grid.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, TypeAlias

import numpy as np

from sweepless._typing import AnyArray, Counts, Values
from sweepless.criteria.scores.base import BoundScore, Outputs, Score
from sweepless.criteria.scores.outputs import LossScore, log_loss
from sweepless.kernels.linear.losses import softmax

LIKE_SCRATCH = 20.0
"""By how much the errors of a fit from scratch, and some more, may be greater."""

Rows: TypeAlias = Callable[[int], Values]
_SMOOTH_ENOUGH = 2.0**-33  # an error of a loss that crosses a boundary of the grid in one of a hundred cases
_SMOOTH_WANTED = 2.0**-35  # of which far fewer have to be computed from scratch, and which hardly takes longer
_FEW = 3  # samples between two classes that leave little hope to prove all classes
_SMALL = 2.0**-8  # an error with which neighbors may be proven even where outputs are equal next door
_EQUAL = 16.0  # outputs that differ by no more than so many times their errors may be equal
_ROUNDING = 2.0**-45  # of a mean loss
_HUGE = 1e100  # an error that leaves nothing certain; infinity times zero would be no number
_SATURATED = 2.0**-50  # probabilities that differ by less may be equal in scikit-learn


def is_smooth(score: Score) -> bool:
    """Tell whether a score follows small changes of probabilities by small changes."""
    return isinstance(score, LossScore)


class HeldOut:
    """Values outputs for the held-out samples of one fold.

    Parameters
    ----------
    score : Score
    truth, classes : array
        The codes of the held-out samples, and the labels of all codes.
    present : array
        The codes of the classes that were trained, in the order of the outputs.
    close : float
        Outputs that differ by more than this are never equal, however large their errors.
    ties : {"class", "nan"}
        What then happens: the first class wins, or the subset has no value.
    """

    def __init__(
        self,
        score: Score,
        truth: Counts,
        classes: AnyArray,
        present: Counts,
        close: float,
        ties: Literal["class", "nan"],
    ) -> None:
        self._score = BoundScore(score, truth, classes)
        self._is_smooth, self._takes_labels = is_smooth(score), score.needs == "labels"
        self._takes_shares = score.needs == "probabilities"
        self._present, self._n_classes = present, len(classes)
        self._close, self._ties = close, ties
        self.enough = _SMOOTH_ENOUGH if self._is_smooth else 0.0
        self._is_true = np.arange(len(classes))[:, None] == truth
        self._has_slopes, self._steepness = False, 1.0
        if isinstance(score, LossScore):
            self._has_slopes = score.loss is log_loss and not score.is_relative
            shares = np.repeat(np.mean(self._is_true, axis=1)[None, :, None], len(truth), axis=2)
            whole = max(float(score.loss(shares, truth)[0]), 2.0**-1000)
            self._steepness = len(truth) / whole if score.is_relative else 1.0

    def summarized(self, errors: Values) -> Values:
        """Return what matters of the errors of all samples (candidate, sample): their mean, or the largest."""
        most = np.mean if self._is_smooth else np.max
        return np.asarray(most(errors, axis=1, keepdims=True))

    def wanted(self, outputs: Values) -> float:
        """Return the error with which neighbors of these outputs (output, sample) may be proven."""
        if self._is_smooth:
            return _SMOOTH_WANTED
        if not self._takes_labels or outputs.shape[1] <= _FEW:
            return np.inf
        ordered = np.sort(outputs, axis=0)
        gaps = ordered[-1] - ordered[-2] if len(outputs) > 1 else np.abs(outputs[0])
        return max(float(np.partition(gaps, _FEW)[_FEW]) / 2.0, _SMALL)  # each of two may be off

    def slopes(self, outputs: Values) -> Values | None:
        """Return how the value falls with every output (candidate, output, sample), if that is known.

        To first order it is off by the sum of errors times slopes, in which most errors cancel. The second derivatives
        of log loss are at most a fourth, so that the rest is at most an eighth of the mean squared error.
        """
        if not self._has_slopes:
            return None
        shares = self._shares(outputs)
        is_clipped = np.any((shares < _SATURATED) & self._is_true, axis=(1, 2))  # where log loss has a bend
        slopes = (shares - self._is_true) / self._is_true.shape[1]
        slopes[is_clipped] = np.nan
        return np.ascontiguousarray(slopes[:, -outputs.shape[1] :])

    def judged(self, outputs: Values, errors: Values, rows: Rows, *, foresees: bool) -> tuple[Values, Values]:
        """Return the values of candidates whose outputs (candidate, output, sample) may be off, and their errors.

        The error of a value that is not smooth is zero or infinite: it is proven, or nothing is known. `rows` returns
        the features of all samples for one candidate: samples with equal features have equal outputs. If these errors
        foresee those of a fit from scratch, they also tell which outputs may be equal by the definition.
        """
        largest = np.minimum(np.nan_to_num(np.max(errors, axis=1, initial=0.0), nan=_HUGE), _HUGE)
        if self._is_smooth:  # no loss changes faster than its output
            doubts = self._steepness * errors.mean(axis=1) + _ROUNDING
            return self._score(self._as_outputs(outputs, largest, rows)), np.nan_to_num(doubts, nan=np.inf)
        close = np.minimum(self._close, LIKE_SCRATCH * _EQUAL * largest) if foresees else self._close
        values = self._score(self._as_outputs(outputs, close + 2.0 * largest, rows))
        return values, np.where(np.isfinite(values), 0.0, np.inf)

    def settled(self, outputs: Values, errors: Values, rows: Rows) -> float:
        """Return the value of final outputs (output, sample), whose errors are small: the definition."""
        close = min(self._close, _EQUAL * float(np.max(errors, initial=0.0)))
        if self._ties == "class" and not self._is_smooth:  # whatever is clearly apart stays so
            rounded = np.rint(outputs / close) * close
            return float(self._score(Outputs.counted(self._as_outputs(rounded[None], np.zeros(1), rows).values))[0])
        return float(self._score(self._as_outputs(outputs[None], np.array([close]), rows))[0])

    def _as_outputs(self, outputs: Values, doubts: Values, rows: Rows) -> Outputs:
        if not self._takes_shares:
            return Outputs.margins(self._widened(outputs), doubts)._replace(rows=rows)
        every = np.full(len(outputs), _SATURATED)
        return Outputs(self._shares(outputs), np.stack([every, 4.0 * every, doubts], axis=1), (0.0, 1.0), rows)

    def _shares(self, outputs: Values) -> Values:
        wide = np.concatenate([np.zeros_like(outputs), outputs], axis=1) if outputs.shape[1] == 1 else outputs
        shares = np.empty_like(wide)
        softmax(wide, shares)
        return shares

    def _widened(self, outputs: Values) -> Values:
        """Return one output for each class if some were not trained: those lose every comparison."""
        if len(self._present) == self._n_classes:
            return outputs
        wide = np.full((len(outputs), self._n_classes, outputs.shape[2]), -np.inf)
        wide[:, self._present] = 0.0
        wide[:, self._present[-outputs.shape[1] :]] = outputs
        return wide
