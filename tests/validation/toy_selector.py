"""A selector of a few lines that keeps what ours keep: quick, seeded, easily reasoned about."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.feature_selection import SelectorMixin
from sklearn.utils.validation import validate_data


class ToySelector(SelectorMixin, BaseEstimator):
    """Take the columns of greatest absolute correlation with the labels, disturbed by seeded noise."""

    def __init__(self, n_features=3, noise=0.0, journal=None, random_state=None):
        self.n_features = n_features
        self.noise = noise
        self.journal = journal
        self.random_state = random_state

    def fit(self, X, y, sample_weight=None):
        assert self.journal is None, "a repeated run must not share a journal"
        assert sample_weight is None or len(sample_weight) == len(y)
        X, y = validate_data(self, X, y)
        scores = np.abs(np.corrcoef(X, y, rowvar=False)[-1, :-1])
        rng = np.random.RandomState(self.random_state)
        self.feature_scores_ = scores + self.noise * rng.uniform(size=len(scores))
        order = np.argsort(-self.feature_scores_)
        self.subsets_ = {
            k: SimpleNamespace(features=np.sort(order[:k]), value=float(scores[order[:k]].mean()))
            for k in range(1, self.n_features + 3)
        }
        self.chosen_ = np.isin(np.arange(X.shape[1]), order[: self.n_features])
        return self

    def _get_support_mask(self):
        return self.chosen_
