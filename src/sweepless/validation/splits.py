"""Random splits, stratified where the target is classes, as the paper draws them (semantics: random splits)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from sweepless._checks import whole
from sweepless._typing import Counts, Features, Mask
from sweepless.dataset import Dataset
from sweepless.engine.generator import Rng
from sweepless.errors import DataError, InputError


@dataclass(frozen=True)
class Split:
    """Row numbers of the two parts, ascending within each class, class after class; of numbers all ascending."""

    train: Features
    test: Features

    def apply(self, data: Dataset) -> tuple[Dataset, Dataset]:
        return data.take(self.train, f"{data.name} (train)"), data.take(self.test, f"{data.name} (test)")


@dataclass(frozen=True)
class RandomSplits:
    """RR(splits, train %, test %): independent random splits, stratified by class unless the target is numbers.

    Parameters
    ----------
    n_splits : int
    train_percent, test_percent : int
        Shares of every class (of all samples where the target is numbers), rounded down; where they add up to
        100 the test part is all the rest.

    Examples
    --------
    >>> from sweepless import RandomSplits, make_madelon, run_trial
    >>> from sweepless.criteria import KNN
    >>> data = make_madelon(n_samples=200, n_features=40, seed=1)
    >>> trial = run_trial("SFS", KNN(), data, split=RandomSplits(train_percent=60, test_percent=40), target=3)
    >>> trial.train.n_samples, trial.test.n_samples
    (120, 80)
    """

    n_splits: int = 1
    train_percent: int = 50
    test_percent: int = 50

    def __post_init__(self) -> None:
        whole("n_splits", self.n_splits, 1)
        whole("train_percent", self.train_percent, 1, 100)
        whole("test_percent", self.test_percent, 0, 100)
        if self.train_percent + self.test_percent > 100:
            raise InputError(
                f"train and test percentages must add up to at most 100, got {self.train_percent}/{self.test_percent}."
            )

    def split(self, data: Dataset, rng: Rng) -> Iterator[Split]:
        """Draw the splits from the stream for splits of `rng`."""
        draws = rng.stream("split")
        strata = data.strata
        for _ in range(self.n_splits):
            parts = [self._one_stratum(np.flatnonzero(strata == k), draws) for k in range(int(strata.max()) + 1)]
            train, test = (np.concatenate(part) for part in zip(*parts, strict=True))
            if len(train) == 0:
                raise DataError(
                    f"a split of {self.train_percent} % must leave training samples of {data.name}, got none."
                )
            yield Split(train, test)

    def _one_stratum(self, samples: Counts, rng: Rng) -> tuple[Features, Features]:
        n_samples = len(samples)
        n_train = n_samples * self.train_percent // 100
        n_test = n_samples * self.test_percent // 100
        free = np.ones(n_samples, dtype=np.bool_)
        train = _marked(free, n_train, few=self.train_percent <= 50, rng=rng)
        free[train] = False
        if self.train_percent + self.test_percent == 100:
            return samples[train], samples[free]
        test = _marked(free, n_test, few=self.test_percent <= (100 - self.train_percent) / 2, rng=rng)
        return samples[train], samples[test]


def _marked(suitable: Mask, count: int, *, few: bool, rng: Rng) -> Features:
    """Pick `count` suitable samples: mark them if they are few, else mark all and un-mark the surplus."""
    if few:
        return rng.pick(suitable, count)
    kept = suitable.copy()
    kept[rng.pick(suitable, int(np.count_nonzero(suitable)) - count)] = False
    return np.flatnonzero(kept)
