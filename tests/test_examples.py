"""The examples run, and the guide's code does what the guide says it does."""

from __future__ import annotations

import re
import runpy
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")

ROOT = Path(__file__).resolve().parents[1]
EXAMPLES = sorted(path for path in (ROOT / "examples").glob("*.py") if path.stem != "demo")
PAGES = sorted((ROOT / "docs" / "guide").glob("*.md"))
# A block of code, and the block of what it prints if that follows at once; "…" stands for anything within a line, and
# on a line of its own for any lines.
BLOCKS = re.compile(r"^```python\n(.*?)^```\n(?:\n?```text\n(.*?)^```\n)?", re.DOTALL | re.MULTILINE)


@pytest.fixture(autouse=True)
def _no_open_figures():
    yield
    from matplotlib import pyplot

    pyplot.close("all")


def test_there_are_a_dozen_short_examples() -> None:
    assert len(EXAMPLES) == 12
    assert all(len(path.read_text(encoding="utf-8").splitlines()) <= 80 for path in EXAMPLES)


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
@pytest.mark.filterwarnings("ignore:FigureCanvasAgg is non-interactive")
def test_example(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from matplotlib import pyplot

    runpy.run_path(str(path), run_name="__main__")
    assert capsys.readouterr().out.count("\n") >= 3
    figure = pyplot.gcf()
    figure.canvas.draw()
    picture = np.asarray(figure.canvas.buffer_rgba())[..., :3]
    assert picture.min() < 128 < picture.max()  # ink on paper


def as_pattern(promised: str) -> str:
    lines = promised.splitlines(keepends=True)
    return "".join(r"(?:.*\n)*?" if line == "…\n" else ".*?".join(map(re.escape, line.split("…"))) for line in lines)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_guide(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    for number, (code, promised) in enumerate(BLOCKS.findall(page.read_text(encoding="utf-8")), start=1):
        if "mlxtend" in code and find_spec("mlxtend") is None:  # a peer, not a requirement
            continue
        exec(compile(code, f"{page.name}, block {number}", "exec"), names)
        printed = capsys.readouterr().out
        if promised or printed:
            assert re.fullmatch(as_pattern(promised), printed), (
                f"{page.name}, block {number} prints\n{printed}\nnot\n{promised}"
            )


def test_the_guide_links_to_what_is_there() -> None:
    for page in PAGES:
        for target in re.findall(r"\]\(([^)#:]+)", page.read_text(encoding="utf-8")):
            assert (page.parent / target).exists(), f"{page.name} links to {target}"
    index = (ROOT / "docs" / "guide" / "index.md").read_text(encoding="utf-8")
    assert all(page.name in index for page in PAGES if page.name != "index.md")


def test_the_guide_names_every_native_estimator() -> None:
    from sweepless.selectors.native_linear import LINEAR
    from sweepless.selectors.native_rules import RECOGNIZED

    page = (ROOT / "docs" / "guide" / "native.md").read_text(encoding="utf-8")
    assert set(re.findall(r"^\| `(\w+)` \|", page, re.MULTILINE)) == {kind.__name__ for kind in RECOGNIZED | LINEAR}


def test_the_page_about_coverage_is_what_is_recognized() -> None:
    from coverage_page import page

    assert (ROOT / "docs" / "results" / "coverage.md").read_text(encoding="utf-8") == page()


def test_the_guide_names_every_score() -> None:
    from sweepless.criteria.scores.names import SCORES

    page = (ROOT / "docs" / "guide" / "native.md").read_text(encoding="utf-8")
    named = {*re.findall(r"`(\w+)`", page), *re.findall(r"\((\w+_score)\)", page)}
    averaged = {f"{name}{end}" for name in named for end in ("_micro", "_macro", "_weighted")}
    assert set(SCORES) <= named | averaged


def test_the_migration_tables_name_every_parameter() -> None:
    from sklearn.feature_selection import SequentialFeatureSelector

    page = (ROOT / "docs" / "guide" / "migrating.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`(\w+)", page))
    assert set(SequentialFeatureSelector(None).get_params(deep=False)) <= named
