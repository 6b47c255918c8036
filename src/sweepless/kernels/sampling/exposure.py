"""The least exposed features, in one pass over all of them, and those that tie for the last place."""

from __future__ import annotations

import numpy as np

from sweepless._typing import AnyArray, Counts, Features
from sweepless.kernels._jit import index, inlined, inner, integer, maker
from sweepless.kernels._lane_choices import bits_within, count_of, lowest_bit
from sweepless.kernels.sampling import FEW_FEATURES

_PAGE = 256  # counted in one loop, searched only if it holds what is looked for
_WORD = 64  # positions that are looked at together
_LEAST = -1  # in place of an exposure: the least of all


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
    """The positions of one exposure that are not barred, in ascending order; by default of the least of all."""

    def __init__(self, exposure: Counts, barred: Features, level: int | None = None) -> None:
        self._exposure, self._barred = exposure, barred
        if len(exposure) > FEW_FEATURES:
            self._level, self._in_page = _tied_in_pages(exposure, barred, _LEAST if level is None else level)
            return
        is_tied = exposure == (exposure.min() if level is None else level)
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
def _tied_in_pages(exposure: Counts, barred: Features, level: int) -> tuple[int, Counts]:
    """Count the tied positions of every page; return the exposure that they have, too."""
    in_page = np.zeros((len(exposure) + _PAGE - 1) // _PAGE, dtype=np.int64)
    line = exposure.reshape((1, len(exposure)))
    is_least, first = level == _LEAST, 0  # what pages before the first hold is above the least of all
    if is_least:
        level = exposure[0]
    for number in range(len(in_page)):
        begin, end = number * _PAGE, min((number + 1) * _PAGE, len(exposure))
        n_below, n_tied = _below_and_tied(line, begin, end, level)
        if is_least and n_below > 0:
            level, first = exposure[begin:end].min(), number
            _, n_tied = _below_and_tied(line, begin, end, level)
        in_page[number] = n_tied
    in_page[:first] = 0
    for position in barred:
        in_page[position // _PAGE] -= exposure[position] == level
    return level, in_page


@inlined
def _below_and_tied(line: AnyArray, begin: int, end: int, level: int) -> tuple[int, int]:
    """Return how many positions of a page have less than an exposure, and how many just that."""
    n_below, n_up_to = index(0), index(0)
    for start in range(begin, end, _WORD):
        n_below += count_of(_up_to(line, start, level - 1))
        n_up_to += count_of(_up_to(line, start, level))
    return integer(n_below), integer(n_up_to - n_below)


@inlined
def _up_to(line: AnyArray, start: int, level: int) -> int:
    """Return as bits which of 64 positions, or of those that are left, have at most this exposure."""
    if start + _WORD <= line.shape[1]:
        word: int = bits_within(line, index(start), level)
    else:
        word = index(0)
        for k in range(start, line.shape[1]):
            word |= index(line[0, k] <= level) << index(k - start)
    return word


@maker
def _by_pages(exposure: Counts, barred: Features, level: int, in_page: Counts, ordinals: Features) -> Features:
    """List them without looking at pages that hold none of them."""
    line = exposure.reshape((1, len(exposure)))
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
        for start in range(number * _PAGE, min((number + 1) * _PAGE, len(exposure)), _WORD):
            word = _up_to(line, start, level) & ~_up_to(line, start, level - 1)
            while skip < len(barred) and barred[skip] < start + _WORD:
                if barred[skip] >= start:
                    word &= ~(index(1) << index(barred[skip] - start))
                skip += 1
            n_tied = integer(count_of(word))
            while n_found < len(ordinals) and ordinals[n_found] < n_passed + n_tied:
                rest = word
                for _ in range(ordinals[n_found] - n_passed):
                    rest &= rest - index(1)
                found[n_found] = start + integer(lowest_bit(rest))
                n_found += 1
            n_passed += n_tied
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
