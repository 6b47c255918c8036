"""A scaler in front of a native criterion is fitted to whole blocks of features, not again for every subset."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler

from sweepless import Dataset
from sweepless.selectors.native import choose_criterion

DRAWS = np.random.default_rng(0)
Y = DRAWS.permutation(np.arange(60) % 2)
X = DRAWS.lognormal(size=(60, 400)) + 0.3 * Y[:, None]
SPLITS = list(StratifiedKFold(3).split(X, Y))
SUBSETS = [np.sort(DRAWS.choice(400, 10, replace=False)) for _ in range(100)]


def bound(estimator, X=X):
    data = Dataset(X, Y)
    return choose_criterion(estimator, data, splits=SPLITS, native=True).criterion.bind(data)


def test_scalers_are_fitted_a_few_times_whatever_is_asked(monkeypatch):
    fits = []
    fit = StandardScaler.fit
    monkeypatch.setattr(StandardScaler, "fit", lambda self, X: fits.append(X.shape) or fit(self, X))
    cursor = bound(make_pipeline(StandardScaler(), GaussianNB()))
    for members in SUBSETS:
        cursor.evaluate(members)
    assert len(fits) == 3  # once for each split


@pytest.mark.parametrize("scalers", [[StandardScaler()], [MinMaxScaler(), StandardScaler()]])
def test_many_subsets_at_once_have_the_values_of_cross_validation(scalers):
    estimator = make_pipeline(*scalers, GaussianNB())
    values = bound(estimator).evaluate_many(SUBSETS)
    assert values.tolist() == [bound(estimator).evaluate(members) for members in SUBSETS]
    for members, value in zip(SUBSETS[:10], values, strict=False):
        theirs = cross_val_score(estimator, X[:, members], Y, cv=SPLITS).mean()
        assert value == pytest.approx(theirs, abs=1e-12)


def test_a_feature_beyond_all_numbers_does_not_disturb_those_around_it():
    wild = X.copy()
    wild[:, 7] = np.where(Y == 1, 1.7e308, 1.6e308)
    estimator = make_pipeline(StandardScaler(), MinMaxScaler(), GaussianNB())
    assert bound(estimator, wild).evaluate([5, 6]) == bound(estimator).evaluate([5, 6])
