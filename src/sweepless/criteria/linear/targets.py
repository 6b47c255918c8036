"""What a linear model predicts: one real target, or one output per class."""

from __future__ import annotations

from typing import Literal

import numpy as np

from sweepless._typing import Counts, Values
from sweepless.criteria.scoring import numbers, require_squares
from sweepless.dataset import Dataset
from sweepless.errors import DataError
from sweepless.kernels.factor import moments
from sweepless.kernels.linear.ridge import sum_of_squares

Score = Literal["r2", "mse", "accuracy", "class_r2"]
ClassWeight = Literal["balanced"] | None


class Targets:
    """The outputs of ridge regression, one per row.

    A real target has mean 0 and norm 1. Classes have one output each, but two classes share one: ±1 for "accuracy";
    for "class_r2" centered indicators whose squares sum to 1 over all outputs.

    Attributes
    ----------
    counts : bool
        Whether J is the share of samples that are classified correctly.
    is_stratified : bool
        Whether the target consists of classes, which every fold should hold alike.
    square : float
        The square of the norm by which a real target was divided.
    unit : float
        The scale of J: that of the target for squared errors, 1 for shares.
    best : float
        The value of a perfect prediction.
    """

    def __init__(self, data: Dataset, score: Score, class_weight: ClassWeight = None) -> None:
        self.score = score
        self.counts = score == "accuracy"
        self.is_stratified = score in ("accuracy", "class_r2")
        self.truth: Counts = np.zeros(data.n_samples, dtype=np.int64)
        self.square, self.unit, self.best = 1.0, 1.0, float(score != "mse")
        if self.is_stratified:
            data.require_classes()
            self.truth = data.codes
            self.outputs = signs(data.codes, len(data.classes)) if self.counts else indicators(data.codes, class_weight)
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


def indicators(codes: Counts, class_weight: ClassWeight) -> Values:
    """Return the centered indicator of every class that has samples, scaled so that all squares sum to 1.

    Balanced classes have outputs of the same norm. Two classes have mirrored indicators, so one of them says it all.
    """
    present = np.unique(codes)
    chosen = (codes == present[:, None])[len(present) == 2 :].astype(np.float64)
    found = moments(chosen)
    norms = found[:, 2:]
    whole = np.full_like(norms, np.sqrt(np.sum(norms**2))) if class_weight is None else norms * np.sqrt(len(norms))
    return np.asarray((chosen - found[:, :1] - found[:, 1:2]) / whole)


def winners(predicted: Values) -> Counts:
    """Return the class of the greatest prediction, the lowest class if several are equal."""
    chosen: Counts = (predicted[0] > 0.0).astype(np.int64) if len(predicted) == 1 else np.argmax(predicted, axis=0)
    return chosen


def squared_error(predicted: Values, actual: Values) -> float:
    """Return the sum of squared errors, added up in the order of the samples, output after output."""
    return float(sum_of_squares((actual - predicted).ravel()))
