"""Cells made by hand: what a run directory would hold if a campaign had come out in a given way."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

from sweepless.reports.records import Cell, Row, Run

Value = Callable[[str, int, int], float]
"""From arm, seed and size."""


def cell(
    arm: str,
    seed: int,
    sizes: Iterable[int],
    value: Value = lambda arm, seed, size: 0.5,
    *,
    n_features: int = 500,
    n_evaluations: int = 1000,
    **phases: int,
) -> Cell:
    """Make one cell; its holdout is its value less a tenth, by every classifier."""
    rows = tuple(
        Row(
            size=size,
            value=value(arm, seed, size),
            n_evaluations=100 * size,
            sum_of_sizes=1000 * size,
            features=tuple(range(seed, seed + size)) if seed + size <= n_features else tuple(range(size)),
            holdout={name: value(arm, seed, size) - 0.1 for name in ("knn", "svm", "multinomial-nb")},
        )
        for size in sizes
    )
    spent = {"warm_up": 0, "ranking": 0, "start": 0, "forward": 0, "backward": 0} | phases
    return Cell(
        id=f"{arm}--{seed}",
        arm=arm,
        seed=seed,
        method="sSFFS",
        criterion="",
        data="hand-made",
        options={},
        rng="portable",
        n_features=n_features,
        n_train=1000,
        n_test=1000,
        stop_reason="frontier",
        n_evaluations=n_evaluations,
        sum_of_sizes=10 * n_evaluations,
        **{f"{phase}_evaluations": count for phase, count in spent.items()},
        rows=rows,
        trajectory=(),
    )


def run_of(name: str, cells: Iterable[Cell]) -> Run:
    return Run(
        path=Path(),
        name=name,
        title=name,
        spec={},
        spec_text="",
        data={},
        versions={},
        command=(),
        feature_names=None,
        cells=tuple(cells),
        n_planned=None,
        cost_model=None,
    )
