"""The arms of the honest benchmark: ways to choose features of several sizes from a training half."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.feature_selection import RFE
from sklearn.linear_model import Ridge, RidgeClassifier
from sklearn.neighbors import KNeighborsClassifier

import sweepless as sw
from sweepless.runs.compare.peers import registry
from sweepless.runs.compare.peers.registry import AUTO, ELIMINATION, peer

Chosen = Mapping[int, np.ndarray]
Arm = Callable[[np.ndarray, np.ndarray, Sequence[int], int], Chosen]
RANDOM, ALL, ONE_NEIGHBOR = "random", "all features", "1-NN"
N_RANDOM = 5  # random subsets of every size, whose accuracies are averaged


def _peer(name: str, task: str) -> Arm:
    def arm(X: np.ndarray, y: np.ndarray, sizes: Sequence[int], seed: int) -> Chosen:
        return peer(name, {})(sw.Dataset(X, y, task=task), sizes, seed)

    return arm


def one_neighbor(X: np.ndarray, y: np.ndarray, sizes: Sequence[int], seed: int) -> Chosen:
    """The default before there was auto: the accuracy of 1-NN."""
    selector = sw.SequentialSelector(KNeighborsClassifier(1), max_size=max(sizes), random_state=seed).fit(X, y)
    return {size: selector.subsets_[size].features for size in sizes}


def _elimination(model: BaseEstimator) -> Arm:
    """RFE as scikit-learn's users call it; every size is a run of its own, the rounds before being the same."""

    def arm(X: np.ndarray, y: np.ndarray, sizes: Sequence[int], seed: int) -> Chosen:
        runs = {size: RFE(model, n_features_to_select=size, step=0.1).fit(X, y) for size in sizes}
        return {size: np.flatnonzero(run.support_) for size, run in runs.items()}

    return arm


def random_subsets(X: np.ndarray, y: np.ndarray, sizes: Sequence[int], seed: int) -> Chosen:
    order = np.random.default_rng(seed).permutation(X.shape[1])
    return {size: np.sort(order[:size]) for size in sizes}


def everything(X: np.ndarray, y: np.ndarray, sizes: Sequence[int], seed: int) -> Chosen:
    return {X.shape[1]: np.arange(X.shape[1])}


_CHEAP = (registry.F_TEST, registry.MRMR, registry.L1, registry.FOREST)
ARMS: dict[str, dict[str, Arm]] = {
    "classification": {
        AUTO: _peer(AUTO, "classification"),
        ONE_NEIGHBOR: one_neighbor,
        **{name: _peer(name, "classification") for name in _CHEAP},
        ELIMINATION: _elimination(RidgeClassifier()),
        RANDOM: random_subsets,
        ALL: everything,
        **{
            name: _peer(name, "classification")
            for name in (registry.ABESS, registry.INFORMATION, registry.RELIEF, registry.BORUTA)
        },
    },
    "regression": {
        AUTO: _peer(AUTO, "regression"),
        **{name: _peer(name, "regression") for name in _CHEAP},
        ELIMINATION: _elimination(Ridge()),
        RANDOM: random_subsets,
        ALL: everything,
        **{name: _peer(name, "regression") for name in (registry.ABESS, registry.INFORMATION)},
    },
}
OURS = (AUTO, ONE_NEIGHBOR)


def draws(name: str, seed: int) -> list[int]:
    """Return the seeds of an arm on a half: several for random subsets, else the half's own."""
    return [100 * seed + k for k in range(N_RANDOM)] if name == RANDOM else [seed]


def n_runs(name: str, sizes: Sequence[int]) -> int:
    """Return among how many runs the time of an arm is shared out: that of RFE is the time of one size."""
    return {RANDOM: N_RANDOM, ELIMINATION: len(sizes)}.get(name, 1)
