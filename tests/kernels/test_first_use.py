"""What a first search compiles: few functions, each for one kind of arguments, and only once per machine."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

SCRIPT = """
from numba.core import event
from sweepless import SequentialSelector, make_madelon, run
from sweepless.criteria import KNN

class Compiled(event.Listener):
    names = []

    def on_start(self, event):
        function = event.data["dispatcher"].py_func
        # numba's own differ from version to version, but what writes messages about shapes is never needed
        if function.__module__.startswith(("sweepless", "numba.cpython.unicode")):
            self.names.append(function.__name__)

    def on_end(self, event):
        pass

data = make_madelon(n_samples=200, n_features=60)
with event.install_listener("numba:compile", Compiled()):
    SEARCH
print(*sorted(Compiled.names))
"""


def compiled(cache, search):
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT.replace("SEARCH", search)],
        env=os.environ | {"NUMBA_CACHE_DIR": str(cache), "NUMBA_DISABLE_JIT": "0"},
        capture_output=True,
        text=True,
        timeout=280,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


@pytest.mark.parametrize(
    ("search", "most"),
    [
        ('run("sSFFS", KNN(), data, max_size=12, seed=1)', 37),
        ("SequentialSelector(max_size=5, random_state=1).fit(data.X, data.y)", 33),
    ],
    ids=["neighbors", "default"],
)
def test_a_first_search_compiles_little_and_a_second_nothing(tmp_path, search, most):
    first = compiled(tmp_path, search)
    kernels = [name for name in first if name != "term"]  # of float32 and of float64
    assert len(set(kernels)) == len(kernels), first
    assert 10 < len(first) <= most, first
    assert compiled(tmp_path, search) == []
