"""Racing: how often a raced step chooses what the sweep chooses, and how many seconds of fits it spares.

    python benchmarks/racing.py            # every set and estimator, some minutes each
    python benchmarks/racing.py wine forest

A forward search takes the steps of full sweeps. Every fit is timed and its fold scores are kept, and at every step the
library's own races run over them: they would have made exactly those fits. Scores that are means over samples, as
these two are, are raced sample by sample, all others by folds.
"""

from __future__ import annotations

import sys
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import product
from typing import Any

import numpy as np
from sklearn.datasets import load_breast_cancer, load_digits, load_wine
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.model_selection import StratifiedKFold

from sets import find_data
from sweepless.criteria.gains import ahead
from sweepless.data import load
from sweepless.search.racing import Heat, Race
from sweepless.search.racing_samples import SampleRace

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


def by_fold(samples: np.ndarray, fold: np.ndarray) -> np.ndarray:
    """Return the mean of every candidate on every fold."""
    return np.stack([samples[:, fold == k].mean(axis=1) for k in range(FOLDS)], axis=1)


def race_by_folds(race: Race, samples: np.ndarray, fold: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return what the library's race by folds finds, and on how many of them it fits each candidate."""
    folds = by_fold(samples, fold)
    heat = Heat(len(folds), [k / FOLDS for k in range(1, FOLDS)])
    found = race(heat, lambda rung, places: heat.note(rung, places, folds[places, : rung + 1].mean(axis=1)))
    return found, heat.reached + 1


def race_by_samples(samples: np.ndarray, fold: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Do the same by the library's race for scores that are means over samples."""
    folds = by_fold(samples, fold)
    gains = [[row[fold == k] for k in range(FOLDS)] for row in samples]
    heat = Heat(len(folds), [k / FOLDS for k in range(1, FOLDS)])

    def compare(rung: int, places: np.ndarray, rival: int, n_errors: float) -> np.ndarray:
        return folds[rival].mean() + ahead([gains[place][: rung + 1] for place in places], gains[rival], n_errors)

    def look(rung: int, places: np.ndarray) -> None:
        heat.note(rung, places, folds[places, : rung + 1].mean(axis=1))

    return SampleRace()(heat, look, compare), heat.reached + 1


@dataclass
class Tally:
    """What races came to."""

    race: Callable[[np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray]]
    n_steps: int = 0
    n_same: int = 0
    n_fits: int = 0
    n_fitted: int = 0
    seconds: float = 0.0
    spent: float = 0.0
    lost: float = 0.0

    def add(self, samples: np.ndarray, fold: np.ndarray, seconds: np.ndarray) -> None:
        """Race over the scores of one step."""
        race, n_done = self.race(samples, fold)
        exact = by_fold(samples, fold).mean(axis=1)
        done = np.arange(FOLDS) < n_done[:, None]
        self.n_steps += 1
        self.n_same += int(race.argmax() == exact.argmax())
        self.n_fits += seconds.size
        self.n_fitted += int(done.sum())
        self.seconds += seconds.sum()
        self.spent += seconds[done].sum()
        self.lost += exact.max() - exact[race.argmax()]

    def __str__(self) -> str:
        return (
            f"{self.n_same} of {self.n_steps} | {self.lost / self.n_steps:.4f} | {self.n_fits:,} → {self.n_fitted:,} | "
            f"{self.seconds:.1f} → {self.spent:.1f} | {self.seconds / self.spent:.1f}×"
        )


def steps(X: Any, y: Any, estimator: Any) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """Yield both scores of every sample, its fold, and the seconds of every fit, of the steps of SFS by accuracy."""
    splits, members, y = list(StratifiedKFold(FOLDS).split(X, y)), [], np.unique(y, return_inverse=True)[1]
    fold = np.empty(len(y), dtype=int)
    for number, (_, test) in enumerate(splits):
        fold[test] = number
    for _ in range(STEPS):
        pool = [feature for feature in range(X.shape[1]) if feature not in members]
        found, seconds = np.empty((2, len(pool), len(y))), np.empty((len(pool), FOLDS))
        for (at, feature), (number, (train, test)) in product(enumerate(pool), enumerate(splits)):
            part = X[:, sorted([*members, feature])]
            began = time.process_time()
            estimator.fit(part[train], y[train])
            shares = estimator.predict_proba(part[test])
            seconds[at, number] = time.process_time() - began
            found[0, at, test] = shares.argmax(axis=1) == y[test]
            found[1, at, test] = np.log(np.clip(shares[np.arange(len(test)), y[test]], 1e-3, None))
        members.append(pool[int(by_fold(found[0], fold).mean(axis=1).argmax())])
        yield found, fold, seconds


def main() -> None:
    warnings.simplefilter("ignore")
    name, kind = (*sys.argv[1:], None, None)[:2]
    for one, estimator in product([name] if name else SETS, [kind] if kind else ESTIMATORS):
        X, y = thinned(*SETS[one]())
        by_rule = {
            "by folds": [Tally(partial(race_by_folds, Race(FOLDS - 1))) for _ in SCORES],
            "by samples": [Tally(race_by_samples) for _ in SCORES],
        }
        for found, fold, seconds in steps(X, y, ESTIMATORS[estimator]):
            for tallies in by_rule.values():
                for tally, samples in zip(tallies, found, strict=True):
                    tally.add(samples, fold, seconds)
        for rule, tallies in by_rule.items():
            for score, tally in zip(SCORES, tallies, strict=True):
                print(f"| {one}, {len(X)} × {X.shape[1]} | {estimator} | {score} | {rule} | {tally} |", flush=True)


if __name__ == "__main__":
    main()
