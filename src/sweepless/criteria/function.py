"""Any callable on a subset as a criterion."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from sweepless._typing import Features
from sweepless.criteria.base import Criterion, Cursor, checked_value, require_members, shown
from sweepless.dataset import Dataset
from sweepless.errors import CriterionError, InputError


@dataclass(frozen=True)
class FunctionCriterion(Criterion):
    """J as any function of the subset.

    Parameters
    ----------
    function : callable
        Called as `function(members)` with an ascending integer array, or, with `needs_data`, as
        `function(members, dataset)`. It must return a finite number, greater for better subsets, and
        always the same number for the same subset.
    needs_data : bool
        Whether the function takes the data set as its second argument.

    Examples
    --------
    >>> from sweepless import Dataset
    >>> from sweepless.criteria import FunctionCriterion
    >>> criterion = FunctionCriterion(lambda members: -len(members))
    >>> criterion.bind(Dataset([[0, 1], [5, 2]])).evaluate([0, 1])
    -2.0
    """

    function: Callable[..., Any]
    needs_data: bool = False

    def __post_init__(self) -> None:
        if not callable(self.function):
            raise InputError(f"`function` must be callable, got {self.function!r}.")

    def __repr__(self) -> str:
        return f"FunctionCriterion({getattr(self.function, '__qualname__', type(self.function).__name__)})"

    def promise(self, data: Dataset) -> None:
        """Return nothing, because a function need not have to do with the target."""

    def bind(self, data: Dataset) -> FunctionCursor:
        return FunctionCursor(self, data)


class FunctionCursor(Cursor):
    """Calls the function for every subset; there is no state to keep."""

    takes_missing = True

    def __init__(self, criterion: FunctionCriterion, data: Dataset) -> None:
        super().__init__(data)
        self.criterion = criterion

    def evaluate(self, members: Features) -> float:
        members = require_members(members)
        arguments = (members, self.data) if self.criterion.needs_data else (members,)
        try:
            value = self.criterion.function(*arguments)
        except Exception as error:
            raise CriterionError(
                f"the criterion function raised {type(error).__name__} on {shown(members, self.names)}: {error}"
            ) from error
        return checked_value(value, members, self.names)
