"""Limits hold, and every end leaves a usable selector."""

from __future__ import annotations

import signal
import subprocess
import sys
import time

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier

from sweepless import SequentialSelector, make_madelon
from sweepless.criteria import FunctionCriterion
from sweepless.errors import IncompleteWarning

DATA = make_madelon(n_samples=200, n_features=150, seed=3)
X, Y = DATA.X, DATA.target


def slow(members):
    """Ten milliseconds an evaluation: a search over 150 features to 100 of them would take minutes."""
    time.sleep(0.01)
    return float(np.sum(members))


@pytest.mark.parametrize("method", ["SFFS", "sSFFS", "sSBS", "LFS"])
def test_time_is_kept(method):
    selector = SequentialSelector(FunctionCriterion(slow), method=method, max_seconds=2, random_state=0)
    began = time.monotonic()
    selector.fit(X)
    assert time.monotonic() - began < 2.5
    assert selector.stop_reason_ == "seconds" and not selector.interrupted_
    assert selector.transform(X).shape == (200, selector.n_features_)
    assert selector.n_features_ >= 1


def test_time_is_kept_by_a_native_criterion():
    selector = SequentialSelector(KNeighborsClassifier(1), method="SFFS", max_size=150, random_state=0)
    selector.set_params(n_features_to_select=2, overshoot=0).fit(X, Y)  # whatever has to be compiled is compiled now
    selector.set_params(n_features_to_select="best", overshoot=None, max_seconds=0.3)
    began = time.monotonic()
    selector.fit(X, Y)
    assert time.monotonic() - began < 0.8
    assert selector.stop_reason_ == "seconds" and selector.n_features_ > 1


def test_what_cannot_be_stopped_is_said():
    def longer(members):
        time.sleep(0.6)
        return 1.0

    selector = SequentialSelector(FunctionCriterion(longer), method="SFS", max_seconds=0.1)
    with pytest.warns(
        UserWarning, match=r"`max_seconds` was 0.1, but the search took 0\.\d s: an evaluation is that long"
    ):
        selector.fit(X)
    assert selector.n_evaluations_ == 1 and selector.n_features_ == 1


def test_half_of_the_time_is_left_to_the_search():
    selector = SequentialSelector(FunctionCriterion(slow), warm_up="1000@5", max_seconds=1, random_state=0).fit(X)
    assert 20 <= selector.anatomy_.warm_up <= 80
    assert selector.anatomy_.forward > 10 and len(selector.subsets_[1].features) == 1


def test_a_run_stopped_in_its_warm_up_selects_its_best_probe():
    selector = SequentialSelector(FunctionCriterion(slow), warm_up="50@7", max_evaluations=20, random_state=0).fit(X)
    assert selector.anatomy_.warm_up == selector.n_evaluations_ == 20
    assert list(selector.subsets_) == [7] and selector.n_features_ == 7
    assert selector.best_score_ == slow(selector.get_support(indices=True))


def test_evaluations_are_counted_exactly():
    selector = SequentialSelector(LogisticRegression(), cv=2, max_evaluations=7, warm_up=None).fit(X, Y)
    assert selector.n_evaluations_ == 7 and selector.stop_reason_ == "evaluations"


def test_stopping_short_of_a_number_is_said():
    selector = SequentialSelector(FunctionCriterion(slow), method="SFS", n_features_to_select=9, max_evaluations=200)
    with pytest.warns(IncompleteWarning, match="before it found 9 features, 2 are selected") as caught:
        selector.fit(X)
    assert caught[0].filename == __file__
    assert selector.n_features_ == 2


def test_patience_counts_what_improves_by_tol():
    def saturating(members):
        return 1.0 - 0.5 ** len(members)

    options = {"method": "SFS", "n_features_to_select": "best", "max_size": 30, "patience": 3}
    patient = SequentialSelector(FunctionCriterion(saturating), **options).fit(X)
    assert patient.stop_reason_ == "target" and patient.n_features_ == 30
    strict = SequentialSelector(FunctionCriterion(saturating), tol=0.1, **options).fit(X)
    assert strict.stop_reason_ == "patience"
    # 0.5, 0.75, 0.875 count, then 0.984, which is 0.1 more than the last that counted; nothing after that.
    assert [step.size for step in strict.trace_] == list(range(1, 10))


@pytest.mark.parametrize(
    ("name", "bad", "allowed"),
    [
        ("max_seconds", 0, "positive"),
        ("max_seconds", "long", "positive"),
        ("max_evaluations", 0, "at least 1"),
        ("patience", 1.5, "at least 1"),
        ("tol", -1.0, "at least 0"),
    ],
)
def test_limits_are_checked_under_their_own_names(name, bad, allowed):
    with pytest.raises(ValueError, match=f"^`{name}` must be .*{allowed}.*, got {bad!r}.$"):
        SequentialSelector(FunctionCriterion(slow), **{name: bad}).fit(X)


# Ctrl-C

_VICTIM = """
import signal, sys, time
import numpy as np
from sweepless import SequentialSelector
from sweepless.criteria import FunctionCriterion

def value(members):
    time.sleep(0.005)
    return float(np.sum(members))

class Audit:
    def split(self, X, y, groups):
        return iter([(np.arange(10), np.arange(10, 20))])

class Slow(FunctionCriterion):
    def validate(self, train, test, members):
        print("auditing", flush=True)
        time.sleep(10)
        return 0.0

kind = Slow if sys.argv[1] == "twice" else FunctionCriterion
selector = SequentialSelector(kind(value), method="SFS", audit=Audit() if sys.argv[1] == "twice" else None)
print("ready", flush=True)
selector.fit(np.random.default_rng(0).normal(size=(20, 300)), np.arange(20.0))
print(selector.interrupted_, selector.stop_reason_, selector.transform(np.zeros((1, 300))).shape[1] >= 1, flush=True)
"""


def interrupted(times):
    command = [sys.executable, "-c", _VICTIM, "twice" if times == 2 else "once"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "ready\n"
        time.sleep(0.5)
        process.send_signal(signal.SIGINT)
        if times == 2:
            assert process.stdout.readline() == "auditing\n"
            process.send_signal(signal.SIGINT)
        try:
            output, errors = process.communicate(timeout=30)
        finally:
            process.kill()
    return process.returncode, output.split(), errors


@pytest.mark.skipif(sys.platform == "win32", reason="sends SIGINT")
def test_ctrl_c_leaves_a_fitted_selector():
    assert interrupted(1)[:2] == (0, ["True", "interrupted", "True"])


@pytest.mark.skipif(sys.platform == "win32", reason="sends SIGINT")
def test_a_second_ctrl_c_aborts():
    code, output, errors = interrupted(2)
    assert code != 0 and "True" not in output
    assert "KeyboardInterrupt" in errors
