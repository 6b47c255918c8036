"""`sweepless warm` leaves no kernel to be compiled by a search."""

from __future__ import annotations

import os
import subprocess
import sys
from types import SimpleNamespace

import sweepless
from sweepless.cli import main
from sweepless.search import StopReason

CHECK = """
import importlib, pkgutil
from numba.core.registry import CPUDispatcher
import sweepless.kernels as kernels
from sweepless.cli import main

assert main(["warm"]) == 0
found = []
for module in pkgutil.walk_packages(kernels.__path__, "sweepless.kernels."):
    for name, kernel in vars(importlib.import_module(module.name)).items():
        if isinstance(kernel, CPUDispatcher):
            found.append((name, kernel))
inner = {name for _, kernel in found for name in kernel.py_func.__code__.co_names}  # part of what calls them
missing = [name for name, kernel in found if name not in inner and not kernel.signatures]
assert len(found) > 50 and not missing, missing
"""


def test_every_kernel_is_compiled_ahead():
    # From the cache where it can be: what is compiled here, other tests need not compile.
    done = subprocess.run(
        [sys.executable, "-c", CHECK],
        capture_output=True,
        text=True,
        timeout=280,
        env=os.environ | {"NUMBA_DISABLE_JIT": "0"},
    )
    assert done.returncode == 0, done.stderr
    assert "all  " in done.stdout


def test_ctrl_c_ends_it_and_not_only_the_search_that_it_is_at(monkeypatch, capsys):
    searches = []
    result = SimpleNamespace(stop_reason=StopReason.INTERRUPTED)
    monkeypatch.setattr(sweepless, "run", lambda *given, **options: searches.append(given) or result)
    assert main(["warm"]) == 1
    assert len(searches) == 1 and "interrupted" in capsys.readouterr().err
