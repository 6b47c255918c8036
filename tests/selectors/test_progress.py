"""What people see while a search runs: a line that is rewritten, lines now and then, or a bar that rich draws."""

from __future__ import annotations

import logging

import pytest

from sweepless import SequentialSelector, make_madelon
from sweepless.criteria import KNN
from sweepless.errors import InputError
from sweepless.search.events import Progress
from sweepless.selectors import ProgressBar, progress

BEFORE = Progress(0, 0, float("-inf"), 10, 2.0, None)
HALFWAY = Progress(4, 3, 0.75, 100, 5.0, None)


@pytest.fixture
def without_rich(monkeypatch):
    monkeypatch.setattr(progress, "_rich", lambda: None)
    monkeypatch.setattr(progress, "_EVERY", 0.0)


@pytest.fixture
def on_a_terminal(without_rich, monkeypatch):
    monkeypatch.setattr(progress, "_Lines", progress._Line)


@pytest.mark.parametrize(
    ("limits", "said"),
    [
        ({}, "5 s"),
        ({"max_size": 8}, "5 s  50%"),
        ({"max_seconds": 20.0}, "5 s, 15 s left  25%"),
        ({"max_evaluations": 400}, "5 s, 15 s left  25%"),  # 20 a second
        ({"max_evaluations": 400, "max_seconds": 10.0}, "5 s, 5 s left  50%"),  # whichever is nearest
        ({"max_size": 2}, "5 s  100%"),
    ],
)
def test_a_line_of_a_terminal_is_rewritten_and_taken_away(limits, said, on_a_terminal, capsys):
    with ProgressBar("SFFS", **limits) as bar:
        bar(BEFORE)
        bar(HALFWAY)
    _, first, second, *last = capsys.readouterr().err.split("\r")
    assert first.startswith("SFFS size   0, no subset yet, 10 evaluations, 5/s, 2 s")
    assert second.rstrip() == f"SFFS size   4, best 0.7500 at 3, 100 evaluations, 20/s, {said}"
    assert "".join(last).isspace()


def test_a_forecast_tells_the_time_left_where_no_limit_does(on_a_terminal, capsys):
    class Forecast:
        def seconds_left(self, progress):
            return 100.0 if progress.best_size else None

    with ProgressBar("SFFS", forecast=Forecast()) as bar:
        bar(BEFORE)
        assert "left" not in capsys.readouterr().err
        bar(HALFWAY)
    assert "5 s, about 1 min 40 s left" in capsys.readouterr().err


def test_a_file_gets_a_line_now_and_then(without_rich, monkeypatch, capsys):
    with ProgressBar("SFFS", max_size=8) as bar:
        bar(HALFWAY)
        assert capsys.readouterr().err == ""  # short work
        monkeypatch.setattr(progress, "_LINE_EVERY", 0.0)
        bar(HALFWAY)
    assert capsys.readouterr().err == "SFFS size   4, best 0.7500 at 3, 100 evaluations, 20/s, 5 s, 50%\n"


def test_rich_draws_on_a_terminal_only(monkeypatch, capsys):
    pytest.importorskip("rich")
    monkeypatch.setattr(progress, "_EVERY", 0.0)
    assert progress._rich() is None
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm")
    with ProgressBar("SFFS", max_size=8) as bar:
        bar(HALFWAY)
    assert "best 0.7500 at 3" in capsys.readouterr().err


def test_steps_are_logged_for_programs(caplog):
    data = make_madelon(n_samples=40, n_features=25)
    with caplog.at_level(logging.DEBUG, "sweepless"):
        SequentialSelector(KNN(), method="SFS", n_features_to_select=2).fit(data.X, data.codes)
    assert [text for text in caplog.messages if text.startswith("SFS size   2, best")]


def test_what_is_no_callback_is_refused():
    with pytest.raises(InputError, match="`callbacks` must be callables that take a Progress, got 3"):
        progress.read_callbacks([print, 3])
