"""Machine code on disk: used again, not after a change of anything that a kernel calls, and loaded without more."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import sweepless

USE = """
import numpy as np
from numba.core.registry import cpu_target
from sweepless.kernels.sampling import proposal

weights, drawn = np.ones(4), np.empty(2, dtype=np.intp)
proposal._draw_by_walk(weights, np.array([0.3, 0.9]), drawn)
print(*drawn, sum(proposal._draw_by_walk.stats.cache_hits.values()), bool(cpu_target.target_context._registries))
"""


def use(package, cache):
    environment = os.environ | {"NUMBA_CACHE_DIR": str(cache), "NUMBA_DISABLE_JIT": "0", "PYTHONPATH": str(package)}
    done = subprocess.run([sys.executable, "-c", USE], env=environment, capture_output=True, text=True, timeout=280)
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


def test_code_is_used_again_until_what_a_kernel_calls_in_another_file_changes(tmp_path):
    package = tmp_path / "src"
    shutil.copytree(
        Path(sweepless.__file__).parent, package / "sweepless", ignore=shutil.ignore_patterns("__pycache__")
    )
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
