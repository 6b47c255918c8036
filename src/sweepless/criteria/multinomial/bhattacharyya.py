"""Multinomial Bhattacharyya distance: the filter criterion of the paper for text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from sweepless._checks import one_of
from sweepless._typing import Counts, Features, Values
from sweepless.criteria.base import Criterion, Cursor, require_members
from sweepless.criteria.multinomial.class_counts import COUNT_GRID, class_counts
from sweepless.criteria.scoring import codes_known_to
from sweepless.dataset import Dataset
from sweepless.direction import Direction
from sweepless.errors import DataError
from sweepless.kernels.multinomial.distance import add_feature, distances, single_distances
from sweepless.kernels.multinomial.probes import subset_distances

_BLOCK = 4096  # features whose class counts are expanded at once


@dataclass(frozen=True)
class MultinomialBhattacharyya(Criterion):
    """Bhattacharyya distance between the classes' multinomial models, summed over pairs of classes.

    Parameters
    ----------
    prior : {"whole", "training"}
        Class weights come from the whole data set of which the samples are a part (as in the paper, A31), or from the
        samples themselves.

    Notes
    -----
    A single feature is valued by the individual Bhattacharyya distance, which is on another
    scale (A32): never compare sizes 1 and 2. A peek costs O(C²) per candidate for C classes.
    Sums of square-root products are exact, and J is exact to about 1e-13.

    Besides the data a cursor keeps the class counts as compressed columns, with 12 bytes for each count that is not
    zero. This is never more than sparse data themselves take, and at most 12 C D bytes (400 MB for 33 classes and a
    million features if every class uses every feature).

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sweepless import Dataset
    >>> from sweepless.criteria import MultinomialBhattacharyya
    >>> data = Dataset(*load_iris(return_X_y=True))
    >>> round(MultinomialBhattacharyya().bind(data).evaluate([2, 3]), 4)
    0.0094
    """

    prior: Literal["whole", "training"] = "whole"

    def __post_init__(self) -> None:
        one_of("prior", self.prior, ("whole", "training"))

    def bind(self, data: Dataset) -> MultinomialCursor:
        return MultinomialCursor(self, data)

    def operations(self, data: Dataset, size: int) -> float:
        return 50.0 + len(data.classes) ** 2 / 2  # measured: 52, 150 and 480 ns for 2, 10 and 30 classes

    def validate(self, train: Dataset, test: Dataset, members: Features) -> float:
        """Return the accuracy of multinomial naive Bayes on `test`; 0 for a single feature (A33)."""
        members = require_members(members)
        if len(members) == 1:
            return 0.0
        counts = class_counts(train).dense(members)
        log_theta = np.log(1.0 + counts) - np.log(len(members) + counts.sum(axis=1, keepdims=True))
        scores = test.X[:, members] @ log_theta.T + np.log(self.priors(train))
        return int(np.count_nonzero(np.argmax(scores, axis=1) == codes_known_to(train, test))) / test.n_samples

    def sizes(self, data: Dataset) -> Counts:
        """Return the class sizes by which classes are weighted."""
        return data.population_class_sizes if self.prior == "whole" else data.class_sizes

    def priors(self, data: Dataset) -> Values:
        """Return the weights of the classes, which sum to 1."""
        sizes = self.sizes(data)
        return np.asarray(sizes / sizes.sum(), dtype=np.float64)


class MultinomialCursor(Cursor):
    """Keeps the sums of root products and of counts over the working subset, exactly."""

    def __init__(self, criterion: MultinomialBhattacharyya, data: Dataset) -> None:
        super().__init__(data)
        data.require_classes()
        data.require_variation()
        if np.any(data.class_sizes == 0):
            raise DataError(f"every class of {data.name} must have samples, got an empty class.")
        self.criterion = criterion
        sizes = criterion.sizes(data)
        order = np.argsort(-sizes, kind="stable")  # the kernel needs the greatest classes first
        self._sizes = sizes[order] // np.gcd.reduce(sizes)  # only their ratios matter
        self._counts = class_counts(data).renumbered(order)
        # S_ij <= sqrt((D + M_i)(D + M_j)) by Cauchy-Schwarz. Adding and subtracting 1.5 * 2**52 units rounds to
        # a multiple of the unit. High parts sum to at most 2**50 units, and so do the remainders of D roundings, in
        # low units. The low magic is itself a multiple of the high unit, so it minus a high part is still exact.
        largest = self.n_features + self._counts.masses.max() / COUNT_GRID
        unit = 2.0 ** (np.ceil(np.log2(largest)) - 50)
        magic = 1.5 * 2.0**52 * unit
        # What all kernels take: the counts as compressed columns, the grids, the weights of the classes.
        self._columns = self._counts.starts, self._counts.classes, self._counts.counts
        self._grids = COUNT_GRID, magic, magic * 2.0 ** (np.ceil(np.log2(self.n_features)) - 51)
        self._weights = self._sizes, *_plan_of_powers(self._sizes.tolist())
        self._high, self._low, self._masses = self._nothing()
        self._size = 0

    @property
    def size(self) -> int:
        return self._size  # kept, since counting the members would take a good part of a peek

    def evaluate(self, members: Features) -> float:
        members = require_members(members)
        if len(members) == 1:
            return float(self._singles(members)[0])
        sums = self._nothing()
        self._add(sums, members, 1)
        return float(self._distances(sums, len(members), members[:1], 0)[0])

    def evaluate_many(self, subsets: list[Features]) -> Values:
        if not _are_ascending(subsets):
            subsets = [require_members(members) for members in subsets]
        sizes = np.array([len(members) for members in subsets], dtype=np.int64)
        values = np.empty(len(subsets))
        single = np.flatnonzero(sizes == 1)
        values[single] = self._singles(np.array([subsets[k][0] for k in single], dtype=np.intp))
        several = np.flatnonzero(sizes > 1)
        if len(several):
            listed = np.concatenate([subsets[k] for k in several]), np.cumsum(sizes[several])
            values[several] = subset_distances(
                *listed, 0, *self._columns, *self._grids, *self._weights, self.data.n_samples
            )
        return values

    def individual(self, measure: str) -> Values:
        """Return one value per single feature: "bhattacharyya" or "mutual_information"."""
        one_of("measure", measure, ("bhattacharyya", "mutual_information"))
        if measure == "bhattacharyya":
            return self._singles(np.arange(self.n_features))
        return self._mutual_information()

    def _singles(self, features: Features) -> Values:
        return single_distances(*self._columns, features, COUNT_GRID, *self._full_model())

    def _mutual_information(self) -> Values:
        denominators, weights, _ = self._full_model()
        mass = self._counts.feature_masses()
        values = np.zeros(self.n_features)
        for start in range(0, self.n_features, _BLOCK):
            features = start + np.flatnonzero(mass[start : start + _BLOCK] > 0)
            theta = (1.0 + self._counts.dense(features)) / denominators[:, None]
            values[features] = weights @ np.log(theta / (mass[features] / mass.sum()))
        return values

    def _full_model(self) -> tuple[Values, Values, float]:
        """Return the denominators of theta over all features, the classes' shares of the mass, the mean length."""
        masses = self._counts.masses / COUNT_GRID
        total = masses.sum()
        weights = masses / total if total > 0 else np.full(len(masses), 1.0 / len(masses))
        return self.n_features + masses, weights, float(total / self.data.n_samples)

    def _peek(self, direction: Direction, candidates: Features) -> Values:
        size = self._size + direction.sign
        if size == 1:  # the sum of indices is the candidate added, or the member that remains
            return self._singles(np.flatnonzero(self.members).sum() + direction.sign * candidates)
        return self._distances((self._high, self._low, self._masses), size, candidates, direction.sign)

    def _distances(self, sums: tuple[Values, Values, Counts], size: int, candidates: Features, sign: int) -> Values:
        """Value subsets, always by the same machine code, since its last bit is part of J."""
        counted = *sums, size, *self._columns
        return distances(*counted, candidates, sign, *self._grids, *self._weights, self.data.n_samples)

    def _step(self, direction: Direction, feature: int) -> None:
        self._add((self._high, self._low, self._masses), np.array([feature]), direction.sign)
        self._size += direction.sign

    def _rebuild(self) -> None:
        self._high, self._low, self._masses = self._nothing()
        members = np.flatnonzero(self.members)
        self._add((self._high, self._low, self._masses), members, 1)
        self._size = len(members)

    def _nothing(self) -> tuple[Values, Values, Counts]:
        n_classes = len(self._sizes)
        return np.zeros((n_classes, n_classes)), np.zeros((n_classes, n_classes)), np.zeros(n_classes, dtype=np.int64)

    def _add(self, sums: tuple[Values, Values, Counts], features: Features, sign: int) -> None:
        add_feature(*sums, *self._columns, features, sign, *self._grids)


def _are_ascending(subsets: list[Features]) -> bool:
    """Tell whether all subsets are ascending index arrays, which is faster than converting them."""
    if not all(isinstance(members, np.ndarray) and members.dtype == np.intp and len(members) for members in subsets):
        return False
    rises = np.diff(np.concatenate(subsets, dtype=np.intp)) > 0 if subsets else np.empty(0)
    rises[np.cumsum([len(members) for members in subsets[:-1]], dtype=np.intp) - 1] = True  # from one to the next
    return bool(rises.all())


def _plan_of_powers(sizes: list[int]) -> tuple[Counts, Counts]:
    """Plan, for every class i, the product over classes j > i of numbers to the power of the sizes of j.

    The exponents are processed bit by bit, the highest first; `multiply_powers` explains the rows.
    """
    n_classes = len(sizes)
    plan: list[list[int]] = []
    starts = [0]
    for i in range(n_classes - 1):
        for bit in reversed(range(max(sizes[i + 1 :]).bit_length())):
            factors = [j for j in range(i + 1, n_classes) if sizes[j] >> bit & 1]
            groups = [factors[at : at + 4] for at in range(0, len(factors), 4)] or [[]]
            for place, group in enumerate(groups):
                is_square = place == 0 and len(plan) > starts[-1]
                plan.append([*group, *[n_classes] * (4 - len(group)), bit, int(is_square)])
        starts.append(len(plan))
    return np.array(plan, dtype=np.int64), np.array(starts, dtype=np.int64)
