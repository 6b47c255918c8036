"""Runs that are killed at random moments, again and again, until one life gets through. Needs `fork`.

Every life is a process of its own that is killed (SIGKILL) after a random time; the next one resumes the journal that
it left. What comes of it must be what the undisturbed twin found, bit for bit.
"""

from __future__ import annotations

import os
import random
import signal
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.linear_model import LogisticRegression

from sweepless import (
    KNN,
    Criterion,
    Dataset,
    EstimatorCriterion,
    Journal,
    MultinomialBhattacharyya,
    Result,
    WarmUp,
    resume,
    run,
)

_SAMPLED = {"budget": 15, "backward_budget": 10, "warm_up": WarmUp(40, 5)}
METHODS: dict[str, dict[str, Any]] = {
    "sSFFS": _SAMPLED | {"target": 14},
    "sOS": _SAMPLED | {"target": 8},
    "SFFS": {"target": 6},
    "DAF1": {"n_probes": 1500, "probe_sizes": (1, 12), "max_size": 20},
}
CRITERIA = {
    "k-NN": (KNN(), 120, 40),
    "multinomial": (MultinomialBhattacharyya(), 400, 60),
    "estimator": (EstimatorCriterion(LogisticRegression(max_iter=20), cv=2), 40, 12),
}
_MOST_KILLS = 12  # of one run; then it may live


@dataclass(frozen=True)
class Case:
    """One search: everything that decides its result."""

    method: str
    criterion: Criterion
    data: Dataset = field(repr=False)
    options: dict[str, Any]

    def run(self, **more: Any) -> Result:
        return run(self.method, self.criterion, self.data, **self.options, **more)


def fixed_case(method: str, criterion: str) -> Case:
    """A search of a fraction of a second, long enough to be killed in."""
    J, n_samples, n_features = CRITERIA[criterion]
    X = np.random.default_rng(5).integers(0, 5, (n_samples, n_features)).astype(np.float64)
    options = dict(METHODS[method])
    if criterion == "estimator" and method == "DAF1":
        options |= {"n_probes": 60, "probe_sizes": (1, 6), "max_size": 8}
    if n_features < 20:
        options["target"] = min(options.get("target", 5), 5)
    return Case(method, J, Dataset(X, (X[:, :3].sum(axis=1) > 6).astype(int)), options)


def timed(case: Case) -> tuple[Result, float]:
    """Run undisturbed, the second time for the clock."""
    case.run()
    began = time.monotonic()
    return case.run(), time.monotonic() - began


def tormented(case: Case, path: Path, seconds: float, rng: random.Random) -> tuple[int, int, Result]:
    """Kill a run until it once gets through; return the kills, the torn records, and its result."""
    kills = torn = 0
    while True:
        child = os.fork()
        if child == 0:
            _live(case, path)
        if kills < _MOST_KILLS:
            time.sleep(rng.uniform(0.0, (1.2 + kills / 5) * seconds))  # ever longer, or short runs would never end
            os.kill(child, signal.SIGKILL)
        _, status = os.waitpid(child, 0)
        if os.WIFEXITED(status) and os.WEXITSTATUS(status) == 0:
            return kills, torn, resume(path, case.criterion, case.data)
        if os.WIFEXITED(status):
            raise RuntimeError(f"a life of {case} failed; its journal is {path}")
        kills += 1
        torn += path.exists() and not path.read_bytes().endswith(b"\n")


def _live(case: Case, path: Path) -> None:
    """Begin or go on, and leave without looking back."""
    try:
        if path.exists() and path.stat().st_size and path.read_bytes().count(b"\n"):
            resume(path, case.criterion, case.data)
        else:
            path.unlink(missing_ok=True)  # killed before its header was whole: there is nothing to resume
            case.run(journal=Journal(path))
        os._exit(0)
    except BaseException as error:
        print(f"{type(error).__name__}: {error}", file=sys.stderr)
        os._exit(1)


def facts(result: Result) -> dict[str, Any]:
    """Return everything that a result tells but the time."""
    return result.to_dict() | {
        "seconds": None,
        "trace": result.trajectory(),
        "anatomy": result.anatomy.to_dict(),
        "scores": None if result.scores is None else result.scores.tobytes(),
        "order": None if result.order is None else result.order.tolist(),
        "tried": None if result.tried is None else result.tried.tolist(),
    }
