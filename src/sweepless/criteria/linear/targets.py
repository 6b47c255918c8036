"""What a linear model predicts: one real target, or one output of ±1 per class."""

from __future__ import annotations

from typing import Literal

import numpy as np

from sweepless._typing import Counts, Values
from sweepless.criteria.scoring import numbers, require_squares
from sweepless.dataset import Dataset
from sweepless.errors import DataError
from sweepless.kernels.factor import moments
from sweepless.kernels.linear.ridge import sum_of_squares

Score = Literal["r2", "mse", "accuracy"]


class Targets:
    """The outputs of ridge regression: a target of mean 0 and norm 1, or ±1 for each class (one row for two classes).

    Attributes
    ----------
    square : float
        The square of the norm by which a real target was divided.
    unit : float
        The scale of J: that of the target for squared errors, 1 for shares.
    best : float
        The value of a perfect prediction of a real target.
    """

    def __init__(self, data: Dataset, score: Score) -> None:
        self.score = score
        self.classifies = score == "accuracy"
        self.truth: Counts = np.zeros(data.n_samples, dtype=np.int64)
        self.square, self.unit, self.best = 1.0, 1.0, float(score == "r2")
        if self.classifies:
            data.require_classes()
            self.truth = data.codes
            self.outputs = signs(data.codes, len(data.classes))
            return
        values = numbers(data)
        mean, rest, norm = moments(values[None])[0]
        if norm == 0.0:
            raise DataError(f"the target of {data.name} must vary, got {values[0]} for every sample.")
        self.square = float(norm) * float(norm)
        if score == "mse":
            require_squares(values, data.name)
            self.unit = 2.0 ** float(np.floor(np.log2(self.square / data.n_samples)))
        self.outputs = ((values - mean - rest) / norm)[None]

    def ordered(self, order: Counts) -> Targets:
        """Put the samples into another order, and return the targets themselves."""
        self.truth = np.ascontiguousarray(self.truth[order])
        self.outputs = np.ascontiguousarray(self.outputs[:, order])
        return self


def signs(codes: Counts, n_classes: int) -> Values:
    """Return 1 for a sample's class and -1 for the others, one class per row; only the second row of two."""
    outputs = np.where(codes == np.arange(n_classes)[:, None], 1.0, -1.0)
    return outputs[1:] if n_classes == 2 else outputs


def winners(predicted: Values) -> Counts:
    """Return the class of the greatest prediction, the lowest class if several are equal."""
    chosen: Counts = (predicted[0] > 0.0).astype(np.int64) if len(predicted) == 1 else np.argmax(predicted, axis=0)
    return chosen


def squared_error(predicted: Values, actual: Values) -> float:
    """Return the sum of squared errors, added up in the order of the samples."""
    return float(sum_of_squares(actual - predicted))
