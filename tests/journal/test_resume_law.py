"""A resumed run equals the uninterrupted one, wherever its journal was cut."""

from __future__ import annotations

from itertools import count, pairwise

import numpy as np
import pytest

from sweepless import METHODS, Dataset, Journal, resume, run
from sweepless.criteria import KNN, FunctionCriterion
from sweepless.journal.lines import scan
from sweepless.search import BudgetFraction, Frozen, HybridSteps, RawMeanStatistics, StopReason, UniformProposal, WarmUp
from sweepless.search.walk import Walk
from tests.journal.twins import CRITERIA, facts, options_of, recorded, resumed_from, small_data


def boundaries(content: bytes) -> list[int]:
    """Where records end, but for the header, without which there is no journal."""
    return [place + 1 for place, byte in enumerate(content) if byte == ord("\n")]


def spread(cuts: list[int], count: int, turn: int = 0) -> list[int]:
    """Choose about `count` cuts evenly over a journal, and the first of them by the turn."""
    stride = max(1, len(cuts) // count)
    return cuts[turn % stride :: stride]


@pytest.mark.parametrize("name", METHODS)
@pytest.mark.parametrize("criterion", ["function", "knn", "multinomial"])
def test_a_run_cut_after_any_record_ends_as_if_it_had_not_been(name, criterion, tmp_path, fine_grained):
    data, J, path = small_data(), CRITERIA[criterion], tmp_path / "run.jsonl"
    options = options_of(name)
    expected = facts(run(name, J, data, **options))
    assert facts(recorded(path, name, J, data, **options)) == expected
    content = path.read_bytes()
    cuts = boundaries(content)
    assert len(cuts) > 5
    # Every kind of cut is met several times: a few per run, at other places in each.
    for cut in spread(cuts, 10 if criterion == "function" else 3, turn=len(name)):
        assert facts(resumed_from(content[:cut], path, J, data)) == expected
        assert scan(path).reason is not None


@pytest.mark.parametrize("name", METHODS)
def test_a_record_torn_at_any_byte_is_done_again(name, tmp_path, fine_grained):
    data, J, path = small_data(), KNN(), tmp_path / "run.jsonl"
    options = options_of(name)
    expected = facts(recorded(path, name, J, data, **options))
    content = path.read_bytes()
    first = boundaries(content)[0]
    for cut in np.random.default_rng(len(name)).integers(first, len(content), 4):
        assert facts(resumed_from(content[:cut], path, J, data)) == expected


@pytest.mark.parametrize("name", ["OS", "DOS", "sOS", "sDOS", "SFFS", "sSBFS"])
@pytest.mark.parametrize("target", [1, 7])
def test_steps_with_nothing_to_try_lose_nothing(name, target, tmp_path):  # of the smallest and of the largest size
    data, J, path = small_data(), CRITERIA["function"], tmp_path / "run.jsonl"
    options = options_of(name) | {"target": target}
    expected = facts(recorded(path, name, J, data, **options))
    content = path.read_bytes()
    for cut in spread(boundaries(content), 5):
        assert facts(resumed_from(content[:cut], path, J, data)) == expected


@pytest.mark.parametrize("name", ["sSFFS", "sOS", "SFFS", "DAF1", "BIF"])
def test_an_estimator_resumes_too(name, tmp_path, fine_grained):
    data, J, path = small_data(5), CRITERIA["estimator"], tmp_path / "run.jsonl"
    options = options_of(name) | ({"n_probes": 8} if name == "DAF1" else {})
    expected = facts(recorded(path, name, J, data, **options))
    content = path.read_bytes()
    for cut in spread(boundaries(content), 4, turn=len(name)):
        assert facts(resumed_from(content[:cut], path, J, data)) == expected


@pytest.mark.parametrize(
    "options",
    [
        {"statistics": RawMeanStatistics()},
        {"statistics": Frozen(), "warm_up": WarmUp(5, 2)},
        {"proposal": UniformProposal(), "budget": BudgetFraction(0.5)},
        {"tuple_size": 2, "target": 6},
        {"rng": "reference", "warm_up": WarmUp(5, 2)},
        {"start": "random", "target": 3},
        {"floor_fraction": 0.4, "temperature": 0.3, "horizon": 4},
    ],
    ids=str,
)
def test_sampled_steps_of_every_kind_resume(options, tmp_path, fine_grained):
    data, path = small_data(), tmp_path / "run.jsonl"
    options = {"budget": 3, "backward_budget": 3} | options
    expected = facts(recorded(path, "sSFFS", KNN(), data, **options))
    content = path.read_bytes()
    for cut in spread(boundaries(content), 10):
        assert facts(resumed_from(content[:cut], path, KNN(), data)) == expected


def test_a_run_killed_again_and_again_still_ends_the_same(tmp_path, fine_grained):
    data, path = small_data(), tmp_path / "run.jsonl"
    options = options_of("sSFFS")
    expected = facts(run("sSFFS", KNN(), data, **options))
    recorded(path, "sSFFS", KNN(), data, **options)
    rng = np.random.default_rng(1)
    for _ in range(15):  # every life leaves a little more, or a little less
        content = path.read_bytes()
        cut = int(rng.integers(boundaries(content)[0], len(content)))
        assert facts(resumed_from(content[:cut], path, KNN(), data)) == expected


@pytest.mark.parametrize("name", ["SFFS", "sSFFS", "DAF0"])
def test_what_is_on_record_is_not_computed_again(name, tmp_path, fine_grained):
    calls = []

    def value(members):
        calls.append(tuple(members))
        return float(np.sin(members + 1.0).sum())

    data, J, path = Dataset(np.zeros((1, 8))), FunctionCriterion(value), tmp_path / "run.jsonl"
    options = options_of(name)
    expected = recorded(path, name, J, data, **options)
    in_order = list(calls)
    assert len(calls) == expected.n_evaluations
    content = path.read_bytes()
    counts = []
    for cut in boundaries(content):
        calls.clear()
        assert facts(resumed_from(content[:cut], path, J, data)) == facts(expected)
        assert calls == in_order[len(in_order) - len(calls) :]  # only the rest, in the same order
        counts.append(len(calls))
    assert counts == sorted(counts, reverse=True)
    assert counts[0] == expected.n_evaluations and counts[-1] == 0
    assert all(before - after <= 1 for before, after in pairwise(counts))  # every value is kept at once


def test_hybrid_steps_resume_when_they_are_given_again(tmp_path, fine_grained):
    from dataclasses import replace

    method = replace(METHODS["SFFS"], steps=HybridSteps(KNN(n_neighbors=3), keep=0.5))
    data, path = small_data(), tmp_path / "run.jsonl"
    expected = facts(recorded(path, method, KNN(), data, target=4))
    assert expected["anatomy"]["filter"] > 0
    content = path.read_bytes()
    for cut in spread(boundaries(content), 10):
        assert facts(resumed_from(content[:cut], path, KNN(), data, method=method)) == expected


# Limits are totals


@pytest.mark.parametrize("limit", [{"max_evaluations": 41}, {"patience": 3}, {"max_size": 4}])
@pytest.mark.parametrize("name", ["SFFS", "sSFFS"])
def test_a_limit_counts_what_is_on_record(name, limit, tmp_path, fine_grained):
    data, path = small_data(), tmp_path / "run.jsonl"
    options = options_of(name) | limit
    expected = facts(recorded(path, name, KNN(), data, **options))
    content = path.read_bytes()
    for cut in spread(boundaries(content), 10):
        assert facts(resumed_from(content[:cut], path, KNN(), data)) == expected


@pytest.mark.parametrize("name", ["SFFS", "sSFFS", "sOS", "DAF0"])
def test_a_run_stopped_by_a_limit_goes_on_with_a_greater_one(name, tmp_path, fine_grained):
    data, path = small_data(), tmp_path / "run.jsonl"
    options = options_of(name)
    expected = facts(run(name, KNN(), data, **options))
    total = expected["anatomy"]["total"]
    for first in range(1, total, max(5, total // 5)):
        stopped = recorded(path, name, KNN(), data, max_evaluations=first, **options)
        assert stopped.stop_reason is StopReason.EVALUATIONS
        again = resume(path, KNN(), data)
        assert facts(again) == facts(stopped)
        assert facts(resume(path, KNN(), data, max_evaluations=None)) == expected
        assert facts(resume(path, KNN(), data)) == expected  # the limits last heard of
        before = path.read_bytes()
        assert facts(resume(path, KNN(), data, max_evaluations=first)) == facts(stopped)  # where it would have ended
        assert path.read_bytes() == before


def test_seconds_add_up_over_resumes(tmp_path):
    data, path = small_data(), tmp_path / "run.jsonl"
    first = recorded(path, "sSFFS", KNN(), data, max_seconds=1e-9, budget=3)
    assert first.stop_reason is StopReason.SECONDS
    before = path.read_bytes()
    assert facts(resume(path, KNN(), data)) == facts(first)
    assert path.read_bytes() == before
    second = resume(path, KNN(), data, max_seconds=60.0)
    assert second.stop_reason is StopReason.COMPLETED
    assert second.seconds > first.seconds
    assert resume(path, KNN(), data).seconds == pytest.approx(second.seconds, abs=0.5)


def test_probes_left_out_for_want_of_time_stay_out(tmp_path, monkeypatch, fine_grained):
    data, path = small_data(), tmp_path / "run.jsonl"
    ticks = count()
    monkeypatch.setattr("time.monotonic", lambda: 0.01 * next(ticks))
    options = {"budget": 3, "backward_budget": 3, "warm_up": WarmUp(200, 2, max_seconds=0.3)}
    expected = recorded(path, "sSFFS", KNN(), data, **options)
    assert 0 < expected.anatomy.warm_up < 200
    content = path.read_bytes()
    kinds = [b'"phase":"probes"' in line for line in content.splitlines()]
    after = boundaries(content)[max(place for place, is_probe in enumerate(kinds) if is_probe)]
    for cut in spread([place for place in boundaries(content) if place >= after], 6):
        assert facts(resumed_from(content[:cut], path, KNN(), data)) == facts(expected)


def test_tighter_limits_end_the_run_where_they_would_have(tmp_path, fine_grained):
    data, path = small_data(), tmp_path / "run.jsonl"
    options = options_of("sSFFS")
    recorded(path, "sSFFS", KNN(), data, **options)
    before = path.read_bytes()
    for limits in ({"max_size": 3}, {"patience": 2}, {"patience": 4, "tol": 0.05}):
        assert facts(resume(path, KNN(), data, **limits)) == facts(run("sSFFS", KNN(), data, **options, **limits))
    assert path.read_bytes() == before


# Ctrl-C


def test_an_interrupted_run_goes_on_when_it_is_resumed(tmp_path, fine_grained):
    data, path = small_data(), tmp_path / "run.jsonl"
    options = options_of("sSFFS")
    expected = facts(run("sSFFS", KNN(), data, **options))
    for patience in range(1, 30, 4):
        left = patience

        def stop(progress):
            nonlocal left
            left -= 1
            if left == 0:
                raise KeyboardInterrupt

        path.unlink(missing_ok=True)
        first = run("sSFFS", KNN(), data, journal=Journal(path), callbacks=[stop], **options)
        assert first.stop_reason is StopReason.INTERRUPTED
        assert facts(resume(path, KNN(), data)) == expected


def test_ctrl_c_between_a_value_and_its_record_loses_only_that_value(tmp_path, monkeypatch):
    data, path = small_data(), tmp_path / "run.jsonl"
    options = options_of("sSFFS")
    expected = facts(run("sSFFS", KNN(), data, **options))
    checked = Walk._finite
    for turn in range(1, 12, 2):
        left = turn

        def interrupted(self, *arguments):
            nonlocal left
            left -= 1
            if left == 0:
                raise KeyboardInterrupt
            return checked(self, *arguments)

        monkeypatch.setattr(Walk, "_finite", interrupted)
        path.unlink(missing_ok=True)
        assert run("sSFFS", KNN(), data, journal=Journal(path), **options).stop_reason is StopReason.INTERRUPTED
        monkeypatch.setattr(Walk, "_finite", checked)
        assert facts(resume(path, KNN(), data)) == expected


def test_callbacks_hear_of_steps_on_record_as_well(tmp_path):
    data, path = small_data(), tmp_path / "run.jsonl"
    result = recorded(path, "sSFFS", KNN(), data, budget=3)
    heard = []
    resume(path, KNN(), data, callbacks=[lambda progress: heard.append(progress.step)])
    assert [step for step in heard if step is not None] == list(result.trace)
