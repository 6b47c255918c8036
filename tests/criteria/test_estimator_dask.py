"""On a Dask cluster the data travel once, and the values stay what they are."""

from __future__ import annotations

import numpy as np
import pytest
from joblib import parallel_config
from sklearn.linear_model import LogisticRegression

from sweepless import Dataset, Direction, EstimatorCriterion

distributed = pytest.importorskip("distributed", reason="needs distributed (sweepless[dask])")

DRAWS = np.random.default_rng(0)
Y = DRAWS.permutation(np.arange(90) % 3)
DATA = Dataset(DRAWS.normal(size=(90, 12)) + 0.4 * Y[:, None], Y)
ESTIMATOR = LogisticRegression(max_iter=50)


def test_data_are_sent_to_a_cluster_once(monkeypatch):
    alone = EstimatorCriterion(ESTIMATOR, "neg_log_loss").bind(DATA)
    with distributed.Client(
        processes=False, n_workers=2, threads_per_worker=1, dashboard_address=None, silence_logs=50
    ) as client:
        sent = []
        scatter = client.scatter
        monkeypatch.setattr(client, "scatter", lambda things, **how: sent.append(things) or scatter(things, **how))
        with parallel_config("dask"):
            cursor = EstimatorCriterion(ESTIMATOR, "neg_log_loss", n_jobs=-1).bind(DATA)
            for members in ([1, 4], [0, 1, 4], [0, 7]):
                alone.jump(members)
                cursor.jump(members)
                candidates = np.setdiff1d(np.arange(12), members)
                expected = alone.peek(Direction.ADD, candidates)
                assert np.array_equal(cursor.peek(Direction.ADD, candidates), expected)
        assert len(sent) == 1, "once for the run, not once per step or task"
        assert sent[0][1] is DATA
