"""What the first search of a machine and of a process costs beyond the search itself: by k-NN, and by default."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

import sweepless
from sweepless.kernels._processor import level_of_host

sys.path.append(str(Path(__file__).resolve().parents[1] / "packaging"))
from compiled_wheel import compile_into

_MADE = shutil.ignore_patterns("__pycache__", "compiled")

_SCRIPT = """
import json, time

def timed(work):
    start = time.perf_counter()
    work()
    return time.perf_counter() - start

def ours():
    global sw
    import sweepless as sw

def peer():
    import sklearn.feature_selection

def compiler():
    import numba

def by_neighbors():
    sw.run("sSFFS", sw.criteria.KNN(), data, max_size=12, budget="paper", warm_up=None, seed=1)

def by_default():
    sw.SequentialSelector(random_state=0).fit(data.X[:150], data.y[:150])

times = [timed(peer), timed(ours), timed(compiler)]
data = sw.make_madelon()
print(json.dumps(times + [timed(SEARCH), timed(SEARCH)]))
"""


def first_use() -> list[tuple[str, float]]:
    """Time two new processes, one after the other, that share a cache which is empty at first; for each search.

    And a third one with an empty cache, and with the machine code that a wheel may bring.
    """
    rows = []
    for search, name in (("by_neighbors", "k-NN search"), ("by_default", "fit by default")):
        with tempfile.TemporaryDirectory() as cache:
            (_, ours, _, first, second), (_, _, numba, third, fourth) = (_times(cache, search) for _ in range(2))
        rows += [
            (f"compiling for the first {name}", (first - second) - (third - fourth)),
            (f"{name}, start in a second process: numba, the cache", numba + third - fourth),
        ]
        if (level := level_of_host()) is not None:
            with tempfile.TemporaryDirectory() as cache, tempfile.TemporaryDirectory() as home:
                package = Path(shutil.copytree(Path(sweepless.__file__).parent, Path(home, "sweepless"), ignore=_MADE))
                here = {"PYTHONPATH": home}
                compile_into(package / "kernels/compiled" / level, level, ("-c", _script(search)), here)
                _, _, numba, first, second = _times(cache, search, here)
                assert not list(Path(cache).rglob("*.nbi")), "something was compiled"
            rows.append((f"{name}, first start with a wheel's machine code: numba, the code", numba + first - second))
    return [("import sweepless, over importing scikit-learn", ours), *rows]


def _script(search: str) -> str:
    return _SCRIPT.replace("SEARCH", search)


def _times(cache: str, search: str, more: Mapping[str, str] = MappingProxyType({})) -> list[float]:
    done = subprocess.run(
        [sys.executable, "-c", _script(search)],
        env=os.environ | {"NUMBA_CACHE_DIR": cache} | more,
        check=True,
        capture_output=True,
        text=True,
    )
    return list(json.loads(done.stdout))
