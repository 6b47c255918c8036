"""Positions of the few that a long mask marks."""

from __future__ import annotations

import numpy as np

from sweepless._typing import Features, Mask

_SHORT = 1 << 14  # up to here, NumPy is as fast
_RARE = 1 << 12  # items, of which one is marked


def marked(mask: Mask) -> Features:
    """Return the marked positions in ascending order, found one by one by a search for a byte if they are few."""
    if len(mask) <= _SHORT:
        return np.flatnonzero(mask)
    text, found, at = mask.tobytes(), [], -1
    while (at := text.find(1, at + 1)) >= 0:
        found.append(at)
        if len(found) * _RARE > len(mask):
            return np.flatnonzero(mask)
    return np.array(found, dtype=np.intp)
