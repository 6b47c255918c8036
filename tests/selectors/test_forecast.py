"""A search that will take minutes says so before it has taken them."""

from __future__ import annotations

import logging

import numpy as np
import pytest

from sweepless import SearchSettings, SequentialSelector
from sweepless.criteria import FunctionCriterion
from sweepless.search.events import Progress
from sweepless.search.plan import plan
from sweepless.selectors import cost as module
from sweepless.selectors.cost import Forecast


def sfs(**limits):
    """Forecast a search that values 100 + 99 + … + 91 = 955 subsets."""
    return Forecast(plan(SearchSettings(method="SFS", target=10, **limits), 100))


def at(n_evaluations, seconds):
    return Progress(1, 1, 0.5, n_evaluations, seconds, None)


def logged(caplog, forecast, *points):
    with caplog.at_level(logging.INFO, "sweepless"):
        for point in points:
            forecast(at(*point))
    return [record.message for record in caplog.records]


def test_what_takes_minutes_is_announced_once(caplog):
    # The first evaluation compiled for 30 s, which is no pace; then 10 a second.
    messages = logged(caplog, sfs(), (0, 0.1), (1, 30.0), (5, 30.4), (6, 31.5), (7, 32.0), (9, 34.0))
    assert len(messages) == 1
    assert messages[0].startswith("SFS values 955 subsets if it goes to its end; at the pace of the first 6 the rest")
    assert "takes about 4 min 44 s" in messages[0]


def test_what_is_quick_or_limited_is_not(caplog):
    assert logged(caplog, sfs(), (1, 0.1), (60, 2.1), (200, 7.0)) == []
    assert logged(caplog, sfs(max_seconds=100), (1, 0.1), (2, 9.0)) == []
    assert logged(caplog, sfs(max_evaluations=10), (1, 0.1), (2, 3.1)) == []


def test_nothing_is_counted_before_there_is_a_pace(monkeypatch):
    monkeypatch.setattr(module, "least_cost", lambda *args, **options: pytest.fail("counted"))
    forecast = sfs()
    for point in ((1, 0.1), (50, 0.5), (90, 1.0)):
        forecast(at(*point))


def test_the_bar_knows_the_time_left():
    forecast = sfs()
    assert forecast.seconds_left(at(1, 0.5)) is None
    forecast(at(5, 1.0))
    assert forecast.seconds_left(at(15, 2.0)) == pytest.approx(94.0)
    assert forecast.seconds_left(at(955, 99.0)) is None


@pytest.mark.parametrize("method", ["SFS", "sSFFS", "sSBFS", "SFRS", "DOS"])
def test_a_search_says_what_it_costs(method, monkeypatch, caplog):
    monkeypatch.setattr(module, "_LONG", 0.0)
    monkeypatch.setattr(module, "_SETTLED", 0.0)
    data = np.random.default_rng(0).normal(size=(10, 12))
    with caplog.at_level(logging.INFO, "sweepless"):
        selector = SequentialSelector(FunctionCriterion(lambda members: -float(members.sum())), method=method)
        selector.set_params(max_size=6 if "B" not in method else None).fit(data)
    assert len(caplog.records) == 1 and method in caplog.records[0].message
