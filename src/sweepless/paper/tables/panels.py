"""Stability of repeated selections, and their worth to another classifier (C68, C69, C85, C86)."""

from __future__ import annotations

from statistics import stdev
from typing import Literal

from sweepless.paper.measures import Arm, Measure, Runs, percent, row, value
from sweepless.paper.printed import Printed
from sweepless.paper.tables import gisette
from sweepless.paper.tables.retention import BUDGETED, FULL, SEEDS
from sweepless.stability import stability

DAF = Arm("madelon-budgets", "DAF 10^4", SEEDS)
SVM = Arm("madelon-svm", "sSFFS y=100, SVM", (1, 2, 3))
_PARAMETERS = "the paper gives neither the machine's parameters nor its runs; ours has C=1, gamma=1/(d var)"
_DAF = "the paper does not say with how many probes"


def agreement(of: Arm, size: int, measure: Literal["ati", "cw_rel", "anhi"]) -> Measure:
    """Measure how much the subsets of all seeds agree at a size."""

    def measured(runs: Runs) -> float:
        cells = of.cells(runs)
        subsets = [row(cell, size).features for cell in cells]
        return float(getattr(stability(subsets, cells[0].n_features), measure))

    return measured


STABILITY = (
    Printed("C68", "CW_rel at d=20, sSFFS, ten seeds", ".654", agreement(BUDGETED, 20, "cw_rel")),
    Printed("C68", "ATI at d=20, sSFFS", ".490", agreement(BUDGETED, 20, "ati")),
    Printed("C68", "CW_rel at d=20, SFFS", ".760", agreement(FULL, 20, "cw_rel")),
    Printed("C68", "ATI at d=20, SFFS", ".617", agreement(FULL, 20, "ati")),
    Printed("C68", "CW_rel at d=20, DAF 10^4", ".750", agreement(DAF, 20, "cw_rel"), note=_DAF),
    Printed("C68", "ATI at d=20, DAF 10^4", ".604", agreement(DAF, 20, "ati"), note=_DAF),
    Printed("C85", "gisette: CW_rel at d=100, sSFFS, five seeds", ".036", agreement(gisette.DEFAULT, 100, "cw_rel")),
    Printed("C85", "gisette: ANHI at d=100, sSFFS", ".961", agreement(gisette.DEFAULT, 100, "anhi")),
    Printed(
        "C85", "gisette: CW_rel at d=100, DAF 10^5", ".880", agreement(gisette.DEFAULT_DAF, 100, "cw_rel"), note=_DAF
    ),
    Printed("C85", "gisette: ANHI at d=100, DAF 10^5", ".995", agreement(gisette.DEFAULT_DAF, 100, "anhi"), note=_DAF),
    Printed("C85", "gisette: J at d=100, sSFFS", ".988", gisette.DEFAULT.value(100)),
    Printed(
        "C85",
        "gisette: standard deviation of J at d=100",
        ".005",
        gisette.DEFAULT.each(lambda cell: value(cell, 100), stdev),
        note="the sample form; the population form is .0052",
    ),
)

CROSS = (
    Printed("C69", "J (1-NN) at d=20, sSFFS, ten seeds", ".865", BUDGETED.value(20), within=0.01, note=_PARAMETERS),
    Printed(
        "C69",
        "selected by 1-NN, validated by SVM, %",
        "77.6",
        percent(BUDGETED.holdout(20, "svm")),
        within=5,
        note=_PARAMETERS,
    ),
    Printed("C69", "J (SVM) at d=20, sSFFS", ".665", SVM.value(20), note=_PARAMETERS),
    Printed("C69", "selected by SVM, validated by 1-NN, %", "54.3", percent(SVM.holdout(20)), note=_PARAMETERS),
    *(
        Printed(
            "C86",
            f"gisette: selected by 1-NN, validated by SVM at d=100, seed {seed}, %",
            number,
            percent(gisette.DEFAULT.on(seed).holdout(100, "svm")),
            within=3,
            note=_PARAMETERS,
        )
        for seed, number in ((1, "90.2"), (2, "87.8"), (3, "88.2"))
    ),
    Printed(
        "C86",
        "the same, mean of seeds 1-3, %",
        "88.7",
        percent(gisette.DEFAULT.on(1, 2, 3).holdout(100, "svm")),
        within=3,
        note=_PARAMETERS,
    ),
    Printed(
        "C86",
        "gisette: J (1-NN) at d=100, seeds 1-3",
        ".973",
        gisette.DEFAULT.on(1, 2, 3).value(100),
        note="the paper's panel is of other runs than its Table 2",
    ),
)
