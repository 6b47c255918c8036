"""The positions of subsets in a stream of words: one word for the size, then one for each item."""

from __future__ import annotations

import numpy as np

from sweepless._typing import AnyArray, Features


def walked(words: AnyArray, sizes: tuple[int, int], count: int) -> tuple[Features, Features]:
    """Return where the items of each subset begin in the stream, and how many there are."""
    smallest, largest = sizes
    firsts, lengths = np.empty(count, dtype=np.intp), np.empty(count, dtype=np.intp)
    at = 0
    for k in range(count):
        lengths[k] = length = smallest + int(words[at]) % (largest - smallest + 1)
        firsts[k] = at + 1
        at += 1 + length
    return firsts, lengths
