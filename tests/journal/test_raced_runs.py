"""A raced search that was cut anywhere, or stopped by a limit, goes on as if it had not been."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.neighbors import NearestCentroid

from sweepless import Dataset, Journal, resume, run
from sweepless.criteria import EstimatorCriterion
from sweepless.search import StopReason
from tests.journal.twins import facts, resumed_from

DRAWS = np.random.default_rng(5)
Y = DRAWS.permutation(np.arange(60) % 3)
DATA = Dataset(DRAWS.normal(size=(60, 14)) + (Y[:, None] == np.arange(14) % 4), Y)
FITTED = EstimatorCriterion(NearestCentroid(), cv=5)


@pytest.mark.parametrize("method", ["SFFS", "sSFS"])
def test_a_raced_search_cut_anywhere_goes_on_as_if_it_had_not_been(method, tmp_path, fine_grained):
    path, options = tmp_path / "run.jsonl", {"target": 3, "warm_up": None if method == "SFFS" else "5@3"}
    expected = facts(run(method, FITTED, DATA, **options))
    assert expected["anatomy"]["spared"] > 0
    assert facts(run(method, FITTED, DATA, journal=Journal(path), **options)) == expected
    content = path.read_bytes()
    ends = [place + 1 for place, byte in enumerate(content) if byte == ord("\n")]
    for cut in ends[:: max(1, len(ends) // 5)]:
        assert facts(resumed_from(content[:cut], path, FITTED, DATA)) == expected


def test_so_does_one_with_short_looks(tmp_path, fine_grained):
    path, data = tmp_path / "run.jsonl", Dataset(DATA.X[:, :7], Y)
    forest = EstimatorCriterion(RandomForestClassifier(30, max_depth=2, random_state=0), cv=2)
    expected = facts(run("SFS", forest, data, target=1, journal=Journal(path)))
    assert expected["anatomy"]["spared"] > 0
    content = path.read_bytes()
    ends = [place + 1 for place, byte in enumerate(content) if byte == ord("\n")]
    for cut in ends[:: max(1, len(ends) // 4)]:
        assert facts(resumed_from(content[:cut], path, forest, data)) == expected


@pytest.mark.parametrize("most", [1, 3, 14, 20])
def test_a_step_cut_short_leaves_a_value_and_more_evaluations_go_on(most, tmp_path, fine_grained):
    path = tmp_path / "run.jsonl"
    short = run("SFS", FITTED, DATA, target=2, max_evaluations=most, journal=Journal(path))
    assert short.stop_reason is StopReason.EVALUATIONS and short.n_evaluations == most
    for record in short.archive.values():
        assert record.value == FITTED.bind(DATA).evaluate(record.features)
    assert len(short.archive) == 1 + (most > 14)
    longer = resume(path, FITTED, DATA, max_evaluations=1000)
    assert facts(longer)["trace"] == facts(run("SFS", FITTED, DATA, target=2))["trace"]
