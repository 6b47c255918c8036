"""The public names: few at the top, each in one place and on one page, typed, and imported only when they are used."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator
from importlib import import_module
from inspect import isclass, ismodule
from pathlib import Path

import pytest

import sweepless

ROOT = Path(__file__).resolve().parents[1]
API = (ROOT / "docs" / "api.md").read_text(encoding="utf-8")
SECTIONS = re.findall(r"^## `(sweepless[\w.]*)`\n(.*?)(?=^## |\Z)", API, re.DOTALL | re.MULTILINE)
SPACES = [space for space, _ in SECTIONS]
BLOCKS = re.compile(r"^```python\n(.*?)^```", re.DOTALL | re.MULTILINE)
SHOWN = [ROOT / "README.md", *sorted(ROOT.glob("docs/**/*.md")), *sorted(ROOT.glob("examples/*.py"))]


def public(space: str) -> dict[str, object]:
    """Return the public names of a namespace, without the namespaces inside it."""
    module = import_module(space)
    if hasattr(module, "__all__"):
        found = {name: getattr(module, name) for name in module.__all__}
    else:
        found = {name: value for name, value in vars(module).items() if isclass(value) and value.__module__ == space}
    return {name: value for name, value in found.items() if not ismodule(value)}


def test_the_top_is_small() -> None:
    assert len(sweepless.__all__) <= 40
    assert set(sweepless.__all__) - set(public("sweepless")) == {
        space.split(".")[1] for space in SPACES if space != "sweepless"
    }


def test_no_name_of_scikit_learn_is_at_the_top() -> None:
    from sklearn.utils.discovery import all_estimators

    assert not {name for name, _ in all_estimators()} & set(sweepless.__all__)


@pytest.mark.parametrize(("space", "section"), SECTIONS, ids=SPACES)
def test_the_page_lists_what_is_public(space: str, section: str) -> None:
    rows = re.findall(r"^\| (`.*?) \| (.*) \|$", section, re.MULTILINE)
    listed = [name for names, _ in rows for name in re.findall(r"`(\w+)`", names)]
    assert sorted(listed) == sorted(public(space))
    assert all(re.match(r"[A-Z−].*\.($| \[)", sentence) for _, sentence in rows)


def test_the_page_links_to_what_is_there() -> None:
    for target in re.findall(r"\]\(([^)#]+)\)", API):
        assert (ROOT / "docs" / target).exists(), target


def test_a_name_means_one_thing() -> None:
    places = defaultdict(list)
    for space in SPACES:
        for name, value in public(space).items():
            places[name].append((space, value))
    for name, found in places.items():
        assert len(found) == 1 or {space for space, _ in found} == {"sweepless", "sweepless.data"}, name
        assert all(value is found[0][1] for _, value in found), name


@pytest.mark.parametrize("space", SPACES)
def test_no_module_hides_a_name(space: str) -> None:
    """An imported module becomes an attribute of its package: a public name called like it would be gone."""
    paths = getattr(import_module(space), "__path__", [])
    modules = {path.stem for folder in paths for path in Path(folder).iterdir()}
    assert not modules & set(public(space))


def imported(code: str) -> Iterator[tuple[str, str]]:
    """Yield (module, name) for everything of ours that some code imports, or takes from `sw`."""
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "sweepless":
            yield from ((node.module or "", alias.name) for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from ((alias.name, "") for alias in node.names if alias.name.split(".")[0] == "sweepless")
        elif isinstance(node, ast.Attribute) and ast.unparse(node.value) in ("sw", "sweepless"):
            yield "sweepless", node.attr


@pytest.mark.parametrize("path", SHOWN, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_what_is_shown_is_public(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    for code in [text] if path.suffix == ".py" else BLOCKS.findall(text):
        for module, name in imported(code):
            assert module in SPACES, f"{path.name} imports from {module}"
            assert not name or name in public(module) or f"{module}.{name}" in SPACES, f"{module}.{name}"


def test_unknown_names_are_refused() -> None:
    with pytest.raises(AttributeError, match="module 'sweepless' has no attribute 'GaussianNB'"):
        _ = sweepless.GaussianNB  # type: ignore[attr-defined]
    with pytest.raises(ImportError, match="cannot import name 'nothing'"):
        from sweepless.search import nothing  # type: ignore[attr-defined]  # noqa: F401


def run_python(code: str) -> str:
    source = Path(sweepless.__file__).parents[1]
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=os.environ | {"PYTHONPATH": str(source)},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout


def test_importing_the_package_loads_nothing_else() -> None:
    heavy = ("numpy", "scipy", "sklearn", "numba", "joblib", "sweepless")
    code = f"import sys, sweepless; print(*sorted(name for name in sys.modules if name.split('.')[0] in {heavy}))"
    assert run_python(code).split() == ["sweepless", "sweepless._lazy"]


def test_namespaces_need_no_import_of_their_own() -> None:
    code = "import sweepless; print(sweepless.stability.tanimoto_index([{1, 2}, {1, 2}]), 'run' in dir(sweepless))"
    assert run_python(code).split() == ["1.0", "True"]


def test_types_reach_the_user(tmp_path: Path) -> None:
    pytest.importorskip("mypy")
    names = [f"{space}.{name}" for space in SPACES for name in public(space)]
    selector = "sweepless.selectors.sequential.SequentialSelector"
    uses = {
        "run('sSFS', KNN(), make_madelon()).value": "float",
        "SequentialSelector(KNN()).best_size_": "int",
        "SequentialSelector(KNN()).fit([[0.0]], [0])": selector,
        "SequentialSelector(KNN()).fit([[0.0]]).select(1)": selector,
        "SequentialSelector(KNN()).resume('run.jsonl', [[0.0]])": selector,
        "RankingSelector(KNN()).fit([[0.0]])": "sweepless.selectors.ranking.RankingSelector",
        "SequentialSelector().estimate_cost([[0.0]]).seconds": "float",
        "SequentialSelector().random_state": "int | numpy.random.mtrand.RandomState | None",
    }
    imports = [*(f"import {space}" for space in SPACES), "from sweepless import RankingSelector, SequentialSelector"]
    imports += ["from sweepless import make_madelon, run", "from sweepless.criteria import KNN"]
    lines = [*imports, *(f"reveal_type({shown})" for shown in [*names, *uses])]
    script = tmp_path / "script.py"
    script.write_text("\n".join(lines), encoding="utf-8")
    source = Path(sweepless.__file__).parents[1]
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--follow-imports=silent", "--config-file=", script.name],
        env=os.environ | {"MYPYPATH": str(source)},
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout
    kinds = re.findall(r'Revealed type is "(.*)"$', done.stdout, re.MULTILINE)
    revealed = dict(zip([*names, *uses], kinds, strict=True))
    assert not [shown for shown, kind in revealed.items() if kind == "Any"]
    assert revealed["sweepless.SequentialSelector"].endswith(selector)
    assert revealed["sweepless.run"].endswith("sweepless.search.result.Result")
    assert revealed["sweepless.criteria.KNN"].endswith("sweepless.criteria.neighbors.knn.KNN")
    assert {shown: revealed[shown] for shown in uses} == uses
    assert (source / "sweepless" / "py.typed").exists()  # without it the types of an installed package are not read
