"""Areas under the ROC curve and average precisions from one order of all samples, if no two keys are nearly equal.

There is a line of keys for every candidate and each of its `codes`; sixteen lines are put in order and counted at once,
each in a lane. `sizes` counts the samples of classes. What hangs on keys that are no farther apart than the limit of
the candidate is left to `ranks`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from sweepless._typing import AnyArray, Counts, Values
from sweepless.kernels._jit import index, inlined, inner, kernel
from sweepless.kernels._lane_choices import no_sums
from sweepless.kernels._lanes import WIDTH, every, load, minus, plus, store
from sweepless.kernels._sixteens import (
    add_shares,
    add_where_equal,
    below,
    equal,
    joined,
    shared,
    sort_lanes,
    transpose,
    unlike,
)
from sweepless.kernels.keys import KEY_BITS

OPEN = -2.0  # a value that is left to `ranks`
MANY = 2**16 - 1  # samples whose places sum up to no more than 31 bits
_GREATEST, _NONE = np.int32(2**31 - 1), np.int32(0)
# Rows of the spot: by how much keys must differ, whether some do not, what is found, the class of every line.
_LEAST, _NEAR, _FOUND, _CODE = range(4)
N_SPOTS = 4
ABREAST = 6  # classes that are counted at a time, in registers


@kernel
def sum_places(
    lines: AnyArray,
    is_ordered: bool,
    limits: Counts,
    codes: Counts,
    sizes: Counts,
    pad: AnyArray,
    spot: AnyArray,
    areas: Values,
) -> None:
    """Fill in areas from the places of a class, where all other samples are negative, and marks are bits."""
    n_samples, one = index(lines.shape[1]), every(np.int32(1))
    for first in range(0, len(lines), WIDTH):
        _arrange(lines, first, is_ordered, limits, codes, 1, pad, spot)
        least, before = load(spot, index(_LEAST), index(0)), load(pad, index(0), index(0))
        near, place, total = every(np.int32(0)), every(np.int32(0)), every(np.int32(0))
        for i in range(index(1), n_samples):
            value = load(pad, i, index(0))
            place = plus(place, one)
            near = joined(near, shared(unlike(value, before), _are_near(value, before, one, least)))
            total = plus(total, shared(place, minus(every(np.int32(0)), shared(value, one))))
            before = value
        store(spot, index(_NEAR), index(0), shared(near, one))
        store(spot, index(_FOUND), index(0), total)
        for lane in range(min(WIDTH, len(lines) - first)):
            n_positive = sizes[codes[(first + lane) % len(codes)]]
            n_below = spot[_FOUND, lane] - n_positive * (n_positive - 1) // 2
            area = 2 * n_below / (2.0 * n_positive * (lines.shape[1] - n_positive))
            areas[first + lane] = area if _is_sure(spot, lane) else OPEN


@kernel
def average_precisions(
    lines: AnyArray,
    is_ordered: bool,
    limits: Counts,
    codes: Counts,
    sizes: Counts,
    pad: AnyArray,
    spot: AnyArray,
    sums: Values,
    precisions: Values,
) -> None:
    """Fill in average precisions, where all other samples are negative, and marks are bits.

    Of equal outputs none is before the other; so it is open, too, if two of the class are too near and one that is
    not of the class is above them. `sums` hold a number for every lane.
    """
    n_samples, one = index(lines.shape[1]), every(np.int32(1))
    for first in range(0, len(lines), WIDTH):
        _arrange(lines, first, is_ordered, limits, codes, 1, pad, spot)
        least, before = load(spot, index(_LEAST), index(0)), load(pad, n_samples - index(1), index(0))
        near, n_found, total = every(np.int32(0)), every(np.int32(0)), no_sums()
        n_passed = every(np.int32(0))
        for i in range(index(1), n_samples + index(1)):  # from the top
            value = load(pad, n_samples - i, index(0))
            own = shared(value, one)
            is_led = joined(unlike(value, before), below(n_found, n_passed))  # by any that is not of the class
            is_near = shared(shared(_are_near(before, value, one, least), joined(value, before)), is_led)
            near = joined(near, is_near) if i > index(1) else near
            n_found, n_passed = plus(n_found, own), plus(n_passed, one)
            total = add_shares(total, n_found, float(i), 1.0 / float(i), own)
            before = value
        store(spot, index(_NEAR), index(0), shared(near, one))
        store(sums, index(0), index(0), total)
        for lane in range(min(WIDTH, len(lines) - first)):
            n_positive = sizes[codes[(first + lane) % len(codes)]]
            precisions[first + lane] = sums[0, lane] / n_positive if _is_sure(spot, lane) else OPEN


@kernel
def count_below(
    lines: AnyArray,
    is_ordered: bool,
    limits: Counts,
    codes: Counts,
    contests: Counts,
    rows: Counts,
    sizes: Counts,
    n_bits: int,
    pad: AnyArray,
    spot: AnyArray,
    passed: AnyArray,
    above: Values,
    areas: Values,
) -> None:
    """Fill in areas of contests from how many samples of each class are above those of a code; marks are classes.

    `rows` tells by which code a contest is decided. `passed` is a pad with a row for each of six classes, `above` one
    with a number for each class and line.
    """
    n_samples, mask = index(lines.shape[1]), every(np.int32((1 << n_bits) - 1))
    for first in range(0, len(lines), WIDTH):
        _arrange(lines, first, is_ordered, limits, codes, n_bits, pad, spot)
        least, code = load(spot, index(_LEAST), index(0)), load(spot, index(_CODE), index(0))
        for group in range(0, len(above), ABREAST):
            before = load(pad, index(0), index(0))
            counts = every(_NONE), every(_NONE), every(_NONE), every(_NONE), every(_NONE), every(_NONE)
            near, n_own, was_own = every(_NONE), every(_NONE), equal(shared(before, mask), code)
            for i in range(n_samples):
                value = load(pad, i, index(0))
                kind = shared(value, mask)
                is_own = equal(kind, code)
                near = joined(near, shared(unlike(is_own, was_own), _are_near(value, before, mask, least)))
                counts = _with_own(counts, n_own, minus(kind, every(np.int32(group))))
                n_own, before, was_own = minus(n_own, is_own), value, is_own
            store(spot, index(_NEAR), index(0), near)
            for k in range(ABREAST):
                store(passed, index(k), index(0), counts[k])
            for k in range(min(ABREAST, len(above) - group)):
                for lane in range(index(min(WIDTH, len(lines) - first))):
                    above[group + k, index(first) + lane] = passed[k, lane] if _is_sure(spot, lane) else -1.0
    for k in range(len(contests)):
        found, n_negative = areas[k], 0
        found[:] = 0.0
        for other in contests[k, 1:]:
            n_negative += sizes[other]
            line = above[other, rows[k] :]
            for m in range(index(len(limits))):
                found[m] += line[m * index(len(codes))]
        n_pairs = float(sizes[contests[k, 0]] * n_negative)
        for m in range(index(len(limits))):
            found[m] = 2.0 * (n_pairs - found[m]) / (2.0 * n_pairs) if found[m] >= 0.0 else OPEN


@inlined
def _with_own(counts: tuple[Any, ...], n_own: Any, kind: Any) -> tuple[Any, ...]:
    """Return counts of six classes with a number added to that of each lane's kind."""
    return (
        add_where_equal(counts[0], n_own, kind, every(np.int32(0))),
        add_where_equal(counts[1], n_own, kind, every(np.int32(1))),
        add_where_equal(counts[2], n_own, kind, every(np.int32(2))),
        add_where_equal(counts[3], n_own, kind, every(np.int32(3))),
        add_where_equal(counts[4], n_own, kind, every(np.int32(4))),
        add_where_equal(counts[5], n_own, kind, every(np.int32(5))),
    )


@inner
def _arrange(
    lines: AnyArray,
    first: int,
    is_ordered: bool,
    limits: Counts,
    codes: Counts,
    n_bits: int,
    pad: AnyArray,
    spot: AnyArray,
) -> None:
    """Put sixteen lines in order into the lanes of the pad, the last one as often as there is room."""
    n_lines, n_samples, width = index(len(lines)), index(lines.shape[1]), index(WIDTH)
    start, stop = index(first), index(first + WIDTH)
    if stop <= n_lines and n_samples >= width:
        for i in range(index(0), n_samples, width):
            lane = min(i, n_samples - width)
            transpose(lines, start, lane, pad, lane, index(0))
    else:
        for i in range(n_samples):
            for lane in range(width):
                pad[i, lane] = lines[min(start + lane, n_lines - index(1)), i]
    for lane in range(width):
        line = min(first + lane, len(lines) - 1)
        least = (limits[line // len(codes)] + 1) << n_bits
        least = least if least < 1 << KEY_BITS else 0
        spot[_LEAST, lane] = least - ((least >> (KEY_BITS - 1)) << KEY_BITS)  # the same bits, with a sign
        spot[_CODE, lane] = codes[line % len(codes)]
    for i in range(n_samples, index(len(pad))):
        for lane in range(width):
            pad[i, lane] = _GREATEST
    if not is_ordered:
        sort_lanes(pad, lines.shape[1])


@inlined
def _are_near(value: Any, before: Any, mask: Any, least: Any) -> Any:
    """Tell which keys might have to be swapped with those before, which are not greater: all bits, or none."""
    return below(minus(joined(value, mask), joined(before, mask)), least)


@inlined
def _is_sure(spot: AnyArray, lane: int) -> bool:
    """Tell whether a line has an order, and no two of its keys are near."""
    return bool(spot[_LEAST, lane] != 0 and spot[_NEAR, lane] == 0)
