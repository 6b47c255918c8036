"""Words, files and addresses that make no sense get one sentence, at once."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from sweepless.cli.main import main
from sweepless.runs import parse_spec, run_campaign
from sweepless.schema.run import sealed
from tests.cli.small_campaign import SPEC

SELECT = "select --data make_madelon --criterion cfs --target 2 --budget 3 --quiet"
MANY = "9" * 5000


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("broken") / "run"
    run_campaign(parse_spec(SPEC), path)
    return path


def said_by(words: list[str], capsys: pytest.CaptureFixture[str]) -> str:
    """Return what a command says on standard error; it must be short, and the command must fail."""
    try:
        code = main(words)
    except SystemExit as stop:
        code = stop.code
    said = capsys.readouterr().err
    assert code in (1, 2), said
    assert "unexpected" not in said and "Traceback" not in said
    assert said.count("sweepless") >= 1 and max(map(len, said.splitlines())) < 1000
    return said


@pytest.mark.parametrize(
    "name",
    [
        "seed",
        "target",
        "journal",
        "data",
        "criterion",
        "rng",
        "callbacks",
        "method",
        "max_size",
        "patience",
        "nonsense",
    ],
)
def test_only_options_of_the_method_are_options(name, capsys):
    assert f"`{name}` is not an option of sSFFS; its options are: " in said_by(
        [*SELECT.split(), "--option", f"{name}=3"], capsys
    )


@pytest.mark.parametrize(
    "words",
    [
        f"{SELECT} --start 0,²",
        f"{SELECT} --start {MANY}",
        f"{SELECT} --start 0,{MANY}",
        f"{SELECT} --option tuple_size={MANY}",
        f"{SELECT} --option tuple_size=²",
        f"{SELECT} --option tuple_size={'(' * 5000}",
        f"{SELECT} --option tuple_size={'-' * 50000}1",
        f"{SELECT} --label --5",
        f"{SELECT} --warm-up ²@3",
        f"{SELECT} --warm-up {MANY}@3",
        f"{SELECT} --overshoot ²",
        f"{SELECT} --split ²/50",
        f"{SELECT} --split {MANY}/50",
        f"{SELECT} --criterion knn --folds 99999999999999999999",
        f"{SELECT} --criterion knn --folds 999999999999999",
        f"{SELECT} --criterion knn --n-neighbors 999999999999999",
        f"{SELECT} --tuple-size 999999999999999",
        *(
            f"{SELECT} --{name} {number}"
            for name in (
                "seed",
                "target",
                "max-size",
                "max-evaluations",
                "patience",
                "horizon",
                "budget",
                "n-neighbors",
            )
            for number in (MANY, "²", "99999999999999999999")
        ),
        f"compare x.csv --sizes 1-{MANY}",
        "compare x.csv --sizes ²",
        f"compare x.csv --budget {MANY}",
        f"compare x.csv --n-jobs {MANY}",
        "report x --sizes ²",
        f"report x --sizes {MANY}",
        f"resume x --max-size {MANY}",
        *(f"watch x --every {number}" for number in ("1e300", "nan", "inf", "0", "-1", "1e10")),
        *(f"watch x --timeout {number}" for number in ("1e300", "nan", "0")),
        "watch x --serve --port 99999999999999999999",
    ],
    ids=lambda words: words.replace(SELECT, "select")[:60],
)
def test_numbers_that_cannot_be_meant(words, capsys):
    said_by(words.split(), capsys)


@pytest.mark.parametrize("command", ["status {}", "export {} --json {}/../rows.json", "report {} --csv {}/../rows.csv"])
@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"[]",
        b'{"format":1}',
        b'{"format":2}',
        b"\xff\xfe",
        b"[" * 100_000,
        b'{"format":' + b"9" * 5000 + b"}",
    ],
    ids=lambda content: content[:12],
)
def test_a_damaged_header(command, content, finished, tmp_path, capsys):
    shutil.copytree(finished, tmp_path / "run")
    (tmp_path / "run" / "run.json").write_bytes(content)
    words = [word.format(tmp_path / "run") for word in command.split()]
    assert str(tmp_path / "run" / "run.json") in said_by(words, capsys)


_RIGHT = [("name", "text"), ("seeds", [5])]


@pytest.mark.parametrize(
    ("key", "value"),
    [
        (key, value)
        for key in ("name", "spec", "data", "versions", "seeds", "arms")
        for value in (5, "text", [5], None)
        if (key, value) not in _RIGHT
    ],
)
def test_a_header_with_something_else_inside(key, value, finished, tmp_path, capsys):
    shutil.copytree(finished, tmp_path / "run")
    file = tmp_path / "run" / "run.json"
    header = json.loads(file.read_text())
    (header["spec"] if key in ("seeds", "arms") else header)[key] = value
    file.write_text(json.dumps(header))
    (tmp_path / "spec.toml").write_text(SPEC)
    for command in (
        "status {}/run",
        "export {}/run --json {}/rows",
        "report {}/run --csv {}/r",
        "run {}/spec.toml -o {}/run",
    ):
        assert str(file) in said_by([word.format(tmp_path) for word in command.split()], capsys)


@pytest.mark.parametrize("key", ["arm", "seed", "method", "n_evaluations", "rows", "stop_reason", "n_features"])
@pytest.mark.parametrize("is_sealed", [True, False])
def test_cells_with_missing_keys(key, is_sealed, finished, tmp_path, capsys):
    shutil.copytree(finished, tmp_path / "run")
    file = min((tmp_path / "run" / "cells").glob("*.json"))
    cell = json.loads(file.read_text())
    del cell[key], cell["checksum"]
    file.write_text(sealed(cell) if is_sealed else json.dumps(cell))
    for command in ("status {}/run", "export {}/run --json {}/rows"):
        assert str(file) in said_by([word.format(tmp_path) for word in command.split()], capsys)


def test_binary_times_tell_nothing(finished, tmp_path, capsys):
    shutil.copytree(finished, tmp_path / "run")
    (tmp_path / "run" / "times.jsonl").write_bytes(bytes(range(256)) * 10)
    for command in ("status {}/run", "export {}/run --json {}/rows", "report {}/run --csv {}/r"):
        assert main([word.format(tmp_path) for word in command.split()]) == 0


@pytest.mark.parametrize(
    "address", ["garbage://x", "tcp://", "tcp://x", "x", "tcp://x:y", "tcp://x:99999999", "://", ""]
)
def test_an_address_is_checked_before_anything_connects(address, tmp_path, monkeypatch, capsys):
    distributed = pytest.importorskip("distributed", reason="needs distributed (sweepless[dask])")
    monkeypatch.setattr(distributed.Client, "__init__", lambda *words, **named: pytest.fail("it tried to connect"))
    (tmp_path / "spec.toml").write_text(SPEC)
    words = [
        "run",
        str(tmp_path / "spec.toml"),
        "-o",
        str(tmp_path / "run"),
        "--backend",
        "dask",
        "--scheduler",
        address,
    ]
    assert (
        f"`scheduler` must be the address of a Dask scheduler such as tcp://10.0.0.1:8786, got '{address}'"
        in said_by(words, capsys)
    )
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    "command",
    [
        "select --data {} --label y",
        "compare {} --label y -o {}.run",
        "resume {}",
        "run {} -o {}.run",
        "watch {} --once",
    ],
)
def test_a_fifo_keeps_nobody_waiting(command, tmp_path, capsys):
    fifo = tmp_path / "data.csv"
    os.mkfifo(fifo)
    assert f"{fifo}" in said_by([word.format(fifo) for word in command.split()], capsys)


@pytest.mark.parametrize(
    "command",
    [
        ["select", "--help"],
        ["select", "-h"],
        ["select", "--hel"],
        ["select", "--data", "make_madelon", "--version"],
        ["select"],
        ["select", "--data"],
        ["select", "--data", "make_madelon", "--folds", MANY],
        ["select", "--data", "make_madelon", "--criterion", "nonsense"],
        ["select", "--data", "make_madelon", "resume", "other"],
        ["methods"],
        ["select", 5],
        "select --data make_madelon",
    ],
    ids=lambda command: str(command)[:50],
)
def test_a_forged_command_is_refused(command, tmp_path, capsys):
    from sweepless.journal.lines import FORMAT, as_line

    file = tmp_path / "run.jsonl"
    file.write_bytes(as_line(0, "header", {"format": FORMAT, "note": {"command": command}, "limits": {}}))
    assert str(file) in said_by(["resume", str(file)], capsys)


def test_names_in_csv_files_are_no_formulas(finished, tmp_path):
    shutil.copytree(finished, tmp_path / "run")
    for file in (tmp_path / "run" / "cells").glob("*.json"):
        cell = json.loads(file.read_text()) | {"arm": "=HYPERLINK(1)", "method": "@SUM(1)", "criterion": "-1+1"}
        cell["rows"][0]["value"] = -0.5
        del cell["checksum"]
        file.write_text(sealed(cell))
    rows, report = tmp_path / "rows.csv", tmp_path / "report.csv"
    assert main(["export", str(tmp_path / "run"), "--csv", str(rows)]) == 0
    assert main(["report", str(tmp_path / "run"), "--csv", str(report)]) == 0
    assert ",'=HYPERLINK(1)," in rows.read_text() and ",'@SUM(1),'-1+1," in rows.read_text()
    assert ",'=HYPERLINK(1)," in report.read_text()
    for file in (rows, report):
        assert ",=" not in file.read_text() and ",-0.5," in file.read_text()


def test_names_that_no_terminal_can_show_are_escaped(finished, tmp_path):
    shutil.copytree(finished, tmp_path / "run")
    file = tmp_path / "run" / "run.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | {"name": "\ud800"}))
    done = subprocess.run([sys.executable, "-m", "sweepless", "status", str(tmp_path / "run")], capture_output=True)
    assert done.returncode == 0 and done.stdout.startswith(b"\\ud800: 2 of 2 cells done")
