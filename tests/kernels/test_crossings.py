"""Points that the kernel moves across the bends of hinges, against optima by plain Newton steps."""

from __future__ import annotations

import numpy as np
import pytest

from sweepless.criteria.linear.smooth_base import Base
from sweepless.criteria.linear.smooth_fit import Fit, Task
from sweepless.criteria.linear.smooth_neighbors import Neighbors
from sweepless.kernels.linear.losses import SQUARED_HINGE
from tests.reference.smooth_linear import optimum

PLACES = np.array([3, 4])


@pytest.mark.parametrize("enters", [True, False])
@pytest.mark.parametrize("seed", range(4))
def test_neighbors_of_a_hinge_begin_at_their_optimum(seed, enters):
    draws = np.random.default_rng(seed)
    trained = np.vstack([np.ones(120), draws.normal(size=(4, 120))])
    targets = [(k * trained[1] + trained[2] + draws.normal(size=120) > 0.5 * k).astype(float) for k in (1, 2)]
    tasks = [Task(SQUARED_HINGE, target, draws.uniform(0.5, 2.0, 120), 1) for target in targets]
    penalties, own = draws.uniform(0.5, 2.0, 5), draws.uniform(0.5, 2.0, 6)
    columns = 0.3 * targets[0] + draws.normal(size=(6, 120))
    base = Base([Fit(task, trained, penalties) for task in tasks], trained[:, :3])
    if enters:
        batch = Neighbors(base, columns, own, np.full(6, 5))
        subsets = [
            (np.vstack([trained, column]), np.append(penalties, p)) for column, p in zip(columns, own, strict=True)
        ]
    else:
        batch = Neighbors(base, None, np.ones(2), PLACES)
        subsets = [(np.delete(trained, place, axis=0), np.delete(penalties, place)) for place in PLACES]
    found = [
        point if enters else np.delete(point, PLACES[k % 2]) for k, point in enumerate(batch._points)
    ]  # where the first step begins
    expected = [
        optimum("squared_hinge", rows.T, task.target, task.weights, each) for task in tasks for rows, each in subsets
    ]
    assert np.mean([np.allclose(*both, atol=1e-8) for both in zip(found, expected, strict=True)]) > 0.7
    batch.advance(np.arange(len(found)))
    assert np.mean(batch.worst < 1e-6) > 0.7
