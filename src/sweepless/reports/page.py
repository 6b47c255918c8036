"""One run as one self-contained page."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from sweepless.reports.figures import curve_svg, trajectory_svg

_STYLE = """
body { font: 16px/1.55 system-ui, sans-serif; max-width: 54rem; margin: 2rem auto; padding: 0 1rem;
       color: #1c2530; background: #fff; }
h1 { font-size: 1.6rem; margin-bottom: .2rem; } h2 { font-size: 1.15rem; margin-top: 2.2rem; }
.lead { color: #5a6572; margin-top: 0; }
.cards { display: grid; grid-template-columns: repeat(auto-fit, minmax(9.5rem, 1fr)); gap: .8rem; }
.card { border: 1px solid #dbe1e8; border-radius: .6rem; padding: .7rem .9rem; }
.card b { display: block; font-size: 1.35rem; } .card span { color: #5a6572; font-size: .85rem; }
svg { width: 100%; height: auto; background: #fff; }
table { border-collapse: collapse; width: 100%; font-size: .92rem; }
th, td { text-align: left; padding: .3rem .6rem; border-bottom: 1px solid #e4e9ef; vertical-align: top; }
td.number, th.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
tr.chosen { background: #fdf1e6; }
code { background: #f1f4f8; padding: .6rem .8rem; display: block; overflow-x: auto; border-radius: .4rem; }
.note { color: #5a6572; font-size: .9rem; }
"""


def render_page(
    found: Mapping[str, Any],
    trajectory: Sequence[Mapping[str, Any]],
    data_name: str,
    feature_names: Sequence[str] | None,
    command: Sequence[str],
) -> str:
    """Return the page of a result given as plain values; every name is escaped."""
    if not found["archive"]:
        body = "<p>The run was stopped before it had recorded a subset.</p>"
    else:
        body = "\n".join(
            [
                _cards(found),
                "<h2>The best subset of every size</h2>",
                curve_svg(found["archive"], found["size"]),
                "<h2>How the search moved</h2>",
                trajectory_svg(trajectory),
                "<h2>Subsets</h2>",
                _table(found, feature_names),
            ]
        )
    title = escape(f"{found['method']} on {data_name}")
    run = escape(shlex.join(["sweepless", *command]))
    return f"""<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title><style>{_STYLE}</style></head><body>
<h1>{title}</h1>
<p class="lead">{escape(found["criterion"])}, {found["n_features"]:,} features, seed {found["seed"]},
stopped: {escape(found["stop_reason"])}</p>
{body}
<h2>Run it again</h2><code>{run}</code>
<p class="note">sweepless {escape(found["version"])}</p>
</body></html>
"""


def _cards(found: Mapping[str, Any]) -> str:
    cards = [
        (f"{found['size']}", "features chosen"),
        (f"{found['value']:.4f}", "criterion value, optimised"),
        (f"{found['n_evaluations']:,}", "subsets evaluated"),
        (f"{found['seconds']:.1f} s", "wall time"),
    ]
    if found.get("holdout") is not None:
        cards.insert(2, (f"{found['holdout']:.4f}", "on data the search never saw"))
    return (
        '<div class="cards">'
        + "".join(f'<div class="card"><b>{b}</b><span>{s}</span></div>' for b, s in cards)
        + "</div>"
    )


def _table(found: Mapping[str, Any], names: Sequence[str] | None) -> str:
    rows = []
    for record in found["archive"]:
        listed = [names[feature] if names else str(feature) for feature in record["features"]]
        mark = ' class="chosen"' if record["size"] == found["size"] else ""
        rows.append(
            f'<tr{mark}><td class="number">{record["size"]}</td><td class="number">{record["value"]:.4f}</td>'
            f'<td class="number">{record["n_evaluations"]:,}</td><td>{escape(", ".join(listed))}</td></tr>'
        )
    return (
        '<table><tr><th class="number">size</th><th class="number">value</th>'
        '<th class="number">found after</th><th>features</th></tr>' + "".join(rows) + "</table>"
    )
