"""Peers that read features off fitted models: elimination, L1 penalties, forests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil
from typing import Any

import numpy as np
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.feature_selection import RFE
from sklearn.linear_model import LassoCV, LogisticRegression, Ridge, RidgeClassifier, lasso_path
from sklearn.preprocessing import StandardScaler

from sweepless._typing import Features
from sweepless.dataset import Dataset
from sweepless.runs.compare.peers.base import dense, first_of, prefixes, standardized, target_of
from sweepless.runs.compare.peers.filters import f_statistics

N_TREES = 500
_ROUNDS = 100  # of elimination down to the largest size asked for


@dataclass(frozen=True)
class Elimination:
    """RFE: drop the features with the least weights in a linear model, again and again.

    A ridge classifier (ridge regression for numbers) on standardized features; `step` features at a time down to
    the largest size asked for, so that it stays affordable, and one at a time below it.
    """

    step: int

    @classmethod
    def affordable(cls, n_features: int, largest: int) -> Elimination:
        """Return an elimination of about a hundred rounds down to the largest size."""
        return cls(max(1, ceil((n_features - largest) / _ROUNDS)))

    def n_fits(self, n_features: int, sizes: Sequence[int]) -> int:
        """Return how many models it takes: one each round, and scikit-learn's last one at every size."""
        return ceil((n_features - max(sizes)) / self.step) + max(sizes) - min(sizes) + len(sizes)

    def __call__(self, train: Dataset, sizes: Sequence[int], seed: int) -> Mapping[int, Features]:
        X = standardized(train)
        kept, step = np.arange(train.n_features), self.step
        model = RidgeClassifier() if train.has_classes else Ridge()
        chosen: dict[int, Features] = {}
        for size in sorted(sizes, reverse=True):
            selector = RFE(model, n_features_to_select=size, step=step).fit(X[:, kept], target_of(train))
            kept, step = kept[selector.support_], 1
            chosen[size] = kept
        return chosen


def l1(train: Dataset, sizes: Sequence[int], seed: int) -> Mapping[int, Features]:
    """Choose by logistic regression with an L1 penalty, C = 1, on standardized features: the greatest weights.

    More than two classes have one model each, and the absolute weights are added up. Of features without a weight
    those with greater F statistics go first. Numbers are predicted by the lasso: the features of `LassoCV` by their
    weights, then the others in the order in which they enter its path.
    """
    return first_of(_logistic_order(train, seed) if train.has_classes else _lasso_order(train), sizes)


def _logistic_order(train: Dataset, seed: int) -> Features:
    X, n_classes = standardized(train), len(train.classes)
    weights = np.zeros(train.n_features)
    for code in range(n_classes if n_classes > 2 else 1):
        weights += np.abs(_l1_logistic(seed).fit(X, train.codes == code).coef_[0])
    order: Features = np.lexsort((-f_statistics(train), -weights))
    return order


def _l1_logistic(seed: int) -> Any:
    # scikit-learn 1.8 says l1_ratio=1 where older versions say penalty="l1".
    is_old = LogisticRegression().penalty == "l2"
    penalty: dict[str, Any] = {"penalty": "l1"} if is_old else {"l1_ratio": 1.0}
    return LogisticRegression(solver="liblinear", random_state=seed, **penalty)


def _lasso_order(train: Dataset) -> Features:
    X = np.asfortranarray(StandardScaler().fit_transform(dense(train)))
    y = np.asarray(train.target, dtype=np.float64) - np.mean(train.target)
    weights = np.abs(LassoCV(max_iter=5000).fit(X, y).coef_)
    path = np.abs(lasso_path(X, y, max_iter=5000)[1]) > 0
    entered = np.where(path.any(axis=1), path.argmax(axis=1), path.shape[1])
    order: Features = np.lexsort((-f_statistics(train), np.where(weights > 0, 0, entered), -weights))
    return order


def forest(train: Dataset, sizes: Sequence[int], seed: int) -> Mapping[int, Features]:
    """Choose the features with the greatest importances in a forest of 500 trees."""
    kind = RandomForestClassifier if train.has_classes else RandomForestRegressor
    model = kind(N_TREES, random_state=seed).fit(train.X, target_of(train))
    return prefixes(model.feature_importances_, sizes)
