"""All distances of some rows from scratch, in float32, with the two dearest terms of every pair of samples.

Nothing is kept between steps, so nothing has to fit into memory: what is read are the members' values, which fit the
cache. Rows are scanned a few at a time, so that they share what is read.
"""

from __future__ import annotations

import numpy as np

from sweepless._typing import AnyArray, Counts
from sweepless.kernels._jit import index, kernel
from sweepless.kernels.neighbors.definition import term

_ROWS, _COLUMNS = 8, index(256)  # sums and dearest terms of so many pairs share the first-level cache
ROUND = 2.0**-24


def scan_error(size: int, span: float) -> tuple[float, float]:
    """Return slope and offset: a scanned distance v is off by at most slope * v + offset, its dearest terms included.

    A term is off by at most 5 u of its feature's largest term, where u = 2**-24; those sum up to `span`. Four terms are
    added to one another, and then to the sum. The bound is twice that.
    """
    return 2.0 * (size / 4.0 + 6.0) * ROUND, 24.0 * ROUND * span + 1e-43 * (size + 4)


@kernel
def scan_rows(
    here: AnyArray,
    there: AnyArray,
    size: int,
    row_sample: Counts,
    row_fold: Counts,
    col_fold: Counts,
    some: Counts,
    manhattan: bool,
    found: AnyArray,
) -> None:
    """Fill in sums, dearest and second dearest terms, of shape (3, row, column); a forbidden column is infinitely far.

    `here` and `there` hold the centred values of all samples and of the group's columns, one member per row, and zeros
    up to a `size` that is a multiple of four.
    """
    n_columns = index(there.shape[1])
    for top in range(0, len(some), _ROWS):
        bottom = top + _ROWS if top + _ROWS < len(some) else len(some)
        for first in range(index(0), n_columns, _COLUMNS):
            last = first + _COLUMNS if first + _COLUMNS < n_columns else n_columns
            for p in range(top, bottom):
                for j in range(first, last):
                    found[0, p, j] = 0.0
                    found[1, p, j] = 0.0
                    found[2, p, j] = 0.0
            for k in range(0, size, 4):
                for p in range(top, bottom):
                    i = row_sample[some[p]]
                    here_0, here_1, here_2, here_3 = here[k, i], here[k + 1, i], here[k + 2, i], here[k + 3, i]
                    for j in range(first, last):
                        a = term(here_0 - there[k, j], manhattan)
                        b = term(here_1 - there[k + 1, j], manhattan)
                        c = term(here_2 - there[k + 2, j], manhattan)
                        d = term(here_3 - there[k + 3, j], manhattan)
                        found[0, p, j] += (a + b) + (c + d)
                        # The two dearest of the four, and then of these and the two dearest so far.
                        a, b = max(a, b), min(a, b)
                        c, d = max(c, d), min(c, d)
                        second = max(min(a, c), max(b, d))
                        first_of_four = max(a, c)
                        dearest = found[1, p, j]
                        found[1, p, j] = max(dearest, first_of_four)
                        second = max(second, min(dearest, first_of_four))
                        found[2, p, j] = max(found[2, p, j], second)
        for p in range(top, bottom):
            own = row_fold[some[p]]
            for j in range(n_columns):
                if col_fold[j] < 0 or col_fold[j] == own:
                    found[0, p, j] = np.inf
