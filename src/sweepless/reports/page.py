"""Pages from templates: style, scripts, charts and their data in one file that needs no network."""

from __future__ import annotations

import shlex
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from sweepless.reports.chart import Chart
from sweepless.reports.plotly_figure import plotly_figure
from sweepless.reports.table import written

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup


class Kept:
    """Charts and files to download: the body of a page refers to them by id, and its script finds them at the end."""

    def __init__(self) -> None:
        self.charts: dict[str, dict[str, Any]] = {}
        self.files: dict[str, str] = {}

    def chart(self, chart: Chart) -> str:
        """Keep a chart; return its id."""
        name = f"chart-{len(self.charts)}"
        self.charts[name] = plotly_figure(chart)
        return name

    def file(self, content: str) -> str:
        """Keep the content of a file; return its id."""
        name = f"file-{len(self.files)}"
        self.files[name] = content
        return name


def render(template: str, **values: object) -> str:
    """Return the page that a template makes of some values, all of them escaped.

    Callers have made sure that jinja2 and, for charts, plotly are installed.
    """
    return _environment().get_template(template).render(kept=Kept(), **values)


def asset(name: str) -> str:
    """Return the text of a style sheet or script beside the templates."""
    return (files("sweepless.reports") / "templates" / name).read_text(encoding="utf-8")


@cache
def _environment() -> Environment:
    from jinja2 import Environment, PackageLoader, StrictUndefined
    from markupsafe import Markup

    environment = Environment(
        loader=PackageLoader("sweepless.reports"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.policies["json.dumps_kwargs"] = {"allow_nan": False, "separators": (",", ":")}
    environment.filters |= {"written": written, "command": shlex.join}
    environment.globals |= {"asset": lambda name: Markup(asset(name)), "plotly": _plotly}  # nosec B704 # our own
    return environment


def _plotly() -> Markup:
    from markupsafe import Markup
    from plotly.offline import get_plotlyjs

    return Markup(get_plotlyjs())  # nosec B704 # a script, not text
