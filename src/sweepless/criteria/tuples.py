"""Neighbors that differ by tuples of features, valued by a cursor that knows its single steps."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from sweepless._typing import Features, Values
from sweepless.direction import Direction

if TYPE_CHECKING:
    from sweepless.criteria.base import Cursor


def peek_tuples(cursor: Cursor, direction: Direction, candidates: Features) -> Values:
    """Move to each distinct prefix of c-1 features once, and peek at the last features from there."""
    values = np.empty(len(candidates))
    order = np.lexsort(candidates[:, ::-1].T)
    ordered = candidates[order]
    changes = np.any(ordered[1:, :-1] != ordered[:-1, :-1], axis=1)
    bounds = [0, *(np.flatnonzero(changes) + 1), len(ordered)]
    for start, stop in pairwise(bounds):
        if start == stop:
            continue
        prefix = ordered[start, :-1]
        cursor.move(direction, prefix)
        try:
            values[order[start:stop]] = cursor.peek(direction, ordered[start:stop, -1])
        finally:
            cursor.move(direction.opposite, prefix[::-1])
    return values
