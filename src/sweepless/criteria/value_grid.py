"""Real-valued criteria on a grid, so that J is a function of the set however it was computed.

An incremental value and a value from scratch agree up to some error, not to the last bit. J is therefore *defined* as
the value from scratch, rounded to a grid that is much coarser than this error and much finer than any difference that
matters. An incremental value whose error cannot carry it across a rounding boundary rounds to the same J. The few
values that lie too near a boundary are computed from scratch.
"""

from __future__ import annotations

import numpy as np

from sweepless._typing import Mask, Values

GRID = 2.0**-26
"""The spacing of J, in units of the criterion's own scale: about 1.5e-8."""


def snap(value: float, unit: float = 1.0) -> float:
    """Round a value from scratch to the grid: the definition of J."""
    spacing = GRID * unit
    return float(np.rint(value / spacing) * spacing)


def snap_all(values: Values, errors: Values | float, unit: float) -> tuple[Values, Mask]:
    """Round incremental values to the grid, and tell which of them have to be computed from scratch.

    Parameters
    ----------
    values : array
        NaN or infinite where the incremental computation found no value.
    errors : array or float
        Bounds on how far each may be from the value from scratch.
    unit : float
        The scale of the criterion: a power of two times anything that depends on the data only.
    """
    spacing = GRID * unit
    scaled = values / spacing
    nearest = np.rint(scaled)
    # A value that its error might carry over the middle between two grid points is undecided.
    undecided = ~(0.5 - np.abs(scaled - nearest) > np.broadcast_to(errors, values.shape) / spacing)
    return nearest * spacing, undecided
