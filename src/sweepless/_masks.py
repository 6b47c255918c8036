"""Positions of the few that a long mask marks."""

from __future__ import annotations

import numpy as np

from sweepless._typing import Features, Mask

_PAGE = 4096
_MANY = 1 << 18  # up to here, NumPy is as fast


def marked(mask: Mask) -> Features:
    """Return the marked positions in ascending order; pages without any are passed over if most are."""
    if len(mask) <= _MANY:
        return np.flatnonzero(mask)
    n_paged = len(mask) - len(mask) % _PAGE
    pages = mask[:n_paged].reshape(-1, _PAGE)
    some = np.flatnonzero(pages.any(axis=1))
    if 2 * len(some) > len(pages):
        return np.flatnonzero(mask)
    inside = np.flatnonzero(pages[some])
    return np.append(some[inside // _PAGE] * _PAGE + inside % _PAGE, n_paged + np.flatnonzero(mask[n_paged:]))
