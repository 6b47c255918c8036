"""Run one cell: search on the training part of its seed, value the reported sizes, validate them."""

from __future__ import annotations

import time
import traceback
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import msgspec
import numpy as np

from sweepless._threads import one_core
from sweepless.criteria.base import Criterion
from sweepless.criteria.registry import make_criterion, predictor_of
from sweepless.dataset import Dataset
from sweepless.engine.generator import Rng, make_rng
from sweepless.errors import SweeplessError
from sweepless.journal.run import run_settings
from sweepless.runs.data import parts_of
from sweepless.runs.plan import PlannedCell
from sweepless.schema.run import Cell, Row, Step
from sweepless.schema.spec import sizes_among, sizes_asked_for
from sweepless.search.archive import Record
from sweepless.search.cost_model import CostModel
from sweepless.search.methods import METHODS
from sweepless.search.plan import settings_in_words
from sweepless.search.ranking import DependencySteps, IndividualSteps, Ranking, prefix_curve
from sweepless.search.result import Result
from sweepless.search.stop import StopReason
from sweepless.validation.trial import holdout_score

_MOST_STEPS = 4000


@dataclass(frozen=True)
class Outcome:
    """What became of a cell: the finished cell, or why there is none; only the times depend on the machine."""

    id: str
    cell: Cell | None
    seconds: float = 0.0
    search_seconds: float = 0.0
    error: str | None = None
    interrupted: bool = False


@dataclass(frozen=True)
class Prepared:
    """A cell about to be computed: its criterion, the parts of its split, and the generator behind the split."""

    planned: PlannedCell
    criterion: Criterion
    train: Dataset
    test: Dataset | None
    rng: Rng

    def cell(self, rows: Iterable[Row], **found: Any) -> Cell:
        """Return the finished cell, given its rows and what else was found."""
        planned = self.planned
        return Cell(
            id=planned.id,
            arm=planned.arm.name,
            seed=planned.seed,
            criterion=str(self.criterion),
            data=planned.data,
            rng=planned.rng,
            n_features=self.train.n_features,
            n_train=self.train.n_samples,
            n_test=0 if self.test is None else self.test.n_samples,
            rows=tuple(rows),
            **found,
        )

    def row(self, record: Record) -> Row:
        """Return a subset with its value, when it was found, and what it is worth on other data."""
        return Row(
            size=record.size,
            value=record.value,
            n_evaluations=record.n_evaluations,
            sum_of_sizes=record.sum_of_sizes,
            features=tuple(record.features.tolist()),
            holdout=self._holdout(record),
        )

    def _holdout(self, record: Record) -> dict[str, float]:
        """Validate by the classifiers that the campaign names, at the sizes that it names."""
        names, sizes = self.planned.validation.classifiers, sizes_asked_for(self.planned.validation.sizes)
        if self.test is None or (sizes is not None and record.size not in sizes):
            return {}
        values: dict[str, float] = {}
        own = predictor_of(self.planned.arm.criterion["name"])
        if "same" in names and own is not None:
            values[own] = self.criterion.validate(self.train, self.test, record.features)
        for name in names:
            if name != "same" and name not in values:
                values[name] = holdout_score(name, self.train, self.test, record.features)
        return values


def run_cell(planned: PlannedCell, data: Dataset, key: str, budget: tuple[int, int] | None = None) -> Outcome:
    """Compute a cell anywhere; the result does not depend on where or with whom.

    Parameters
    ----------
    planned : PlannedCell
        Of a search, or of a peer that searches are compared with.
    data : Dataset
        All of the data; what a seed needs of them is kept between cells.
    key : str
        Their fingerprint.
    budget : (int, int), optional
        Evaluations, and the sum of their sizes, of the cell that this one matches.
    """
    began = time.monotonic()
    try:
        with one_core():  # cells are what is parallel
            rng = make_rng(planned.rng, planned.seed)
            train, test = parts_of(data, key, planned.scale, planned.split, rng)
            named = dict(planned.arm.criterion)
            prepared = Prepared(planned, make_criterion(named.pop("name"), named), train, test, rng)
            compute = _searched if planned.arm.method in METHODS else _chosen_by_a_peer
            cell, search_seconds = compute(prepared, budget)
    except SweeplessError as error:
        return Outcome(planned.id, None, error=str(error))
    except KeyboardInterrupt:
        return Outcome(planned.id, None, interrupted=True)
    except Exception as error:
        where = traceback.format_exc(limit=-3)
        return Outcome(planned.id, None, error=f"unexpected {type(error).__name__}: {error}\n{where}")
    return Outcome(planned.id, cell, time.monotonic() - began, search_seconds)


def _chosen_by_a_peer(prepared: Prepared, budget: tuple[int, int] | None) -> tuple[Cell, float]:
    from sweepless.runs.compare.cell import chosen  # scikit-learn takes a second to load

    return chosen(prepared, 0 if budget is None else budget[0])


def _searched(prepared: Prepared, budget: tuple[int, int] | None) -> tuple[Cell, float]:
    """Return the cell of a search, and the seconds that searching took."""
    planned, arm = prepared.planned, prepared.planned.arm
    # Its subsets may be the prefixes of a ranking: that is all that is asked of the run, and prefixes are valued
    # where they are reported.
    is_ranking = isinstance(METHODS[arm.method].steps, (IndividualSteps, DependencySteps))
    stop: dict[str, Any] = dict(arm.stop)
    if is_ranking:
        stop = {"target": 1, "max_evaluations": stop.get("max_evaluations")}
    general = {"seed": planned.seed, "rng": prepared.rng, "start": arm.start}
    settings = settings_in_words(arm.method, arm.options, **general, **stop)
    began = time.monotonic()
    result = run_settings(replace(settings, **_matching(budget, planned.cost)), prepared.criterion, prepared.train)
    search_seconds = time.monotonic() - began
    if result.stop_reason is StopReason.INTERRUPTED:
        raise KeyboardInterrupt
    anatomy = result.anatomy
    if is_ranking:
        rows = _prefix_rows(prepared, result)
        steps = tuple(Step(row.n_evaluations, row.size, row.value, "forward") for row in rows)
        total, sizes = _ranking_cost(result)
    else:
        rows = [prepared.row(result.archive[size]) for size in sizes_among(arm.report, result.archive)]
        steps, total, sizes = trajectory(result), anatomy.total, anatomy.sizes
    plain = msgspec.to_builtins(arm)
    cell = prepared.cell(
        rows,
        method=result.method,
        options=plain.pop("options") | {name: value for name, value in plain.items() if value is not None},
        stop_reason=result.stop_reason.value,
        n_evaluations=total,
        forward_evaluations=0 if is_ranking else anatomy.forward,
        backward_evaluations=anatomy.backward,
        warm_up_evaluations=anatomy.warm_up,
        ranking_evaluations=anatomy.ranking,
        start_evaluations=anatomy.start,
        sum_of_sizes=sizes,
        trajectory=steps,
    )
    return cell, search_seconds


def _matching(budget: tuple[int, int] | None, cost: tuple[float, float] | None) -> dict[str, Any]:
    """Return the options that give DAF the budget of another cell (A40)."""
    if budget is None:
        return {}
    if cost is None:
        return {"n_probes": budget[0]}
    model = CostModel(*cost)
    return {"n_probes": None, "max_cost": model.milliseconds(*budget), "cost_model": model}


def _prefix_rows(prepared: Prepared, result: Result) -> list[Row]:
    """Return the prefixes of a ranking, each at the price of the ranking and of one evaluation (C61)."""
    if result.order is None or result.scores is None:  # stopped before there was a ranking
        return []
    report, stop = prepared.planned.arm.report, prepared.planned.arm.stop
    most = result.n_features
    if sizes_asked_for(report) is None:
        most = min(most, stop.get("max_size") or stop.get("target") or most)
    n_evaluations, sum_of_sizes = _ranking_cost(result)
    ranking, sizes = Ranking(result.order, result.scores), sizes_among(report, range(1, most + 1))
    return [
        prepared.row(replace(record, n_evaluations=n_evaluations + 1, sum_of_sizes=sum_of_sizes + record.size))
        for record in prefix_curve(ranking, prepared.criterion, prepared.train, sizes)
    ]


def _ranking_cost(result: Result) -> tuple[int, int]:
    """Return the evaluations that ranking took, without the first prefix that ended the run, and their sizes."""
    prefixes = result.anatomy.forward
    return result.n_evaluations - prefixes, result.anatomy.sizes - prefixes


def trajectory(result: Result) -> tuple[Step, ...]:
    """Return every taken step, evenly thinned if they are many; the first and the last stay."""
    steps = [step for step in result.trace if step.direction != "recall"]
    kept = range(len(steps))
    if len(steps) > _MOST_STEPS:
        kept = np.linspace(0, len(steps) - 1, _MOST_STEPS).round().astype(int).tolist()
    return tuple(Step(steps[k].n_evaluations, steps[k].size, steps[k].value, steps[k].direction) for k in kept)
