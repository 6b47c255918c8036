"""Gisette: the budget ladder of Table 2 and the run to a thousand features (C71 to C84)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from sweepless.paper.measures import Arm, Measure, NotRun, Runs, difference, holdout, minutes, over_all, paired, value
from sweepless.paper.printed import Printed
from sweepless.reports.records import Cell

SEEDS = (1, 2, 3)
RANKING = 0.01  # how far a ranking may be off: probes and ties decide
COST = (0.79, 0.20)  # milliseconds per evaluation, a + b d (C43)
TOTALS = 0.02  # share of an evaluation total


def arm(name: str) -> Arm:
    return Arm("gisette-ladder", name, SEEDS)


DEFAULT = Arm("gisette-default", "sSFFS y=100", (1, 2, 3, 4, 5))
DEFAULT_DAF = Arm("gisette-default", "DAF 10^5", (1, 2, 3, 4, 5))
MATCHED_EVALUATIONS = Arm("gisette-default", "DAF, matched evaluations", (1, 2, 3, 4, 5))
MATCHED_TIME = Arm("gisette-default", "DAF, matched time", (1, 2, 3, 4, 5))
FRONTIER = Arm("gisette-frontier", "sSFFS y=100", (1,))
BUDGETED = {y: DEFAULT if y == 100 else arm(f"sSFFS y={y}") for y in (10, 25, 50, 100, 200)}
RANKINGS = BIF, DAF_3, DAF_4, DAF_5, DAF_6 = tuple(map(arm, ("BIF", "DAF 10^3", "DAF 10^4", "DAF 10^5", "DAF 10^6")))
DAF_3_5 = arm("DAF 3x10^5")
LADDER_ARMS = (*RANKINGS, DAF_3_5, *BUDGETED.values(), MATCHED_EVALUATIONS, MATCHED_TIME)
CLOCK = "by the paper's own cost model; it may have matched by the clock, which cannot be repeated"

# claim, arm, evaluations in thousands, then J and holdout at 100 and at 300 features (Table 2)
_TABLE = (
    ("C71", BIF, "5", ".895", ".907", ".905", ".912"),
    ("C72", DAF_3, "1", ".889", ".893", ".909", ".904"),
    ("C73", DAF_4, "10", ".904", ".911", ".924", ".925"),
    ("C74", DAF_5, "100", ".890", ".905", ".940", ".927"),
    ("C75", DAF_6, "1,000", ".897", ".901", ".939", ".927"),
    ("C76", BUDGETED[10], "196", ".989", ".869", ".983", ".863"),
    ("C77", BUDGETED[25], "83", ".988", ".883", ".988", ".886"),
    ("C78", BUDGETED[50], "111", ".984", ".881", ".984", ".878"),
    ("C79", BUDGETED[100], "176", ".988", ".881", ".988", ".877"),
    ("C80", BUDGETED[200], "244", ".992", ".873", ".992", ".881"),
)


def _rows() -> Iterator[Printed]:
    for claim, of, thousands, *printed in _TABLE:
        ranks = of not in BUDGETED.values()
        name = of.name if of is not DEFAULT else f"{of.name}, seeds 1-5"
        if ranks:
            spent = of.each(lambda cell: cell.phases["ranking"] / 1000)
        else:
            spent = of.thousands()
        total = float(thousands.replace(",", ""))
        yield Printed(claim, f"{name}: evaluations, thousands", thousands, spent, within=TOTALS * total)
        measures = (of.value(100), of.holdout(100), of.value(300), of.holdout(300))
        for what, number, measure in zip(("J@100", "holdout@100", "J@300", "holdout@300"), printed, measures):
            yield Printed(claim, f"{name}: {what}", number, measure, within=RANKING if ranks else None)


def least_from_50(of: Arm) -> Measure:
    """Return the least mean J at the sizes 50 to 320."""
    return over_all([of.value(size) for size in range(50, 321)], min)


def lead(ranked: Sequence[Arm], over: Callable[[list[float]], float]) -> Measure:
    """Reduce the leads of all budgets over the best of some rankings at 100 and 300 features."""
    gaps = [
        difference(of.value(size), over_all([ranking.value(size) for ranking in ranked], max))
        for of in BUDGETED.values()
        for size in (100, 300)
    ]
    return over_all(gaps, over)


def matched(reduce: Callable[[list[float]], float]) -> Measure:
    """Reduce the holdout of both matched rankings, all seeds, at 100 and at 300 features."""
    return over_all(
        [of.each(_at(size), reduce) for of in (MATCHED_EVALUATIONS, MATCHED_TIME) for size in (100, 300)], reduce
    )


def probes(of: Arm, unit: float, over: Callable[[list[float]], float]) -> Measure:
    return of.each(lambda cell: cell.phases["ranking"] / unit, over)


def affordable_probes(cell: Cell) -> float:
    """Return how many millions of probes of 1 to 50 features cost as much as a search, by the paper's model."""
    base, slope = COST
    return 0.06 * minutes(cell, base, slope) / (base + slope * 25.5)


def change(reduce: Callable[[list[float]], float]) -> Measure:
    """Reduce the change of holdout from 3x10^5 to 10^6 probes over seeds and both sizes."""
    return over_all([paired(DAF_6, DAF_3_5, _at(size), reduce) for size in (100, 300)], reduce)


def _at(size: int) -> Callable[[Cell], float]:
    return lambda cell: holdout(cell, size)


def frontier(over: Callable[[list[float]], float]) -> Measure:
    """Reduce the best-at-size value over 100 to 1000 features."""

    def measure(runs: Runs) -> float:
        (cell,) = FRONTIER.cells(runs)
        if max(cell.by_size, default=0) < 1000:
            raise NotRun("needs the run to 1,000 features")
        return over([value(cell, size) for size in range(100, 1001)])

    return measure


LADDER = (
    *_rows(),
    *(Printed("C81", f"least J at the sizes 50-320, y={y}", "≥ .980", least_from_50(of)) for y, of in BUDGETED.items()),
    Printed("C81", "DAF's best J, 10^5 probes, d=300", ".94", DAF_5.value(300)),
    Printed("C81", "BIF's J at d=100", ".90", BIF.value(100)),
    Printed("C81", "least lead over the best ranking", ".05", lead(RANKINGS, min), within=0.01),
    Printed("C81", "greatest lead over BIF", ".10", lead([BIF], max), within=0.01),
    Printed("C83", "holdout of all features, least of seeds 1-3", ".894", BIF.each(lambda c: holdout(c, 5000), min)),
    Printed("C83", "holdout of all features, greatest", ".902", BIF.each(lambda c: holdout(c, 5000), max)),
    Printed("C83", "probes at matched evaluations, least, thousands", "138", probes(MATCHED_EVALUATIONS, 1e3, min)),
    Printed("C83", "probes at matched evaluations, greatest", "233", probes(MATCHED_EVALUATIONS, 1e3, max)),
    Printed("C83", "probes at matched time, least, millions", "1.5", DEFAULT.each(affordable_probes, min), note=CLOCK),
    Printed("C83", "probes at matched time, greatest", "2.4", DEFAULT.each(affordable_probes, max), note=CLOCK),
    Printed("C83", "holdout of matched DAF, least", ".89", matched(min)),
    Printed("C83", "holdout of matched DAF, greatest", ".95", matched(max)),
    Printed("C84", "least change of holdout from 3x10^5 to 10^6 probes", "-.004", change(min), within=0.01),
    Printed("C84", "greatest change", ".004", change(max), within=0.01),
)

FRONTIER_RUN = (
    Printed("C82", "evaluations to 1,000 features, thousands, without warm-up", "491", FRONTIER.thousands()),
    Printed("C82", "least best-at-size J, sizes 100-1000", ".996", frontier(min)),
    Printed("C82", "greatest best-at-size J, sizes 100-1000", ".996", frontier(max)),
)
