"""Real-valued criteria on a grid, so that J is a function of the set however it was computed.

An incremental value and one from scratch agree to some error, not to the bit. J is therefore *defined* as the
value from scratch rounded to a grid much coarser than that error and much finer than anything that matters. An
incremental value whose error cannot carry it across a rounding boundary rounds to the same J; the few
that lie too near a boundary are computed from scratch.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from sweepless._typing import Values

GRID = 2.0**-26
"""The spacing of J, in units of the criterion's own scale: about 1.5e-8."""


def snap(value: float, unit: float = 1.0) -> float:
    """Round a value from scratch to the grid: the definition of J."""
    spacing = GRID * unit
    return float(np.rint(value / spacing) * spacing)


def snap_all(values: Values, errors: Values | float, unit: float, settle: Callable[[int], float]) -> Values:
    """Round incremental values to the grid.

    Parameters
    ----------
    values : array
        NaN or infinite where the fast way found no value.
    errors : array or float
        Bounds on how far each may be from the value from scratch.
    unit : float
        The criterion's scale, a power of two times anything that depends on the data only.
    settle : callable
        Gives J of the k-th candidate by the definition, `snap` included.
    """
    spacing = GRID * unit
    scaled = values / spacing
    nearest = np.rint(scaled)
    # A value that its error might carry over the middle between two grid points is not decided here.
    undecided = ~(0.5 - np.abs(scaled - nearest) > np.broadcast_to(errors, values.shape) / spacing)
    snapped = nearest * spacing
    for k in np.flatnonzero(undecided):
        snapped[k] = settle(int(k))
    return snapped
