"""Soft neighbors, leave-one-out: a smooth value where nearest neighbors see the structure."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from sweepless._checks import one_of, positive, whole
from sweepless._typing import Features, Values
from sweepless.criteria.base import Criterion, Cursor, require_members
from sweepless.criteria.neighbors.resources import Threads, fits_memory
from sweepless.criteria.scoring import codes_known_to
from sweepless.dataset import Dataset
from sweepless.direction import Direction
from sweepless.errors import InputError
from sweepless.kernels.neighbors.soft import add_weights, score_shares, shift_squares, spreads_of

_POWERS = (1, 2, 4, 8)
# How many candidates, or values of them, share the second-level cache with a row of distances.
_LEAST_BLOCK, _BLOCK = 8, 1 << 13
_CELLS = 1 << 18  # distances computed at a time where they are not kept


@dataclass(frozen=True)
class SoftNeighbors(Criterion):
    """Minus the leave-one-out loss of soft neighbors: all other samples vote, the nearer the more.

    The class probabilities of a sample are the shares that the classes have of the weights of all other samples. A
    sample at distance d weighs (1 + d² / (h² v))^-p, where v is the sum of the variances of the members. So the
    bandwidth h is relative to the typical distance, and keeps its meaning as the subset grows.

    Parameters
    ----------
    bandwidth : float
        h, the distance from which weights fall, relative to the root of the members' total variance.
    power : {1, 2, 4, 8}
        p, how fast weights fall beyond the bandwidth.
    score : {"brier", "log_loss"}
        Minus the Brier score, from -1 (always certain of a wrong class) to 0, or minus the logarithmic loss, for which
        no probability counts as less than 1 / n_samples.
    n_jobs : int or "auto"
        Threads over candidates, -1 for all cores; the values do not depend on it. "auto" is one per core in a search
        whose steps are long enough, and one everywhere else.
    memory_limit : int
        The most bytes that the distances of the working subset may take: 8 per pair of samples. Above this limit they
        are computed whenever they are needed, which is slower, with a warning.

    Notes
    -----
    The features should have one scale; standardize them first. A peek costs O(n²) per candidate for any size of the
    subset. Squared differences and weights are rounded to fine grids, on which sums are exact in any order.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sweepless import Dataset
    >>> from sweepless.criteria import SoftNeighbors
    >>> data = Dataset(*load_iris(return_X_y=True))
    >>> round(SoftNeighbors().bind(data).evaluate([2, 3]), 4)
    -0.0314
    """

    bandwidth: float = 0.7
    power: Literal[1, 2, 4, 8] = 8
    score: Literal["brier", "log_loss"] = "brier"
    n_jobs: int | Literal["auto"] = field(default="auto", repr=False, compare=False)
    memory_limit: int = field(default=4 * 2**30, repr=False, compare=False)

    def __post_init__(self) -> None:
        positive("bandwidth", self.bandwidth)
        if self.power not in _POWERS:
            raise InputError(f"`power` must be one of {', '.join(map(str, _POWERS))}, got {self.power!r}.")
        one_of("score", self.score, ("brier", "log_loss"))
        whole("memory_limit", self.memory_limit, 0)

    def bind(self, data: Dataset) -> SoftNeighborsCursor:
        return SoftNeighborsCursor(self, data)

    def operations(self, data: Dataset, size: int) -> float:
        # Measured: 9, 55 and 580 us at 100, 300 and 1,000 samples, whatever the size.
        return 0.6 * data.n_samples**2

    def validate(self, train: Dataset, test: Dataset, members: Features) -> float:
        """Return minus the loss on `test`, where all samples of `train` vote."""
        members = require_members(members)
        scale = _scale_of(train)
        known, new = train.columns(members) * scale, test.columns(members) * scale
        reach = self.reaches(np.sum(spreads_of(known), keepdims=True))[0]
        shares = np.zeros((test.n_samples, len(train.classes)))
        shares[:] = train.class_sizes * 2.0**-40
        for i in range(test.n_samples):
            squares = np.sum((known - new[:, i : i + 1]) ** 2, axis=0)
            weights = (1.0 + squares * reach) ** -float(self.power)
            shares[i] += np.bincount(train.codes, weights, minlength=shares.shape[1])
        shares /= shares.sum(axis=1, keepdims=True)
        codes = codes_known_to(train, test)
        own = np.where(codes >= 0, shares[np.arange(len(codes)), codes], 0.0)
        if self.score == "log_loss":
            return float(np.mean(np.log(np.maximum(own, 1.0 / train.n_samples))))
        return float(-0.5 * np.mean((shares**2).sum(axis=1) - 2.0 * own + 1.0))

    def reaches(self, spreads: Values) -> Values:
        """Return 1 / (h² v) for each v, which is what a squared distance is multiplied by; 0 if nothing varies."""
        return np.divide(1.0, self.bandwidth**2 * spreads, out=np.zeros(len(spreads)), where=spreads > 0.0)


class SoftNeighborsCursor(Cursor):
    """Keeps the squared distances of the working subset, and the sum of its variances, exactly."""

    def __init__(self, criterion: SoftNeighbors, data: Dataset) -> None:
        super().__init__(data)
        data.require_classes()
        data.require_variation()
        self.criterion = criterion
        self._threads = Threads(criterion.n_jobs)
        self._scale = _scale_of(data)
        self._order = np.argsort(data.codes, kind="stable")
        self._codes = data.codes[self._order]
        self._class_start = np.searchsorted(self._codes, np.arange(len(data.classes) + 1)).astype(np.int64)
        n_pairs = data.n_samples * (data.n_samples - 1) // 2
        self._keeps_squares = fits_memory(data.n_samples, 8 * n_pairs, criterion.memory_limit)
        self._squares = np.zeros(n_pairs if self._keeps_squares else 0)
        self._spread = 0.0

    def evaluate(self, members: Features) -> float:
        columns = self._columns(require_members(members))
        nothing = np.zeros((1, self.data.n_samples))  # adds nothing to any distance
        return float(self._values(self._computed(columns), nothing, 1.0, spreads_of(columns).sum(keepdims=True))[0])

    def evaluate_many(self, subsets: list[Features]) -> Values:
        values = np.empty(len(subsets))

        def work(first: int, last: int) -> None:
            for k in range(first, last):
                values[k] = self.evaluate(subsets[k])

        self._threads.spread(len(subsets), work)
        return values

    def _peek(self, direction: Direction, candidates: Features) -> Values:
        values = np.empty(len(candidates))
        members = self._columns(np.flatnonzero(self.members)) if not self._keeps_squares else None
        width = max(_LEAST_BLOCK, _BLOCK // self.data.n_samples)

        def work(first: int, last: int) -> None:
            for start in range(first, last, width):
                part = slice(start, min(start + width, last))
                columns = self._columns(candidates[part])
                squares = self._kept() if members is None else self._computed(members)
                spreads = self._spread + direction.sign * spreads_of(columns)
                values[part] = self._values(squares, columns, float(direction.sign), spreads)

        self._threads.spread(len(candidates), work)
        return values

    def _values(
        self, squares: Iterator[tuple[int, int, Values]], columns: Values, sign: float, spreads: Values
    ) -> Values:
        """Return J of some neighbors of the subset that has these squared distances."""
        sums = np.zeros((len(columns), len(self._class_start) - 1, self.data.n_samples), dtype=np.int64)
        steps = np.empty(self.data.n_samples, dtype=np.int64)
        for first, last, some in squares:
            add_weights(
                some,
                first,
                last,
                columns,
                sign,
                self.criterion.reaches(spreads),
                _POWERS.index(self.criterion.power),
                self._codes,
                self._class_start,
                steps,
                sums,
            )
        values = np.empty(len(columns))
        score_shares(sums, self._codes, self._class_start, self.criterion.score == "log_loss", values)
        return values

    def _kept(self) -> Iterator[tuple[int, int, Values]]:
        yield 0, self.data.n_samples, self._squares

    def _computed(self, columns: Values) -> Iterator[tuple[int, int, Values]]:
        """Yield a first and a last row and the squared distances between them, for a few rows at a time."""
        height = max(1, _CELLS // self.data.n_samples)
        for first in range(0, self.data.n_samples, height):
            last = min(first + height, self.data.n_samples)
            some = np.zeros(sum(range(self.data.n_samples - last, self.data.n_samples - first)))
            shift_squares(some, columns, 1.0, first, last)
            yield first, last, some

    def _columns(self, features: Features) -> Values:
        """Return columns on the scale of the grid, the samples sorted by class."""
        return np.ascontiguousarray(self.data.columns(features)[:, self._order]) * self._scale

    def _step(self, direction: Direction, feature: int) -> None:
        columns = self._columns(np.array([feature]))
        self._spread += direction.sign * float(spreads_of(columns)[0])
        if self._keeps_squares:
            shift_squares(self._squares, columns, float(direction.sign), 0, self.data.n_samples)

    def _rebuild(self) -> None:
        columns = self._columns(np.flatnonzero(self.members))
        self._spread = float(spreads_of(columns).sum())
        if self._keeps_squares:
            self._squares[:] = 0.0
            shift_squares(self._squares, columns, 1.0, 0, self.data.n_samples)


def _scale_of(data: Dataset) -> float:
    """Return the power of two that brings the squared ranges of all features together below one half."""
    widths = np.empty(data.n_features)
    for start in range(0, data.n_features, 256):
        block = data.columns(np.arange(start, min(start + 256, data.n_features)))
        widths[start : start + 256] = 0.5 * block.max(axis=1) - 0.5 * block.min(axis=1)
    exponent = int(np.frexp(widths.max())[1])
    widths = np.ldexp(widths, -exponent)  # now below one, so that squares do not overflow
    exponent += 1 + (int(np.frexp(np.sum(widths * widths))[1]) + 2) // 2
    return float(np.ldexp(1.0, min(-exponent, 1000)))
