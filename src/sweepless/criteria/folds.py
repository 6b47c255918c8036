"""Which samples train and which are tested: positional folds (semantics: folds), or given ones."""

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
    folds : sequence of int
        The fold in which each sample is tested, numbered 0, 1, …; no fold may be empty.

    Examples
    --------
    >>> from sweepless.criteria import KNN, Partition
    >>> KNN(folds=Partition([0, 1, 2, 0, 1, 2]))
    KNN(n_neighbors=1, folds=Partition(3 folds of 6 samples), ties='class')
    """

    folds: Sequence[int]

    def __post_init__(self) -> None:
        folds = _indices("folds", self.folds)
        if len(folds) == 0 or folds.min() != 0 or len(np.unique(folds)) != folds.max() + 1 or folds.max() == 0:
            raise InputError("`folds` must number at least two folds from 0, leaving out none, got other numbers.")
        object.__setattr__(self, "folds", tuple(folds.tolist()))

    def __repr__(self) -> str:
        return f"Partition({max(self.folds) + 1} folds of {len(self.folds)} samples)"


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


@dataclass(frozen=True, repr=False)
class Repeats:
    """Given folds, several times: the value is the mean of those of the partitions.

    Parameters
    ----------
    partitions : array of shape (n_repeats, n_samples), or sequence of Partition
        The fold in which each sample is tested, for every partition.

    Examples
    --------
    >>> from sweepless.criteria import KNN, Repeats
    >>> KNN(folds=Repeats([[0, 1, 2, 0, 1, 2], [0, 0, 1, 1, 2, 2]]))
    KNN(n_neighbors=1, folds=Repeats(2 partitions of 6 samples), ties='class')
    """

    partitions: Sequence[Partition]

    def __post_init__(self) -> None:
        partitions = tuple(each if isinstance(each, Partition) else Partition(each) for each in self.partitions)
        if len({len(partition.folds) for partition in partitions}) != 1:
            lengths = [len(partition.folds) for partition in partitions]
            raise InputError(f"`partitions` must be at least one, of the same samples, got partitions of {lengths}.")
        object.__setattr__(self, "partitions", partitions)

    def __repr__(self) -> str:
        return f"Repeats({len(self.partitions)} partitions of {len(self.partitions[0].folds)} samples)"


Folds: TypeAlias = int | Literal["loo"] | Partition | Split


def checked_folds(folds: Any, *others: str | type) -> Any:
    """Return checked folds: a number, a `Partition` (also given as an array), or one of the others that are allowed."""
    if isinstance(folds, (Partition, *(other for other in others if isinstance(other, type)))):
        return folds
    if isinstance(folds, str) and folds in others:
        return folds
    if Repeats in others and isinstance(folds, np.ndarray) and folds.ndim == 2:
        return Repeats(folds)  # type: ignore[arg-type]
    if isinstance(folds, (list, tuple, np.ndarray)):
        return Partition(folds)  # type: ignore[arg-type]
    return whole("folds", folds, 2)


def assigned_folds(folds: int | Partition, strata: Counts, name: str) -> Counts:
    """Return the fold in which each sample is tested: as given, or positional within the strata."""
    if not isinstance(folds, Partition):
        return positional_folds(strata, folds)
    if len(folds.folds) != len(strata):
        raise DataError(
            f"`folds` must name a fold for each of the {len(strata)} samples of {name}, got {len(folds.folds)}."
        )
    return np.array(folds.folds, dtype=np.int64)


def training_parts(folds: int | Partition | Split, strata: Counts, name: str) -> list[tuple[Counts, Counts]]:
    """Return the samples that train and those that are tested, for every fold or for the one split."""
    if isinstance(folds, Split):
        folds.tested(len(strata), name)
        return [(np.array(folds.train, dtype=np.int64), np.array(folds.test, dtype=np.int64))]
    numbers = assigned_folds(folds, strata, name)
    n_folds = folds if isinstance(folds, int) else int(numbers.max()) + 1
    return [(np.flatnonzero(numbers != fold), np.flatnonzero(numbers == fold)) for fold in range(n_folds)]


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


def _indices(name: str, given: Any) -> Counts:
    numbers = np.asarray(given)
    if numbers.ndim != 1 or (numbers.size and numbers.dtype.kind not in "iu") or np.any(numbers < 0):
        raise InputError(f"`{name}` must be a vector of integers that are not negative, got {given!r}.")
    return numbers.astype(np.int64)
