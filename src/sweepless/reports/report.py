"""One or more runs as one self-contained page."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Any

from sweepless._phrases import duration, ranges
from sweepless._version import __version__
from sweepless.reports.claims import Claim, claims_table
from sweepless.reports.document import Document, cards, command, definitions
from sweepless.reports.records import Run
from sweepless.reports.run_charts import anatomy_chart, curve_chart, stability_chart, trajectory_chart
from sweepless.reports.run_files import rows_csv, subsets_csv
from sweepless.reports.run_tables import (
    anatomy_table,
    arms_table,
    common_options,
    cost_table,
    features_table,
    plain_option,
    stability_table,
    tests_table,
    value_table,
)
from sweepless.reports.sentences import sentences
from sweepless.reports.style import arm_color
from sweepless.reports.summary import chosen_sizes, main_size, measures, series

_CLEAR = 6  # arms up to which bands do not hide each other


def render_report(
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
        At which the tables stand; a few round ones that all arms report by default.
    said : sequence of str, optional
        What the page says it shows, instead of what can be said of every run.
    notes : sequence of str
        What a reader must know about how it was run.
    """
    runs = [run] if isinstance(run, Run) else list(run)
    page = Document(title or " and ".join(one.title for one in runs), _colors(runs))
    page.add(f"<h1>{escape(page.title)}</h1>")
    page.add(f'<p class="lead">{escape(lead)}</p>' if lead else "")
    if len(runs) > 1:
        links = [(f"run-{k}", one.title) for k, one in enumerate(runs)]
        page.add(_contents(([("claims", "Claims")] if claims else []) + links))
    if claims:
        page.add('<h2 id="claims">What was claimed, and what came out</h2>', claims_table(claims).html())
    for k, one in enumerate(runs):
        shown = list(chosen_sizes(one) if sizes is None else sizes)
        _add_run(page, one, k, shown, sentences(one, shown) if said is None else said, notes, is_alone=len(runs) == 1)
    page.add(f"<footer>Written by sweepless {escape(__version__)}.</footer>")
    return page.render()


def _add_run(
    page: Document, run: Run, k: int, sizes: list[int], said: Sequence[str], notes: Sequence[str], *, is_alone: bool
) -> None:
    page.add(f'<section class="run run-{k}" id="run-{k}">')
    if not is_alone:
        page.add(f"<h2>{escape(run.title)}</h2>")
    if not run.cells:
        page.add("<p>No cell of this run is finished yet.</p>")
        _add_origin(page, run, k, sizes)
    else:
        page.add(_contents([(f"{name}-{k}", words) for name, words in _SECTIONS.items()]), cards(_cards(run)))
        page.add(_list(said))
        _add_setting(page, run, k, notes)
        page.add(_controls(run))
        _add_sizes(page, run, k, sizes)
        _add_tests(page, run, k, sizes)
        _add_cost(page, run, k)
        _add_stability(page, run, k, sizes)
        _add_features(page, run, k, sizes)
        _add_origin(page, run, k, sizes)
    page.add("</section>")


_SECTIONS = {
    "setting": "What was run",
    "sizes": "Every size",
    "tests": "Paired tests",
    "cost": "Cost",
    "stability": "Stability",
    "features": "Features",
    "origin": "Data and command",
}


def _add_setting(page: Document, run: Run, k: int, notes: Sequence[str]) -> None:
    data = run.data
    counts = [f"{data[key]:,} {words}" for key, words in _COUNTS.items() if isinstance(data.get(key), int)]
    first = run.cells[0]
    parts = f"{first.n_train:,} samples to search on" if first.n_train is not None else ""
    if first.n_test:
        parts += f", {first.n_test:,} never seen by the search"
    found = {
        "data": ", ".join([str(data.get("name", "")), *counts]),
        "split": "; ".join(filter(None, [_split(run.spec.get("split")), parts])),
        "criterion": " · ".join(dict.fromkeys(cell.criterion for cell in run.cells)),
        "validated with": ", ".join(run.classifiers) or "nothing: there is no holdout",
        "all arms": ", ".join(f"{name} = {plain_option(value)}" for name, value in common_options(run).items()),
        "seeds": f"{ranges(run.seeds)} (random numbers: {run.spec.get('rng', 'portable')})",
        "cells": f"{len(run.cells)} finished" + (f", {run.n_missing} missing" if run.n_missing else ""),
    }
    page.add(_heading("setting", k), definitions(found), arms_table(run).html())
    page.add(_list(notes) if notes else "")


_COUNTS = {"n_samples": "samples", "n_features": "features", "n_classes": "classes"}


def _add_sizes(page: Document, run: Run, k: int, sizes: list[int]) -> None:
    page.add(_heading("sizes", k))
    for measure in measures(run):
        page.add_chart(curve_chart(run, measure))
        page.add(value_table(run, measure, sizes).html())


def _add_tests(page: Document, run: Run, k: int, sizes: list[int]) -> None:
    page.add(_heading("tests", k))
    if len(run.arms) < 2:
        page.add("<p>One arm alone has nothing to be compared with.</p>")
        return
    for measure in measures(run):
        for size in sizes:
            table = tests_table(run, measure, size)
            if table.rows:
                pairs = f"{len(table.rows)} pair{'' if len(table.rows) == 1 else 's'}"
                opened = " open" if size == main_size(run, sizes) and len(table.rows) <= 6 else ""
                page.add(f"<details{opened}><summary>{escape(table.title)} ({pairs})</summary>")
                page.add(f"{table.html()}</details>")


def _add_cost(page: Document, run: Run, k: int) -> None:
    page.add(_heading("cost", k))
    page.add_chart(anatomy_chart(run))
    page.add(anatomy_table(run).html(), cost_table(run).html())
    page.add_chart(trajectory_chart(run))


def _add_stability(page: Document, run: Run, k: int, sizes: list[int]) -> None:
    page.add(_heading("stability", k))
    table = stability_table(run, sizes)
    if not table.rows:
        page.add("<p>Stability needs two seeds of an arm or more.</p>")
        return
    page.add_chart(stability_chart(run))
    page.add(table.html())


def _add_features(page: Document, run: Run, k: int, sizes: list[int]) -> None:
    page.add(_heading("features", k))
    for size in sizes:
        table = features_table(run, size)
        opened = " open" if size == main_size(run, sizes) else ""
        page.add(f"<details{opened}><summary>{escape(table.title)}</summary>{table.html()}</details>")


def _add_origin(page: Document, run: Run, k: int, sizes: list[int]) -> None:
    page.add(_heading("origin", k))
    page.add(
        "<p>"
        + page.link_to(f"{run.name}-rows.csv", rows_csv([run]), "All rows (CSV)")
        + page.link_to(f"{run.name}-subsets.csv", subsets_csv(run, sizes), "Subsets with names (CSV)")
        + "</p>"
    )
    if run.command:
        page.add("<p>The command that runs this again:</p>", command(run.command))
    if run.spec_text:
        page.add(f"<details><summary>The specification</summary><pre>{escape(run.spec_text)}</pre></details>")
    data = {"fingerprint of the data": str(run.data.get("fingerprint") or "")}
    page.add(definitions(data | dict(run.versions)))


def _cards(run: Run) -> list[tuple[str, str]]:
    shown = [(f"{len(run.arms)} × {len(run.seeds)}", "arms × seeds")]
    for measure in measures(run)[:2]:
        spreads = [spread for one in series(run, measure) for spread in one.spreads]
        shown.append((f"{max(spread.mean for spread in spreads):.4f}", f"highest mean {measure.name}"))
    shown.append((f"{sum(cell.n_evaluations for cell in run.cells):,}", "subsets evaluated"))
    seconds = [cell.seconds for cell in run.cells if cell.seconds is not None]
    if seconds:
        shown.append((duration(sum(seconds)), "of computing, all cells"))
    if run.n_missing:
        shown.append((f"{run.n_missing} of {run.n_planned}", "cells still missing"))
    return shown


def _controls(run: Run) -> str:
    """Return the legend of all charts of a run: buttons that hide and show an arm, the bands, another seed."""
    buttons = [
        f'<button type="button" class="arm arm-{k}" data-arm="{k}" aria-pressed="true">{escape(arm)}</button>'
        for k, arm in enumerate(run.arms)
    ]
    if len(run.arms) > 2:
        buttons.append('<button type="button" data-all>all</button>')
    if len(run.seeds) > 1:
        pressed = str(len(run.arms) <= _CLEAR).lower()
        buttons.append(f'<button type="button" data-bands aria-pressed="{pressed}">bands</button>')
        options = "".join(f'<option value="{seed}">{seed}</option>' for seed in run.seeds)
        buttons.append(f"<label>trajectories of seed <select>{options}</select></label>")
    else:
        buttons.append(f'<select hidden aria-hidden="true"><option>{run.seeds[0]}</option></select>')
    return f'<div class="controls" role="toolbar" aria-label="What the charts show">{"".join(buttons)}</div>'


def _colors(runs: Sequence[Run]) -> str:
    most = max((len(run.arms) for run in runs), default=0)
    return "".join(f".arm-{k}{{--color:{arm_color(k)}}}" for k in range(most))


def _contents(links: Sequence[tuple[str, str]]) -> str:
    inside = "".join(f'<a href="#{name}">{escape(words)}</a>' for name, words in links)
    return f'<nav class="contents" aria-label="Contents">{inside}</nav>'


def _heading(name: str, k: int) -> str:
    return f'<h2 id="{name}-{k}">{escape(_SECTIONS[name])}</h2>'


def _list(said: Sequence[str]) -> str:
    return f'<ul class="said">{"".join(f"<li>{escape(sentence)}</li>" for sentence in said)}</ul>'


def _split(split: Any) -> str:
    shares = [f"{split[part]:g} % to {part}" for part in ("train", "test") if part in split] if split else []
    return ", ".join(shares)
