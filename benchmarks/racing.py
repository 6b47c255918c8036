"""Racing: how often a raced step chooses what the sweep chooses, and how many seconds of fits it spares.

    python benchmarks/racing.py            # every set and estimator, some minutes each
    python benchmarks/racing.py wine forest

A forward search takes the steps of full sweeps. Every fit, also of the forest of a few trees that the library looks at
first, is timed and what its samples gain is kept, and at every step the library's own races run over them: they would
have made exactly those fits. Scores that are means over samples, as these are, are raced sample by sample, all others
by folds. What a race remembers of the last step is of the same score. Accuracy and a log loss that counts no
probability as less than 0.001 decide the table; scikit-learn's own log loss, in which a single probability of 0 costs
36, comes last.
"""

from __future__ import annotations

import sys
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

import numpy as np
from sklearn.datasets import load_breast_cancer, load_digits, load_wine
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.model_selection import StratifiedKFold

from sets import find_data
from sweepless.criteria.gains import ahead
from sweepless.criteria.short_looks import LEAST as SHORT_LEAST
from sweepless.criteria.short_looks import SHARE, shortened
from sweepless.data import load
from sweepless.search.racing import Heat, Race
from sweepless.search.racing_samples import SampleRace

MOST_ROWS, MOST_COLUMNS, STEPS, FOLDS = 500, 40, 6, 5
ESTIMATORS = {
    "forest": RandomForestClassifier(50, random_state=0),
    "boosting": HistGradientBoostingClassifier(max_iter=30, random_state=0),
}
LEAST = {"log loss": 1e-3, "scikit-learn's log loss": 2.0**-52}
SCORES = ("accuracy", *LEAST)


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


@dataclass
class Step:
    """What the samples of every candidate gain, by whole fits and by short ones if there are any.

    `fold` says when the fold of a sample has its turn: the first one of a step was the last one of the step before.
    """

    whole: np.ndarray
    short: np.ndarray | None
    fold: np.ndarray
    pool: list[int]

    def __post_init__(self) -> None:
        self.folds = by_fold(self.whole, self.fold)
        self.looks = None if self.short is None else by_fold(self.short, self.fold)
        looking = 0.0 if self.short is None else SHARE
        self.heat = Heat(self.pool, [looking + k / FOLDS for k in range(self.short is None, FOLDS + 1)])

    def n_whole(self, rung: Any) -> Any:
        """Return how many whole fits a candidate has on a rung."""
        return rung + 1 if self.short is None else rung

    def look(self, rung: int, places: np.ndarray) -> None:
        """Note what is known of candidates on a rung."""
        n_whole = self.n_whole(rung)
        seen = self.folds[places, :n_whole]
        if self.looks is not None:
            seen = np.hstack([seen, self.looks[places, n_whole:]])
        self.heat.note(rung, places, seen.mean(axis=1))

    def compare(self, rung: int, places: np.ndarray, rivals: np.ndarray, n_errors: float) -> np.ndarray:
        """Predict values as the library does."""
        n_whole = self.n_whole(rung)
        if self.short is None:
            ours, short = [row[:n_whole] for row in self._split(self.whole, places)], []
        else:
            ours = self._split(np.where(self.fold < n_whole, self.whole, self.short), places)
            short = self._split(self.short, rivals)
        return self.folds[rivals].mean() + ahead(ours, self._split(self.whole, rivals), short, n_whole, n_errors)

    def _split(self, samples: np.ndarray, places: np.ndarray) -> list[list[np.ndarray]]:
        return [[samples[place, self.fold == k] for k in range(FOLDS)] for place in places]


@dataclass
class Tally:
    """What races came to."""

    race: Callable[..., np.ndarray]
    n_steps: int = 0
    n_same: int = 0
    n_fits: int = 0
    n_fitted: int = 0
    seconds: float = 0.0
    spent: float = 0.0
    lost: float = 0.0

    def add(self, step: Step, seconds: np.ndarray, looking: float) -> None:
        """Race over the gains of one step."""
        found, exact = self.race(step.heat, step.look, step.compare), step.folds.mean(axis=1)
        done = np.arange(FOLDS) < step.n_whole(step.heat.reached)[:, None]
        self.n_steps += 1
        self.n_same += int(found.argmax() == exact.argmax())
        self.n_fits += seconds.size
        self.n_fitted += int(done.sum())
        self.seconds += seconds.sum()
        self.spent += seconds[done].sum() + looking
        self.lost += exact.max() - exact[found.argmax()]

    def __str__(self) -> str:
        return (
            f"{self.n_same} of {self.n_steps} | {self.lost / self.n_steps:.4f} | {self.n_fits:,} → {self.n_fitted:,} | "
            f"{self.seconds:.1f} → {self.spent:.1f} | {self.seconds / self.spent:.1f}×"
        )


def fitted(estimator: Any, X: Any, y: Any, splits: Any, least: tuple[float, ...]) -> tuple[np.ndarray, np.ndarray]:
    """Return the hits of all samples, their logarithms with some least probabilities, and the seconds of every fold."""
    gains, seconds = np.empty((1 + len(least), len(y))), np.empty(FOLDS)
    for number, (train, test) in enumerate(splits):
        began = time.process_time()
        estimator.fit(X[train], y[train])
        shares = estimator.predict_proba(X[test])
        seconds[number] = time.process_time() - began
        gains[0, test] = shares.argmax(axis=1) == y[test]
        for row, floor in enumerate(least, start=1):
            gains[row, test] = np.log(np.clip(shares[np.arange(len(test)), y[test]], floor, None))
    return gains, seconds


def steps(X: Any, y: Any, estimator: Any) -> Iterator[tuple[list[Step], np.ndarray, float]]:
    """Yield what there is to race for every score, the seconds of every fit, and those of all short ones together."""
    splits, members, y = list(StratifiedKFold(FOLDS).split(X, y)), [], np.unique(y, return_inverse=True)[1]
    short = shortened(estimator)
    fold = np.empty(len(y), dtype=int)
    for number, (_, test) in enumerate(splits):
        fold[test] = number
    for _ in range(STEPS):
        pool = [feature for feature in range(X.shape[1]) if feature not in members]
        parts = [X[:, sorted([*members, feature])] for feature in pool]
        whole, seconds = zip(
            *(fitted(estimator, part, y, splits, tuple(LEAST.values())) for part in parts), strict=True
        )
        if short is None:
            looks, looking = [None] * len(SCORES), 0.0
        else:
            rough = (SHORT_LEAST,) * len(LEAST)
            gains, looked = zip(*(fitted(short, part, y, splits, rough) for part in parts), strict=True)
            looks, looking = list(np.stack(gains, axis=1)), float(np.sum(looked))
        size = len(members)
        turn = (fold + size) % FOLDS
        found = [Step(*one, turn, pool) for one in zip(np.stack(whole, axis=1), looks, strict=True)]
        members.append(pool[int(found[0].folds.mean(axis=1).argmax())])
        yield found, np.roll(seconds, size, axis=1), looking


def main() -> None:
    warnings.simplefilter("ignore")
    name, kind = (*sys.argv[1:], None, None)[:2]
    for one, estimator in product([name] if name else SETS, [kind] if kind else ESTIMATORS):
        X, y = thinned(*SETS[one]())
        n_rungs = FOLDS - (shortened(ESTIMATORS[estimator]) is None)
        rules = {"by folds": lambda n=n_rungs: Race(n), "by samples": SampleRace}
        by_rule = {rule: [Tally(race()) for _ in SCORES] for rule, race in rules.items()}
        for found, seconds, looking in steps(X, y, ESTIMATORS[estimator]):
            for tallies in by_rule.values():
                for tally, step in zip(tallies, found, strict=True):
                    tally.add(replace(step), seconds, looking)
        for rule, tallies in by_rule.items():
            for score, tally in zip(SCORES, tallies, strict=True):
                print(f"| {one}, {len(X)} × {X.shape[1]} | {estimator} | {score} | {rule} | {tally} |", flush=True)


if __name__ == "__main__":
    main()
