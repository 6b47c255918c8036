"""`sweepless report`: what it writes, and what it says."""

from __future__ import annotations

from pathlib import Path

import pytest

from sweepless.cli import main
from tests.reports.synthetic_run import write_run

pytest.importorskip("plotly", reason="pages need plotly")


@pytest.fixture
def run(tmp_path: Path) -> Path:
    return write_run(tmp_path / "run", seeds=[1, 2, 3], sizes=[2, 5, 10])


def test_every_output(run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("matplotlib", reason="figures need matplotlib")
    outputs = {name: tmp_path / f"out.{name}" for name in ("html", "md", "tex", "csv")}
    words = ["-o", outputs["html"], "--markdown", outputs["md"], "--latex", outputs["tex"], "--csv", outputs["csv"]]
    figures = tmp_path / "figures"
    assert main(["report", str(run), *map(str, words), "--figures", str(figures), "--sizes", "5,10"]) == 0
    said = capsys.readouterr().out
    assert said.count("wrote") == 4 + 12
    assert "9 cells" in said
    assert "d\u00a0=\u00a05" in outputs["html"].read_text()
    assert "d\u00a0=\u00a02" not in outputs["html"].read_text()
    assert outputs["md"].read_text().startswith("## A synthetic trade-off\n")
    assert outputs["tex"].read_text().count(r"\begin{tabular}") == outputs["tex"].read_text().count(r"\end{tabular}")
    assert len(outputs["csv"].read_text().splitlines()) == 1 + 3 * 3 * 3
    kinds = ["anatomy", "holdout-knn", "holdout-svm", "stability", "trajectory", "value"]
    assert sorted(path.name for path in figures.iterdir()) == sorted(
        f"synthetic-{kind}.{suffix}" for kind in kinds for suffix in ("png", "svg")
    )
    assert all(path.stat().st_size > 5000 for path in figures.iterdir())


def test_the_page_is_the_default(run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["report", str(run), "--title", "Mine"]) == 0
    assert "<h1>Mine</h1>" in (tmp_path / "report.html").read_text()
    assert main(["report", str(run), "--csv", "rows.csv"]) == 0
    assert sorted(path.name for path in tmp_path.glob("*.*")) == ["report.html", "rows.csv"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["{tmp}/nowhere"], "must be a run directory with a run.json"),
        (["{run}", "-o", "{tmp}"], "must be a file, got the directory"),
        (["{run}", "-o", "{tmp}/no/such.html"], "must lie in an existing directory"),
    ],
)
def test_bad_input_is_one_sentence(
    run: Path, tmp_path: Path, words: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["report", *(word.format(run=run, tmp=tmp_path) for word in words)]) == 2
    shown = capsys.readouterr().err
    assert said in shown
    assert shown.count("\n") == 1


def test_sizes_are_checked(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["report", str(run), "--sizes", "5,x"])
    assert "sizes must look like 20,100, got '5,x'" in capsys.readouterr().err
