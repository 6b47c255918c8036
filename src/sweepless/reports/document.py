"""The frame of every page: style, charts and their data in one file that needs no network."""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from importlib.resources import files
from typing import Any

from sweepless._needs import require
from sweepless.reports.chart import Chart


@dataclass
class Document:
    """A page in the making: parts of its body, its charts, and the files it offers."""

    title: str
    style: str = ""
    body: list[str] = field(default_factory=list)
    charts: dict[str, dict[str, Any]] = field(default_factory=dict)
    files: dict[str, str] = field(default_factory=dict)

    def add(self, *parts: str) -> None:
        self.body += [part for part in parts if part]

    def add_chart(self, chart: Chart | None) -> None:
        """Add a chart, if there is one, with its heading; what the data are stands below it."""
        if chart is None:
            return
        name = f"chart-{len(self.charts)}"
        self.charts[name] = chart.figure()
        self.add(
            f'<figure><h3>{escape(chart.title)}</h3><div class="chart" id="{name}" tabindex="0" role="img" '
            f'aria-label="{escape(chart.title)}; arrow keys read its values" style="min-height:320px"></div>'
            f"<figcaption>{escape(chart.note)}</figcaption></figure>"
        )

    def link_to(self, name: str, content: str, words: str) -> str:
        """Return a link that downloads a file kept in the page."""
        key = f"file-{len(self.files)}"
        self.files[key] = content
        return f'<a class="download" data-file="{key}" download="{escape(name)}" href="#">{escape(words)}</a>'

    def render(self) -> str:
        """Return the page.

        Raises
        ------
        SweeplessError
            If plotly is not installed.
        """
        newline = "\n"
        return f"""<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="data:,">
<title>{escape(self.title)}</title>
<style>{_asset("page.css")}{self.style}</style></head><body>
{newline.join(self.body)}
<noscript><p>The charts and the downloads of this page need JavaScript; the tables do not.</p></noscript>
<script type="application/json" id="page-data">{embedded({"charts": self.charts, "files": self.files})}</script>
<script>{_plotly() if self.charts else ""}</script>
<script>{_asset("page.js")}</script>
</body></html>
"""


def embedded(value: Any) -> str:
    """Return JSON that nothing inside can end early, whatever names it holds."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text


def cards(shown: Sequence[tuple[str, str]]) -> str:
    """Return a row of large numbers with a few words each."""
    inside = "".join(f'<div class="card"><b>{escape(b)}</b><span>{escape(s)}</span></div>' for b, s in shown)
    return f'<div class="cards">{inside}</div>'


def definitions(pairs: Mapping[str, str]) -> str:
    inside = "".join(f"<dt>{escape(name)}</dt><dd>{escape(text)}</dd>" for name, text in pairs.items() if text)
    return f"<dl>{inside}</dl>"


def command(words: Sequence[str]) -> str:
    return f'<pre class="command">{escape(shlex.join(words))}</pre>'


def _asset(name: str) -> str:
    return (files("sweepless.reports") / "assets" / name).read_text(encoding="utf-8")


def _plotly() -> str:
    require("a page")
    from plotly.offline import get_plotlyjs

    return str(get_plotlyjs())
