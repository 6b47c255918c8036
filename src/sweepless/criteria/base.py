"""A criterion describes J; a cursor is J on one data set, standing at one subset."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from math import inf
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from sweepless._typing import AnyArray, Features, Mask, Values
from sweepless.criteria.promise import promise_of
from sweepless.criteria.tuples import peek_tuples
from sweepless.direction import Direction
from sweepless.errors import CriterionError, DataError, InputError

if TYPE_CHECKING:
    from sweepless.dataset import Dataset

Names: TypeAlias = Sequence[str] | Mapping[int, str] | AnyArray | None
"""The names of features by number."""

_LONGEST_WALK = 3  # a cursor does not move to the prefixes of longer tuples, but values these from scratch


class Criterion(ABC):
    """The description of J: a frozen, comparable, printable value without data.

    A subclass defines `bind`, and `validate` if subsets can be valued on data that the search has not seen.

    Examples
    --------
    A criterion of one's own, whose cursor only knows the definition of J:

    >>> import numpy as np
    >>> from sweepless import Dataset
    >>> from sweepless.criteria import Criterion, Cursor
    >>> class Spread(Criterion):
    ...     def bind(self, data):
    ...         return SpreadCursor(data)
    >>> class SpreadCursor(Cursor):
    ...     def evaluate(self, members):
    ...         return float(np.ptp(self.data.columns(members)))
    >>> Spread().bind(Dataset([[0, 1], [5, 2]])).evaluate([0])
    5.0
    """

    @abstractmethod
    def bind(self, data: Dataset) -> Cursor:
        """Return a cursor on a data set that stands at the empty subset."""

    def n_features(self, data: Dataset) -> int:
        """Return how many features the cursor will have: those of the data, or groups of them."""
        return data.n_features

    def operations(self, data: Dataset, size: int) -> float:
        """Return about how many nanoseconds one of many candidates takes; automatic budgets follow it."""
        return inf

    def promise(self, data: Dataset) -> Values | None:
        """Return a cheap score of every feature, with which sampled searches begin; by default R² with the target."""
        return promise_of(data)

    def screen(self, data: Dataset) -> Criterion | None:  # noqa: B027 - most have none
        """Return a cheap criterion that proposes candidates for sampled steps; None if statistics do."""

    def validate(self, train: Dataset, test: Dataset, members: Features) -> float:
        """Return the holdout value of a subset: fitted on `train`, used once on `test`."""
        raise InputError(f"{self} has no holdout validation; use a criterion with a classifier.")


class Cursor(ABC):
    """J on one data set, standing at one subset.

    All cursors obey one law: **J is a function of the set.** `evaluate` is the definition; `peek` is an optimization
    that must agree with it to the last bit, whatever path led to the subset where the cursor stands.
    `sweepless.testing.check_criterion` tests exactly this.

    A subclass must define `evaluate`. If it can value neighbors cheaply, it defines `_peek`, `_rebuild` to update
    its state after a jump, and `_step` if updating after a single step is cheaper than that.

    Parameters
    ----------
    data : Dataset
    n_features : int, optional
        How many features subsets are made of; by default those of the data.

    Attributes
    ----------
    takes_missing : bool
        Whether the cursor can value subsets of data with missing values.
    n_at_once : int
        How many candidates are valued at the same time; a smaller batch would leave workers idle.
    members : array of bool
        The subset where the cursor stands.
    second : callable or None
        Binds the cursor of another criterion, over the same features, whose values decide between candidates of equal
        J. It is called at the first tie of a search; see `TieBreak`.
    rungs : tuple of float
        The work, in values, after which `glimpse` can estimate a value, and last that of a value which was estimated
        before. None if a value comes at once.
    compares : bool
        Whether `compare` can tell how sure such an estimate is.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sweepless import Dataset, Direction
    >>> from sweepless.criteria import KNN
    >>> cursor = KNN().bind(Dataset(*load_iris(return_X_y=True)))
    >>> cursor.move(Direction.ADD, 2)
    >>> cursor.peek(Direction.ADD, [0, 1, 3]).round(3).tolist()
    [0.914, 0.907, 0.967]
    """

    takes_missing = False
    n_at_once = 1
    second: Callable[[], Cursor] | None = None
    rungs: tuple[float, ...] = ()
    compares = False

    def __init__(self, data: Dataset, n_features: int | None = None) -> None:
        if data.has_missing and not self.takes_missing:
            raise DataError(
                f"{data.name} must have no missing values for this criterion, got NaN; fill them first, or value "
                "subsets by an estimator that takes them."
            )
        self.data = data
        self.n_features = data.n_features if n_features is None else n_features
        self.members = np.zeros(self.n_features, dtype=np.bool_)

    @property
    def names(self) -> Names:
        """The names of the cursor's features; None if they are unknown, or if the features are groups of others."""
        return self.data.feature_names if self.n_features == self.data.n_features else None

    @property
    def size(self) -> int:
        """The number of members."""
        return int(np.count_nonzero(self.members))

    @abstractmethod
    def evaluate(self, members: Features) -> float:
        """Return J of the subset (ascending feature indices), from scratch."""

    def evaluate_many(self, subsets: list[Features]) -> Values:
        """Return J of any subsets, in order; the values are those of `evaluate`, perhaps computed faster."""
        return np.array([self.evaluate(members) for members in subsets], dtype=np.float64)

    def glimpse(self, subsets: list[Features], rung: int) -> Values:
        """Return what is known of J of any subsets after the work `rungs[rung]`."""
        raise NotImplementedError(f"{type(self).__name__} has no rungs")

    def compare(self, subsets: list[Features], rung: int, rivals: list[Features], n_errors: float) -> Values:
        """Predict J of subsets that were glimpsed at by how they differ from some that were valued.

        So many standard errors of the difference are added; nothing is fitted for it.
        """
        raise NotImplementedError(f"{type(self).__name__} does not compare")

    def peek(self, direction: Direction, candidates: Features) -> Values:
        """Return J of each neighbor without moving.

        Parameters
        ----------
        direction : Direction
        candidates : int array of shape (m,) or (m, c)
            Features, or tuples of features, to add or to remove; each legal on its own.
        """
        candidates = np.asarray(candidates, dtype=np.intp)
        if candidates.ndim == 2 and candidates.shape[1] == 1:
            candidates = candidates[:, 0]
        if not direction.is_legal(self.size, self.n_features, candidates[:1].size):
            raise InputError(
                f"a {direction.label} step must leave from 1 to {self.n_features} features, "
                f"got one from a subset of {self.size}."
            )
        if candidates.ndim == 2 and candidates.shape[1] <= _LONGEST_WALK:
            return peek_tuples(self, direction, candidates)
        if candidates.ndim == 2:
            return Cursor._peek(self, direction, candidates)
        return self._peek(direction, candidates)

    def move(self, direction: Direction, features: Features | int) -> None:
        """Move to a neighbor: the subset with (or without) these features."""
        for feature in np.asarray(features).ravel().tolist():
            self._step(direction, feature)
            self.members[feature] = direction.adds

    def jump(self, members: Features) -> None:
        """Move to any subset, step by step if that takes fewer steps than starting from scratch."""
        goal, here = np.unique(np.asarray(members, dtype=np.intp)), np.flatnonzero(self.members)
        added = goal[~self.members[goal]]
        removed = np.setdiff1d(here, goal, assume_unique=True)
        if len(added) + len(removed) <= len(goal):
            self.move(Direction.REMOVE, removed)
            self.move(Direction.ADD, added)
        else:
            self.members[here] = False
            self.members[goal] = True
            self._rebuild()

    def individual(self, measure: str) -> Values:
        """Return a cheap measure of every single feature, where the criterion offers one."""
        raise InputError(f"`measure` must be one that {type(self).__name__} offers, got {measure!r}.")

    def _peek(self, direction: Direction, candidates: Features) -> Values:
        here = np.flatnonzero(self.members)
        values = np.empty(len(candidates))
        for k, candidate in enumerate(candidates):
            change = np.sort(np.atleast_1d(candidate))
            values[k] = self.evaluate(direction.spliced(here, np.searchsorted(here, change), change))
        return values

    def _neighbor(self, direction: Direction, candidate: Features) -> Features:
        """Return the subset one step away, in ascending order."""
        return np.flatnonzero(direction.applied(self.members, candidate))

    def _settled(self, values: Values, undecided: Mask, direction: Direction, candidates: Features) -> Values:
        """Replace the values that a fast computation left undecided by those of the definition."""
        for k in np.flatnonzero(undecided):
            values[k] = self.evaluate(self._neighbor(direction, candidates[k]))
        return values

    def _step(self, direction: Direction, feature: int) -> None:
        """Update the state for one step, by default from scratch; `members` still shows the subset before the step."""
        self.members[feature] = direction.adds
        self._rebuild()

    def _rebuild(self) -> None:  # noqa: B027 - a criterion without state has nothing to update
        """Update the state after a jump; `members` already shows the new subset."""


def checked_value(value: object, members: Features, names: Names = None) -> float:
    """Return the value as a float, or raise if it is no finite number: NaN must never win or enter a batch (A51)."""
    try:
        if isinstance(value, (str, bytes)):
            raise TypeError
        number = float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        raise CriterionError(
            f"the criterion must return a number, got {value!r} for {shown(members, names)}."
        ) from None
    if not np.isfinite(number):
        raise CriterionError(f"the criterion must return a finite number, got {number} for {shown(members, names)}.")
    return number


def shown(members: Features, names: Names = None) -> str:
    """Describe a subset in a message by the numbers of its first features, and their names if they are known."""
    first = [int(feature) for feature in members[:8]]
    listed = ", ".join(str(feature) if names is None else f"{feature}: {names[feature]!r}" for feature in first)
    return f"subset {{{listed}{', …' if len(members) > 8 else ''}}}"


def require_members(members: Features) -> Features:
    """Return the subset as distinct ascending indices, or raise if it is empty."""
    if np.asarray(members).dtype == np.bool_:
        members = np.flatnonzero(members)
    members = np.unique(np.asarray(members, dtype=np.intp))
    if len(members) == 0:
        raise CriterionError("the empty subset has no value; a subset must hold at least one feature.")
    return members
