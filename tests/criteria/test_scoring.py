"""Targets too large, or too small, for squared errors are refused at once instead of valued as infinity."""

from __future__ import annotations

import numpy as np
import pytest

from sweepless import Dataset
from sweepless.criteria import KNNRegression, RidgeCriterion
from sweepless.criteria.linear.least_squares import LeastSquares
from sweepless.errors import DataError

X = np.random.default_rng(0).normal(size=(30, 3))
SQUARING = [
    RidgeCriterion(score="mse"),
    RidgeCriterion(score="mse", folds=3),
    *(KNNRegression(score=score) for score in ("r2", "mse", "rmse")),
    *(LeastSquares(1.0, score=score) for score in ("r2", "mse", "rmse")),
]


@pytest.mark.parametrize("scale", [1e-200, 1e-145, 1e141, 1e153, 1e155, 1e300])
@pytest.mark.parametrize("criterion", SQUARING, ids=repr)
def test_squared_errors_that_doubles_cannot_hold(criterion, scale):
    with pytest.raises(DataError, match=r"the target of data must be at most 1e\+140 and vary by at least 1e-140"):
        criterion.bind(Dataset(X, X[:, 0] * scale))


@pytest.mark.parametrize("scale", [1e-139, 1.0, 4e139])
@pytest.mark.parametrize("criterion", SQUARING, ids=repr)
def test_values_are_finite_up_to_the_border(criterion, scale):
    X_far = X.copy()
    X_far[-1] *= 1e6  # predicted from afar
    cursor = criterion.bind(Dataset(X_far, X[:, 0] * scale))
    assert np.isfinite([cursor.evaluate([0]), cursor.evaluate([1])]).all()


def test_shares_do_not_depend_on_the_unit_of_the_target():
    values = {RidgeCriterion().bind(Dataset(X, X[:, 0] * scale)).evaluate([0, 1]) for scale in (1.0, 2.0**600)}
    assert len(values) == 1
