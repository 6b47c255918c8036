"""How a run ends is a value, and every end leaves a valid result."""

from __future__ import annotations

import json
import pickle
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

from sweepless import run
from sweepless.criteria import FunctionCriterion
from sweepless.errors import CriterionError
from sweepless.search import Limits, StopReason, WarmUp
from tests.search.toys import RISING, RUGGED, Counting, blank, rugged

METHODS = ["SFS", "SBS", "SFFS", "sSFFS", "SFRS", "DOS", "BIF", "sSBFS"]


# The frontier


@pytest.mark.parametrize("frontier", [1, 2, 4, 9])
def test_the_frontier_stops_right_after_the_step_that_reaches_it_without_a_retreat(frontier):
    counting = Counting()
    result = run("SFFS", counting.criterion, blank(9), max_size=frontier)
    last = result.trace[-1]
    assert result.stop_reason is StopReason.FRONTIER
    assert (last.direction, last.size) == ("forward", frontier)
    assert all(step.size < frontier for step in result.trace[:-1])
    assert len(counting.calls) == result.n_evaluations == last.n_evaluations
    assert len(counting.calls[-1]) == frontier


def test_a_frontier_is_reached_going_forward_only():
    result = run("SFRS", RUGGED, blank(6), max_size=6, start=[0, 1, 2, 3, 4])
    assert result.trace[-1].size == 6


# Evaluations


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("limit", [1, 2, 7, 17])
def test_evaluations_are_limited_exactly(method, limit):
    counting = Counting()
    result = run(method, counting.criterion, blank(9), max_evaluations=limit)
    assert len(counting.calls) == result.n_evaluations == limit
    assert result.stop_reason is StopReason.EVALUATIONS


@pytest.mark.parametrize("limit", [1, 5, 99])
def test_evaluations_are_limited_inside_the_warm_up(limit):
    result = run("sSFFS", RUGGED, blank(20), warm_up=WarmUp(100, 5), max_evaluations=limit)
    assert (result.n_evaluations, result.anatomy.warm_up) == (limit, limit)
    assert result.best is None and len(result.archive) == 0 and result.trace == ()
    assert (result.size, len(result.features)) == (0, 0) and np.isnan(result.value)
    assert result.to_dict()["value"] is None


@pytest.mark.parametrize("limit", [1, 13, 39])
def test_the_best_of_a_first_sweep_cut_short_is_on_record(limit):
    counting = Counting()
    result = run("SFS", counting.criterion, blank(40), max_evaluations=limit)
    assert result.trace == ()
    assert list(result.archive) == [1]
    assert result.value == max(map(rugged, counting.calls))
    assert tuple(result.features) in counting.calls


def test_a_step_that_the_limit_just_covers_is_taken():
    result = run("SFS", RUGGED, blank(10), max_evaluations=19)
    assert [step.size for step in result.trace] == [1, 2]


def test_a_search_that_ends_within_the_limit_says_so():
    result = run("SFS", RUGGED, blank(10), target=2, max_evaluations=19)
    assert (result.stop_reason, result.n_evaluations) == (StopReason.TARGET, 19)


# Time


def slow(members):
    time.sleep(0.01)
    return rugged(members)


def test_time_is_limited_inside_a_step():
    result = run("SFS", FunctionCriterion(slow), blank(1000), max_seconds=0.2)
    assert result.stop_reason is StopReason.SECONDS
    assert result.trace == () and result.size == 1
    assert 0.2 <= result.seconds < 1.0
    assert result.n_evaluations < 100


def test_time_is_limited_inside_the_warm_up():
    result = run("sSFS", FunctionCriterion(slow), blank(50), warm_up=WarmUp(1000, 5), max_seconds=0.1)
    assert result.stop_reason is StopReason.SECONDS and result.anatomy.warm_up < 1000


def test_what_a_slow_callback_interrupts_is_on_record():
    """The clock may run out while a callback is at work; the valued part of the step is kept all the same."""
    result = run("SFS", RUGGED, blank(500), max_seconds=0.05, callbacks=[lambda progress: time.sleep(0.06)])
    assert result.stop_reason is StopReason.SECONDS and result.size == 1


# Patience


def test_patience_counts_steps_without_a_new_best():
    def peaked(members):
        return -abs(len(members) - 3)

    result = run("SFS", FunctionCriterion(peaked), blank(20), patience=4)
    assert result.stop_reason is StopReason.PATIENCE
    assert [step.size for step in result.trace] == [1, 2, 3, 4, 5, 6, 7]
    assert result.size == 3


def test_patience_is_not_lost_while_the_search_improves():
    assert run("SFS", RISING, blank(20), patience=1).stop_reason is StopReason.COMPLETED


# Interruption


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("at", [1, 6, 17])
def test_ctrl_c_inside_the_criterion_leaves_a_valid_result(method, at):
    counting = Counting(at=at, then=KeyboardInterrupt())
    result = run(method, counting.criterion, blank(9))
    assert result.stop_reason is StopReason.INTERRUPTED
    for record in result.archive.values():
        assert record.value == rugged(record.features)
    json.dumps(result.to_dict(), allow_nan=False)


def test_ctrl_c_inside_a_sweep_keeps_the_best_of_what_was_valued():
    counting = Counting(at=30, then=KeyboardInterrupt())
    result = run("SFS", counting.criterion, blank(40))
    assert result.size == 1
    assert result.value in [rugged(members) for members in counting.calls[:29]]


def test_ctrl_c_inside_a_callback_leaves_a_valid_result():
    def interrupt(progress):
        if progress.step is not None and progress.size == 3:
            raise KeyboardInterrupt

    result = run("SFFS", RISING, blank(9), callbacks=[interrupt])
    assert result.stop_reason is StopReason.INTERRUPTED
    assert list(result.archive) == [1, 2, 3]


_VICTIM = """
import time, numpy as np
from sweepless import Dataset, run
from sweepless.criteria import FunctionCriterion

def value(members):
    time.sleep(0.005)
    return float(np.sum(members))

print("ready", flush=True)
result = run("SFS", FunctionCriterion(value), Dataset(np.zeros((1, 300))))
print(result.stop_reason.value, result.size >= 1, flush=True)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="sends SIGINT")
def test_a_real_sigint_leaves_a_valid_result():
    with subprocess.Popen([sys.executable, "-c", _VICTIM], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "ready\n"
        time.sleep(0.3)
        process.send_signal(signal.SIGINT)
        try:
            output, _ = process.communicate(timeout=30)
        finally:
            process.kill()
    assert output.split() == ["interrupted", "True"]
    assert process.returncode == 0


# Criteria that fail


@pytest.mark.parametrize("method", ["SFS", "SBFS", "sSFFS", "BIF", "G(l,r)", "ASFFS"])
@pytest.mark.parametrize("bad", [float("nan"), float("inf"), -float("inf"), None, "high", ValueError("broken")])
def test_a_criterion_that_fails_ends_the_run_with_an_error(method, bad):
    with pytest.raises(CriterionError):
        run(method, Counting(at=5, then=bad).criterion, blank(6), target=4)


def test_a_bad_value_in_the_warm_up_is_an_error_too():
    with pytest.raises(CriterionError, match="finite"):
        run("sSFS", Counting(at=3, then=float("nan")).criterion, blank(6), warm_up=WarmUp(5, 2))


# Results


def test_a_result_can_be_sent_to_another_process():
    result = run("sSFFS", RUGGED, blank(8), target=3, budget=3, backward_budget=3)
    copy = pickle.loads(pickle.dumps(result))  # noqa: S301
    assert copy.to_dict() == result.to_dict()
    assert copy.best.value == result.best.value


@pytest.mark.parametrize("name", ["max_evaluations", "max_size", "patience"])
@pytest.mark.parametrize("bad", [0, -1, 2.5, True, "many"])
def test_limits_are_positive_integers(name, bad):
    with pytest.raises(ValueError, match=name):
        Limits(**{name: bad})


def test_callbacks_hear_of_every_step():
    heard = []
    result = run("SFFS", RUGGED, blank(8), callbacks=[lambda progress: heard.append(progress.step)])
    assert tuple(step for step in heard if step is not None) == result.trace
