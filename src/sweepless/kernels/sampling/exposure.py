"""The least exposed features, in one pass over all of them, and those that tie for the last place."""

from __future__ import annotations

import numpy as np

from sweepless._typing import Counts, Features
from sweepless.kernels._jit import index, inner, maker
from sweepless.kernels.sampling import FEW_FEATURES

_PAGE = 256  # counted in one loop, searched only if it holds what is looked for


def least_exposed(exposure: Counts, barred: Features, count: int) -> Features:
    """List the `count` positions of least (exposure, position), the least first; there must be as many.

    `barred` positions, ascending, are passed over.
    """
    if len(exposure) > FEW_FEATURES:
        return _by_heap(exposure, barred, count)
    # Exposures first, then positions; NumPy 1 would multiply narrow counts by a scalar without widening them.
    keys = exposure.astype(np.int64) * FEW_FEATURES + np.arange(len(exposure))
    keys[barred] = np.iinfo(np.int64).max
    if count < len(keys):
        keys = np.partition(keys, count)[:count]
    keys.sort()
    return keys % FEW_FEATURES


class Tied:
    """The positions of one exposure that are not barred, in ascending order."""

    def __init__(self, exposure: Counts, barred: Features, level: int) -> None:
        self._exposure, self._barred, self._level = exposure, barred, level
        if len(exposure) > FEW_FEATURES:
            self._in_page = _tied_in_pages(exposure, barred, level)
            return
        is_tied = exposure == level
        is_tied[barred] = False
        self._listed = np.flatnonzero(is_tied)

    def __len__(self) -> int:
        return int(self._in_page.sum()) if len(self._exposure) > FEW_FEATURES else len(self._listed)

    def at(self, ordinals: Features) -> Features:
        """List some of them: the ones at these ascending ordinals."""
        if len(self._exposure) > FEW_FEATURES:
            return _by_pages(self._exposure, self._barred, self._level, self._in_page, ordinals)
        return self._listed[ordinals]


@maker
def _tied_in_pages(exposure: Counts, barred: Features, level: int) -> Counts:
    """Count the tied positions of every page."""
    in_page = np.zeros((len(exposure) + _PAGE - 1) // _PAGE, dtype=np.int64)
    for number in range(len(in_page)):
        page = exposure[number * _PAGE : (number + 1) * _PAGE]
        n_tied = 0
        for k in range(index(len(page))):
            n_tied += page[k] == level
        in_page[number] = n_tied
    for position in barred:
        in_page[position // _PAGE] -= exposure[position] == level
    return in_page


@maker
def _by_pages(exposure: Counts, barred: Features, level: int, in_page: Counts, ordinals: Features) -> Features:
    """List them without looking at pages that hold none of them."""
    found = np.empty(len(ordinals), dtype=np.intp)
    n_found = 0
    n_passed = 0  # tied positions so far
    skip = 0
    for number in range(len(in_page)):
        if n_found == len(ordinals):
            break
        if ordinals[n_found] >= n_passed + in_page[number]:
            n_passed += in_page[number]
            continue
        for position in range(number * _PAGE, min((number + 1) * _PAGE, len(exposure))):
            while skip < len(barred) and barred[skip] < position:
                skip += 1
            if exposure[position] == level and not (skip < len(barred) and barred[skip] == position):
                if n_found < len(ordinals) and ordinals[n_found] == n_passed:
                    found[n_found] = position
                    n_found += 1
                n_passed += 1
    return found


@maker
def _by_heap(exposure: Counts, barred: Features, count: int) -> Features:
    """List them in one pass: the found ones stand in a heap, the worst on top.

    Whatever is not below its exposure is passed over, a page at a time.
    """
    heap = np.empty(count, dtype=np.intp)
    n_found = 0
    beyond = np.int64(2**62) if count else np.int64(0)  # exposures from here on are passed over
    n_barred = 0
    for begin in range(0, len(exposure), _PAGE):
        if beyond == 0:
            break
        page = exposure[begin : begin + _PAGE]
        n_good = 0
        for k in range(index(len(page))):
            n_good += page[k] < beyond
        if n_good == 0:
            continue
        while n_barred < len(barred) and barred[n_barred] < begin:
            n_barred += 1
        skip = n_barred
        for position in range(begin, begin + len(page)):
            if skip < len(barred) and barred[skip] == position:
                skip += 1
            elif exposure[position] < beyond:
                if n_found < count or _is_before(position, heap[0], exposure):
                    n_found = min(n_found + 1, count)
                    _settle(heap, count - n_found, position, count, exposure)  # filled from its end on
                if n_found == count:
                    beyond = np.int64(exposure[heap[0]])
    for last in range(count - 1, -1, -1):
        worst = heap[0]
        _settle(heap, count - n_found, heap[last], last, exposure)
        heap[last] = worst
    return heap


@inner
def _settle(heap: Features, place: int, position: int, size: int, exposure: Counts) -> None:
    """Put a position where it belongs in a heap of some size: at `place` or below it."""
    while 2 * place + 1 < size:
        worse = 2 * place + 1
        if worse + 1 < size and _is_before(heap[worse], heap[worse + 1], exposure):
            worse += 1
        if not _is_before(position, heap[worse], exposure):
            break
        heap[place] = heap[worse]
        place = worse
    if place < size:
        heap[place] = position


@inner
def _is_before(a: int, b: int, exposure: Counts) -> bool:
    """Tell whether position a comes before b."""
    if exposure[a] != exposure[b]:
        return bool(exposure[a] < exposure[b])
    return a < b
