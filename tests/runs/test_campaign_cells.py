"""A cell is what `run_trial` and the definitions say, down to when a subset was found."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import sweepless as sw
from sweepless.criteria.neighbors.counted import KNNCursor
from sweepless.runs import parse_spec, run_campaign
from sweepless.runs.cell import _MOST_STEPS, trajectory
from sweepless.search.events import TracedStep
from sweepless.validation.trial import holdout_score
from tests.runs.quick_campaign import SPEC, rows_of

DATA = sw.make_madelon(n_samples=160, n_features=40)


def cells_of(run: Path) -> dict[tuple[str, int], dict]:
    cells = [json.loads(row) for row in rows_of(run).values()]
    return {(cell["arm"], cell["seed"]): cell for cell in cells}


@pytest.mark.parametrize("seed", [1, 3])
def test_a_search_is_that_of_run_trial(undisturbed, seed):
    trial = sw.run_trial(
        "sSFFS",
        sw.criteria.KNN(),
        DATA,
        split=sw.RandomSplits(),
        seed=seed,
        max_size=8,
        budget=10,
        backward_budget=5,
        warm_up=sw.search.WarmUp(20, 5),
    )
    cell = cells_of(undisturbed)["sSFFS y=10", seed]
    result = trial.result
    assert cell["n_evaluations"] == result.n_evaluations
    assert cell["sum_of_sizes"] == result.anatomy.sizes
    assert cell["stop_reason"] == "frontier"
    assert [row["size"] for row in cell["rows"]] == list(result.archive)
    for row in cell["rows"]:
        record = result.archive[row["size"]]
        assert (row["value"], row["n_evaluations"]) == (record.value, record.n_evaluations)
        assert row["features"] == record.features.tolist()
        assert set(row["holdout"]) == ({"knn", "gaussian-nb"} if row["size"] in (4, 8) else set())
        if row["holdout"]:
            assert row["holdout"]["knn"] == sw.criteria.KNN().validate(trial.train, trial.test, record.features)
            gaussian = holdout_score("gaussian-nb", trial.train, trial.test, record.features)
            assert row["holdout"]["gaussian-nb"] == gaussian
    taken = [[step.n_evaluations, step.size, step.value, step.direction] for step in result.trace]
    assert cell["trajectory"] == taken


@pytest.mark.parametrize("method", ["sSFFS", "SFFS", "sOS", "SBFS", "DOS"])
def test_sizes_until_discovery_are_those_of_all_valued_subsets(method, monkeypatch):
    valued: list[int] = []  # the size of every subset, in order

    def count_neighbours(cursor, direction, candidates, peek=KNNCursor._peek):
        valued.extend([cursor.size + direction.sign] * len(candidates))
        return peek(cursor, direction, candidates)

    def count_probes(cursor, subsets, evaluate=KNNCursor.evaluate_many):
        valued.extend(map(len, subsets))
        return evaluate(cursor, subsets)

    monkeypatch.setattr(KNNCursor, "_peek", count_neighbours)
    monkeypatch.setattr(KNNCursor, "evaluate_many", count_probes)
    data = sw.make_madelon(n_samples=80, n_features=24, n_redundant=5)
    options = {"budget": 6, "backward_budget": 4, "warm_up": sw.search.WarmUp(9, 4)} if method.startswith("s") else {}
    result = sw.run(method, sw.criteria.KNN(), data, target=5, max_evaluations=700, **options)
    assert len(valued) == result.n_evaluations
    assert sum(valued) == result.anatomy.sizes
    assert len(result.archive) > 2
    for record in result.archive.values():
        assert record.sum_of_sizes == sum(valued[: record.n_evaluations])


def test_rankings_are_reported_by_their_prefixes(undisturbed):
    split = sw.RandomSplits()
    for seed in (1, 2):
        trial = sw.run_trial("BIF", sw.criteria.KNN(), DATA, split=split, seed=seed, target=1, ties="high")
        cell = cells_of(undisturbed)["BIF", seed]
        assert cell["n_evaluations"] == cell["ranking_evaluations"] == cell["sum_of_sizes"] == 40
        assert cell["forward_evaluations"] == 0
        assert [row["size"] for row in cell["rows"]] == [1, 14, 27, 40]
        cursor = sw.criteria.KNN().bind(trial.train)
        for row in cell["rows"]:
            prefix = np.sort(trial.result.order[: row["size"]])
            assert row["features"] == prefix.tolist()
            assert row["value"] == cursor.evaluate(prefix)
            assert (row["n_evaluations"], row["sum_of_sizes"]) == (41, 40 + row["size"])


def test_a_matching_ranking_gets_the_cost_of_the_same_seed(undisturbed):
    cells = cells_of(undisturbed)
    model = sw.search.CostModel(3.0, 0.5)
    for seed in (1, 2, 3, 4):
        search = cells["sSFFS y=10", seed]
        assert cells["DAF matched", seed]["n_evaluations"] == search["n_evaluations"]
        allowed = model.milliseconds(search["n_evaluations"], search["sum_of_sizes"])
        daf = cells["DAF cost", seed]
        spent = model.milliseconds(daf["n_evaluations"], daf["sum_of_sizes"])
        assert allowed <= spent < allowed + model.milliseconds(1, 10)  # probes are drawn until it is reached


def test_sizes_of_an_arm_and_limits(undisturbed):
    cell = cells_of(undisturbed)["SFS", 1]
    assert [row["size"] for row in cell["rows"]] == [2, 4]
    assert cell["options"]["report"] == [2, 4]
    assert (cell["n_train"], cell["n_test"]) == (80, 80)


def test_trajectories_are_thinned_evenly():
    none = np.empty(0, dtype=np.intp)
    steps = tuple(TracedStep("forward", k, none, 0.0, 1, 0, k, k, 0) for k in range(3 * _MOST_STEPS))

    class Long:
        trace = steps

    thinned = trajectory(Long())
    assert len(thinned) == _MOST_STEPS
    assert thinned[0][0] == 0 and thinned[-1][0] == len(steps) - 1
    assert set(np.diff([step[0] for step in thinned])) <= {2, 3, 4}


def test_a_cell_that_cannot_be_leaves_the_others(tmp_path):
    spec = parse_spec(SPEC.replace('method = "SFS"', 'method = "SFS"\ntarget = 60', 1))  # of 40 features
    with pytest.raises(sw.errors.CampaignError, match=r"SFS--s001\S+ failed, and 3 more: `target` must be an integer"):
        run_campaign(spec, tmp_path / "run")
    assert len(rows_of(tmp_path / "run")) == 16
