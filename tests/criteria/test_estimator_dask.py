"""On a Dask cluster the data travel once, and the values stay what they are."""

from __future__ import annotations

import numpy as np
import pytest
from joblib import parallel_config
from sklearn.naive_bayes import GaussianNB

from sweepless import Dataset, Direction
from sweepless.criteria import EstimatorCriterion

distributed = pytest.importorskip("distributed", reason="needs distributed (sweepless[dask])")

DRAWS = np.random.default_rng(0)
Y = DRAWS.permutation(np.arange(90) % 3)
DATA = Dataset(DRAWS.normal(size=(90, 12)) + 0.4 * Y[:, None], Y)
ESTIMATOR = GaussianNB()  # which asks joblib for nothing itself, as some versions of others do


@pytest.fixture
def client():
    with distributed.Client(
        processes=False, n_workers=2, threads_per_worker=1, dashboard_address=None, silence_logs=50
    ) as client:
        yield client


def test_data_are_sent_to_a_cluster_once(client, monkeypatch):
    sent = []
    register = client.register_plugin
    monkeypatch.setattr(client, "register_plugin", lambda plugin, **how: sent.append(plugin) or register(plugin, **how))
    monkeypatch.setattr(client, "scatter", None)  # what joblib would use for anything large in a task
    alone = EstimatorCriterion(ESTIMATOR, "neg_log_loss").bind(DATA)
    with parallel_config("dask"):
        cursor = EstimatorCriterion(ESTIMATOR, "neg_log_loss", n_jobs=-1).bind(DATA)
        for members in ([1, 4], [0, 1, 4], [0, 7]):
            alone.jump(members)
            cursor.jump(members)
            candidates = np.setdiff1d(np.arange(12), members)
            expected = alone.peek(Direction.ADD, candidates)
            assert np.array_equal(cursor.peek(Direction.ADD, candidates), expected)
    assert len(sent) == 1, "once for the run, not once per step or task"
    assert sent[0].thing[1] is DATA


def test_workers_drop_data_that_are_no_longer_needed(client):
    cluster = pytest.importorskip("sweepless._cluster")
    owners = [DATA.take([0, 1]), DATA.take([2, 3])]
    first, second = [cluster.lend(client, "thing", owner) for owner in owners]
    assert cluster.held(first) == cluster.held(second) == "thing"
    del owners[0]
    third = cluster.lend(client, "another", DATA)
    with pytest.raises(KeyError):
        cluster.held(first)
    assert (cluster.held(second), cluster.held(third)) == ("thing", "another")
