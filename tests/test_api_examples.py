"""Every public name has an example, in its docstring or in `docs/snippets`, and all of them are true."""

from __future__ import annotations

import doctest
import re
from inspect import isclass, isroutine
from pathlib import Path

import pytest

from tests.test_public_names import SPACES, public

pyplot = pytest.importorskip("matplotlib.pyplot")
pyplot.switch_backend("Agg")

SNIPPETS = Path(__file__).resolve().parents[1] / "docs" / "snippets"
SNIPPET = re.compile(r"^## `(\w+)`\n\n```pycon\n(.*?)^```$", re.DOTALL | re.MULTILINE)
NAMES = [
    (space, name)
    for space in SPACES
    for name in public(space)
    if not (space.endswith(".data") and name in public("sweepless"))
]


def snippets(space: str) -> dict[str, str]:
    page = SNIPPETS / f"{space}.md"
    return dict(SNIPPET.findall(page.read_text(encoding="utf-8"))) if page.exists() else {}


@pytest.mark.parametrize(("space", "name"), NAMES)
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_the_example_is_true(space: str, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    thing = public(space)[name]
    found = doctest.DocTestFinder(recurse=False).find(thing, name) if isclass(thing) or isroutine(thing) else []
    if text := snippets(space).get(name):
        found.append(doctest.DocTestParser().get_doctest(text, {}, name, f"{space}.md", 0))
    [example] = [test for test in found if test.examples]  # one place, not two
    assert doctest.DocTestRunner().run(example).failed == 0
    pyplot.close("all")


def test_no_snippet_is_left_behind() -> None:
    for page in SNIPPETS.iterdir():
        assert set(snippets(page.stem)) <= set(public(page.stem)), page.name
