"""Full SFFS on gisette to size 320, which the paper calls out of the question, beside sSFFS on the same split.

1-NN by 3-fold cross-validation on one half, features scaled as in the paper, its row order, seed 1.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

import sweepless as sw
from sets import find_data

SIZES = (10, 25, 50, 100, 150, 200, 250, 300, 320)
METHODS = {"sSFFS": {"budget": "paper", "warm_up": sw.search.WarmUp(1000, 25)}, "SFFS": {}}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--max-size", type=int, default=320)
    parser.add_argument("--jobs", type=int, default=1, help="threads")
    parser.add_argument("--out", type=Path, help="write both archives as JSON")
    parsed = parser.parse_args()
    data = sw.load("gisette", data_dir=find_data(), row_order="paper")
    trials: dict[str, sw.Trial] = {}
    for method, options in METHODS.items():
        trial = sw.run_trial(
            method,
            sw.criteria.KNN(n_jobs=parsed.jobs),
            data,
            split=sw.RandomSplits(),
            scale="paper",
            seed=1,
            rng="reference",
            max_size=parsed.max_size,
            **options,
        )
        trials[method] = trial
        result = trial.result
        print(f"{method}: {result.n_evaluations:,} evaluations in {result.seconds:,.1f} s, {len(result.trace):,} steps")
    sizes = [size for size in SIZES if size <= parsed.max_size]
    print("\nbest value by size")
    print(f"{'size':<8}" + "".join(f"{size:>8}" for size in sizes))
    for method, trial in trials.items():
        print(f"{method:<8}" + "".join(f"{trial.result.archive[size].value:>8.3f}" for size in sizes))
    if parsed.out:
        parsed.out.write_text(json.dumps({name: trial.to_dict() for name, trial in trials.items()}), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
