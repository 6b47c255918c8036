"""Claims beside what we found: one row for each, with a verdict."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sweepless._phrases import counted
from sweepless.errors import InputError
from sweepless.reports.table import MISSING, Column, Table, Tag, Value

Number = float | int | str | None
VERDICTS = {"equal": "✓ equal", "within": "✓ within", "differs": "✗ differs", "not computed": "– not computed"}
OURS = "ours"
"""Stands in place of a verdict on numbers that are not in the paper."""


@dataclass(frozen=True)
class Claim:
    """One printed number beside ours.

    Attributes
    ----------
    id : str
        For example "C51".
    what : str
    ours, paper, difference : float, int, str or None
        Numbers are written with six digits; text is written as it is.
    verdict : {"equal", "within", "differs", "not computed", "ours"}
        Equal to the printed precision, within a stated tolerance, or neither; or a number of our own beside them.
    note : str
    """

    id: str
    what: str
    ours: Number
    paper: Number
    difference: Number
    verdict: str
    note: str = ""

    def __post_init__(self) -> None:
        allowed = (*VERDICTS, OURS)
        if self.verdict not in allowed:
            raise InputError(f"`verdict` must be one of {', '.join(allowed)}, got {self.verdict!r}.")


def claims_table(claims: Sequence[Claim], *, title: str = "Ours beside the paper's", notes: bool = True) -> Table:
    """Return the claims as a table, with a column of notes if there are any and they are wanted."""
    shown = notes and any(claim.note for claim in claims)
    columns = [Column("claim", is_number=False), Column("what", is_number=False)]
    columns += [Column("ours", ".6g"), Column("paper", ".6g"), Column("difference")]
    columns += [Column("verdict", is_number=False)] + [Column("note", is_number=False)] * shown
    rows: list[list[Value]] = [
        [
            claim.id,
            claim.what,
            claim.ours,
            claim.paper,
            _signed(claim.difference),
            Tag(VERDICTS.get(claim.verdict, "not the paper's"), "verdict " + claim.verdict.replace(" ", "-")),
            *([claim.note] if shown else []),
        ]
        for claim in claims
    ]
    return Table(title, columns, rows, verdicts_counted(claims))


def _signed(difference: Number) -> str | None:
    """Write a difference with its sign and three digits, and no difference as 0."""
    if difference is None or isinstance(difference, str):
        return difference
    if difference == 0:
        return "0"
    return f"{difference:+,d}" if isinstance(difference, int) else f"{difference:+.3g}"


def verdicts_counted(claims: Sequence[Claim]) -> str:
    """Say how many claims have each verdict, and how many numbers are our own."""
    claims, n_ours = [one for one in claims if one.verdict != OURS], sum(one.verdict == OURS for one in claims)
    counts = {verdict: sum(claim.verdict == verdict for claim in claims) for verdict in VERDICTS}
    parts = [f"{count} {verdict}" for verdict, count in counts.items() if count]
    beside = f"; {counted(n_ours, 'number')} of our own" if n_ours else ""
    return f"{counted(len(claims), 'claim')}: {', '.join(parts) or MISSING}{beside}."
