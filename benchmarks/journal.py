"""What a journal costs, and what a resume takes: the whole run replayed from its recorded values.

Three runs stand for three kinds: evaluations that cost something (madelon by k-NN), steps of well under a millisecond
on many features (dorothea), and a million features. The processor times of the three ways are taken in turn, and their
medians printed.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import sweepless.paper  # noqa: F401 - adds its data sets by name
from big import made_up_text
from sweepless import Journal, RandomSplits, load, resume, run
from sweepless.criteria import KNN, MultinomialBhattacharyya
from sweepless.data import Scaler01
from sweepless.engine.generator import make_rng


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--data-dir")
    parsed = parser.parse_args()
    print(f"{'run':34} {'plain':>8} {'journal':>8} {'resume':>8} {'file':>9}  shares of the plain run")
    for name, case in {
        "madelon, sSFFS to 165": madelon,
        "dorothea, sSFFS to 100": dorothea,
        "10⁶ terms": terms,
    }.items():
        report(name, parsed.rounds, *case(parsed.data_dir))


def madelon(data_dir: str | None) -> tuple[Any, Any, dict[str, Any]]:
    data = load("madelon", data_dir=data_dir)
    data = Scaler01.fit(data).apply(data)
    train, _ = next(RandomSplits(1, 50, 50).split(data, make_rng("portable", 1))).apply(data)
    return KNN(n_jobs=1), train, {"max_size": 165, "budget": "paper", "warm_up": "200@10", "seed": 1}


def dorothea(data_dir: str | None) -> tuple[Any, Any, dict[str, Any]]:
    return (
        MultinomialBhattacharyya(),
        load("dorothea", data_dir=data_dir),
        {"max_size": 100, "budget": "paper", "warm_up": None, "seed": 1},
    )


def terms(data_dir: str | None) -> tuple[Any, Any, dict[str, Any]]:
    return MultinomialBhattacharyya(), made_up_text()[0], {"target": 100, "budget": "paper", "seed": 1}


def report(name: str, rounds: int, criterion: Any, data: Any, options: dict[str, Any]) -> None:
    """Time one run plain, with a journal, and resumed from the whole of it."""
    run("sSFFS", criterion, data, target=3, warm_up="20@5")  # compile
    times: dict[str, list[float]] = {"plain": [], "journal": [], "resume": []}
    with tempfile.TemporaryDirectory() as directory:
        for turn in range(rounds):
            path = Path(directory) / f"{turn}.jsonl"
            ways: dict[str, Callable[[], object]] = {
                "plain": partial(run, "sSFFS", criterion, data, **options),
                "journal": partial(run, "sSFFS", criterion, data, journal=Journal(path), **options),
                "resume": partial(resume, path, criterion, data),
            }
            for way, call in ways.items():
                began = time.process_time()
                call()
                times[way].append(time.process_time() - began)
        size = path.stat().st_size
    plain, kept, again = (statistics.median(times[way]) for way in times)
    print(
        f"{name:34} {plain:6.2f} s {kept:6.2f} s {again:6.2f} s {size / 1e6:6.1f} MB  "
        f"journal {100 * (kept / plain - 1):+.1f} %, resume {100 * again / plain:.0f} %",
        flush=True,
    )


if __name__ == "__main__":
    main()
