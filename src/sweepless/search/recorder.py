"""The hook of a journal: what a run is told from outside, so that it can be kept and told again.

A search is a function of its setup, of the values of the criterion and of the clock. Who keeps these keeps the run.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from sweepless._typing import Features, Values
from sweepless.criteria.base import Criterion, Cursor
from sweepless.dataset import Dataset
from sweepless.direction import Direction
from sweepless.engine.generator import Rng
from sweepless.search.goal import Goal
from sweepless.search.stop import Limits, StopReason

if TYPE_CHECKING:
    from sweepless.search.methods import Method
    from sweepless.search.operators import Operators
    from sweepless.search.walk import Walk


@dataclass(frozen=True)
class Setup:
    """All that decides how a run goes; `limits` only decide how far."""

    method: Method
    schedule_options: Mapping[str, Any]
    criterion: Criterion
    data: Dataset
    goal: Goal
    start: Any
    limits: Limits
    rng: Rng


class Recorder(Protocol):
    """Keeps a run, or tells again what was kept of it until there is nothing left to tell."""

    seconds: float | None  # the time on record of what was told last; None if nothing was
    will_restore: bool  # whether what is learned before the first step comes from the record, with all the rest

    @property
    def is_behind(self) -> bool:
        """Whether steps were told, so far, without what was learned from them."""

    def begin(self, setup: Setup) -> None:
        """Keep the setup, or compare it with the one on record."""

    def asked(self, account: str, subsets: Sequence[Features] | Features) -> None:
        """Note that subsets are about to be valued, in this order."""

    def told(self, most: int) -> Values | None:
        """Return the next values of these that are on record, at most so many; None if there are none left."""

    def keep(self, values: Values, seconds: float) -> None:
        """Keep the next values of these, which were just computed."""

    def followed(self, operators: Operators) -> Operators:
        """Return operators that keep the steps that these find, or tell them from the record."""

    def end(self, reason: StopReason, walk: Walk) -> None:
        """Note how the run ended."""

    def close(self) -> None:
        """Let go of everything, however the run ended."""


class Unrecorded:
    """Keeps nothing."""

    seconds: float | None = None
    will_restore = False
    is_behind = False

    def begin(self, setup: Setup) -> None: ...

    def asked(self, account: str, subsets: Sequence[Features] | Features) -> None: ...

    def told(self, most: int) -> Values | None:
        return None

    def keep(self, values: Values, seconds: float) -> None: ...

    def followed(self, operators: Operators) -> Operators:
        return operators

    def end(self, reason: StopReason, walk: Walk) -> None: ...

    def close(self) -> None: ...


class ParkedCursor(Cursor):
    """Stands where the search stands while nothing has to be computed; the cursor proper stays behind."""

    takes_missing = True  # if the cursor inside does

    def __init__(self, cursor: Cursor) -> None:
        super().__init__(cursor.data, cursor.n_features)
        self.members = cursor.members.copy()
        self._cursor = cursor

    def evaluate(self, members: Features) -> float:
        return self._cursor.evaluate(members)

    def individual(self, measure: str) -> Values:
        return self._cursor.individual(measure)

    def move(self, direction: Direction, features: Features | int) -> None:
        self.members[features] = direction.adds

    def jump(self, members: Features) -> None:
        self.members[:] = False
        self.members[members] = True

    def caught_up(self) -> Cursor:
        """Return the cursor proper, standing at the same place."""
        self._cursor.jump(np.flatnonzero(self.members))
        return self._cursor
