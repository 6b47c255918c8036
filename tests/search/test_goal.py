"""How far a search goes: target, overshoot, borders (A16, A18)."""

from __future__ import annotations

import pytest

from sweepless import Direction, run
from sweepless.search import StopReason
from sweepless.search.route import Goal
from tests.search.toys import RISING, RUGGED, blank

ADD, REMOVE = Direction.ADD, Direction.REMOVE


@pytest.mark.parametrize(
    "direction, target, overshoot, limit",
    [
        (ADD, 4, 0, 4),
        (ADD, 4, 5, 9),
        (ADD, 4, None, 12),
        (ADD, 10, 5, 12),
        (ADD, 12, 0, 12),
        (ADD, None, 0, 12),
        (ADD, None, None, 12),
        (REMOVE, 4, 0, 4),
        (REMOVE, 8, 5, 3),
        (REMOVE, 4, 5, 1),
        (REMOVE, 4, None, 1),
        (REMOVE, None, 5, 1),
    ],
)
def test_limit(direction, target, overshoot, limit):
    assert Goal(direction, 12, target, overshoot).limit == limit


def test_remaining_and_reached_are_seen_in_the_primary_direction():
    up, down = Goal(ADD, 12, 4, 2), Goal(REMOVE, 12, 4, 2)
    assert [up.remaining(size) for size in (0, 6, 7)] == [6, 0, -1]
    assert [down.remaining(size) for size in (12, 2, 1)] == [10, 0, -1]
    assert not up.reached(5) and up.reached(6)
    assert not down.reached(3) and down.reached(2)


def test_a_tuple_that_would_pass_the_limit_is_not_taken():
    goal = Goal(ADD, 12, 4, 1, tuple_size=2)
    assert not goal.reached(2) and goal.reached(4)


@pytest.mark.parametrize("overshoot, largest", [(0, 3), (1, 4), (5, 8), (None, 10)])
def test_a_floating_search_goes_past_the_target_by_the_overshoot(overshoot, largest):
    result = run("SFFS", RISING, blank(10), target=3, overshoot=overshoot)
    assert max(result.archive) == largest
    assert (result.size, result.stop_reason) == (3, StopReason.TARGET)


@pytest.mark.parametrize("overshoot, smallest", [(0, 4), (2, 2), (5, 1), (None, 1)])
def test_a_backward_floating_search_goes_below_the_target_by_the_overshoot(overshoot, smallest):
    result = run("SBFS", RISING, blank(7), target=4, overshoot=overshoot)
    assert (min(result.archive), max(result.archive)) == (smallest, 7)


def test_a_straight_search_never_goes_past_its_target():
    assert max(run("SFS", RUGGED, blank(9), target=3, overshoot=5).archive) == 3


def test_without_a_target_the_best_of_all_sizes_wins_and_of_equals_the_smallest():
    result = run("SFS", RISING, blank(5))
    assert (result.size, result.stop_reason) == (5, StopReason.COMPLETED)
    flat = run("SFS", type(RISING)(lambda members: 1.0), blank(5))
    assert (flat.size, list(flat.archive)) == (1, [1, 2, 3, 4, 5])


def test_the_frontier_may_come_back_and_then_the_search_goes_on():
    """Reaching the limit is no end: only a subset that is still there after its retreat ends the search."""
    value = {(0,): 5, (0, 1): 6, (0, 1, 2): 7, (1, 2): 8, (1, 2, 3): 9, (2, 3): 7}
    result = run("SFFS", type(RISING)(lambda members: value.get(tuple(members), 0)), blank(4), target=3, overshoot=0)
    assert [(step.direction, step.size) for step in result.trace] == [
        ("forward", 1),
        ("forward", 2),
        ("forward", 3),
        ("backward", 2),
        ("forward", 3),
    ]
    assert result.features.tolist() == [1, 2, 3]
