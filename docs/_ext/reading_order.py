"""The order of the pages, and links that lead out of `docs/`.

The pages are plain Markdown that a code host shows as well, so nothing in them is for Sphinx. The order of a section is
that of the links on its first page, lists first, and a link to a file of the project leads to the page that shows it.
"""

from __future__ import annotations

import os
import re
from pathlib import Path, PurePosixPath
from typing import Any

ROOT = Path(__file__).parents[2]
LINK = re.compile(r"(\]\()([^)#:\s]+)(#[^)\s]*)?(\))")

# First page of a section: where its order is written, and which of the pages named there belong to it.
SECTIONS = {
    "guide/index": ("docs/guide/index.md", r"guide/|criteria$"),
    "paper": ("docs/paper.md", r"results/|paper-map$"),
    "benchmarks": ("docs/results/index.md", r"results/"),
    "design/index": ("docs/design/index.md", r"design/|contributing$|conduct$|security$"),
}
# Files that are shown by a page of another name.
SHOWN = {
    "docs/results/index.md": "docs/benchmarks.md",
    "CHANGELOG.md": "docs/changelog.md",
    "CODE_OF_CONDUCT.md": "docs/conduct.md",
    "CONTRIBUTING.md": "docs/contributing.md",
    "SECURITY.md": "docs/security.md",
}


def target(base: str, link: str) -> str:
    """Return the file of the project that shows what a link on a page of the directory `base` names."""
    path = os.path.normpath(PurePosixPath(base, link)).replace(os.sep, "/")
    example = re.fullmatch(r"examples/(\w+)\.py", path)
    return f"docs/gallery/{example[1]}.rst" if example else SHOWN.get(path, path)


def redirected(text: str, base: str, page: str) -> str:
    """Return a text whose links, relative to `base`, lead from the page to where things are on the site."""

    def to(found: re.Match[str]) -> str:
        path = os.path.relpath(target(base, found[2]), PurePosixPath("docs", page).parent)
        return f"{found[1]}{path.replace(os.sep, '/')}{found[3] or ''}{found[4]}"

    return LINK.sub(to, text)


def orders() -> dict[str, list[str]]:
    """Return the pages of every section in order; a page belongs to the first section that claims it."""
    found: dict[str, list[str]] = {}
    for section, (file, pattern) in SECTIONS.items():
        text = (ROOT / file).read_text(encoding="utf-8")
        lists = "\n".join(re.findall(r"^(?:- |\d+\. |  ).*", text, re.MULTILINE))  # what they do not name comes last
        links = [link for _, link, _, _ in LINK.findall(f"{lists}\n{text}")]
        named = [target(str(PurePosixPath(file).parent), link) for link in links]
        pages = [path.removeprefix("docs/").removesuffix(".md") for path in named if path.endswith(".md")]
        taken = {*SECTIONS, *(page for others in found.values() for page in others)}
        found[section] = [page for page in dict.fromkeys(pages) if re.match(pattern, page) and page not in taken]
    return found


def read_page(app: Any, page: str, source: list[str]) -> None:
    """Redirect the links of a page, and put the contents of its section behind it."""
    if not str(app.env.doc2path(page)).endswith(".md"):
        return
    source[0] = redirected(source[0], str(PurePosixPath("docs", page).parent), page)
    if pages := orders().get(page):
        listed = "\n".join(f"/{name}" for name in pages)
        source[0] += f"\n\n```{{toctree}}\n:hidden:\n\n{listed}\n```\n"


def read_included(app: Any, path: Path, page: str, source: list[str]) -> None:
    """Redirect the links of a file that is included in a page."""
    base = (ROOT / "docs" / path).resolve().relative_to(ROOT).parent.as_posix()  # the path is relative to docs/
    source[0] = redirected(source[0], base, page)


def setup(app: Any) -> dict[str, bool]:
    app.connect("source-read", read_page)
    app.connect("include-read", read_included)
    return {"parallel_read_safe": True}
