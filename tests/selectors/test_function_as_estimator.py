"""A function of subsets may stand where an estimator stands."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.naive_bayes import GaussianNB

from sweepless import SequentialSelector
from sweepless.criteria import FunctionCriterion

X = np.random.default_rng(0).normal(size=(20, 5))
X[:, 3] *= 9.0
Y = np.arange(20) % 2


def fewest(members):
    return -float(members.sum())


def widest(members, data):
    return float(data.X[:, members].var())


class Widest:
    def __call__(self, members, data, power=1):
        return widest(members, data) ** power


@pytest.mark.parametrize("function, best", [(fewest, 0), (widest, 3), (Widest(), 3), (lambda members: members[0], 4)])
def test_functions_are_criteria(function, best):
    selector = SequentialSelector(function, method="SFS", n_features_to_select=1)
    assert clone(selector).fit(X, Y).get_support(indices=True).tolist() == [best]
    assert selector.fit(X).get_support(indices=True).tolist() == [best]
    assert isinstance(selector.criterion_.criterion, FunctionCriterion)


@pytest.mark.parametrize(
    "given, message",
    [
        (GaussianNB, r"got the class GaussianNB; make one of it, as in GaussianNB\(\)\.$"),
        (lambda X, y, groups: 0.0, r"must be f\(members\) or f\(members, dataset\), .*got <lambda>\(X, y, groups\)\.$"),
        (lambda: 0.0, r"got <lambda>\(\)\.$"),
        (lambda members, *, power: 0.0, r"got <lambda>\(members, \*, power\)\.$"),
        (max, r"wrap it in FunctionCriterion\.$"),
        (3, "must be a scikit-learn estimator, a Criterion or a function, got 3"),
    ],
)
def test_what_cannot_be_understood_is_refused(given, message):
    with pytest.raises(ValueError, match=message):
        SequentialSelector(given).fit(X, Y)


def test_options_of_estimators_are_refused():
    with pytest.raises(ValueError, match=r"^`cv` is for estimators, got it together with the criterion"):
        SequentialSelector(fewest, cv=3).fit(X, Y)
