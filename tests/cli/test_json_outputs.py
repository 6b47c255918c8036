"""`--json -` prints one object and nothing else, with the keys that the guide promises."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from sweepless.cli import main
from tests.cli.small_campaign import SPEC
from tests.paper.test_reproduce_command import toy  # noqa: F401 - a fixture

PAGE = (Path(__file__).parents[2] / "docs/guide/json.md").read_text(encoding="utf-8")
SEARCH = ["select", "--data", "make_madelon", "--criterion", "cfs", "--target", "2", "--budget", "3", "--quiet"]


def promised(command: str) -> tuple[set[str], set[str]]:
    """Return the keys that the guide lists, and those of them that are always there."""
    (section,) = re.findall(rf"\n## [^\n]*`sweepless {command}`[^\n]*\n(.*?)(?=\n## |\Z)", PAGE, flags=re.DOTALL)
    rows = [row.split("|")[1:3] for row in section.splitlines() if row.startswith("| `")]
    keys = [(key, "; only " in what) for names, what in rows for key in re.findall(r"`(\w+)`", names)]
    return {key for key, _ in keys}, {key for key, is_optional in keys if not is_optional}


def printed(capsys, *words: object) -> dict:
    """Run a command with `--json -`; return its object, after comparing it with the guide."""
    assert main([*map(str, words), "--json", "-"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["schema"] == 1
    listed, always = promised(str(words[0]))
    assert always <= set(found) - {"schema"} <= listed
    return found


@pytest.fixture()
def campaign(tmp_path, capsys):
    (tmp_path / "spec.toml").write_text(SPEC, encoding="utf-8")
    ran = printed(capsys, "run", tmp_path / "spec.toml", "-o", tmp_path / "run", "--quiet")
    assert ran["n_cells"] == ran["n_new"] == 2 and ran["path"] == str(tmp_path / "run")
    return tmp_path / "run"


def test_a_search_and_one_that_goes_on(tmp_path, capsys):
    journal = tmp_path / "run.jsonl"
    first = printed(capsys, *SEARCH, "--journal", journal)
    again = printed(capsys, "resume", journal, "--quiet")
    assert first["size"] == again["size"] == 2 and first["archive"] == again["archive"]
    watched = printed(capsys, "watch", journal, "--once")
    assert watched == printed(capsys, "watch", journal) | {"age": watched["age"]}
    assert watched["state"] == "ended" and watched["n_evaluations"] == first["n_evaluations"]


def test_what_only_some_searches_have(capsys):
    assert printed(capsys, *SEARCH, "--split", "50/50", "--criterion", "knn")["holdout"] <= 1
    assert printed(capsys, *SEARCH, "--consensus", "2")["consensus"] == 2


def test_a_campaign(campaign, tmp_path, capsys):
    state = printed(capsys, "status", campaign)
    assert state["n_done"] == 2 and state["arms"][0]["name"] == "SFS" and state["damaged"] == []
    page = tmp_path / "page.html"
    assert printed(capsys, "report", campaign, "-o", page)["written"] == [str(page)]
    assert main(["export", str(campaign), "--json", "-"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert main(["export", str(campaign), "--json", str(tmp_path / "rows.json")]) == 0
    assert rows == json.loads((tmp_path / "rows.json").read_text(encoding="utf-8")) and rows[0]["arm"] == "SFS"


def test_damaged_cells_are_named_beside_the_object(campaign, capsys):
    next((campaign / "cells").glob("*.json")).write_text("{", encoding="utf-8")
    assert main(["status", str(campaign), "--json", "-"]) == 1
    shown = capsys.readouterr()
    assert json.loads(shown.out)["damaged"] and "left out" in shown.err


def test_a_comparison_that_cannot_be_prints_nothing(tmp_path, capsys):
    words = ("compare", "make_madelon", "-o", tmp_path / "run", "--criterion", "cfs")
    assert main([*map(str, words), "--json", "-"]) == 2  # nothing validates by cfs
    assert capsys.readouterr().out == ""


def test_a_reproduction(toy, capsys):  # noqa: F811
    found = printed(capsys, "reproduce", "madelon-anatomy", "-o", toy, "--quiet")
    (target,) = found["targets"]
    assert target["claims"][0]["id"] == "C1" and target["problems"] == [] and len(target["files"]) == 2


def test_methods_are_all_listed(capsys):
    from sweepless.search.methods import METHODS

    assert [one["name"] for one in printed(capsys, "methods")["methods"]] == list(METHODS)


def test_what_was_compiled(capsys, monkeypatch):
    monkeypatch.setattr("sweepless.cli.warm._works", lambda: iter([("nothing", lambda: None), ("more", lambda: None)]))
    assert [work["name"] for work in printed(capsys, "warm")["works"]] == ["nothing", "more"]


def test_a_file_is_written_beside_what_is_printed(tmp_path, capsys):
    assert main(["methods", "--json", str(tmp_path / "methods.json")]) == 0
    assert "sSFFS" in capsys.readouterr().out
    assert json.loads((tmp_path / "methods.json").read_text(encoding="utf-8"))["schema"] == 1


def test_a_reader_that_stops_reading_is_no_error():
    writer = subprocess.Popen(
        [sys.executable, "-m", "sweepless", "completion", "fish"], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert writer.stdout is not None and writer.stderr is not None
    writer.stdout.close()
    assert writer.stderr.read() == b""
    assert writer.wait() == 1
