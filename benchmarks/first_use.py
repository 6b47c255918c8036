"""What the first k-NN search of a machine and of a process costs beyond the search itself."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile

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

def search():
    sw.run("sSFFS", sw.criteria.KNN(), data, max_size=12, budget="paper", warm_up=None, seed=1)

times = [timed(peer), timed(ours), timed(compiler)]
data = sw.make_madelon()
print(json.dumps(times + [timed(search), timed(search)]))
"""


def first_use() -> list[tuple[str, float]]:
    """Time two new processes, one after the other, that share a cache which is empty at first."""
    with tempfile.TemporaryDirectory() as cache:
        (_, ours, _, first, second), (_, _, numba, third, fourth) = (_times(cache) for _ in range(2))
    return [
        ("import sweepless, over importing scikit-learn", ours),
        ("compiling for the first k-NN search", (first - second) - (third - fourth)),
        ("its start in a second process: numba's import, the cache", numba + third - fourth),
    ]


def _times(cache: str) -> list[float]:
    done = subprocess.run(
        [sys.executable, "-c", _SCRIPT],
        env=os.environ | {"NUMBA_CACHE_DIR": cache},
        check=True,
        capture_output=True,
        text=True,
    )
    return list(json.loads(done.stdout))
