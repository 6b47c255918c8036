"""Each published search takes the steps, keeps the records and pays the price of its plain twin."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

import tests.laws.naive_searches as naive
from tests.laws.landscapes import landscapes, law, records_of, search, steps_of

LIMITS = st.sampled_from([None, 0, 1, 2, 5])
WIDTHS = st.sampled_from([1, 1, 2])


def same(result, diary):
    assert steps_of(result) == diary.steps
    assert records_of(result) == diary.best
    assert result.n_evaluations == diary.n_evaluations
    champion = max(diary.best.items(), key=lambda item: (item[1][0], -item[0]))
    if result.target not in diary.best:
        assert (result.size, result.value) == (champion[0], champion[1][0])


def multiples(width, n_features):
    return st.none() | st.integers(1, n_features // width).map(lambda k: k * width)


@law(60)
@given(landscapes(), st.data())
def test_sfs(ground, data):
    width = data.draw(WIDTHS)
    target = data.draw(multiples(width, ground.n_features))
    same(
        search("SFS", ground, target=target, tuple_size=width),
        naive.sfs(ground.value, ground.n_features, target, width),
    )


@law(60)
@given(landscapes(smallest=3, largest=8), WIDTHS, st.data())
def test_sbs(ground, width, data):
    n_steps = data.draw(st.integers(1, (ground.n_features - 1) // width))
    target = data.draw(st.sampled_from([None, ground.n_features - n_steps * width]))
    same(
        search("SBS", ground, target=target, tuple_size=width),
        naive.sbs(ground.value, ground.n_features, target, width),
    )


@law(150)
@given(landscapes(), st.integers(0, 3), st.sampled_from([0.0, 0.0, 0.3, 1.0]), st.data())
def test_fbed(ground, n_returns, min_gain, data):
    width = data.draw(WIDTHS)
    target = data.draw(multiples(width, ground.n_features))
    same(
        search("FBED", ground, target=target, n_returns=n_returns, min_gain=min_gain, tuple_size=width),
        naive.fbed(ground.value, ground.n_features, target, n_returns, min_gain, width),
    )


@law(120)
@given(landscapes(), LIMITS, st.data())
def test_sffs(ground, overshoot, data):
    width = data.draw(WIDTHS)
    target = data.draw(multiples(width, ground.n_features))
    same(
        search("SFFS", ground, target=target, overshoot=overshoot, tuple_size=width),
        naive.sffs(ground.value, ground.n_features, target, overshoot, width),
    )


@law(60)
@given(landscapes(smallest=4), LIMITS, st.data())
def test_sffs_from_a_given_start_records_what_lies_behind_it_without_going_there(ground, overshoot, data):
    start = data.draw(st.permutations(range(ground.n_features)))[: data.draw(st.integers(1, 3))]
    target = data.draw(st.none() | st.integers(len(start), ground.n_features))
    same(
        search("SFFS", ground, target=target, overshoot=overshoot, start=start),
        naive.sffs(ground.value, ground.n_features, target, overshoot, start=start),
    )


@law(60)
@given(landscapes(largest=8), LIMITS, st.data())
def test_sfrs(ground, overshoot, data):
    width = data.draw(WIDTHS)
    target = data.draw(multiples(width, ground.n_features))
    same(
        search("SFRS", ground, target=target, overshoot=overshoot, tuple_size=width),
        naive.sfrs(ground.value, ground.n_features, target, overshoot, width),
    )


@law(80)
@given(
    landscapes(largest=8),
    st.sampled_from(["(l,r)", "G(l,r)"]),
    st.sampled_from([(1, 0), (2, 1), (3, 1), (3, 2), (2, 0), (0, 1), (1, 2), (1, 3), (0, 2)]),
    st.data(),
)
def test_plus_l_minus_r(ground, name, depths, data):
    l, r = depths  # noqa: E741
    target = data.draw(st.integers(1, ground.n_features - (r > l)))
    same(
        search(name, ground, target=target, l=l, r=r),
        naive.plus_minus(ground.value, ground.n_features, target, l, r, name == "G(l,r)"),
    )


@law(80)
@given(landscapes(), st.integers(1, 3), WIDTHS, st.data())
def test_os_restarts_every_swing_from_the_pivot(ground, max_depth, width, data):
    order = data.draw(st.permutations(range(ground.n_features)))
    start = order[: data.draw(st.integers(1, ground.n_features))]
    result = search("OS", ground, start=start, max_depth=max_depth, tuple_size=width)
    diary, pivot, value = naive.oscillate(ground.value, ground.n_features, start, max_depth, width)
    same(result, diary)
    assert (tuple(result.features), result.value) == (tuple(sorted(pivot)), value)


@law(40)
@given(landscapes(), st.integers(1, 4), st.data())
def test_reusing_the_ends_of_swings_finds_the_same_pivot_for_less(ground, max_depth, data):
    order = data.draw(st.permutations(range(ground.n_features)))
    start = order[: data.draw(st.integers(1, ground.n_features))]
    fresh = search("OS", ground, start=start, max_depth=max_depth)
    reused = search("OS", ground, start=start, max_depth=max_depth, reuse_ends=True)
    assert records_of(fresh) == records_of(reused)
    assert reused.n_evaluations <= fresh.n_evaluations


@law(80)
@given(landscapes(), st.integers(1, 3), WIDTHS)
def test_dos(ground, max_depth, width):
    result = search("DOS", ground, max_depth=max_depth, tuple_size=width)
    diary, pivot, value = naive.dynamic_oscillate(ground.value, ground.n_features, max_depth, width)
    same(result, diary)
    assert (tuple(result.features), result.value) == (tuple(sorted(pivot)), value)


@law(100)
@given(landscapes(), LIMITS, st.integers(1, 4), st.integers(0, 3), st.data())
def test_asffs(ground, overshoot, r_max, neighborhood, data):
    target = data.draw(st.integers(1, ground.n_features))
    same(
        search("ASFFS", ground, target=target, overshoot=overshoot, r_max=r_max, neighborhood=neighborhood),
        naive.asffs(ground.value, ground.n_features, target, overshoot, r_max, neighborhood),
    )
