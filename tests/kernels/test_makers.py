"""Kernels that do not count references must not return an array, nor call what makes one: nobody would free it."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import sweepless

KERNELS = Path(sweepless.__file__).parent / "kernels"
BORROWERS, MAKERS = {"kernel", "inner", "inlined"}, {"maker", "inner_maker"}
ARRAYS = {"AnyArray", "Counts", "Features", "Mask", "Values"}


def decorated(source, names):
    """Return the functions of a module that have one of these decorators."""
    functions = (node for node in ast.parse(source).body if isinstance(node, ast.FunctionDef))
    return [f for f in functions if names & {d.id for d in f.decorator_list if isinstance(d, ast.Name)}]


def names_in(node):
    return {each.id for each in ast.walk(node) if isinstance(each, ast.Name)} if node is not None else set()


def broken(source, makers):
    """Return the functions of a module that borrow arrays and yet return them or call a maker."""
    here = makers | {function.name for function in decorated(source, MAKERS)}
    called = {
        function.name: {
            call.func.id
            for call in ast.walk(function)
            if isinstance(call, ast.Call) and isinstance(call.func, ast.Name)
        }
        for function in decorated(source, BORROWERS)
    }
    returning = {function.name for function in decorated(source, BORROWERS) if names_in(function.returns) & ARRAYS}
    return returning | {name for name, others in called.items() if others & here}


def imported_makers(source):
    """Return the makers that a module imports from other kernels."""
    makers = set()
    for node in ast.parse(source).body:
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("sweepless.kernels."):
            path = KERNELS.joinpath(*node.module.split(".")[2:]).with_suffix(".py")
            source = path.read_text(encoding="utf-8") if path.exists() else ""  # else a module is imported
            made = {function.name for function in decorated(source, MAKERS)}
            makers |= {name.asname or name.name for name in node.names if name.name in made}
    return makers


@pytest.mark.parametrize("path", sorted(KERNELS.rglob("*.py")), ids=lambda path: str(path.relative_to(KERNELS)))
def test_who_borrows_arrays_returns_none_and_calls_no_maker(path):
    source = path.read_text(encoding="utf-8")
    assert broken(source, imported_makers(source)) == set()


def test_the_rule_finds_who_breaks_it():
    source = """
@inner_maker
def room(n): return np.empty(n)
@kernel
def uses(n): room(n)
@inner
def lends(values: Values) -> Values: return values
@inner
def fine(values: Values) -> float: return values[0]
"""
    assert broken(source, set()) == {"uses", "lends"}
    assert broken("@kernel\ndef calls(n): other(n)", {"other"}) == {"calls"}
