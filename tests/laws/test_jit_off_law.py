"""Compiled or not, the kernels give one set of trajectories."""

from __future__ import annotations

import os
import subprocess
import sys
import warnings
from contextlib import redirect_stdout
from io import StringIO

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
            GaussianBhattacharyya(), WilksLambda(), InformationCriterion(), RidgeCriterion(score="accuracy"), CFS(),
            SoftNeighbors(), SoftNeighbors(score="log_loss"), KNN(3, score="brier"),
            KNN(2, np.array([np.arange(24) % 2, np.arange(24) // 12]), score="log_loss")]
for criterion in criteria:
    for rng in ("portable", "reference"):
        result = sw.run("sSFFS", criterion, data, rng=rng, **sampled)
        print(criterion, rng, [(s.direction, s.features.tolist(), s.value.hex()) for s in result.trace])
"""


def plain_trajectories() -> str:
    environment = os.environ | {"NUMBA_DISABLE_JIT": "1"}
    done = subprocess.run([sys.executable, "-c", SEARCHES], capture_output=True, text=True, check=True, env=environment)
    return done.stdout


def compiled_trajectories() -> str:
    with redirect_stdout(StringIO()) as printed, warnings.catch_warnings():
        exec(SEARCHES, {})
    return printed.getvalue()


@pytest.mark.skipif(os.environ.get("NUMBA_DISABLE_JIT") == "1", reason="nothing is compiled to compare with")
def test_compiled_and_plain_kernels_take_the_same_steps():
    compiled = compiled_trajectories()
    assert len(compiled.splitlines()) == 28
    assert plain_trajectories() == compiled
