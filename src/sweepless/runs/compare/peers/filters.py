"""Peers that rank features by statistics of one feature, or of two: F test, mutual information, mRMR."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence

import numpy as np
from scipy import sparse
from sklearn.feature_selection import f_classif, f_regression, mutual_info_classif, mutual_info_regression

from sweepless._typing import Features, Values
from sweepless.dataset import Dataset
from sweepless.runs.compare.peers.base import first_of, prefixes, target_of

_LEAST_REDUNDANCY = 1e-3  # a feature that is correlated with nothing chosen is not infinitely good


def f_statistics(train: Dataset) -> Values:
    """Return the F statistic of every feature, 0 of those that are constant."""
    test = f_classif if train.has_classes else f_regression
    with warnings.catch_warnings(), np.errstate(divide="ignore", invalid="ignore"):
        warnings.simplefilter("ignore", UserWarning)  # constant features
        scores: Values = test(train.X, target_of(train))[0]
    return np.where(np.isnan(scores), 0.0, scores)


def f_test(train: Dataset, sizes: Sequence[int], seed: int) -> Mapping[int, Features]:
    """Choose the features with the greatest F statistics, as SelectKBest(f_classif) does; of numbers f_regression."""
    return prefixes(f_statistics(train), sizes)


def mutual_information(train: Dataset, sizes: Sequence[int], seed: int) -> Mapping[int, Features]:
    """Choose the features with the greatest mutual information, as SelectKBest(mutual_info_classif) does.

    For numbers it is mutual_info_regression.
    """
    estimate = mutual_info_classif if train.has_classes else mutual_info_regression
    return prefixes(estimate(train.X, target_of(train), random_state=seed), sizes)


def relevant_not_redundant(train: Dataset, sizes: Sequence[int], seed: int) -> Mapping[int, Features]:
    """Choose by mRMR: add the feature with the greatest F over its mean absolute correlation with those chosen.

    This is the quotient of Ding and Peng (2005) for continuous features, FCQ.
    """
    relevance = f_statistics(train)
    relevance = np.where(np.isinf(relevance), np.finfo(np.float64).max, relevance)
    correlations = _Correlations(train)
    redundancy = np.zeros(train.n_features)
    order = [int(np.argmax(relevance))]
    while len(order) < max(sizes):
        redundancy += correlations.with_feature(order[-1])
        worth = relevance / np.maximum(redundancy / len(order), _LEAST_REDUNDANCY)
        worth[order] = -1.0
        order.append(int(np.argmax(worth)))
    return first_of(np.array(order), sizes)


class _Correlations:
    """Absolute correlations of all features with one of them, without a matrix of all pairs."""

    def __init__(self, train: Dataset) -> None:
        self._X = train.X.astype(np.float64)
        self._is_sparse = sparse.issparse(self._X)
        self._mean = np.asarray(self._X.mean(axis=0)).ravel()
        if self._is_sparse:
            squares = np.asarray(self._X.multiply(self._X).mean(axis=0)).ravel()
            self._deviation = np.sqrt(np.maximum(squares - self._mean**2, 0.0))
        else:
            self._X -= self._mean
            self._deviation = self._X.std(axis=0)

    def with_feature(self, feature: int) -> Values:
        """Return the absolute correlations with a feature, 0 where one of both is constant."""
        products = self._X.T @ self._X[:, [feature]]
        covariance = (products.toarray() if self._is_sparse else products)[:, 0] / self._X.shape[0]
        if self._is_sparse:
            covariance = covariance - self._mean * self._mean[feature]
        scale = self._deviation * self._deviation[feature]
        found: Values = np.abs(np.divide(covariance, scale, out=np.zeros_like(covariance), where=scale > 0))
        return found
