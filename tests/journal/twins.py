"""Runs and their twins: journals cut anywhere, and what must be equal afterwards, bit for bit."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.naive_bayes import GaussianNB as ScikitNB

from sweepless import METHODS, Dataset, Journal, Result, resume, run
from sweepless.criteria import KNN, EstimatorCriterion, FunctionCriterion, MultinomialBhattacharyya
from sweepless.search import WarmUp


def hilly(members: Any) -> float:
    """A cheap J with many hills and some ties."""
    return float(np.round(np.sin(7.3 * members.sum() + members[0]) + 0.3 * len(members), 2))


CRITERIA = {
    "function": FunctionCriterion(hilly),
    "knn": KNN(),
    "multinomial": MultinomialBhattacharyya(),
    "estimator": EstimatorCriterion(ScikitNB(), cv=2),
}


def small_data(n_features: int = 7) -> Dataset:
    rng = np.random.default_rng(3)
    X = rng.integers(0, 4, (24, n_features)).astype(np.float64)
    return Dataset(X, (X[:, 1] + X[:, 4] > 3).astype(int))


def options_of(name: str) -> dict[str, Any]:
    """Arguments with which every method has something to do on small data."""
    method = METHODS[name]
    options: dict[str, Any] = {"target": 4} if method.traits.needs_target or method.traits.pivots else {}
    if name.startswith("s"):
        options |= {"budget": 3, "backward_budget": 3, "warm_up": WarmUp(4, 2)}
    if name.startswith("DAF"):
        options |= {"n_probes": 20, "probe_sizes": (1, 3)}
    if name == "LFS":
        options |= {"pool_size": 5}
    return options


def recorded(path: Path, name: str, criterion: Any, data: Dataset, **options: Any) -> Result:
    path.unlink(missing_ok=True)
    return run(name, criterion, data, journal=Journal(path), **options)


def resumed_from(content: bytes, path: Path, criterion: Any, data: Dataset, **limits: Any) -> Result:
    """Resume a journal of which only so much is left."""
    path.write_bytes(content)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that the last record was cut short
        return resume(path, criterion, data, **limits)


def facts(result: Result) -> dict[str, Any]:
    """Everything that a result tells but the time."""

    def plain(record: Any) -> Any:
        return None if record is None else (record.size, record.value, record.features.tolist(), record.n_evaluations)

    return {
        "told": result.to_dict() | {"seconds": None},
        "archive": [plain(record) for record in result.archive.values()],
        "trace": result.trajectory(),
        "paid": [(step.forward_evaluations, step.backward_evaluations) for step in result.trace],
        "anatomy": result.anatomy.to_dict(),
        "best": plain(result.best),
        "stop": result.stop_reason,
        "scores": None if result.scores is None else result.scores.tobytes(),
        "order": None if result.order is None else result.order.tolist(),
        "tried": None if result.tried is None else result.tried.tolist(),
        "best_probe": plain(result.best_probe),
    }
