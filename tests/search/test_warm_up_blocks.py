"""Warm-ups are drawn and valued in blocks, with a look at the limits in between."""

from __future__ import annotations

import time

import numpy as np
import pytest

from sweepless import Journal, make_madelon, resume, run
from sweepless.criteria import KNN, FunctionCriterion
from sweepless.engine.portable import PortableRng
from sweepless.search import WarmUp

DATA = make_madelon(n_samples=60, n_features=30)


def searched(**options):
    return run("sSFFS", KNN(), DATA, target=4, budget=5, backward_budget=3, **options)


def assert_same(one, other):
    assert [(step.features.tolist(), step.value) for step in one.trace] == [
        (step.features.tolist(), step.value) for step in other.trace
    ]
    assert np.array_equal(one.scores, other.scores)
    assert one.anatomy == other.anatomy


@pytest.mark.parametrize("rng", ["portable", "reference"])
@pytest.mark.parametrize("block", [("_BLOCK_PROBES", 7), ("_BLOCK_PROBES", 1), ("_BLOCK_MEMBERS", 11)])
def test_blocks_make_no_difference(rng, block, monkeypatch):
    whole = searched(warm_up=WarmUp(40, 4), rng=rng)
    monkeypatch.setattr(f"sweepless.search.warm_up.{block[0]}", block[1])
    assert_same(searched(warm_up=WarmUp(40, 4), rng=rng), whole)


@pytest.mark.parametrize("limit", [{"max_evaluations": 50}, {"max_seconds": 1e-3}])
def test_a_limit_ends_the_drawing(limit, monkeypatch):
    n_drawn = 0
    subset = PortableRng.subset

    def counted(self, n_items, size):
        nonlocal n_drawn
        n_drawn += 1
        return subset(self, n_items, size)

    monkeypatch.setattr(PortableRng, "subset", counted)
    result = searched(warm_up=WarmUp(50_000, 3), **limit)
    assert result.stop_reason.value in ("evaluations", "seconds")
    assert n_drawn < 10_000


@pytest.mark.parametrize("n_together", [1, 3])
def test_a_warm_up_cut_short_by_time_is_told_again_as_it_was(n_together, tmp_path, monkeypatch):
    def valued(members):
        time.sleep(0.001)
        return float(DATA.X[:, members].mean())

    monkeypatch.setattr("sweepless.search.warm_up._BLOCK_PROBES", n_together)
    criterion, path = FunctionCriterion(valued), tmp_path / "run.jsonl"
    warm_up = WarmUp(5000, 4, max_seconds=0.02)
    first = run("sSFS", criterion, DATA, target=2, budget=4, warm_up=warm_up, journal=Journal(path))
    assert first.anatomy.warm_up < 5000
    whole = path.read_bytes().splitlines(keepends=True)
    for n_lines in (len(whole), len(whole) - 2, 2 + first.anatomy.warm_up // n_together // 2):
        path.write_bytes(b"".join(whole[:n_lines]))
        resumed = resume(path, criterion, DATA)
        if n_lines >= len(whole) - 2:  # the warm-up was over
            assert_same(resumed, first)
        assert_same(resume(path, criterion, DATA), resumed)
