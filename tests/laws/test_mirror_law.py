"""A backward search is the forward search on the complement: J'(X) = J(complement of X).

The mirror has two blind spots, because no subset is empty. The backward search starts from a full set that
it values once and may value again when it retreats to it; the forward search starts from nothing, without a
value. And the forward search may end at the full set, which the backward one cannot mirror. So: the same
features in the same order with the same values at mirrored sizes, as long as the forward search stays
below the full set; and the same price but for the valuations of the full set.
"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.laws.landscapes import landscapes, law, search

OPPOSITE = {"forward": "backward", "backward": "forward", "recall": "recall"}


def mirrored_steps(result, n_features):
    steps = []
    for step in result.trace:
        features = set(step.features.tolist())
        if step.direction == "recall":  # names the subset gone back to, not a change
            features = set(range(n_features)) - features
        steps.append((OPPOSITE[step.direction], n_features - step.size, sorted(features), step.value))
    return steps


def plain_steps(result):
    return [(step.direction, step.size, sorted(step.features.tolist()), step.value) for step in result.trace]


def check_mirror(forward, backward, ground, mirror, target, **options):
    ahead = search(forward, ground, target=target, **options)
    ground.calls.clear()
    mirror.calls.clear()
    back = search(backward, mirror, target=ground.n_features - target, **options)
    full = tuple(range(ground.n_features))
    taken = [step for step in plain_steps(back) if step[1] < ground.n_features]
    assert taken == mirrored_steps(ahead, ground.n_features)
    assert back.n_evaluations - mirror.calls.count(full) == ahead.n_evaluations
    for size, record in ahead.archive.items():
        other = back.archive[ground.n_features - size]
        assert other.value == record.value
        assert set(other.features) == set(full) - set(record.features.tolist())


@law(60)
@given(landscapes(smallest=3), st.sampled_from([1, 1, 2]), st.data())
def test_sbs_mirrors_sfs(ground, width, data):
    n_steps = data.draw(st.integers(1, (ground.n_features - 1) // width))
    check_mirror("SFS", "SBS", ground, ground.mirrored(), n_steps * width, tuple_size=width)


@law(100)
@given(landscapes(smallest=3), st.integers(0, 3), st.sampled_from([1, 1, 2]), st.data())
def test_sbfs_mirrors_sffs_ties_included(ground, overshoot, width, data):
    n_steps = data.draw(st.integers(1, (ground.n_features - 1) // width))
    room = ground.n_features - 1 - n_steps * width
    options = {"overshoot": min(overshoot, room), "tuple_size": width}
    check_mirror("SFFS", "SBFS", ground, ground.mirrored(), n_steps * width, **options)


@law(60)
@given(landscapes(smallest=3, kinds=("random", "peaked")), st.integers(0, 3), st.data())
def test_sbrs_mirrors_sfrs_where_no_values_tie_and_the_full_set_is_worst(ground, overshoot, data):
    """Of equals the smaller is best, which the mirror turns round; and SBRS retreats to the full set."""
    ground.table[0] = ground.table.min() - 1
    target = data.draw(st.integers(1, ground.n_features - 1))
    room = ground.n_features - 1 - target
    check_mirror("SFRS", "SBRS", ground, ground.mirrored(), target, overshoot=min(overshoot, room))


@law(60)
@given(landscapes(smallest=6), st.integers(1, 3), st.integers(0, 2), st.data())
def test_asbfs_mirrors_asffs_away_from_the_full_set(ground, r_max, neighborhood, data):
    target = data.draw(st.integers(1, ground.n_features - r_max - 1))
    options = {"overshoot": 0, "r_max": r_max, "neighborhood": neighborhood}
    check_mirror("ASFFS", "ASBFS", ground, ground.mirrored(), target, **options)


@pytest.mark.parametrize("forward, backward", [("SFS", "SBS"), ("SFFS", "SBFS"), ("SFRS", "SBRS"), ("ASFFS", "ASBFS")])
def test_the_names_are_the_same_schedule_in_two_directions(forward, backward):
    from sweepless import METHODS

    assert METHODS[forward].schedule is METHODS[backward].schedule
    assert METHODS[forward].direction.opposite is METHODS[backward].direction
