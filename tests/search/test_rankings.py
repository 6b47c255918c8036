"""BIF and DAF: rankings made once, of which subsets are prefixes (A36-A40)."""

from __future__ import annotations

import numpy as np
import pytest

from sweepless import Dataset, run
from sweepless.criteria import KNN, FunctionCriterion, MultinomialBhattacharyya
from sweepless.engine import PortableRng, ReferenceRng
from sweepless.search import DependencySteps, IndividualSteps, Ranking, prefix_curve
from sweepless.search.cost_model import PAPER_COSTS
from sweepless.search.walk import Walk
from tests.search.toys import RISING, RUGGED, Counting, blank

RUGGED_FLAT = FunctionCriterion(lambda members: float(np.sum(np.asarray(members) % 3)))


def ranking_of(steps, criterion, data, rng=None):
    return steps.rank(Walk(criterion.bind(data)), rng or PortableRng(0))


# BIF


def test_bif_values_the_singles_and_one_prefix():
    counting = Counting()
    result = run("BIF", counting.criterion, blank(9), target=4)
    assert (result.anatomy.ranking, result.anatomy.forward, result.n_evaluations) == (9, 1, 10)
    assert counting.calls[:9] == [(feature,) for feature in range(9)]
    singles = np.array([RUGGED.function([feature]) for feature in range(9)])
    best = np.argsort(-singles, kind="stable")[:4]
    assert result.features.tolist() == sorted(best.tolist())
    assert result.trace[0].features.tolist() == best.tolist()
    assert result.value == RUGGED.function(np.sort(best))


def test_bif_without_a_target_scans_all_prefixes():
    result = run("BIF", RUGGED, blank(7))
    assert (list(result.archive), result.n_evaluations) == ([1, 2, 3, 4, 5, 6, 7], 14)
    assert result.value == max(record.value for record in result.archive.values())


@pytest.mark.parametrize("ties, order", [("low", [2, 5, 1, 4, 0, 3]), ("high", [5, 2, 4, 1, 3, 0])])
def test_equal_features_rank_by_index(ties, order):
    assert ranking_of(IndividualSteps(ties=ties), RUGGED_FLAT, blank(6)).order.tolist() == order


@pytest.mark.parametrize("target", [3, None])
def test_bif_fills_up_a_given_start_without_repeating_it(target):
    result = run("BIF", RISING, blank(6), start=[4, 0], target=target)
    assert [record.features.tolist() for record in result.archive.values()][:2] == [[0, 4], [0, 4, 5]]
    assert sorted(result.archive) == ([2, 3] if target else [2, 3, 4, 5, 6])


def test_a_measure_ranks_without_evaluations():
    rng = np.random.default_rng(0)
    data = Dataset(rng.poisson(2.0, (30, 8)), np.repeat([0, 1, 2], 10))
    result = run("BIF", MultinomialBhattacharyya(), data, measure="mutual_information", target=3)
    measure = MultinomialBhattacharyya().bind(data).individual("mutual_information")
    assert result.n_evaluations == 1
    assert result.trace[0].features.tolist() == np.argsort(-measure, kind="stable")[:3].tolist()


# DAF


def naive_scores(probes, values, n_features, normalized):
    scores = {}
    for feature in range(n_features):
        inside = np.array([value for probe, value in zip(probes, values) if feature in probe])
        outside = np.array([value for probe, value in zip(probes, values) if feature not in probe])
        if len(inside) == 0 or len(outside) == 0:
            continue
        contrast = inside.mean() - outside.mean()
        if normalized:
            spread = (len(inside) * inside.std() + len(outside) * outside.std()) / len(values)
            if spread == 0:
                continue
            contrast /= spread
        scores[feature] = contrast
    return scores


@pytest.mark.parametrize("normalized", [False, True])
@pytest.mark.parametrize("drop_duplicates", [False, True])
@pytest.mark.parametrize("engine", [PortableRng, ReferenceRng])
def test_daf_is_the_contrast_of_probes_with_and_without(normalized, drop_duplicates, engine):
    counting = Counting()
    steps = DependencySteps(normalized, n_probes=60, probe_sizes=(1, 3), drop_duplicates=drop_duplicates)
    ranking = ranking_of(steps, counting.criterion, blank(8), engine(5))
    probes = list(dict.fromkeys(counting.calls)) if drop_duplicates else counting.calls
    assert len(counting.calls) == 60 and len(set(counting.calls)) < 60
    assert {len(probe) for probe in probes} == {1, 2, 3}
    expected = naive_scores(probes, [RUGGED.function(probe) for probe in probes], 8, normalized)
    assert len(expected) == 8
    np.testing.assert_allclose(ranking.scores, [expected[feature] for feature in range(8)], rtol=1e-12, atol=1e-13)
    assert ranking.order.tolist() == sorted(expected, key=lambda feature: (-expected[feature], feature))


def test_daf_pays_for_its_probes_and_one_prefix():
    result = run("DAF1", RUGGED, blank(9), n_probes=25, probe_sizes=(2, 4), target=3)
    assert (result.anatomy.ranking, result.anatomy.forward) == (25, 1)


def test_features_never_seen_rank_last_by_index():
    counting = Counting(function=lambda members: -1.0 - len(members))
    steps = DependencySteps(n_probes=3, probe_sizes=(2, 2))
    ranking = ranking_of(steps, counting.criterion, blank(30))
    seen = sorted({feature for probe in counting.calls for feature in probe})
    unseen = [feature for feature in range(30) if feature not in seen]
    assert sorted(ranking.order[: len(seen)].tolist()) == seen
    assert ranking.order[len(seen) :].tolist() == unseen
    assert sorted(ranking.order.tolist()) == list(range(30))


def test_a_feature_in_every_probe_cannot_be_judged():
    ranking = Ranking.by(np.array([0.0, -5.0, 3.0]), valid=np.array([False, True, True]))
    assert ranking.order.tolist() == [2, 1, 0]
    everywhere = ranking_of(DependencySteps(n_probes=5, probe_sizes=(3, 3)), RUGGED, blank(3))
    assert everywhere.order.tolist() == [0, 1, 2]


@pytest.mark.parametrize("values", [(0.1, 0.7), (0.9, 0.3)])
def test_a_feature_that_alone_decides_the_value_has_no_deviation_to_divide_by(values):
    """Both deviations are zero: DAF1 is not defined, and rounding must not define it."""
    criterion = FunctionCriterion(lambda members: values[0 in members])
    for seed in range(10):
        ranking = ranking_of(DependencySteps(True, 40, (1, 4)), criterion, blank(8), PortableRng(seed))
        assert ranking.order[-1] == 0 and ranking.scores[0] == 0.0
    assert ranking_of(DependencySteps(False, 40, (1, 4)), criterion, blank(8)).scores[0] == pytest.approx(
        values[1] - values[0]
    )


def test_probe_sizes_are_cut_to_the_features_there_are():
    counting = Counting()
    ranking_of(DependencySteps(n_probes=40, probe_sizes=(1, 50)), counting.criterion, blank(4))
    assert {len(probe) for probe in counting.calls} == {1, 2, 3, 4}


def test_a_search_can_be_matched_by_evaluations():
    searched = run("sSFFS", RUGGED, blank(20), target=4, budget=5, backward_budget=5)
    matched = run("DAF0", RUGGED, blank(20), target=4, probe_sizes=(1, 5), **DependencySteps.matching(searched))
    assert matched.anatomy.ranking == searched.n_evaluations


def test_a_search_can_be_matched_by_cost():
    model = PAPER_COSTS["madelon"]
    searched = run("sSFFS", RUGGED, blank(20), target=4, budget=5, backward_budget=5)
    counting = Counting()
    options = DependencySteps.matching(searched, model)
    run("DAF0", counting.criterion, blank(20), target=4, probe_sizes=(1, 5), **options)
    probes = counting.calls[:-1]
    costs = np.cumsum([model.milliseconds(1, len(probe)) for probe in probes])
    assert costs[-2] < searched.cost(model) <= costs[-1] + 1e-9


def test_the_draws_follow_the_reference_size_first_then_members():
    """Size = lo + rand mod (hi - lo + 1), then the members by linear probing."""
    counting = Counting()
    ranking_of(DependencySteps(n_probes=1, probe_sizes=(1, 50)), counting.criterion, blank(500), ReferenceRng(1))
    twin = ReferenceRng(1)
    size = 1 + twin.output() % 50
    assert counting.calls[0] == tuple(twin.subset(500, size).tolist())


# Curves


@pytest.mark.parametrize("criterion", [RUGGED, KNN()], ids=["function", "knn"])
def test_a_prefix_curve_values_prefixes_in_the_order_asked(criterion):
    rng = np.random.default_rng(1)
    data = Dataset(rng.random((20, 7)), np.arange(20) % 2)
    ranking = Ranking.by(rng.random(7))
    curve = prefix_curve(ranking, criterion, data, [3, 1, 7, 4])
    assert [record.size for record in curve] == [3, 1, 7, 4]
    cursor = criterion.bind(data)
    for record in curve:
        assert record.features.tolist() == sorted(ranking.order[: record.size].tolist())
        assert record.value == cursor.evaluate(record.features)


@pytest.mark.parametrize("size", [0, 8])
def test_a_prefix_has_at_least_one_and_at_most_all_features(size):
    with pytest.raises(ValueError, match="prefix sizes must be from 1 to 7"):
        prefix_curve(Ranking.by(np.zeros(7)), RUGGED, blank(7), [size])


@pytest.mark.parametrize("normalized", [False, True])
@pytest.mark.parametrize("drop_duplicates", [False, True])
@pytest.mark.parametrize("engine", [PortableRng, ReferenceRng])
def test_probes_may_be_drawn_in_blocks(monkeypatch, normalized, drop_duplicates, engine):
    steps = DependencySteps(normalized, n_probes=200, probe_sizes=(1, 4), drop_duplicates=drop_duplicates)
    streams, rankings, calls = [], [], []
    for most in (1 << 22, 100, 1):
        monkeypatch.setattr("sweepless.search.ranking._BLOCK_MEMBERS", most)
        counting, rng = Counting(), engine(5)
        rankings.append(ranking_of(steps, counting.criterion, blank(9), rng))
        calls.append(counting.calls)
        streams.append(rng.uniforms(3).tolist())  # later draws must not notice
    assert calls[0] == calls[1] == calls[2] and len(calls[0]) == 200
    assert rankings[0].scores.tolist() == rankings[1].scores.tolist() == rankings[2].scores.tolist()
    assert streams[0] == streams[1] == streams[2]
