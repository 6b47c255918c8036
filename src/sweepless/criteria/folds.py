"""Which samples train and which are tested: positional folds (semantics: folds), or given ones, perhaps repeated."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np

from sweepless._checks import whole
from sweepless._typing import Counts
from sweepless.errors import DataError, InputError


@dataclass(frozen=True, repr=False)
class Partition:
    """Given folds: every sample is tested once, by a model trained on all samples of the other folds.

    Parameters
    ----------
    folds : sequence of int, or several of them
        The fold in which each sample is tested, numbered 0, 1, …; no fold may be empty. A table of shape
        (repeats, samples) holds several partitions, equally many folds each; a value is then the mean over them.

    Attributes
    ----------
    repeats : int
        The number of partitions.
    n_folds : int
        The number of folds of each.

    Examples
    --------
    >>> from sweepless.criteria import KNN, Partition
    >>> KNN(folds=Partition([0, 1, 2, 0, 1, 2]))
    KNN(n_neighbors=1, folds=Partition(3 folds of 6 samples), ties='class')
    >>> Partition([[0, 1, 0, 1], [0, 0, 1, 1]])
    Partition(2 folds of 4 samples, 2 repeats)
    """

    folds: Sequence[int] | Sequence[Sequence[int]]

    def __post_init__(self) -> None:
        folds = _indices("folds", self.folds, most_dimensions=2)
        table = np.atleast_2d(folds)
        numbers = np.arange(table.max(initial=0) + 1)
        if table.size == 0 or len(numbers) < 2 or any(not np.array_equal(np.unique(row), numbers) for row in table):
            raise InputError("`folds` must number at least two folds from 0, leaving out none, got other numbers.")
        rows = tuple(tuple(row) for row in table.tolist())
        object.__setattr__(self, "folds", rows if len(rows) > 1 else rows[0])

    def __repr__(self) -> str:
        repeats = f", {self.repeats} repeats" if self.repeats > 1 else ""
        return f"Partition({self.n_folds} folds of {self.table.shape[1]} samples{repeats})"

    @property
    def table(self) -> Counts:
        """The fold of each sample (column) in each repeat (row)."""
        return np.atleast_2d(np.array(self.folds, dtype=np.int64))

    @property
    def repeats(self) -> int:
        return len(self.table)

    @property
    def n_folds(self) -> int:
        return int(self.table.max()) + 1

    def each(self) -> list[Partition]:
        """Return every repeat as a partition of its own."""
        return [Partition(row) for row in self.table.tolist()]


@dataclass(frozen=True, repr=False)
class Split:
    """One given split: `test` is tested by a model trained on `train`; other samples take no part.

    Parameters
    ----------
    train, test : sequence of int
        Distinct row numbers.

    Examples
    --------
    >>> from sweepless.criteria import KNN, Split
    >>> KNN(folds=Split(train=range(20), test=range(20, 30)))
    KNN(n_neighbors=1, folds=Split(20 train, 10 test), ties='class')
    """

    train: Sequence[int]
    test: Sequence[int]

    def __post_init__(self) -> None:
        for name in ("train", "test"):
            object.__setattr__(self, name, tuple(_indices(name, getattr(self, name)).tolist()))
        if not self.train or not self.test or len({*self.train, *self.test}) < len(self.train) + len(self.test):
            raise InputError("`train` and `test` must hold different row numbers, each once, got others.")

    def __repr__(self) -> str:
        return f"Split({len(self.train)} train, {len(self.test)} test)"

    def tested(self, n_samples: int, name: str) -> Counts:
        """Return 0 for the tested samples, 1 for the trained ones, 2 for those that take no part."""
        if max(*self.train, *self.test) >= n_samples:
            raise DataError(f"the given split must hold rows of the {n_samples} samples of {name}, got others.")
        folds = np.full(n_samples, 2, dtype=np.int64)
        folds[list(self.test)] = 0
        folds[list(self.train)] = 1
        return folds


Folds: TypeAlias = int | Literal["loo"] | Partition | Split


def checked_folds(folds: Any, *others: str | type) -> Any:
    """Return checked folds: a number, a `Partition` (also given as an array), or one of the others that are allowed."""
    if isinstance(folds, (Partition, *(other for other in others if isinstance(other, type)))):
        return folds
    if isinstance(folds, str) and folds in others:
        return folds
    if isinstance(folds, (list, tuple, np.ndarray)):
        return Partition(folds)  # type: ignore[arg-type]
    return whole("folds", folds, 2)


def assigned_folds(folds: int | Partition, strata: Counts, name: str) -> Counts:
    """Return the fold in which each sample is tested: as given, in one partition, or positional within the strata."""
    table = assigned_repeats(folds, strata, name)
    if len(table) > 1:
        raise InputError(f"`folds` must be one partition here, got {len(table)} repeats.")
    return np.asarray(table[0])


def assigned_repeats(folds: int | Partition, strata: Counts, name: str) -> Counts:
    """Return the fold in which each sample (column) is tested in each repeat (row)."""
    if not isinstance(folds, Partition):
        return positional_folds(strata, folds)[None]
    table = folds.table
    if table.shape[1] != len(strata):
        raise DataError(
            f"`folds` must name a fold for each of the {len(strata)} samples of {name}, got {table.shape[1]}."
        )
    return table


def training_parts(folds: int | Partition | Split, strata: Counts, name: str) -> list[tuple[Counts, Counts]]:
    """Return the samples that train and those that are tested, for every fold of every repeat or for the one split."""
    if isinstance(folds, Split):
        folds.tested(len(strata), name)
        return [(np.array(folds.train, dtype=np.int64), np.array(folds.test, dtype=np.int64))]
    n_folds = folds if isinstance(folds, int) else folds.n_folds
    return [
        (np.flatnonzero(numbers != fold), np.flatnonzero(numbers == fold))
        for numbers in assigned_repeats(folds, strata, name)
        for fold in range(n_folds)
    ]


def number_of_folds(folds: Folds, n_samples: int) -> int:
    """Return how many models are trained."""
    if isinstance(folds, Split):
        return 1
    if isinstance(folds, Partition):
        return folds.repeats * folds.n_folds
    return n_samples if isinstance(folds, str) else folds


def number_tested(folds: Folds, n_samples: int) -> int:
    """Return how many samples are tested, each as often as it is."""
    if isinstance(folds, Split):
        return len(folds.test)
    return n_samples * folds.repeats if isinstance(folds, Partition) else n_samples


def fold_sizes(n_samples: int, n_folds: int) -> list[int]:
    """Return the size of each fold: floor(remaining samples / remaining folds)."""
    sizes = []
    for remaining_folds in range(n_folds, 0, -1):
        sizes.append(n_samples // remaining_folds)
        n_samples -= sizes[-1]
    return sizes


def positional_folds(codes: Counts, n_folds: int) -> Counts:
    """Return the fold in which each sample is tested: contiguous within each class, no shuffling."""
    folds = np.empty(len(codes), dtype=np.int64)
    for code in np.unique(codes):
        samples = np.flatnonzero(codes == code)
        folds[samples] = np.repeat(np.arange(n_folds), fold_sizes(len(samples), n_folds))
    return folds


def _indices(name: str, given: Any, most_dimensions: int = 1) -> Counts:
    try:
        numbers = np.asarray(given)
    except ValueError:  # rows of different lengths
        numbers = np.empty(0, dtype=object)
    is_table = 1 <= numbers.ndim <= most_dimensions
    if not is_table or (numbers.size and numbers.dtype.kind not in "iu") or np.any(numbers < 0):
        form = "a vector" if most_dimensions == 1 else "a vector or a table"
        raise InputError(f"`{name}` must be {form} of integers that are not negative, got {given!r}.")
    return numbers.astype(np.int64)
