"""The command: runs what is missing, prints, writes, and says what it could not run."""

from __future__ import annotations

import pytest

from sweepless.cli.main import main
from sweepless.paper import reproduction, targets
from sweepless.paper.measures import Arm
from sweepless.paper.printed import Printed
from sweepless.paper.targets import Target

SPEC = """
name = "toy"
seeds = [1, 2]
[data]
name = "make_madelon"
n_samples = 60
n_features = 30
seed = 1
[split]
train = 50
test = 50
[criterion]
name = "knn"
[stop]
target = 3
[report]
sizes = "all"
[validation]
classifiers = ["same"]
[[arms]]
name = "some"
method = "sSFS"
budget = 5
"""
SOME = Arm("toy", "some", (1, 2))


@pytest.fixture
def toy(tmp_path, monkeypatch):
    """One target on synthetic data in place of the paper's anatomy."""
    (tmp_path / "toy.toml").write_text(SPEC, encoding="utf-8")
    monkeypatch.setattr(reproduction, "_HOMES", (tmp_path,))
    printed = (
        Printed("C1", "evaluations in thousands", ".015", SOME.thousands()),
        Printed("C2", "holdout at d=3", ".9", SOME.holdout(3), within=1.0),
    )
    target = Target("madelon-anatomy", "A toy", (SOME,), printed)
    monkeypatch.setitem(targets.TARGETS, "madelon-anatomy", target)
    return tmp_path / "out"


def call(out, *more):
    return main(["reproduce", "madelon-anatomy", "-o", str(out), "--quiet", *more])


def test_numbers_are_printed_beside_the_papers_and_written(toy, capsys):
    assert call(toy) == 0
    shown = capsys.readouterr().out
    assert "evaluations in thousands" in shown and ".015" in shown and "equal" in shown
    assert "| C1 |" in (toy / "madelon-anatomy.md").read_text(encoding="utf-8")
    assert "evaluations in thousands" in (toy / "madelon-anatomy.html").read_text(encoding="utf-8")


def test_a_cell_is_never_run_twice(toy, capsys):
    assert call(toy, "--seeds", "1") == 0
    assert "seed 2" in capsys.readouterr().out
    (first,) = (toy / "toy" / "cells").glob("*.json")
    before = first.stat().st_mtime_ns
    assert call(toy) == 0
    assert len(list((toy / "toy" / "cells").glob("*.json"))) == 2
    assert first.stat().st_mtime_ns == before


def test_quick_says_what_it_did_not_compute(toy, capsys):
    assert call(toy, "--quick") == 0
    assert "not computed" in capsys.readouterr().out


def test_data_that_are_not_there_are_named_and_the_exit_code_tells(tmp_path, capsys):
    code = main(["reproduce", "madelon-collapse", "-o", str(tmp_path / "out"), "--data-dir", str(tmp_path), "--quiet"])
    assert code == 1
    shown = capsys.readouterr().out
    assert "madelon needs" in shown and str(tmp_path) in shown
    assert "not computed" in shown


def test_a_directory_of_another_spec_is_refused_in_a_sentence(toy, capsys):
    assert call(toy) == 0
    spec = toy.parent / "toy.toml"
    spec.write_text(SPEC.replace("budget = 5", "budget = 6"), encoding="utf-8")
    assert call(toy) == 1
    assert "must be a run of the same spec" in capsys.readouterr().out


@pytest.mark.parametrize("seeds", ["x", "1-", "3-x", "3-1", "1-99999"])
def test_seeds_that_cannot_be_read_are_a_usage_error(seeds, capsys):
    with pytest.raises(SystemExit) as stop:
        main(["reproduce", "madelon-collapse", "--seeds", seeds])
    assert stop.value.code == 2
    told = capsys.readouterr().err
    assert "--seeds" in told and f"got {seeds!r}" in told
