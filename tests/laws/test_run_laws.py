"""What holds for every search on every landscape, whatever its steps are."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sweepless import METHODS, Dataset, run
from sweepless.criteria import KNN
from sweepless.engine import PortableRng
from sweepless.search import SampledSteps, StopReason, UniformProposal, WarmUp
from sweepless.search.methods import CLASSIC, OTHERS
from sweepless.search.sampled import sweep_cost
from sweepless.search.step import Operators
from tests.laws.landscapes import arguments, budgets, landscape, landscapes, law, records_of, search, steps_of

TWINS = [f"s{name}" for name in CLASSIC]
SEARCHES = [*CLASSIC, *TWINS]
KNN_RUNS = ["SFS", "SBFS", "SFFS", "sSFFS", "sSBS", "SFRS", "sDOS", "ASFFS", "G(l,r)"]


@pytest.fixture(scope="module")
def small_data() -> Dataset:
    rng = np.random.default_rng(3)
    X = rng.integers(0, 4, (24, 6)) / 3.0
    return Dataset(X, (X[:, 1] + X[:, 4] > 1).astype(int))


def drawn_run(data: Any, name: str, ground: Any) -> dict[str, Any]:
    """Draw arguments; for a stochastic search also budgets, and perhaps a warm-up."""
    chosen = data.draw(arguments(name, ground.n_features))
    if name in TWINS:
        chosen |= data.draw(budgets()) | {"seed": data.draw(st.integers(0, 99))}
        chosen["warm_up"] = data.draw(st.sampled_from([None, WarmUp(5, 2)]))
    return chosen


# Substitution


@pytest.mark.parametrize("name", CLASSIC)
@law(25)
@given(ground=landscapes(largest=8), data=st.data())
def test_with_a_budget_for_all_the_twin_takes_exactly_the_steps_of_the_classic(name, ground, data):
    chosen = data.draw(arguments(name, ground.n_features))
    everything = data.draw(st.sampled_from([None, 10_000]))
    classic = search(name, ground, **chosen)
    twin = search(f"s{name}", ground, budget=everything, backward_budget=everything, **chosen)
    assert steps_of(twin) == steps_of(classic)
    assert records_of(twin) == records_of(classic)
    assert twin.anatomy == classic.anatomy
    assert twin.stop_reason is classic.stop_reason
    assert [step.n_proposed for step in twin.trace] == [step.n_proposed for step in classic.trace]


@pytest.mark.parametrize("name", CLASSIC)
def test_substitution_holds_on_data(name, small_data):
    options: dict[str, Any] = {"target": 3} if METHODS[name].traits.needs_target else {}
    if METHODS[name].traits.pivots:
        options["start"] = [0, 2, 5]
    classic = run(name, KNN(), small_data, **options)
    twin = run(f"s{name}", KNN(), small_data, budget=None, backward_budget=10_000, **options)
    assert steps_of(twin) == steps_of(classic)
    assert twin.anatomy == classic.anatomy


# J is a function of the set


@pytest.mark.parametrize("name", [*SEARCHES, "BIF", "LFS", "FBED"])
@law(12)
@given(ground=landscapes(), data=st.data())
def test_every_recorded_value_is_the_value_of_its_subset(name, ground, data):
    result = search(name, ground, **({} if name in OTHERS else drawn_run(data, name, ground)))
    for size, record in result.archive.items():
        assert len(record.features) == size == record.size
        assert list(record.features) == sorted(set(record.features.tolist()))
        assert record.value == ground.value(record.features)


@pytest.mark.parametrize("name", KNN_RUNS)
def test_values_on_data_do_not_depend_on_the_path(name, small_data):
    options: dict[str, Any] = {"target": 4} if METHODS[name].traits.needs_target else {}
    if name.startswith("s"):
        options |= {"budget": 3, "backward_budget": 3}
    result = run(name, KNN(), small_data, **options)
    for record in result.archive.values():
        assert record.value == KNN().bind(small_data).evaluate(record.features)


@pytest.mark.parametrize("name", [*SEARCHES, *OTHERS])
@law(6)
@given(ground=landscapes(), data=st.data())
def test_the_same_seed_gives_the_same_trajectory(name, ground, data):
    chosen = {"target": 1} if name in OTHERS else drawn_run(data, name, ground)
    if name.startswith("DAF"):
        chosen |= {"n_probes": 30, "probe_sizes": (1, 3)}
    one, other = search(name, ground, **chosen), search(name, ground, **chosen)
    assert steps_of(one) == steps_of(other)
    assert one.anatomy == other.anatomy
    assert one.scores is None or np.array_equal(one.scores, other.scores)


# Books


@pytest.mark.parametrize("name", SEARCHES)
@law(15)
@given(ground=landscapes(), data=st.data())
def test_the_archive_is_the_trace_replayed_and_only_improves(name, ground, data):
    chosen = drawn_run(data, name, ground)
    best_values = []
    result = search(name, ground, callbacks=[lambda progress: best_values.append(progress.best_value)], **chosen)
    best: dict[int, float] = {}
    if result.anatomy.start:
        start = chosen.get("start", range(ground.n_features))
        best[len(start)] = ground.value(start)
    for step in result.trace:
        best[step.size] = max(best.get(step.size, -np.inf), step.value)
    assert {size: record.value for size, record in result.archive.items()} == best
    assert best_values == sorted(best_values)
    for record in result.archive.values():
        assert record.n_evaluations <= result.n_evaluations


@pytest.mark.parametrize("name", [*SEARCHES, *OTHERS])
@law(15)
@given(ground=landscapes(), data=st.data())
def test_every_call_of_the_criterion_is_paid_and_nothing_else(name, ground, data):
    chosen = {} if name in OTHERS else drawn_run(data, name, ground)
    if name.startswith("DAF"):
        chosen = {"n_probes": 30, "probe_sizes": (1, 3)}
    ground.calls.clear()
    result = search(name, ground, **chosen)
    books = result.anatomy
    assert result.n_evaluations == books.total == len(ground.calls)
    assert books.sizes == sum(map(len, ground.calls))
    assert books.total == books.warm_up + books.ranking + books.start + books.forward + books.backward
    assert books.filter == 0
    spent = 0
    for step in result.trace:
        assert step.n_evaluations >= spent + step.n_proposed
        assert step.n_evaluations - step.forward_evaluations - step.backward_evaluations == (
            books.warm_up + books.ranking + books.start
        )
        spent = step.n_evaluations
    assert spent <= result.n_evaluations
    assert result.to_dict()["sum_of_sizes"] == books.sizes


@dataclass(frozen=True)
class Audited:
    """Steps whose every operator call is written down: (direction, size, tuple size, evaluations, step)."""

    steps: SampledSteps
    log: list[Any] = field(default_factory=list)
    events: list[str] = field(default_factory=list)

    @property
    def tuple_size(self) -> int:
        return self.steps.tuple_size

    def step_cost(self, *step: Any) -> int:
        return self.steps.step_cost(*step)

    def prepare(self, walk: Any, rng: Any) -> Operators:
        operators = self.steps.prepare(walk, rng)
        return Operators(AuditedStep(operators.add, self), AuditedStep(operators.remove, self), operators.statistics)


@dataclass(frozen=True)
class AuditedStep:
    operator: Any
    book: Audited

    @property
    def direction(self) -> Any:
        return self.operator.direction

    def __call__(self, walk: Any, tuple_size: int | None = None) -> Any:
        before, size = walk.anatomy.total, walk.size
        self.book.events.append("step")
        step = self.operator(walk, tuple_size)
        width = tuple_size or self.book.tuple_size
        self.book.log.append((self.direction, size, width, walk.anatomy.total - before, step))
        return step


@pytest.mark.parametrize("name", CLASSIC)
@law(15)
@given(ground=landscapes(), budget=st.integers(3, 40), backward=st.none() | st.integers(3, 40), data=st.data())
def test_a_sampled_step_spends_exactly_the_budget_or_the_pool(name, ground, budget, backward, data):
    chosen = data.draw(arguments(name, ground.n_features))
    steps = SampledSteps(budget, backward, tuple_size=chosen.pop("tuple_size", 1))
    audited = Audited(steps)
    run(replace(METHODS[name], steps=audited), ground.criterion, ground.data, **chosen)
    for direction, size, width, spent, step in audited.log:
        allowed = budget if direction.adds else backward
        pool = sweep_cost(direction, size, ground.n_features, width)
        if step is None:
            assert spent == 0
            assert not 1 <= size + direction.sign * width <= ground.n_features
        else:
            assert spent == step.n_proposed == (pool if allowed is None else min(allowed, pool))
            assert 0 <= step.position < step.n_proposed
            assert len(step.features) == width


class SpyRng(PortableRng):
    """Writes down that something was drawn."""

    def __init__(self, seed: int, events: list[str], stream: Any = "steps") -> None:
        super().__init__(seed, stream)
        self.events = events

    def stream(self, name: Any) -> SpyRng:
        return SpyRng(self.seed, self.events, name)

    def uniforms(self, count: int) -> Any:
        self.events.append("draw")
        return super().uniforms(count)

    def below(self, bound: int) -> int:
        self.events.append("draw")
        return super().below(bound)


@pytest.mark.parametrize("proposal", [SampledSteps().proposal, UniformProposal()])
@pytest.mark.parametrize("name", ["SFFS", "DOS", "ASFFS", "G(l,r)"])
def test_all_draws_of_a_step_come_before_its_first_evaluation(name, proposal):
    ground = landscape(9, "random", 5)
    audited = Audited(SampledSteps(4, 3, proposal=proposal))

    def valued(members: Any) -> float:
        audited.events.append("value")
        return ground.value(members)

    criterion = replace(ground.criterion, function=valued)
    target = {"target": 5} if METHODS[name].traits.needs_target else {}
    run(replace(METHODS[name], steps=audited), criterion, ground.data, rng=SpyRng(1, audited.events), **target)
    steps = " ".join(audited.events).split("step")
    assert any("draw" in step for step in steps)
    for step in steps:
        assert "draw" not in step[step.find("value") :] or "value" not in step


# Ends


@pytest.mark.parametrize("name", SEARCHES)
@law(25)
@given(ground=landscapes(), data=st.data())
def test_every_search_comes_to_its_end(name, ground, data):
    result = search(name, ground, max_evaluations=500_000, **drawn_run(data, name, ground))
    assert result.stop_reason in (StopReason.TARGET, StopReason.COMPLETED)
    sought = not METHODS[name].traits.moves_size and result.target in result.archive
    assert (result.stop_reason is StopReason.TARGET) == sought
    if result.stop_reason is StopReason.TARGET:
        assert result.size == result.target


@pytest.mark.parametrize("name", SEARCHES)
@law(10)
@given(ground=landscapes(), cut=st.integers(1, 60), data=st.data())
def test_a_limit_on_evaluations_cuts_the_same_search_short(name, ground, cut, data):
    chosen = drawn_run(data, name, ground)
    whole = search(name, ground, **chosen)
    part = search(name, ground, max_evaluations=cut, **chosen)
    assert part.n_evaluations == min(cut, whole.n_evaluations)
    assert steps_of(part) == steps_of(whole)[: len(part.trace)]
    if whole.n_evaluations > cut:
        assert part.stop_reason is StopReason.EVALUATIONS
    for record in part.archive.values():
        assert record.value == ground.value(record.features)
