"""Features so far from zero that an estimator that expands squared distances loses them in rounding."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.preprocessing import MinMaxScaler, RobustScaler, StandardScaler
from sklearn.svm import SVC

from sweepless._typing import Features, Values
from sweepless.dataset import Dataset
from sweepless.selectors.scaled import PerColumn

FARTHEST = 1024.0
"""How many deviations a mean may be away from zero for native values to be those of the estimator."""
_BLOCK_CELLS = 1 << 22


def left_aside(estimator: Any, scalers: tuple[Any, ...], data: Dataset, by_loss: bool) -> tuple[int, ...]:
    """Return the features such that the estimator itself has to value every subset that holds one of them.

    Support vector machines, and k-NN without trees, compute |x|² - 2xy + |y|²; native criteria do not. Naive Bayes
    rounds its means, which changes no class but the last digits of probabilities, and so of their losses.
    """
    expands = type(estimator) is SVC or (
        type(estimator) in (KNeighborsClassifier, KNeighborsRegressor)
        and estimator.algorithm not in ("kd_tree", "ball_tree")
    )
    rounds = by_loss and type(estimator) is GaussianNB
    if not (expands or rounds) or any(_centers(scaler, data.n_samples) for scaler in scalers):
        return ()
    return tuple(far_features(data).tolist())


def far_features(data: Dataset) -> Features:
    """Return the features whose mean is more than `FARTHEST` deviations from zero.

    A constant has no deviation; its mean is compared with the least deviation of the others.
    """
    low, high = (_reduced(data.X, which) for which in ("min", "max"))
    least = (high - low) / np.sqrt(2.0 * data.n_samples)  # no deviation is less
    is_constant = least == 0.0
    if not is_constant.all():
        least[is_constant] = least[~is_constant].min()
    open_ = np.flatnonzero(~(np.maximum(np.abs(low), np.abs(high)) <= FARTHEST * least))
    far = is_constant[open_]
    width = max(1, _BLOCK_CELLS // data.n_samples)
    for first in range(0, len(open_), width):
        part = slice(first, first + width)
        columns = data.columns(open_[part])
        with np.errstate(over="ignore", invalid="ignore"):
            far[part] |= ~(np.abs(columns.mean(axis=1)) <= FARTHEST * columns.std(axis=1))
    return np.asarray(open_[far])


def is_far(target: Values) -> bool:
    """Tell whether the mean of a target is more than `FARTHEST` deviations from zero."""
    with np.errstate(over="ignore", invalid="ignore"):
        return not abs(float(target.mean())) <= FARTHEST * float(target.std())


def _reduced(matrix: Any, which: str) -> Values:
    """Return the least or the greatest value of every column."""
    found = getattr(matrix, which)(axis=0)
    return np.asarray(found.toarray() if sparse.issparse(found) else found, dtype=np.float64).ravel()


def _centers(scaler: Any, n_samples: int) -> bool:
    """Tell whether no feature is far from zero after the scaler."""
    if isinstance(scaler, PerColumn):
        return all(_centers(one, n_samples) for one in scaler.scalers)
    if type(scaler) is MinMaxScaler:
        low, high = scaler.feature_range
        return bool(max(abs(low), abs(high)) * np.sqrt(2.0 * n_samples) <= FARTHEST * (high - low))
    return bool(
        (type(scaler) is StandardScaler and scaler.with_mean)
        or (type(scaler) is RobustScaler and scaler.with_centering)
    )
