"""The chart and the table of a panel of criteria."""

from __future__ import annotations

from sweepless._phrases import counted
from sweepless.reports.chart import Chart, Series
from sweepless.reports.style import arm_color, arm_dash
from sweepless.reports.table import Column, Table, Value
from sweepless.schema.panel import SavedMember, SavedPanel

_APART = 1.03  # the factor between the bars of two members at one size
_READ = "%{y:.3f} at %{customdata[0]:,}%{customdata[1]}"


def honest_score(panel: SavedPanel) -> str:
    """Return the honest score with its error and its size, in words."""
    error = "" if panel.honest_error is None else f" ± {panel.honest_error:.3f}"
    return f"{panel.honest_score:.3f}{error} at {counted(panel.size, 'feature')}"


def panel_chart(panel: SavedPanel) -> Chart:
    """Draw the mean outer score of every member by size; the chosen member and size are marked."""
    drawn = []
    for k, member in enumerate(panel.members):
        apart = _APART ** (k - (len(panel.members) - 1) / 2)
        if (line := _line(panel, member, k, apart)).x:
            drawn.append(line)
        if member.name == panel.chosen:
            place = Series(
                "points", "chosen", [panel.size * apart], [panel.honest_score], arm_color(k), size=13, symbol="diamond",
                said=[member.name], template="%{customdata}, chosen: %{y:.3f}<extra></extra>",
            )  # fmt: skip
    note = f"Bars of one standard error over {counted(panel.n_splits, 'split')}; the mean is over {_judges(panel)}."
    return Chart(
        "Mean score outside, by criterion", [*drawn, place], "subset size", "mean score outside", note,
        has_legend=True, log_ticks=panel.sizes,
    )  # fmt: skip


def panel_table(panel: SavedPanel) -> Table:
    """Return the mean outer scores, one row per member, the chosen one in bold."""
    columns = [Column("criterion", is_number=False), *(Column(f"{size:,}", ".3f") for size in panel.sizes)]
    columns += [Column("splits"), Column("seconds", ".1f")]
    rows: list[list[Value]] = [
        [member.name, *member.scores, member.n_splits, member.seconds] for member in panel.members
    ]
    chosen = [member.name for member in panel.members].index(panel.chosen)
    marked = frozenset({(chosen, 0), (chosen, 1 + panel.sizes.index(panel.size))})
    note = (
        "Every criterion was searched on the training parts of the splits, and subsets of so many features were judged "
        "on the rest. After a round of splits, a criterion takes no further part if it is clearly behind, or if a "
        "smoother one is as good; who left is compared on the splits that both have seen."
    )
    return Table("Mean score outside, by subset size", columns, rows, note, marked)


def _line(panel: SavedPanel, member: SavedMember, k: int, apart: float) -> Series:
    triples = zip(panel.sizes, member.scores, member.errors, strict=True)
    known = [(size, score, error) for size, score, error in triples if score is not None]
    return Series(
        "line",
        member.name,
        [size * apart for size, _, _ in known],
        [score for _, score, _ in known],
        arm_color(k),
        reach=[error or 0.0 for _, _, error in known],
        dash=arm_dash(k),
        size=5,
        said=[[size, "" if error is None else f" (± {error:.3f})"] for size, _, error in known],
        template=_READ,
    )


def _judges(panel: SavedPanel) -> str:
    if len(panel.judges) == 1:
        return f"the judge {panel.judges[0]}"
    return f"the judges {', '.join(panel.judges[:-1])} and {panel.judges[-1]}"
