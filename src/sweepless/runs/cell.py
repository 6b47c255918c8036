"""Run one cell: search on the training part of its seed, value the reported sizes, validate them."""

from __future__ import annotations

import time
import traceback
from dataclasses import dataclass
from typing import Any

from sweepless._threads import one_core
from sweepless.criteria.base import Criterion
from sweepless.criteria.registry import make_criterion
from sweepless.dataset import Dataset
from sweepless.engine.generator import make_rng
from sweepless.errors import SweeplessError
from sweepless.journal.run import run
from sweepless.runs.plan import Cell
from sweepless.runs.registry import read_options
from sweepless.runs.rows import prefix_rows, ranking_cost, recorded_rows, trajectory
from sweepless.runs.split_cache import parts_of
from sweepless.search.cost_model import CostModel
from sweepless.search.result import Result
from sweepless.search.stop import StopReason


@dataclass(frozen=True)
class Outcome:
    """What became of a cell: its record, or why there is none; only the times depend on the machine."""

    id: str
    record: dict[str, Any] | None
    seconds: float = 0.0
    search_seconds: float = 0.0
    error: str | None = None
    interrupted: bool = False


def run_cell(cell: Cell, data: Dataset, key: str, budget: tuple[int, int] | None = None) -> Outcome:
    """Compute a cell anywhere; the record does not depend on where or with whom.

    Parameters
    ----------
    cell : Cell
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
            record, search_seconds = _computed(cell, data, key, budget)
    except SweeplessError as error:
        return Outcome(cell.id, None, error=str(error))
    except KeyboardInterrupt:
        return Outcome(cell.id, None, interrupted=True)
    except Exception as error:
        where = traceback.format_exc(limit=-3)
        return Outcome(cell.id, None, error=f"unexpected {type(error).__name__}: {error}\n{where}")
    return Outcome(cell.id, record, time.monotonic() - began, search_seconds)


def _computed(cell: Cell, data: Dataset, key: str, budget: tuple[int, int] | None) -> tuple[dict[str, Any], float]:
    arm = cell.arm
    rng = make_rng(cell.rng, cell.seed)
    train, test = parts_of(data, key, cell.scale, cell.split, rng)
    named = dict(arm.criterion)
    criterion = make_criterion(named.pop("name"), named)
    options = read_options(arm.method, arm.options) | _matching(budget, cell.cost)
    stop: dict[str, Any] = dict(arm.stop)
    if arm.ranks:  # the ranking is all that is asked of the run: prefixes are valued where they are reported
        stop = {"target": 1, "max_evaluations": stop.get("max_evaluations")}
    began = time.monotonic()
    result = run(arm.method, criterion, train, seed=cell.seed, rng=rng, start=arm.start, **stop, **options)
    search_seconds = time.monotonic() - began
    if result.stop_reason is StopReason.INTERRUPTED:
        raise KeyboardInterrupt
    rows = _rows(cell, criterion, result, train, test)
    return _record(cell, result, rows, train, test), search_seconds


def _matching(budget: tuple[int, int] | None, cost: tuple[float, float] | None) -> dict[str, Any]:
    """Return the options that give DAF the budget of another cell (A40)."""
    if budget is None:
        return {}
    if cost is None:
        return {"n_probes": budget[0]}
    model = CostModel(*cost)
    return {"n_probes": None, "max_cost": model.milliseconds(*budget), "cost_model": model}


def _rows(
    cell: Cell, criterion: Criterion, result: Result, train: Dataset, test: Dataset | None
) -> list[dict[str, Any]]:
    if cell.arm.ranks:
        return prefix_rows(cell, criterion, result, train, test)
    return recorded_rows(cell, criterion, result, train, test)


def _record(
    cell: Cell, result: Result, rows: list[dict[str, Any]], train: Dataset, test: Dataset | None
) -> dict[str, Any]:
    arm, anatomy = cell.arm, result.anatomy
    total, sizes = ranking_cost(result) if arm.ranks else (anatomy.total, anatomy.sizes)
    steps = [[row["n_evaluations"], row["size"], row["value"], "forward"] for row in rows]
    plain = arm.to_dict()
    return {
        "cell": cell.id,
        "arm": arm.name,
        "seed": cell.seed,
        "method": result.method,
        "criterion": result.criterion,
        "data": cell.data,
        "options": {**plain.pop("options"), **{name: value for name, value in plain.items() if value is not None}},
        "rng": cell.rng,
        "n_features": result.n_features,
        "n_train": train.n_samples,
        "n_test": 0 if test is None else test.n_samples,
        "stop_reason": result.stop_reason.value,
        "n_evaluations": total,
        "forward_evaluations": 0 if arm.ranks else anatomy.forward,
        "backward_evaluations": anatomy.backward,
        "warm_up_evaluations": anatomy.warm_up,
        "ranking_evaluations": anatomy.ranking,
        "start_evaluations": anatomy.start,
        "sum_of_sizes": sizes,
        "rows": rows,
        "trajectory": steps if arm.ranks else trajectory(result),
    }
