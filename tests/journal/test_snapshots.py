"""Snapshots: what they hold, what a resume need not do again thanks to them."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from sweepless import resume, run
from sweepless.criteria import KNN
from sweepless.errors import JournalError
from sweepless.journal.encoding import packed_numbers, unpacked_numbers, unzipped, zipped
from sweepless.search import ContrastStatistics, SoftmaxProposal
from tests.journal.twins import CRITERIA, facts, options_of, recorded, resumed_from, small_data


def kinds(path: Path) -> list[str]:
    return [json.loads(line)["kind"] for line in path.read_text().splitlines()]


# Packing


def changed(array, places, rng):
    other = array.copy()
    other[places] = rng.integers(0, 2**31 - 1, len(places)).astype(array.dtype) + array[places]
    return other


@pytest.mark.parametrize("dtype", [np.float64, np.int32, np.int64, np.uint8])
@pytest.mark.parametrize("n_changed", [0, 1, 50, 400, 1000])
def test_differences_lead_to_the_same_bits(dtype, n_changed):
    rng = np.random.default_rng(n_changed)
    base = rng.integers(0, 5, 1000).astype(dtype)
    array = changed(base, rng.permutation(1000)[:n_changed], rng)
    told = zipped(array, base)
    assert ("at" in told) == (n_changed <= 125)
    assert unzipped(told, array, base).tobytes() == array.tobytes()
    assert unzipped(zipped(array), array).tobytes() == array.tobytes()


def test_every_bit_counts():
    base = np.zeros(100)
    array = base.copy()
    array[7], array[9] = -0.0, np.nan
    assert unzipped(zipped(array, base), array, base).tobytes() == array.tobytes()
    noise = np.random.default_rng(0).random(10_000)  # is not compressed
    assert unzipped(zipped(noise), noise).tobytes() == noise.tobytes()


def test_counts_that_went_up_alike_are_short():
    rng = np.random.default_rng(0)
    base = rng.integers(0, 1000, 10_000).astype(np.int32)
    told = zipped(base + np.int32(100), base)
    assert len(told["more"]) < 400 < len(zipped(base + np.int32(100))["zip"])


@pytest.mark.parametrize("broken", [{"more": "AAAA"}, {"at": "AAAA", "now": 3}, {}])
def test_broken_differences_are_refused(broken):
    base = np.zeros(9)
    with pytest.raises(JournalError):
        unzipped({"dtype": "<f8"} | broken, base, base)
    with pytest.raises(JournalError):
        unzipped({"dtype": "<f8"} | broken, base)


def test_differences_beyond_the_array_are_refused():
    told = zipped(changed(np.zeros(90), [80], np.random.default_rng(0)), np.zeros(90))
    with pytest.raises(JournalError, match="entries from 0 to 8"):
        unzipped(told, np.zeros(9), np.zeros(9))


def test_numbers_are_read_as_written():
    features = np.array([5, 0, 99, 5])
    assert unpacked_numbers(packed_numbers(features), 100).tolist() == features.tolist()
    for text, n_features in ((packed_numbers(features), 99), (packed_numbers(-features), 100), ("AAA=", 100), (3, 100)):
        with pytest.raises(JournalError):
            unpacked_numbers(text, n_features)


# Runs


def test_a_run_that_came_to_an_end_is_told_from_its_last_snapshot(tmp_path):
    path, data = tmp_path / "run.jsonl", small_data()
    options = options_of("sSFFS")
    whole = run("sSFFS", CRITERIA["function"], data, **options)
    recorded(path, "sSFFS", CRITERIA["function"], data, **options, max_evaluations=whole.n_evaluations - 20)
    found = kinds(path)
    assert found.count("snapshot") == 1 and found[found.index("snapshot") - 1] == "step"
    assert facts(resume(path, CRITERIA["function"], data, max_evaluations=None)) == facts(whole)


@pytest.mark.parametrize("dear", [0.0, 1e9])
@pytest.mark.parametrize("options", [{}, {"rng": "reference"}, {"start": "scores", "target": 8}], ids=str)
def test_snapshots_of_what_has_changed_resume_anywhere(dear, options, tmp_path, monkeypatch, fine_grained):
    monkeypatch.setattr("sweepless.journal.snapshots._DEAR", dear)
    monkeypatch.setattr("sweepless.journal.encoding._SEVERAL", 1)
    data, path, J = small_data(30), tmp_path / "run.jsonl", CRITERIA["function"]
    options = options_of("sSFFS") | {"max_size": 12} | options
    expected = facts(recorded(path, "sSFFS", J, data, **options))
    content = path.read_bytes()
    lines = content.splitlines(keepends=True)
    snapshots = [json.loads(line) for line in lines if b'"kind":"snapshot"' in line]
    assert len(snapshots) > 3
    assert ["base" in snapshot for snapshot in snapshots] == [
        k > 0 if dear else k % 2 == 1 for k in range(len(snapshots))
    ]
    for cut in range(2, len(lines), 5):
        assert facts(resumed_from(b"".join(lines[:cut]), path, J, data)) == expected


def test_what_was_learned_is_neither_learned_nor_proposed_again(tmp_path, monkeypatch, fine_grained):
    data, path = small_data(), tmp_path / "run.jsonl"
    expected = facts(recorded(path, "sSFFS", KNN(), data, **options_of("sSFFS")))
    lines = path.read_bytes().splitlines(keepends=True)
    last = max(k for k, line in enumerate(lines) if b'"kind":"snapshot"' in line)
    steps = [k for k, line in enumerate(lines) if b'"kind":"step"' in line]
    counts = {"learned": 0, "proposed": 0}

    def counted(kind, name, what):
        call = getattr(kind, name)

        def counting(*arguments):
            counts[what] += 1
            return call(*arguments)

        monkeypatch.setattr(kind, name, counting)

    counted(ContrastStatistics, "learn", "learned")
    counted(SoftmaxProposal, "__call__", "proposed")
    assert facts(resume(path, KNN(), data)) == expected
    assert counts == {"learned": sum(k > last for k in steps), "proposed": 0}  # no warm-up either
    counts["learned"] = 0
    before = next(k for k, line in enumerate(lines) if b'"kind":"snapshot"' in line)
    with_some = [k for k in steps if k > before][:2]
    monkeypatch.setattr("sweepless.search.walk.Walk._computed", None)  # nothing may be computed
    with pytest.raises(TypeError):
        resumed_from(b"".join(lines[: with_some[-1] + 1]), path, KNN(), data)
    assert counts["learned"] == len(with_some)


def test_a_snapshot_without_its_base_is_refused(tmp_path, monkeypatch, fine_grained):
    monkeypatch.setattr("sweepless.journal.snapshots._DEAR", 1e9)
    data, path = small_data(), tmp_path / "run.jsonl"
    recorded(path, "sSFFS", KNN(), data, **options_of("sSFFS"))
    monkeypatch.setattr("sweepless.journal.snapshots.Snapshots.pass_over", lambda self, record: None)
    with pytest.raises(JournalError, match="must follow the whole snapshot"):
        resume(path, KNN(), data)
