"""`sweepless watch` in the terminal."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import warnings
from io import StringIO

import numpy as np
import pytest

from sweepless import Dataset, Journal, run
from sweepless.cli import main
from sweepless.criteria import FunctionCriterion
from sweepless.journal import WatchedRun
from sweepless.reports.live.terminal import _picture
from sweepless.reports.live.text import block, text_curve
from tests.live_runs import ENVIRONMENT, command, going_on


@pytest.fixture
def finished(tmp_path):
    path = tmp_path / "run.jsonl"
    data = Dataset(np.eye(12), [0, 1] * 6)
    result = run(
        "SFFS",
        FunctionCriterion(lambda members: float(np.sin(members).sum() - 0.02 * len(members) ** 2)),
        data,
        target=8,
        journal=Journal(path),
    )
    return path, result


@pytest.mark.parametrize("extra", [[], ["--once"]])
def test_a_finished_run_is_summed_up(finished, extra, capsys):
    path, result = finished
    before = path.read_bytes()
    assert main(["watch", str(path), *extra]) == 0
    text = capsys.readouterr().out
    assert "SFFS · FunctionCriterion" in text and "12 samples × 12 features, to 8 features" in text
    assert f"{result.n_evaluations:,}" in text and "ended: the target size was reached" in text
    assert f"{result.archive.best.value:.6g} with {result.archive.best.size} features" in text
    assert "█" in text and "advances" in text
    assert path.read_bytes() == before


def test_once_shows_a_run_that_goes_on(finished, capsys):
    path, _ = finished
    path.write_bytes(path.read_bytes()[:-300])  # torn somewhere, too
    assert main(["watch", str(path), "--once"]) == 0
    text = capsys.readouterr().out
    assert "looking for a feature" in text and "last record" in text and "ended" not in text


def test_what_is_not_there_is_waited_for(tmp_path, capsys):
    path = tmp_path / "none.jsonl"
    assert main(["watch", str(path), "--timeout", "0.3", "--every", "0.1"]) == 1
    shown = capsys.readouterr()
    assert "waiting for its first record" in shown.out and "nothing new for 0.3 s" in shown.err
    assert main(["watch", str(path), "--once"]) == 2
    assert f"whole header, got no file at {path}." in capsys.readouterr().err
    assert not path.exists()


@pytest.mark.parametrize(
    "words", [["--every", "0"], ["--timeout", "-1"], ["--serve", "--port", "70000"], ["--serve", "--host", "0.0.0.0"]]
)
def test_bad_arguments_are_one_sentence(words, tmp_path, capsys):
    try:
        code = main(["watch", str(tmp_path / "run.jsonl"), *words])
    except SystemExit as stop:
        code = stop.code
    assert code == 2
    assert "must be" in capsys.readouterr().err


@pytest.mark.parametrize("with_rich", [True, False])
def test_a_run_elsewhere_is_followed_to_its_end(tmp_path, with_rich):
    path = tmp_path / "run.jsonl"
    without = "" if with_rich else "import sys; sys.modules['rich'] = sys.modules['rich.console'] = None; "
    code = f"{without}from sweepless.cli import main; raise SystemExit(main())"
    watching = [sys.executable, "-c", code, "watch", str(path), "--every", "0.1", "--timeout", "60"]
    watcher = subprocess.Popen(watching, env=ENVIRONMENT, stdout=subprocess.PIPE, text=True, encoding="utf-8")
    with going_on(path, 0.01):
        text, _ = watcher.communicate(timeout=60)
    assert watcher.returncode == 0
    lines = text.splitlines()
    assert lines[0] == "waiting for its first record"
    assert sum(line.startswith("size ") for line in lines) >= 3  # it was seen on its way
    assert "ended: the target size was reached" in text


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
def test_in_a_terminal_it_is_redrawn(tmp_path):
    pytest.importorskip("rich")
    import pty

    path = tmp_path / "run.jsonl"
    ours, theirs = pty.openpty()
    environment = ENVIRONMENT | {"TERM": "xterm-256color", "COLUMNS": "90", "LINES": "40"}
    with going_on(path, 0.01):
        watcher = subprocess.Popen(command("watch", str(path), "--every", "0.1"), env=environment, stdout=theirs)
        os.close(theirs)
        seen = b""
        try:
            while piece := os.read(ours, 65536):
                seen += piece
        except OSError:  # how a closed terminal ends on Linux
            pass
    assert watcher.wait(30) == 0
    os.close(ours)
    text = seen.decode()
    assert text.count("\x1b[2K") > 10  # lines were cleared and drawn again
    assert "evaluations" in text and "█" in text and "ended: the target size was reached" in text


def test_ctrl_c_leaves_the_last_picture(tmp_path):
    path = tmp_path / "run.jsonl"
    with going_on(path, 0.02) as running:
        watcher = subprocess.Popen(
            command("watch", str(path), "--every", "0.1"),
            env=ENVIRONMENT,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            encoding="utf-8",
        )
        for line in watcher.stdout:
            if line.startswith("size "):
                break
        watcher.send_signal(signal.SIGINT)
        text, said = watcher.communicate(timeout=30)
        assert running.poll() is None  # the run does not notice
    assert watcher.returncode == 1
    assert "evaluations  " in text and "no longer watched" in said and "Traceback" not in said


# The picture


def test_bars_show_the_curve():
    lines = text_curve([(1, 0.0), (2, 0.5), (3, 1.0)], width=8, height=2)
    assert lines == ["1 │ ▁█", "0 │▁██", "   1 3 features"]
    wide = text_curve([(size, float(size)) for size in range(1, 1_001)], width=50)
    assert all(len(line) <= 50 for line in wide) and wide[-1].endswith("1,000 features")
    assert len(text_curve([(5, 1.0)], width=40)) == 9


def test_a_block_fits_the_width(finished):
    from sweepless.journal.watch import WatchedRun

    watched = WatchedRun(finished[0])
    watched.read()
    picture = [line for line in block(watched.to_dict(), 40) if "│" in line]
    assert len(picture) == 8 and max(map(len, picture)) <= 40


def test_watching_warns_of_nothing(finished):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert main(["watch", str(finished[0])]) == 0


@pytest.mark.parametrize(("is_terminal", "no_color"), [(True, ""), (True, "1"), (False, "")])
def test_colours_are_for_terminals_and_not_with_no_color(is_terminal, no_color, finished, monkeypatch):
    from rich.console import Console

    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("NO_COLOR", raising=False)
    if no_color:  # early versions of rich take an empty word for one
        monkeypatch.setenv("NO_COLOR", no_color)
    watched = WatchedRun(finished[0])
    watched.read()
    written = StringIO()
    Console(file=written, force_terminal=is_terminal).print(_picture(watched.to_dict(), 80))
    assert ("\x1b[34m" in written.getvalue()) is (is_terminal and not no_color)
    assert ("\x1b[" in written.getvalue()) is is_terminal  # bold is no color
