"""Steps of several features at a time: swept, or sampled beyond the paper."""

from __future__ import annotations

from math import comb

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sweepless import Direction, run
from sweepless.engine import PortableRng, ReferenceRng
from sweepless.errors import InputError
from sweepless.search import SampledSteps, TopKProposal, UniformProposal
from sweepless.search.sweep import all_tuples
from sweepless.search.tuples import distinct_tuples
from sweepless.search.walk import Walk
from tests.search.toys import RUGGED, Counting, blank

law = settings(max_examples=40, deadline=None, derandomize=True, database=None)


def test_tuples_are_swept_in_lexicographic_order():
    assert all_tuples(np.array([1, 4, 6, 9]), 2).tolist() == [[1, 4], [1, 6], [1, 9], [4, 6], [4, 9], [6, 9]]
    assert all_tuples(np.array([1, 4, 6]), 1).tolist() == [1, 4, 6]


def test_more_tuples_than_can_be_listed_are_refused():
    with pytest.raises(InputError, match="a sampled method can do with fewer"):
        run("SFS", RUGGED, blank(10_000), tuple_size=2)


def test_a_sampled_search_takes_tuples_where_a_sweep_cannot():
    result = run("sSFS", RUGGED, blank(10_000), tuple_size=2, target=4, budget=30, warm_up=None)
    assert [step.size for step in result.trace] == [2, 4] and result.n_evaluations == 60


@law
@given(
    st.integers(2, 12),
    st.integers(1, 4),
    st.integers(0, 60),
    st.integers(0, 60),
    st.sampled_from([PortableRng, ReferenceRng]),
)
def test_drawn_tuples_are_distinct_ascending_and_as_many_as_asked(n_items, width, n_floor, n_rest, engine):
    width = min(width, n_items)
    total = comb(n_items, width)
    n_floor = min(n_floor, total - 1)
    n_rest = min(n_rest, total - 1 - n_floor)
    weights = np.zeros(n_items)
    weights[0] = 1.0  # hopeless for tuples: must be given up
    parts = [(n_floor, np.arange(width), None), (n_rest, None, weights)]
    drawn = [tuple(row) for row in distinct_tuples(parts, n_items, width, engine(3)).tolist()]
    assert len(drawn) == len(set(drawn)) == n_floor + n_rest
    for row in drawn:
        assert list(row) == sorted(set(row)) and len(row) == width
        assert row[0] >= 0 and row[-1] < n_items
    if n_floor:
        assert drawn[0] == tuple(range(width))


def test_wide_tuples_of_a_small_pool_are_drawn_in_reasonable_time():
    drawn = distinct_tuples([(20, None, None)], 40, 30, PortableRng(0))
    assert len({tuple(row) for row in drawn.tolist()}) == 20


def test_heavier_features_are_in_more_tuples():
    weights = np.array([8.0, 8.0, 8.0] + [1.0] * 17)
    drawn = distinct_tuples([(60, None, weights)], 20, 2, PortableRng(1))
    counts = np.bincount(drawn.ravel(), minlength=20)
    assert counts[:3].min() > counts[3:].max()


@pytest.mark.parametrize("direction", list(Direction))
@pytest.mark.parametrize("proposal", [SampledSteps().proposal, UniformProposal()])
def test_every_feature_of_a_tuple_is_credited(direction, proposal):
    counting = Counting()
    walk = Walk(counting.criterion.bind(blank(12)))
    walk.begin(np.array([2, 5, 6, 7, 9, 11]), valued=False)
    operators = SampledSteps(8, 8, proposal=proposal, tuple_size=3).prepare(walk, PortableRng(2))
    operator, _ = operators.towards(direction)
    step = operator(walk)
    assert len(set(counting.calls)) == len(counting.calls) == step.n_proposed == 8
    assert len(step.features) == 3
    expected = np.zeros(12, dtype=int)
    for members in counting.calls:
        expected[list(members)] += 1
    assert operators.statistics.count_with.tolist() == expected.tolist()
    assert operators.statistics.count_without.tolist() == (8 - expected).tolist()


def test_a_swept_tuple_step_feeds_the_statistics_too():
    result = run("sSFS", RUGGED, blank(5), tuple_size=2, target=2)
    assert result.n_evaluations == 10
    assert np.count_nonzero(result.scores) == 5


def test_the_best_tuples_by_score_are_not_defined():
    with pytest.raises(InputError, match="`tuple_size` must be 1 for a top-k proposal"):
        run("sSFS", RUGGED, blank(9), tuple_size=2, target=4, budget=3, proposal=TopKProposal())
