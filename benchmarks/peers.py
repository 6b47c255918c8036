"""What we are compared with: the same work by scikit-learn, mlxtend and plain NumPy."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from sklearn.feature_selection import SequentialFeatureSelector
from sklearn.model_selection import PredefinedSplit, cross_val_score
from sklearn.neighbors import KNeighborsClassifier

import sweepless as sw
from sweepless.criteria.folds import positional_folds


def positional_splits(data: sw.Dataset, n_folds: int) -> list[tuple[np.ndarray, np.ndarray]]:
    """Return our folds as scikit-learn takes them."""
    folds = positional_folds(data.codes, n_folds)
    return [(np.flatnonzero(folds != fold), np.flatnonzero(folds == fold)) for fold in range(n_folds)]


def peer_knn(data: sw.Dataset) -> Callable[[np.ndarray], float]:
    splits = positional_splits(data, 3)
    X = np.ascontiguousarray(data.X)
    return lambda subset: float(np.mean(cross_val_score(KNeighborsClassifier(1), X[:, subset], data.codes, cv=splits)))


def peer_multinomial(counts: np.ndarray, data: sw.Dataset) -> Callable[[np.ndarray], float]:
    """Value a subset from class counts, straightforwardly."""
    priors = data.class_sizes / data.n_samples
    upper = np.triu_indices(len(priors), 1)

    def value(subset: np.ndarray) -> float:
        narrowed = counts[:, subset]
        masses = narrowed.sum(axis=1)
        theta = (1.0 + narrowed) / (len(subset) + masses)[:, None]
        roots = np.sqrt(theta)
        overlaps = roots @ roots.T
        weights = np.outer(priors, priors)
        return float(-masses.sum() / data.n_samples * np.sum(weights[upper] * np.log(overlaps[upper])))

    return value


def peer_selection(data: sw.Dataset) -> Iterator[tuple[str, str, Callable[[], np.ndarray]]]:
    """Name each peer's whole selection of 5 features, and the method of ours that does the same."""
    splits = positional_splits(data, 3)
    X = np.ascontiguousarray(data.X)

    def by_sklearn() -> np.ndarray:
        selector = SequentialFeatureSelector(KNeighborsClassifier(1), n_features_to_select=5, cv=splits)
        return np.flatnonzero(selector.fit(X, data.codes).get_support())

    yield "scikit-learn", "SFS", by_sklearn
    try:
        from mlxtend.feature_selection import SequentialFeatureSelector as Floating
    except ImportError:
        print("mlxtend is not installed: its comparison is left out")
        return

    def by_mlxtend() -> np.ndarray:
        folds = PredefinedSplit(positional_folds(data.codes, 3))
        selector: Any = Floating(KNeighborsClassifier(1), k_features=5, forward=True, floating=True, cv=folds)
        return np.array(selector.fit(X, data.codes).k_feature_idx_)

    yield "mlxtend", "SFFS", by_mlxtend
