"""Madelon at 20 features: informed against uniform budgets, and the ladder of ingredients (C56 to C60)."""

from __future__ import annotations

from statistics import fmean

from sweepless.paper.measures import Arm, Measure, NotRun, difference, holdout, paired, percent, ratio, value
from sweepless.paper.printed import Beside, Printed
from sweepless.reports.records import Cell, Row
from sweepless.reports.run_statistics import signed_ranks

SEEDS = tuple(range(1, 11))
SIZE = 20
TIE = 2e-5  # what the paper calls one


def arm(name: str) -> Arm:
    return Arm("madelon-probe", name, SEEDS)


SOFTMAX, SWEEP, UNIFORM, FROZEN = map(arm, ("softmax y=100", "full sweep", "uniform y=100", "frozen y=100"))
SOFTMAX_50, UNIFORM_50 = arm("softmax y=50"), arm("uniform y=50")
TOP_K, FRACTION = arm("top-k y=100"), arm("fraction .2039")
RAW_MEAN, RAW_CONTRAST = arm("raw mean y=100"), arm("raw contrast y=100")
WARMER, LOWER_FLOOR = arm("softmax y=100, 1000@10"), arm("softmax y=100, floor .1")
REST = (FROZEN, TOP_K, FRACTION, RAW_MEAN, RAW_CONTRAST, WARMER, LOWER_FLOOR)  # beyond the collapse
DROPPING = arm("early dropping, K = 20")  # ours


def reached(cell: Cell) -> float:
    return value(cell, SIZE)


def best(cell: Cell) -> Row:
    """Return the row of the greatest J up to the size of the others, for an arm that may end before it."""
    rows = [row for row in cell.rows if row.size <= SIZE and row.value is not None]
    if not rows:
        raise NotRun(f"needs sizes up to {SIZE} of {cell.arm}")
    return max(rows, key=lambda row: row.value or 0.0)


def evaluations(of: Arm) -> Measure:
    return of.each(lambda cell: float(cell.n_evaluations))


def t_statistic(differences: list[float]) -> float:
    from scipy import stats

    return float(stats.ttest_1samp(differences, 0.0).statistic)


def signed_rank_p(differences: list[float]) -> float:
    """Return Wilcoxon's two-sided p, differences that are a tie left out."""
    return signed_ranks([gap for gap in differences if abs(gap) > TIE])[1]


_ROUNDED_TWICE = "it becomes .842 if it is rounded to four decimals first"
_RAW = "the paper does not define this arm; ours is the running mean of raw values. It has to stay below the contrast"

COLLAPSE = (
    Printed("C56", "J, softmax y=100", ".866", SOFTMAX.value(SIZE)),
    Printed("C56", "J, full sweep", ".863", SWEEP.value(SIZE)),
    Printed("C56", "t(9) of softmax against full sweep", ".5", paired(SOFTMAX, SWEEP, reached, t_statistic)),
    Printed("C56", "evaluations, softmax y=100", "2,200", evaluations(SOFTMAX)),
    Printed("C56", "evaluations, full sweep", "9,810", evaluations(SWEEP)),
    Printed("C56", "the one in % of the other", "22", percent(ratio(evaluations(SOFTMAX), evaluations(SWEEP)))),
    Printed(
        "C57",
        "seeds on which uniform loses to softmax",
        "9",
        paired(SOFTMAX, UNIFORM, reached, lambda gaps: sum(gap > TIE for gap in gaps)),
    ),
    Printed(
        "C57",
        "seeds on which they tie within 2e-5",
        "1",
        paired(SOFTMAX, UNIFORM, reached, lambda gaps: sum(abs(gap) <= TIE for gap in gaps)),
    ),
    Printed("C57", "Wilcoxon p of softmax against uniform", "≤ .01", paired(SOFTMAX, UNIFORM, reached, signed_rank_p)),
    Printed("C57", "J, uniform, seed 5", ".62", UNIFORM.on(5).value(SIZE)),
    Printed("C57", "J, uniform, seed 8", ".75", UNIFORM.on(8).value(SIZE)),
    Printed("C57", "holdout, uniform, seed 5", ".52", UNIFORM.on(5).holdout(SIZE)),
    Printed("C57", "holdout, uniform, seed 8", ".73", UNIFORM.on(8).holdout(SIZE)),
    Printed("C57", "holdout, softmax, seed 5", ".85", SOFTMAX.on(5).holdout(SIZE)),
    Printed("C57", "holdout, softmax, seed 8", ".85", SOFTMAX.on(8).holdout(SIZE)),
    Printed("C58", "J, uniform y=50", ".757", UNIFORM_50.value(SIZE)),
    Printed("C58", "holdout, uniform y=50, worst seed", ".499", UNIFORM_50.each(lambda c: holdout(c, SIZE), min)),
    Printed("C58", "J, softmax y=50", ".842", SOFTMAX_50.value(SIZE), within=0.001, note=_ROUNDED_TWICE),
)

ABLATION = (
    *COLLAPSE,
    Printed("C59", "J, uniform y=100", ".814", UNIFORM.value(SIZE)),
    Printed("C59", "J, frozen statistics", ".852", FROZEN.value(SIZE)),
    Printed("C59", "frozen over uniform", ".038", difference(FROZEN.value(SIZE), UNIFORM.value(SIZE))),
    Printed("C59", "online over frozen", ".015", difference(SOFTMAX.value(SIZE), FROZEN.value(SIZE))),
    Printed(
        "C59",
        "seeds on which online is ahead of frozen",
        "9",
        paired(SOFTMAX, FROZEN, reached, lambda gaps: sum(gap > 0 for gap in gaps)),
    ),
    Printed("C59", "t(9) of online against frozen", "3.1", paired(SOFTMAX, FROZEN, reached, t_statistic)),
    Printed("C59", "J, top-k", ".834", TOP_K.value(SIZE)),
    Printed("C59", "J, raw running mean", ".839", RAW_MEAN.value(SIZE), note=_RAW),
    Printed("C59", "J, raw contrast (the other reading)", ".839", RAW_CONTRAST.value(SIZE), note=_RAW),
    Printed(
        "C59",
        "online over raw running mean",
        "≥ .000",
        difference(SOFTMAX.value(SIZE), RAW_MEAN.value(SIZE)),
    ),
    Printed("C59", "J, constant fraction", ".867", FRACTION.value(SIZE)),
    Printed("C60", "J, five times the warm-up", ".865", WARMER.value(SIZE)),
    Printed(
        "C60",
        "floor .2 over floor .1",
        "≥ .000",
        paired(SOFTMAX, LOWER_FLOOR, reached, fmean),
    ),
)

EARLY_DROPPING = (
    Beside("evaluations, early dropping, K = 20", evaluations(DROPPING), 0),
    Beside("size of its best J up to 20", DROPPING.each(lambda cell: float(best(cell).size)), 1),
    Beside("J there", DROPPING.each(lambda cell: best(cell).value or 0.0), 5),
    Beside("holdout there", DROPPING.each(lambda cell: best(cell).holdout["knn"]), 5),
    Beside("holdout at 20, softmax y=100", SOFTMAX.holdout(SIZE), 5),
    Beside("holdout at 20, full sweep", SWEEP.holdout(SIZE), 5),
)
