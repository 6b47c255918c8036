"""Whole selections by linear models beside abess and other peers, each at its own best, on abess's own simulation.

`python benchmarks/linear_peers.py` takes some minutes, on one thread: four draws of 500 samples and 8,000 exponentially
correlated features, of which 20 matter with the coefficients of `abess.datasets.make_glm_data`. Every arm sees a small
problem first, so that nobody compiles or loads anything while the clock runs. A peer that is not installed is skipped.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

import numpy as np
from sklearn.linear_model import LinearRegression, LogisticRegression
from threadpoolctl import threadpool_limits

import sweepless as sw
from sweepless.criteria import InformationCriterion, LinearModel, RidgeCriterion

N_TRAIN, N_TEST, N_FEATURES, N_TRUE, MOST = 500, 2000, 8000, 20, 100
Arm = Callable[[str, np.ndarray, np.ndarray], np.ndarray]
"""Returns the features selected for a family of models, samples and targets."""


def simulated(
    family: str, seed: int, n_features: int = N_FEATURES, n_true: int = N_TRUE
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return samples, targets and the features that matter."""
    draws = np.random.default_rng(seed)
    X = draws.normal(size=(n_features, N_TRAIN + N_TEST))
    for feature in range(1, n_features):
        X[feature] = 0.5 * X[feature - 1] + np.sqrt(0.75) * X[feature]
    true = np.sort(draws.choice(n_features, n_true, replace=False))
    least = 5.0 * np.sqrt(2.0 * np.log(n_features) / N_TRAIN)
    ends = (least, 100.0 * least) if family == "linear" else (2.0 * least, 10.0 * least)
    signal = (draws.uniform(*ends, n_true) * draws.choice([-1.0, 1.0], n_true)) @ X[true]
    if family == "logistic":
        y = (draws.uniform(size=len(signal)) < 1.0 / (1.0 + np.exp(-np.clip(signal, -30, 30)))).astype(int)
    else:
        y = signal + draws.normal(size=len(signal))
    return np.asfortranarray(X.T), y, true


def fitted(family: str, X: np.ndarray, y: np.ndarray) -> Any:
    model = LinearRegression() if family == "linear" else LogisticRegression(C=1e3, max_iter=1000)
    return model.fit(X, y)


def searched(method: str, criterion: Callable[[str], Any], size: int | None = None, most: int = MOST) -> Arm:
    """Return a search of ours that reports a size, or the size of the greatest J."""

    def select(family: str, X: np.ndarray, y: np.ndarray) -> np.ndarray:
        data = sw.Dataset(X, y, task="regression" if family == "linear" else "classification")
        result = sw.run(method, criterion(family), data, target=min(most, X.shape[1] - 1), overshoot=0, seed=1)
        if size is not None:
            return result.archive[size].features
        return max(result.archive.values(), key=lambda record: record.value).features

    return select


def ridge(family: str) -> RidgeCriterion:
    return RidgeCriterion(1.0, score="r2" if family == "linear" else "class_r2")


def information(family: str) -> InformationCriterion:
    return InformationCriterion()


def spliced(family: str, X: np.ndarray, y: np.ndarray) -> np.ndarray:
    from abess import linear

    kind = linear.LinearRegression if family == "linear" else linear.LogisticRegression
    return np.flatnonzero(kind(support_size=range(min(MOST, X.shape[1] - 1) + 1), thread=1).fit(X, y).coef_)


def greedy_rls(family: str, X: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Forward selection by leave-one-out ridge in plain NumPy, after Pahikkala, Airola and Salakoski (2010)."""
    X, chosen = X - X.mean(axis=0), []
    duals, diagonal, cached = y - y.mean(), np.ones(len(y)), X.copy()
    for _ in range(N_TRUE):
        scales = 1.0 + np.einsum("tj,tj->j", X, cached)
        moves = (X.T @ duals) / scales
        errors = np.empty(X.shape[1])
        for some in np.array_split(np.arange(X.shape[1]), max(1, X.size // 100_000)):
            part = cached[:, some]
            left_out = (duals[:, None] - part * moves[some]) / (diagonal[:, None] - part**2 / scales[some])
            errors[some] = np.einsum("tj,tj->j", left_out, left_out)
        errors[chosen] = np.inf
        best = int(np.argmin(errors))
        chosen.append(best)
        path = cached[:, best].copy()
        duals, diagonal = duals - path * moves[best], diagonal - path**2 / scales[best]
        cached -= np.outer(path, X[:, best] @ cached / scales[best])
    return np.array(chosen)


def lasso_path(family: str, X: np.ndarray, y: np.ndarray) -> np.ndarray:
    """The supports of skglm's L1 path, refitted without penalty, and of these the one of the best extended BIC."""
    from skglm import Lasso, SparseLogisticRegression

    X = (X - X.mean(axis=0)) / X.std(axis=0)
    linear = family == "linear"
    target = y - y.mean() if linear else np.where(y > 0, 1.0, -1.0)
    largest = np.abs(X.T @ (target if linear else target / 2.0)).max() / len(y)
    model = (Lasso if linear else SparseLogisticRegression)(warm_start=True, fit_intercept=True)
    best, found = np.inf, np.empty(0, dtype=int)
    for alpha in largest * np.geomspace(1.0, 1e-3, 50)[1:]:
        support = np.flatnonzero(model.set_params(alpha=alpha).fit(X, target if linear else y).coef_)
        if len(support) > MOST:
            break
        if len(support):
            refitted = fitted(family, X[:, support], y)
            if linear:
                loss = len(y) / 2.0 * np.log(np.mean((y - refitted.predict(X[:, support])) ** 2))
            else:
                loss = -np.sum(refitted.predict_log_proba(X[:, support])[np.arange(len(y)), y])
            value = loss + len(support) * (np.log(len(y)) / 2.0 + np.log(X.shape[1]))
            if value < best:
                best, found = value, support
    return found


def correlated(family: str, X: np.ndarray, y: np.ndarray) -> np.ndarray:
    from fastcan import FastCan

    return np.asarray(FastCan(N_TRUE, verbose=0).fit(X, y.astype(float)).indices_)


def relevant(family: str, X: np.ndarray, y: np.ndarray) -> np.ndarray:
    import pandas as pd
    from mrmr import mrmr_classif, mrmr_regression

    choose = mrmr_regression if family == "linear" else mrmr_classif
    return np.array(choose(X=pd.DataFrame(X), y=pd.Series(y), K=N_TRUE, show_progress=False, n_jobs=1))


PEERS: dict[str, tuple[str, Arm]] = {
    "abess to 100, size by its EBIC": ("abess", spliced),
    "greedy RLS in NumPy, 20": ("numpy", greedy_rls),
    "skglm's L1 path, size by EBIC": ("skglm", lasso_path),
    "fastcan, 20": ("fastcan", correlated),
    "mrmr, 20": ("mrmr", relevant),
}
OURS: dict[str, dict[str, Arm]] = {
    "linear": {
        "SFS to 100 by EBIC": searched("SFS", information),
        "SFFS to 100 by EBIC": searched("SFFS", information),
        "SFS to 100 by leave-one-out ridge, 20": searched("SFS", ridge, N_TRUE),
        "SFFS to 100 by leave-one-out ridge, 20": searched("SFFS", ridge, N_TRUE),
        "the same, size of the greatest J": searched("SFFS", ridge),
    },
    "logistic": {
        "sSFS to 40 by EBIC": searched("sSFS", information, most=40),
        "sSFS to 100 by EBIC": searched("sSFS", information),
        "sSFFS to 40 by EBIC": searched("sSFFS", information, most=40),
        "SFS to 100 by leave-one-out ridge, 20": searched("SFS", ridge, N_TRUE),
        "sSFS to 30 by log loss of 5 folds, 20": searched(
            "sSFS", lambda family: LinearModel(score="neg_log_loss"), N_TRUE, 30
        ),
    },
}


def compare(family: str, seeds: list[int], skipped: set[str], without: list[str]) -> None:
    """Print what every arm found, and how long it took, run after run and in the mean."""
    arms = {name: arm for name, (module, arm) in PEERS.items() if module not in skipped} | OURS[family]
    arms = {name: arm for name, arm in arms.items() if not any(part in name for part in without)}
    X, y, _ = simulated(family, 0, 150, 3)
    for arm in arms.values():
        arm(family, X[:N_TRAIN], y[:N_TRAIN])  # nobody compiles while the clock runs
    found: dict[str, list[tuple[float, float, int, int]]] = {name: [] for name in arms}
    for seed in seeds:
        X, y, true = simulated(family, seed)
        train, test = slice(None, N_TRAIN), slice(N_TRAIN, None)
        for name, arm in arms.items():
            start = time.process_time()
            subset = arm(family, X[train], y[train])
            seconds = time.process_time() - start
            # 1 - R², or the share of wrong classes.
            model = fitted(family, X[train][:, subset], y[train])
            error = 1.0 - model.score(X[test][:, subset], y[test])
            hits = len(np.intersect1d(subset, true))
            found[name].append((seconds, error, hits, len(subset) - hits))
    base = np.mean([run[0] for run in next(iter(found.values()))])
    for name, runs in found.items():
        seconds, errors, hits, others = (np.array(column) for column in zip(*runs, strict=True))
        print(
            f"| {family} | {name} | {', '.join(f'{each:.2f}' for each in seconds)} | {seconds.mean() / base:.2f} "
            f"| {', '.join(f'{each:.2g}' for each in errors)} | {', '.join(map(str, hits))} "
            f"| {', '.join(map(str, others))} |",
            flush=True,
        )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, nargs="+", default=[1, 2, 3, 4])
    parser.add_argument("--families", nargs="+", default=["linear", "logistic"])
    parser.add_argument("--without", nargs="+", default=[], help="leave out arms whose names contain one of these")
    asked = parser.parse_args()
    warnings.simplefilter("ignore")
    missing = {module for module, _ in PEERS.values() if find_spec(module) is None}
    for module in sorted(missing):
        print(f"skipped: {module} is not installed")
    print("\n| | arm | seconds | times the first | test error | true | false |\n|---|---|---|---|---|---|---|")
    with threadpool_limits(1):
        for each in asked.families:
            compare(each, asked.seeds, missing, asked.without)
