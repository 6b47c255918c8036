"""Weights of classes: native values are those of `cross_val_score`."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_wine
from sklearn.linear_model import RidgeClassifier
from sklearn.model_selection import KFold, StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from sweepless import Dataset
from sweepless.criteria.linear.least_squares import LeastSquares
from sweepless.errors import InputError
from tests.reference.moves import require_peeks_by_definition, wander
from tests.selectors.test_dispatch_values import require_same

WEIGHTS = {0: 0.2, 1: 1, 2: 30.0}


@pytest.mark.parametrize("weights", ["balanced", WEIGHTS], ids=repr)
@pytest.mark.parametrize("options", [{}, {"fit_intercept": False}, {"solver": "svd", "alpha": 0.01}], ids=repr)
@pytest.mark.parametrize("scoring", [None, "average_precision"])
def test_classes_of_other_weights(weights, options, scoring):
    X, y = load_wine(return_X_y=True)
    X, y = X[:140], y[:140]  # the classes have other sizes
    for estimator in (
        RidgeClassifier(class_weight=weights, **options),
        make_pipeline(StandardScaler(), RidgeClassifier(class_weight=weights, **options)),
        *([make_pipeline(StandardScaler(), SVC(class_weight=weights))] if not options else []),
    ):
        require_same(estimator, X, y, list(StratifiedKFold(3).split(X, y)), scoring, n_subsets=1)


def test_a_class_that_a_training_part_lacks():
    draws = np.random.default_rng(7)
    y = np.repeat([0, 1, 2], [10, 20, 30])
    X = draws.normal(size=(60, 5)) + y[:, None]
    for weights in ("balanced", WEIGHTS):
        require_same(RidgeClassifier(class_weight=weights), X, y, list(KFold(6).split(X)))
        require_same(SVC(class_weight=weights), X, y, list(KFold(6).split(X)))


def test_weights_matter_and_neighbours_have_the_bits_of_the_definition():
    X, y = load_wine(return_X_y=True)
    data = Dataset(X, np.minimum(y, 1))
    plain, weighted = (
        LeastSquares(1.0, score="recall", class_weight=weights).bind(data) for weights in (None, (1.0, 9.0))
    )
    assert weighted.evaluate([0, 2]) > plain.evaluate([0, 2])
    for _ in wander(weighted, 4, np.random.default_rng(0)):
        require_peeks_by_definition(weighted)


def test_weights_of_one_change_no_bit():
    X, y = load_wine(return_X_y=True)
    plain, weighted = (
        LeastSquares(1.0, score="accuracy", class_weight=weights).bind(Dataset(X, y)) for weights in (None, (1.0,) * 3)
    )
    for members in ([0], [1, 5, 7], [2, 3, 4, 11]):
        assert plain.evaluate(members) == weighted.evaluate(members)


def test_weights_must_be_positive():
    with pytest.raises(InputError, match="`class_weight` must be None, balanced or a positive weight for each class"):
        LeastSquares(score="accuracy", class_weight=(1.0, 0.0))
