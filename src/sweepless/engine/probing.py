"""Linear probing without the walk, for many subsets at once.

Whoever finds the cell that it wants taken takes the next free one, around the circle. Which cells are taken in the
end does not depend on the order of the wishes: so they are granted in ascending order, where the k-th takes
the cell that it wants or the one behind the last, whichever is farther.
"""

from __future__ import annotations

import numpy as np

from sweepless._typing import Features


def taken_cells(wanted: Features, lengths: Features, n_cells: int) -> list[Features]:
    """Return the cells that each row takes, ascending.

    Rows are as long as `lengths` says, and filled up by numbers that are not below `n_cells`.
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
    """Let those that went beyond the last cell begin again at the first."""
    cells = _granted(ordered)
    while n_beyond := int(np.count_nonzero(cells >= n_cells)):
        ordered = np.concatenate([np.zeros(n_beyond, dtype=np.intp), ordered[:-n_beyond]])
        cells = _granted(ordered)
    return cells
