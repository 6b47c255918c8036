"""One or more runs as one self-contained page."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sweepless._needs import require
from sweepless._phrases import duration, ranges
from sweepless._version import __version__
from sweepless.reports import run_tables as tables
from sweepless.reports.claims import Claim, claims_table
from sweepless.reports.page import render
from sweepless.reports.records import Run
from sweepless.reports.run_charts import anatomy_chart, curve_chart, stability_chart, trajectory_chart
from sweepless.reports.run_sentences import sentences
from sweepless.reports.run_statistics import arm_means, chosen_sizes, main_size, measures
from sweepless.reports.style import arm_color

_COUNTS = {"n_samples": "samples", "n_features": "features", "n_classes": "classes"}


def render_runs(
    run: Run | Sequence[Run],
    *,
    claims: Sequence[Claim] = (),
    title: str | None = None,
    lead: str = "",
    sizes: Sequence[int] | None = None,
    said: Sequence[str] | None = None,
    notes: Sequence[str] = (),
) -> str:
    """Return the page of one or more runs.

    Parameters
    ----------
    run : Run or sequence of Run
        See `read_run`.
    claims : sequence of Claim
        Shown first, if there are any.
    title : str, optional
        Of the page; the first run's by default.
    lead : str
        A sentence below the title.
    sizes : sequence of int, optional
        The sizes of the tables; a few round ones that all arms report by default.
    said : sequence of str, optional
        What the page says it shows, instead of what can be said of every run.
    notes : sequence of str
        What a reader must know about how it was run.

    Raises
    ------
    SweeplessError
        If jinja2 or plotly is not installed.
    """
    require("a page")
    runs = [run] if isinstance(run, Run) else list(run)
    contents = ({"claims": "Claims"} if claims else {}) | {f"run-{k}": one.title for k, one in enumerate(runs)}
    return render(
        "runs.html",
        title=title or " and ".join(one.title for one in runs),
        lead=lead,
        contents=contents,
        claims=claims_table(claims) if claims else None,
        arm_colors=[arm_color(k) for k in range(max((len(one.arms) for one in runs), default=0))],
        shown=[_shown(one, sizes, said) | {"number": k, "notes": notes} for k, one in enumerate(runs)],
        version=__version__,
    )


def _shown(run: Run, sizes: Sequence[int] | None, said: Sequence[str] | None) -> dict[str, Any]:
    """Return the tables and charts of a run by their names in the template, if it has a finished cell."""
    sizes = chosen_sizes(run) if sizes is None else sizes
    shown = {
        "run": run,
        "rows_csv": tables.rows_csv([run]),
        "subsets_csv": tables.subsets_csv(run, sizes),
        "origin": {"fingerprint of the data": run.data.get("fingerprint")} | dict(run.versions),
    }
    if not run.cells:
        return shown
    main = main_size(run, sizes) if sizes else None
    tests = [(tables.tests_table(run, measure, size), size == main) for measure in measures(run) for size in sizes]
    return shown | {
        "cards": _cards(run),
        "said": sentences(run, sizes) if said is None else said,
        "setting": _setting(run),
        "arms": tables.arms_table(run),
        "curves": [(curve_chart(run, one), tables.value_table(run, one, sizes)) for one in measures(run)],
        "tests": [(table, is_main) for table, is_main in tests if table.rows],
        "anatomy_chart": anatomy_chart(run),
        "anatomy": tables.anatomy_table(run),
        "cost": tables.cost_table(run),
        "trajectory_chart": trajectory_chart(run),
        "stability_chart": stability_chart(run),
        "stability": tables.stability_table(run, sizes),
        "features": [(tables.features_table(run, size), size == main) for size in sizes],
    }


def _setting(run: Run) -> dict[str, str]:
    data, first, options = run.data, run.cells[0], tables.common_options(run)
    counts = [f"{data[key]:,} {words}" for key, words in _COUNTS.items() if isinstance(data.get(key), int)]
    split = run.spec.get("split") or {}
    parts = [f"{split[part]:g} % to {part}" for part in ("train", "test") if part in split]
    samples = [f"{first.n_train:,} samples to search on"] if first.n_train is not None else []
    samples += [f"{first.n_test:,} never seen by the search"] if first.n_test else []
    return {
        "data": ", ".join([str(data.get("name", "")), *counts]),
        "split": "; ".join(filter(None, [", ".join(parts), ", ".join(samples)])),
        "criterion": " · ".join(dict.fromkeys(cell.criterion for cell in run.cells)),
        "validated with": ", ".join(run.classifiers) or "nothing: there is no holdout",
        "all arms": ", ".join(f"{name} = {tables.plain_option(value)}" for name, value in options.items()),
        "seeds": f"{ranges(run.seeds)} (random numbers: {run.spec.get('rng', 'portable')})",
        "cells": f"{len(run.cells)} finished" + (f", {run.n_missing} missing" if run.n_missing else ""),
    }


def _cards(run: Run) -> list[tuple[str, str]]:
    shown = [(f"{len(run.arms)} × {len(run.seeds)}", "arms × seeds")]
    for measure in measures(run)[:2]:
        means = [spread.mean for one in arm_means(run, measure) for spread in one.spreads]
        shown.append((f"{max(means):.4f}", f"highest mean {measure.name}"))
    shown.append((f"{sum(cell.n_evaluations for cell in run.cells):,}", "subsets evaluated"))
    seconds = [cell.seconds for cell in run.cells if cell.seconds is not None]
    if seconds:
        shown.append((duration(sum(seconds)), "of computing, all cells"))
    if run.n_missing:
        shown.append((f"{run.n_missing} of {run.n_planned}", "cells still missing"))
    return shown
