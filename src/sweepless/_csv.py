"""Comma-separated text in which no cell is taken for a formula."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence

_FORMULAS = ("=", "+", "-", "@", "\t", "\r")  # spreadsheets compute a cell that begins with one of these


def as_csv(lines: Iterable[Sequence[object]]) -> str:
    """Return lines of values as comma-separated text, with an apostrophe before text that looks like a formula."""
    stream = io.StringIO(newline="")
    csv.writer(stream, lineterminator="\n").writerows(list(map(_harmless, line)) for line in lines)
    return stream.getvalue()


def _harmless(value: object) -> object:
    return f"'{value}" if isinstance(value, str) and value.startswith(_FORMULAS) else value
