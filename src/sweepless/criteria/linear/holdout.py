"""A linear model fitted once to one data set and used once on another."""

from __future__ import annotations

import numpy as np

from sweepless._typing import Features
from sweepless.criteria.linear.loo import TINY_PENALTY
from sweepless.criteria.linear.targets import Score, numbers, signs, squared_error, winners
from sweepless.dataset import Dataset
from sweepless.errors import DataError
from sweepless.kernels.factor import moments
from sweepless.kernels.linear.ridge import fold_predictions, scaled


def holdout_value(train: Dataset, test: Dataset, members: Features, alpha: float, score: Score) -> float:
    """Return the score on `test` of ridge regression fitted to `train`."""
    columns = train.columns(members)
    found = moments(columns)
    norms = found[:, 2]
    with np.errstate(all="ignore"):
        inverse = np.where(np.isfinite(1.0 / norms), 1.0 / norms, 0.0)
        penalties = np.where(inverse > 0.0, np.minimum(alpha / norms / norms, 2.0**200), 0.0) + TINY_PENALTY
    rows = scaled(np.hstack([columns, test.columns(members)]), found, inverse)
    if score == "accuracy":
        train.require_classes()
        outputs = signs(train.codes, len(train.classes))
    else:
        outputs = numbers(train)[None]
    # Centred outputs of unit norm would only move the last digits: here nothing is compared with a neighbour.
    predicted = fold_predictions(
        rows,
        np.hstack([outputs, np.zeros((len(outputs), test.n_samples))]),
        np.zeros(len(members)),
        1.0 / np.sqrt(1.0 + penalties),
        np.ascontiguousarray(outputs.mean(axis=1)),
        penalties / (1.0 + penalties),
        train.n_samples,
        train.n_samples + test.n_samples,
    )
    if score == "accuracy":
        known = {label: code for code, label in enumerate(train.classes.tolist())}
        truth = np.array([known.get(label, -1) for label in test.target.tolist()])
        return int(np.count_nonzero(winners(predicted) == truth)) / test.n_samples
    actual = numbers(test)
    error = squared_error(predicted[0], actual)
    if score == "mse":
        return -error / test.n_samples
    spread = squared_error(np.full(test.n_samples, actual.mean()), actual)
    if np.ptp(actual) == 0.0:
        raise DataError(f"the target of {test.name} must vary for score='r2', got {actual[0]} for every sample.")
    return 1.0 - error / spread
