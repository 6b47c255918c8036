"""Order statistics of a million numbers in one or two passes."""

from __future__ import annotations

import numpy as np

from sweepless._typing import Values
from sweepless.kernels._jit import index, kernel

_SMALL = 1 << 14  # up to here a plain selection is as fast
_RUNS, _RUN = 256, 64  # the sample: runs of neighbours, as memory is read in lines
_PAGE = 1024  # counted in one loop, collected in a second while it is in the cache


@kernel
def order_statistics(values: Values, low: int, high: int) -> tuple[float, float]:
    """Return what would stand at places low <= high if the values were sorted.

    A sample brackets both, by (a, b) and (c, d); one pass counts what lies below each bracket and collects what lies
    strictly inside. Equal values, of which there are many as long as most features are unknown, fall on the
    ends of the brackets and are only counted.
    """
    n_values = len(values)
    if n_values > _SMALL:
        sample = np.empty(_RUNS * _RUN)
        stride = (n_values - _RUN) / (_RUNS - 1)
        for run in range(_RUNS):
            start = int(run * stride)
            sample[run * _RUN : (run + 1) * _RUN] = values[start : start + _RUN]
        a, b = _bracket(sample, low, n_values)
        c, d = _bracket(sample, high, n_values)
        collected, n_up_to_a, n_up_to_c, n_below_a, n_below_c = _collect(values, a, b, c, d)
        lower = _counted(collected, low, a, b, n_below_a, n_up_to_a)
        higher = _counted(collected, high, c, d, n_below_c, n_up_to_c)
        if not (np.isnan(lower) or np.isnan(higher)):
            return lower, higher
    work = values.copy()  # few values, or an order of them by which the sample was misled
    return _nth(work, low, 0), _nth(work, high, low)


@kernel
def _bracket(sample: Values, place: int, n_values: int) -> tuple[float, float]:
    """Return two values of the sample that the wanted one most likely lies between, or is equal to."""
    n_sample = len(sample)
    expected = place * n_sample / n_values
    margin = 4.0 * np.sqrt(expected * (n_sample - expected) / n_sample) + 2.0
    first = int(max(expected - margin, 0.0))
    start = _nth(sample, first, 0)
    return start, _nth(sample, int(min(expected + margin, n_sample - 1.0)), first)


@kernel
def _collect(values: Values, a: float, b: float, c: float, d: float) -> tuple[Values, int, int, int, int]:
    """Return what lies inside (a, b) or (c, d); how many are up to a, up to c, below a and below c."""
    collected = np.empty(len(values) // 4 + _PAGE)
    n_collected, n_up_to_a, n_up_to_c, n_below_a, n_below_c = 0, 0, 0, 0, 0
    for begin in range(0, len(values), _PAGE):
        page = values[begin : begin + _PAGE]
        up_to_a, up_to_c, below_a, below_c, n_inside = 0, 0, 0, 0, 0
        for k in range(index(len(page))):
            x = page[k]
            up_to_a += x <= a
            up_to_c += x <= c
            below_a += x < a
            below_c += x < c
            n_inside += ((x > a) & (x < b)) | ((x > c) & (x < d))
        n_up_to_a += up_to_a
        n_up_to_c += up_to_c
        n_below_a += below_a
        n_below_c += below_c
        if n_collected + len(page) > len(collected):
            return collected[:0], n_up_to_a, n_up_to_c, n_below_a, n_below_c
        if n_inside:
            for k in range(index(len(page))):
                x = page[k]
                collected[n_collected] = x
                n_collected += ((x > a) & (x < b)) | ((x > c) & (x < d))
    return collected[:n_collected], n_up_to_a, n_up_to_c, n_below_a, n_below_c


@kernel
def _counted(collected: Values, place: int, start: float, stop: float, n_below: int, n_up_to: int) -> float:
    """Return what stands at the place if it is known from the counts and from what was collected, else NaN."""
    if place < n_below:
        return np.nan
    if place < n_up_to:
        return start
    first = 0
    for x in collected:
        first += x <= start
    first += place - n_up_to
    if first >= len(collected):
        return np.nan
    value = _nth(collected, first, 0)
    return value if value < stop else np.nan


@kernel
def _nth(work: Values, place: int, left: int) -> float:
    """Return what stands at a place of the sorted array, reordering it from `left` on: Hoare's selection."""
    right = len(work) - 1
    while left < right:
        middle = (left + right) // 2
        pivot = max(min(work[left], work[middle]), min(max(work[left], work[middle]), work[right]))
        i, j = left, right
        while i <= j:
            while work[i] < pivot:
                i += 1
            while work[j] > pivot:
                j -= 1
            if i <= j:
                work[i], work[j] = work[j], work[i]
                i += 1
                j -= 1
        if place <= j:
            right = j
        elif place >= i:
            left = i
        else:
            break
    value: float = work[place]
    return value
