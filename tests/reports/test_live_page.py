"""The page of `sweepless watch --serve` in a real browser.

Skipped where there is none; with SWEEPLESS_REQUIRE_BROWSER=1 that is a failure instead.
"""

from __future__ import annotations

import json
import shutil

import pytest

from sweepless.journal.lines import as_line
from sweepless.schema.journal import FORMAT
from tests.live_runs import going_on, served
from tests.promised import missing

FLAGS = [
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync"),
    *("--disable-background-networking", "--disable-component-update"),
    "--host-resolver-rules=MAP evil.example 127.0.0.1",
]
BROWSER = "SWEEPLESS_REQUIRE_BROWSER"
PATIENCE = 40_000  # milliseconds, for a busy machine


def until(page, condition):
    """Wait from outside: the page's own policy forbids to evaluate text in it."""
    for _ in range(PATIENCE // 100):
        if condition():
            return
        page.wait_for_timeout(100)
    raise AssertionError("it did not happen in time")


@pytest.fixture(scope="module")
def browser():
    try:
        import starlette  # noqa: F401
        import uvicorn  # noqa: F401
        from playwright.sync_api import Error, sync_playwright
    except ImportError as error:
        missing(BROWSER, f"{error.name} is not installed")
    program = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    with sync_playwright() as playwright:
        try:  # without a program of the system, playwright's own, if that was installed
            opened = playwright.chromium.launch(executable_path=program, args=FLAGS)
        except Error as error:
            missing(BROWSER, f"no browser could be started: {str(error).splitlines()[0]}")
        yield opened
        opened.close()


@pytest.fixture
def page(browser):
    """A page, and what its console said."""
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    opened, said = context.new_page(), []
    opened.on("console", lambda message: said.append(message.text))
    opened.on("pageerror", lambda error: said.append(str(error)))
    yield opened, said
    context.close()


def number(page, name):
    text = page.text_content(f"#{name}").replace(",", "")
    return float(text) if text != "–" else None


def test_numbers_change_while_a_run_goes_on(page, tmp_path):
    path = tmp_path / "run.jsonl"
    opened, said = page
    with served(path) as url:
        opened.goto(url)
        until(opened, lambda: opened.text_content("#doing").startswith("waiting"))
        with going_on(path, 0.02):
            opened.wait_for_selector("#curve path.curve", timeout=PATIENCE)
            assert opened.get_attribute("#status", "data-state") == "running"
            before, curve = number(opened, "evaluations"), opened.get_attribute("#curve path.curve", "d")
            until(opened, lambda: number(opened, "evaluations") > before)
            until(opened, lambda: opened.get_attribute("#curve path.curve", "d") != curve)
            opened.wait_for_selector("[data-state=ended]", timeout=PATIENCE)
        records = [json.loads(line) for line in path.read_text().splitlines()]
        end = records[-1]
        assert number(opened, "evaluations") == end["n_evaluations"]
        assert number(opened, "best-value") == pytest.approx(end["best_value"], rel=1e-5)
        assert opened.text_content("#method") == "SFFS"
        assert opened.text_content("#doing") == "ended: the target size was reached"
        assert opened.locator("#rows tr").count() >= 8
        assert said == []
    opened.wait_for_selector("[data-state=failed]", timeout=PATIENCE)  # the server is gone, and the page says so


def test_the_curve_can_be_explored(page, tmp_path, journal):
    opened, said = page
    with served(journal) as url:
        opened.goto(url)
        opened.wait_for_selector("#curve path.curve", timeout=PATIENCE)
        opened.hover("#curve", position={"x": 400, "y": 90})
        assert "feature" in opened.text_content("#curve .tip-text")
        opened.focus("#path")
        opened.keyboard.press("ArrowRight")
        first = opened.text_content("#path .tip-text")
        opened.keyboard.press("ArrowRight")
        assert first.startswith("after ") and opened.text_content("#path .tip-text") != first
        assert said == []


@pytest.mark.parametrize("width", [360, 1280])
def test_it_fits_a_phone_and_a_desk(width, browser, journal):
    with served(journal) as url:
        for scheme in ("light", "dark"):
            context = browser.new_context(viewport={"width": width, "height": 800}, color_scheme=scheme)
            opened = context.new_page()
            opened.goto(url)
            opened.wait_for_selector("#curve path.curve", timeout=PATIENCE)
            assert opened.evaluate("document.documentElement.scrollWidth") == width
            context.close()


def test_names_are_words_not_markup(page, tmp_path):
    path = tmp_path / "run.jsonl"
    name = "<img src=x onerror=alert(1)><b>bold</b>"
    header = {
        "format": FORMAT,
        "settings": {"method": name, "target": None, "seed": 5},
        "direction": "ADD",
        "criterion": {"is": "<script>document.title='owned'</script>"},
        "data": {"kind": "dense", "shape": [10, 20], "dtype": "float64", "X": "0", "y": None},
        "limits": {},
        "versions": {},
    }
    path.write_bytes(as_line(0, "header", header))
    opened, said = page
    with served(path) as url:
        opened.goto(url)
        until(opened, lambda: opened.text_content("#method") != "sweepless")
        assert opened.text_content("#method") == name
        assert opened.locator("h1 *").count() == 0 and opened.locator("img").count() == 0
        assert opened.title() == name and said == []


def test_foreign_scripts_do_not_run(page, journal):
    opened, _ = page
    with served(journal) as url:
        opened.goto(url)
        opened.wait_for_selector("#curve path.curve", timeout=PATIENCE)
        opened.evaluate(
            "document.body.append(Object.assign(document.createElement('script'), {textContent: 'window.owned = 1'}))"
        )
        assert opened.evaluate("window.owned") is None
        answer = opened.evaluate("fetch('/state.json', {method: 'POST'}).then((answer) => answer.status)")
        assert answer == 405


def test_a_foreign_name_for_this_machine_is_refused(page, journal):
    """As in DNS rebinding: a name of somebody else is made to point here, so that its pages could read from here."""
    opened, _ = page
    with served(journal) as url:
        answer = opened.goto(url.replace("127.0.0.1", "evil.example"))
        assert answer.status == 421 and "SFFS" not in opened.content()
        assert opened.goto(url.replace("127.0.0.1", "localhost")).status == 200


@pytest.fixture(scope="module")
def journal(tmp_path_factory):
    import numpy as np

    from sweepless import Dataset, Journal, run
    from sweepless.criteria import FunctionCriterion

    path = tmp_path_factory.mktemp("live") / "run.jsonl"
    data = Dataset(np.eye(12), [0, 1] * 6)
    run("SFFS", FunctionCriterion(lambda m: float(np.sin(m).sum())), data, target=8, journal=Journal(path))
    return path
