"""Criteria given by a function or by a scikit-learn estimator: what they return, and how they fail."""

from __future__ import annotations

import numpy as np
import pytest
from joblib import parallel_config
from scipy import sparse
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import KFold, cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier

from sweepless import Dataset, Direction
from sweepless.criteria import EstimatorCriterion, FunctionCriterion
from sweepless.errors import CriterionError, DataError, InputError


def data(n_samples=30, n_features=5, seed=0):
    draws = np.random.default_rng(seed)
    y = np.arange(n_samples) % 2
    return Dataset(draws.normal(size=(n_samples, n_features)) + 0.5 * y[:, None], y)


class Broken(GaussianNB):
    def fit(self, X, y):
        raise ZeroDivisionError("no luck")


def test_a_function_gets_ascending_members_and_if_wanted_the_data():
    seen = []
    cursor = FunctionCriterion(lambda members: seen.append(members.tolist()) or 1).bind(data())
    assert cursor.evaluate([3, 0]) == 1.0
    assert seen == [[0, 3]]
    with_data = FunctionCriterion(lambda members, given: given.n_features, needs_data=True).bind(data())
    assert with_data.evaluate([2]) == 5.0


@pytest.mark.parametrize(
    ("returned", "message"),
    [
        (None, "the criterion must return a number, got None for subset {0, 2}."),
        (np.nan, "the criterion must return a finite number, got nan for subset {0, 2}."),
        (-np.inf, "the criterion must return a finite number, got -inf for subset {0, 2}."),
        (10**400, None),
        (1j, "the criterion must return a number, got 1j for subset {0, 2}."),
        ([1, 2], "the criterion must return a number, got [1, 2] for subset {0, 2}."),
    ],
)
def test_what_is_not_a_finite_number_is_an_error(returned, message):
    cursor = FunctionCriterion(lambda members: returned).bind(data())
    with pytest.raises(CriterionError) as caught:
        cursor.evaluate([0, 2])
    assert message is None or str(caught.value) == message
    with pytest.raises(CriterionError):
        cursor.peek(Direction.ADD, np.array([1]))


def test_a_function_that_raises_is_an_error_with_its_cause():
    cursor = FunctionCriterion(lambda members: 1 / 0).bind(data())
    with pytest.raises(CriterionError, match="raised ZeroDivisionError") as caught:
        cursor.evaluate([0])
    assert isinstance(caught.value.__cause__, ZeroDivisionError)


def test_an_error_while_peeking_at_pairs_leaves_the_cursor_where_it_stood():
    cursor = FunctionCriterion(lambda members: 1 / 0 if 4 in members else 1.0).bind(data())
    cursor.jump([0])
    with pytest.raises(CriterionError):
        cursor.peek(Direction.ADD, np.array([[1, 2], [3, 4]]))
    assert np.flatnonzero(cursor.members).tolist() == [0]


def test_what_cannot_be_called_or_fitted_is_refused():
    with pytest.raises(InputError, match="`function` must be callable, got 3"):
        FunctionCriterion(3)
    with pytest.raises(InputError, match="`estimator` must be a scikit-learn estimator"):
        EstimatorCriterion(GaussianNB)
    with pytest.raises(InputError, match="`estimator` must be a scikit-learn estimator"):
        EstimatorCriterion("svm")


@pytest.mark.parametrize("kept", [np.asarray, sparse.csr_matrix])
def test_an_estimator_is_worth_its_cross_validation(kept):
    given = data()
    estimator = KNeighborsClassifier(3)
    cursor = EstimatorCriterion(estimator, cv=4).bind(Dataset(kept(given.X), given.y))
    expected = np.mean(cross_val_score(estimator, given.X[:, [1, 3]], given.y, cv=4))
    assert cursor.evaluate([3, 1]) == expected


def test_a_regressor_needs_no_classes():
    given = data()
    target = given.X[:, 0] * 2.0 + 1.0
    cursor = EstimatorCriterion(Ridge(), scoring="r2", cv=KFold(3)).bind(Dataset(given.X, target))
    assert cursor.evaluate([0]) > 0.9


def test_parallel_candidates_have_the_same_values():
    given = data()
    pool = np.arange(4)
    alone = EstimatorCriterion(GaussianNB()).bind(given).peek(Direction.ADD, pool)
    with parallel_config(backend="threading"):
        together = EstimatorCriterion(GaussianNB(), n_jobs=2).bind(given).peek(Direction.ADD, pool)
    assert alone.tolist() == together.tolist()


def test_splits_that_come_from_a_generator_serve_more_than_one_data_set():
    given = data()
    criterion = EstimatorCriterion(GaussianNB(), cv=KFold(3).split(given.X))
    assert criterion.bind(given).evaluate([0, 1]) == criterion.bind(given).evaluate([0, 1])


def test_an_estimator_that_raises_is_an_error_with_its_cause():
    cursor = EstimatorCriterion(Broken()).bind(data())
    with pytest.raises(CriterionError, match=r"Broken raised ZeroDivisionError on subset \{0, 2\}: no luck") as caught:
        cursor.evaluate([0, 2])
    assert isinstance(caught.value.__cause__, ZeroDivisionError)


@pytest.mark.parametrize("score", [np.nan, np.inf])
def test_a_scorer_that_returns_no_finite_number_is_an_error(score):
    cursor = EstimatorCriterion(GaussianNB(), scoring=lambda *_: score).bind(data())
    with pytest.raises(CriterionError):
        cursor.evaluate([0])


def test_a_scorer_that_returns_nothing_is_an_error():
    cursor = EstimatorCriterion(GaussianNB(), scoring=lambda *_: None).bind(data())
    with pytest.raises(CriterionError):
        cursor.evaluate([0])


def test_splits_that_cannot_be_made_are_an_error_about_the_data():
    with pytest.raises(DataError, match="`cv` must be able to split data"):
        EstimatorCriterion(GaussianNB(), cv=31).bind(data())


def test_validation_fits_on_train_and_scores_on_test():
    given = data(40)
    train, test = given.take(np.arange(20)), given.take(np.arange(20, 40))
    fitted = LogisticRegression().fit(train.X[:, [0, 2]], train.y)
    expected = fitted.score(test.X[:, [0, 2]], test.y)
    assert EstimatorCriterion(LogisticRegression()).validate(train, test, np.array([2, 0])) == expected


def test_a_function_has_no_validation():
    with pytest.raises(InputError, match="has no holdout validation"):
        FunctionCriterion(len).validate(data(), data(), np.array([0]))


def test_criteria_are_compared_by_what_they_say():
    assert FunctionCriterion(len) == FunctionCriterion(len)
    estimator = DummyClassifier()
    assert EstimatorCriterion(estimator) == EstimatorCriterion(estimator)
    assert EstimatorCriterion(estimator) != EstimatorCriterion(estimator, cv=5)
