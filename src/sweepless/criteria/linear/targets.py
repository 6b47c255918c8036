"""What a linear model is to predict, and what its predictions are worth."""

from __future__ import annotations

from typing import Literal

import numpy as np

from sweepless._typing import AnyArray, Counts, Values
from sweepless.criteria.target_range import require_squares
from sweepless.dataset import Dataset
from sweepless.errors import DataError
from sweepless.kernels.factor import moments
from sweepless.kernels.linear.ridge import sum_of_squares

Score = Literal["r2", "mse", "accuracy"]


class Targets:
    """Targets of mean 0 and norm 1, or one output of ±1 for each class (one output for two classes)."""

    def __init__(self, data: Dataset, score: Score) -> None:
        self.score = score
        self.classifies = score == "accuracy"
        self.truth: Counts = np.zeros(data.n_samples, dtype=np.int64)
        self.square = 1.0
        if self.classifies:
            data.require_classes()
            self.truth = data.codes
            self.outputs = signs(data.codes, len(data.classes))
        else:
            values = numbers(data)
            mean, rest, norm = moments(values[None])[0]
            self.square = float(norm) * float(norm)
            if norm == 0.0:
                raise DataError(f"the target of {data.name} must vary, got {values[0]} for every sample.")
            if score == "mse":
                require_squares(values, data.name)
            self.outputs = ((values - mean - rest) / norm)[None]

    def ordered(self, order: Counts) -> Targets:
        """Sort the samples."""
        self.truth = np.ascontiguousarray(self.truth[order])
        self.outputs = np.ascontiguousarray(self.outputs[:, order])
        return self

    def unit(self, n_samples: int) -> float:
        """Return the scale of J: its own for squared errors, 1 for shares."""
        return 2.0 ** float(np.floor(np.log2(self.square / n_samples))) if self.score == "mse" else 1.0


def numbers(data: Dataset) -> Values:
    """Return the target as one number per sample."""
    target: AnyArray = data.target
    if target.ndim != 1 or target.dtype.kind not in "biuf":
        raise DataError(
            f"the target of {data.name} must be one number per sample, got dtype {target.dtype} of shape "
            f"{target.shape}; for classes use score='accuracy'."
        )
    return np.ascontiguousarray(target, dtype=np.float64)


def signs(codes: Counts, n_classes: int) -> Values:
    """Return 1 for a sample's class and -1 for the others, one class per row; the second of two alone."""
    outputs = np.where(codes == np.arange(n_classes)[:, None], 1.0, -1.0)
    return outputs[1:] if n_classes == 2 else outputs


def winners(predicted: Values) -> Counts:
    """Return the class of the greatest prediction, the lowest of equal ones."""
    chosen: Counts = (predicted[0] > 0.0).astype(np.int64) if len(predicted) == 1 else np.argmax(predicted, axis=0)
    return chosen


def squared_error(predicted: Values, actual: Values) -> float:
    return float(sum_of_squares(actual - predicted))
