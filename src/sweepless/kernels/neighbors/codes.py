"""Codes of values, one byte each: whether two samples are equal in many candidates is told from two rows of bytes."""

from __future__ import annotations

import numpy as np

from sweepless._typing import AnyArray, Features, Values
from sweepless.kernels._jit import index, kernel

VARIOUS = np.uint8(255)  # the code of every value of a feature that has too many, and of none else


@kernel
def write_codes(columns: Values, places: Features, at: Features, found: Values, codes: AnyArray) -> None:
    """Write the codes of the features at some places of `columns`, sample by sample, at other places of `codes`.

    Values of a feature have the same code if and only if they are equal. `found` is room for the values that have one.
    """
    for k in range(len(places)):
        column, to = columns[index(places[k])], index(at[k])
        n_found = 0
        for i in range(index(len(column))):
            code = 0
            while code < n_found and found[code] != column[i]:
                code += 1
            if code == len(found):
                n_found = -1
                break
            if code == n_found:
                found[code] = column[i]
                n_found += 1
            codes[i, to] = code
        if n_found < 0:
            for i in range(index(len(column))):
                codes[i, to] = VARIOUS
