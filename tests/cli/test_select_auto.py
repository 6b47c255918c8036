"""`sweepless select` without a criterion: several are compared outside first, as in Python."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sweepless import SequentialSelector, load
from sweepless.cli.main import main
from sweepless.criteria.linear.loo import LeaveOneOutCursor
from sweepless.schema.result import read_result
from sweepless.selectors import progress
from sweepless.validation import panel as panel_module


def written(path: Path, n_samples: int, target: Any) -> Path:
    X = np.random.default_rng(0).normal(size=(n_samples, 8)).round(3)
    rows = [",".join([*(f"f{k}" for k in range(8)), "answer"])]
    rows += [",".join([*map(str, row.tolist()), str(target(row))]) for row in X]
    path.write_text("\n".join(rows) + "\n", encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """So many samples that the outer folds are not repeated."""
    path = tmp_path_factory.mktemp("auto") / "table.csv"
    return written(path, 300, lambda row: "yes" if row[1] + row[4] > 0 else "no")


def words(path: Path, *more: object) -> list[str]:
    given = ("select", "--data", path, "--judge", "linear", "--max-size", 4, "--quiet", *more)
    return [str(word) for word in given]


def found(capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    result: dict[str, Any] = json.loads(capsys.readouterr().out)
    result["seconds"] = None
    for member in result.get("panel", {}).get("members", []):
        member["seconds"] = None
    return result


@pytest.fixture
def searched(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The members of the panel that were searched, one entry per split."""
    members: list[str] = []
    search = panel_module.Outer.__call__

    def noted(self: Any, member: Any, *rest: Any) -> Any:
        members.append(member.name)
        return search(self, member, *rest)

    monkeypatch.setattr(panel_module.Outer, "__call__", noted)
    return members


def test_the_command_line_chooses_as_the_selector_does(table: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(words(table, "--json", "-")) == 0
    result, data = found(capsys), load(table)
    selector = SequentialSelector(judge="linear", max_size=4, random_state=0).fit(data.X, data.y)
    panel = result["panel"]
    assert panel["chosen"] == selector.chosen_.member and panel["reason"] == selector.chosen_.reason
    assert panel["honest_score"] == selector.honest_score_ > 0.9
    assert panel["size"] == result["size"] == selector.best_size_ == 2
    assert result["features"] == selector.get_support(indices=True).tolist() == [1, 4]
    assert panel["sizes"] == [1, 2, 4] and panel["judges"] == ["linear"] and panel["n_splits"] == 3
    assert result["scale"] == "none" and "Standardized" in result["criterion"]


def test_the_text_says_what_was_compared_in_a_hundred_columns(
    table: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "found.json"
    assert main(words(table, "--json", path, "--split", "50/50")) == 0
    out, saved = capsys.readouterr().out, read_result(path)
    panel: Any = saved.panel
    story = out.split("\n\n")[1]
    assert max(map(len, story.splitlines())) <= 100
    assert all(member.name in story for member in panel.members)
    assert f"Honest score: {panel.honest_score:.3f} ± {panel.honest_error:.3f} at 2 features." in story
    assert f"honest    {panel.honest_score:.3f}" in out and "features standardized" in out
    assert f"holdout {saved.holdout:.6f}" in out and 0.8 < saved.holdout <= 1.0  # an accuracy, as the honest score is


def test_a_target_is_the_only_size_that_is_judged(table: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(words(table, "--target", 3, "--method", "SFFS", "--json", "-")) == 0
    result = found(capsys)
    assert result["panel"]["sizes"] == [3] and result["size"] == 3 and result["method"] == "SFFS"


def test_numbers_have_a_panel_of_their_own(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = written(tmp_path / "numbers.csv", 300, lambda row: round(row[1] - 2 * row[4], 3))
    assert main(words(path, "--json", "-")) == 0
    result = found(capsys)
    assert result["task"] == "regression" and result["features"] == [1, 4]
    assert 0.9 < result["panel"]["honest_score"] <= 1.0


def test_a_resumed_run_makes_the_same_choice_without_another_comparison(
    table: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], searched: list[str]
) -> None:
    journal, moved = tmp_path / "run.jsonl", tmp_path / "moved.csv"
    moved.write_bytes(table.read_bytes())
    limits = ("--max-evaluations", 400, "--max-seconds", 1000)
    assert main(words(moved, "--journal", journal, "--json", "-", *limits)) == 0
    expected, n_searches = found(capsys), len(searched)
    assert n_searches > 3
    lines = journal.read_bytes().splitlines(keepends=True)
    journal.write_bytes(b"".join(lines[: len(lines) // 2]))
    elsewhere = moved.rename(tmp_path / "elsewhere.csv")
    assert main(["resume", str(journal), "--data", str(elsewhere), "--json", "-", "--quiet"]) == 0
    assert found(capsys) == expected
    assert main(["resume", str(journal), "--data", str(elsewhere), "--max-evaluations", "900", "--json", "-"]) == 0
    assert found(capsys)["panel"] == expected["panel"]
    assert len(searched) == n_searches


def test_a_command_that_was_stopped_while_comparing_goes_on(
    table: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    searched: list[str],
) -> None:
    assert main(words(table, "--json", "-")) == 0
    expected, in_all = found(capsys), len(searched)
    judged, journal = panel_module.judged, tmp_path / "run.jsonl"

    def interrupted(*given: Any) -> Any:
        if len(searched) - in_all == 4:
            raise KeyboardInterrupt
        return judged(*given)

    with monkeypatch.context() as patched:
        patched.setattr(panel_module, "judged", interrupted)
        assert main(words(table, "--journal", journal, "--json", "-")) == 1
    assert capsys.readouterr().err == (
        "sweepless: interrupted before the search, while criteria were compared; what was compared is kept in "
        f"{journal}.panel, and the same command goes on.\n"
    )
    assert not journal.exists()
    searched.clear()
    assert main(words(table, "--journal", journal, "--json", "-")) == 0
    assert found(capsys) == expected and len(searched) == in_all - 3


def test_ctrl_c_inside_a_search_ends_the_comparison(
    table: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(LeaveOneOutCursor, "peek", interrupted)
    assert main(words(table)) == 1
    captured = capsys.readouterr()
    assert captured.out == "" and "--journal FILE would keep what was compared." in captured.err


def test_limits_that_leave_no_room_are_said(table: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(words(table, "--max-evaluations", 20, "--target", 3)) == 0  # a search outside ends at its first subset
    out = capsys.readouterr().out
    assert "The limits left no room to compare criteria outside" in out and "honest    " not in out
    assert "stopped   the limit of evaluations was reached" in out
    assert main(words(table, "--max-seconds", 1e-6)) in (0, 1)
    assert "The limits left no room to compare criteria" in capsys.readouterr().out


def test_a_comparison_tells_how_it_goes(
    table: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(progress, "_LINE_EVERY", 0.0)
    assert main([word for word in words(table) if word != "--quiet"]) == 0
    told = capsys.readouterr().err.splitlines()
    assert told[0].startswith("comparing ") and "criteria outside, 1 of " in told[0] and " size " in told[-1]


def test_few_samples_are_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = written(tmp_path / "few.csv", 4, lambda row: "yes" if row[1] > 0 else "no")
    assert main(words(path, "--task", "classification")) == 0
    out = capsys.readouterr().out
    assert "There are too few samples to compare criteria outside" in out and "honest    " not in out


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (["--n-neighbors", 3], "--n-neighbors must go with a criterion that has it, got it with none."),
        (["--criterion", "cfs"], "--judge must come without a --criterion, got it with cfs."),
        (["--max-evaluations", 0], "max_evaluations"),
        (["--method", "OS"], "OS needs a `target` size, got none."),
        (["--target", 9], "`target` must be"),
    ],
)
def test_what_does_not_fit_is_refused(
    table: Path, capsys: pytest.CaptureFixture[str], more: list[object], said: str
) -> None:
    assert main(words(table, *more)) == 2
    assert said in capsys.readouterr().err


def test_the_page_has_the_comparison(table: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("plotly", reason="pages need plotly")
    page = tmp_path / "page.html"
    assert main(words(table, "--report", page)) == 0
    text = page.read_text(encoding="utf-8")
    assert text.count('class="chart"') == 3 and "<h2>What was compared</h2>" in text
    assert text.index("honest score, by outer cross-validation") < text.index("What was compared")
