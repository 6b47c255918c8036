"""Results depend neither on the number of jobs nor on what they are."""

from __future__ import annotations

import numpy as np
import pytest
from joblib import parallel_backend
from sklearn.datasets import load_wine
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import SVC

from sweepless import SequentialSelector

X, Y = load_wine(return_X_y=True)
ESTIMATORS = {
    "native": KNeighborsClassifier(3),
    "svm": SVC(),
    "fitted": LogisticRegression(max_iter=15, tol=0.1),
    "fitted natively recognized": GaussianNB(),
}


@pytest.mark.filterwarnings("ignore:lbfgs failed")
@pytest.mark.parametrize("name", ESTIMATORS)
@pytest.mark.parametrize("backend", ["threading", "loky"])
def test_subsets_are_identical(name, backend):
    options = {
        "method": "sSFFS",
        "n_features_to_select": 3,
        "overshoot": 1,
        "budget": 6,
        "backward_budget": 3,
        "cv": 3,
        "warm_up": "8@4",
        "random_state": 0,
        "native": name != "fitted natively recognized" and "auto",
    }
    one = SequentialSelector(ESTIMATORS[name], n_jobs=1, **options).fit(X, Y)
    with parallel_backend(backend):
        two = SequentialSelector(ESTIMATORS[name], n_jobs=2, **options).fit(X, Y)
    assert list(one.subsets_) == list(two.subsets_)
    for size, found in one.subsets_.items():
        assert found.value == two.subsets_[size].value
        np.testing.assert_array_equal(found.features, two.subsets_[size].features)
    assert [step.value for step in one.trace_] == [step.value for step in two.trace_]
    assert one.n_evaluations_ == two.n_evaluations_


def test_the_seed_decides():
    def features(seed):
        selector = SequentialSelector(GaussianNB(), budget=4, backward_budget=3, random_state=seed, max_size=6)
        return [step.features.tolist() for step in selector.fit(X, Y).trace_]

    assert features(3) == features(3) == features(np.int64(3)) != features(4)
    assert features(np.random.RandomState(0)) == features(np.random.RandomState(0))
