"""The page of runs: complete, self-contained, and safe with any name."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

import pytest

from sweepless.errors import SweeplessError
from sweepless.reports.claims import Claim
from sweepless.reports.run_page import render_runs
from sweepless.reports.rundir import read_run
from tests.reports.synthetic_run import write_run

pytest.importorskip("plotly", reason="pages need plotly")

NASTY = "</script><script>alert(1)</script><b>&amp;\u2028"


def parts_of(page: str) -> tuple[str, dict[str, Any]]:
    """Return the page without its scripts, and the data embedded in it."""
    found = re.search(r'<script type="application/json" id="page-data">(.*?)</script>', page, re.DOTALL)
    assert found is not None
    return re.sub(r"<script.*?</script>", "", page, flags=re.DOTALL), json.loads(found[1])


def test_a_nasty_name_stays_a_name(tmp_path: Path) -> None:
    names = [f"{NASTY}{k}" for k in range(60)]
    run = read_run(write_run(tmp_path / "run", arms=[NASTY, "plain"], names=names, title=NASTY))
    page = render_runs(run, claims=[Claim(NASTY, NASTY, NASTY, NASTY, NASTY, "equal", NASTY)])
    assert "<script>alert" not in page
    assert page.count("</script>") == 3  # the data, plotly and the page's own: no name closed one
    body, data = parts_of(page)
    assert "<b>&" not in body
    assert "&lt;script&gt;alert(1)" in body
    assert f"{NASTY}7" in data["files"]["file-1"]  # as it is, in the file to download
    traces = [trace for chart in data["charts"].values() for trace in chart["data"]]
    assert not any("<script" in trace.get("name", "") for trace in traces)


def test_embedded_data_cannot_end_their_script(tmp_path: Path) -> None:
    page = render_runs(read_run(write_run(tmp_path / "run", arms=[NASTY, "plain"], title=NASTY)))
    found = re.search(r'id="page-data">(.*?)</script>', page, re.DOTALL)
    assert found is not None
    assert not set("<>&\u2028\u2029") & set(found[1])
    assert NASTY in json.loads(found[1])["files"]["file-0"]


def test_nothing_is_fetched(tmp_path: Path) -> None:
    body, _ = parts_of(render_runs(read_run(write_run(tmp_path / "run"))))
    assert set(re.findall(r'(?:src|href)="([^"#]*)', body)) == {"", "data:,"}
    assert "http" not in body
    assert "@import" not in body
    assert "url(" not in body


def test_the_page_holds_all_parts(tmp_path: Path) -> None:
    run = read_run(write_run(tmp_path / "run"))
    body, data = parts_of(render_runs(run, claims=[Claim("C51", "J", 1.0, 1.0, 0.0, "equal")]))
    assert body.index("C51") < body.index("arms × seeds") < body.index(">What was run</h2>")
    for heading in ("Every size", "Paired tests", "Cost", "Stability", "Features", "Data and command"):
        assert f">{heading}</h2>" in body
    assert "sweepless run &#39;my spec.toml&#39; --n-jobs 2" in body
    assert "0123456789abcdef" in body
    assert [chart.split(" at ")[0] for chart in re.findall(r"<figure><h3>(.*?)</h3>", body)] == [
        "Criterion value",
        "Holdout, knn",
        "Holdout, svm",
        "What the evaluations were spent on",
        "Size of the working subset",
        "Stability",
    ]
    rows = data["files"]["file-0"].splitlines()
    assert rows[0] == "run,arm,seed,size,value,holdout_knn,holdout_svm,n_evaluations,sum_of_sizes"
    assert len(rows) == 1 + 3 * 4 * 30
    cell = run.cells[0]
    assert rows[1].split(",")[4] == repr(cell.rows[0].value)


def test_arms_have_one_colour_everywhere(tmp_path: Path) -> None:
    body, data = parts_of(render_runs(read_run(write_run(tmp_path / "run"))))
    colors: dict[int, set[str]] = {}
    for chart in data["charts"].values():
        for trace in chart["data"]:
            if "meta" in trace and "band" not in trace["meta"]:
                colors.setdefault(trace["meta"]["arm"], set()).add(trace["line"]["color"])
    assert sorted(colors) == [0, 1, 2]
    for arm, found in colors.items():
        assert f".arm-{arm}{{--color:{found.pop()}}}" in body
        assert not found
    assert len(set(re.findall(r"--color:(#\w+)", body))) == 3


def test_several_runs_share_a_page(tmp_path: Path) -> None:
    runs = [read_run(write_run(tmp_path / name, title=name, seeds=[1])) for name in ("one", "two")]
    body, data = parts_of(render_runs(runs, title="Both"))
    assert "<h1>Both</h1>" in body
    assert body.count('class="controls"') == 2
    assert len(re.findall(r'id="([^"]+)"', body)) == len(set(re.findall(r'id="([^"]+)"', body)))
    assert set(data["charts"]) == {f"chart-{k}" for k in range(10)}  # one seed: nothing on stability


@pytest.mark.parametrize(
    "options",
    [
        {"seeds": [1]},
        {"arms": ["SFFS"]},
        {"arms": ["SFFS"], "seeds": [1], "sizes": [20], "classifiers": []},
        {"sizes": [20]},
        {"seeds": [1, 2], "planned_seeds": range(1, 11)},
        {"seeds": [], "planned_seeds": [1, 2]},
        {"arms": [f"arm {k}" for k in range(14)], "sizes": [2, 5], "seeds": [1, 2], "n_steps": 5},
    ],
    ids=["one seed", "one arm", "one row", "one size", "unfinished", "nothing yet", "many arms"],
)
def test_small_and_unfinished_runs_have_a_page(tmp_path: Path, options: dict[str, Any]) -> None:
    run = read_run(write_run(tmp_path / "run", **options))
    body, data = parts_of(render_runs(run))
    assert "nan" not in body
    assert bool(data["charts"]) == bool(run.cells)
    for chart in data["charts"].values():
        assert chart["data"]
    if run.n_missing:
        assert f"{run.n_missing} missing" in body or "No cell of this run is finished yet" in body


@pytest.mark.parametrize(("module", "package"), [("plotly.offline", "plotly"), ("jinja2", "jinja2")])
def test_without_a_package_the_page_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, module: str, package: str
) -> None:
    run = read_run(write_run(tmp_path / "run", seeds=[1]))
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(SweeplessError, match=rf"a page needs {package}; install sweepless\[reports\]"):
        render_runs(run)


def test_equal_runs_give_equal_pages(tmp_path: Path) -> None:
    pages = [render_runs(read_run(write_run(tmp_path / name / "run"))) for name in ("a", "b")]
    assert pages[0] == pages[1]
