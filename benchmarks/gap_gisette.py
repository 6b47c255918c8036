"""The gap that the paper admits, as the selector reports it: 1-NN on gisette, optimized and audited, per seed."""

from __future__ import annotations

import argparse
import sys
import warnings

import numpy as np
from sklearn.model_selection import StratifiedShuffleSplit
from sklearn.neighbors import KNeighborsClassifier

import sweepless as sw
from sets import find_data

SIZES = (10, 25, 50, 100)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, nargs=2, default=(1, 5), metavar=("FIRST", "LAST"))
    parsed = parser.parse_args()
    data = sw.load("gisette", data_dir=find_data())
    data = sw.data.Scaler01.fit(data).apply(data)
    found = []
    print(f"{'seed':<6}" + "".join(f"{f'd={size}':>18}" for size in SIZES) + "   seconds  warned")
    for seed in range(parsed.seeds[0], parsed.seeds[1] + 1):
        selector = sw.SequentialSelector(
            KNeighborsClassifier(1),
            n_features_to_select=100,
            budget="paper",
            cv=3,
            audit=StratifiedShuffleSplit(1, test_size=0.5, random_state=seed),
            random_state=seed,
        )
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            selector.fit(data.X, data.y)
        table = selector.audit_results_
        rows = [int(np.flatnonzero(table["n_features"] == size)[0]) for size in SIZES]
        pairs = [(table["optimized"][row], table["audited"][row]) for row in rows]
        found.append(pairs)
        shown = "".join(f"{f'{optimized:.3f} / {audited:.3f}':>18}" for optimized, audited in pairs)
        warned = any(isinstance(warning.message, sw.errors.AuditWarning) for warning in told)
        print(f"{seed:<6}{shown}{selector.fit_time_:>10.1f}  {'yes' if warned else 'no'}", flush=True)
    means = np.mean(found, axis=0)
    print(f"{'mean':<6}" + "".join(f"{f'{optimized:.3f} / {audited:.3f}':>18}" for optimized, audited in means))
    return 0


if __name__ == "__main__":
    sys.exit(main())
