"""A recorded run: a cursor that returns recorded values while there are any, its clock, and a listener for events.

A search is a function of its settings, of the values of the criterion and of the clock. A run that gets the recorded
values at the recorded times therefore takes the recorded steps again, and then goes on as if it had never stopped.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from types import TracebackType
from typing import Any
from zlib import crc32

import msgspec
import numpy as np
from msgspec import Struct

from sweepless._typing import Features, Mask, Values
from sweepless.criteria.base import Cursor
from sweepless.direction import Direction
from sweepless.journal.lines import Record
from sweepless.journal.replay import Replay, as_bytes, packed
from sweepless.journal.writer import Writer
from sweepless.schema.journal import EndRecord, Resumed, StepRecord, ValuesRecord
from sweepless.search.events import Progress
from sweepless.search.ledger import Clock
from sweepless.search.result import Result

# The values of an unfinished step are written every second, or less often if there are so many that computing them
# again is cheaper than writing them.
_PAUSE, _PAUSE_PER_VALUE = 1.0, 1e-5


class Recording:
    """The parts that a journal attaches to a search.

    Parameters
    ----------
    writer : Writer
        Appends to the file.
    replay : Replay, optional
        The recorded values and events.
    resumption : Resumed, optional
        New limits of a resumed run, written before the next record.
    last_end : str, optional
        How the run ended according to its last record.
    """

    def __init__(
        self, writer: Writer, replay: Replay | None, resumption: Resumed | None = None, last_end: str | None = None
    ) -> None:
        self._writer, self.replay, self._resumption, self._last_end = writer, replay, resumption, last_end
        self.clock = RecordedClock(self)
        self._n_evaluations = 0  # those of the run so far
        self._phase = ""
        self._new: tuple[Features, Values] | None = None  # just computed and not checked yet
        # What is not in the file yet; subsets and values go in together, so that Ctrl-C cannot part them.
        self._pending: list[tuple[Features, Values]] = []
        self._written = 0.0  # when the last record was written, in seconds of the run

    def __enter__(self) -> Recording:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Close the file, however the run ended."""
        is_empty = self.replay is None and self._writer.n_records <= 1
        self._writer.close()
        if is_empty:  # the run failed before it began, so there is nothing to resume
            self._writer.path.unlink(missing_ok=True)

    @property
    def n_left(self) -> int:
        """How many recorded values can be returned at once; 0 if the next ones must be computed."""
        return 0 if self.replay is None else self.replay.n_left

    # Values

    def valued(self, phase: str, count: int, features: Features, compute: Callable[[], Values]) -> Values:
        """Return the recorded values of some subsets, or compute them if there are none."""
        # Probes may end at a time limit, so each ration of them has a record with its own time.
        if PROBES in (phase, self._phase):
            self._write_values()
        self._phase = phase
        if self.replay is not None and self.n_left:
            return self.replay.next(count, features)
        values = compute()
        self._new = features.copy(), values.copy()
        return values

    def passed(self, n_paid: int, *, is_new: bool, seconds: float) -> None:
        """Keep the values that were just checked, to be written later."""
        self._n_evaluations += n_paid
        if not is_new:
            assert self.replay is not None  # nosec B101 # only narrows the type
            self.replay.passed()
            return
        assert self._new is not None  # nosec B101 # only narrows the type
        self._pending.append(self._new)
        n_pending = sum(len(values) for _, values in self._pending)
        if seconds - self._written >= max(_PAUSE, _PAUSE_PER_VALUE * n_pending):
            self._write_values()

    # Events

    def listen(self, progress: Progress) -> None:
        """Write an event, or compare it with the recorded one."""
        step = progress.step
        if step is None:
            if self._pending and self._phase == PROBES:  # the value of a starting subset, with its size
                self._append("values", ValuesRecord(**_standing(progress), **self._taken_values()))
            return
        led: Record = {"direction": step.direction, "features": tuple(step.features.tolist()), "value": step.value}
        if self.replay is not None and self.replay.events:
            self._compare(*self.replay.events.popleft(), {**_standing(progress), **led})
        elif not self.n_left:
            self._append("step", StepRecord(**_standing(progress), **led, **self._taken_values()))

    def end(self, result: Result) -> None:
        """Write how the run ended, unless new limits ended it before the end of its record."""
        is_old = not self._pending and self._last_end == result.stop_reason.value
        if self.n_left or (self.replay is not None and self.replay.events) or is_old:
            return
        best = max(result.archive.values(), key=lambda record: (record.value, -record.size), default=None)
        self._write_values()
        end = EndRecord(
            reason=result.stop_reason.value,
            size=result.trace[-1].size if result.trace else None,
            n_evaluations=result.n_evaluations,
            best_size=None if best is None else best.size,
            best_value=None if best is None else best.value,
            seconds=result.seconds,
        )
        self._append("end", end)

    def _compare(self, number: int, recorded: StepRecord, event: Record) -> None:
        assert self.replay is not None  # nosec B101 # only narrows the type
        for name, value in event.items():
            if getattr(recorded, name) != value:
                got = str(getattr(recorded, name))[:60]
                raise self.replay.misfit(number, f"must have {name} {value}, got {got}")

    # The file

    def _write_values(self) -> None:
        if self._pending:
            self._append("values", ValuesRecord(n_evaluations=self._n_evaluations, **self._taken_values()))

    def _taken_values(self) -> Record:
        """Return the values that are not in the file yet, as fields of the next record."""
        pending, self._pending = self._pending, []
        checksum = 0
        for features, _ in pending:
            checksum = crc32(as_bytes(features), checksum)
        values = np.concatenate([np.empty(0), *(values for _, values in pending)])
        self._written = self.clock.seconds
        return {"phase": self._phase, "of": f"{checksum:08x}", "values": packed(values), "seconds": self._written}

    def _append(self, kind: str, record: Struct) -> None:
        if self._resumption is not None:
            self._writer.append("resumed", msgspec.to_builtins(self._resumption))
            self._resumption = None
        self._last_end = None
        self._writer.append(kind, msgspec.to_builtins(record))


def _standing(progress: Progress) -> Record:
    has_best = progress.best_size > 0
    return {
        "size": progress.size,
        "best_size": progress.best_size if has_best else None,
        "best_value": progress.best_value if has_best else None,
        "n_evaluations": progress.n_evaluations,
    }


PROBES = "probes"
"""The phase in which arbitrary subsets are valued. Phases that value neighbors have the label of a direction."""
GLIMPSES = "glimpses"
"""The phase of a race in which values are estimated."""


class RecordedCursor(Cursor):
    """Returns recorded values while there are any; the wrapped cursor moves only after that."""

    takes_missing = True  # the wrapped cursor was checked for that

    def __init__(self, cursor: Cursor, recording: Recording) -> None:
        super().__init__(cursor.data, cursor.n_features)
        self.n_at_once = cursor.n_at_once
        self.second = cursor.second  # not recorded: a resumed search computes what it needs again
        self.rungs, self.compares = cursor.rungs, cursor.compares
        self.members: Mask = cursor.members.copy()
        self._cursor, self._recording = cursor, recording
        self._follows = False  # whether the wrapped cursor is at the same subset

    @property
    def names(self) -> Any:
        return self._cursor.names

    def evaluate(self, members: Features) -> float:
        return self._cursor.evaluate(members)

    def evaluate_many(self, subsets: list[Features]) -> Values:
        features = np.concatenate(subsets)
        return self._recording.valued(PROBES, len(subsets), features, lambda: self._live().evaluate_many(subsets))

    def glimpse(self, subsets: list[Features], rung: int) -> Values:
        features = np.concatenate(subsets)
        return self._recording.valued(GLIMPSES, len(subsets), features, lambda: self._live().glimpse(subsets, rung))

    def compare(self, subsets: list[Features], rung: int, rivals: list[Features], n_errors: float) -> Values:
        def compute() -> Values:
            return self._live().compare(subsets, rung, rivals, n_errors)

        return self._recording.valued(GLIMPSES, len(subsets), np.concatenate(subsets), compute)

    def peek(self, direction: Direction, candidates: Features) -> Values:
        return self._recording.valued(
            direction.label, len(candidates), candidates, lambda: self._live().peek(direction, candidates)
        )

    def individual(self, measure: str) -> Values:
        return self._cursor.individual(measure)

    def move(self, direction: Direction, features: Features | int) -> None:
        if self._follows:
            self._cursor.move(direction, features)
        else:
            self.members[features] = direction.adds

    def jump(self, members: Features) -> None:
        if self._follows:
            self._cursor.jump(members)
        else:
            self.members[:] = False
            self.members[members] = True

    def _live(self) -> Cursor:
        if not self._follows:
            self._cursor.jump(np.flatnonzero(self.members))
            self.members = self._cursor.members
            self._follows = True
        return self._cursor


class RecordedClock(Clock):
    """Shows the time when the last values were computed or recorded, and stands still in between."""

    def __init__(self, recording: Recording) -> None:
        super().__init__()
        self._recording = recording
        self._seconds = 0.0
        self._is_new = False  # whether the current ration is computed
        self._runs = recording.replay is None

    @property
    def seconds(self) -> float:
        return self._seconds

    def ration(self, most: int) -> int:
        n_left = self._recording.n_left
        self._is_new = n_left == 0
        if not self._is_new:
            return min(most, n_left)
        if not self._runs:  # continue from the time of the last record
            self._runs = True
            self._started = time.monotonic() - self._recorded
        return super().ration(most)

    def passed(self, count: int, n_paid: int) -> None:
        if self._is_new:
            super().passed(count, n_paid)
            self._seconds = time.monotonic() - self._started
        self._recording.passed(n_paid, is_new=self._is_new, seconds=self._seconds)
        if not self._is_new:
            self._seconds = self._recorded

    @property
    def _recorded(self) -> float:
        replay = self._recording.replay
        return 0.0 if replay is None else replay.seconds
