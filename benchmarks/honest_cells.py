"""One cell of the honest benchmark: an arm chooses on one half, and models of several families judge on the other."""

from __future__ import annotations

import gzip
import json
import signal
import time
import warnings
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any, NoReturn

import numpy as np
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.svm import SVC

from honest_arms import ARMS, draws, n_runs
from honest_sets import SIZES, Missing, halves, task_of
from sweepless.runs.compare.peers.registry import missing_package

JUDGES: dict[str, dict[str, Any]] = {
    "classification": {
        "logistic": LogisticRegression(max_iter=1000),
        "svm": SVC(),
        "5-NN": KNeighborsClassifier(5),
        "forest": RandomForestClassifier(100, random_state=0),
    },
    "regression": {
        "ridge": Ridge(),
        "5-NN": KNeighborsRegressor(5),
        "forest": RandomForestRegressor(100, random_state=0),
    },
}
Key = tuple[str, int, str]
Row = dict[str, Any]


class OverTime(Exception):
    """An arm took longer than it may."""


def cell(name: str, seed: int, arm: str, limit: float) -> Row:
    """Return the row of a set, a half and an arm: features, seconds and holdout scores, or why there are none."""
    row: Row = {"set": name, "seed": seed, "arm": arm}
    if package := missing_package(arm):
        return row | {"skipped": f"{package} is not installed"}
    try:
        X, y, X_test, y_test = halves(name, seed)
    except Missing as error:
        return row | {"skipped": str(error)}
    choose, sizes = ARMS[task_of(name)][arm], SIZES[task_of(name)]
    began, cpu = time.perf_counter(), time.process_time()
    try:
        with warnings.catch_warnings(), at_most(limit):
            warnings.simplefilter("ignore")
            chosen = [choose(X, y, sizes, drawn) for drawn in draws(arm, seed)]
    except OverTime:
        return row | {"skipped": f"took more than {limit:.0f} s"}
    except Exception as error:  # a peer that fails on a set has no numbers there, and the page says why
        return row | {"skipped": f"{type(error).__name__}: {error}"[:300]}
    shared = n_runs(arm, sizes)
    row |= {
        "n_train": len(y),
        "n_test": len(y_test),
        "n_features": X.shape[1],
        "seconds": (time.perf_counter() - began) / shared,
        "cpu": (time.process_time() - cpu) / shared,
        "features": {size: np.asarray(subset).tolist() for size, subset in chosen[0].items() if size < X.shape[1]},
    }
    scores = {
        size: np.mean([_judged(name, X[:, c[size]], y, X_test[:, c[size]], y_test) for c in chosen], axis=0)
        for size in chosen[0]
    }
    judges = JUDGES[task_of(name)]
    return row | {"scores": {size: dict(zip(judges, map(float, found))) for size, found in scores.items()}}


def _judged(name: str, X: np.ndarray, y: np.ndarray, X_test: np.ndarray, y_test: np.ndarray) -> list[float]:
    """Return the accuracy, or R², of every judge on the other half."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return [float(judge.fit(X, y).score(X_test, y_test)) for judge in JUDGES[task_of(name)].values()]


@contextmanager
def at_most(seconds: float) -> Iterator[None]:
    """Raise `OverTime` after some seconds of the processor, whatever else the machine does."""

    def stop(number: int, frame: FrameType | None) -> NoReturn:
        raise OverTime

    before = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def read_rows(path: Path) -> dict[Key, Row]:
    """Return the finished cells of a file by set, seed and arm."""
    if not path.is_file():
        return {}
    with gzip.open(path, "rt", encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
    return {(row["set"], row["seed"], row["arm"]): row for row in rows}


def write_rows(path: Path, rows: Mapping[Key, Row]) -> None:
    """Write all cells anew, like ones side by side and without needless digits: a file small enough to be kept."""
    ordered = sorted(rows.values(), key=lambda row: (row["set"], row["arm"], row["seed"]))
    lines = "".join(json.dumps(_rounded(row), separators=(",", ":")) + "\n" for row in ordered)
    part = path.with_name(path.name + ".part")
    part.write_bytes(gzip.compress(lines.encode("utf-8"), mtime=0))
    part.replace(path)  # at once, so that whoever stops the run leaves a whole file


def _rounded(thing: Any) -> Any:
    if isinstance(thing, Mapping):
        return {key: _rounded(value) for key, value in thing.items()}
    return round(thing, 6) if isinstance(thing, float) else thing


def planned(sets: Iterable[str], seeds: Iterable[int], arms: Iterable[str] | None) -> list[Key]:
    """Return the cells in an order that gives every arm one half of every set first."""
    sets = list(sets)
    return [
        (name, seed, arm)
        for seed in seeds
        for arm in dict.fromkeys(arm for name in sets for arm in ARMS[task_of(name)])
        for name in sets
        if arm in ARMS[task_of(name)] and (arms is None or arm in arms)
    ]
