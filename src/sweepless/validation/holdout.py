"""Holdout accuracy by a classifier of any family, also another than the search was guided by (C48)."""

from __future__ import annotations

from collections.abc import Callable

from sweepless._checks import one_of
from sweepless._typing import Features
from sweepless.criteria.base import Criterion
from sweepless.dataset import Dataset


def _knn() -> Criterion:
    from sweepless.criteria.knn import KNN

    return KNN()


def _svm() -> Criterion:
    from sweepless.criteria.svm import SVM

    return SVM()  # radial, C = 1, gamma = 1 / (size · variance): A52


def _multinomial() -> Criterion:
    from sweepless.criteria.multinomial import MultinomialBhattacharyya

    return MultinomialBhattacharyya()  # its holdout is multinomial naive Bayes


def _gaussian() -> Criterion:
    from sweepless.criteria.bayes import GaussianNB

    return GaussianNB()


def _ridge() -> Criterion:
    from sweepless.criteria.linear import RidgeCriterion

    return RidgeCriterion(score="accuracy")


# Every criterion with a classifier knows how to validate by it; imported when asked for.
_CLASSIFIERS: dict[str, Callable[[], Criterion]] = {
    "knn": _knn,
    "svm": _svm,
    "multinomial-nb": _multinomial,
    "gaussian-nb": _gaussian,
    "ridge": _ridge,
}
CLASSIFIERS = tuple(_CLASSIFIERS)
"""The names of the classifiers that can validate."""


def holdout_accuracy(classifier: str, train: Dataset, test: Dataset, features: Features) -> float:
    """Return the share of `test` that a classifier trained on all of `train`, on some features, gets right.

    Parameters
    ----------
    classifier : {"knn", "svm", "multinomial-nb", "gaussian-nb", "ridge"}
        1-NN; radial support vector machine with C = 1 and scikit-learn's "scale" width; the paper's multinomial
        naive Bayes; Gaussian naive Bayes; least squares on ±1 with a penalty of 1.
    train, test : Dataset
        The test part is used once, here.
    features : array of int
    """
    one_of("classifier", classifier, CLASSIFIERS)
    return _CLASSIFIERS[classifier]().validate(train, test, features)
