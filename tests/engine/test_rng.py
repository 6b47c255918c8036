"""Random draws: published vectors, pinned streams, exact laws, seeds refused."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

import numpy as np
import pytest
from scipy.stats import chisquare

from sweepless import Dataset, RandomSplits
from sweepless.engine import PortableRng, ReferenceRng
from sweepless.engine.generator import make_rng
from sweepless.engine.subsets import chosen, chosen_by_sorting
from sweepless.errors import InputError
from tests.reference.lcg import Lcg

STREAMS = ["split", "warm_up", "steps", "start"]
UNLIKELY = 1e-3  # the seeds are fixed: a test passes always or never

# The reference generator


@pytest.mark.parametrize(
    ("seed", "outputs"),
    [
        (1, [41, 18467, 6334, 26500, 19169, 15724, 11478, 29358, 26962, 24464]),
        (2, [45, 29216, 24198, 17795, 29484, 19650]),
        (3, [48, 7196, 9294, 9091, 7031, 23577]),
    ],
)
def test_the_reference_generator_has_the_published_outputs(seed, outputs):
    rng, lcg = ReferenceRng(seed), Lcg(seed)
    assert [rng.output() for _ in outputs] == outputs == [lcg.output() for _ in outputs]
    assert ReferenceRng(seed).uniforms(4).tolist() == [output / 32768 for output in outputs[:4]]


@pytest.mark.parametrize(
    ("n_items", "size", "subset"),
    [
        (20, 5, [0, 1, 7, 9, 14]),
        (500, 10, [0, 41, 169, 224, 334, 358, 462, 464, 467, 478]),
    ],
)
def test_the_reference_subsets_are_the_published_ones(n_items, size, subset):
    assert ReferenceRng(1).subset(n_items, size).tolist() == subset == Lcg(1).subset(n_items, size)


def test_reference_subsets_equal_the_naive_ones_for_many_seeds():
    for seed in range(50):
        n_items = 1 + seed
        size = seed * 7 % (n_items + 1)
        assert ReferenceRng(seed).subset(n_items, size).tolist() == Lcg(seed).subset(n_items, size)


def test_reference_subsets_go_around_the_circle_as_the_naive_ones_do():
    rng, lcg = ReferenceRng(5), Lcg(5)
    for n_items in range(1, 12):
        sizes = (n_items // 2, n_items)
        expected = [lcg.subset(n_items, sizes[0] + lcg.output() % (sizes[1] - sizes[0] + 1)) for _ in range(200)]
        assert [subset.tolist() for subset in rng.subsets(n_items, sizes, 200)] == expected


@pytest.mark.parametrize(("n_items", "size"), [(100, 33), (5000, 400), (5000, 4990), (32768, 200)])
def test_large_reference_subsets_equal_the_naive_ones(n_items, size):
    rng, lcg = ReferenceRng(3), Lcg(3)
    for _ in range(2):
        assert rng.subset(n_items, size).tolist() == lcg.subset(n_items, size)
    assert rng.uniforms(200).tolist() == [lcg.uniform() for _ in range(200)]
    assert rng.output() == lcg.output()


def test_all_streams_of_the_reference_are_one():
    rng = ReferenceRng(1)
    assert [rng.stream(name).output() for name in STREAMS] == [41, 18467, 6334, 26500]


@pytest.mark.parametrize(
    ("sizes", "percent", "train", "test"),
    [
        ([10], (50, 50), [0, 1, 4, 7, 9], [2, 3, 5, 6, 8]),
        ([11], (50, 50), [1, 7, 8, 9, 10], [0, 2, 3, 4, 5, 6]),
        ([20], (50, 40), [0, 1, 2, 4, 5, 7, 9, 14, 18, 19], [3, 10, 11, 12, 13, 15, 16, 17]),
        ([10], (80, 20), [0, 2, 3, 4, 5, 6, 8, 9], [1, 7]),
        ([6, 7], (50, 50), [0, 4, 5, 8, 9, 11], [1, 2, 3, 6, 7, 10, 12]),
    ],
)
def test_reference_splits_are_the_published_ones(sizes, percent, train, test):
    y = np.repeat(np.arange(len(sizes)), sizes)
    data = Dataset(np.arange(len(y), dtype=float)[:, None], y)
    split = next(RandomSplits(1, *percent).split(data, ReferenceRng(1)))
    assert split.train.tolist() == train
    assert split.test.tolist() == test


# The portable generator


@pytest.mark.parametrize(
    ("stream", "uniforms", "subset", "below"),
    [
        ("split", ["0x1.36da89edd58a0p-2", "0x1.b289f407757c1p-1"], [34, 35, 113, 159, 265, 410], 79111),
        ("warm_up", ["0x1.33d1b1836b498p-4", "0x1.f7b3fee892664p-1"], [135, 305, 324, 400, 449, 495], 960201),
        ("steps", ["0x1.3cbd0c4ed54dap-2", "0x1.6d85ef8c867fcp-2"], [50, 62, 153, 190, 235, 495], 844847),
        ("start", ["0x1.45e316a29e6a9p-1", "0x1.3d284d91b4e47p-1"], [47, 71, 193, 222, 303, 351], 929791),
    ],
)
def test_the_streams_of_seed_one_are_pinned(stream, uniforms, subset, below):
    rng = PortableRng(1, stream)
    assert [value.hex() for value in rng.uniforms(2).tolist()] == uniforms
    assert rng.subset(500, 6).tolist() == subset
    assert rng.below(10**6) == below


def test_uniforms_are_the_upper_53_bits_of_the_words():
    words = np.random.Philox(key=np.array([1, 2], dtype=np.uint64)).random_raw(100)
    expected = [(int(word) >> 11) / 2**53 for word in words]
    assert PortableRng(1, "steps").uniforms(100).tolist() == expected


def test_uniforms_do_not_depend_on_how_many_are_asked_for_at_once():
    whole, parts = PortableRng(4), PortableRng(4)
    assert whole.uniforms(10).tolist() == [float(parts.uniforms(1)[0]) for _ in range(10)]
    assert whole.uniforms(0).tolist() == []


def test_named_streams_are_independent_of_one_another_and_of_the_seed_next_door():
    first = {(seed, name): PortableRng(seed, name).uniforms(500) for seed in (0, 1) for name in STREAMS}
    for (a, left), (b, right) in combinations(first.items(), 2):
        assert abs(np.corrcoef(left, right)[0, 1]) < 0.2, (a, b)
        assert not np.isin(left, right).any()


def test_a_stream_does_not_feel_what_the_others_have_drawn():
    busy, idle = PortableRng(5), PortableRng(5)
    busy.stream("split").uniforms(1000)
    busy.uniforms(1000)
    assert busy.stream("warm_up").uniforms(5).tolist() == idle.stream("warm_up").uniforms(5).tolist()


def test_portable_subsets_are_exactly_uniform():
    rng = PortableRng(6)
    n_runs = 10000
    found = Counter(tuple(rng.subset(6, 3).tolist()) for _ in range(n_runs))
    subsets = list(combinations(range(6), 3))
    assert set(found) == set(subsets)
    assert chisquare([found[subset] for subset in subsets]).pvalue > UNLIKELY


@pytest.mark.parametrize("bound", [1, 2, 3, 7, 10])
def test_whole_numbers_are_uniform_below_the_bound(bound):
    rng = PortableRng(7)
    found = np.bincount([rng.below(bound) for _ in range(3000)], minlength=bound)
    assert len(found) == bound
    assert bound == 1 or chisquare(found).pvalue > UNLIKELY


def test_a_bound_that_does_not_divide_the_words_rejects_the_rest():
    bound = 3 * 2**62  # a quarter of the words is beyond the last whole interval
    rng = PortableRng(8)
    words = iter(np.random.Philox(key=np.array([8, 2], dtype=np.uint64)).random_raw(200).tolist())
    for _ in range(50):
        assert rng.below(bound) == next(word for word in words if word < bound)


def one_by_one(rng, n_items, size):
    """Floyd's algorithm with one draw at a time."""
    chosen = set()
    for last in range(n_items - size, n_items):
        item = rng.below(last + 1)
        chosen.add(last if item in chosen else item)
    return sorted(chosen)


@pytest.mark.parametrize(
    ("n_items", "size"),
    [(1, 1), (40, 32), (40, 33), (40, 40), (500, 60), (3000, 45), (3000, 47), (3000, 2990), (100_000, 900), (50, 0)],
)
def test_subsets_drawn_at_once_are_those_drawn_one_by_one(n_items, size):
    at_once, slowly = PortableRng(10), PortableRng(10)
    for _ in range(5):
        assert at_once.subset(n_items, size).tolist() == one_by_one(slowly, n_items, size)
    assert at_once.below(10**9) == slowly.below(10**9), "as many words must have been used"


class Scripted:
    """Words as written down, then others."""

    def __init__(self, words):
        self.words = [*words, *range(7, 10**6, 13)]

    def random_raw(self, count=None):
        taken, self.words = self.words[: count or 1], self.words[count or 1 :]
        return taken[0] if count is None else np.array(taken, dtype=np.uint64)


@pytest.mark.parametrize("n_rejected", [1, 2, 5])
@pytest.mark.parametrize("at", [0, 3, 39])
def test_words_beyond_the_last_whole_interval_are_passed_over(at, n_rejected):
    at_once, slowly = PortableRng(1), PortableRng(1)
    # Bounds 1001 to 1040; 2**64 - 1 is refused by all but the powers of two, 2**64 - 1000 by some.
    words = [*range(at), *[2**64 - 1] * n_rejected, 2**64 - 1000, 5, 2**64 - 1000]
    at_once._words, slowly._words = Scripted(words), Scripted(words)
    assert at_once.subset(1040, 40).tolist() == one_by_one(slowly, 1040, 40)
    assert at_once.below(1000) == slowly.below(1000)


# Both


@pytest.mark.parametrize("name", ["portable", "reference"])
def test_picks_are_ascending_and_only_from_what_is_marked(name):
    rng = make_rng(name, 9)
    marked = np.arange(30) % 3 == 1
    for count in range(11):
        picked = rng.pick(marked, count)
        assert len(picked) == count
        assert np.all(np.diff(picked) > 0)
        assert marked[picked].all()
    assert marked.sum() == 10, "picking must not change the mask"


@pytest.mark.parametrize("name", ["portable", "reference"])
def test_more_than_there_is_cannot_be_picked(name):
    with pytest.raises(InputError, match="the number to pick must be from 0 to 3, got 4"):
        make_rng(name, 0).subset(3, 4)
    with pytest.raises(InputError, match="the number to pick must be from 0 to 3, got -1"):
        make_rng(name, 0).subset(3, -1)


@pytest.mark.parametrize("engine", [PortableRng, ReferenceRng])
@pytest.mark.parametrize("seed", [-1, 2**64, 1.0, "1", None, True])
def test_what_is_no_seed_is_refused(engine, seed):
    with pytest.raises(InputError, match="`seed` must be an integer from 0 to"):
        engine(seed)


def test_seeds_reach_to_the_last_word():
    assert PortableRng(2**64 - 1).uniforms(1)[0] != PortableRng(0).uniforms(1)[0]
    assert PortableRng(np.int64(5)).uniforms(1)[0] == PortableRng(5).uniforms(1)[0]
    assert ReferenceRng(2**32 - 1).output() == Lcg(2**32 - 1).output()
    with pytest.raises(InputError, match="from 0 to 4294967295, got 4294967296"):
        ReferenceRng(2**32)


def test_engines_are_made_by_name():
    assert isinstance(make_rng("portable", 1), PortableRng)
    assert isinstance(make_rng("reference", 1), ReferenceRng)
    with pytest.raises(InputError) as caught:
        make_rng("mersenne", 1)
    assert str(caught.value) == "`rng` must be one of portable, reference, got 'mersenne'."


@pytest.mark.parametrize("engine", ["portable", "reference"])
def test_a_generator_goes_on_from_a_position(engine):
    rng = make_rng(engine, 7)
    for count in range(1, 9):
        rng.uniforms(count)
        rng.below(1000)
        rng.subset(50, 3)
        other = make_rng(engine, 7)
        other.seek(rng.position)
        assert other.position == rng.position
        place = rng.position
        assert np.array_equal(other.uniforms(9), rng.uniforms(9))
        rng.seek(place)


@pytest.mark.parametrize("engine", [PortableRng, ReferenceRng])
@pytest.mark.parametrize(
    ("n_items", "sizes", "count"), [(30, (1, 30), 300), (30, (7, 7), 50), (2000, (1, 50), 100), (3, (3, 3), 4)]
)
def test_many_subsets_are_those_drawn_one_by_one(monkeypatch, engine, n_items, sizes, count):
    one_by_one = engine(11)
    expected = [
        one_by_one.subset(n_items, sizes[0] + one_by_one.below(sizes[1] - sizes[0] + 1)).tolist() for _ in range(count)
    ]
    after = one_by_one.uniforms(3).tolist()
    for marks in (1 << 21, 40 * n_items, n_items):  # all at once, in parts, too few to be worth it
        monkeypatch.setattr("sweepless.engine.portable._MARKS", marks)
        monkeypatch.setattr("sweepless.engine.reference._STATES", (marks // n_items) * (1 + sizes[1]))
        together = engine(11)
        assert [subset.tolist() for subset in together.subsets(n_items, sizes, count)] == expected
        assert together.uniforms(3).tolist() == after


def test_a_word_that_may_be_rejected_is_drawn_one_by_one(monkeypatch):
    expected = [subset.tolist() for subset in PortableRng(3).subsets(40, (1, 9), 40)]
    monkeypatch.setattr("sweepless.engine.portable._LAST_WORD", np.uint64(2**63))  # half of all words look like it
    monkeypatch.setattr(PortableRng, "_below_each", None)
    assert [subset.tolist() for subset in PortableRng(3).subsets(40, (1, 9), 40)] == expected


@pytest.mark.parametrize("n_again", [0, 1, 7])
def test_a_sparse_subset_is_chosen_alike_by_sorting(n_again):
    draws = np.random.default_rng(n_again)
    for _ in range(50):
        start, size = 400, 60
        items = draws.permutation(start)[:size]
        for place in draws.integers(1, size, n_again):
            # An item that was drawn before, or the last one that a repeated item before this one stood for.
            items[place] = items[draws.integers(place)] if draws.random() < 0.7 else start + draws.integers(place)
        assert chosen_by_sorting(items.copy(), start).tolist() == chosen(items.tolist(), start).tolist()


def test_a_position_beyond_64_bits_is_told():
    rng = PortableRng(4)
    for position in (0, 5, 2**66 + 3, 2**140 + 1):
        rng.seek(position)
        assert rng.position == position
