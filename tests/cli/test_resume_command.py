"""`sweepless select --journal` and `sweepless resume`."""

from __future__ import annotations

import json

import numpy as np
import pytest

from sweepless import Dataset, Journal, run
from sweepless.cli import main
from sweepless.criteria import KNN


@pytest.fixture
def table(tmp_path):
    rng = np.random.default_rng(0)
    X = rng.integers(0, 5, (40, 10))
    lines = [",".join([*(f"f{k}" for k in range(10)), "label"])]
    lines += [",".join(map(str, [*row, int(row[2] + row[5] > 4)])) for row in X]
    path = tmp_path / "table.csv"
    path.write_text("\n".join(lines) + "\n")
    return path


def found(capsys):
    return json.loads(capsys.readouterr().out) | {"seconds": None}


def test_a_run_is_resumed_from_its_journal_alone(table, tmp_path, capsys):
    journal = tmp_path / "run.jsonl"
    arguments = ["select", "--data", str(table), "--label", "label", "--budget", "4", "--split", "60/40"]
    arguments += ["--criterion", "knn", "--json", "-"]
    assert main(arguments) == 0
    expected = found(capsys)
    assert "holdout" in expected
    assert main([*arguments, "--journal", str(journal)]) == 0
    assert found(capsys) == expected
    lines = journal.read_bytes().splitlines(keepends=True)
    journal.write_bytes(b"".join(lines[: len(lines) // 2]))
    assert main(["resume", str(journal), "--json", "-"]) == 0
    assert found(capsys) == expected


def test_limits_can_be_raised_and_files_moved(table, tmp_path, capsys):
    journal, moved = tmp_path / "run.jsonl", tmp_path / "moved.csv"
    arguments = [
        "select",
        "--data",
        str(table),
        "--label",
        "label",
        "--budget",
        "4",
        "--criterion",
        "knn",
        "--json",
        "-",
    ]
    assert main(arguments) == 0
    expected = found(capsys)
    assert main([*arguments, "--journal", str(journal), "--max-evaluations", "30"]) == 0
    assert found(capsys)["n_evaluations"] == 30
    table.rename(moved)
    limits = ["--data", str(moved), "--max-evaluations", "100000", "--json", "-"]
    assert main(["resume", str(journal), *limits]) == 0
    resumed = found(capsys)
    assert resumed["settings"]["max_evaluations"] == 100_000
    assert resumed | {"settings": None} == expected | {"settings": None}


def test_a_journal_cannot_name_files_to_write(table, tmp_path, capsys):
    journal, output = tmp_path / "run.jsonl", tmp_path / "out.json"
    arguments = [
        "select",
        "--data",
        str(table),
        "--label",
        "label",
        "--target",
        "2",
        "--budget",
        "4",
        "--criterion",
        "cfs",
    ]
    assert main([*arguments, "--journal", str(journal), "--json", str(output)]) == 0
    output.unlink()
    assert main(["resume", str(journal)]) == 0
    assert not output.exists()
    assert "best size 2" in capsys.readouterr().out


def test_bad_journals_are_one_sentence(table, tmp_path, capsys):
    journal = tmp_path / "run.jsonl"
    run("SFS", KNN(), Dataset(np.eye(6), [0, 1] * 3), target=2, journal=Journal(journal))
    assert main(["resume", str(journal)]) == 2
    assert "which a program wrote" in capsys.readouterr().err
    assert main(["resume", str(tmp_path / "none")]) == 2
    assert "could not be read" in capsys.readouterr().err
    assert main(["select", "--data", str(table), "--label", "label", "--journal", str(journal)]) == 2
    assert "--journal must name a new file" in capsys.readouterr().err
    assert main(["select", "--data", str(table), "--journal", str(tmp_path / "no" / "where")]) == 2
    assert "existing directory" in capsys.readouterr().err
