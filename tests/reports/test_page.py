"""The page of one run: complete, self-contained, and safe with any name."""

from __future__ import annotations

import re

import pytest

from sweepless import Dataset, run
from sweepless.criteria import FunctionCriterion
from sweepless.reports.search_page import render_search

pytest.importorskip("plotly", reason="pages need plotly")

NASTY = ["<script>alert(1)</script>", "a & b", '"quoted"', "plain"]


def page_of(**options: object) -> str:
    data = Dataset([[0.0, 1.0, 2.0, 3.0]] * 3, feature_names=NASTY, name="<b>data</b>")
    result = run("SFFS", FunctionCriterion(lambda members: 1.0 - 0.1 * abs(len(members) - 3)), data, **options)
    return render_search(
        result.to_dict(), result.trajectory(), data.name, data.feature_names, ["select", "--data", "x y"]
    )


def without_scripts(page: str) -> str:
    return re.sub(r"<script.*?</script>", "", page, flags=re.DOTALL)


def test_every_name_is_escaped() -> None:
    page = page_of()
    assert "<script>alert" not in page
    assert page.count("</script>") == 3  # the data, plotly and the page's own
    assert "&lt;script&gt;" in page
    assert "<b>data</b>" not in page
    assert "a &amp; b" in page


def test_every_size_and_both_charts_are_there() -> None:
    page = page_of()
    assert page.count('class="chart"') == 2
    rows = re.findall(r'<tr><td class="number">(?:<b>)?(\d+)', without_scripts(page))
    assert rows == ["1", "2", "3", "4"]
    assert "--data &#39;x y&#39;" in page


def test_the_chosen_subset_is_marked() -> None:
    assert re.findall(r'<tr><td class="number"><b>(\d+)</b>', page_of()) == ["3"]


def test_the_settings_are_said() -> None:
    assert "overshoot 5, patience 7, seed 0" in page_of(patience=7)


def test_nothing_is_fetched_from_anywhere() -> None:
    page = without_scripts(page_of())
    assert set(re.findall(r'(?:src|href)="([^"#]*)', page)) == {"", "data:,"}
    assert "http" not in page


def test_equal_runs_give_equal_pages() -> None:
    pages = [re.sub(r"<b>[0-9.]+ s</b>", "", page_of()) for _ in range(2)]
    assert pages[0] == pages[1]


def test_a_run_without_a_record_has_a_page_too() -> None:
    from sweepless.search import WarmUp

    data = Dataset([[0.0, 1.0, 2.0, 3.0]] * 3)
    criterion = FunctionCriterion(lambda members: float(len(members)))
    result = run("sSFFS", criterion, data, warm_up=WarmUp(9, 2), max_evaluations=3)
    assert result.best is None
    page = render_search(result.to_dict(), [], "data", None, [])
    assert "before it had recorded" in page
    assert len(page) < 50_000  # no chart, so no charting library
