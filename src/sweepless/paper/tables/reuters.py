"""Reuters: Table 3 and what the text says of it (C88 to C98).

The paper's matrix is not public: ours has other documents and terms, so nothing can be equal but by chance.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from sweepless.paper.measures import Arm, Measure, difference, minutes, over_all, percent, ratio
from sweepless.paper.printed import Printed

SEEDS = (1, 2, 3, 4, 5)
SIZES = (25, 100, 300, 500)
COST = (0.006, 0.0005)
HOLDOUT = 0.03  # how far a holdout accuracy may be off
VALUE = 0.10  # share of a criterion value
TOTAL = 0.25  # share of an evaluation total
_OTHER = "another matrix than the paper's"


def arm(name: str) -> Arm:
    return Arm("reuters", name, SEEDS)


Y_100, Y_25, BIF = arm("sSFFS y=100"), arm("sSFFS y=25"), arm("BIF")
MATCHED_100, MATCHED_25 = arm("DAF, matched to y=100"), arm("DAF, matched to y=25")
DAF = {10**e: arm(f"DAF 10^{e}") for e in (4, 5, 6)}
DAF_25 = {n: arm(f"{of.name}, probes of 25") for n, of in DAF.items()}
ARMS = (Y_100, Y_25, BIF, *DAF.values(), *DAF_25.values(), MATCHED_100, MATCHED_25)

# claim, arm, evaluations in millions, then J and holdout at 25, 100, 300, 500 features (Table 3)
_TABLE = (
    ("C88", Y_100, ".81", "2.06", ".748", "3.70", ".867", "5.17", ".907", "5.76", ".915"),
    ("C89", Y_25, "2.78", "2.05", ".750", "3.70", ".867", "5.17", ".907", "5.72", ".914"),
    ("C90", BIF, ".010", "1.38", ".694", "3.21", ".829", "4.79", ".886", "5.48", ".899"),
    ("C91", MATCHED_100, ".81", "1.29", ".647", "3.03", ".817", "4.66", ".881", "5.36", ".898"),
    ("C92", DAF[10**6], "1.00", "1.33", ".670", "3.29", ".837", "4.75", ".885", "5.41", ".901"),
    ("C93", DAF[10**4], ".010", "1.35", ".676", "2.57", ".801", "3.23", ".843", "3.66", ".861"),
)


def accuracy(of: Arm, size: int) -> Measure:
    return of.holdout(size, "multinomial-nb")


def millions(of: Arm, over: Callable[[list[float]], float] | None = None) -> Measure:
    """Return the evaluations in millions: probes of a ranking, everything but warm-up of a search."""
    if of in (Y_100, Y_25):
        spent = lambda cell: (cell.n_evaluations - cell.phases["warm_up"]) / 1e6  # noqa: E731
    else:
        spent = lambda cell: cell.phases["ranking"] / 1e6  # noqa: E731
    return of.each(spent, over) if over else of.each(spent)


def _about(claim: str, what: str, number: str, measure: Measure, share: float) -> Printed:
    return Printed(claim, what, number, measure, within=share * float(number), note=_OTHER)


def _rows() -> Iterator[Printed]:
    for claim, of, total, *printed in _TABLE:
        yield _about(claim, f"{of.name}: evaluations, millions", total, millions(of), TOTAL)
        for k, size in enumerate(SIZES):
            yield _about(claim, f"{of.name}: J@{size}", printed[2 * k], of.value(size), VALUE)
            yield Printed(claim, f"{of.name}: holdout@{size}", printed[2 * k + 1], accuracy(of, size), HOLDOUT, _OTHER)


def _order() -> Iterator[Printed]:
    """The claim of the table: the search is ahead of every ranking on both axes at every size."""
    rankings = (BIF, MATCHED_100, *DAF.values())
    for size in SIZES:
        for what, of in (("J", lambda a, s=size: a.value(s)), ("holdout", lambda a, s=size: accuracy(a, s))):
            ahead = [difference(of(Y_100), of(ranking)) for ranking in rankings]
            yield Printed("C96", f"{what}@{size}: least lead of y=100 over rankings", "≥ .000", over_all(ahead, min))


def _points(claim: str, what: str, number: str, first: Arm, second: Arm, size: int) -> Printed:
    measure = percent(difference(accuracy(first, size), accuracy(second, size)))
    return Printed(claim, f"{what}, points at d={size}", number, measure, within=3.0, note=_OTHER)


TABLE = (
    *_rows(),
    *(
        Printed("C94", f"{of.name}: holdout@100", number, accuracy(of, 100), within=HOLDOUT, note=_OTHER)
        for of, number in (
            *zip(DAF_25.values(), (".757", ".818", ".816")),
            *zip(DAF.values(), (".801", ".831", ".837")),
        )
    ),
    _about("C95", "matched probes, y=100, least, millions", ".77", millions(MATCHED_100, min), TOTAL),
    _about("C95", "matched probes, y=100, greatest", ".90", millions(MATCHED_100, max), TOTAL),
    _about("C95", "matched probes, y=25, least", "2.40", millions(MATCHED_25, min), TOTAL),
    _about("C95", "matched probes, y=25, greatest", "3.03", millions(MATCHED_25, max), TOTAL),
    Printed("C96", "y=100: holdout@10", ".630", accuracy(Y_100, 10), within=HOLDOUT, note=_OTHER),
    Printed("C96", "BIF: holdout@10", ".543", accuracy(BIF, 10), within=HOLDOUT, note=_OTHER),
    *_order(),
    _points("C96", "y=100 over BIF", "3.8", Y_100, BIF, 100),
    _points("C96", "y=100 over DAF 10^6", "3.0", Y_100, DAF[10**6], 100),
    _points("C96", "y=100 over matched DAF", "5.0", Y_100, MATCHED_100, 100),
    _points("C96", "y=100 over matched DAF", "1.7", Y_100, MATCHED_100, 500),
    _points("C96", "y=25 over matched DAF", "5.1", Y_25, MATCHED_25, 100),
    _points("C96", "y=25 over matched DAF", "1.6", Y_25, MATCHED_25, 500),
    _about("C96", "matched DAF, y=25: J@100", "3.02", MATCHED_25.value(100), VALUE),
    _about("C96", "matched DAF, y=25: J@500", "5.40", MATCHED_25.value(500), VALUE),
    _about("C97", "evaluations of y=25 over those of y=100", "3.4", ratio(millions(Y_25), millions(Y_100)), 0.5),
    _about(
        "C97",
        "y=25: backward evaluations per net feature, thousands",
        "3.8",
        Y_25.each(lambda c: c.phases["backward"] / 5e5),
        0.5,
    ),
    Printed(
        "C98",
        "y=100: modelled minutes of one run",
        "2",
        Y_100.each(lambda c: minutes(c, *COST)),
        within=1.0,
        note="the paper reckons with 250 features on average; the subsets that a run evaluates are smaller",
    ),
)
