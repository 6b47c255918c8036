"""The site that `make docs` built: every link leads somewhere, nothing is fetched, and it works in a real browser.

`make test-docs` builds it first; without it these tests are skipped.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from functools import cache, partial
from html.parser import HTMLParser
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any
from urllib.parse import unquote, urlsplit

import pytest

from tests.promised import missing

SITE = Path(__file__).resolve().parents[2] / "build" / "docs"
BROWSER = "SWEEPLESS_REQUIRE_BROWSER"
TIMEOUT = 90_000  # milliseconds; machines that test are busy
SHOWN = [
    "index.html",
    "guide/getting-started.html",
    "gallery/index.html",
    "gallery/genes.html",
    "methods.html",
    "api.html",
]
SHOWN += ["reference/sweepless.SequentialSelector.html", "benchmarks.html", "compared.html", "changelog.html"]


@pytest.fixture(scope="module", autouse=True)
def _built() -> None:
    if not (SITE / "index.html").exists():
        missing("SWEEPLESS_REQUIRE_SITE", "the site is not built; `make docs` builds it")


class Links(HTMLParser):
    """What a page leads to, what it loads, and the places in it."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.links: set[str] = set()
        self.loaded: set[str] = set()
        self.places: set[str] = set()
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        self.places |= {value for key in ("id", "name") if (value := found.get(key))}
        if tag == "a" and found.get("href"):
            self.links.add(found["href"] or "")
        elif tag in ("script", "img", "source", "iframe") and found.get("src"):
            self.loaded.add(found["src"] or "")
        elif tag == "link" and found.get("rel") in ("stylesheet", "icon", "preload"):
            self.loaded.add(found.get("href") or "")


links_of = cache(Links)


def pages() -> list[Path]:
    return [path for path in SITE.rglob("*.html") if "_static" not in path.parts]  # the theme keeps templates there


def test_every_link_leads_somewhere() -> None:
    broken = []
    for page in pages():
        for link in links_of(page).links | links_of(page).loaded:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = (page.parent / unquote(parts.path)).resolve() if parts.path else page
            place = unquote(parts.fragment) if target.suffix == ".html" else ""
            if not target.exists() or (place and place not in links_of(target).places):
                broken.append(f"{page.relative_to(SITE)}: {link}")
    assert not broken


def test_nothing_is_loaded_from_elsewhere() -> None:
    assert not {link for page in pages() for link in links_of(page).loaded if urlsplit(link).netloc}


def test_no_page_shows_where_it_was_built() -> None:
    checkout = str(SITE.parents[1])
    assert not [page.name for page in pages() if checkout in page.read_text(encoding="utf-8")]


def test_every_example_made_a_picture() -> None:
    for script in (SITE.parents[1] / "examples").glob("*.py"):
        page = SITE / "gallery" / f"{script.stem}.html"
        assert script.stem == "demo" or any("images/" in link for link in links_of(page).loaded), script.stem


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, *args: object) -> None: ...

    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(SITE)))
    Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    playwright = pytest.importorskip("playwright.sync_api")
    found = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if found is None:
        missing(BROWSER, "there is no chromium")
    with playwright.sync_playwright() as engine:
        chromium = engine.chromium.launch(executable_path=found, args=["--headless", "--no-sandbox", "--disable-gpu"])
        yield chromium
        chromium.close()


class Visit:
    """An open page of the site, and all that went wrong on it."""

    def __init__(self, browser: Any, address: str, width: int = 1280) -> None:
        self.address, self.wrong = address, list[str]()
        self.context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme="light")
        self.page = self.context.new_page()
        self.page.set_default_timeout(TIMEOUT)
        self.page.on(
            "console", lambda said: self.wrong.append(said.text) if said.type in ("error", "warning") else None
        )
        self.page.on("pageerror", lambda error: self.wrong.append(str(error)))
        # What is still loading when the next page is opened is aborted, which is nobody's fault.
        self.page.on(
            "requestfailed",
            lambda request: None if "ABORTED" in (request.failure or "") else self.wrong.append(request.url),
        )
        self.page.on(
            "request", lambda one: None if one.url.startswith((address, "data:")) else self.wrong.append(one.url)
        )

    def open(self, path: str) -> Any:
        self.page.goto(self.address + path, wait_until="load")
        return self.page

    def __enter__(self) -> Visit:
        return self

    def __exit__(self, *_: object) -> None:
        self.context.close()


@pytest.mark.parametrize("width", [1280, 360])
def test_pages_are_whole_at_every_width(browser: Any, address: str, width: int) -> None:
    with Visit(browser, address, width) as visit:
        for path in SHOWN:
            page = visit.open(path)
            assert page.locator("h1").first.is_visible(), path
            assert page.evaluate("document.documentElement.scrollWidth") <= width, path
            drawn = page.evaluate("[...document.images].filter(i => i.complete && !i.naturalWidth).map(i => i.src)")
            assert not drawn, path
        assert not visit.wrong


def test_one_walks_from_the_first_page_to_an_example(browser: Any, address: str) -> None:
    with Visit(browser, address) as visit:
        page = visit.open("index.html")
        page.locator(".bd-header .nav-link", has_text="User guide").first.click()
        page.locator(".bd-sidebar-primary a", has_text="Which budget?").click()
        assert page.locator("h1").inner_text().startswith("Which budget?")
        page.locator(".bd-header .nav-link", has_text="API").first.click()
        page.locator("article a", has_text="SequentialSelector").first.click()
        assert "class sweepless.SequentialSelector" in page.locator("article").inner_text()
        assert not visit.wrong


def test_the_search_finds_names_and_words(browser: Any, address: str) -> None:
    with Visit(browser, address) as visit:
        for words, expected in (("SoftNeighbors", "SoftNeighbors"), ("oscillating", "Methods")):
            page = visit.open(f"search.html?q={words}")
            page.locator("#search-results li", has_text=expected).first.wait_for()
        assert not visit.wrong


def test_the_dark_is_dark_and_stays(browser: Any, address: str) -> None:
    def lightness(page: Any) -> float:
        color = page.evaluate("getComputedStyle(document.body).backgroundColor")
        return sum(float(part) for part in color[color.index("(") + 1 : -1].split(",")[:3]) / 3

    with Visit(browser, address) as visit:
        page = visit.open("index.html")
        assert lightness(page) > 200
        page.locator(".theme-switch-button:visible").first.click()
        page.get_by_text("Dark", exact=True).first.click()
        page.wait_for_function("document.documentElement.dataset.theme === 'dark'")
        assert lightness(page) < 60
        page = visit.open("methods.html")
        assert lightness(page) < 60
        assert not visit.wrong
