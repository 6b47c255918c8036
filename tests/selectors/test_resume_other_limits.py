"""Limits decide how far a run goes, never how: a run resumed with others is the one that would have gone on."""

from __future__ import annotations

import time
from itertools import product

import pytest
from sklearn.base import clone
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier

from sweepless import SequentialSelector, make_madelon
from sweepless.errors import JournalError
from sweepless.search import WarmUp
from tests.selectors.test_journal_of_selectors import assert_same, cut, samples  # noqa: F401

_LIMITS = [
    {},
    {"max_evaluations": 30},
    {"max_evaluations": 70},
    {"max_seconds": 1000},
    {"patience": 1},
    {"patience": 3},
]
_SELECTOR = SequentialSelector(GaussianNB(), budget=4, backward_budget=3, max_size=6, random_state=1, cv=3, prior=None)


class SlowNB(GaussianNB):
    def fit(self, X, y):
        time.sleep(0.001)
        return super().fit(X, y)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("limit", [{"max_seconds": 0.3}, {"max_evaluations": 300}])
def test_what_a_limit_made_of_the_warm_up_is_on_record(limit, tmp_path):
    data = make_madelon(n_samples=100)
    selector = SequentialSelector(KNeighborsClassifier(7), budget="paper", prior=None, max_size=12, random_state=0)
    with_limit = clone(selector).set_params(**limit, journal=tmp_path / "k.jsonl")
    first = with_limit.fit(data.X, data.target)
    resumed = clone(selector).resume(tmp_path / "k.jsonl", data.X, data.target)
    assert first.anatomy_.warm_up == resumed.anatomy_.warm_up
    assert_same(resumed, clone(selector).set_params(warm_up=f"{first.anatomy_.warm_up}@10").fit(data.X, data.target))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    "first", [{"max_evaluations": 13}, {"max_evaluations": 40}, {"max_seconds": 1000}, {"patience": 1}]
)
@pytest.mark.parametrize("share", [0.3, 1.0])
def test_a_resumed_run_is_the_one_that_would_have_gone_on(samples, tmp_path, first, share):  # noqa: F811
    path = tmp_path / "fit.jsonl"
    began = clone(_SELECTOR).set_params(**first, journal=path).fit(*samples)
    cut(path, share)
    kept = path.read_bytes()
    for second in _LIMITS:
        path.write_bytes(kept)
        other = clone(_SELECTOR).set_params(**second)
        expected = clone(other).set_params(warm_up=f"{began.anatomy_.warm_up}@6").fit(*samples)
        assert_same(other.resume(path, *samples), expected)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("warm_up", "seconds"), [*product(["auto", "4000@6"], [None, 30.0])])
def test_a_warm_up_that_time_cut_short_stays_as_short(samples, tmp_path, warm_up, seconds):  # noqa: F811
    path = tmp_path / "fit.jsonl"
    selector = clone(_SELECTOR).set_params(estimator=SlowNB(), native=False, warm_up=warm_up, cv=2, max_size=2)
    first = clone(selector).set_params(max_seconds=0.04, journal=path).fit(*samples)
    resumed = clone(selector).set_params(max_seconds=seconds).resume(path, *samples)
    assert resumed.stop_reason_ != "seconds"
    assert_same(resumed, clone(selector).set_params(warm_up=f"{first.anatomy_.warm_up}@6").fit(*samples))


def test_a_given_warm_up_is_still_compared(samples, tmp_path):  # noqa: F811
    path = tmp_path / "fit.jsonl"
    selector = clone(_SELECTOR).set_params(warm_up="8@6", max_seconds=1000, journal=path)
    selector.fit(*samples)
    with pytest.raises(JournalError, match="n_probes 8, got 9"):
        clone(selector).set_params(warm_up="9@6").resume(path, *samples)
    with pytest.raises(JournalError, match="probe_size 6, got 5"):
        clone(selector).set_params(warm_up="8@5").resume(path, *samples)
    with pytest.raises(JournalError, match="warm_up"):
        clone(selector).set_params(warm_up=None).resume(path, *samples)


def test_half_of_the_time_does_not_lengthen_a_warm_up(samples):  # noqa: F811
    selector = clone(_SELECTOR).set_params(warm_up=WarmUp(10**5, 6, max_seconds=0.01), max_seconds=1000)
    assert selector.fit(*samples).anatomy_.warm_up < 10**5


@pytest.mark.filterwarnings("ignore")
def test_what_a_limit_made_of_the_budget_is_on_record(tmp_path):
    data = make_madelon(n_samples=100)
    selector = SequentialSelector(KNeighborsClassifier(1), max_size=3, random_state=0)
    limited = clone(selector).set_params(max_evaluations=600, journal=tmp_path / "k.jsonl").fit(data.X, data.target)
    assert limited.coverage_.budgets == "budget auto: 100 of 500 features per addition, all per removal"
    resumed = clone(selector).resume(tmp_path / "k.jsonl", data.X, data.target)
    assert resumed.coverage_.budgets == "budget: 100 of 500 features per addition, all per removal"
    assert selector.fit(data.X, data.target).coverage_.budgets.startswith("budget auto: 500 of 500 features")
