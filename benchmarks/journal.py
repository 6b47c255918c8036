"""What a journal costs, and how long a resume takes: madelon, sSFFS to 165 features.

The time that a run spends in its journal is taken inside that run, so that the load of the machine, which changes from
one run to the next, divides out; the processor time of pairs of runs with and without is compared beside it.
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

from sweepless import Journal, RandomSplits, load, resume, run
from sweepless.criteria import KNN
from sweepless.data import Scaler01
from sweepless.engine.generator import make_rng
from sweepless.journal.steps import JournalledSteps
from sweepless.search import WarmUp


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=int, default=5)
    parser.add_argument("--data-dir")
    parsed = parser.parse_args()
    data = load("madelon", data_dir=parsed.data_dir)
    data = Scaler01.fit(data).apply(data)
    train, _ = next(RandomSplits(1, 50, 50).split(data, make_rng("portable", 1))).apply(data)
    options: dict[str, Any] = {"max_size": 165, "warm_up": WarmUp(200, 10), "seed": 1}
    run("sSFFS", KNN(), train, target=5, seed=1)  # compile
    within = _watched()
    ratios, shares = [], []
    with tempfile.TemporaryDirectory() as directory:
        for pair in range(parsed.pairs):
            path = Path(directory) / f"{pair}.jsonl"
            plain, before = _timed(partial(run, "sSFFS", KNN(), train, **options))
            within.clear()
            kept, after = _timed(partial(run, "sSFFS", KNN(), train, journal=Journal(path), **options))
            spent = sum(within)
            again, _ = _timed(partial(resume, path, KNN(), train))
            ratios.append(after / before)
            shares.append(spent / (kept - spent))
            print(
                f"plain {plain:6.2f} s   journal {kept:6.2f} s, {spent:.3f} s in it = {100 * shares[-1]:.1f} %   "
                f"resume of all {again:.3f} s = {100 * again / plain:.1f} %"
            )
        n_records, size = sum(1 for _ in path.open("rb")), path.stat().st_size
    print(
        f"{n_records} records, {size / 1e6:.2f} MB; median: {100 * statistics.median(shares):.1f} % of the run is "
        f"journal; processor time with over without {statistics.median(ratios):.3f}"
    )


def _watched() -> list[float]:
    """Let everything that a run calls of its journal add its time to a list."""
    times: list[float] = []

    def watch(call: Callable[..., Any]) -> Callable[..., Any]:
        def watched(*arguments: Any) -> Any:
            began = time.perf_counter()
            try:
                return call(*arguments)
            finally:
                times.append(time.perf_counter() - began)

        return watched

    for name in ("begin", "asked", "told", "keep", "end", "close"):
        setattr(Journal, name, watch(getattr(Journal, name)))
    JournalledSteps._keep = watch(JournalledSteps._keep)  # type: ignore[method-assign]
    return times


def _timed(call: Callable[[], object]) -> tuple[float, float]:
    """Return seconds by the wall and of the processor."""
    began, working = time.perf_counter(), time.process_time()
    call()
    return time.perf_counter() - began, time.process_time() - working


if __name__ == "__main__":
    main()
