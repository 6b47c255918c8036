"""Folding a batch into running means the fast way: equal to the definition up to rounding (METHOD 12)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from sweepless._typing import Counts, Features, Mask, Values
from sweepless.kernels._jit import index, inner, integer, kernel

_CHUNK = 256


class Side(NamedTuple):
    """The accumulators of all features on one side: with the feature, or without it."""

    means: Values
    counts: Counts


def fold_fast(
    z: Values,
    few: Features,
    features: Features,
    entries: Features,
    starts: Features,
    is_few: Mask,
    rate: Values,
    side_few: Side,
    side_many: Side,
) -> None:
    """Fold with one affine map per distinct count: equal up to rounding, one pass over the features.

    A feature that no entry changes sees the whole sequence z on one side, and what the sequence does
    to a mean depends on the count alone: m -> scale[n] * m + shift[n], the same for all n >= horizon.
    A feature that one entry changes sees z without that entry: a prefix map, then a suffix map.

    `few` lists the features inside the common subset, or those outside if they are fewer; their side comes first, that
    of the many second. `features` are those that some entries change, `entries` these entries, ascending, from
    `starts` on; `is_few` tells which are among the few. The pass over all treats every feature as one of
    the many that nothing changes; the rest are put back and folded by themselves.
    """
    known, maps = np.zeros(len(rate), dtype=np.bool_), np.empty((2, len(rate)))
    aside = np.concatenate([few, features])
    means, counts = side_many.means[aside], side_many.counts[aside]
    _fold_all(z, rate, known, maps, side_many.means, side_many.counts)
    side_many.means[aside], side_many.counts[aside] = means, counts
    if is_few.any():
        few = np.delete(few, np.searchsorted(few, features[is_few]))
    means, counts = side_few.means[few], side_few.counts[few]
    _fold_all(z, rate, known, maps, means, counts)
    side_few.means[few], side_few.counts[few] = means, counts

    is_once = starts[1:] - starts[:-1] == 1
    for mine, here, there in ((is_few, side_few, side_many), (~is_few, side_many, side_few)):
        if not mine.any():
            continue
        once = np.flatnonzero(mine & is_once)
        if len(once):
            once = once[np.argsort(here.counts[features[once]])]  # each count pays for its maps once
            parts = np.empty((4, len(z)))
            _fold_changed_once(z, rate, features[once], entries[starts[once]], parts, *here, *there)
        often = np.flatnonzero(mine & ~is_once)
        if len(often):
            sums = np.cumsum(np.append(0.0, z))
            _fold_changed_often(
                z, sums, rate, features[often], entries, starts[often], starts[often + 1], *here, *there
            )


@kernel
def _fold_all(z: Values, rate: Values, known: Mask, maps: Values, mean: Values, count: Counts) -> None:
    """Fold z into one side of every feature; beyond the horizon the map is the same for all of a chunk."""
    horizon = len(rate) - 1
    n_features = len(mean)
    for begin in range(0, n_features, _CHUNK):
        end = begin + _CHUNK if begin + _CHUNK < n_features else n_features
        n_below = 0
        for f in range(index(begin), index(end)):
            n_below += count[f] < horizon
        if n_below == 0:
            _know(z, horizon, rate, known, maps)
            scale, shift = maps[0, horizon], maps[1, horizon]
            for f in range(index(begin), index(end)):
                mean[f] = scale * mean[f] + shift
                count[f] += len(z)
        else:
            for f in range(index(begin), index(end)):
                n = integer(count[f]) if count[f] < horizon else horizon
                _know(z, n, rate, known, maps)
                mean[f] = maps[0, n] * mean[f] + maps[1, n]
                count[f] += len(z)


@inner
def _know(z: Values, n: int, rate: Values, known: Mask, maps: Values) -> None:
    """Work out what z does to a mean that has seen n updates, unless it is known."""
    if known[n]:
        return
    known[n] = True
    horizon = len(rate) - 1
    scale, shift = 1.0, 0.0
    for entry in range(len(z)):
        seen = n + entry + 1
        a = rate[seen if seen < horizon else horizon]
        scale *= 1.0 - a
        shift += a * (z[entry] - shift)
    maps[0, n], maps[1, n] = scale, shift


@kernel
def _fold_changed_once(
    z: Values,
    rate: Values,
    features: Features,
    entries: Features,
    parts: Values,
    mean: Values,
    count: Counts,
    other_mean: Values,
    other_count: Counts,
) -> None:
    """Fold features that one entry puts on the other side, all others leave on this side, in order of their counts."""
    n_entries = len(z)
    horizon = len(rate) - 1
    known = integer(-1)
    for k in range(len(features)):
        f = features[k]
        n = integer(count[f]) if count[f] < horizon else horizon
        if n != known:
            known = n
            scale, shift = 1.0, 0.0
            for entry in range(n_entries):
                parts[0, entry] = scale
                parts[1, entry] = shift
                seen = n + entry + 1
                a = rate[seen if seen < horizon else horizon]
                scale *= 1.0 - a
                shift += a * (z[entry] - shift)
            # Behind the left-out entry every count is one lower than it would have been.
            scale, shift = 1.0, 0.0
            for entry in range(n_entries - 1, -1, -1):
                parts[2, entry] = scale
                parts[3, entry] = shift
                seen = n + entry
                a = rate[seen if seen < horizon else horizon]
                shift += scale * a * z[entry]
                scale *= 1.0 - a
        at = entries[k]
        mean[f] = parts[2, at] * (parts[0, at] * mean[f] + parts[1, at]) + parts[3, at]
        count[f] += n_entries - 1
        other_count[f] += 1
        seen = integer(other_count[f])
        other_mean[f] += rate[seen if seen < horizon else horizon] * (z[at] - other_mean[f])


@kernel
def _fold_changed_often(
    z: Values,
    sums: Values,
    rate: Values,
    features: Features,
    entries: Features,
    starts: Features,
    stops: Features,
    mean: Values,
    count: Counts,
    other_mean: Values,
    other_count: Counts,
) -> None:
    """Fold features that several entries change (tuples, warm-up probes): segment by segment.

    Between two changes the feature sees a stretch of z on its common side; below the horizon a
    stretch only adds its sum, so prefix sums settle it, beyond the horizon it is walked.
    """
    for k in range(len(features)):
        f = features[k]
        m, n = mean[f], integer(count[f])
        other_m, other_n = other_mean[f], integer(other_count[f])
        after = integer(0)
        for at in range(starts[k], stops[k]):
            entry = entries[at]
            if entry > after:
                m, n = _stretch(z, sums, after, entry, rate, m, n)
            other_m, other_n = _stretch(z, sums, entry, entry + 1, rate, other_m, other_n)
            after = entry + 1
        mean[f], count[f] = _stretch(z, sums, after, integer(len(z)), rate, m, n)
        other_mean[f], other_count[f] = other_m, other_n


@inner
def _stretch(
    z: Values, sums: Values, start: int, stop: int, rate: Values, mean: float, count: int
) -> tuple[float, int]:
    """Return mean and count with z[start:stop] folded in."""
    # The exact running mean of count values, extended to the horizon in one go.
    horizon = len(rate) - 1
    exact = min(stop - start, max(0, horizon - count))
    if exact > 0:
        mean = (mean * count + (sums[start + exact] - sums[start])) / (count + exact)
        count += exact
    for entry in range(start + exact, stop):
        count += 1
        mean += rate[horizon] * (z[entry] - mean)
    return mean, count
