"""Machine code on disk: used again, not after a change of anything that a kernel calls, and loaded without more."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import numba
import pytest
from compiled_wheel import compile_into

import sweepless
from sweepless.kernels import _processor
from sweepless.kernels._processor import has_wide_registers, level_of_host

THIRD, FOURTH = "avx2 bmi bmi2 f16c fma lzcnt movbe", "avx512f avx512bw avx512cd avx512dq avx512vl"

USE = """
import numpy as np
from numba.core.registry import cpu_target
from sweepless.kernels.sampling import proposal

weights, drawn = np.ones(4), np.empty(2, dtype=np.intp)
proposal._draw_by_walk(weights, np.array([0.3, 0.9]), drawn)
print(*drawn, sum(proposal._draw_by_walk.stats.cache_hits.values()), bool(cpu_target.target_context._registries))
"""


def use(package, cache, script=USE, **more):
    environment = os.environ | {"NUMBA_CACHE_DIR": str(cache), "NUMBA_DISABLE_JIT": "0", "PYTHONPATH": str(package)}
    done = subprocess.run(
        [sys.executable, "-c", script], env=environment | more, capture_output=True, text=True, timeout=280
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


@pytest.fixture
def package(tmp_path):
    """A copy of the package, to change it."""
    home = tmp_path / "src"
    shutil.copytree(Path(sweepless.__file__).parent, home / "sweepless", ignore=shutil.ignore_patterns("__pycache__"))
    return home


def test_code_is_used_again_until_what_a_kernel_calls_in_another_file_changes(package, tmp_path):
    kernels = package / "sweepless/kernels"
    proposal = kernels / "sampling/proposal.py"
    before = proposal.read_text()
    start = before.index("@inner\ndef descend")
    end = before.index("def _by_preference")
    imports = "from __future__ import annotations\nfrom sweepless.kernels._jit import inner, integer\n\n"
    moved = imports + before[start:end].replace(": Values", "").replace(": int", "").replace(": float", "")
    (kernels / "descending.py").write_text(moved)
    proposal.write_text(before[:start] + before[end:] + "\n\nfrom sweepless.kernels.descending import descend\n")

    assert use(package, tmp_path / "cache") == ["1", "3", "0", "True"]
    assert use(package, tmp_path / "cache") == ["1", "3", "1", "False"]  # numba's tables stay empty
    (kernels / "descending.py").write_text(moved.replace("if below > goal", "if below > goal + 1.0"))
    assert use(package, tmp_path / "cache") == ["2", "3", "0", "True"]


@pytest.mark.skipif(level_of_host() is None, reason="wheels bring code for x86-64-v3 and above only")
def test_code_that_came_with_the_package_is_used_where_it_was_made_for(package, tmp_path):
    here = {"PYTHONPATH": str(package), "NUMBA_DISABLE_JIT": "0"}
    compile_into(package / "sweepless/kernels/compiled" / level_of_host(), level_of_host(), ("-c", USE), here)
    folder = iter(tmp_path / f"cache {k}" for k in range(9))
    came, compiled = ["1", "3", "1", "False"], ["1", "3", "0", "True"]
    assert use(package, next(folder)) == came
    assert not any((tmp_path / "cache 0").rglob("*.nbi"))

    other_numba = "import numba\nnumba.__version__ = '0.1'\n" + USE
    assert use(package, next(folder), other_numba) == compiled
    for_another = {"NUMBA_CPU_NAME": "x86-64-v2", "NUMBA_CPU_FEATURES": ""}
    assert use(package, next(folder), **for_another) == compiled
    with (package / "sweepless/kernels/scores.py").open("a") as source:
        source.write("\n# changed\n")
    assert use(package, next(folder)) == compiled


@pytest.mark.parametrize(
    ("name", "features", "host", "level", "is_wide"),
    [
        (None, None, f"{THIRD} {FOURTH}", "x86-64-v4", True),
        (None, None, f"{THIRD} avx512f avx512cd", "x86-64-v3", False),
        (None, None, THIRD, "x86-64-v3", False),
        (None, None, "neon", None, False),
        ("x86-64-v4", "", THIRD, None, True),
        ("x86-64-v3", "", f"{THIRD} {FOURTH}", None, False),
        ("x86-64-v3", None, f"{THIRD} {FOURTH}", None, True),  # numba adds what the processor has
        ("x86-64-v3", "+avx512f", THIRD, None, True),
    ],
)
def test_a_processor_is_known_by_its_features_and_by_what_numba_is_told(
    monkeypatch, name, features, host, level, is_wide
):
    monkeypatch.setattr(numba.config, "CPU_NAME", name)
    monkeypatch.setattr(numba.config, "CPU_FEATURES", features)
    monkeypatch.setattr(_processor, "_host_features", lambda: frozenset(host.split()))
    assert level_of_host.__wrapped__() == level
    assert has_wide_registers.__wrapped__() is is_wide
