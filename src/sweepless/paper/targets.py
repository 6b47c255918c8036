"""What can be reproduced: every table and figure of the paper by name."""

from __future__ import annotations

from dataclasses import dataclass

from sweepless.paper.measures import Arm
from sweepless.paper.printed import Beside, Printed
from sweepless.paper.tables import gisette, ingredients, panels, retention, reuters, tradeoff


@dataclass(frozen=True)
class Target:
    """A table or figure: the arms it needs, the numbers the paper prints of it, and what we add to them."""

    name: str
    title: str
    arms: tuple[Arm, ...]
    printed: tuple[Printed, ...]
    beside: tuple[Beside, ...] = ()

    @property
    def numbers(self) -> tuple[Printed | Beside, ...]:
        return (*self.printed, *self.beside)

    @property
    def campaigns(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(arm.campaign for arm in self.arms))


_RANGE = (retention.FULL, retention.EXACT, retention.BUDGETED)
_PROBE = (ingredients.SOFTMAX, ingredients.SWEEP, ingredients.UNIFORM, ingredients.SOFTMAX_50, ingredients.UNIFORM_50)

TARGETS = {
    target.name: target
    for target in (
        Target("madelon-retention", "Figure 1: retention of full floating search", _RANGE, retention.RETENTION),
        Target(
            "madelon-anatomy",
            "Figure 2: where the evaluations go",
            (retention.FULL.on(1), retention.EXACT),
            retention.ANATOMY,
        ),
        Target("madelon-collapse", "Figure 3: uniform and informed budgets", _PROBE, ingredients.COLLAPSE),
        Target(
            "madelon-ablation",
            "The ladder of ingredients at 20 features",
            (*_PROBE, *ingredients.REST, ingredients.DROPPING),
            ingredients.ABLATION,
            ingredients.EARLY_DROPPING,
        ),
        Target(
            "madelon-tradeoff",
            "Figures 4 and 5: quality against compute",
            (retention.FULL.on(1), *tradeoff.SAMPLED, tradeoff.BIF, tradeoff.DAF),
            tradeoff.TRADEOFF,
        ),
        Target("gisette-ladder", "Table 2: the budget ladder on gisette", gisette.LADDER_ARMS, gisette.LADDER),
        Target("gisette-frontier", "Gisette to 1,000 features", (gisette.FRONTIER,), gisette.FRONTIER_RUN),
        Target("reuters", "Table 3: extreme dimensionality", reuters.ARMS, reuters.TABLE),
        Target(
            "stability",
            "Selection stability",
            (retention.BUDGETED, retention.FULL, panels.DAF, gisette.DEFAULT, gisette.DEFAULT_DAF),
            panels.STABILITY,
        ),
        Target(
            "cross-classifier",
            "Validated by another classifier",
            (retention.BUDGETED, panels.SVM, gisette.DEFAULT),
            panels.CROSS,
        ),
    )
}
