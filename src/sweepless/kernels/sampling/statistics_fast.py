"""Folding a batch into running means the fast way: equal to the definition up to rounding."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from sweepless._typing import Counts, Features, Mask, Values
from sweepless.kernels._jit import index, inner, integer, kernel
from sweepless.kernels.sampling import FEW_FEATURES

_CHUNK = 1 << 15  # features whose means, counts and maps share the second-level cache


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
    """Fold with one affine map per distinct count: equal up to rounding, and no pass over the features per entry.

    A feature that no entry changes sees the whole sequence z on one side, and what the sequence does
    to a mean depends on the count alone: m -> scale[n] * m + shift[n], the same for all n >= horizon.
    A feature that one entry changes sees z without that entry: a prefix map, then a suffix map.

    `few` lists the features inside the common subset, or those outside if they are fewer; their side comes first, that
    of the many second. `features` are those that some entries change, `entries` these entries, ascending, from
    `starts` on; `is_few` tells which are among the few. The pass over all treats every feature as one of
    the many that nothing changes; the rest are put back and folded by themselves.
    """
    maps = _Maps(z, rate)
    aside = np.concatenate([few, features])
    means, counts = side_many.means[aside], side_many.counts[aside]
    side_many.counts[aside] = maps.horizon  # those of members stay low, and would take their neighbors off the fast way
    _fold_all(maps, *side_many)
    side_many.means[aside], side_many.counts[aside] = means, counts
    if is_few.any():
        few = np.delete(few, np.searchsorted(few, features[is_few]))
    means, counts = side_few.means[few], side_few.counts[few]
    _fold_all(maps, means, counts)
    side_few.means[few], side_few.counts[few] = means, counts

    is_once = starts[1:] - starts[:-1] == 1
    for mine, here, there in ((is_few, side_few, side_many), (~is_few, side_many, side_few)):
        if not mine.any():
            continue
        once = np.flatnonzero(mine & is_once)
        if len(once):
            _fold_changed_once(maps, features[once], entries[starts[once]], here, there)
        often = np.flatnonzero(mine & ~is_once)
        if len(often):
            sums = np.cumsum(np.append(0.0, z))
            _fold_changed_often(
                z, sums, rate, features[often], entries, starts[often], starts[often + 1], *here, *there
            )


class _Maps:
    """What a batch does to means, given the counts of their updates so far; beyond the horizon one map does for all."""

    def __init__(self, z: Values, rate: Values) -> None:
        self.z, self.rate, self.horizon = z, rate, len(rate) - 1
        self._known: dict[int, Values] = {}

    def whole(self, counts: Counts) -> tuple[Any, Any]:
        """Return scale and shift by the whole batch, for each count or for all."""
        if counts.min() >= self.horizon:
            scale, shift = self._of(self.horizon)[:2, -1]
            return scale, shift
        seen = np.minimum(counts, self.horizon)
        scales, shifts = np.empty((2, self.horizon + 1))
        for count in np.flatnonzero(np.bincount(seen)).tolist():
            scales[count], shifts[count] = self._of(count)[:2, -1]
        return scales[seen], shifts[seen]

    def around(self, counts: Counts, entries: Features) -> Values:
        """Return scale and shift by what comes before an entry, and those by what comes behind it, for each count."""
        if counts.min() >= self.horizon:
            return self._of(self.horizon)[:, entries]
        distinct, which = np.unique(np.minimum(counts, self.horizon), return_inverse=True)
        maps: Values = np.array([self._of(count) for count in distinct.tolist()])[which, :, entries].T
        return maps

    def _of(self, count: int) -> Values:
        """Return, for every entry, scale and shift by what comes before it, and by what comes behind it.

        What comes before the end is the whole batch.
        """
        if count not in self._known:
            self._known[count] = np.empty((4, len(self.z) + 1))
            _before_and_behind(self.z, self.rate, count, *self._known[count])
        return self._known[count]


@kernel
def _before_and_behind(
    z: Values, rate: Values, count: int, scales: Values, shifts: Values, scales_behind: Values, shifts_behind: Values
) -> None:
    horizon = len(rate) - 1
    scale, shift = 1.0, 0.0
    for entry in range(len(z)):
        scales[entry] = scale
        shifts[entry] = shift
        count += 1
        a = rate[count if count < horizon else horizon]
        scale *= 1.0 - a
        shift += a * (z[entry] - shift)
    scales[len(z)] = scale
    shifts[len(z)] = shift
    # Behind the left-out entry every count is one lower than it would have been.
    scale, shift = 1.0, 0.0
    for entry in range(len(z) - 1, -1, -1):
        scales_behind[entry] = scale
        shifts_behind[entry] = shift
        count -= 1
        a = rate[count if count < horizon else horizon]
        shift += scale * a * z[entry]
        scale *= 1.0 - a


def _fold_all(maps: _Maps, means: Values, counts: Counts) -> None:
    """Fold the batch into one side of every feature."""
    for begin in range(0, len(means), _CHUNK):
        mean, count = means[begin : begin + _CHUNK], counts[begin : begin + _CHUNK]
        scale, shift = maps.whole(count)
        if len(means) > FEW_FEATURES and np.ndim(scale) == 0:
            _shift_many(mean, count, scale, shift, len(maps.z))
            continue
        mean *= scale
        mean += shift
        count += len(maps.z)


@kernel
def _shift_many(means: Values, counts: Counts, scale: float, shift: float, n_entries: int) -> None:
    """Map means in one pass, and count."""
    for f in range(index(len(means))):
        means[f] = scale * means[f] + shift
        counts[f] += n_entries


def _fold_changed_once(maps: _Maps, features: Features, entries: Features, here: Side, there: Side) -> None:
    """Fold features that one entry puts on the other side, while all others leave them on this side."""
    counts = here.counts[features]
    scale, shift, scale_behind, shift_behind = maps.around(counts, entries)
    here.means[features] = scale_behind * (scale * here.means[features] + shift) + shift_behind
    here.counts[features] = counts + (len(maps.z) - 1)
    counts = there.counts[features] + 1
    mean, rate = there.means[features], maps.rate[np.minimum(counts, maps.horizon)]
    there.means[features] = mean + rate * (maps.z[entries] - mean)
    there.counts[features] = counts


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
