"""Folding a batch into running means the fast way: equal to the definition up to rounding."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from sweepless._typing import Counts, Features, Mask, Values
from sweepless.kernels._jit import index, inner, integer, kernel

_PAGE = 1 << 10  # features that are looked at together: if all are beyond the horizon, one map does for them


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
    lead: Values,
) -> None:
    """Fold with one affine map per distinct count: equal up to rounding, and no pass over the features per entry.

    A feature that no entry changes sees the whole sequence z on one side, and what the sequence does
    to a mean depends on the count alone: m -> scale[n] * m + shift[n], the same for all n >= horizon.
    A feature that one entry changes sees z without that entry: a prefix map, then a suffix map.

    `few` lists the features inside the common subset, or those outside if they are fewer; their side comes first, that
    of the many second. `features` are those that some entries change, `entries` these entries, ascending, from
    `starts` on; `is_few` tells which are among the few. The pass over all treats every feature as one of
    the many that nothing changes; the rest are put back and folded by themselves. The same pass sets
    `lead`, by how much the mean of every feature on the side of the few exceeds that on the side of the many.
    """
    horizon = len(rate) - 1
    is_once = starts[1:] - starts[:-1] == 1
    once = np.flatnonzero(is_once)
    seen = np.where(is_few, side_few.counts[features], side_many.counts[features])[once]
    if len(seen) and seen.min() < horizon:  # equal counts one after the other, as they share their maps
        once = once[np.argsort(np.minimum(seen, horizon), kind="stable")]
    aside = np.concatenate([few, features])
    _fold_once(
        z,
        rate,
        few,
        features,
        is_few,
        once,
        entries[starts[once]],
        *side_few,
        *side_many,
        lead,
        aside,
        side_many.means[aside],
        side_many.counts[aside],
        np.full((2, horizon + 1), np.nan),
        np.empty((4, len(z) + 1)),
    )
    if len(once) < len(features):
        sums = np.cumsum(np.append(0.0, z))
        for mine, here, there in ((is_few, side_few, side_many), (~is_few, side_many, side_few)):
            often = np.flatnonzero(mine & ~is_once)
            _fold_often(z, sums, rate, features[often], entries, starts[often], starts[often + 1], *here, *there)
        lead[features] = side_few.means[features] - side_many.means[features]


@kernel
def _fold_once(
    z: Values,
    rate: Values,
    few: Features,
    features: Features,
    is_few: Mask,
    once: Features,
    entries: Features,
    mean_few: Values,
    count_few: Counts,
    mean_many: Values,
    count_many: Counts,
    lead: Values,
    aside: Features,
    means: Values,
    counts: Counts,
    maps: Values,
    around: Values,
) -> None:
    """Fold the batch into all features but those that several entries change, which stay as they are.

    `aside` are the few and the changed features, with their means and counts on the side of the many. `maps`, all NaN,
    will hold scale and shift for each count that is met, and `around` those around every entry for one count.
    """
    n_entries, horizon = len(z), len(rate) - 1
    known = horizon  # the count that `around` is made for
    _before_and_behind(z, rate, known, around)
    maps[0, horizon], maps[1, horizon] = around[0, n_entries], around[1, n_entries]

    for f in aside:  # low counts of members would take their neighbors off the fast way
        count_many[f] = horizon
    _fold_all(z, rate, maps, mean_few, mean_many, count_many, lead)
    for k in range(len(aside)):
        mean_many[aside[k]], count_many[aside[k]] = means[k], counts[k]

    changed = 0
    for f in few:
        while changed < len(features) and features[changed] < f:
            changed += 1
        if changed == len(features) or features[changed] != f:
            scale, shift = _map_of(z, rate, maps, count_few[f])
            mean_few[f] = scale * mean_few[f] + shift
            count_few[f] += n_entries
            lead[f] = mean_few[f] - mean_many[f]
    for k in range(len(once)):
        f, is_here = features[once[k]], is_few[once[k]]
        count = min(integer(count_few[f] if is_here else count_many[f]), horizon)
        if count != known:
            known = count
            _before_and_behind(z, rate, known, around)
        if is_here:
            _fold_changed(z, rate, around, f, entries[k], mean_few, count_few, mean_many, count_many)
        else:
            _fold_changed(z, rate, around, f, entries[k], mean_many, count_many, mean_few, count_few)
        lead[f] = mean_few[f] - mean_many[f]


@inner
def _fold_changed(
    z: Values,
    rate: Values,
    around: Values,
    f: int,
    entry: int,
    mean_here: Values,
    count_here: Counts,
    mean_there: Values,
    count_there: Counts,
) -> None:
    """Fold a feature that one entry puts on the other side, while all others leave it on this side."""
    mean_here[f] = around[2, entry] * (around[0, entry] * mean_here[f] + around[1, entry]) + around[3, entry]
    count_here[f] += len(z) - 1
    count_there[f] += 1
    mean_there[f] += rate[min(integer(count_there[f]), len(rate) - 1)] * (z[entry] - mean_there[f])


@inner
def _fold_all(
    z: Values, rate: Values, maps: Values, others: Values, means: Values, counts: Counts, lead: Values
) -> None:
    """Fold the batch into one side of every feature, and set by how much the other side leads."""
    horizon = len(rate) - 1
    scale, shift = maps[0, horizon], maps[1, horizon]
    for begin in range(0, len(means), _PAGE):
        end = min(begin + _PAGE, len(means))
        n_young = 0
        for f in range(index(begin), index(end)):
            n_young += counts[f] < horizon
        if n_young == 0:
            for f in range(index(begin), index(end)):
                mean = scale * means[f] + shift
                means[f] = mean
                lead[f] = others[f] - mean
        else:
            for f in range(begin, end):
                own_scale, own_shift = _map_of(z, rate, maps, counts[f])
                means[f] = own_scale * means[f] + own_shift
                lead[f] = others[f] - means[f]
        for f in range(index(begin), index(end)):
            counts[f] += len(z)


@inner
def _map_of(z: Values, rate: Values, maps: Values, count: int) -> tuple[float, float]:
    """Return scale and shift by the whole batch for a mean of so many updates."""
    horizon = len(rate) - 1
    count = min(integer(count), horizon)
    if np.isnan(maps[0, count]):
        scale, shift = 1.0, 0.0
        for entry in range(len(z)):
            a = rate[min(count + 1 + entry, horizon)]
            scale *= 1.0 - a
            shift += a * (z[entry] - shift)
        maps[0, count], maps[1, count] = scale, shift
    return maps[0, count], maps[1, count]


@inner
def _before_and_behind(z: Values, rate: Values, count: int, around: Values) -> None:
    """Set, for every entry, scale and shift by what comes before it, and by what comes behind it.

    What comes before the end is the whole batch. `count` are the updates so far.
    """
    horizon = len(rate) - 1
    scale, shift = 1.0, 0.0
    for entry in range(len(z)):
        around[0, entry] = scale
        around[1, entry] = shift
        a = rate[min(count + 1 + entry, horizon)]
        scale *= 1.0 - a
        shift += a * (z[entry] - shift)
    around[0, len(z)] = scale
    around[1, len(z)] = shift
    # Behind the left-out entry every count is one lower than it would have been.
    scale, shift = 1.0, 0.0
    for entry in range(len(z) - 1, -1, -1):
        around[2, entry] = scale
        around[3, entry] = shift
        a = rate[min(count + entry, horizon)]
        shift += scale * a * z[entry]
        scale *= 1.0 - a


@kernel
def _fold_often(
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
