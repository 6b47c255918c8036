"""What a command needs at its end is asked for at its beginning: without it nothing is computed."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

import sweepless.paper.reproduction  # before `read_run` is replaced, or these would keep the replacement
import sweepless.reports.comparison.report  # noqa: F401
from sweepless.cli.main import main
from tests.cli.small_campaign import SPEC


@pytest.fixture()
def nothing_is_computed(monkeypatch):
    def called(*arguments, **keywords):
        raise AssertionError("work was done")

    for place in ("sweepless.data.load", "sweepless.runs.compare.run.load", "sweepless.runs.execute.load_data"):
        monkeypatch.setattr(place, called)
    monkeypatch.setattr("sweepless.runs.store.RunDirectory.require_header", called)
    monkeypatch.setattr("sweepless.reports.rundir.read_run", called)
    monkeypatch.setattr("sweepless.paper.reuters.read_documents", called)
    monkeypatch.setattr("sweepless.reports.live.server._listening", called)


@pytest.fixture()
def folder(tmp_path: Path) -> Path:
    (tmp_path / "spec.toml").write_text(SPEC, encoding="utf-8")
    (tmp_path / "blocked").touch()
    return tmp_path


@pytest.mark.parametrize(
    ("command", "package", "extra"),
    [
        ("select --data make_madelon --report {}/page.html", "plotly", "reports"),
        ("compare {}/data.csv -o {}/run", "plotly", "reports"),
        ("reproduce madelon-collapse -o {}/out", "plotly", "reports"),
        ("report {}/run -o {}/page.html", "plotly", "reports"),
        ("report {}/run -o {}/page.html", "jinja2", "reports"),
        ("report {}/run --figures {}/figures", "matplotlib", "plots"),
        ("export {}/run --parquet {}/rows.parquet", "pyarrow", "parquet"),
        ("run {}/spec.toml -o {}/run --backend dask", "distributed", "dask"),
        ("watch {}/run.jsonl --serve", "uvicorn", "serve"),
        ("watch {}/run.jsonl --serve", "starlette", "serve"),
        ("watch {}/run.jsonl --serve", "jinja2", "serve"),
    ],
)
def test_missing_packages_are_named_first(command, package, extra, folder, monkeypatch, capsys, nothing_is_computed):
    monkeypatch.setitem(sys.modules, package, None)
    before = sorted(folder.rglob("*"))
    assert main([word.format(folder) for word in command.split()]) == 2
    said = capsys.readouterr().err
    assert f" needs {package}; install sweepless[{extra}]." in said
    assert sorted(folder.rglob("*")) == before


@pytest.mark.parametrize(
    "command",
    [
        "select --data make_madelon --report {}/blocked/page.html",
        "select --data make_madelon --json {}/blocked/found.json",
        "compare {}/data.csv -o {}/blocked",
        "compare {}/data.csv -o {}/blocked/run",
        "reproduce madelon-collapse -o {}/blocked",
        "report {}/run -o {}/blocked/page.html",
        "report {}/run --markdown {}/blocked/tables.md",
        "report {}/run --figures {}/blocked",
        "export {}/run --csv {}/blocked/rows.csv",
        "run {}/spec.toml -o {}/blocked",
        "run {}/spec.toml -o {}/blocked/run",
    ],
)
def test_outputs_that_cannot_be_written_are_named_first(command, folder, capsys, nothing_is_computed):
    before = sorted(folder.rglob("*"))
    assert main([word.format(folder) for word in command.split()]) in (1, 2)
    said = capsys.readouterr().err
    assert said.count("\n") == 1 and f"{folder}/blocked" in said and "unexpected" not in said
    assert sorted(folder.rglob("*")) == before


def test_stemming_is_asked_for_before_stories_are_read(monkeypatch, tmp_path, nothing_is_computed):
    from sweepless.errors import DataError
    from sweepless.paper import read_reuters

    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setitem(sys.modules, "snowballstemmer", None)
    (tmp_path / "reut2-000.sgm").write_text("<!DOCTYPE lewis>")
    with pytest.raises(DataError, match=r"snowballstemmer; install sweepless\[text\]"):
        read_reuters([tmp_path / "reut2-000.sgm"])
