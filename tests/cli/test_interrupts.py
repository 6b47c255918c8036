"""A command that is told to end, and one that nobody watches."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from sweepless.cli import main
from sweepless.selectors import progress

SPEC = """
name = "long"
seeds = "1-50"
[data]
name = "make_madelon"
n_features = 100
[split]
train = 50
test = 50
[criterion]
name = "knn"
[stop]
max_size = 60
[[arms]]
name = "SFFS"
method = "SFFS"
"""


def started(*words: object) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "sweepless", *map(str, words)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def terminated(process: subprocess.Popen[str], is_under_way: object) -> tuple[str, str]:
    """Send SIGTERM once the work is under way, and wait for the end."""
    deadline = time.monotonic() + 60
    while not is_under_way():  # type: ignore[operator]
        assert process.poll() is None and time.monotonic() < deadline
        time.sleep(0.02)
    process.send_signal(signal.SIGTERM)
    return process.communicate(timeout=60)


@pytest.mark.skipif(os.name != "posix", reason="needs signals")
def test_a_terminated_search_hands_over_what_it_found(tmp_path: Path) -> None:
    journal = tmp_path / "run.jsonl"
    words = ("--data", "make_madelon", "--method", "SFFS", "--criterion", "knn", "--max-size", 400, "--json", "-")
    process = started("select", *words, "--journal", journal)
    out, err = terminated(process, lambda: journal.exists() and journal.stat().st_size > 20_000)
    assert process.returncode == 0 and err == ""
    result = json.loads(out)
    assert result["stop_reason"] == "interrupted" and result["size"] >= 1


@pytest.mark.skipif(os.name != "posix", reason="needs signals")
def test_a_terminated_comparison_of_criteria_says_how_to_go_on(tmp_path: Path) -> None:
    journal, kept = tmp_path / "run.jsonl", tmp_path / "run.jsonl.panel"
    process = started("select", "--data", "make_madelon", "--json", "-", "--journal", journal)
    out, err = terminated(process, kept.exists)
    assert process.returncode == 1 and out == "" and not journal.exists()
    assert err.splitlines()[-1].endswith(f"kept in {kept}, and the same command goes on.")


@pytest.mark.skipif(os.name != "posix", reason="needs signals")
@pytest.mark.parametrize("jobs", [1, 2])
def test_a_terminated_campaign_keeps_its_cells_and_says_so(tmp_path: Path, jobs: int) -> None:
    (tmp_path / "spec.toml").write_text(SPEC, encoding="utf-8")
    process = started("run", tmp_path / "spec.toml", "-o", tmp_path / "run", "--n-jobs", jobs)
    _, err = terminated(process, lambda: list((tmp_path / "run" / "cells").glob("*.json")))
    assert process.returncode == 1
    assert err.splitlines()[-1].endswith("finished cells are kept, the same command goes on.")


def test_long_work_without_a_terminal_tells_how_it_goes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(0)
    lines = ["a,b,c,y", *(f"{x[0]},{x[1]},{x[2]},{k % 2}" for k, x in enumerate(rng.normal(size=(20, 3))))]
    (tmp_path / "t.csv").write_text("\n".join(lines), encoding="utf-8")
    words = ["select", "--data", str(tmp_path / "t.csv"), "--method", "SFS", "--criterion", "knn"]
    assert main(words) == 0
    assert capsys.readouterr().err == ""  # short
    monkeypatch.setattr(progress, "_LINE_EVERY", 0.0)
    assert main(words) == 0
    told = capsys.readouterr().err
    assert told.startswith("SFS size ") and told.endswith("\n") and "\r" not in told
    assert main([*words, "--quiet"]) == 0
    assert capsys.readouterr().err == ""
