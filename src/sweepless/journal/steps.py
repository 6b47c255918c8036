"""Operators that keep what they find; of a run on record, they tell it again instead of finding it."""

from __future__ import annotations

import time
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING

import numpy as np

from sweepless._typing import Mask
from sweepless.direction import Direction
from sweepless.errors import JournalError
from sweepless.journal.found import as_fields, as_step
from sweepless.journal.lines import Record
from sweepless.journal.packing import as_ranges, from_ranges, packed, unzipped, zipped
from sweepless.search.operators import Operators
from sweepless.search.step import Step, StepOperator
from sweepless.search.trace import Anatomy
from sweepless.search.walk import Walk

if TYPE_CHECKING:
    from sweepless.journal.journal import Journal

_FEW = 64  # steps after the last snapshot are found again: so many, or one in so many of all
_SPARED = 25.0  # a snapshot may take one so-manieth of the time


@dataclass(frozen=True)
class JournalledStep:
    """One of the two operators."""

    operator: StepOperator
    steps: JournalledSteps

    @property
    def direction(self) -> Direction:
        return self.operator.direction

    def __call__(self, walk: Walk, tuple_size: int | None = None) -> Step | None:
        return self.steps.find(self.operator, walk, tuple_size)


class JournalledSteps:
    """What both operators share: where the record stands, and when to take a snapshot.

    Steps that depend only on where the search stands are told from the record. Steps that learn are told up to the
    last snapshot, which holds all that was learned; those after it are found again, from the values on record. All
    of them are if limits tighter than before may end the run at an earlier step.
    """

    def __init__(self, journal: Journal, operators: Operators) -> None:
        self._journal = journal
        self._parts = operators
        self.learns = operators.learns
        self._told_to = 0  # the last record of steps that are told
        if journal.tape is not None and not (operators.learns and journal.is_tighter):
            self._told_to = journal.tape.number_of_last("snapshot" if operators.learns else "step")
        self._n_steps = 0
        self._n_since = 0  # the last snapshot
        self._rested, self._took = 0.0, 0.0  # when the last snapshot was taken, and for how long
        self._tried: Mask | None = None

    def operators(self) -> Operators:
        parts = self._parts
        return replace(parts, add=JournalledStep(parts.add, self), remove=JournalledStep(parts.remove, self))

    @property
    def is_telling(self) -> bool:
        """Whether the next step is told, not found."""
        here = self._journal.here
        return here is not None and here["n"] <= self._told_to

    def find(self, operator: StepOperator, walk: Walk, tuple_size: int | None) -> Step | None:
        if self._tried is None:
            self._tried = walk.tried.copy()
            self._journal.pending.taken_candidates()  # of the preparation, which are tried
            self._journal.write_values()  # of the start, which are of no step: the first may have nothing to try
        self._n_steps += 1
        if self.is_telling:
            return self._told(operator.direction, walk)
        size, n_taken = walk.size, len(walk.trace)
        step = operator(walk, tuple_size)
        self._n_since += 1
        if self._journal.here is None:
            self._keep(step, operator.direction, size, n_taken, walk)
        else:
            self._compare(step, operator.direction, size, n_taken, walk)
        return step

    # Keeping

    def _keep(self, step: Step | None, direction: Direction, size: int, n_taken: int, walk: Walk) -> None:
        values = self._journal.pending.taken_values()
        self._journal.write(
            "step",
            {"direction": direction.label, "size": size, "taken": n_taken}
            | as_fields(step)
            | {
                "anatomy": walk.anatomy.to_dict(),
                "tried": self._newly_tried(),
                "of": self._journal.of,
                "values": packed(values) if self.learns else "",
                "seconds": walk.seconds,
            },
        )
        waits = walk.seconds - self._rested < _SPARED * self._took
        if self._n_since >= max(_FEW, self._n_steps // _FEW) and not waits:
            self._snapshot(walk)

    def _newly_tried(self) -> str:
        assert self._tried is not None  # nosec B101 # only tells the type
        new = [candidates[~self._tried[candidates]] for candidates in self._journal.pending.taken_candidates()]
        if not any(map(len, new)):
            return ""
        features = np.unique(np.concatenate(new))
        self._tried[features] = True
        return as_ranges(features)

    def _snapshot(self, walk: Walk) -> None:
        statistics, rng = self._parts.statistics, self._parts.rng
        state = {} if statistics is None else statistics.state()
        if rng is None or not state:  # all steps will be found again
            return
        began = time.monotonic()
        arrays = {name: zipped(array) for name, array in state.items()}
        self._journal.write("snapshot", {"rng": rng.position, "statistics": arrays})
        self._rested, self._took, self._n_since = walk.seconds, time.monotonic() - began, 0

    # Telling

    def _restore_in_turn(self) -> None:
        """Take up the last snapshot if it comes next, pass over those before."""
        tape = self._journal.tape
        while tape is not None and tape.here is not None and tape.here["kind"] == "snapshot":
            if tape.here["n"] == self._told_to:
                self._restore(tape.here)
            tape.advance()

    def _restore(self, record: Record) -> None:
        tape, statistics, rng = self._journal.tape, self._parts.statistics, self._parts.rng
        assert tape is not None  # nosec B101 # only tells the type
        state = {} if statistics is None else statistics.state()
        if statistics is None or rng is None or set(record["statistics"]) != set(state):
            raise tape.misfit(record, f"must hold {', '.join(state) or 'nothing'}, got a snapshot of something else")
        try:
            statistics.restore({name: unzipped(record["statistics"][name], array) for name, array in state.items()})
            rng.seek(record["rng"])
        except (JournalError, TypeError, ValueError, OverflowError) as error:
            raise tape.misfit(record, f"must hold a snapshot, got: {str(error).rstrip('.')}") from None
        self._n_since = 0

    def _told(self, direction: Direction, walk: Walk) -> Step | None:
        """Return a step on record, and book what it cost."""
        tape = self._journal.tape
        assert tape is not None  # nosec B101 # only tells the type
        while (record := tape.here) is not None and record["kind"] == "values":
            tape.advance()
        if record is None or record["kind"] != "step":
            raise JournalError(f"the journal {tape.path} must hold a step before its snapshot, got none.")
        tape.require(record, direction=direction.label, size=walk.size, taken=len(walk.trace))
        try:
            step = as_step(record, direction, walk)
            walk.anatomy = Anatomy(**{field.name: int(record["anatomy"][field.name]) for field in fields(Anatomy)})
            tried = from_ranges(record["tried"], walk.n_features)
        except (JournalError, KeyError, TypeError, ValueError, OverflowError) as error:
            raise tape.misfit(record, f"must hold a step, got: {str(error).rstrip('.')}") from None
        assert self._tried is not None  # nosec B101 # only tells the type
        walk.tried[tried] = self._tried[tried] = True
        self._journal.seconds = float(record["seconds"])
        tape.advance()
        self._restore_in_turn()
        return step

    def _compare(self, step: Step | None, direction: Direction, size: int, n_taken: int, walk: Walk) -> None:
        """Raise unless the step that was found again is the one on record."""
        tape = self._journal.tape
        assert tape is not None and tape.here is not None  # nosec B101 # only tells the type
        found = as_fields(step) | {"anatomy": walk.anatomy.to_dict(), "tried": self._newly_tried()}
        tape.require(tape.here, kind="step", direction=direction.label, size=size, taken=n_taken, **found)
        self._journal.seconds = float(tape.here["seconds"])
        tape.advance()
        self._restore_in_turn()
