"""Linear probing for many subsets at once, without a loop over cells.

A draw whose cell is taken already takes the next free cell, wrapping around at the end. The cells that are taken in
the end do not depend on the order of the draws, so the draws can be handled in ascending order: each takes its own
cell or the one after the last taken, whichever is farther.
"""

from __future__ import annotations

import numpy as np

from sweepless._typing import Features


def taken_cells(wanted: Features, lengths: Features, n_cells: int) -> list[Features]:
    """Return the cells that each row takes, in ascending order.

    `lengths` holds the lengths of the rows; the rest of a row is filled up with numbers of at least `n_cells`.
    """
    ordered = np.sort(wanted, axis=1)
    cells = _granted(ordered)
    return [
        cells[k, :length] if length == 0 or cells[k, length - 1] < n_cells else _around(ordered[k, :length], n_cells)
        for k, length in enumerate(lengths.tolist())
    ]


def _granted(ordered: Features) -> Features:
    turns = np.arange(ordered.shape[-1])
    return np.asarray(np.maximum.accumulate(ordered - turns, axis=-1) + turns)


def _around(ordered: Features, n_cells: int) -> Features:
    """Move the draws that went past the last cell to the first free ones."""
    cells = _granted(ordered)
    while n_beyond := int(np.count_nonzero(cells >= n_cells)):
        ordered = np.concatenate([np.zeros(n_beyond, dtype=np.intp), ordered[:-n_beyond]])
        cells = _granted(ordered)
    return cells
