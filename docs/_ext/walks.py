"""The directive `walk`: how methods walk over subset sizes, drawn from real runs, and what they cost.

```{walk} SFFS sSFFS
```

makes a picture of the traces and a table: evaluations of these runs, and the prediction for 5,000 features.
"""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.util.docutils import SphinxDirective

from sweepless import METHODS, Result, make_madelon, predict_cost, run
from sweepless.criteria import KNN

PICTURES = Path(__file__).parents[1] / "made"
UP, DOWN, INK = "#0b7a75", "#c2571a", "#444444"
SHAPE = {"n_samples": 200, "n_features": 30, "n_informative": 5, "n_redundant": 5, "seed": 3}
TARGET = 10
LARGE = {"n_features": 5000, "target": 35}
SMALL_BUDGETS = {"budget": 8, "backward_budget": 4, "warm_up": None}  # 30 features leave little to sample from
OPTIONS = {"DAF0": {"n_probes": 60, "probe_sizes": (1, 10)}, "LFS": {"pool_size": 12}}


def walked(name: str) -> Result:
    """Run a method on the small data of this page."""
    settings: dict[str, Any] = dict(SMALL_BUDGETS) if name.startswith("s") else {}
    if not METHODS[name].traits.moves_size:
        settings["target"] = TARGET
    return run(name, KNN(), make_madelon(**SHAPE), seed=0, options=OPTIONS.get(name, {}), **settings)


def draw(results: dict[str, Result], path: Path) -> None:
    """Draw the size of the working subset after every step, additions and removals in color."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    matplotlib.rcParams["svg.hashsalt"] = "sweepless"
    figure, axes = plt.subplots(1, len(results), figsize=(4.4 * len(results), 2.5), squeeze=False, layout="constrained")
    for ax, (name, result) in zip(axes[0], results.items(), strict=True):
        method = METHODS[name]
        swings = method.traits.pivots and not method.traits.moves_size  # from a subset of the target size
        start = TARGET if swings else 0 if method.direction.adds else SHAPE["n_features"]
        sizes = [start, *(step.size for step in result.trace)]
        for k, (before, after) in enumerate(pairwise(sizes)):
            ax.plot([k, k + 1], [before, after], color=UP if after > before else DOWN, linewidth=1.8)
        if not method.traits.moves_size:
            ax.axhline(TARGET, color=INK, linewidth=0.6, linestyle=":")
        ax.set_title(name, loc="left", fontweight="bold", color=INK)
        ax.set_xlabel("steps taken", color=INK)
        ax.set_ylabel("features", color=INK)
        ax.spines[["top", "right"]].set_visible(False)
        ax.tick_params(colors=INK)
        ax.xaxis.get_major_locator().set_params(integer=True)
    path.parent.mkdir(exist_ok=True)
    figure.savefig(path, metadata={"Date": None})
    plt.close(figure)


def costs(name: str) -> str:
    """Return the evaluations that a method is predicted to take among many features."""
    target = {} if METHODS[name].traits.moves_size else {"target": LARGE["target"]}
    cost = predict_cost(name, LARGE["n_features"], **target)
    if cost.evaluations is not None:
        return f"{cost.evaluations:,}"
    return f"at most {cost.forward_step:,} an addition, {cost.backward_step:,} a removal"


class Walk(SphinxDirective):
    """Draw the walks of some methods, and list what they cost."""

    required_arguments = 1
    final_argument_whitespace = True

    def run(self) -> list[nodes.Node]:
        names = self.arguments[0].split()
        results = {name: walked(name) for name in names}
        path = PICTURES / f"walk-{'-'.join(name.strip('()').replace('(', '').replace(',', '') for name in names)}.svg"
        draw(results, path)
        image = nodes.image(uri=f"/made/{path.name}", alt=f"The walk of {' and of '.join(names)} over subset sizes")
        heads = (
            "method",
            "evaluations here",
            f"for {LARGE['target']} of {LARGE['n_features']:,} features",
            "in general",
        )
        rows = [
            (name, f"{result.n_evaluations:,}", costs(name), METHODS[name].cost) for name, result in results.items()
        ]
        return [image, table(heads, rows)]


def table(heads: tuple[str, ...], rows: list[tuple[str, ...]]) -> nodes.table:
    """Return a plain table."""
    group = nodes.tgroup("", cols=len(heads))
    group += [nodes.colspec(colwidth=1) for _ in heads]
    head, body = nodes.thead(), nodes.tbody()
    for part, lines in ((head, [heads]), (body, rows)):
        for line in lines:
            row = nodes.row()
            row += [nodes.entry("", nodes.paragraph(text=cell)) for cell in line]
            part += row
    group += [head, body]
    return nodes.table("", group, classes=["table"])


def setup(app: Any) -> dict[str, bool]:
    app.add_directive("walk", Walk)
    return {"parallel_read_safe": True}
