"""Processes killed at random moments, on behalf of `benchmarks/kill_soak.py`, which does it hundreds of times."""

from __future__ import annotations

import os
import random
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "benchmarks"))
kill_soak = pytest.importorskip("kill_soak")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    ("method", "criterion"), [("sSFFS", "k-NN"), ("sOS", "multinomial"), ("SFFS", "k-NN"), ("DAF1", "estimator")]
)
def test_a_killed_run_ends_as_its_undisturbed_twin(method, criterion, tmp_path):
    expected, seconds = kill_soak.twin(method, criterion)
    rng, kills = random.Random(3), 0
    for attempt in range(20):
        more, _, found = kill_soak.tormented(method, criterion, tmp_path / f"{attempt}.jsonl", seconds, rng)
        kills += more
        assert kill_soak.facts(found) == kill_soak.facts(expected)
        if kills >= 4:
            return
    raise AssertionError(f"only {kills} of the runs could be killed in time")
