"""One peer on one seed: choose on the training part, value and validate what was chosen, as campaigns do."""

from __future__ import annotations

import time
from dataclasses import replace

import numpy as np

from sweepless._threads import one_core
from sweepless._typing import Features
from sweepless.dataset import Dataset
from sweepless.engine.generator import Rng
from sweepless.runs.cell import Holdout, prepared
from sweepless.runs.compare.peers import best_of_random, peer, shares
from sweepless.runs.plan import PlannedCell
from sweepless.schema.run import Cell
from sweepless.search.archive import Record

ALL, RANDOM = "all features", "random subsets"


def run_peer(planned: PlannedCell, data: Dataset, key: str, n_evaluations: int) -> tuple[Cell, float, float]:
    """Return the finished cell, the seconds that it took, and those that choosing took.

    `n_evaluations` are those of the search that the cell matches, 0 if it matches none.
    """
    began = time.monotonic()
    arm, sizes = planned.arm, _sizes(planned)
    with one_core():  # cells are what is parallel
        holdout, rng = prepared(planned, data, key)
        criterion, train = holdout.criterion, holdout.train
        chosen_at = time.monotonic()
        records = _choose(holdout, n_evaluations, rng)
        choosing = time.monotonic() - chosen_at
        cursor = criterion.bind(train)
        valued = [
            replace(record, value=cursor.evaluate(record.features)) if np.isnan(record.value) else record
            for record in records
        ]
        rows = tuple(map(holdout.row, valued))
    matches = {} if arm.matches is None else {"matches": arm.matches}
    return (
        Cell(
            id=planned.id,
            arm=arm.name,
            seed=planned.seed,
            method=arm.method,
            criterion=str(criterion),
            data=planned.data,
            options={**arm.options, **matches, "criterion": arm.criterion, "report": list(sizes)},
            rng=planned.rng,
            n_features=train.n_features,
            n_train=train.n_samples,
            n_test=0 if holdout.test is None else holdout.test.n_samples,
            stop_reason="completed",
            n_evaluations=n_evaluations,
            forward_evaluations=0,
            backward_evaluations=0,
            warm_up_evaluations=0,
            ranking_evaluations=n_evaluations,
            start_evaluations=0,
            sum_of_sizes=sum(size * share for size, share in zip(sizes, shares(n_evaluations, len(sizes)))),
            rows=rows,
            trajectory=(),
            is_reference=arm.name == ALL,
        ),
        time.monotonic() - began,
        choosing,
    )


def _sizes(planned: PlannedCell) -> tuple[int, ...]:
    sizes = planned.arm.report
    assert isinstance(sizes, tuple)  # nosec B101 # only tells the type
    return sizes


def _choose(holdout: Holdout, n_evaluations: int, rng: Rng) -> list[Record]:
    """Return a subset of every size; values only where choosing needs them."""
    arm, train, sizes = holdout.planned.arm, holdout.train, _sizes(holdout.planned)
    if arm.name == RANDOM:
        return best_of_random(holdout.criterion, train, sizes, n_evaluations, rng)
    chosen: dict[int, Features] = {train.n_features: np.arange(train.n_features)}
    if arm.name != ALL:
        chosen = dict(peer(arm.name, arm.options)(train, sizes, holdout.planned.seed))
    return [Record(size, float("nan"), features, 1) for size, features in sorted(chosen.items())]
