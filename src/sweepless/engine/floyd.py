"""Random subsets by Floyd's algorithm, in three implementations that choose the same items.

The k-th number drawn for a subset, counted from 0, lies in 0..start + k, where start is the number of items that are
not chosen.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sweepless._typing import Features

_SPARSE = 64  # beyond this many items per item of a subset, marking all of them costs more than it saves


def chosen(items: list[int], start: int) -> Features:
    """Choose one item after the other; replace an item chosen before by the greatest possible one."""
    n_items = start + len(items)
    if _SPARSE * len(items) < n_items:
        taken: set[int] = set()
        for last, item in enumerate(items, start):
            taken.add(last if item in taken else item)
        return np.array(sorted(taken), dtype=np.intp)
    marks = bytearray(n_items)
    for last, item in enumerate(items, start):
        marks[last if marks[item] else item] = 1
    return np.flatnonzero(np.frombuffer(marks, dtype=np.bool_))


def chosen_by_sorting(items: Features, start: int) -> Features:
    """Choose the same items as `chosen`, fast if items are hardly ever drawn twice."""
    while True:
        order = np.argsort(items, kind="stable")
        ordered = items[order]
        again = order[1:][ordered[1:] == ordered[:-1]]
        if len(again) == 0:
            return ordered
        first = again.min()
        items[first] = start + first


def chosen_together(words: NDArray[np.uint64], firsts: Features, lengths: Features, n_items: int) -> Features:
    """Choose the same items as `chosen` for many subsets of descending lengths, whose words begin at `firsts`."""
    marks = np.zeros(len(lengths) * n_items, dtype=np.bool_)
    origins = np.arange(len(lengths)) * n_items
    turns = np.arange(lengths[0])[:, None]
    lasts = n_items - lengths + turns  # too many for the shorter subsets, whose surplus is ignored
    items = (words[np.minimum(firsts + turns, len(words) - 1)] % (lasts + 1).astype(np.uint64)).astype(np.intp)
    lasts += origins
    items += origins
    n_open = np.searchsorted(-lengths, -turns[:, 0])  # how many subsets are longer than k
    for k, n in enumerate(n_open.tolist()):
        item = items[k, :n]
        marks[np.where(marks[item], lasts[k, :n], item)] = True
    return np.flatnonzero(marks) - np.repeat(origins, lengths)
