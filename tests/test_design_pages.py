"""The design pages say what the code cites: every decision, claim and golden run; and the places they name exist."""

from __future__ import annotations

import importlib
import inspect
import re
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from types import FrameType

import numpy as np
import pytest
from sklearn.neighbors import KNeighborsClassifier

import sweepless
from sweepless.cli import main

ROOT = Path(__file__).parents[1]
CODE = re.compile(r"\b[ACG]\d{1,3}\b")
RANGE = re.compile(r"\b([ACG])(\d{1,3})(?:[–-]| to )\1?(\d{1,3})\b")
SEMANTICS = ROOT / "docs/design/semantics.md"
PAPER_MAP = ROOT / "docs/paper-map.md"
DATA_WALK = ROOT / "docs/design/data-walk.md"


def named(text: str) -> set[str]:
    """List codes, also those inside a range."""
    found = set(CODE.findall(text))
    for kind, first, last in RANGE.findall(text):
        found.update(f"{kind}{number}" for number in range(int(first), int(last) + 1))
    return found


def explained() -> set[str]:
    rows = SEMANTICS.read_text(encoding="utf-8").splitlines()
    return set().union(*(named(row.split("|")[1]) for row in rows if row.startswith("|")))


def citing_files() -> list[Path]:
    patterns = ("src/**/*.py", "tests/**/*.py", "docs/**/*.md", "campaigns/*.toml", "README.md", "CHANGELOG.md")
    return [path for pattern in patterns for path in ROOT.glob(pattern) if path not in (SEMANTICS, Path(__file__))]


def test_every_cited_code_is_explained() -> None:
    known = explained()
    unknown = {
        f"{path.relative_to(ROOT)}: {code}"
        for path in citing_files()
        for code in named(path.read_text(encoding="utf-8")) - known
    }
    assert not unknown


def test_no_citation_leads_out_of_the_project() -> None:
    assert not [path for path in citing_files() if re.search(r"\bMETHOD \d", path.read_text(encoding="utf-8"))]


def places(page: Path) -> list[tuple[str, str]]:
    return places_in(page.read_text(encoding="utf-8"))


def places_in(text: str) -> list[tuple[str, str]]:
    """List (file, name) for every place in the second column of tables; the name may be empty."""
    found = []
    for row in text.splitlines():
        for place in re.findall(r"`([^`]+)`", row.split("|")[2] if row.startswith("| ") else ""):
            file, _, names = place.partition(" : ")
            if file.endswith(".py"):
                found += [(file, name.strip()) for name in names.split(",")]
    return found


def at(file: str, name: str) -> object:
    """Return what is at a place; None if there is nothing."""
    path = file.removesuffix(".py").removesuffix("/__init__")
    thing: object = importlib.import_module("sweepless." + path.replace("/", "."))
    for part in filter(None, name.split(".")):
        thing = getattr(thing, part, None) or getattr(thing, "__dataclass_fields__", {}).get(part)
    return thing


@pytest.mark.parametrize(("file", "name"), [*places(PAPER_MAP), *places(DATA_WALK)])
def test_places_of_maps_exist(file: str, name: str) -> None:
    assert at(file, name) is not None


def fit() -> None:
    X = np.random.default_rng(0).normal(size=(30, 8))
    sweepless.SequentialSelector(KNeighborsClassifier(1), max_size=3, random_state=0).fit(X, X[:, 0] > 0)


def fit_without_estimator() -> None:
    X = np.random.default_rng(0).normal(size=(30, 8))
    sweepless.SequentialSelector(max_size=2, random_state=0).fit(X, X[:, 0] > 0)


def select() -> None:
    assert main(["select", "--data", "make_madelon", "--criterion", "knn", "--target", "2", "--quiet"]) == 0


SHARED, PANEL = "## From a plan", "## `SequentialSelector()`"


@pytest.mark.parametrize(
    ("walk", "titles"),
    [
        (fit, [SHARED, "## `SequentialSelector(estimator)"]),
        (fit_without_estimator, [PANEL]),
        (select, [SHARED, "## `sweepless select`"]),
    ],
    ids=["fit", "fit without estimator", "select"],
)
def test_each_hop_happens_once(walk: Callable[[], None], titles: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    page = DATA_WALK.read_text(encoding="utf-8")
    parts = [page[page.index(title) :].split("\n## ")[0].split("\n`")[0] for title in titles]
    hops = {place for place in places_in("".join(parts)) if inspect.isfunction(at(*place))}
    codes = {inspect.unwrap(at(*hop)).__code__: hop for hop in hops}  # type: ignore[arg-type, attr-defined]
    calls: Counter[tuple[str, str]] = Counter()

    def count(frame: FrameType, event: str, argument: object) -> None:
        if event == "call" and frame.f_code in codes:
            calls[codes[frame.f_code]] += 1

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        walk()
    finally:
        sys.setprofile(before)
    hops.discard(("reports/search_page.py", "render_search"))  # only where a page is asked for
    assert calls == dict.fromkeys(hops, 1)


@pytest.mark.parametrize("path", sorted(set(re.findall(r"`(tests/[^`]*)`", PAPER_MAP.read_text(encoding="utf-8")))))
def test_tests_of_the_paper_map_exist(path: str) -> None:
    assert (ROOT / path).exists()


@pytest.mark.parametrize("page", sorted((ROOT / "docs").glob("**/*.md")), ids=lambda page: page.name)
def test_files_that_a_page_names_exist(page: Path) -> None:
    named_files = set(re.findall(r"`([\w/]+\.py)\b", page.read_text(encoding="utf-8")))
    assert not [
        file for file in named_files if not ((ROOT / "src/sweepless" / file).exists() or (ROOT / file).exists())
    ]
