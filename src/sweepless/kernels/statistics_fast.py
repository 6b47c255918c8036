"""Folding a batch into running means the fast way: equal to the definition up to rounding (METHOD 12)."""

from __future__ import annotations

import numpy as np

from sweepless._typing import Counts, Features, Mask, Values
from sweepless.kernels._jit import kernel
from sweepless.kernels.statistics import rates, reachable


@kernel
def fold_fast(
    z: Values,
    common: Mask,
    changed: Features,
    horizon: int,
    mean_with: Values,
    mean_without: Values,
    count_with: Counts,
    count_without: Counts,
) -> None:
    """Fold with one affine map per distinct count: equal up to rounding, O(D + horizon * B).

    A feature that no entry changes sees the whole sequence z on one side, and what the sequence does
    to a mean depends on the count alone: m -> scale[n] * m + shift[n], the same for all n >= horizon.
    A feature that one entry changes sees z without that entry: a prefix map, then a suffix map.
    """
    n_entries = len(z)
    horizon = reachable(horizon, n_entries, count_with, count_without)
    rate = rates(horizon)
    n_changes = np.zeros(len(common), dtype=np.int64)
    where = np.zeros(len(common), dtype=np.int64)
    for entry in range(n_entries):
        for feature in changed[entry]:
            n_changes[feature] += 1
            where[feature] = entry

    known = np.zeros(horizon + 1, dtype=np.bool_)
    scale = np.zeros(horizon + 1)
    shift = np.zeros(horizon + 1)
    for f in range(len(common)):
        if n_changes[f] > 0:
            continue
        n = count_with[f] if common[f] else count_without[f]
        n_capped = min(n, horizon)
        if not known[n_capped]:
            known[n_capped] = True
            scale[n_capped], shift[n_capped] = _affine(z, 0, n_entries, n_capped, horizon, rate)
        if common[f]:
            mean_with[f] = scale[n_capped] * mean_with[f] + shift[n_capped]
            count_with[f] = n + n_entries
        else:
            mean_without[f] = scale[n_capped] * mean_without[f] + shift[n_capped]
            count_without[f] = n + n_entries

    _fold_changed_once(z, common, changed, horizon, rate, n_changes, mean_with, mean_without, count_with, count_without)
    _fold_changed_often(
        z, common, changed, horizon, rate, n_changes, mean_with, mean_without, count_with, count_without
    )


@kernel
def _affine(z: Values, start: int, stop: int, count: int, horizon: int, rate: Values) -> tuple[float, float]:
    """Return what z[start:stop] does to a mean that has seen `count` updates: (scale, shift)."""
    scale = 1.0
    shift = 0.0
    for entry in range(start, stop):
        count += 1
        a = rate[min(count, horizon)]
        scale *= 1.0 - a
        shift += a * (z[entry] - shift)
    return scale, shift


@kernel
def _fold_changed_once(
    z: Values,
    common: Mask,
    changed: Features,
    horizon: int,
    rate: Values,
    n_changes: Counts,
    mean_with: Values,
    mean_without: Values,
    count_with: Counts,
    count_without: Counts,
) -> None:
    n_entries = len(z)
    # Group the features by the capped count of the side that sees the rest of z, so that each
    # group pays for its prefix and suffix maps once.
    group_size = np.zeros(horizon + 2, dtype=np.int64)
    for entry in range(n_entries):
        for f in changed[entry]:
            if n_changes[f] == 1:
                n = count_with[f] if common[f] else count_without[f]
                group_size[min(n, horizon) + 1] += 1
    offset = np.cumsum(group_size)
    entries = np.empty(offset[-1], dtype=np.int64)
    features = np.empty(offset[-1], dtype=np.int64)
    fill = offset.copy()
    for entry in range(n_entries):
        for f in changed[entry]:
            if n_changes[f] == 1:
                n = min(count_with[f] if common[f] else count_without[f], horizon)
                entries[fill[n]] = entry
                features[fill[n]] = f
                fill[n] += 1

    prefix_scale = np.empty(n_entries)
    prefix_shift = np.empty(n_entries)
    suffix_scale = np.empty(n_entries)
    suffix_shift = np.empty(n_entries)
    for n in range(horizon + 1):
        if offset[n] == offset[n + 1]:
            continue
        scale, shift, count = 1.0, 0.0, n
        for entry in range(n_entries):
            prefix_scale[entry] = scale
            prefix_shift[entry] = shift
            count += 1
            a = rate[min(count, horizon)]
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
        for k in range(offset[n], offset[n + 1]):
            f = features[k]
            entry = entries[k]
            mean = mean_with[f] if common[f] else mean_without[f]
            mean = prefix_scale[entry] * mean + prefix_shift[entry]
            mean = suffix_scale[entry] * mean + suffix_shift[entry]
            if common[f]:
                mean_with[f] = mean
                count_with[f] += n_entries - 1
                count_without[f] += 1
                mean_without[f] += rate[min(count_without[f], horizon)] * (z[entry] - mean_without[f])
            else:
                mean_without[f] = mean
                count_without[f] += n_entries - 1
                count_with[f] += 1
                mean_with[f] += rate[min(count_with[f], horizon)] * (z[entry] - mean_with[f])


@kernel
def _fold_changed_often(
    z: Values,
    common: Mask,
    changed: Features,
    horizon: int,
    rate: Values,
    n_changes: Counts,
    mean_with: Values,
    mean_without: Values,
    count_with: Counts,
    count_without: Counts,
) -> None:
    """Fold features that several entries change (tuples, warm-up probes): segment by segment.

    Between two changes the feature sees a stretch of z on its common side; below the horizon a
    stretch only adds its sum, so prefix sums settle it, beyond the horizon it is walked.
    """
    n_entries = len(z)
    last = np.full(len(n_changes), -1, dtype=np.int64)
    prefix = np.zeros(n_entries + 1)
    for entry in range(n_entries):
        prefix[entry + 1] = prefix[entry] + z[entry]
    for entry in range(n_entries):
        for f in changed[entry]:
            if n_changes[f] > 1:
                _stretch(
                    z,
                    prefix,
                    last[f] + 1,
                    entry,
                    f,
                    common[f],
                    horizon,
                    rate,
                    mean_with,
                    mean_without,
                    count_with,
                    count_without,
                )
                _stretch(
                    z,
                    prefix,
                    entry,
                    entry + 1,
                    f,
                    not common[f],
                    horizon,
                    rate,
                    mean_with,
                    mean_without,
                    count_with,
                    count_without,
                )
                last[f] = entry
    for f in range(len(n_changes)):
        if n_changes[f] > 1:
            _stretch(
                z,
                prefix,
                last[f] + 1,
                n_entries,
                f,
                common[f],
                horizon,
                rate,
                mean_with,
                mean_without,
                count_with,
                count_without,
            )


@kernel
def _stretch(
    z: Values,
    prefix: Values,
    start: int,
    stop: int,
    f: int,
    inside: bool,
    horizon: int,
    rate: Values,
    mean_with: Values,
    mean_without: Values,
    count_with: Counts,
    count_without: Counts,
) -> None:
    """Fold z[start:stop] into one side of one feature."""
    mean = mean_with[f] if inside else mean_without[f]
    count = count_with[f] if inside else count_without[f]
    # The exact running mean of count values, extended to the horizon in one go.
    exact = min(stop - start, max(0, horizon - count))
    if exact > 0:
        mean = (mean * count + (prefix[start + exact] - prefix[start])) / (count + exact)
        count += exact
    for entry in range(start + exact, stop):
        count += 1
        mean += rate[horizon] * (z[entry] - mean)
    if inside:
        mean_with[f] = mean
        count_with[f] = count
    else:
        mean_without[f] = mean
        count_without[f] = count
