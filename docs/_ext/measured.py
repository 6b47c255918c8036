"""The directive `measured`: pictures of what `make bench` and `make bench-honest` wrote to `benchmarks/results`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
from docutils import nodes
from sphinx.util.docutils import SphinxDirective

HERE = Path(__file__).parents[1]
RESULTS = HERE.parent / "benchmarks" / "results"
PICTURES = HERE / "made"
OURS, PEER, INK = "#0b7a75", "#9aa5b1", "#444444"
OUR_ARMS = {"auto": "SequentialSelector()", "1-NN": "SequentialSelector(1-NN)"}


def read(name: str) -> Any:
    """Return a results file."""
    return json.loads((RESULTS / f"{name}.json").read_text(encoding="utf-8"))


def speed(ax: Any) -> str:
    """Draw how many times faster than a peer of another project each kind of work is."""
    rows = [row for row in read("latest")["rows"] if row.get("peer") in ("scikit-learn", "mlxtend", "NumPy")]
    rows.sort(key=lambda row: row["ratio"])
    ax.barh([f"{row['work']}  (beside {row['peer']})" for row in rows], [row["ratio"] for row in rows], color=OURS)
    for place, row in enumerate(rows):
        ax.text(row["ratio"] * 1.1, place, f"{row['ratio']:,.0f}×", va="center", color=INK)
    ax.set(xscale="log", xlim=(1, rows[-1]["ratio"] * 8), xlabel="times as fast, one thread on both sides")
    return "How many times as fast as a peer each kind of work is"


def honest(ax: Any) -> str:
    """Draw mean accuracies on samples that nobody saw, by number of features, of the arms that have every half."""
    found = read("honest")["unseen classes"]
    sizes, rows = found["sizes"], found["rows"]
    most = max(row["halves"] for row in rows)
    sets, rows = {row["set"] for row in rows}, [row for row in rows if row["halves"] == most]
    cells: dict[tuple[str, int], dict[str, list[float]]] = {}
    for row in rows:
        cells.setdefault((row["arm"], row["size"]), {}).setdefault(row["set"], []).append(row["mean"])
    ends = []
    for arm in dict.fromkeys(row["arm"] for row in rows):
        found_at = [cells.get((arm, size), {}) for size in sizes]
        if all(set(cell) == sets for cell in found_at):
            means = [np.mean([np.mean(judged) for judged in cell.values()]) for cell in found_at]
            is_ours = arm in OUR_ARMS
            ax.plot(sizes, means, ".-", color=OURS if is_ours else PEER, linewidth=2.2 if is_ours else 1.2)
            ends.append((means[-1], OUR_ARMS.get(arm, arm), OURS if is_ours else INK))
    lowest = -1.0
    for value, label, color in sorted(ends):
        lowest = max(value, lowest + 0.011)  # names must not cover each other
        ax.annotate(label, (sizes[-1], value), (sizes[-1] + 1, lowest), va="center", fontsize=8, color=color)
    ax.set(xlabel="features", ylabel="mean accuracy", xlim=(sizes[0] - 1, sizes[-1] * 1.3), xticks=sizes)
    return f"Accuracy on the other half of {len(sets)} data sets that nothing was tuned on, mean over four judges"


CHARTS = {"speed": (speed, (9.5, 6.6)), "honest": (honest, (9.5, 4.8))}


class Measured(SphinxDirective):
    """Draw one of the charts."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        import matplotlib

        matplotlib.use("Agg")
        from matplotlib import pyplot as plt

        matplotlib.rcParams["svg.hashsalt"] = "sweepless"
        [name] = self.arguments
        chart, shape = CHARTS[name]
        figure, ax = plt.subplots(figsize=shape, layout="constrained")
        said = chart(ax)
        ax.spines[["top", "right"]].set_visible(False)
        ax.tick_params(colors=INK)
        PICTURES.mkdir(exist_ok=True)
        figure.savefig(PICTURES / f"{name}.svg", metadata={"Date": None})
        plt.close(figure)
        self.env.note_dependency(str(RESULTS / ("latest.json" if name == "speed" else "honest.json")))
        shown = nodes.figure("", nodes.image(uri=f"/made/{name}.svg", alt=said), nodes.caption(text=said))
        return [shown]


def setup(app: Any) -> dict[str, bool]:
    app.add_directive("measured", Measured)
    return {"parallel_read_safe": True}
