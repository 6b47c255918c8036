"""What a journal costs, and how long a resume takes: madelon, sSFFS to 165 features, in turn with and without."""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from pathlib import Path

from sweepless import KNN, Journal, RandomSplits, Scaler01, WarmUp, load, resume, run


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=int, default=5)
    parser.add_argument("--data-dir")
    parsed = parser.parse_args()
    data = load("madelon", data_dir=parsed.data_dir)
    data = Scaler01.fit(data).apply(data)
    from sweepless.rng import make_rng

    train, _ = next(RandomSplits(1, 50, 50).split(data, make_rng("portable", 1))).apply(data)
    options = {"max_size": 165, "warm_up": WarmUp(200, 10), "seed": 1}
    run("sSFFS", KNN(), train, target=5, seed=1)  # compile
    plain, kept, again = [], [], []
    with tempfile.TemporaryDirectory() as directory:
        for pair in range(parsed.pairs):
            path = Path(directory) / f"{pair}.jsonl"
            plain.append(_timed(lambda: run("sSFFS", KNN(), train, **options)))
            kept.append(_timed(lambda: run("sSFFS", KNN(), train, journal=Journal(path), **options)))
            again.append(_timed(lambda: resume(path, KNN(), train)))
        size = path.stat().st_size
        n_records = sum(1 for _ in path.open("rb"))
    ratios = [(w[0] / p[0], w[1] / p[1]) for w, p in zip(kept, plain, strict=True)]
    print(f"{n_records} records, {size / 1e6:.2f} MB; seconds (processor seconds) of each of {parsed.pairs} pairs:")
    for p, w, r in zip(plain, kept, again, strict=True):
        print(f"  plain {p[0]:.2f} ({p[1]:.2f})  journal {w[0]:.2f} ({w[1]:.2f})  resume of all {r[0]:.3f} ({r[1]:.3f})")
    print(
        f"overhead, median of the pairs: {100 * (statistics.median(r[0] for r in ratios) - 1):+.1f} % of the time, "
        f"{100 * (statistics.median(r[1] for r in ratios) - 1):+.1f} % of the processor time; "
        f"resume: {100 * statistics.median(r[1] / p[1] for r, p in zip(again, plain, strict=True)):.1f} %"
    )


def _timed(call: object) -> tuple[float, float]:
    wall, processor = time.perf_counter(), time.process_time()
    call()  # type: ignore[operator]
    return time.perf_counter() - wall, time.process_time() - processor


if __name__ == "__main__":
    main()
