"""Boosting that is begun, looked at and continued: it comes to the same values, and nothing is fitted twice."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from joblib import parallel_config
from sklearn.base import clone
from sklearn.ensemble import (
    GradientBoostingClassifier,
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
)
from sklearn.linear_model import SGDClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from sweepless import Dataset, Direction, run
from sweepless.criteria import EstimatorCriterion, estimator
from sweepless.criteria.begun import ahead_when_begun, begun, continued
from tests.journal.twins import facts
from tests.search.test_racing import predicted

DRAWS = np.random.default_rng(3)
Y = DRAWS.permutation(np.arange(120) % 3)
X = DRAWS.normal(size=(120, 9)) + (Y[:, None] == np.arange(9) % 4) * DRAWS.uniform(0.5, 1.5, 9)
DATA = Dataset(X, Y)
BOOSTING = HistGradientBoostingClassifier(max_iter=20, min_samples_leaf=10, random_state=0)
REGRESSION = HistGradientBoostingRegressor(max_iter=20, random_state=0)


def test_what_can_be_continued_is_begun_with_a_quarter_of_its_iterations():
    assert begun(BOOSTING, 120).get_params() == BOOSTING.get_params() | {"max_iter": 5, "warm_start": True}
    assert begun(make_pipeline(StandardScaler(), HistGradientBoostingRegressor(max_iter=30)), 120)[-1].max_iter == 8
    assert begun(HistGradientBoostingClassifier(early_stopping=False), 20_000).max_iter == 25


def test_what_cannot_is_not():
    class Other(HistGradientBoostingClassifier):
        pass

    for other in (
        HistGradientBoostingClassifier(max_iter=19),
        HistGradientBoostingClassifier(early_stopping=True),
        HistGradientBoostingClassifier(warm_start=True),
        Other(),
        GradientBoostingClassifier(),
        SGDClassifier(),
        MLPClassifier(),
    ):
        assert begun(other, 120) is None
    assert begun(HistGradientBoostingClassifier(), 10_001) is None  # it stops early


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(
    "chosen",
    [
        BOOSTING,
        *(
            clone(BOOSTING).set_params(**params)
            for params in (
                {"max_features": 0.5},
                {"class_weight": "balanced"},
                {"categorical_features": [4]},
                {"interaction_cst": "pairwise", "l2_regularization": 1.0},
            )
        ),
        make_pipeline(StandardScaler(), BOOSTING),
        *(
            clone(REGRESSION).set_params(**params)
            for params in (
                {"loss": "squared_error"},
                {"loss": "absolute_error"},
                {"loss": "quantile", "quantile": 0.3},
                {"loss": "poisson"},
                {"loss": "gamma", "max_features": 0.4},
            )
        ),
    ],
)
def test_a_fit_that_is_continued_is_the_whole_one_to_the_last_bit(chosen, weighted):
    table = X.copy()
    table[:, 4] = np.arange(len(X)) % 5
    table[::17, 2] = np.nan
    name = "histgradientboostingclassifier__sample_weight" if hasattr(chosen, "steps") else "sample_weight"
    params = {name: np.linspace(0.2, 2.0, len(X))} if weighted else {}
    whole = clone(chosen).fit(table, Y + 1, **params)
    first = begun(chosen, len(X)).fit(table, Y + 1, **params)
    sent = pickle.loads(pickle.dumps(first))  # noqa: S301 # to a worker and back
    assert not np.array_equal(first.predict(table), whole.predict(table))
    method = "predict_proba" if hasattr(chosen, "predict_proba") else "predict"
    for one in (first, sent):
        found = continued(one, chosen).fit(table, Y + 1, **params)
        assert np.array_equal(getattr(found, method)(table), getattr(whole, method)(table))


@pytest.mark.parametrize("n_errors", [0.0, 2.0])
@pytest.mark.parametrize("noise", [0.01, 3.0])
@pytest.mark.parametrize("growth", [0.5, 1.5, 9.0])
def test_differences_are_taken_to_grow_as_they_do_among_rivals(growth, noise, n_errors):
    early = DRAWS.normal(size=(4, 30))
    rivals = np.hstack([early[:3] * growth, DRAWS.normal(size=(3, 60))])
    rivals[:, :30] += DRAWS.normal(0, noise, (3, 30))
    late, soon = (some - some.mean(axis=0) for some in (rivals[:, :30], early[:3]))
    grown = np.clip(np.sum(late * soon) / np.sum(soon**2), 1.0, 3.0)
    expected = rivals[:, :30].mean(axis=0) + grown * (early[3] - early[:3].mean(axis=0))
    plain, error = (predicted(expected[None], rivals, 30, n)[0] - rivals.mean() for n in (0.0, 1.0))
    doubt = np.sum((late - grown * soon) ** 2) / 2 / 30 / 30  # the variance among three rivals, of a mean of 30
    found = ahead_when_begun([[early[3]]], [[row] for row in early[:3]], [np.split(row, 3) for row in rivals], n_errors)
    assert found == pytest.approx([plain + n_errors * np.hypot(error - plain, np.sqrt(doubt))])


def test_rivals_that_are_alike_tell_of_no_growth():
    alike = [[np.ones(30)] * 3] * 2
    found = ahead_when_begun([[np.zeros(30)]], [[np.ones(30)]] * 2, alike, 0.0)
    assert found == pytest.approx([-1.0])
    assert ahead_when_begun([[np.zeros(30)]], [[np.ones(30)]], alike[:1], 2.0) == np.inf


@pytest.fixture
def iterations(monkeypatch):
    """Return a list of the iterations that every fit makes."""
    made, fit = [], HistGradientBoostingClassifier.fit

    def counted(self, *arguments, **params):
        before = self.n_iter_ if self.warm_start and hasattr(self, "_predictors") else 0
        fit(self, *arguments, **params)
        made.append(self.n_iter_ - before)
        return self

    monkeypatch.setattr(HistGradientBoostingClassifier, "fit", counted)
    return made


def test_no_iteration_is_made_twice(iterations):
    cursor = EstimatorCriterion(BOOSTING, cv=3).bind(DATA)
    assert cursor.rungs == pytest.approx([1 / 12, 1 / 3, 2 / 3, 1])
    subsets = [np.array([0, 1]), np.array([1, 2]), np.array([3])]
    first = cursor.glimpse(subsets, 0)
    assert iterations == [5] * 3
    second = cursor.glimpse(subsets[:2], 1)
    assert iterations[3:] == [15] * 2
    assert not np.array_equal(first[:2], second)
    values = cursor.evaluate_many(subsets)
    assert sum(iterations) == 3 * 3 * 20
    cursor.compare(subsets[2:], 0, subsets[:2], 1.0)
    assert sum(iterations) == 3 * 3 * 20
    assert values.tolist() == [EstimatorCriterion(BOOSTING, cv=3).bind(DATA).evaluate(one) for one in subsets]
    cursor.move(Direction.ADD, 8)
    cursor.glimpse(subsets[:1], 0)
    assert iterations[-1] == 5  # what was begun elsewhere is forgotten


def test_only_the_most_promising_are_kept(iterations, monkeypatch):
    monkeypatch.setattr(estimator, "_MOST_STARTED", 2)
    cursor, subsets = EstimatorCriterion(BOOSTING, cv=3).bind(DATA), [np.array([k]) for k in range(5)]
    looked = cursor.glimpse(subsets, 0)
    kept = sorted(int(np.frombuffer(key, dtype=np.intp)[0]) for key in cursor._started)
    assert kept == sorted(np.argsort(-looked, kind="stable")[:2])
    cursor.glimpse(subsets, 1)
    assert sorted(iterations[5:]) == [15] * 2 + [20] * 3


def test_what_was_interrupted_begins_anew(iterations, monkeypatch):
    criterion, members = EstimatorCriterion(BOOSTING, cv=3), np.array([0, 1])
    cursor = criterion.bind(DATA)
    cursor.glimpse([members], 0)
    fit = HistGradientBoostingClassifier.fit

    def interrupted(self, *_, **__):
        self._predictors = self._predictors[:2]
        raise KeyboardInterrupt

    monkeypatch.setattr(HistGradientBoostingClassifier, "fit", interrupted)
    with pytest.raises(KeyboardInterrupt):
        cursor.evaluate(members)
    monkeypatch.setattr(HistGradientBoostingClassifier, "fit", fit)
    assert cursor.evaluate(members) == criterion.bind(DATA).evaluate(members)
    assert iterations[1] == 20


@pytest.mark.parametrize("scoring", ["accuracy", "neg_log_loss", "f1_macro"])
def test_a_search_by_what_was_begun_records_whole_values(scoring):
    criterion = EstimatorCriterion(BOOSTING, scoring, cv=3)
    raced = run("SFS", criterion, DATA, target=1)
    assert raced.anatomy.spared_share > 0.1
    cursor = criterion.bind(DATA)
    for record in raced.archive.values():
        assert record.value == cursor.evaluate(record.features)
    with parallel_config(backend="threading"):
        together = facts(run("SFS", EstimatorCriterion(BOOSTING, scoring, cv=3, n_jobs=2), DATA, target=1))
    told = together["told"] | {"criterion": facts(raced)["told"]["criterion"]}
    assert together | {"told": told} == facts(raced)
