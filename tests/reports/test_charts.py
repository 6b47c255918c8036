"""One description of a chart, two libraries: pages and files show the same numbers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sweepless.reports.chart import Chart, Series
from sweepless.reports.plotly_figure import plotly_figure
from sweepless.reports.run_charts import run_charts
from sweepless.reports.rundir import read_run
from tests.reports.synthetic_run import write_run

matplotlib = pytest.importorskip("matplotlib", reason="figures need matplotlib")


def drawn(chart: Chart) -> Any:
    """Return the axes into which a chart was drawn."""
    from matplotlib.figure import Figure

    from sweepless.reports.figures import draw

    ax = Figure().subplots()
    draw(chart, ax)
    return ax


@pytest.mark.parametrize("sizes", [range(1, 31), [20]], ids=["all sizes", "one size"])
def test_pages_and_files_draw_the_same(tmp_path: Path, sizes: range) -> None:
    charts = dict(run_charts(read_run(write_run(tmp_path / "run", sizes=sizes))))
    assert {"value", "holdout-knn", "holdout-svm", "anatomy", "trajectory"} <= set(charts)
    assert ("stability" in charts) == (len(sizes) > 1)
    for name, chart in charts.items():
        ax = drawn(chart)
        shown = [one for one in plotly_figure(chart)["data"] if one.get("visible", True) and "fill" not in one]
        if name == "anatomy":
            page = [one["x"] for one in shown]
            file = [[bar.get_width() for bar in bars] for bars in ax.containers]
        else:
            page = [[*one["x"], *one["y"]] for one in shown]
            file = [[*line.get_xdata(), *line.get_ydata()] for line in ax.lines]
        assert len(page) == len(file) >= 3
        for there, here in zip(page, file, strict=True):
            assert np.allclose(there, here, atol=1e-6)


LINE = Series("line", "$a_b", [1, 2], [0.5, 0.7], "#2563a8", [0.4, 0.6], [0.6, 0.8], arm=0, seed=3)


def test_a_band_lies_between_low_and_high() -> None:
    chart = Chart("title", [LINE], "x", "y", is_by_size=True)
    band, line = plotly_figure(chart)["data"]
    assert (band["x"], band["y"]) == ([1, 2, 2, 1], [0.6, 0.8, 0.6, 0.4])
    assert band["meta"] == {"arm": 0, "band": True} and line["meta"] == {"arm": 0, "seed": 3}
    (filled,) = drawn(chart).collections
    corners = {tuple(corner) for corner in filled.get_paths()[0].vertices.round(6).tolist()}
    assert corners == {(1, 0.4), (2, 0.6), (2, 0.8), (1, 0.6)}


def test_a_level_is_no_arm_and_crosses_the_chart() -> None:
    level = Series("level", "all features", [1, 2], [0.65, 0.65], "#5a6572")
    chart = Chart("title", [LINE, level], "x", "y", "A note.", "A hint.")
    assert plotly_figure(chart)["data"][-1]["meta"] == {"reference": True}
    ax = drawn(chart)
    assert list(ax.lines[-1].get_ydata()) == [0.65, 0.65]
    assert [text.get_text() for text in ax.figure.legends[0].get_texts()] == [r"\$a_b", "all features"]
    assert ax.get_title(loc="left") == "title, seed 3"
    assert "A note." in ax.get_xlabel() and "A hint." not in ax.get_xlabel()


def test_names_are_no_markup() -> None:
    chart = Chart(
        "title", [Series("points", "<b>x</b>", [1], [0], "#2563a8", size=9)], "x", "", rows=[("<i>", "#2563a8")]
    )
    figure = plotly_figure(chart)
    assert figure["data"][0]["name"] == "&lt;b&gt;x&lt;/b&gt;"
    assert figure["layout"]["annotations"][0]["text"].endswith("&lt;i&gt;")
