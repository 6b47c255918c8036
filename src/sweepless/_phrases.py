"""Pieces of text that fit a line."""

from __future__ import annotations

from collections.abc import Sequence


def shortened_list(names: Sequence[object], most: int = 8) -> str:
    """Name the first of many things, and show that there are more."""
    return ", ".join([str(name) for name in names[:most]] + (["…"] if len(names) > most else []))
