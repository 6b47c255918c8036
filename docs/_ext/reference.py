"""The API reference: a page for every name in the tables of `api.md`, and links to it wherever a page writes the name.

`api.md` lists the public names and a test holds it to the stubs, so the reference cannot forget one. A name whose
docstring has no example gets one from `snippets/`, and a name that the gallery uses leads there.
"""

from __future__ import annotations

import re
from importlib import import_module
from inspect import getattr_static, getdoc, isclass, isroutine
from pathlib import Path
from textwrap import indent
from types import FunctionType
from typing import Any

from docutils import nodes
from sphinx.addnodes import pending_xref
from sphinx.transforms import SphinxTransform

HERE = Path(__file__).parents[1]
PAGES = HERE / "reference"
EXAMPLES = sorted(path for path in (HERE.parent / "examples").glob("*.py") if path.stem != "demo")
SECTION = re.compile(r"^## `(sweepless[\w.]*)`\n(.*?)(?=^## |\Z)", re.DOTALL | re.MULTILINE)
ROW = re.compile(r"^\| (`.*?) \| (.*) \|$", re.MULTILINE)
SNIPPET = re.compile(r"^## `(\w+)`\n\n```pycon\n(.*?)^```$", re.DOTALL | re.MULTILINE)
ALSO_SCIKIT_LEARNS = {"GaussianNB", "MultinomialNB"}  # on most pages these names mean scikit-learn's


def public_names() -> dict[str, list[str]]:
    """Return the full names of what every namespace holds; what is also at the top is only there."""
    found: dict[str, list[str]] = {}
    seen: set[str] = set()
    for space, section in SECTION.findall((HERE / "api.md").read_text(encoding="utf-8")):
        names = [name for cell, _ in ROW.findall(section) for name in re.findall(r"`(\w+)`", cell)]
        found[space] = [f"{space}.{name}" for name in names if name not in seen]
        seen |= set(names)
    return found


def snippets(space: str) -> dict[str, str]:
    """Return the examples of a namespace that are not in docstrings, by name."""
    page = HERE / "snippets" / f"{space}.md"
    return dict(SNIPPET.findall(page.read_text(encoding="utf-8"))) if page.exists() else {}


def members_of(kind: type) -> list[str]:
    """Return the documented methods and properties of a class, without those that scikit-learn gives it."""
    ours = [base for base in kind.__mro__ if base.__module__.startswith("sweepless")]
    named = dict.fromkeys(name for base in ours for name in vars(base) if not name.startswith("_"))
    kinds = (property, classmethod, staticmethod, FunctionType)
    return [name for name in named if isinstance(getattr_static(kind, name), kinds) and getdoc(getattr(kind, name))]


def given_to(kind: type) -> list[str]:
    """Return the methods that a class has from scikit-learn."""
    theirs = [base for base in kind.__mro__ if base.__module__.startswith("sklearn")]
    named = {name for base in theirs for name, value in vars(base).items() if isinstance(value, FunctionType)}
    return sorted(name for name in named - set(members_of(kind)) if not name.startswith("_"))


def page_of(full: str) -> str:
    """Return the page of one name."""
    space, _, name = full.rpartition(".")
    thing = getattr(import_module(space), name)
    title = f"{name}\n{'=' * len(name)}\n\n"
    if isclass(thing):
        members = ", ".join(members_of(thing))
        body = f".. autoclass:: {name}\n" + (f"   :members: {members}\n" if members else "")
        if given := given_to(thing):
            body += f"\nFrom scikit-learn: {', '.join(f'``{one}``' for one in given)}.\n"
    elif isroutine(thing):
        body = f".. autofunction:: {name}\n"
    else:
        body = f".. autodata:: {name}\n   :no-value:\n"
    if example := snippets(space).get(name):
        body += f"\n.. rubric:: Examples\n\n.. code-block:: pycon\n\n{indent(example, '   ')}"
    if used := [path for path in EXAMPLES if re.search(rf"import .*\b{name}\b", path.read_text(encoding="utf-8"))]:
        body += "\n.. rubric:: In the gallery\n\n" + "".join(f"- :doc:`/gallery/{path.stem}`\n" for path in used)
    return f"{title}.. currentmodule:: {space}\n\n{body}"


def write(path: Path, text: str) -> None:
    """Write a file, but only if that changes it: what is older than its page is not read again."""
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")


def write_pages(app: Any) -> None:
    """Write the page of every name and of every namespace."""
    sections = dict(SECTION.findall((HERE / "api.md").read_text(encoding="utf-8")))
    wanted = set()
    for space, names in public_names().items():
        for full in names:
            write(PAGES / f"{full}.rst", page_of(full))
            wanted.add(f"{full}.rst")
        listed = "\n".join(names)
        section = sections[space].replace("](", "](../")
        write(PAGES / f"{space}.md", f"# `{space}`\n{section}\n\n```{{toctree}}\n:hidden:\n\n{listed}\n```\n")
        wanted.add(f"{space}.md")
    for path in PAGES.iterdir():
        if path.name not in wanted:
            path.unlink()


def list_spaces(app: Any, page: str, source: list[str]) -> None:
    """Put the namespaces behind `api.md`."""
    if page == "api":
        listed = "\n".join(f"reference/{space}" for space in public_names())
        source[0] += f"\n\n```{{toctree}}\n:hidden:\n\n{listed}\n```\n"


class LinkNames(SphinxTransform):
    """Make public names in inline code lead to their pages."""

    default_priority = 500

    def apply(self, **kwargs: Any) -> None:
        known = {full.rpartition(".")[2]: full for names in public_names().values() for full in names}
        here = self.env.docname
        for literal in list(self.document.findall(nodes.literal)):
            name = literal.astext().removesuffix("()")
            in_table_of_names = here == "api" or here.startswith("reference/")
            plain = name.islower() and "_" not in name  # `run` may mean anything
            if name not in known or (not in_table_of_names and (plain or name in ALSO_SCIKIT_LEARNS)):
                continue
            if isinstance(literal.parent, nodes.reference | nodes.title | pending_xref) or here.endswith(known[name]):
                continue
            link = pending_xref(
                "", refdomain="py", reftype="obj", reftarget=known[name], refexplicit=False, refwarn=True, refdoc=here
            )
            literal.replace_self(link)
            link += literal


def setup(app: Any) -> dict[str, bool]:
    app.connect("builder-inited", write_pages)
    app.connect("source-read", list_spaces)
    app.add_transform(LinkNames)
    return {"parallel_read_safe": True}
