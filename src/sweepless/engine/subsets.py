"""Random subsets of many items, also many at once.

A stream of words holds one word for the size of a subset, then one for each of its items.

By *Floyd's algorithm* the k-th number drawn for a subset, counted from 0, lies in 0..start + k, where start is the
number of items that are not chosen; three functions choose the same items, for few, rare and many subsets.

By *linear probing*, as in the reference program, a draw whose cell is taken already takes the next free cell, wrapping
around at the end. The cells that are taken in the end do not depend on the order of the draws, so the draws can be
handled in ascending order: each takes its own cell or the one after the last taken, whichever is farther.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

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
