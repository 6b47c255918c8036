"""Order statistics of a million numbers in one or two passes."""

from __future__ import annotations

from typing import Any

import numpy as np

from sweepless._typing import Features, Values
from sweepless.kernels._jit import index, inner, inner_maker, integer, maker
from sweepless.kernels._lane_choices import bits_within, count_of, lowest_bit
from sweepless.kernels.sampling import FEW_FEATURES

_RUN = 16  # the sample is made of runs of neighbors, as memory is read in lines
_WORD = 64  # values that are looked at together
_NEAR = 16  # how many numbers of the sample lie between an order statistic and its marks
_COLLECT = 4  # marks between which more than a quarter of all values lie are too far apart


class OrderStatistics:
    """Finds two order statistics, among many numbers in one pass if they have not changed much since the last time.

    A bracket around each is laid through positions: those of numbers that stood a little below and above it the last
    time. All scores that are not touched move nearly alike, and so does the bracket. Whether it holds what is sought
    is counted; if not, a sample brackets it. So what is found never depends on the past.
    """

    def __init__(self) -> None:
        self._marks = np.empty(0, dtype=np.intp)

    def __call__(self, values: Values, low: int, high: int) -> tuple[float, float]:
        """Return what would stand at places low <= high if the values were sorted."""
        if len(values) > FEW_FEATURES:
            if len(self._marks) and self._marks.max() < len(values):
                lower, higher, n_collected = _between(values, low, high, values[self._marks])
                if _COLLECT * n_collected > len(values):
                    self._marks = self._marks[:0]
                if not (np.isnan(lower) or np.isnan(higher)):
                    return lower, higher
            lower, higher = self._by_sample(values, low, high)
            if not (np.isnan(lower) or np.isnan(higher)):
                return lower, higher
        parted = np.partition(values, (low, high))  # few values, or an order of them by which the sample was misled
        return float(parted[low]), float(parted[high])

    def _by_sample(self, values: Values, low: int, high: int) -> tuple[float, float]:
        """Return both, or NaN for what the sample did not help to find, and mark where they stand."""
        n_values = len(values)
        n_runs = int(2.0 * n_values ** (2.0 / 3.0)) // _RUN  # balances the work on the sample and on what it brackets
        starts = (np.arange(n_runs) * ((n_values - _RUN) / (n_runs - 1))).astype(np.intp)
        places = (starts[:, None] + np.arange(_RUN)).ravel()
        places = places[np.argsort(values[places])]
        sample = values[places]
        expected = np.array([low, high]) * (len(sample) / n_values)
        margin = 4.0 * np.sqrt(expected * (len(sample) - expected) / len(sample)) + 2.0
        lower, higher, _ = _between(values, low, high, sample[_around(expected, margin, len(sample))])
        self._marks = places[_around(np.searchsorted(sample, (lower, higher)), _NEAR, len(sample))]
        return lower, higher


def _around(centers: Any, margin: Any, n_places: int) -> Features:
    """Return the places that lie a margin before and behind each of the centers."""
    ends = np.stack([centers - margin, centers + margin], axis=1).ravel()
    return np.asarray(ends.clip(0, n_places - 1).astype(np.intp))


@maker
def _between(values: Values, low: int, high: int, brackets: Values) -> tuple[float, float, int]:
    """Return both order statistics, or NaN for what its bracket does not hold, and how many values the brackets hold.

    One pass counts what lies up to the start of each bracket and collects what lies strictly inside. Equal values, of
    which there are many as long as most features are unknown, fall on the ends of the brackets and are only counted.
    """
    a, b = min(brackets[0], brackets[1]), max(brackets[0], brackets[1])
    c, d = min(brackets[2], brackets[3]), max(brackets[2], brackets[3])
    collected, n_up_to_a, n_up_to_c = _collect(values, a, b, c, d)
    lower = _counted(values, collected, low, a, b, n_up_to_a)
    return lower, _counted(values, collected, high, c, d, n_up_to_c), len(collected)


@inner_maker
def _collect(values: Values, a: float, b: float, c: float, d: float) -> tuple[Values, int, int]:
    """Return what lies inside (a, b) or (c, d), and how many are up to a and up to c; -1 if too much lies inside."""
    collected = np.empty(len(values) // 2 + 2 * _WORD)
    line = values.reshape((1, len(values)))
    below_b, below_d = np.nextafter(b, -np.inf), np.nextafter(d, -np.inf)
    n_whole = len(values) - len(values) % _WORD
    n_collected, n_up_to_a, n_up_to_c = index(0), index(0), index(0)
    for at in range(index(0), index(n_whole), index(_WORD)):
        up_to_a, up_to_c = bits_within(line, at, a), bits_within(line, at, c)
        n_up_to_a += count_of(up_to_a)
        n_up_to_c += count_of(up_to_c)
        inside = (bits_within(line, at, below_b) & ~up_to_a) | (bits_within(line, at, below_d) & ~up_to_c)
        if n_collected + index(2 * _WORD) > index(len(collected)):  # with room for what is left over at the end
            return collected[:0], -1, -1
        while inside != index(0):
            collected[n_collected] = values[at + lowest_bit(inside)]
            n_collected += index(1)
            inside &= inside - index(1)
    for k in range(n_whole, len(values)):
        x = values[k]
        n_up_to_a += index(x <= a)
        n_up_to_c += index(x <= c)
        collected[n_collected] = x
        n_collected += index((a < x < b) or (c < x < d))
    return collected[:n_collected], integer(n_up_to_a), integer(n_up_to_c)


@inner
def _counted(values: Values, collected: Values, place: int, start: float, stop: float, n_up_to: int) -> float:
    """Return what stands at the place if it is in the bracket from start to stop, else NaN."""
    if place < n_up_to:
        return start if place >= n_up_to - _number_within(values, start, start) else np.nan
    first = place - n_up_to + _number_within(collected, -np.inf, start)
    if first < len(collected):
        value = _nth(collected, first)
        if value < stop:
            return value
    return stop if n_up_to >= 0 and place < _number_within(values, -np.inf, stop) else np.nan


@inner
def _number_within(values: Values, least: float, most: float) -> int:
    n_within = 0
    for k in range(index(len(values))):
        n_within += (least <= values[k]) & (values[k] <= most)
    return n_within


@inner
def _nth(work: Values, place: int) -> float:
    """Return what stands at a place of the sorted array, reordering it without a branch per value."""
    left, right = 0, len(work) - 1
    while left < right:
        first, middle, last = work[left], work[(left + right) // 2], work[right]
        pivot: float = max(min(first, middle), min(max(first, middle), last))
        n_less = left
        for i in range(left, right + 1):
            x = work[i]
            work[i] = work[n_less]
            work[n_less] = x
            n_less += x < pivot
        if place < n_less:
            right = n_less - 1
        elif n_less > left:
            left = n_less
        else:  # the pivot is the least that is left
            for i in range(n_less, right + 1):
                x = work[i]
                work[i] = work[left]
                work[left] = x
                left += x <= pivot
            if place < left:
                return pivot
    value: float = work[place]
    return value
