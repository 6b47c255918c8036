"""Folding a batch into running means the fast way: equal to the definition up to rounding (METHOD 12)."""

from __future__ import annotations

import numpy as np

from sweepless._typing import Counts, Features, Mask, Values
from sweepless.kernels._jit import index, kernel
from sweepless.kernels.statistics import rates

_CHUNK = 256


@kernel
def fold_fast(
    z: Values,
    few: Features,
    features: Features,
    entries: Features,
    starts: Features,
    is_few: Mask,
    horizon: int,
    mean_few: Values,
    mean_many: Values,
    count_few: Counts,
    count_many: Counts,
) -> None:
    """Fold with one affine map per distinct count: equal up to rounding, one pass over the features.

    A feature that no entry changes sees the whole sequence z on one side, and what the sequence does
    to a mean depends on the count alone: m -> scale[n] * m + shift[n], the same for all n >= horizon.
    A feature that one entry changes sees z without that entry: a prefix map, then a suffix map.

    `few` lists the features inside the common subset, or those outside if they are fewer; their side's means
    and counts come first, those of the side where the many are second. `features` are those that some entries change,
    `entries` these entries, ascending, from `starts` on; `is_few` tells which are among the few. The pass treats every
    feature as one of the many that nothing changes; the rest are put back and folded one by one.
    """
    rate = rates(horizon)
    before = mean_few[features], mean_many[features], count_few[features], count_many[features]

    known = np.zeros(horizon + 1, dtype=np.bool_)
    scale, shift = np.zeros(horizon + 1), np.zeros(horizon + 1)
    mean_before, count_before = mean_many[few], count_many[few]
    _fold_all(z, horizon, rate, known, scale, shift, mean_many, count_many)
    for k in range(len(few)):
        mean_many[few[k]] = mean_before[k]
        count_many[few[k]] = count_before[k]
        _fold_one(z, few[k], horizon, rate, known, scale, shift, mean_few, count_few)

    for k in range(len(features)):
        f = features[k]
        mean_few[f], mean_many[f] = before[0][k], before[1][k]
        count_few[f], count_many[f] = before[2][k], before[3][k]
    mine = is_few
    _fold_changed_once(z, mine, features, entries, starts, horizon, rate, mean_few, mean_many, count_few, count_many)
    _fold_changed_often(z, mine, features, entries, starts, horizon, rate, mean_few, mean_many, count_few, count_many)
    mine = ~is_few
    _fold_changed_once(z, mine, features, entries, starts, horizon, rate, mean_many, mean_few, count_many, count_few)
    _fold_changed_often(z, mine, features, entries, starts, horizon, rate, mean_many, mean_few, count_many, count_few)


@kernel
def _fold_all(
    z: Values,
    horizon: int,
    rate: Values,
    known: Mask,
    scale: Values,
    shift: Values,
    mean: Values,
    count: Counts,
) -> None:
    """Fold z into one side of every feature; beyond the horizon the map is the same for all of a chunk."""
    n_entries = len(z)
    for begin in range(0, len(mean), _CHUNK):
        part = mean[begin : begin + _CHUNK]
        counts = count[begin : begin + _CHUNK]
        n_below = 0
        for k in range(index(len(part))):
            n_below += counts[k] < horizon
        if n_below == 0:
            _know(z, horizon, horizon, rate, known, scale, shift)
            a, b = scale[horizon], shift[horizon]
            for k in range(index(len(part))):
                part[k] = a * part[k] + b
                counts[k] += n_entries
        else:
            for k in range(index(len(part))):
                _fold_one(z, k, horizon, rate, known, scale, shift, part, counts)


@kernel
def _fold_one(
    z: Values,
    f: int,
    horizon: int,
    rate: Values,
    known: Mask,
    scale: Values,
    shift: Values,
    mean: Values,
    count: Counts,
) -> None:
    n = _capped(count[f], horizon)
    _know(z, n, horizon, rate, known, scale, shift)
    mean[f] = scale[n] * mean[f] + shift[n]
    count[f] += len(z)


@kernel
def _capped(count: int, horizon: int) -> int:
    return min(_as_int(count), horizon)


@kernel
def _as_int(count: int) -> int:
    """Widen a count, so that nothing is added to 32 bits."""
    return np.int64(count)  # type: ignore[return-value]


@kernel
def _know(z: Values, n: int, horizon: int, rate: Values, known: Mask, scale: Values, shift: Values) -> None:
    """Work out the map for one count, unless it is known."""
    if not known[n]:
        known[n] = True
        scale[n], shift[n] = _affine(z, n, horizon, rate)


@kernel
def _affine(z: Values, count: int, horizon: int, rate: Values) -> tuple[float, float]:
    """Return what z does to a mean that has seen `count` updates: (scale, shift)."""
    scale = 1.0
    shift = 0.0
    for entry in range(len(z)):
        count += 1
        a = rate[min(count, horizon)]
        scale *= 1.0 - a
        shift += a * (z[entry] - shift)
    return scale, shift


@kernel
def _fold_changed_once(
    z: Values,
    mine: Mask,
    features: Features,
    entries: Features,
    starts: Features,
    horizon: int,
    rate: Values,
    mean: Values,
    other_mean: Values,
    count: Counts,
    other_count: Counts,
) -> None:
    """Fold those of `mine` that one entry puts on the other side, all others leave on this side."""
    n_entries = len(z)
    # Chain the features of equal capped count on the side that sees the rest of z, so that each count pays for
    # its prefix and suffix maps once. A link of -1 ends a chain.
    first = np.full(horizon + 1, -1)
    following = np.full(len(features), -1)
    for k in range(len(features)):
        if mine[k] and starts[k + 1] - starts[k] == 1:
            n = _capped(count[features[k]], horizon)
            following[k] = first[n]
            first[n] = k
    prefix_scale = np.empty(n_entries)
    prefix_shift = np.empty(n_entries)
    suffix_scale = np.empty(n_entries)
    suffix_shift = np.empty(n_entries)
    for n in range(horizon + 1):
        k = first[n]
        if k < 0:
            continue
        scale, shift = 1.0, 0.0
        for entry in range(n_entries):
            prefix_scale[entry] = scale
            prefix_shift[entry] = shift
            a = rate[min(n + entry + 1, horizon)]
            scale *= 1.0 - a
            shift += a * (z[entry] - shift)
        # Behind the left-out entry every count is one lower than it would have been.
        scale, shift = 1.0, 0.0
        for entry in range(n_entries - 1, -1, -1):
            suffix_scale[entry] = scale
            suffix_shift[entry] = shift
            a = rate[max(min(n + entry, horizon), 1)]
            shift += scale * a * z[entry]
            scale *= 1.0 - a
        while k >= 0:
            f = features[k]
            entry = entries[starts[k]]
            middle = prefix_scale[entry] * mean[f] + prefix_shift[entry]
            mean[f] = suffix_scale[entry] * middle + suffix_shift[entry]
            count[f] += n_entries - 1
            other_count[f] += 1
            other_mean[f] += rate[_capped(other_count[f], horizon)] * (z[entry] - other_mean[f])
            k = following[k]


@kernel
def _fold_changed_often(
    z: Values,
    mine: Mask,
    features: Features,
    entries: Features,
    starts: Features,
    horizon: int,
    rate: Values,
    mean: Values,
    other_mean: Values,
    count: Counts,
    other_count: Counts,
) -> None:
    """Fold those of `mine` that several entries change (tuples, warm-up probes): segment by segment.

    Between two changes the feature sees a stretch of z on its common side; below the horizon a
    stretch only adds its sum, so prefix sums settle it, beyond the horizon it is walked.
    """
    n_entries = len(z)
    prefix = np.zeros(n_entries + 1)
    for entry in range(n_entries):
        prefix[entry + 1] = prefix[entry] + z[entry]
    for k in range(len(features)):
        if not mine[k] or starts[k + 1] - starts[k] == 1:
            continue
        f = features[k]
        m, n = mean[f], _as_int(count[f])
        other_m, other_n = other_mean[f], _as_int(other_count[f])
        after = 0
        for at in range(starts[k], starts[k + 1]):
            entry = entries[at]
            if entry > after:
                m, n = _stretch(z, prefix, after, entry, horizon, rate, m, n)
            other_m, other_n = _stretch(z, prefix, entry, entry + 1, horizon, rate, other_m, other_n)
            after = entry + 1
        mean[f], count[f] = _stretch(z, prefix, after, n_entries, horizon, rate, m, n)
        other_mean[f], other_count[f] = other_m, other_n


@kernel
def _stretch(
    z: Values, prefix: Values, start: int, stop: int, horizon: int, rate: Values, mean: float, count: int
) -> tuple[float, int]:
    """Return mean and count with z[start:stop] folded in."""
    # The exact running mean of count values, extended to the horizon in one go.
    exact = min(stop - start, max(0, horizon - count))
    if exact > 0:
        mean = (mean * count + (prefix[start + exact] - prefix[start])) / (count + exact)
        count += exact
    for entry in range(start + exact, stop):
        count += 1
        mean += rate[horizon] * (z[entry] - mean)
    return mean, count
