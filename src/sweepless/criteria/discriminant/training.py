"""One training part: what it says about features within classes, and the samples that it is tested on."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from sweepless._typing import Counts, Features, Values
from sweepless.criteria.folds import Partition, Split, training_parts
from sweepless.criteria.scores.base import Score
from sweepless.dataset import Dataset
from sweepless.direction import Direction
from sweepless.errors import DataError
from sweepless.kernels.discriminant.moments import class_lengths, class_products, standardize_within


class Described(NamedTuple):
    """Some features on a training part, and on the samples that it is tested on."""

    rows: Values  # sample, feature: deviations from the class means, of unit norm in every class
    means: Values  # class, feature
    deviations: Values  # class, feature: standard deviations
    tested: Values  # feature, sample

    def spliced(self, direction: Direction, place: int, other: Described) -> Described:
        """Return the features with the only one of `other` inserted or left out."""

        def splice(one: Values, new: Values) -> Values:
            return np.ascontiguousarray(direction.spliced(one, place, new[:, 0]))

        return Described(
            splice(self.rows, other.rows),
            splice(self.means, other.means),
            splice(self.deviations, other.deviations),
            direction.spliced_rows(self.tested, place, other.tested[0]),
        )

    def at(self, places: Features) -> Described:
        """Return some of the features."""
        rows, means, deviations = (one.take(places, axis=1) for one in (self.rows, self.means, self.deviations))
        return Described(rows, means, deviations, self.tested[places])


def over_classes(terms: Values) -> Values:
    """Add up along the first axis, class by class, so that the last bit does not depend on the other axes."""
    total = np.zeros(terms.shape[1:])
    for each in terms:
        total += each
    return total


class TrainingPart:
    """Samples to train on, sorted by class, and samples to be tested.

    Attributes
    ----------
    present : array of int
        The codes of the classes that are trained on.
    sizes : array of int
        How many samples each of them has.
    priors : array
        The probability of each of them, given or learned.
    truth : array of int
        The codes of the tested samples.
    classes : array
        The labels of all codes.
    """

    def __init__(self, train: Counts, test: Counts, data: Dataset, priors: tuple[float, ...] | None) -> None:
        codes = data.codes
        self._train, self._test = train[np.argsort(codes[train], kind="stable")], test
        self.present, self.sizes = np.unique(codes[train], return_counts=True)
        self.starts = np.concatenate([[0], np.cumsum(self.sizes)]).astype(np.int64)
        self.priors = self.sizes / len(train) if priors is None else np.array(priors)[self.present]
        self.truth, self.classes = codes[test], data.classes

    def describe(self, samples: Values) -> Described:
        """Describe features, whose values are given with a sample per row."""
        rows = samples[self._train]
        means, deviations = standardize_within(rows, self.starts)
        return Described(rows, means, deviations, np.ascontiguousarray(samples[self._test].T))

    def products(self, one: Values, other: Values) -> Values:
        """Return sums of products over every class: (class, feature, feature of `other`)."""
        return class_products(one, other, self.starts)

    def lengths(self, rows: Values) -> Values:
        """Return sums of squares over every class: (class, feature)."""
        return class_lengths(rows, self.starts)


def trained_and_tested(
    data: Dataset, folds: int | Partition | Split, priors: tuple[float, ...] | None, score: Score
) -> list[TrainingPart]:
    """Return the training parts of a cross-validation."""
    if priors is not None and len(priors) != len(data.classes):
        raise DataError(f"`priors` must hold a share for each of {len(data.classes)} classes, got {len(priors)}.")
    parts = training_parts(folds, data.codes, data.name)
    if any(len(np.unique(data.codes[train])) < 2 or len(test) == 0 for train, test in parts):
        raise DataError(f"every fold of {data.name} must hold samples and leave two classes, got one that does not.")
    found = [TrainingPart(train, test, data, priors) for train, test in parts]
    if score.needs != "labels" and any(len(part.present) < len(data.classes) for part in found):
        raise DataError(f"every fold of {data.name} must leave all classes to train on for this score, got fewer.")
    return found
