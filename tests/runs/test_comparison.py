"""A comparison from data to page: paired, resumable, and told without saying more than it shows."""

from __future__ import annotations

import json
import shutil
from argparse import ArgumentTypeError
from pathlib import Path

import numpy as np
import pytest

from sweepless import RandomSplits, load
from sweepless.cli import main
from sweepless.cli.arguments import numbers
from sweepless.criteria import KNN
from sweepless.data import Scaler01
from sweepless.engine.generator import make_rng
from sweepless.reports.comparison.report import Comparison, read_comparison
from sweepless.reports.comparison.results import ALL_JUDGES
from sweepless.reports.plotly_figure import plotly_figure
from sweepless.reports.run_charts import curve_chart
from sweepless.reports.run_statistics import Measure
from sweepless.runs.compare.peers.registry import missing_package
from sweepless.runs.compare.request import Request
from sweepless.runs.compare.run import compare
from tests.cli.test_json_outputs import promised

_PEERS = ["Boruta", "L1", "RFE", "SelectKBest F", "SelectKBest MI", "abess", "auto", "forest", "mRMR", "random subsets"]
ARMS = ["sSFFS", "SFFS", "FBED", "BIF", "DAF", *(name for name in _PEERS if not missing_package(name))]
JUDGES = {"knn", "svm", "logistic"}  # a forest for every subset would take most of the time


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three features that matter and nine that do not, with a name that a page must escape."""
    rng = np.random.default_rng(1)
    y = np.arange(90) % 3
    X = rng.normal(size=(90, 12))
    X[:, :3] += 1.5 * np.eye(3)[y]
    path = tmp_path_factory.mktemp("data") / "flowers.csv"
    names = ["<b>petal</b>", *(f"f{k}" for k in range(1, 12))]
    lines = [",".join([*names, "kind"]), *(",".join([*map(repr, row), "abc"[k]]) for row, k in zip(X.tolist(), y))]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def request(table: Path) -> Request:
    return Request(str(table), label="kind", sizes=(2, 4), seeds=(1, 2, 3), budget=5, judges=("svm", "logistic"))


@pytest.fixture(scope="module")
def found(table: Path, tmp_path_factory: pytest.TempPathFactory) -> Comparison:
    path = tmp_path_factory.mktemp("runs") / "run"
    return read_comparison(path, compare(request(table), path))


def test_every_arm_has_every_size_on_every_seed(found: Comparison) -> None:
    assert list(found.run.arms) == ARMS
    there = {(cell.arm, cell.seed, row.size) for cell in found.run.cells for row in cell.rows}
    absent = {(arm, seed, size) for arm in ARMS for seed in (1, 2, 3) for size in (2, 4)} - there
    assert absent == {("FBED", seed, 4) for seed in (1, 2, 3)}  # nothing improved on fewer features
    assert [(cell.arm, [row.size for row in cell.rows]) for cell in found.run.references] == [
        ("all features", [12])
    ] * 3
    assert all(set(row.holdout) == JUDGES for cell in found.run.cells for row in cell.rows)


def test_values_and_holdout_are_those_of_the_subsets_on_the_seed_s_split(found: Comparison, table: Path) -> None:
    data = load(table, label="kind")
    for cell in (*found.run.cells, *found.run.references):
        train, test = next(RandomSplits().split(data, make_rng("portable", cell.seed))).apply(data)
        scaler = Scaler01.fit(train)
        train, test = scaler.apply(train), scaler.apply(test)
        for row in cell.rows:
            assert row.value == KNN().bind(train).evaluate(np.array(row.features))
            assert row.holdout["knn"] == KNN().validate(train, test, np.array(row.features))


def test_its_text_says_what_was_compared_in_a_line_or_two(found: Comparison) -> None:
    assert repr(found).startswith("Comparison of sSFFS, SFFS, FBED, BIF, ") and found.headline() in repr(found)
    assert len(repr(found)) < 400


def test_plain_values_are_those_of_the_tables_with_the_promised_keys(found: Comparison) -> None:
    plain = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert set(plain) | {"page"} == promised("compare")[0]
    (one,) = [row for row in plain["found"] if (row["arm"], row["size"], row["measure"]) == ("L1", 2, "knn")]
    assert one["mean"] == found.results.mean("L1", 2, "knn") and one["n"] == 3
    assert {(row["size"], row["n"]) for row in plain["found"] if row["arm"] == "all features"} == {(12, 3)}
    assert [row["arm"] for row in plain["cost"]] == ARMS


def test_all_judges_together_are_the_mean_of_each(found: Comparison) -> None:
    each = [found.results.over_seeds("L1", 2, judge) for judge in sorted(JUDGES)]
    assert found.results.over_seeds("L1", 2, ALL_JUDGES) == pytest.approx(np.mean(each, axis=0), abs=1e-15)
    assert "(the mean of " in found.tables()[0].title and len(found.tables()) == len(JUDGES) + 3
    assert found.conclusions()[0].startswith("Judged by the mean of ")


def test_evaluations_are_matched(found: Comparison) -> None:
    spent = {cell.seed: cell.n_evaluations for cell in found.run.of("sSFFS")}
    for arm in ("DAF", "random subsets"):
        assert {cell.seed: cell.n_evaluations for cell in found.run.of(arm)} == spent
    assert all(cell.n_evaluations == 0 for cell in found.run.of("RFE"))


def test_a_comparison_that_lost_cells_goes_on_to_the_same_bytes(found: Comparison, table: Path, tmp_path: Path) -> None:
    whole = found.run.path
    part = tmp_path / "part"
    shutil.copytree(whole, part)
    lost = sorted((part / "cells").glob("*.json"))[::2]
    assert any(path.name.startswith("random") for path in lost)
    for path in lost:
        path.unlink()
    (part / "cells" / f".{lost[0].name}.tmp").write_text("{", encoding="utf-8")  # killed while writing
    lost[1].write_text("{", encoding="utf-8")  # damaged
    compare(request(table), part)
    before = {path.name: path.read_bytes() for path in (whole / "cells").iterdir()}
    assert {path.name: path.read_bytes() for path in (part / "cells").iterdir()} == before


def test_another_number_of_jobs_gives_the_same_bytes(found: Comparison, table: Path, tmp_path: Path) -> None:
    compare(request(table), tmp_path / "two", n_jobs=2)
    for path in (found.run.path / "cells").iterdir():
        assert (tmp_path / "two" / "cells" / path.name).read_bytes() == path.read_bytes()


def test_the_page_says_what_the_terminal_says_and_escapes_names(found: Comparison) -> None:
    pytest.importorskip("plotly")
    page = found.page()
    assert "&lt;b&gt;petal&lt;/b&gt;" in page and "<b>petal" not in page
    assert found.conclusions()[1].split(";")[0] in page
    assert "all features" in page and "one at a time" in page


def test_the_command_prints_tables_and_writes_the_page(
    table: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("plotly")
    asked = ["compare", str(table), "--label", "kind", "-o", str(tmp_path / "run"), "--n-jobs", "1", "--seeds", "1,2"]
    assert main([*asked, "--sizes", "2", "--max-evaluations", "40", "--judges", "svm"]) == 0
    printed = capsys.readouterr().out
    assert printed.startswith("flowers.csv: 90 samples, 12 features, 3 classes.")
    assert "SFFS was left out" in printed and "Fewer than 3 seeds" in printed
    assert (tmp_path / "run" / "report.html").is_file()
    assert json.loads((tmp_path / "run" / "run.json").read_text(encoding="utf-8"))["command"][:2] == [
        "sweepless",
        "compare",
    ]


def test_the_command_shows_what_was_compared_and_an_interrupted_one_goes_on(
    found: Comparison, table: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("plotly")
    words = ["compare", str(table), "--label", "kind", "-o", str(tmp_path / "run"), "--json", str(tmp_path / "a.json")]

    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("sweepless.runs.compare.run.compare", interrupted)
    assert main(words) == 1
    assert capsys.readouterr().err == (
        f"sweepless: interrupted; what is finished is kept in {tmp_path / 'run'}; the same command continues it.\n"
    )
    monkeypatch.setattr("sweepless.runs.compare.run.compare", lambda *_, **__: found.plan)
    monkeypatch.setattr("sweepless.reports.comparison.report.read_comparison", lambda *_: found)
    (tmp_path / "run").mkdir()
    assert main(words) == 0
    printed = capsys.readouterr().out
    assert (
        printed.startswith(found.headline()) and "\nWhat it shows\n- " in printed and "\nHow it was done\n" in printed
    )
    assert (tmp_path / "run" / "report.html").read_text(encoding="utf-8") == found.page()
    page = json.loads((tmp_path / "a.json").read_text(encoding="utf-8"))["page"]
    assert page == str(tmp_path / "run" / "report.html")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--label", "nothing"], "must have the label column 'nothing'"),
        (["--label", "kind", "--sizes", "2,13"], "--sizes must be from 1 to the 12 features of the data, got 13."),
        (["--label", "kind", "--split", "50/0"], "--split must leave samples to test on"),
    ],
)
def test_bad_input_gets_one_sentence(
    table: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], words: list[str], said: str
) -> None:
    assert main(["compare", str(table), "-o", str(tmp_path / "run"), *words]) == 2
    told = capsys.readouterr().err
    assert said in told and told.count("\n") == 1
    assert not (tmp_path / "run").exists()


def test_numbers_are_compared_by_r2(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("plotly")
    rng = np.random.default_rng(2)
    X = rng.normal(size=(60, 6))
    target = (100 * (X[:, 1] + X[:, 4])).astype(int)
    lines = ["id,a,b,c,d,e,f,y", *(f"P{k}," + ",".join(map(str, [*row, target[k]])) for k, row in enumerate(X))]
    (tmp_path / "houses.csv").write_text("\n".join(lines), encoding="utf-8")
    words = [str(tmp_path / "houses.csv"), "--drop", "id", "-o", str(tmp_path / "run"), "--n-jobs", "1"]
    assert main(["compare", *words, "--sizes", "2", "--seeds", "1,2", "--judges", "knn-regression"]) == 0
    printed = capsys.readouterr().out
    assert printed.startswith("houses.csv: 60 samples, 6 features, numbers to predict. 2 splits: 30 samples")
    assert printed.index("Holdout R² (ridge)") < printed.index("Holdout R² (knn-regression)")
    assert "Holdout R² (the mean of knn-regression and ridge)" in printed and "accuracy" not in printed
    assert "Judged by the mean of knn-regression and ridge on data" in printed
    assert (tmp_path / "run" / "report.html").is_file()


def test_all_features_are_a_line_in_the_chart_and_no_arm(found: Comparison) -> None:
    figure = plotly_figure(curve_chart(found.run, Measure("knn")))
    (line,) = [trace for trace in figure["data"] if trace["meta"].get("reference")]
    mean = np.mean([cell.rows[0].holdout["knn"] for cell in found.run.references])
    assert line["x"] == [2, 4] and line["y"] == pytest.approx([mean] * 2, abs=1e-6)
    assert line["text"][0] == "all features" and "all features" not in found.run.arms


def test_numbers_of_the_command_line() -> None:
    assert numbers("5,10, 20-22") == (5, 10, 20, 21, 22)
    for wrong in ("", "a", "3-1", "1-", "-3", "1-99999999"):
        with pytest.raises(ArgumentTypeError):
            numbers(wrong)
