"""Pages in a real browser: nothing fetched, nothing failing, nothing empty, and controls that do what they say."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from sweepless import make_madelon, run_trial
from sweepless.criteria import KNN
from sweepless.reports.records import Run
from sweepless.reports.run_page import render_runs
from sweepless.reports.run_statistics import Measure, arm_means
from sweepless.reports.run_tables import rows_csv
from sweepless.reports.rundir import read_run
from sweepless.reports.search_page import render_search
from sweepless.reports.table import written
from tests.promised import missing
from tests.reports.synthetic_run import ARMS, write_run

BROWSER = "SWEEPLESS_REQUIRE_BROWSER"
FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync"]
FLAGS += ["--disable-background-networking", "--disable-component-update"]
WIDTHS = {"desktop": 1280, "phone": 360}
TIMEOUT = 90_000  # milliseconds; machines that test are busy

PANEL = {
    "members": [
        {"name": "ridge", "scores": [0.7, 0.8, 0.81], "errors": [0.1, 0.02, 0.03], "n_splits": 6, "seconds": 2.0},
        {"name": "<neighbors>", "scores": [0.6, 0.7, None], "errors": [0.1, None, None], "n_splits": 3, "seconds": 3.0},
        {"name": "never searched", "scores": [None] * 3, "errors": [None] * 3, "n_splits": 0, "seconds": 0.0},
    ],
    "sizes": [1, 2, 5],
    "judges": ["linear", "trees"],
    "n_splits": 3,
    "n_evaluations": 1000,
    "chosen": "ridge",
    "best": "ridge",
    "size": 2,
    "reason": "ridge is the best, and the smoothest too.",
    "honest_score": 0.8,
    "honest_error": 0.02,
}


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """Debian's Chromium, with a fresh profile."""
    try:
        import plotly  # noqa: F401
        from playwright.sync_api import sync_playwright
    except ImportError as error:
        missing(BROWSER, f"{error.name} is not installed")
    found = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if found is None:
        missing(BROWSER, "there is no chromium")
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=found, args=FLAGS)
        yield chromium
        chromium.close()


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return read_run(write_run(tmp_path_factory.mktemp("browser") / "run"))


@pytest.fixture(scope="module")
def pages(run: Run, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The page of a run, of a run of many arms at one size, and of one search."""
    place = tmp_path_factory.mktemp("pages")
    many = [f"an arm with a rather long name, number {k}" for k in range(12)]
    one_size = read_run(write_run(place / "run", arms=many, sizes=[20], seeds=[1, 2, 3]))
    data = make_madelon(n_samples=60, n_features=30, seed=1)
    trial = run_trial("sSFFS", KNN(), data, max_size=8, budget=10, backward_budget=5)
    search = render_search(trial.to_dict(), trial.result.trajectory(), data.name, data.feature_names, ["select"])
    compared = trial.to_dict() | {"panel": PANEL}
    panel = render_search(compared, trial.result.trajectory(), data.name, data.feature_names, ["select"])
    texts = {"run": render_runs(run), "one size": render_runs([one_size, run]), "search": search, "panel": panel}
    files = {name: place / f"{name}.html" for name in texts}
    for name, text in texts.items():
        files[name].write_text(text, encoding="utf-8")
    return files


class Visit:
    """One open page, and all that went wrong on it."""

    def __init__(self, browser: Any, file: Path, device: str = "desktop") -> None:
        is_phone = device == "phone"
        size = {"width": WIDTHS[device], "height": 800}
        self.context = browser.new_context(viewport=size, is_mobile=is_phone, has_touch=is_phone)
        self.page = self.context.new_page()
        self.page.set_default_timeout(TIMEOUT)
        self.wrong: list[str] = []
        self.page.on("console", lambda message: self._note(message.type in ("error", "warning"), message.text))
        self.page.on("pageerror", lambda error: self._note(True, str(error)))
        self.page.on("request", lambda request: self._note(not request.url.startswith(_LOCAL), request.url))
        self.page.goto(file.as_uri())
        self.page.wait_for_function("document.documentElement.dataset.drawn")

    def _note(self, is_wrong: bool, text: str) -> None:
        if is_wrong:
            self.wrong.append(text)

    def __enter__(self) -> Visit:
        return self

    def __exit__(self, *_: object) -> None:
        self.context.close()

    def visible(self, chart: int, attribute: str = "arm") -> set[int]:
        """Return which arms, or seeds, a chart shows."""
        script = "([chart, key]) => document.getElementById(`chart-${chart}`).data"
        script += ".filter((t) => t.visible === true && !t.meta.band).map((t) => t.meta[key])"
        return set(self.page.evaluate(script, [chart, attribute]))


_LOCAL = ("file:", "data:", "blob:")


@pytest.mark.parametrize("device", WIDTHS)
@pytest.mark.parametrize("name", ["run", "one size", "search", "panel"])
def test_a_page_is_whole_at_every_width(browser: Any, pages: dict[str, Path], name: str, device: str) -> None:
    with Visit(browser, pages[name], device) as visit:
        page = visit.page
        charts = page.locator(".chart")
        assert charts.count() >= 2
        for k in range(charts.count()):
            chart = charts.nth(k)
            box = chart.bounding_box()
            assert box["height"] >= 200
            assert box["x"] + box["width"] <= WIDTHS[device]
            drawn = chart.locator(".scatterlayer path.js-line, .scatterlayer path.point, .barlayer path")
            assert drawn.count() > 0
            inside = chart.locator(".main-svg").first.bounding_box()
            assert abs(inside["width"] - box["width"]) < 2  # it filled its place
        assert page.evaluate("document.documentElement.scrollWidth") <= WIDTHS[device]
        assert visit.wrong == []


def test_an_arm_is_hidden_in_every_chart_and_shown_again(browser: Any, pages: dict[str, Path]) -> None:
    with Visit(browser, pages["run"]) as visit:
        button = visit.page.get_by_role("button", name=ARMS[1])
        button.click()
        assert button.get_attribute("aria-pressed") == "false"
        assert [visit.visible(chart) for chart in (0, 1, 2, 4, 5)] == [{0, 2}] * 5
        button.press("Space")
        assert [visit.visible(chart) for chart in (0, 1, 2, 4, 5)] == [{0, 1, 2}] * 5
        button.dblclick()
        assert visit.visible(0) == {1}
        visit.page.get_by_role("button", name="all", exact=True).click()
        assert visit.visible(0) == {0, 1, 2}
        assert visit.wrong == []


def test_a_legend_entry_hides_its_bars(browser: Any, pages: dict[str, Path]) -> None:
    with Visit(browser, pages["run"]) as visit:
        chart = visit.page.locator("#chart-3")
        chart.locator(".legendtoggle").nth(1).click()
        hidden = "document.getElementById('chart-3').data.filter((t) => t.visible === 'legendonly').map((t) => t.name)"
        visit.page.wait_for_function(f"{hidden}.length === 1")
        assert visit.page.evaluate(hidden) == ["forward"]
        assert visit.wrong == []


def test_bands_and_seeds_can_be_chosen(browser: Any, pages: dict[str, Path]) -> None:
    with Visit(browser, pages["run"]) as visit:
        count = "document.getElementById('chart-0').data.filter((t) => t.meta.band && t.visible === true).length"
        assert visit.page.evaluate(count) == 3
        visit.page.get_by_role("button", name="bands").click()
        assert visit.page.evaluate(count) == 0
        assert visit.visible(4, "seed") == {1}
        visit.page.get_by_label("trajectories of seed").select_option("3")
        assert visit.visible(4, "seed") == {3}
        assert visit.wrong == []


def test_a_tooltip_tells_the_means(browser: Any, pages: dict[str, Path], run: Run) -> None:
    with Visit(browser, pages["run"]) as visit:
        chart = visit.page.locator("#chart-0")
        chart.scroll_into_view_if_needed()
        box = chart.locator(".nsewdrag").first.bounding_box()
        visit.page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2, steps=3)
        tooltip = chart.locator(".hoverlayer .legend")
        tooltip.wait_for()
        shown = tooltip.text_content()
        size = int(re.match(r"(?:size )?(\d+)", shown)[1])  # type: ignore[index]
        for one in arm_means(run, Measure()):
            assert f"{one.arm} : {written(one.at(size), '.4f')} (n = 4)" in shown
        assert visit.wrong == []


def test_no_button_sends_the_chart_anywhere(browser: Any, pages: dict[str, Path]) -> None:
    with Visit(browser, pages["run"]) as visit:
        titles = "[...document.querySelectorAll('#chart-0 .modebar-btn')].map((button) => button.dataset.title)"
        shown = visit.page.evaluate(titles)
        assert shown[1:] == ["Zoom", "Pan", "Zoom in", "Zoom out", "Reset axes"]
        assert shown[0].startswith("Download plot")


def test_arrow_keys_read_a_chart(browser: Any, pages: dict[str, Path], run: Run) -> None:
    with Visit(browser, pages["run"]) as visit:
        chart = visit.page.locator("#chart-0")
        for _ in range(3):
            chart.press("ArrowRight")
        expected = written(arm_means(run, Measure())[0].at(3), ".4f")
        chart.locator(".hoverlayer .legend").filter(has_text=expected).wait_for()  # after a moment: hovering is damped
        assert visit.wrong == []


def test_the_rows_can_be_downloaded(browser: Any, pages: dict[str, Path], run: Run) -> None:
    with Visit(browser, pages["run"]) as visit:
        with visit.page.expect_download() as waiting:
            visit.page.get_by_role("link", name="All rows (CSV)").click()
        download = waiting.value
        assert download.suggested_filename == "synthetic-rows.csv"
        assert Path(download.path()).read_text(encoding="utf-8") == rows_csv([run])
        assert visit.wrong == []


def test_paper_gets_narrower_charts(browser: Any, pages: dict[str, Path]) -> None:
    with Visit(browser, pages["run"]) as visit:
        width = "document.querySelector('#chart-0 .main-svg').getBoundingClientRect().width"
        before = visit.page.evaluate(width)
        visit.page.evaluate("dispatchEvent(new Event('beforeprint'))")
        visit.page.wait_for_function(f"{width} === 680")
        visit.page.evaluate("dispatchEvent(new Event('afterprint'))")
        visit.page.wait_for_function(f"{width} === {before}")
        assert visit.wrong == []
