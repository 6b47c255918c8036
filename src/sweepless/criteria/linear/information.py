"""Information criteria of linear models: the likelihood of a subset, less a charge for its size."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from math import log
from typing import Literal

import numpy as np

from sweepless._checks import not_negative, one_of
from sweepless._typing import Features
from sweepless.criteria.base import Criterion, Cursor, require_members
from sweepless.criteria.linear.information_squares import SquaresCursor
from sweepless.criteria.linear.information_smooth import LikelihoodCursor
from sweepless.criteria.linear.ridge import RidgeCriterion
from sweepless.dataset import Dataset

Charge = Literal["aic", "bic", "ebic"]


@dataclass(frozen=True)
class InformationCriterion(Criterion):
    score: Charge = "ebic"
    alpha: float | None = None

    def __post_init__(self) -> None:
        one_of("score", self.score, ("aic", "bic", "ebic"))
        if self.alpha is not None:
            not_negative("alpha", self.alpha)

    def charge(self, size: int, data: Dataset) -> float:
        """Return what a subset of some size is charged per sample, in units of log-likelihood."""
        n_coefficients = len(np.unique(data.codes)) - 1 if data.has_classes else 1
        each = n_coefficients * (1.0 if self.score == "aic" else log(data.n_samples) / 2.0)
        choice = log(data.n_features) if self.score == "ebic" else 0.0
        return size * (each + choice) / data.n_samples

    def bind(self, data: Dataset) -> Cursor:
        data.require_variation()
        if data.has_classes:
            data.require_classes()
            return LikelihoodCursor(data, 0.01 if self.alpha is None else self.alpha, partial(self.charge, data=data))
        return SquaresCursor(data, self.alpha or 0.0, partial(self.charge, data=data))
