"""Searches drawn at random: every method with every criterion in turn, and only what may be meant together."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from itertools import product
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.naive_bayes import GaussianNB as ScikitNB

import sweepless as sw


@dataclass(frozen=True)
class Case:
    """One search: everything that decides its result."""

    method: str
    criterion: sw.criteria.Criterion
    data: sw.Dataset = field(repr=False)
    options: dict[str, Any]

    def run(self, **more: Any) -> sw.Result:
        return sw.run(self.method, self.criterion, self.data, **self.options, **more)


class NearestMean(ClassifierMixin, BaseEstimator):
    """A classifier that costs next to nothing, so that the time goes into searches."""

    def fit(self, X: Any, y: Any) -> NearestMean:
        self.classes_ = np.unique(y)
        self.means_ = np.array([X[y == label].mean(axis=0) for label in self.classes_])
        return self

    def score(self, X: Any, y: Any) -> float:
        distances = ((X[:, None, :] - self.means_) ** 2).sum(axis=2)
        return float((self.classes_[distances.argmin(axis=1)] == y).mean())


CRITERIA: dict[str, sw.criteria.Criterion] = {
    "k-NN": sw.criteria.KNN(),
    "k-NN, 3 votes": sw.criteria.KNN(n_neighbors=3, folds=3),
    "k-NN, Manhattan": sw.criteria.KNN(metric="manhattan"),
    "multinomial": sw.criteria.MultinomialBhattacharyya(),
    "estimator": sw.criteria.EstimatorCriterion(NearestMean(), cv=2),
    "scikit-learn": sw.criteria.EstimatorCriterion(ScikitNB(), cv=2),
    "naive Bayes": sw.criteria.GaussianNB(),
    "multinomial naive Bayes": sw.criteria.MultinomialNB(),
    "ridge": sw.criteria.RidgeCriterion(score="accuracy"),
    "ridge on folds": sw.criteria.RidgeCriterion(folds=3, score="mse"),  # of classes, which need not vary in a fold
    "CFS": sw.criteria.CFS(),
    "Gaussian": sw.criteria.GaussianBhattacharyya(),
    "penalized": sw.criteria.Penalized(sw.criteria.KNN(), 0.01),
}
_SLOW = ("scikit-learn",)  # milliseconds per subset
# In another order than that of the product, so that every minute sees all methods and all criteria.
PAIRS = random.Random(0).sample(list(product(sw.METHODS, CRITERIA)), len(sw.METHODS) * len(CRITERIA))


def drawn_case(number: int) -> Case:
    """Draw the case of that number."""
    rng = random.Random(number)
    name, criterion = PAIRS[number % len(PAIRS)]
    method = sw.METHODS[name]
    n_samples, n_features = rng.randint(16, 60), rng.randint(3, 6 if criterion in _SLOW else 12)
    if name.startswith("s") and criterion not in _SLOW:
        n_features = rng.randint(3, 40)
    options: dict[str, Any] = {"seed": rng.randrange(1000), "rng": rng.choice(("portable", "reference"))}
    if method.traits.needs_target or method.traits.pivots or n_features > 12 or rng.random() < 0.7:
        nearest = rng.randint(1, min(n_features, 6))
        options["target"] = nearest if method.direction.adds else max(n_features - nearest, 1)
    if method.traits.overshoots:
        options["overshoot"] = rng.choice((0, 1, 2))
    if name.startswith("s"):
        options |= {"budget": rng.randint(3, 8), "backward_budget": rng.choice((None, 3, 6))}
        options["warm_up"] = rng.choice((None, sw.search.WarmUp(6, 2)))
    if name.startswith("DAF"):
        options |= {"n_probes": rng.randint(4, 60), "probe_sizes": (1, min(4, n_features))}
    if "(l,r)" in name:
        options |= dict(zip("lr", rng.choice(((2, 1), (3, 1), (1, 2)))))
    limit = rng.choice(("none", "none", "max_evaluations", "patience", "max_size"))
    grows = options["l"] > options["r"] if "l" in options else method.direction.adds
    if limit != "none" and (limit != "max_size" or grows):
        options[limit] = rng.randint(1, n_features) if limit == "max_size" else rng.randint(2, 150)
    return Case(name, CRITERIA[criterion], _drawn_data(rng, n_samples, n_features), options)


def _drawn_data(rng: random.Random, n_samples: int, n_features: int) -> sw.Dataset:
    """Draw counts, so that every criterion can have them, with classes that depend on some of them."""
    draws = np.random.default_rng(rng.randrange(2**32))
    X = draws.integers(0, rng.choice((2, 5, 50)), (n_samples, n_features)).astype(rng.choice(("f8", "f4", "i4")))
    y = (X[:, 0] + X[:, -1] * X[:, 1] + draws.integers(0, 3, n_samples) > np.median(X)).astype(int)
    y[:8] = [0, 1] * 4  # enough of both for any folds
    return sw.Dataset(X, y)


# Searches that last long enough to be killed in

_SAMPLED = {"budget": 12, "backward_budget": 8, "warm_up": sw.search.WarmUp(40, 5)}
KILLED_METHODS: dict[str, dict[str, Any]] = {
    "sSFFS": _SAMPLED | {"target": 6},
    "sOS": _SAMPLED | {"target": 5},
    "SFFS": {"target": 6},
    "DAF1": {"n_probes": 400, "probe_sizes": (1, 12), "max_size": 20},
}
KILLED_CRITERIA = ("k-NN", "multinomial", "estimator")
KILLED = list(product(KILLED_METHODS, KILLED_CRITERIA))


def killed_case(number: int) -> Case:
    """Draw the case of that number: three of four by rule, the fourth like any other."""
    if number % 4 == 3:
        return drawn_case(number)
    method, criterion = KILLED[(number - number // 4) % len(KILLED)]
    return fixed_case(method, criterion, number)


def fixed_case(method: str, criterion: str, seed: int = 0) -> Case:
    n_features = 20 if criterion == "estimator" else 40
    X = np.random.default_rng(seed).integers(0, 5, (60, n_features)).astype(np.float64)
    y = (X[:, :3].sum(axis=1) > 6).astype(int)
    return Case(method, CRITERIA[criterion], sw.Dataset(X, y), KILLED_METHODS[method] | {"seed": seed})
