"""Threads where nobody says how many: for long steps, not inside something parallel, without other results."""

from __future__ import annotations

import pytest
from joblib import Parallel, delayed
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from sweepless import SequentialSelector, make_madelon, run
from sweepless._threads import one_core, spare_cores
from sweepless.criteria import KNN, SVM, EstimatorCriterion, GaussianNB, Mean, Penalized, SoftNeighbors, TieBreak
from sweepless.search import threads
from sweepless.search.plan import plan_for
from sweepless.search.settings import SearchSettings
from sweepless.search.threads import with_threads

SHORT, LONG = (make_madelon(n_samples=n, n_features=60, seed=2) for n in (60, 1000))


@pytest.fixture(autouse=True)
def three_cores(monkeypatch):
    """However many this machine has."""
    monkeypatch.setattr(threads, "spare_cores", lambda: 3)


def threaded(criterion, data, **settings):
    planned = plan_for(SearchSettings(method="sSFS", target=4, **{"budget": 50} | settings), criterion, data)
    return with_threads(criterion, planned, data)


def test_only_steps_that_are_declared_long_get_threads():
    assert threaded(KNN(), LONG).n_jobs == 3
    assert threaded(KNN(), SHORT).n_jobs == "auto"
    assert threaded(KNN(), LONG, budget=5).n_jobs == "auto"


def test_a_number_that_was_given_stays():
    criterion = KNN(n_jobs=1)
    assert threaded(criterion, LONG) is criterion


def test_criteria_inside_others_get_threads_and_fitted_ones_do_not():
    fitted = EstimatorCriterion(KNeighborsClassifier())
    made = threaded(Penalized(Mean([KNN(), GaussianNB(), SVM(), fitted]), 0.01), LONG).criterion.criteria
    assert (made[0].n_jobs, made[2].n_jobs, made[3].n_jobs) == (3, 3, None)
    assert made[1] == GaussianNB()
    assert threaded(TieBreak(KNN(), SoftNeighbors()), LONG).second.n_jobs == 3


def test_a_criterion_without_threads_is_the_very_same():
    criterion = Mean([GaussianNB(), GaussianNB()])
    assert threaded(criterion, LONG) is criterion


def facts(result):
    return [(step.direction, step.features.tolist(), step.value) for step in result.trace], result.scores.tolist()


@pytest.mark.parametrize("kind", [KNN, SoftNeighbors])
def test_a_search_finds_the_same_with_any_number_of_threads(kind):
    options = {"target": 5, "budget": 30, "backward_budget": 5, "seed": 3}
    found = [facts(run("sSFFS", kind(n_jobs=n), LONG, **options)) for n in (1, 2, "auto")]
    assert found[0] == found[1] == found[2]


def test_a_selector_asks_for_threads_unless_it_says_how_many(monkeypatch):
    seen = []
    monkeypatch.setattr("sweepless.criteria.neighbors.cursor.Threads.__init__", watch(seen))
    estimator = make_pipeline(StandardScaler(), KNeighborsClassifier(1))
    chosen = []
    for n_jobs in (None, 1):
        selector = SequentialSelector(estimator, n_features_to_select=3, n_jobs=n_jobs, random_state=0)
        chosen.append(selector.fit(LONG.X, LONG.y).get_support().tolist())
    assert chosen[0] == chosen[1]
    assert 3 in seen and 1 in seen


def watch(seen):
    from sweepless.criteria.neighbors.cursor import Threads

    start = Threads.__init__

    def started(self, n_jobs):
        seen.append(n_jobs)
        start(self, n_jobs)

    return started


@pytest.mark.parametrize("backend", ["threading", "loky"])
def test_a_worker_of_joblib_has_one_core(backend):
    assert Parallel(2, backend=backend)(delayed(spare_cores)() for _ in range(2)) == [1, 1]


def test_a_cell_has_one_core(monkeypatch):
    monkeypatch.setattr("sweepless._threads.cpu_count", lambda: 7)
    with one_core():
        assert spare_cores() == 1
    assert spare_cores() == 7
