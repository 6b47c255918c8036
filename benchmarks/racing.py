"""Racing: how often a raced step chooses what the sweep chooses, and how many seconds of fits it spares.

    python benchmarks/racing.py            # every set and estimator, some minutes each
    python benchmarks/racing.py wine forest

A forward search takes the steps of full sweeps. Every fit, also of the forest of a few trees that the library looks at
first, and of boosting that it begins and continues, is timed and what its samples gain is kept, and at every step the
library's own races run over them: they would have made exactly those fits. Scores that are means over samples, as
these are, are raced sample by sample, all others by folds. What a race remembers of the last step is of the same score.
Accuracy and a log loss that counts no probability as less than 0.001 decide the table; scikit-learn's own log loss, in
which a single probability of 0 costs 36, comes last.
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
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_digits, load_wine
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.model_selection import StratifiedKFold

from sets import find_data
from sweepless.criteria.begun import SHARE as BEGUN_SHARE
from sweepless.criteria.begun import ahead_when_begun, begun, continued
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

    Short fits that only begin whole ones are made on the first fold. `fold` says when the fold of a sample has its
    turn: the first one of a step was the last one of the step before.
    """

    whole: np.ndarray
    short: np.ndarray | None
    fold: np.ndarray
    pool: list[int]
    continues: bool

    def __post_init__(self) -> None:
        self.folds = by_fold(self.whole, self.fold)
        self.looks = None if self.short is None else by_fold(self.short, self.fold)
        looking = 0.0 if self.short is None or self.continues else SHARE
        rungs = [looking + k / FOLDS for k in range(self.short is None, FOLDS + 1)]
        self.heat = Heat(self.pool, [BEGUN_SHARE / FOLDS, *rungs[1:]] if self.continues else rungs)

    def n_whole(self, rung: Any) -> Any:
        """Return how many whole fits a candidate has on a rung."""
        return rung + 1 if self.short is None else rung

    def look(self, rung: int, places: np.ndarray) -> None:
        """Note what is known of candidates on a rung."""
        n_whole = self.n_whole(rung)
        seen = self.folds[places, :n_whole]
        if self.looks is not None and self.continues:
            seen = seen if n_whole else self.looks[places, :1]
        elif self.looks is not None:
            seen = np.hstack([seen, self.looks[places, n_whole:]])
        self.heat.note(rung, places, seen.mean(axis=1))

    def compare(self, rung: int, places: np.ndarray, rivals: np.ndarray, n_errors: float) -> np.ndarray:
        """Predict values as the library does."""
        n_whole = self.n_whole(rung)
        if self.continues and not n_whole:
            ours, begun = ([row[:1] for row in self._split(self.short, some)] for some in (places, rivals))
            return self.folds[rivals].mean() + ahead_when_begun(ours, begun, self._split(self.whole, rivals), n_errors)
        if self.short is None or self.continues:
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

    def add(self, step: Step, seconds: np.ndarray, paid: np.ndarray, looking: float) -> None:
        """Race over the gains of one step; `paid` are the seconds of whole fits after first looks."""
        found, exact = self.race(step.heat, step.look, step.compare), step.folds.mean(axis=1)
        done = np.arange(FOLDS) < step.n_whole(step.heat.reached)[:, None]
        self.n_steps += 1
        self.n_same += int(found.argmax() == exact.argmax())
        self.n_fits += seconds.size
        self.n_fitted += int(done.sum())
        self.seconds += seconds.sum()
        self.spent += paid[done].sum() + looking
        self.lost += exact.max() - exact[found.argmax()]

    def __str__(self) -> str:
        return (
            f"{self.n_same} of {self.n_steps} | {self.lost / self.n_steps:.4f} | {self.n_fits:,} → {self.n_fitted:,} | "
            f"{self.seconds:.1f} → {self.spent:.1f} | {self.seconds / self.spent:.1f}×"
        )


def fitted(
    estimator: Any, X: Any, y: Any, split: Any, least: tuple[float, ...], gains: np.ndarray
) -> tuple[Any, float]:
    """Note the hits of tested samples, and their logarithms with some least probabilities; return the seconds."""
    train, test = split
    began = time.process_time()
    estimator.fit(X[train], y[train])
    shares = estimator.predict_proba(X[test])
    seconds = time.process_time() - began
    gains[0, test] = shares.argmax(axis=1) == y[test]
    for row, floor in enumerate(least, start=1):
        gains[row, test] = np.log(np.clip(shares[np.arange(len(test)), y[test]], floor, None))
    return estimator, seconds


def steps(X: Any, y: Any, estimator: Any) -> Iterator[tuple[list[Step], np.ndarray, np.ndarray, float]]:
    """Yield what there is to race for every score, the seconds of every fit, those after first looks, and theirs."""
    splits, members, y = list(StratifiedKFold(FOLDS).split(X, y)), [], np.unique(y, return_inverse=True)[1]
    short, first = shortened(estimator), begun(estimator, len(y))
    least, rough = tuple(LEAST.values()), (SHORT_LEAST,) * len(LEAST)
    fold = np.empty(len(y), dtype=int)
    for number, (_, test) in enumerate(splits):
        fold[test] = number
    for size in range(STEPS):
        pool = [feature for feature in range(X.shape[1]) if feature not in members]
        whole, looks = np.zeros((2, 1 + len(LEAST), len(pool), len(y)))
        seconds, looking = np.empty((len(pool), FOLDS)), 0.0
        paid = seconds if first is None else seconds.copy()
        for place, feature in enumerate(pool):
            part = X[:, sorted([*members, feature])]
            for number, split in enumerate(splits):
                turn = (number + size) % FOLDS
                _, seconds[place, turn] = fitted(estimator, part, y, split, least, whole[:, place])
                paid[place, turn] = seconds[place, turn]
                if short is not None:
                    looking += fitted(short, part, y, split, rough, looks[:, place])[1]
                elif first is not None and turn == 0:
                    started, spent = fitted(clone(first), part, y, split, least, looks[:, place])
                    looking += spent
                    _, paid[place, turn] = fitted(
                        continued(started, estimator), part, y, split, least, np.empty_like(whole[:, place])
                    )
        none = short is None and first is None
        found = [
            Step(one, None if none else look, (fold + size) % FOLDS, pool, first is not None)
            for one, look in zip(whole, looks, strict=True)
        ]
        members.append(pool[int(found[0].folds.mean(axis=1).argmax())])
        yield found, seconds, paid, looking


def main() -> None:
    warnings.simplefilter("ignore")
    name, kind = (*sys.argv[1:], None, None)[:2]
    for one, estimator in product([name] if name else SETS, [kind] if kind else ESTIMATORS):
        X, y = thinned(*SETS[one]())
        chosen = ESTIMATORS[estimator]
        n_rungs = FOLDS - (shortened(chosen) is None and begun(chosen, len(y)) is None)
        rules = {"by folds": lambda n=n_rungs: Race(n), "by samples": SampleRace}
        by_rule = {rule: [Tally(race()) for _ in SCORES] for rule, race in rules.items()}
        for found, *spent in steps(X, y, chosen):
            for tallies in by_rule.values():
                for tally, step in zip(tallies, found, strict=True):
                    tally.add(replace(step), *spent)
        for rule, tallies in by_rule.items():
            for score, tally in zip(SCORES, tallies, strict=True):
                print(f"| {one}, {len(X)} × {X.shape[1]} | {estimator} | {score} | {rule} | {tally} |", flush=True)


if __name__ == "__main__":
    main()
