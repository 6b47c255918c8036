"""Import public names on first use, so that `import sweepless` compiles nothing and loads no heavy library.

The stub beside a package, `__init__.pyi`, is the only place that lists its public names, with one line
`from home import Name as Name` for each. Editors and type checkers read the stub directly; this module reads it at
runtime.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib import import_module


def public_names(package: str) -> tuple[Callable[[str], object], Callable[[], list[str]], list[str]]:
    """Return `__getattr__`, `__dir__` and `__all__` of a package for the names in its stub."""
    homes = _read_stub(package)

    def getattribute(name: str) -> object:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        if homes[name] == package:  # a namespace in this package
            return import_module(f"{package}.{name}")
        found: object = getattr(import_module(homes[name]), name)
        setattr(sys.modules[package], name, found)  # the next time nobody asks here
        return found

    return getattribute, lambda: list(homes), list(homes)


def _read_stub(package: str) -> dict[str, str]:
    """Return the module that each public name of a package comes from."""
    spec = sys.modules[package].__spec__
    stub = spec.loader.get_data(f"{spec.origin}i").decode()  # type: ignore[union-attr]
    imports = [line.split() for line in stub.splitlines() if line.startswith("from ")]
    return {name: home for _, home, _, name, *_ in imports}
