"""Which subset sizes are reported: all, some, or a range of them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeAlias

from sweepless.runs.tables import Table, is_whole

Sizes: TypeAlias = str | list[int] | dict[str, int]
"""As in a spec: "all", a list, or {from, to, step}."""

_MOST = 10**7


def read_sizes(table: Table, name: str) -> Sizes:
    """Take sizes from a table of a spec."""
    given = table.pop(name)
    if given == "all":
        return "all"
    if isinstance(given, list) and given and all(is_whole(size, 1, _MOST) for size in given):
        return sorted(set(given))
    if isinstance(given, dict) and set(given) <= {"from", "to", "step"} and "to" in given:
        bounds = {"from": 1, "step": 1} | given
        if all(is_whole(bound, 1, _MOST) for bound in bounds.values()) and bounds["from"] <= bounds["to"]:
            return bounds
    raise table.wrong(name, '"all", a list of sizes, or {from = 1, to = 150, step = 5}', given)


def wanted(sizes: Sizes, available: Iterable[int]) -> list[int]:
    """Return the available sizes that are asked for, ascending."""
    chosen = chosen_sizes(sizes)
    return sorted(size for size in available if chosen is None or size in chosen)


def chosen_sizes(sizes: Sizes) -> Any:
    """Return what was asked for as a collection, None for all."""
    if isinstance(sizes, dict):
        return range(sizes["from"], sizes["to"] + 1, sizes["step"])
    return None if isinstance(sizes, str) else set(sizes)
