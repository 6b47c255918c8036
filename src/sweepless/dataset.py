"""The data of a run: a matrix, labels and names, checked once when they come in."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from functools import cached_property
from typing import Any, Literal, TypeAlias

import numpy as np
from scipy import sparse

from sweepless._inputs import checked_matrix, checked_names, checked_target
from sweepless._typing import AnyArray, Counts, Features, Values
from sweepless.errors import DataError, InputError

Task: TypeAlias = Literal["classification", "regression"]
_MOST_COPIED = 1 << 28  # bytes of X that may be stored in another order, too
_REPEATS = 5  # numbers that repeat less often than this, on average, are not class labels


class Dataset:
    """Samples in rows, features in columns, and the labels or values to predict.

    Parameters
    ----------
    X : array, scipy sparse matrix or dataframe of shape (n_samples, n_features)
        Finite numbers of any width. Dense arrays (also `numpy.memmap`) are kept as they are, never
        copied; sparse input is kept as compressed columns (CSC), to which other formats are converted once.
        `take` copies the selected rows, also those of a `memmap`, into memory; scaling makes a new matrix.
        A dataframe is kept beside its matrix for estimators that select columns by name.
    y : array of shape (n_samples,), optional
        Class labels or target values. Criteria that need them raise an error if they are missing.
    feature_names : sequence of str, optional
        Distinct names; taken from the columns of a dataframe if not given.
    classes : sequence, optional
        The order of the classes, which decides ties in some criteria; by default they are sorted.
    name : str
        The name of the data in reports.
    task : {"classification", "regression"}, optional
        Whether the labels are classes or numbers; by default this is inferred from the labels (see `has_classes`).
    allow_missing : bool
        Whether X may hold NaN, which only some estimators and functions accept; all other criteria refuse such data.

    Attributes
    ----------
    has_missing : bool
        Whether X holds NaN.

    Examples
    --------
    >>> from sweepless import Dataset
    >>> data = Dataset([[0.1, 2.0], [0.3, 1.0], [0.2, 5.0]], ["a", "b", "a"], feature_names=["width", "mass"])
    >>> data.n_samples, data.n_features, data.classes.tolist()
    (3, 2, ['a', 'b'])
    """

    def __init__(
        self,
        X: Any,
        y: Any = None,
        *,
        feature_names: Sequence[str] | None = None,
        classes: Sequence[Any] | None = None,
        name: str = "data",
        task: Task | None = None,
        allow_missing: bool = False,
    ) -> None:
        columns = getattr(X, "columns", None)
        if feature_names is None and columns is not None:
            feature_names = [str(column) for column in columns]
        self.X, self.has_missing = checked_matrix(X, allow_missing, feature_names)
        self.frame = X if columns is not None else None
        self.name = name
        self.n_samples: int = int(self.X.shape[0])
        self.n_features: int = int(self.X.shape[1])
        self.feature_names = checked_names(feature_names, self.n_features)
        self.y = None if y is None else checked_target(y, self.n_samples)
        if task not in (None, "classification", "regression"):
            raise InputError(f"`task` must be classification, regression or None, got {task!r}.")
        self.task = task
        self._given_classes = classes
        self._population: Counts | None = None

    def __repr__(self) -> str:
        return f"Dataset({self.name!r}, n_samples={self.n_samples}, n_features={self.n_features})"

    @property
    def target(self) -> AnyArray:
        """The labels or target values; accessing them raises an error if there are none."""
        if self.y is None:
            raise DataError(f"{self.name} has no labels, but this criterion needs them; pass `y`.")
        return self.y

    @cached_property
    def has_classes(self) -> bool:
        """Whether the target holds classes, as `task` says or else as its values suggest: whole numbers that repeat."""
        if self.task is not None or self.y is None:
            return self.task == "classification"
        hardly_repeats = self.y.dtype.kind in "iuf" and _REPEATS * len(np.unique(self.y)) > self.y.size
        return not (hardly_repeats or _is_fractional(self.y))

    @property
    def strata(self) -> Counts:
        """The groups from which a random split draws in turn: the classes, or all samples if numbers are predicted."""
        if self.task == "regression" or _is_fractional(self.target):
            return np.zeros(self.n_samples, dtype=np.int64)
        return self.codes

    @cached_property
    def classes(self) -> AnyArray:
        """The distinct labels in the order of their numbers."""
        return self._encoded[0]

    @cached_property
    def codes(self) -> Counts:
        """The class number of every sample."""
        return self._encoded[1]

    @cached_property
    def class_sizes(self) -> Counts:
        """The number of samples of each class in this data set."""
        return np.bincount(self.codes, minlength=len(self.classes)).astype(np.int64)

    @property
    def population_class_sizes(self) -> Counts:
        """The number of samples of each class in the whole data set from which this one was taken (A31)."""
        return self.class_sizes if self._population is None else self._population

    @cached_property
    def _encoded(self) -> tuple[AnyArray, Counts]:
        target = self.target
        if target.ndim != 1:
            raise DataError(f"class labels must be one per sample, got an array of shape {target.shape}.")
        if _is_fractional(target):
            raise DataError("class labels must be whole numbers or strings, got fractional numbers.")
        found, codes = np.unique(target, return_inverse=True)
        if self._given_classes is not None:
            given = np.asarray(self._given_classes)
            if len(np.unique(given)) != len(given) or not np.isin(found, given).all():
                raise DataError(
                    f"`classes` must name every label once, got {given.tolist()} for labels {found.tolist()}."
                )
            position = {label: number for number, label in enumerate(given.tolist())}
            codes = np.array([position[label] for label in found.tolist()])[codes]
            found = given
        return found, codes.astype(np.int64)

    def require_classes(self) -> None:
        """Raise unless there are samples of at least two classes."""
        present = int(np.count_nonzero(self.class_sizes))
        if present < 2:
            raise DataError(f"{self.name} must hold samples of at least two classes, got {present}.")

    def require_variation(self) -> None:
        """Raise if every feature is constant, because there is nothing to select."""
        if sparse.issparse(self.X) and self._varies_by_sparsity():
            return
        for start in range(0, self.n_features, 256):
            block = self.columns(np.arange(start, min(start + 256, self.n_features)))
            if np.any(block != block[:, :1]):
                return
        raise DataError(f"{self.name} must hold a feature that varies, got {self.n_features} constant columns.")

    def _varies_by_sparsity(self) -> bool:
        """Return whether a column stores nonzeros in some rows but not in all, so that it is not constant."""
        lengths = np.diff(self.X.indptr)
        is_partial = np.repeat(lengths < self.n_samples, lengths)
        return bool(np.any(is_partial & (self.X.data != 0)))

    def columns(self, features: Any) -> Values:
        """Return some columns as float64, one feature per row of the result."""
        if not sparse.issparse(self.X):
            # `take` lets other threads run meanwhile, but it would first copy all of a matrix in another order.
            if self.X.flags.f_contiguous and np.asarray(features).dtype != np.bool_:
                return np.ascontiguousarray(np.take(self.X.T, features, axis=0), dtype=np.float64)
            return np.ascontiguousarray(self.X.T[features], dtype=np.float64)
        # SciPy's own column indexing goes through all D columns; a few slices are faster.
        features = np.asarray(features)
        features = np.flatnonzero(features) if features.dtype == np.bool_ else features.astype(np.intp)
        starts = self.X.indptr[features].astype(np.intp)
        lengths = self.X.indptr[features + 1] - starts
        places = np.repeat(np.arange(len(features)), lengths)
        ends = np.cumsum(lengths)
        entries = np.arange(len(places)) + np.repeat(starts - (ends - lengths), lengths)
        block = np.zeros((len(features), self.n_samples))
        block[places, self.X.indices[entries]] = self.X.data[entries]
        return block

    def lend(self, features: Features) -> tuple[Values, Features]:
        """Return an array of columns, and in which of its rows these features are: the data themselves, if they serve.

        What is lent must not be changed.
        """
        X = self.__dict__.get("X")  # views whose columns are computed have none
        # For an array that cannot be written, kernels would be compiled once more.
        if isinstance(X, np.ndarray) and X.dtype == np.float64 and X.flags.f_contiguous and X.flags.writeable:
            return X.T, features
        return self.columns(features), np.arange(len(features))

    @property
    def is_array(self) -> bool:
        """Whether X is a dense array, rather than sparse or, in views, computed."""
        return isinstance(self.__dict__.get("X"), np.ndarray)

    def in_column_order(self) -> Dataset:
        """Return the same data, of which columns are fetched some ten times as fast if X is stored row by row.

        It takes a copy of X, which is made once, unless X is large.
        """
        if not self.is_array or self.X.flags.f_contiguous or self.X.nbytes > _MOST_COPIED:
            return self
        ordered = copy(self)
        ordered.X = self._by_column
        return ordered

    @cached_property
    def _by_column(self) -> AnyArray:
        return np.asfortranarray(self.X)

    def select(self, features: Any) -> Any:
        """Return some columns in the original form of X, so that dataframes stay dataframes with their names."""
        if self.frame is None:
            return self.X[:, features]
        features = np.arange(self.n_features)[features].tolist()
        return self.frame.iloc[:, features] if hasattr(self.frame, "iloc") else self.frame[:, features]

    def without_frame(self) -> Dataset:
        """Return the same data without their dataframe, so that columns are selected as arrays."""
        if self.frame is None:
            return self
        plain = copy(self)
        plain.frame = None
        return plain

    def take(self, rows: Any, name: str | None = None) -> Dataset:
        """Return the data set of some rows, which keeps the class sizes of the whole."""
        # Dense rows are copied in column order, because columns are what criteria read.
        matrix = self.X.tocsr()[rows].tocsc() if sparse.issparse(self.X) else np.ascontiguousarray(self.X.T[:, rows]).T
        part = self._derived(matrix, None if self.y is None else self.y[rows])
        part.name = name or self.name
        if self.frame is not None:
            rows = np.arange(self.n_samples)[rows]
            part.frame = self.frame.iloc[rows] if hasattr(self.frame, "iloc") else self.frame[rows]
        return part

    def with_matrix(self, X: Any) -> Dataset:
        """Return the same samples and names with other feature values."""
        return self._derived(X, self.y)

    def of_features(self, features: Any) -> Dataset:
        """Return the same samples with some of their features, by index."""
        part = copy(self.without_frame())
        part.__dict__.pop("_by_column", None)
        part.X, part.n_features = self.X[:, features], len(features)
        if self.feature_names is not None:
            part.feature_names = tuple(self.feature_names[feature] for feature in features)
        return part

    def with_task(self, task: Task) -> Dataset:
        """Return the same data with the target interpreted as classes or as numbers."""
        changed = copy(self)
        changed.__dict__.pop("has_classes", None)
        changed.task = task
        return changed

    @property
    def _is_labelled(self) -> bool:
        """Whether the target can be read as classes, which a part of the samples then shares with the whole."""
        return self.y is not None and self.y.ndim == 1 and not _is_fractional(self.y)

    def _derived(self, X: Any, y: Any) -> Dataset:
        labelled = self._is_labelled
        part = Dataset(
            X,
            y,
            feature_names=self.feature_names,
            classes=self.classes.tolist() if labelled else self._given_classes,
            name=self.name,
            task=self.task,
            allow_missing=self.has_missing,
        )
        part.has_classes = self.has_classes  # a part of the samples must be interpreted like the whole
        if labelled:
            part._population = self.population_class_sizes
        return part


def _is_fractional(target: AnyArray) -> bool:
    return target.dtype.kind == "f" and not np.array_equal(target, np.trunc(target))
