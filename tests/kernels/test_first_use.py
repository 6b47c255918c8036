"""What a first k-NN search compiles: few functions, each for one kind of arguments, and only once per machine."""

from __future__ import annotations

import os
import subprocess
import sys

SEARCH = """
from numba.core import event
from sweepless import make_madelon, run
from sweepless.criteria import KNN

class Compiled(event.Listener):
    names = []

    def on_start(self, event):
        function = event.data["dispatcher"].py_func
        if function.__module__.startswith("sweepless"):  # numba's own differ from version to version
            self.names.append(function.__name__)

    def on_end(self, event):
        pass

with event.install_listener("numba:compile", Compiled()):
    run("sSFFS", KNN(), make_madelon(n_samples=200, n_features=60), max_size=12, seed=1)
print(*sorted(Compiled.names))
"""


def compiled(cache):
    done = subprocess.run(
        [sys.executable, "-c", SEARCH],
        env=os.environ | {"NUMBA_CACHE_DIR": str(cache), "NUMBA_DISABLE_JIT": "0"},
        capture_output=True,
        text=True,
        timeout=280,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


def test_a_first_search_compiles_little_and_a_second_nothing(tmp_path):
    first = compiled(tmp_path)
    kernels = [name for name in first if name != "term"]  # of float32 and of float64
    assert len(set(kernels)) == len(kernels), first
    assert 10 < len(first) <= 29, first
    assert compiled(tmp_path) == []
