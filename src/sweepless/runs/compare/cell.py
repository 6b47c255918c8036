"""One peer on one seed: choose on the training part, value and validate what was chosen, as campaigns do."""

from __future__ import annotations

import time
from collections.abc import Mapping

import numpy as np

from sweepless._typing import Features
from sweepless.runs.cell import Prepared
from sweepless.runs.compare.peers.random_subsets import best_of_random, shares
from sweepless.runs.compare.peers.registry import peer
from sweepless.schema.run import PHASES, Cell
from sweepless.schema.spec import sizes_among
from sweepless.search.archive import Record

ALL, RANDOM = "all features", "random subsets"


def chosen(prepared: Prepared, n_evaluations: int) -> tuple[Cell, float]:
    """Return the cell of a peer, and the seconds that choosing took.

    `n_evaluations` are those of the search that the peer matches, 0 if it matches none.
    """
    arm, train = prepared.planned.arm, prepared.train
    sizes = sizes_among(arm.report, range(1, train.n_features + 1))
    began = time.monotonic()
    records: list[Record] = []
    subsets: Mapping[int, Features] = {}
    if arm.name == RANDOM:
        records = best_of_random(prepared.criterion, train, sizes, n_evaluations, prepared.rng)
    elif arm.name == ALL:
        subsets = {train.n_features: np.arange(train.n_features)}
    else:
        subsets = peer(arm.name, arm.options)(train, sizes, prepared.planned.seed)
    seconds = time.monotonic() - began
    cursor = prepared.criterion.bind(train)  # what chooses without values is valued apart
    records += [Record(size, cursor.evaluate(subset), subset, 1) for size, subset in sorted(subsets.items())]
    spent = dict.fromkeys(PHASES, 0) | {"ranking": n_evaluations}
    cell = prepared.cell(
        map(prepared.row, records),
        method=arm.method,
        options={
            **arm.options,
            **({} if arm.matches is None else {"matches": arm.matches}),
            "criterion": arm.criterion,
            "report": sizes,
        },
        stop_reason="completed",
        n_evaluations=n_evaluations,
        **{f"{phase}_evaluations": count for phase, count in spent.items()},
        sum_of_sizes=sum(size * share for size, share in zip(sizes, shares(n_evaluations, len(sizes)))),
        trajectory=(),
        is_reference=arm.name == ALL,
    )
    return cell, seconds
