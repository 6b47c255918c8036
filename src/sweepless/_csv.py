"""Comma-separated text that no spreadsheet takes for a program."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence

_FORMULAS = ("=", "+", "-", "@", "\t", "\r")  # what a cell begins with that is computed when the file is opened


def as_csv(lines: Iterable[Sequence[object]]) -> str:
    """Return lines of values as comma-separated text; an apostrophe stands before text that would be a formula."""
    stream = io.StringIO(newline="")
    csv.writer(stream, lineterminator="\n").writerows(list(map(_harmless, line)) for line in lines)
    return stream.getvalue()


def _harmless(value: object) -> object:
    return f"'{value}" if isinstance(value, str) and value.startswith(_FORMULAS) else value
