"""Multinomial Bhattacharyya distance: the filter criterion of the paper for text (METHOD 1)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from scipy import sparse

from sweepless._checks import one_of
from sweepless._typing import Counts, Features, Values
from sweepless.criteria.base import Criterion, Cursor, require_members
from sweepless.dataset import Dataset
from sweepless.direction import Direction
from sweepless.errors import DataError
from sweepless.kernels.multinomial import add_products, distances

# Counts are integers almost always; fractional ones are rounded once to this grid.
_COUNT_GRID = 2.0**20


@dataclass(frozen=True)
class MultinomialBhattacharyya(Criterion):
    """Bhattacharyya distance between the classes' multinomial models, summed over pairs of classes.

    Parameters
    ----------
    prior : {"whole", "training"}
        Class weights from the whole data set a split was taken from (the paper, A31), or from the
        samples at hand.

    Notes
    -----
    A single feature is valued by the individual Bhattacharyya distance, which is on another
    scale (A32): never compare sizes 1 and 2. A peek costs O(C²) per candidate for C classes.
    Square-root products are rounded to a grid fine enough that J is exact to about 1e-13.
    """

    prior: Literal["whole", "training"] = "whole"

    def __post_init__(self) -> None:
        one_of("prior", self.prior, ("whole", "training"))

    def bind(self, data: Dataset) -> MultinomialCursor:
        return MultinomialCursor(self, data)

    def validate(self, train: Dataset, test: Dataset, members: Features) -> float:
        """Return the accuracy of multinomial naive Bayes on `test`; 0 for a single feature (A33)."""
        members = require_members(members)
        if len(members) == 1:
            return 0.0
        counts = class_counts(train)[:, members] / _COUNT_GRID
        log_theta = np.log(1.0 + counts) - np.log(len(members) + counts.sum(axis=1, keepdims=True))
        scores = test.X[:, members] @ log_theta.T + np.log(self.priors(train))
        known = {label: code for code, label in enumerate(train.classes.tolist())}
        truth = np.array([known.get(label, -1) for label in test.target.tolist()])
        return int(np.count_nonzero(np.argmax(scores, axis=1) == truth)) / test.n_samples

    def priors(self, data: Dataset) -> Values:
        sizes = data.population_class_sizes if self.prior == "whole" else data.class_sizes
        return np.asarray(sizes / sizes.sum(), dtype=np.float64)


class MultinomialCursor(Cursor):
    """Keeps the sums of root products and of counts over the working subset, as integers."""

    def __init__(self, criterion: MultinomialBhattacharyya, data: Dataset) -> None:
        super().__init__(data)
        data.require_classes()
        data.require_variation()
        if np.any(data.class_sizes == 0):
            raise DataError(f"every class of {data.name} must have samples, got an empty class.")
        self.criterion = criterion
        self._counts = np.ascontiguousarray(class_counts(data).T)  # one feature per row
        self._priors = criterion.priors(data)
        # |S_ij| <= sqrt((D + M_i)(D + M_j)) by Cauchy-Schwarz; one bit is kept for the rounding of terms.
        largest = self.n_features + self._counts.sum(axis=0).max() / _COUNT_GRID
        self._grid = 2.0 ** int(61 - np.ceil(np.log2(largest)))
        self._products = np.zeros((len(self._priors),) * 2, dtype=np.int64)
        self._masses = np.zeros(len(self._priors), dtype=np.int64)
        self._singles: Values | None = None

    def evaluate(self, members: Features) -> float:
        members = require_members(members)
        if len(members) == 1:
            return float(self._bhattacharyya()[members[0]])
        products, masses = self._sums(members)
        return float(self._distances(products, masses, len(members), np.zeros_like(masses)[None], 0)[0])

    def individual(self, measure: str) -> Values:
        """Return one value per single feature: "bhattacharyya" or "mutual_information" (METHOD 1.2, 1.3)."""
        measures = {"bhattacharyya": self._bhattacharyya, "mutual_information": self._mutual_information}
        one_of("measure", measure, tuple(measures))
        return measures[measure]().copy()

    def _bhattacharyya(self) -> Values:
        if self._singles is None:
            theta, weights, mean_length = self._full_model()
            n_classes = len(weights)
            total = np.zeros(self.n_features)
            for i in range(n_classes):
                for j in range(i + 1, n_classes):
                    overlap = np.sqrt(theta[i] * theta[j]) + np.sqrt((1.0 - theta[i]) * (1.0 - theta[j]))
                    total += weights[i] * weights[j] * -mean_length * np.log(overlap)
            self._singles = total / (n_classes * (n_classes - 1) / 2)
        return self._singles

    def _mutual_information(self) -> Values:
        theta, weights, _ = self._full_model()
        mass = self._counts.sum(axis=1) / _COUNT_GRID
        seen = mass > 0
        values = np.zeros(self.n_features)
        share = mass[seen] / mass.sum()
        values[seen] = weights @ np.log(theta[:, seen] / share)
        return values

    def _full_model(self) -> tuple[Values, Values, float]:
        """Return theta over all features, the classes' shares of the term mass, and the mean length."""
        counts = self._counts.T / _COUNT_GRID
        masses = counts.sum(axis=1)
        theta = (1.0 + counts) / (self.n_features + masses)[:, None]
        total = masses.sum()
        weights = masses / total if total > 0 else np.full(len(masses), 1.0 / len(masses))
        return theta, weights, float(total / self.data.n_samples)

    def _peek(self, direction: Direction, candidates: Features) -> Values:
        size = self.size + direction.sign
        if size == 1:  # the candidate itself, or the other one of two: indices add up either way
            alone = np.flatnonzero(self.members).sum() + direction.sign * candidates
            return np.asarray(self._bhattacharyya()[alone])
        return self._distances(self._products, self._masses, size, self._counts[candidates], direction.sign)

    def _distances(self, products: Counts, masses: Counts, size: int, counts: Counts, sign: int) -> Values:
        """Value by one and the same machine code whatever is asked: its last bit is part of J."""
        return distances(
            products,
            masses,
            size,
            np.sqrt(1.0 + counts / _COUNT_GRID),
            counts,
            sign,
            self._grid,
            _COUNT_GRID,
            self._priors,
            self.data.n_samples,
        )

    def _step(self, direction: Direction, feature: int) -> None:
        counts = self._counts[feature]
        add_products(self._products, np.sqrt(1.0 + counts / _COUNT_GRID), self._grid, direction.sign)
        self._masses += direction.sign * counts

    def _rebuild(self) -> None:
        self._products, self._masses = self._sums(np.flatnonzero(self.members))

    def _sums(self, members: Features) -> tuple[Counts, Counts]:
        products = np.zeros_like(self._products)
        for feature in members:
            add_products(products, np.sqrt(1.0 + self._counts[feature] / _COUNT_GRID), self._grid, 1)
        return products, self._counts[members].sum(axis=0)


def class_counts(data: Dataset) -> Counts:
    """Return the sum of every feature over each class (classes in rows), in units of the count grid."""
    matrix: Any = data.X
    stored = matrix.data if sparse.issparse(matrix) else matrix
    if stored.size and stored.min() < 0:
        raise DataError(f"the multinomial model needs counts that are not negative, got some in {data.name}.")
    indicator = sparse.csr_matrix(
        (np.ones(data.n_samples), (data.codes, np.arange(data.n_samples))),
        shape=(len(data.classes), data.n_samples),
    )
    sums = indicator @ matrix
    sums = sums.toarray() if sparse.issparse(sums) else np.asarray(sums)
    if sums.sum() >= 2.0**41:
        raise DataError(f"counts must sum to less than 2**41, got {sums.sum():.3g} in {data.name}.")
    return np.rint(sums * _COUNT_GRID).astype(np.int64)
