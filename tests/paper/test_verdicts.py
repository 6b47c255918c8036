"""Verdicts: equal to the printed digits, within a stated distance, or not."""

from __future__ import annotations

import pytest

from sweepless.paper.measures import Arm, NotRun, Runs, paired, ratio, value
from sweepless.paper.printed import Printed, written
from tests.paper.hand_made import cell, run_of

SOME = Arm("toy", "some", (1, 2, 3))


def constant(number):
    return lambda runs: number


def judged(number, ours, **options):
    return Printed("C1", "a number", number, constant(ours), **options).judged(Runs({}))


@pytest.mark.parametrize(
    ("number", "ours", "verdict"),
    [
        (".866", 0.86612, "equal"),
        (".866", 0.8665, "equal"),
        (".866", 0.86651, "differs"),
        (".885025", 0.8850246, "equal"),
        ("77.6", 77.614, "equal"),
        ("2,200", 2200, "equal"),
        ("2,200", 2201, "differs"),
        ("-.004", -0.0041, "equal"),
        ("36", 35, "differs"),
    ],
)
def test_equal_means_the_same_after_rounding_to_the_printed_digits(number, ours, verdict):
    assert judged(number, ours).verdict == verdict


def test_within_is_a_distance_that_the_claim_states():
    assert judged(".895", 0.9046, within=0.01).verdict == "within"
    assert judged(".895", 0.9056, within=0.01).verdict == "differs"


@pytest.mark.parametrize(
    ("number", "ours", "verdict"), [("≥ .98", 0.98, "within"), ("≥ .98", 0.979, "differs"), ("≤ .01", 0.004, "within")]
)
def test_a_bound_holds_or_not(number, ours, verdict):
    assert judged(number, ours).verdict == verdict


def test_the_reason_is_given_only_where_the_numbers_differ():
    assert judged(".5", 0.5, note="why").note == ""
    assert judged(".5", 0.6, note="why").note == "why"


def test_no_difference_is_written_as_nothing_else():
    claim = judged("501", 501.0)
    assert (claim.ours, claim.difference, claim.verdict) == ("501", "0", "equal")


def test_ours_has_two_digits_more_than_the_paper():
    claim = judged(".866", 0.86612345)
    assert (claim.ours, claim.paper, claim.difference) == (".86612", ".866", "+.00012")
    assert judged("9,810", 9810).ours == "9,810"
    assert written(-0.25, 2, "+") == "−.25"


def test_cells_that_were_not_run_leave_the_number_open():
    runs = Runs({"toy": run_of("toy", [cell("some", 1, [20])])})
    claim = Printed("C1", "mean", ".500", SOME.value(20)).judged(runs)
    assert claim.verdict == "not computed" and claim.ours is None
    assert claim.note == "needs some on seeds 2–3"


def test_where_a_distance_is_allowed_fewer_seeds_will_do_and_are_named():
    runs = Runs({"toy": run_of("toy", [cell("some", 1, [20])])})
    claim = Printed("C1", "mean", ".500", SOME.value(20), within=0.01).judged(runs)
    assert claim.verdict == "within"  # never equal: the paper's number is of three seeds
    assert claim.note == "some: seed 1 only"


def test_fewer_seeds_say_nothing_against_the_paper():
    runs = Runs({"toy": run_of("toy", [cell("some", 1, [20])])})
    for number, within in ((".900", 0.01), ("≥ .900", None)):
        claim = Printed("C1", "mean", number, SOME.value(20), within=within).judged(runs)
        assert (claim.verdict, claim.note) == ("not computed", "some: seed 1 only")


def test_means_are_over_the_seeds_of_the_arm():
    cells = [cell("some", seed, [20], lambda arm, seed, size: seed / 10) for seed in (1, 2, 3, 4)]
    runs = Runs({"toy": run_of("toy", cells)})
    assert SOME.value(20)(runs) == pytest.approx(0.2)
    assert SOME.on(4).value(20)(runs) == pytest.approx(0.4)
    assert SOME.holdout(20)(runs) == pytest.approx(0.1)
    assert SOME.each(lambda one: value(one, 20), max)(runs) == pytest.approx(0.3)


def test_evaluations_are_counted_without_warm_up():
    runs = Runs({"toy": run_of("toy", [cell("some", 1, [20], n_evaluations=77_814, warm_up=200)])})
    assert SOME.on(1).thousands()(runs) == pytest.approx(77.614)


def test_pairs_are_of_equal_seeds():
    def worth(arm, seed, size):
        return seed / 10 if arm == "some" else seed / 20

    cells = [cell(arm, seed, [20], worth) for arm in ("some", "other") for seed in (1, 2, 3)]
    runs = Runs({"toy": run_of("toy", cells)})
    other = Arm("toy", "other", (1, 2, 3))
    assert paired(SOME, other, lambda one: value(one, 20), max)(runs) == pytest.approx(0.15)
    assert ratio(SOME.value(20), other.value(20))(runs) == pytest.approx(2.0)


def test_a_size_that_is_not_reported_is_missing():
    runs = Runs({"toy": run_of("toy", [cell("some", 1, [20])])})
    with pytest.raises(NotRun, match="size 21 of some"):
        SOME.on(1).value(21)(runs)
