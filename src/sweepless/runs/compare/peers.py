"""What searches are compared with: scikit-learn's selectors, and the best of random subsets."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import ceil

import numpy as np
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.feature_selection import RFE, f_classif, f_regression, mutual_info_classif, mutual_info_regression
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.preprocessing import StandardScaler

from sweepless._typing import Features, Values
from sweepless.criteria.base import Criterion
from sweepless.dataset import Dataset
from sweepless.engine.generator import Rng
from sweepless.search.archive import Record
from sweepless.search.ranking import Ranking

F_TEST, INFORMATION, ELIMINATION = "SelectKBest F", "SelectKBest MI", "RFE"
_ROUNDS = 100  # of elimination down to the largest size asked for
_BATCH = 512  # random subsets drawn and valued at once


Peer = Callable[[Dataset, Sequence[int], int], Mapping[int, Features]]
"""Chooses a subset of every size from a training part and a seed; each sorted, the smaller within the larger."""


def f_test(train: Dataset, sizes: Sequence[int], seed: int) -> Mapping[int, Features]:
    """Choose the features with the greatest F statistics, as SelectKBest(f_classif) does; of numbers f_regression."""
    with warnings.catch_warnings(), np.errstate(divide="ignore", invalid="ignore"):
        warnings.simplefilter("ignore", UserWarning)  # constant features: they rank last
        if train.has_classes:
            scores, _ = f_classif(train.X, train.codes)
        else:
            scores, _ = f_regression(train.X, train.target)
    return _prefixes(scores, sizes)


def mutual_information(train: Dataset, sizes: Sequence[int], seed: int) -> Mapping[int, Features]:
    """Choose the features with the greatest mutual information, as SelectKBest(mutual_info_classif) does.

    For numbers it is mutual_info_regression.
    """
    if train.has_classes:
        return _prefixes(mutual_info_classif(train.X, train.codes, random_state=seed), sizes)
    return _prefixes(mutual_info_regression(train.X, train.target, random_state=seed), sizes)


@dataclass(frozen=True)
class Elimination:
    """RFE: drop the features with the least weights in a linear model, again and again.

    Logistic regression (ridge regression for numbers) on standardised features; `step` features at a time down to
    the largest size asked for, so that it stays affordable, and one at a time below it.
    """

    step: int

    @classmethod
    def affordable(cls, n_features: int, largest: int) -> Elimination:
        """Return an elimination of about a hundred rounds down to the largest size."""
        return cls(max(1, ceil((n_features - largest) / _ROUNDS)))

    def n_fits(self, n_features: int, sizes: Sequence[int]) -> int:
        """Return how many models it takes: one each round, and scikit-learn's last one at every size."""
        return ceil((n_features - max(sizes)) / self.step) + max(sizes) - min(sizes) + len(sizes)

    def __call__(self, train: Dataset, sizes: Sequence[int], seed: int) -> Mapping[int, Features]:
        X = StandardScaler(with_mean=not sparse.issparse(train.X)).fit_transform(train.X)
        X = X.tocsc() if sparse.issparse(X) else X
        kept, step = np.arange(train.n_features), self.step
        model, target = (
            (LogisticRegression(max_iter=300), train.codes) if train.has_classes else (Ridge(), train.target)
        )
        chosen: dict[int, Features] = {}
        for size in sorted(sizes, reverse=True):
            selector = RFE(model, n_features_to_select=size, step=step)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", ConvergenceWarning)  # the order of weights settles long before
                selector.fit(X[:, kept], target)
            kept, step = kept[selector.support_], 1
            chosen[size] = kept
        return chosen


def peer(name: str, options: Mapping[str, int]) -> Peer:
    """Return the peer of a name, with its options."""
    return (
        Elimination(options["step"]) if name == ELIMINATION else {F_TEST: f_test, INFORMATION: mutual_information}[name]
    )


def _prefixes(scores: Values, sizes: Sequence[int]) -> dict[int, Features]:
    """Take the best of every size; features without a score come last."""
    order = Ranking.by(np.where(np.isnan(scores), -np.inf, scores)).order
    return {size: np.sort(order[:size]) for size in sizes}


def best_of_random(
    criterion: Criterion, train: Dataset, sizes: Sequence[int], n_evaluations: int, rng: Rng
) -> list[Record]:
    """Return the best random subset of every size, the evaluations being shared out evenly among the sizes.

    The subsets of a size are drawn uniformly; of equal values the first counts.
    """
    cursor = criterion.bind(train)
    draws = rng.stream("start")
    found: list[Record] = []
    spent = 0
    for size, granted in zip(sizes, shares(n_evaluations, len(sizes))):
        best: Record | None = None
        for start in range(0, granted, _BATCH):
            subsets = [draws.subset(train.n_features, size) for _ in range(min(_BATCH, granted - start))]
            values = cursor.evaluate_many(subsets)
            k = int(np.argmax(values))
            if best is None or values[k] > best.value:
                best = Record(size, float(values[k]), subsets[k], spent + start + k + 1)
        found += [] if best is None else [best]
        spent += granted
    return found


def shares(n_evaluations: int, n_sizes: int) -> list[int]:
    """Share evaluations out evenly, the first sizes getting what is left over."""
    return [n_evaluations // n_sizes + (number < n_evaluations % n_sizes) for number in range(n_sizes)]
