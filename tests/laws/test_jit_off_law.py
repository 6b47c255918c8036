"""Compiled or not, the kernels give one set of trajectories."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

SEARCHES = """
import warnings
warnings.simplefilter("ignore")
import numpy as np
import sweepless as sw
from sweepless.criteria import *

draws = np.random.default_rng(0)
X = draws.integers(0, 9, size=(24, 7)).astype(float)
data = sw.Dataset(X, (X[:, 0] + X[:, 1] * X[:, 2] > 12).astype(int))
sampled = dict(target=4, budget=4, backward_budget=3, warm_up=sw.search.WarmUp(6, 3), seed=3)
criteria = [KNN(), KNN(n_neighbors=3, metric="manhattan"), MultinomialBhattacharyya(), GaussianNB(), MultinomialNB(),
            GaussianBhattacharyya(), RidgeCriterion(score="accuracy"), CFS()]
for criterion in criteria:
    for rng in ("portable", "reference"):
        result = sw.run("sSFFS", criterion, data, rng=rng, **sampled)
        print(criterion, rng, [(s.direction, s.features.tolist(), s.value.hex()) for s in result.trace])
"""


def trajectories(**environment: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", SEARCHES], capture_output=True, text=True, check=True, env=os.environ | environment
    )
    return done.stdout


@pytest.mark.skipif(os.environ.get("NUMBA_DISABLE_JIT") == "1", reason="nothing is compiled to compare with")
def test_compiled_and_plain_kernels_take_the_same_steps():
    compiled = trajectories()
    assert len(compiled.splitlines()) == 16
    assert trajectories(NUMBA_DISABLE_JIT="1") == compiled
