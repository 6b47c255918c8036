"""The design pages say what the code cites: every decision, claim and golden run; and the places they name exist."""

from __future__ import annotations

import importlib
import re
from pathlib import Path

import pytest

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
    """List (file, name) for every place in the second column of the tables of a page; the name may be empty."""
    found = []
    for row in page.read_text(encoding="utf-8").splitlines():
        for place in re.findall(r"`([^`]+)`", row.split("|")[2] if row.startswith("| ") else ""):
            file, _, names = place.partition(" : ")
            if file.endswith(".py"):
                found += [(file, name.strip()) for name in names.split(",")]
    return found


@pytest.mark.parametrize(("file", "name"), [*places(PAPER_MAP), *places(DATA_WALK)])
def test_places_of_maps_exist(file: str, name: str) -> None:
    path = file.removesuffix(".py").removesuffix("/__init__")
    module = importlib.import_module("sweepless." + path.replace("/", "."))
    thing = module
    for part in filter(None, name.split(".")):
        thing = getattr(thing, part, None) or getattr(thing, "__dataclass_fields__", {}).get(part)
        assert thing is not None


@pytest.mark.parametrize("path", sorted(set(re.findall(r"`(tests/[^`]*)`", PAPER_MAP.read_text(encoding="utf-8")))))
def test_tests_of_the_paper_map_exist(path: str) -> None:
    assert (ROOT / path).exists()


@pytest.mark.parametrize("page", sorted((ROOT / "docs").glob("**/*.md")), ids=lambda page: page.name)
def test_files_that_a_page_names_exist(page: Path) -> None:
    named_files = set(re.findall(r"`([\w/]+\.py)\b", page.read_text(encoding="utf-8")))
    assert not [
        file for file in named_files if not ((ROOT / "src/sweepless" / file).exists() or (ROOT / file).exists())
    ]
