"""Selectors that keep a journal, and go on from it."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier

from sweepless import RankingSelector, SequentialSelector
from sweepless.errors import JournalError
from sweepless.validation.panel import Outer


@pytest.fixture(scope="module")
def samples():
    X, y = load_breast_cancer(return_X_y=True)
    return X[:120, :12], y[:120]


def cut(path, share):
    """Keep the first records only."""
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[: 1 + int(share * (len(lines) - 1))]))


def assert_same(one, other):
    assert np.array_equal(one.support_, other.support_)
    assert one.best_score_ == other.best_score_
    assert one.n_evaluations_ == other.n_evaluations_
    assert one.stop_reason_ == other.stop_reason_
    assert {size: (s.features.tolist(), s.value) for size, s in one.subsets_.items()} == {
        size: (s.features.tolist(), s.value) for size, s in other.subsets_.items()
    }
    if one.feature_scores_ is not None:
        assert np.array_equal(one.feature_scores_, other.feature_scores_, equal_nan=True)
    assert [step.n_evaluations for step in one.trace_] == [step.n_evaluations for step in other.trace_]


@pytest.mark.parametrize("share", [0.0, 0.4, 0.9, 1.0])
def test_a_selector_goes_on_from_its_journal(samples, tmp_path, share):
    path = tmp_path / "fit.jsonl"
    selector = SequentialSelector(GaussianNB(), budget=5, backward_budget=4, max_size=6, random_state=1, cv=3)
    expected = clone(selector).fit(*samples)
    assert_same(clone(selector).set_params(journal=path).fit(*samples), expected)
    cut(path, share)
    assert_same(selector.resume(path, *samples), expected)
    assert selector.random_state == 1


def test_a_seed_that_was_drawn_is_read_from_the_journal(samples, tmp_path):
    path = tmp_path / "fit.jsonl"
    selector = SequentialSelector(budget=4, max_size=5, journal=str(path))
    expected = selector.fit(*samples)
    cut(path, 0.5)
    resumed = clone(selector).resume(path, *samples)
    assert_same(resumed, expected)
    assert resumed.random_state is None


def test_a_ranking_selector_keeps_a_journal_too(samples, tmp_path):
    path = tmp_path / "fit.jsonl"
    selector = RankingSelector(method="DAF1", n_probes=40, probe_sizes=(1, 4), random_state=0, journal=path)
    expected = selector.fit(*samples)
    cut(path, 0.6)
    assert_same(clone(selector).resume(path, *samples), expected)


def test_another_selector_or_other_data_are_refused(samples, tmp_path):
    X, y = samples
    path = tmp_path / "fit.jsonl"
    selector = SequentialSelector(budget=4, max_size=5, random_state=0, journal=path).fit(X, y)
    before = path.read_bytes()
    with pytest.raises(JournalError, match="must be a new file"):
        clone(selector).fit(X, y)
    with pytest.raises(JournalError, match="other data"):
        clone(selector).resume(path, X + 1e-6, y)
    with pytest.raises(JournalError, match="budget 4, got 5"):
        clone(selector).set_params(budget=5).resume(path, X, y)
    with pytest.raises(JournalError, match=r"another run, with seed 0, got 1"):
        clone(selector).set_params(random_state=1).resume(path, X, y)
    assert path.read_bytes() == before


def test_a_limit_can_be_raised_and_counts_what_is_on_record(samples, tmp_path):
    path = tmp_path / "fit.jsonl"
    selector = SequentialSelector(KNeighborsClassifier(1), budget=4, warm_up=None, max_size=5, random_state=0)
    expected = clone(selector).fit(*samples)
    stopped = clone(selector).set_params(max_evaluations=20, journal=path)
    assert stopped.fit(*samples).n_evaluations_ == 20
    assert_same(clone(selector).resume(path, *samples), expected)
    fewer = clone(selector).set_params(max_evaluations=10)
    assert_same(clone(fewer).resume(path, *samples), fewer.fit(*samples))


def test_a_resume_compares_no_criteria_again_whatever_its_limits(samples, tmp_path, monkeypatch):
    path = tmp_path / "fit.jsonl"
    selector = SequentialSelector(judge="linear", max_size=5, random_state=0)
    first = clone(selector).set_params(max_evaluations=4000, max_seconds=1000, journal=path).fit(*samples)
    monkeypatch.setattr(Outer, "__call__", None)  # a search would fail
    again = clone(selector).resume(path, *samples)
    assert str(again.chosen_) == str(first.chosen_)
    assert again.honest_score_ == first.honest_score_
    assert again.get_support(indices=True).tolist() == first.get_support(indices=True).tolist()
