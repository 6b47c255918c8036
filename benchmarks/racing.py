"""Racing: how often a raced step chooses what the sweep chooses, and how many seconds of fits it spares.

    python benchmarks/racing.py            # every set and estimator, some minutes each
    python benchmarks/racing.py wine forest

A forward search takes the steps of full sweeps. Every fit is timed and its fold scores are kept, and at every step the
library's own race runs over them: it would have made exactly those fits.
"""

from __future__ import annotations

import sys
import time
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
from sklearn.datasets import load_breast_cancer, load_digits, load_wine
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.metrics import accuracy_score, log_loss
from sklearn.model_selection import StratifiedKFold

from sets import find_data
from sweepless.data import load
from sweepless.search.racing import Heat, Race

MOST_ROWS, MOST_COLUMNS, STEPS, FOLDS = 500, 40, 6, 5
ESTIMATORS = {
    "forest": RandomForestClassifier(50, random_state=0),
    "boosting": HistGradientBoostingClassifier(max_iter=30, random_state=0),
}
SCORES = ("accuracy", "log loss")


def madelon() -> tuple[Any, Any]:
    """Return 40 columns of madelon, ten of which matter."""
    data = load("madelon", data_dir=find_data())
    informative = [28, 48, 64, 105, 128, 153, 241, 281, 318, 336]
    others = np.setdiff1d(np.arange(data.n_features), informative)
    drawn = np.random.default_rng(0).choice(others, MOST_COLUMNS - len(informative), replace=False)
    return data.X[:, np.sort([*informative, *drawn])], data.y


SETS = {
    "breast cancer": lambda: load_breast_cancer(return_X_y=True),
    "wine": lambda: load_wine(return_X_y=True),
    "digits 0-4": lambda: load_digits(n_class=5, return_X_y=True),
    "madelon": madelon,
}


def thinned(X: Any, y: Any) -> tuple[Any, Any]:
    """Draw rows and columns, so that a search takes a minute."""
    draws = np.random.default_rng(0)
    rows = np.sort(draws.permutation(len(X))[:MOST_ROWS])
    columns = np.flatnonzero(np.ptp(X[rows], axis=0))
    columns = np.sort(draws.permutation(columns)[:MOST_COLUMNS])
    return X[np.ix_(rows, columns)], y[rows]


@dataclass
class Tally:
    """What races came to."""

    race: Race
    n_steps: int = 0
    n_same: int = 0
    n_fits: int = 0
    n_fitted: int = 0
    seconds: float = 0.0
    spent: float = 0.0
    lost: float = 0.0

    def add(self, folds: np.ndarray, seconds: np.ndarray) -> None:
        """Race over the fold scores of one step."""
        heat = Heat(len(folds), [k / FOLDS for k in range(1, FOLDS)])
        race = self.race(heat, lambda rung, places: heat.note(rung, places, folds[places, : rung + 1].mean(axis=1)))
        exact = folds.mean(axis=1)
        done = np.arange(FOLDS) <= heat.reached[:, None]
        self.n_steps += 1
        self.n_same += int(race.argmax() == exact.argmax())
        self.n_fits += folds.size
        self.n_fitted += int(done.sum())
        self.seconds += seconds.sum()
        self.spent += seconds[done].sum()
        self.lost += exact.max() - exact[race.argmax()]

    def __str__(self) -> str:
        return (
            f"{self.n_same} of {self.n_steps} | {self.lost / self.n_steps:.4f} | {self.n_fits:,} → {self.n_fitted:,} | "
            f"{self.seconds:.1f} → {self.spent:.1f} | {self.seconds / self.spent:.1f}×"
        )


def steps(X: Any, y: Any, estimator: Any) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Yield the fold scores, both kinds of them, and the seconds of every fit, of the steps of SFS by accuracy."""
    splits, members = list(StratifiedKFold(FOLDS).split(X, y)), []
    for _ in range(STEPS):
        pool = [feature for feature in range(X.shape[1]) if feature not in members]
        found, seconds = np.empty((2, len(pool), FOLDS)), np.empty((len(pool), FOLDS))
        for (at, feature), (fold, (train, test)) in product(enumerate(pool), enumerate(splits)):
            part = X[:, [*members, feature]]
            began = time.process_time()
            estimator.fit(part[train], y[train])
            shares = estimator.predict_proba(part[test])
            seconds[at, fold] = time.process_time() - began
            found[0, at, fold] = accuracy_score(y[test], estimator.classes_[shares.argmax(axis=1)])
            found[1, at, fold] = -log_loss(y[test], np.clip(shares, 1e-3, None), labels=estimator.classes_)
        members.append(pool[int(found[0].mean(axis=1).argmax())])
        yield found, seconds


def main() -> None:
    warnings.simplefilter("ignore")
    name, kind = (*sys.argv[1:], None, None)[:2]
    for one, estimator in product([name] if name else SETS, [kind] if kind else ESTIMATORS):
        X, y = thinned(*SETS[one]())
        tallies = [Tally(Race(FOLDS - 1)) for _ in SCORES]
        for found, seconds in steps(X, y, ESTIMATORS[estimator]):
            for tally, folds in zip(tallies, found, strict=True):
                tally.add(folds, seconds)
        for score, tally in zip(SCORES, tallies, strict=True):
            print(f"| {one}, {len(X)} × {X.shape[1]} | {estimator} | {score} | {tally} |", flush=True)


if __name__ == "__main__":
    main()
