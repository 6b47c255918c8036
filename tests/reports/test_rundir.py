"""Run directories: read whole or refused with the file and what is wrong."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sweepless.errors import DataError
from sweepless.reports.rundir import read_run
from sweepless.schema.run import sealed
from tests.reports.synthetic_run import ARMS, write_run


def edit(file: Path, change: Callable[[dict[str, Any]], None]) -> None:
    content = json.loads(file.read_text())
    was_sealed = content.pop("checksum", None)
    change(content)
    file.write_text(sealed(content) if was_sealed else json.dumps(content))


def first_cell(run: Path) -> Path:
    return min((run / "cells").glob("*.json"))


def test_everything_is_read(tmp_path: Path) -> None:
    run = read_run(write_run(tmp_path / "run"))
    assert run.arms == ARMS  # in the order of the spec, not of the files
    assert run.seeds == (1, 2, 3, 4)
    assert run.classifiers == ("knn", "svm")
    assert (run.n_planned, run.n_missing) == (12, 0)
    assert run.cost_model == (3.6797, 0.48717)
    (cell, *_) = run.of("BIF")
    assert (cell.seconds, cell.search_seconds) == (4.5, 4.0)
    assert [row.size for row in cell.rows] == list(range(1, 31))
    assert cell.by_size[3].features == tuple(sorted(cell.by_size[3].features))
    assert cell.trajectory[0].direction == "forward"


def test_an_unfinished_run_tells_what_is_missing(tmp_path: Path) -> None:
    run = read_run(write_run(tmp_path / "run", seeds=[1, 2], planned_seeds=range(1, 11)))
    assert (len(run.cells), run.n_planned, run.n_missing) == (6, 30, 24)


def test_a_fitted_cost_model_wins(tmp_path: Path) -> None:
    path = write_run(tmp_path / "run")
    edit(path / "run.json", lambda header: header.update(cost_model=[1.5, 0.25]))
    assert read_run(path).cost_model == (1.5, 0.25)


def test_a_time_that_was_cut_short_is_not_there_yet(tmp_path: Path) -> None:
    path = write_run(tmp_path / "run")
    times = path / "times.jsonl"
    times.write_text(times.read_text()[:-20])
    seconds = [cell.seconds for cell in read_run(path).cells]
    assert seconds.count(None) == 1


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda cell: cell.pop("arm"), "`arm` must be given, got none"),
        (lambda cell: cell.update(seed="1"), "`seed` must be an integer, got '1'"),
        (lambda cell: cell.update(n_evaluations=True), "`n_evaluations` must be an integer of at least 0, got True"),
        (lambda cell: cell.update(rows={}), "`rows` must be a list"),
        (lambda cell: cell["rows"][1].pop("value"), "`rows[1].value` must be given, got none"),
        (lambda cell: cell["rows"][1].update(value="high"), "`rows[1].value` must be a finite number, got 'high'"),
        (
            lambda cell: cell["rows"][0].update(features=[60]),
            "`rows[0].features` must be features from 0 to 59, got [60]",
        ),
        (
            lambda cell: cell["rows"][0].update(holdout={"knn": "x"}),
            "values are each a finite number",
        ),
        (
            lambda cell: cell["trajectory"].append([1, 2]),
            "`trajectory[80]` must be a list of n_evaluations, size",
        ),
        (
            lambda cell: cell["trajectory"].append(7),
            "size, value, direction, got 7",
        ),
        (
            lambda cell: cell["trajectory"].append([1.5, 2, 0.1, "forward"]),
            "[80][0]` must be an integer of at least 0, got 1.5",
        ),
    ],
)
def test_a_malformed_cell_is_named(tmp_path: Path, change: Callable[[dict[str, Any]], None], said: str) -> None:
    path = write_run(tmp_path / "run", arms=["SFFS"], seeds=[1])
    edit(first_cell(path), change)
    run = read_run(path)
    (reason,) = run.damaged
    assert run.cells == () and run.n_missing == 1
    assert said in reason and str(first_cell(path)) in reason


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda header: header.update(format=1), "`format` must be 2, which this version of sweepless writes, got 1"),
        (lambda header: header.pop("spec"), "`spec` must be given, got none"),
        (lambda header: header["spec"].update(seeds="1-10"), "`spec.seeds` must be a list, got '1-10'"),
        (lambda header: header["spec"].update(arms=[{}]), "`spec.arms[0].name` must be given, got none"),
        (lambda header: header.update(spec=5), "`spec` must be a table, got 5"),
        (lambda header: header["spec"]["data"].update(rows=3), "`spec.data.rows` is not a key of `spec.data`; the"),
        (lambda header: header.update(cost_model=[1]), "`cost_model` must be two numbers, got [1]"),
        (lambda header: header.update(feature_names=["a", "b"]), "must name all 60 features, got 2"),
        (lambda header: header.update(command="sweepless run"), "`command` must be a list, got 'sweepless run'"),
    ],
)
def test_a_malformed_header_is_named(tmp_path: Path, change: Callable[[dict[str, Any]], None], said: str) -> None:
    path = write_run(tmp_path / "run", seeds=[1])
    edit(path / "run.json", change)
    with pytest.raises(DataError, match=r"run\.json") as error:
        read_run(path)
    assert said in str(error.value)


def test_what_is_no_run_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="must be a run directory"):
        read_run(tmp_path)
    path = write_run(tmp_path / "run", seeds=[1])
    for content, said in [
        (b"{", "must be valid JSON"),
        (b"\xff\xfe", "must be UTF-8 text, got byte 0xff"),
        (b'{"format":' + b"[" * 100_000, "nested too deeply"),
        (b'{"format":' + b"9" * 5000 + b"}", "a number has thousands of digits"),
    ]:
        (path / "run.json").write_bytes(content)
        with pytest.raises(DataError, match=said):
            read_run(path)


@pytest.mark.parametrize("how", ["cut", "changed", "empty", "renamed", "a FIFO"])
def test_a_damaged_cell_is_left_out_and_named(tmp_path: Path, how: str) -> None:
    path = write_run(tmp_path / "run", arms=["SFFS"], seeds=[1, 2])
    file = first_cell(path)
    content = file.read_text()
    file.unlink()
    if how == "a FIFO":
        os.mkfifo(file)
    elif how == "renamed":
        file = file.with_name("other.json")
        file.write_text(content)
    else:
        file.write_text({"cut": content[:100], "changed": content.replace("0.8", "0.9", 1), "empty": ""}[how])
    run = read_run(path)
    assert len(run.cells) == 1 and run.n_missing == 1
    assert len(run.damaged) == 1 and str(file) in run.damaged[0]


def test_times_that_cannot_be_read_tell_nothing(tmp_path: Path) -> None:
    path = write_run(tmp_path / "run", arms=["SFFS"], seeds=[1, 2])
    times = path / "times.jsonl"
    first = times.read_bytes().splitlines()[0]
    times.write_bytes(
        bytes(range(256)) + b"\n" + first + b"\n" + b"[" * 100_000 + b'\n{"cell": "x", "seconds": 1e999}\n'
    )
    assert [cell.seconds for cell in read_run(path).cells] == [2.5, None]


def test_two_results_for_one_seed_are_refused(tmp_path: Path) -> None:
    path = write_run(tmp_path / "run", seeds=[1])
    twin = json.loads(first_cell(path).read_text())
    twin["cell"] += "x"
    del twin["checksum"]
    (path / "cells" / f"{twin['cell']}.json").write_text(sealed(twin))
    with pytest.raises(DataError, match="one cell per arm and seed"):
        read_run(path)
