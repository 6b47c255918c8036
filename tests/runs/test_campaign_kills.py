"""Campaigns killed at random moments, and workers killed under them: the rows are those of an undisturbed run."""

from __future__ import annotations

import os
import random
import signal
import time
from contextlib import suppress
from pathlib import Path

import pytest

from sweepless.cli import main
from tests.runs.quick_campaign import N_CELLS, begun, finished_of, rows_of, wait_for_cells

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs signals of Unix")


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_a_killed_campaign_ends_as_its_undisturbed_twin(jobs, spec_file, tmp_path, expected, capsys):
    run, rng, kills = tmp_path / "run", random.Random(int(jobs)), 0
    for moment in (0, rng.randrange(1, N_CELLS // 2)):
        process = begun(spec_file, run, "--n-jobs", jobs)
        wait_for_cells(run, moment, process)
        time.sleep(0.02 * rng.random())
        before = finished_of(run)
        process.kill()
        process.communicate(timeout=120)
        kills += process.returncode == -signal.SIGKILL
        after = {name: row for name, row in finished_of(run).items() if name in before}
        assert after == before  # what is finished stays as it is
    assert kills == 2
    assert main(["run", str(spec_file), "-o", str(run), "--n-jobs", jobs]) == 0
    assert f"{N_CELLS} cells" in capsys.readouterr().out
    assert rows_of(run) == expected


def test_a_killed_worker_costs_only_what_it_was_at(spec_file, tmp_path, expected):
    run = tmp_path / "run"
    process = begun(spec_file, run, "--n-jobs", "2")
    wait_for_cells(run, 2, process)
    n_killed = 0
    for worker in _children(process.pid):
        with suppress(ProcessLookupError):
            os.kill(worker, signal.SIGKILL)
            n_killed += 1
        break
    said, complaint = process.communicate(timeout=120)
    assert n_killed == 1
    assert f"{N_CELLS} cells" in said, complaint
    assert rows_of(run) == expected


def test_an_interrupted_campaign_says_how_to_go_on(spec_file, tmp_path, expected):
    for attempt in range(5):  # on a busy machine it may be over before the signal comes
        run = tmp_path / f"run {attempt}"
        process = begun(spec_file, run, "--n-jobs", "1")
        wait_for_cells(run, 1, process)
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGINT)  # as the terminal does: to the workers, too
        _, complaint = process.communicate(timeout=120)
        if process.returncode != 0:
            break
    assert process.returncode == 1
    assert "are kept, the same command goes on" in complaint
    assert set(rows_of(run).items()) < set(expected.items())
    assert main(["run", str(spec_file), "-o", str(run)]) == 0
    assert rows_of(run) == expected


def _children(pid: int) -> list[int]:
    """Return the workers of a process: its children that run Python code of joblib."""
    children = []
    for entry in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            parent = int((entry / "stat").read_text().rsplit(")", 1)[1].split()[1])
            if parent == pid and b"popen_loky" in (entry / "cmdline").read_bytes():
                children.append(int(entry.name))
    return children
