"""Madelon over all sizes: how much of full floating search is retained, and where the evaluations go (C51 to C55)."""

from __future__ import annotations

from collections.abc import Callable
from statistics import fmean, median

from sweepless.paper.measures import Arm, Measure, NotRun, Runs, ratio, value, without_warm_up
from sweepless.paper.printed import Printed
from sweepless.reports.records import Cell

SEEDS = tuple(range(1, 11))
SIZES = range(1, 166)
FULL = Arm("madelon-range", "SFFS", SEEDS)
EXACT = Arm("madelon-range", "sSFFS y=100, exact backward", SEEDS)
BUDGETED = Arm("madelon-range", "sSFFS y=100", SEEDS)

_MODEL = "the paper's 320 k is a cost model; a full SFFS that reaches 165 needs what the row C53 says"


def retention(arm: Arm, of_seed: Callable[[list[float]], float], over: Callable[[list[float]], float]) -> Measure:
    """Measure J over full SFFS's J of the same size, in percent: reduced over sizes, then over seeds.

    The reference is full SFFS on seed 1's split, as the paper says; the other seeds have splits of their own.
    """

    def measure(runs: Runs) -> float:
        (full,) = FULL.on(1).cells(runs)
        return over([of_seed([100 * r for r in retained(cell, full)]) for cell in arm.cells(runs)])

    return measure


def retained(cell: Cell, full: Cell) -> list[float]:
    return [value(cell, size) / value(full, size) for size in SIZES]


def leads(of: Callable[[list[float]], float]) -> Measure:
    """Reduce the lead of seed 1 over full SFFS at the sizes from 130 on."""

    def measure(runs: Runs) -> float:
        (full,), (cell,) = FULL.on(1).cells(runs), EXACT.on(1).cells(runs)
        return of([value(cell, size) - value(full, size) for size in SIZES if size >= 130])

    return measure


def peak(cell: Cell) -> tuple[float, int]:
    """Return the best value of all sizes, and the least size that has it."""
    found = [(row.value, -row.size) for row in cell.rows if row.value is not None]
    if not found:
        raise NotRun(f"needs values of {cell.arm}")
    best, size = max(found)
    return best, -size


def backward_percent(cell: Cell) -> float:
    return 100 * cell.phases["backward"] / (cell.phases["forward"] + cell.phases["backward"])


def saved(over: Callable[[list[float]], float], seeds: tuple[int, ...] = SEEDS) -> Measure:
    """Reduce, over seeds, the total with budgeted removals in percent of that with exact ones."""

    def measure(runs: Runs) -> float:
        exact = {cell.seed: without_warm_up(cell) for cell in EXACT.on(*seeds).cells(runs)}
        return over([100 * without_warm_up(c) / exact[c.seed] for c in BUDGETED.on(*seeds).cells(runs)])

    return measure


def share_of_full(arm: Arm) -> Measure:
    share = ratio(arm.on(1).thousands(), FULL.on(1).thousands())
    return lambda runs: 100 * share(runs)


def at_least_97(retentions: list[float]) -> float:
    return float(sum(retention >= 97 for retention in retentions))


RETENTION = (
    Printed("C51", "least retention, exact backward, seed 1, %", "98.2", retention(EXACT.on(1), min, fmean)),
    Printed("C51", "mean retention, exact backward, seed 1, %", "101.2", retention(EXACT.on(1), fmean, fmean)),
    Printed("C51", "sizes 130-165 above full SFFS", "36", leads(lambda lead: sum(x > 0 for x in lead))),
    Printed("C51", "greatest lead at sizes 130-165", ".035", leads(max)),
    Printed("C52", "mean retention, least of ten seeds, %", "99.0", retention(EXACT, fmean, min)),
    Printed("C52", "mean retention, greatest of ten seeds, %", "101.2", retention(EXACT, fmean, max)),
    Printed("C52", "sizes of 165 at 97 % or more, least of ten seeds", "145", retention(EXACT, at_least_97, min)),
    Printed("C52", "sizes of 165 at 97 % or more, greatest", "165", retention(EXACT, at_least_97, max)),
    Printed("C52", "least retention of any size and seed, %", "93.5", retention(EXACT, min, min)),
    Printed("C52", "best value of a run, least of ten seeds", ".866", EXACT.each(lambda cell: peak(cell)[0], min)),
    Printed("C52", "best value of a run, greatest", ".892", EXACT.each(lambda cell: peak(cell)[0], max)),
    Printed("C52", "size of the best value, least of ten seeds", "8", EXACT.each(lambda cell: peak(cell)[1], min)),
    Printed("C52", "size of the best value, greatest", "20", EXACT.each(lambda cell: peak(cell)[1], max)),
    Printed("C52", "best value of full SFFS, seed 1", ".886", FULL.on(1).each(lambda cell: peak(cell)[0])),
    Printed("C52", "size of the best value of full SFFS, seed 1", "21", FULL.on(1).each(lambda cell: peak(cell)[1])),
    Printed("C54", "least retention, y_b=50, seed 1, %", "97.1", retention(BUDGETED.on(1), min, fmean)),
    Printed("C54", "mean retention, y_b=50, seed 1, %", "99.9", retention(BUDGETED.on(1), fmean, fmean)),
    Printed("C54", "mean retention, y_b=50, least of ten seeds, %", "98.8", retention(BUDGETED, fmean, min)),
    Printed("C54", "mean retention, y_b=50, greatest, %", "100.7", retention(BUDGETED, fmean, max)),
    Printed("C54", "evaluations, y_b=50, seed 1, thousands, without warm-up", "77.6", BUDGETED.on(1).thousands()),
    Printed("C54", "the same in % of exact backward, seed 1", "53", saved(fmean, (1,))),
    Printed("C54", "the same, least of ten seeds", "52", saved(min)),
    Printed("C54", "the same, greatest", "80", saved(max)),
    Printed("C54", "the same, median", "60", saved(median)),
    Printed("C54", "evaluations, y_b=50, in % of full SFFS, seed 1", "24", share_of_full(BUDGETED), note=_MODEL),
    Printed("C55", "J at d=150, y_b=50", ".788", BUDGETED.on(1).value(150)),
    Printed("C55", "J at d=150, full SFFS", ".789", FULL.on(1).value(150)),
    Printed("C55", "J at d=150, exact backward", ".818", EXACT.on(1).value(150)),
)

ANATOMY = (
    Printed("C53", "backward share, least of ten seeds, %", "57", EXACT.each(backward_percent, min)),
    Printed("C53", "backward share, greatest, %", "62", EXACT.each(backward_percent, max)),
    Printed(
        "C53", "evaluations, least of ten seeds, thousands", "109", EXACT.each(lambda c: without_warm_up(c) / 1e3, min)
    ),
    Printed("C53", "evaluations, greatest, thousands", "158", EXACT.each(lambda c: without_warm_up(c) / 1e3, max)),
    Printed("C53", "evaluations of full SFFS, seed 1, thousands", "320", FULL.on(1).thousands(), note=_MODEL),
    Printed("C53", "evaluations in % of full SFFS, seed 1", "46", share_of_full(EXACT), note=_MODEL),
)
