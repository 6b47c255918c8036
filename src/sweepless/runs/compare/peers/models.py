"""Peers that read features off fitted models: elimination, L1 penalties, forests."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import ceil
from typing import Any

import numpy as np
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.feature_selection import RFE
from sklearn.linear_model import LassoCV, LogisticRegression, Ridge, RidgeClassifier, lasso_path
from sklearn.preprocessing import StandardScaler
from sklearn.svm import l1_min_c

from sweepless._typing import Features, Values
from sweepless.dataset import Dataset
from sweepless.runs.compare.peers.base import dense, first_of, prefixes, standardized, target_of
from sweepless.runs.compare.peers.filters import f_statistics

N_TREES = 500
_ROUNDS = 100  # of elimination down to the largest size asked for
_PENALTIES = np.geomspace(1.0, 1000.0, 25)  # the path of L1: times the least C at which a feature enters


@dataclass(frozen=True)
class Elimination:
    """RFE: drop the features with the least weights in a linear model, again and again.

    A ridge classifier (ridge regression for numbers) on standardised features; `step` features at a time down to
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


def l1_path(train: Dataset, sizes: Sequence[int], seed: int) -> Mapping[int, Features]:
    """Choose by L1-penalised logistic regression: features in the order in which they enter as the penalty falls.

    Of features that enter together the greater weight goes first, and of features that never enter the greater F.
    More than two classes have one model each, and a feature enters with the first of them. Numbers are predicted by
    the lasso: the features of `LassoCV` by their weights, then the rest of its path.
    """
    if not train.has_classes:
        return first_of(_lasso_order(train), sizes)
    entered, weight = np.full(train.n_features, np.inf), np.zeros(train.n_features)
    for number, weights in enumerate(_logistic_path(train, seed)):
        new = np.isinf(entered) & (weights > 0)
        entered[new], weight[new] = number, weights[new]
        if np.isfinite(entered).sum() >= max(sizes):
            break
    return first_of(np.lexsort((-f_statistics(train), -weight, entered)), sizes)


def _logistic_path(train: Dataset, seed: int) -> Iterator[Values]:
    """Yield the greatest absolute weight of every feature in the models of the classes, at falling penalties."""
    X = standardized(train)
    n_classes = len(train.classes)
    parts = [train.codes == code for code in range(n_classes if n_classes > 2 else 1)]
    least = [l1_min_c(X, part, loss="log") for part in parts]
    for factor in _PENALTIES:
        models = [_l1_logistic(factor * C, seed).fit(X, part) for C, part in zip(least, parts)]
        yield np.max([np.abs(model.coef_[0]) for model in models], axis=0)


def _l1_logistic(C: float, seed: int) -> Any:
    # scikit-learn 1.8 says l1_ratio=1 where older versions say penalty="l1".
    is_old = LogisticRegression().penalty == "l2"
    penalty: dict[str, Any] = {"penalty": "l1"} if is_old else {"l1_ratio": 1.0}
    return LogisticRegression(C=C, solver="liblinear", random_state=seed, **penalty)


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
