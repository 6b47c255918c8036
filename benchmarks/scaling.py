"""How cost grows with d, n, D, candidates and threads, and a log-log picture of it; part of `make bench`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

import sweepless as sw
from peers import peer_knn
from timing import BUDGET, best_of, overhead, step_time

_BLUE, _ORANGE, _GREY = "#2563a8", "#d9772b", "#9aa3ad"
Curve = dict[str, Any]


def scaling_curves(data: sw.Dataset) -> list[Curve]:
    """Measure one curve after the other: milliseconds per evaluation, or per step for D."""
    curves: list[Curve] = []
    sizes = (5, 10, 20, 40, 80, 160)
    counts = (250, 500, 1000, 2000, 4000)
    big = sw.make_madelon(n_samples=max(counts), n_features=data.n_features)
    parts = {n: big.take(np.arange(n)) for n in counts}
    with threadpool_limits(1):
        curves.append(_curve("d", "sweepless, 1-NN", sizes, lambda d: _ours(data, d)))
        curves.append(_curve("d", "scikit-learn, 1-NN", sizes, lambda d: _peer(data, d)))
        curves.append(_curve("n", "sweepless, 1-NN", counts, lambda n: _ours(parts[n], 20)))
        curves.append(_curve("n", "scikit-learn, 1-NN", counts, lambda n: _peer(parts[n], 20)))
        curves.append(_curve("D", "statistics + proposal", (10**3, 10**4, 10**5, 10**6), overhead))
        curves.append(_curve("candidates", "sweepless, 1-NN", (1, 4, 16, 64, 256), lambda y: _ours(data, 20, y)))
        curves.append(_curve("threads", "sweepless, 1-NN", (1, 2), lambda jobs: _ours(data, 20, 400, jobs)))
    return curves


def _curve(axis: str, name: str, xs: tuple[int, ...], cost: Callable[[int], float]) -> Curve:
    found = {"axis": axis, "name": name, "x": list(xs), "ms": [cost(x) * 1e3 for x in xs]}
    print(f"{axis:>8}  {name:<24}" + "".join(f"{x:>10,}: {ms:.3f} ms" for x, ms in zip(xs, found["ms"], strict=True)))
    return found


def _ours(data: sw.Dataset, size: int, n_candidates: int = BUDGET, jobs: int = 1) -> float:
    return step_time(sw.criteria.KNN(n_jobs=jobs).bind(data), np.arange(size), n_candidates)


def _peer(data: sw.Dataset, size: int) -> float:
    peer = peer_knn(data)
    return best_of(3, lambda: peer(np.arange(size)))


def draw(curves: list[Curve], path: Path) -> None:
    """Draw the curves as one log-log picture, a panel per axis."""
    import matplotlib
    from matplotlib.figure import Figure

    labels = {
        "d": ("features in the subset, d", (5, 20, 80)),
        "n": ("samples, n", (250, 1000, 4000)),
        "D": ("features in the data, D", (10**3, 10**4, 10**5, 10**6)),
        "candidates": ("candidates of a step, y", (1, 4, 16, 64, 256)),
        "threads": ("threads", (1, 2)),
    }
    figure = Figure(figsize=(12.5, 3.2), layout="constrained")
    panels = figure.subplots(1, len(labels), sharey=True)
    for axes, (axis, (label, ticks)) in zip(panels, labels.items(), strict=True):
        for curve in curves:
            if curve["axis"] != axis:
                continue
            name = curve["name"]
            color = _ORANGE if name.startswith("scikit") else _GREY if name.startswith("stat") else _BLUE
            axes.loglog(curve["x"], curve["ms"], "o-", color=color, linewidth=1.8, markersize=4)
            end = curve["x"][-1], curve["ms"][-1]
            above = 8 if 4.0 * end[1] > curve["ms"][0] else 16  # a curve that falls would cross its name
            place = {"xytext": (2, above), "textcoords": "offset points", "ha": "right"}
            axes.annotate(name.split(",")[0], end, color=color, **place)
        axes.set_xlabel(label)
        axes.minorticks_off()
        axes.set_xticks(ticks, [f"{tick:,}" if tick <= 4000 else f"$10^{len(str(tick)) - 1}$" for tick in ticks])
        axes.spines[["top", "right"]].set_visible(False)
        axes.grid(alpha=0.25)
    panels[-1].set_xlim(0.85, 2.4)
    panels[0].set_ylim(top=300)
    panels[0].set_ylabel("milliseconds per evaluation\n(for D: per step)")
    with matplotlib.rc_context({"svg.hashsalt": "sweepless", "svg.fonttype": "none"}):
        figure.savefig(path, format=path.suffix[1:], metadata={"Date": None} if path.suffix == ".svg" else None)
