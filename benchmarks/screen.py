"""A screen at equal fits: a forest decides between what ridge proposes, or between what the search has learned.

    python benchmarks/screen.py            # every set, a minute or two each
    python benchmarks/screen.py colon

Both searches have the same budgets and begin with the same forest; fits are nearly all that costs time.
"""

from __future__ import annotations

import logging
import sys
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.datasets import load_digits
from sklearn.ensemble import RandomForestClassifier

from sets import find_data
from sweepless import SequentialSelector
from sweepless.data import load

MOST_ROWS, EVALUATIONS, BUDGET, TARGET, SEEDS = 300, 150, 15, 6, (0, 1, 2)
FOREST = RandomForestClassifier(15, random_state=0)


def digits() -> tuple[Any, Any]:
    """Return the digits 0 to 4 with 200 columns of noise beside the pixels."""
    X, y = load_digits(n_class=5, return_X_y=True)
    return np.hstack([X, np.random.default_rng(0).normal(size=(len(X), 200))])[:MOST_ROWS], y[:MOST_ROWS]


def colon() -> tuple[Any, Any]:
    data = load(Path(find_data()) / "wide" / "colon" / "colon.npz")
    return data.X, data.y


def madelon() -> tuple[Any, Any]:
    data = load("madelon", data_dir=find_data())
    rows = np.random.default_rng(0).permutation(data.n_samples)[:MOST_ROWS]  # they are sorted by class
    return data.X[rows], data.y[rows]


def main() -> None:
    warnings.simplefilter("ignore")
    logging.disable()
    print("| data | seed | without a screen | with it | seconds of processor time |\n|---|---|---|---|---|")
    for make in [make for make in (digits, colon, madelon) if make.__name__ in (sys.argv[1:] or make.__name__)]:
        X, y = make()
        for seed in SEEDS:
            values, seconds = [], []
            for screen in (None, "auto"):
                began = time.process_time()
                selector = SequentialSelector(
                    FOREST,
                    method="sSFS",
                    n_features_to_select=TARGET,
                    budget=BUDGET,
                    max_evaluations=EVALUATIONS,
                    screen=screen,
                    cv=5,
                    random_state=seed,
                ).fit(X, y)
                values.append(f"{selector.best_score_:.3f} ({selector.n_features_} features)")
                seconds.append(f"{time.process_time() - began:.1f}")
            shape = f"{make.__name__}, {X.shape[0]} × {X.shape[1]}"
            print(f"| {shape} | {seed} | {' | '.join(values)} | {', '.join(seconds)} |", flush=True)


if __name__ == "__main__":
    main()
