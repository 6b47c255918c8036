"""Kill runs at random moments, again and again, and compare what becomes of them with their undisturbed twins.

Every life of a run is a process of its own that is killed (SIGKILL) after a random time; the next one resumes the
journal it left. A run that comes to its end is compared with its twin, bit for bit. Needs `fork`.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import sys
import tempfile
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.linear_model import LogisticRegression

from sweepless import KNN, Dataset, EstimatorCriterion, Journal, MultinomialBhattacharyya, Result, WarmUp, resume, run

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


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=float("inf"), help="stop after so long")
    parser.add_argument("--seed", type=int, default=0)
    parsed = parser.parse_args()
    rng, began = random.Random(parsed.seed), time.monotonic()
    warnings.simplefilter("ignore")  # of records cut short, which are the point
    cases = [(method, criterion) for method in METHODS for criterion in CRITERIA]
    n_kills = n_torn = n_runs = n_wrong = 0
    with tempfile.TemporaryDirectory() as directory:
        twins = {case: twin(*case) for case in cases}
        while n_kills < parsed.kills and time.monotonic() - began < parsed.seconds:
            case = cases[n_runs % len(cases)]
            expected, seconds = twins[case]
            path = Path(directory) / f"{n_runs}.jsonl"
            kills, torn, found = tormented(*case, path, seconds, rng)
            same = facts(found) == facts(expected)
            n_kills, n_torn, n_runs, n_wrong = n_kills + kills, n_torn + torn, n_runs + 1, n_wrong + (not same)
            if not same:
                print(f"WRONG: {case} after {kills} kills, journal {path.read_bytes()[:200]!r} …")
    print(
        f"{n_kills} kills in {n_runs} runs of {', '.join(METHODS)} on {', '.join(CRITERIA)}; "
        f"{n_torn} left a torn record; {n_runs - n_wrong} runs ended bit for bit as undisturbed, {n_wrong} did not."
    )
    return int(n_wrong > 0)


def problem(method: str, criterion: str) -> tuple[Any, Dataset, dict[str, Any]]:
    J, n_samples, n_features = CRITERIA[criterion]
    rng = np.random.default_rng(5)
    X = rng.integers(0, 5, (n_samples, n_features)).astype(np.float64)
    options = dict(METHODS[method])
    if criterion == "estimator" and method == "DAF1":
        options |= {"n_probes": 60, "probe_sizes": (1, 6), "max_size": 8}
    if n_features < 20:
        options["target"] = min(options.get("target", 5), 5)
    return J, Dataset(X, (X[:, :3].sum(axis=1) > 6).astype(int)), options


def twin(method: str, criterion: str) -> tuple[Result, float]:
    """Run undisturbed, the second time for the clock."""
    J, data, options = problem(method, criterion)
    run(method, J, data, **options)
    began = time.monotonic()
    return run(method, J, data, **options), time.monotonic() - began


def tormented(method: str, criterion: str, path: Path, seconds: float, rng: random.Random) -> tuple[int, int, Result]:
    """Kill a run until it once gets through; return the kills, the torn records, and its result."""
    J, data, options = problem(method, criterion)
    kills = torn = 0
    while True:
        child = os.fork()
        if child == 0:
            live(method, J, data, path, options)
        time.sleep(rng.uniform(0.0, (1.2 + kills / 5) * seconds))  # ever longer, or short runs would never end
        os.kill(child, signal.SIGKILL)
        _, status = os.waitpid(child, 0)
        if os.WIFEXITED(status) and os.WEXITSTATUS(status) == 0:
            return kills, torn, resume(path, J, data)
        if os.WIFEXITED(status):
            raise SystemExit(f"a life of {method} on {criterion} failed; its journal is {path}")
        kills += 1
        torn += path.exists() and not path.read_bytes().endswith(b"\n")


def live(method: str, J: Any, data: Dataset, path: Path, options: dict[str, Any]) -> None:
    """Begin or go on, and leave without looking back."""
    try:
        if path.exists() and path.stat().st_size and path.read_bytes().count(b"\n"):
            resume(path, J, data)
        else:
            path.unlink(missing_ok=True)  # killed before its header was whole: there is nothing to resume
            run(method, J, data, journal=Journal(path), **options)
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


if __name__ == "__main__":
    sys.exit(main())
