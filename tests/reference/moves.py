"""Walks of a cursor through subsets, and the values it must have around each of them."""

from __future__ import annotations

import numpy as np

from sweepless.direction import Direction


def toggle(cursor, feature):
    """Remove a member, or add a feature that is none."""
    cursor.move(Direction.REMOVE if cursor.members[feature] else Direction.ADD, feature)


def wander(cursor, n_steps, draws):
    """Toggle random features; yield after each step."""
    for step in range(n_steps):
        toggle(cursor, int(draws.integers(cursor.n_features)))
        yield step


def neighbors(cursor):
    """Yield every legal (direction, candidates) around the subset where the cursor stands."""
    for direction in Direction:
        if direction.is_legal(cursor.size, cursor.n_features):
            yield direction, direction.pool(cursor.members)


def from_scratch(cursor, direction, candidates):
    """Return the values of neighbors by the definition."""
    return [cursor.evaluate(np.flatnonzero(direction.applied(cursor.members, f))) for f in candidates]


def require_peeks_by_definition(cursor):
    """Peek at all neighbors and compare with the definition, bit for bit."""
    for direction, pool in neighbors(cursor):
        assert cursor.peek(direction, pool).tolist() == from_scratch(cursor, direction, pool)
