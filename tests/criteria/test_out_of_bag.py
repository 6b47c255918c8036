"""Forests scored by the samples that their trees have not seen."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.ensemble import BaggingRegressor, ExtraTreesClassifier, RandomForestClassifier, RandomForestRegressor
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import balanced_accuracy_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from sweepless import Dataset, Direction, SequentialSelector
from sweepless.criteria import EstimatorCriterion
from sweepless.errors import InputError

DRAWS = np.random.default_rng(0)
Y = np.arange(60) % 2
X = DRAWS.normal(size=(60, 7)) + 0.8 * Y[:, None] * (np.arange(7) < 2)
FOREST = RandomForestClassifier(15, random_state=0)


def fitted(forest, columns, y=Y):
    return forest.set_params(oob_score=forest.oob_score or True).fit(X[:, columns], y).oob_score_


@pytest.mark.parametrize(
    ("forest", "y"),
    [
        (RandomForestClassifier(15, random_state=0), Y),
        (RandomForestClassifier(15, random_state=0, oob_score=balanced_accuracy_score), np.arange(60) % 3),
        (ExtraTreesClassifier(15, bootstrap=True, random_state=0), Y),
        (RandomForestRegressor(15, random_state=0), X[:, 0] + X[:, 1]),
        (BaggingRegressor(n_estimators=15, random_state=0), X[:, 0] + X[:, 1]),
    ],
)
@pytest.mark.filterwarnings("ignore:Some inputs do not have OOB")
def test_the_value_is_the_out_of_bag_score_of_one_fit(forest, y):
    cursor = EstimatorCriterion(forest, "oob").bind(Dataset(X, y))
    cursor.jump([1])
    expected = [fitted(forest, sorted([1, one]), y) for one in (0, 3)]
    assert cursor.peek(Direction.ADD, np.array([0, 3])).tolist() == expected
    assert cursor.evaluate([0, 1]) == expected[0]
    assert cursor.rungs == ()  # one fit has no folds to race on


@pytest.mark.filterwarnings("ignore:Some inputs do not have OOB")
def test_a_forest_may_end_a_pipeline_and_keeps_its_own_parameters():
    piped = make_pipeline(StandardScaler(), FOREST)
    value = EstimatorCriterion(piped, "oob").bind(Dataset(X, Y)).evaluate([0, 1])
    assert value == pytest.approx(fitted(RandomForestClassifier(15, random_state=0), [0, 1]))
    assert FOREST.oob_score is False


@pytest.mark.parametrize(
    "estimator",
    [
        LogisticRegression(),
        RandomForestClassifier(bootstrap=False),
        make_pipeline(StandardScaler(), ExtraTreesClassifier()),
    ],
)
def test_estimators_without_a_bag_are_refused(estimator):
    with pytest.raises(InputError, match=r"`scoring='oob'` must come with a forest that draws bootstrap samples"):
        EstimatorCriterion(estimator, "oob")
    with pytest.raises(InputError, match="`scoring='oob'` must come with a forest"):
        SequentialSelector(estimator, method="SFS", n_features_to_select=1, scoring="oob").fit(X, Y)


@pytest.mark.filterwarnings("ignore:Some inputs do not have OOB", "ignore::sweepless.errors.AuditWarning")
def test_a_selector_maximizes_it_and_audits_by_the_forest_itself():
    selector = SequentialSelector(
        FOREST, method="SFS", n_features_to_select=2, scoring="oob", audit=0.25, random_state=0
    ).fit(X, Y)
    assert "out of bag" in selector.criterion_.reason
    assert selector.cv_results_["split0_test_score"].tolist() == selector.cv_results_["mean_test_score"].tolist()
    shares = selector.cv_results_["audit_score"] * 15  # accuracies on 15 held-back samples
    assert np.allclose(shares, np.round(shares))
