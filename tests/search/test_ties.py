"""Candidates of equal value: a second value decides, J and the archive stay what they are, and a run says how many."""

from __future__ import annotations

import numpy as np
import pytest

from sweepless import Dataset, Direction, run
from sweepless.criteria import KNN, FunctionCriterion, GaussianDivergence, Memoized, Penalized, TieBreak, Units
from sweepless.criteria.tie_break import smooth_second
from sweepless.errors import DataError, InputError
from sweepless.journal.journal import Journal
from sweepless.journal.run import resume
from sweepless.search.events import TracedStep
from sweepless.search.saturation import saturation
from sweepless.testing import check_criterion

LEVEL = FunctionCriterion(lambda members: float(len(members)))  # every candidate ties
LAST = FunctionCriterion(lambda members: float(np.sum(members)))  # prefers high indices


def smooth(data):
    """Return 1-NN with the second value that a selector would give it."""
    return TieBreak(KNN(), smooth_second(KNN(), data))


def noisy(n_samples=24, n_features=40, n_classes=2, seed=0):
    rng = np.random.default_rng(seed)
    y = np.arange(n_samples) % n_classes
    X = rng.normal(size=(n_samples, n_features)) * rng.uniform(0.1, 1000.0, n_features)
    X[:, 3] += 3.0 * y * X[:, 3].std()
    return Dataset(X, y)


def steps_of(result):
    return [(step.direction, step.features.tolist(), step.value, step.n_tied) for step in result.trace]


def test_a_second_value_decides_between_equals():
    data = noisy(n_features=6)
    plain, broken = (run("SFS", one, data, target=3) for one in (LEVEL, TieBreak(LEVEL, LAST)))
    assert plain.features.tolist() == [0, 1, 2]
    assert broken.features.tolist() == [3, 4, 5]
    assert [step.n_tied for step in broken.trace] == [step.n_tied for step in plain.trace] == [6, 5, 4]
    assert [row["n_tied"] for row in broken.trajectory()] == [6, 5, 4]


def test_of_equal_second_values_the_first_wins():
    assert run("SFS", TieBreak(LEVEL, LEVEL), noisy(n_features=6), target=2).features.tolist() == [0, 1]


def test_second_values_decide_between_tuples_and_removals():
    data = noisy(n_features=6)
    assert run("SFS", TieBreak(LEVEL, LAST), data, target=2, tuple_size=2).features.tolist() == [4, 5]
    assert run("SBS", TieBreak(LEVEL, LAST), data, target=2).features.tolist() == [4, 5]


def test_the_reference_engine_takes_the_first():
    data = noisy()
    plain, broken = (
        run("sSFFS", one, data, target=6, rng="reference", warm_up="20@5") for one in (KNN(), smooth(data))
    )
    assert steps_of(plain) == steps_of(broken)
    assert broken.anatomy.filter == 0


def test_values_and_their_count_stay_those_of_the_criterion():
    data = noisy()
    result = run("SFS", smooth(data), data, target=8)
    cursor = KNN().bind(data)
    assert all(record.value == cursor.evaluate(record.features) for record in result.archive.values())
    assert result.n_evaluations == run("SFS", KNN(), data, target=8).n_evaluations
    assert result.anatomy.filter == sum(step.n_tied for step in result.trace if step.n_tied > 1) > 0
    assert result.criterion == str(KNN())


def test_a_sampled_search_with_the_whole_budget_takes_the_steps_of_the_sweep():
    data = noisy()
    criterion = smooth(data)
    classic = run("SFFS", criterion, data, target=8)
    sampled = run("sSFFS", criterion, data, target=8, budget=None, backward_budget=None, warm_up=None)
    assert steps_of(classic) == steps_of(sampled)


@pytest.mark.parametrize("stop", [150, 333, 700])
def test_a_resumed_run_breaks_ties_alike(tmp_path, stop):
    data, path = noisy(), tmp_path / "run.jsonl"
    criterion, settings = smooth(data), {"target": 8, "budget": 20, "seed": 3}
    whole = run("sSFFS", criterion, data, **settings)
    assert max(step.n_tied for step in whole.trace) > 1
    run("sSFFS", criterion, data, **settings, max_evaluations=stop, journal=Journal(path))
    resumed = resume(path, criterion, data, max_evaluations=None)
    assert steps_of(resumed) == steps_of(whole)
    assert resumed.anatomy == whole.anatomy


def test_wrappers_of_the_same_features_keep_the_second_value_and_units_drop_it():
    data = noisy(n_features=6)
    inner = TieBreak(LEVEL, LAST)
    for criterion in (Memoized(inner), Penalized(inner, 0.1)):
        assert run("SFS", criterion, data, target=2).features.tolist() == [4, 5]
    assert Units(inner, [[0, 1], [2]]).bind(data).second is None


def test_a_second_criterion_must_value_the_same_features():
    with pytest.raises(DataError, match="same 6 features of data, got 2"):
        TieBreak(LEVEL, Units(LEVEL, [[0], [1]])).bind(noisy(n_features=6))
    with pytest.raises(InputError, match="`second` must be made of criteria"):
        TieBreak(LEVEL, "ridge")


@pytest.mark.parametrize("n_classes", [2, 3])
def test_the_smooth_second_value_obeys_the_laws_and_ignores_units(n_classes):
    data = noisy(n_features=8, n_classes=n_classes)
    check_criterion(smooth(data).second, data)
    scaled = data.with_matrix(data.X * 2.0 ** np.arange(8))
    candidates = np.arange(8)
    one, other = (smooth(each).second.bind(each).peek(Direction.ADD, candidates) for each in (data, scaled))
    np.testing.assert_allclose(one, other, atol=1e-7)
    assert one.argmax() == 3


def test_the_smooth_second_value_of_numbers():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(30, 5))
    data = Dataset(X, X[:, 2] + 0.1 * rng.normal(size=30))
    check_criterion(smooth(data).second, data)
    assert smooth(data).second.bind(data).peek(Direction.ADD, np.arange(5)).argmax() == 2


def test_there_is_no_second_value_where_nobody_knows_one():
    data = noisy(n_features=6)
    assert smooth_second(KNN(), data) == smooth_second(GaussianDivergence(), data) is not None
    assert smooth_second(LEVEL, data) is None
    assert smooth_second(TieBreak(KNN(), LAST), data) is None
    assert smooth_second(KNN(), Dataset(data.X)) is None
    assert smooth_second(KNN(), Dataset(data.X, np.zeros(24))) is None
    assert smooth_second(KNN(), Dataset(np.zeros((24, 3)), data.y)) is None
    assert smooth_second(KNN(), Dataset(data.X, np.linspace(0.0, 1e200, 24))) is None


def taken(size, n_tied, n_proposed=100, direction="forward"):
    return TracedStep(direction, size, np.array([0]), 1.0, n_proposed, 0, 0, 0, 0, n_tied)


def test_saturation_counts_the_steps_up_to_the_selected_size():
    trace = [taken(size, n_tied) for size, n_tied in enumerate([1, 2, 30, 40, 1, 50, 90, 90], start=1)]
    found = saturation(trace, Direction.ADD, 6)
    assert (found.since, found.n_steps, found.n_taken, found.n_tied, found.n_proposed) == (3, 3, 4, 40, 100)
    assert str(found) == (
        "many candidates shared the best value in 3 of 4 steps since size 3, in the median of them 40 of 100"
    )
    assert saturation(trace, Direction.ADD, 5) is None


@pytest.mark.parametrize(
    "steps",
    [
        [taken(size, 4) for size in range(9)],  # too few candidates
        [taken(size, 9, 1000) for size in range(9)],  # too small a share of them
        [taken(size, 50, direction="backward") for size in range(9)],  # on the way back
        [taken(size, 50 if size % 3 == 0 else 1) for size in range(9)],  # only now and then
    ],
)
def test_saturation_needs_many_candidates_in_many_steps(steps):
    assert saturation(steps, Direction.ADD, 9) is None
