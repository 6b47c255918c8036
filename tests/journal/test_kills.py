"""Processes killed at random moments, on behalf of `benchmarks/soak.py`, which does it hundreds of times."""

from __future__ import annotations

import os
import random
from collections import Counter

import pytest

soak_kills = pytest.importorskip("soak_kills")
soak_cases = pytest.importorskip("soak_cases")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    ("method", "criterion"), [("sSFFS", "k-NN"), ("sOS", "multinomial"), ("SFFS", "k-NN"), ("DAF1", "estimator")]
)
def test_a_killed_run_ends_as_its_undisturbed_twin(method, criterion, tmp_path):
    case = soak_cases.fixed_case(method, criterion)
    expected, seconds = soak_kills.timed(case)
    rng, counts = random.Random(3), Counter()
    for attempt in range(20):
        found = soak_kills.tormented(case, tmp_path / f"{attempt}.jsonl", seconds, rng, counts)
        assert soak_kills.facts(found) == soak_kills.facts(expected)
        if counts["kills"] >= 4:
            return
    raise AssertionError(f"only {counts['kills']} of the runs could be killed in time")
