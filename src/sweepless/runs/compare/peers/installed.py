"""Peers of other packages, which take part where they are installed: ReliefF, Boruta, abess."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.util import find_spec

import numpy as np
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.preprocessing import StandardScaler

from sweepless._typing import Features
from sweepless.dataset import Dataset
from sweepless.runs.compare.peers.base import dense, first_of, prefixes, target_of
from sweepless.runs.compare.peers.filters import f_statistics

_MOST_ROWS = 1000  # of ReliefF, whose time grows with their square
_NEIGHBORS = 10
_ROUNDS = 50  # of Boruta


def is_installed(package: str) -> bool:
    """Return whether a package can be imported."""
    return find_spec(package) is not None


def relieff(train: Dataset, sizes: Sequence[int], seed: int) -> Mapping[int, Features]:
    """Choose by ReliefF with 10 neighbors, on at most 1,000 random samples."""
    from skrebate import ReliefF

    X, y = dense(train), target_of(train)
    if len(X) > _MOST_ROWS:
        rows = np.sort(np.random.default_rng(seed).choice(len(X), _MOST_ROWS, replace=False))
        X, y = X[rows], y[rows]
    return prefixes(ReliefF(n_neighbors=_NEIGHBORS).fit(X, y).feature_importances_, sizes)


def boruta(train: Dataset, sizes: Sequence[int], seed: int) -> Mapping[int, Features]:
    """Choose by Boruta: confirmed features first, then tentative, then rejected ones; each by mean importance."""
    from boruta import BorutaPy

    kind = RandomForestClassifier if train.has_classes else RandomForestRegressor
    found = BorutaPy(kind(max_depth=5), n_estimators="auto", max_iter=_ROUNDS, random_state=seed)
    found.fit(dense(train), target_of(train))
    history = np.where(np.isnan(found.importance_history_), 0.0, found.importance_history_)
    return first_of(np.lexsort((-history.mean(axis=0), found.ranking_)), sizes)


def best_subset(train: Dataset, sizes: Sequence[int], seed: int) -> Mapping[int, Features]:
    """Choose by abess, which splices the best subset of every size for a (multinomial) logistic or linear model.

    Where it uses fewer features than asked for, those with the greatest F statistics are added.
    """
    import abess

    kind = abess.LinearRegression
    if train.has_classes:
        kind = abess.MultinomialRegression if len(train.classes) > 2 else abess.LogisticRegression
    X = StandardScaler().fit_transform(dense(train))
    varying = np.flatnonzero(X.any(axis=0))  # it refuses features that are constant
    statistics, chosen = f_statistics(train), {}
    for size in sizes:
        weights = np.zeros(train.n_features)
        fitted = kind(support_size=min(size, len(varying))).fit(X[:, varying], target_of(train))
        weights[varying] = np.abs(fitted.coef_).reshape(len(varying), -1).max(axis=1)
        chosen[size] = first_of(np.lexsort((-statistics, -weights)), [size])[size]
    return chosen
