"""The state of one run, and the only till where evaluations are paid."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

import numpy as np

from sweepless._typing import Features, Mask, Values
from sweepless.criteria.base import Cursor, checked_value, shown
from sweepless.direction import Direction
from sweepless.errors import CriterionError
from sweepless.search.archive import Archive, Record
from sweepless.search.marks import Mark as Mark
from sweepless.search.marks import Progress as Progress
from sweepless.search.recorder import ParkedCursor, Recorder, Unrecorded
from sweepless.search.step import Batch, Step
from sweepless.search.stop import Limits, StopReason, StopSearch
from sweepless.search.trace import Anatomy, TracedStep

_PAUSE = 0.1  # seconds of evaluation between two looks at the clock
_PAUSE_OF_MANY = 0.5  # calling several workers, of a cluster even more, takes time itself


class Walk:
    """Where a search stands, what it has found and what it has paid."""

    def __init__(
        self,
        cursor: Cursor,
        limits: Limits | None = None,
        callbacks: tuple[Callable[[Progress], None], ...] = (),
        started: float | None = None,
        recorder: Recorder | None = None,
    ) -> None:
        self.cursor = cursor if recorder is None else ParkedCursor(cursor)
        self.recorder = recorder or Unrecorded()
        self.limits = limits or Limits()
        self.callbacks = callbacks
        self.n_features = cursor.n_features
        self._stand(Mark(np.empty(0, dtype=np.intp), -np.inf))
        self.archive = Archive()
        self.trace: list[TracedStep] = []
        self.anatomy = Anatomy()
        self.tried = np.zeros(self.n_features, dtype=np.bool_)  # candidates of steps and members of probes
        self.best_probe: Record | None = None
        self._n_idle = 0  # steps since the last new best that counts
        self._bar = -np.inf  # its value
        self._started = time.monotonic() if started is None else started
        self._block = cursor.n_at_once
        self.valued_at = 0.0  # seconds of the run when the last values were there: the same when they are told again

    @property
    def members(self) -> Mask:
        return self.cursor.members

    @property
    def seconds(self) -> float:
        if isinstance(self.cursor, ParkedCursor) and self.recorder.seconds is not None:
            return self.recorder.seconds
        return time.monotonic() - self._started

    # Paying

    def evaluate(self, direction: Direction, candidates: Features) -> Batch:
        """Value every neighbour named by `candidates`, features or tuples of them, and count."""
        changed = candidates.reshape(len(candidates), -1)
        size = self.size + direction.sign * changed.shape[1]
        values = np.empty(len(candidates))
        batch = Batch(direction, self.members.copy(), changed, values)
        n_valued = 0
        self.recorder.asked(direction.label, changed)
        try:
            for start, stop in self._valued(values, lambda a, b: self.cursor.peek(direction, candidates[a:b])):
                self.anatomy.pay(direction.label, stop - start, size)
                self._refuse_nonfinite(batch, start, stop)
                self.tried[changed[start:stop]] = True
                n_valued = stop
        except (StopSearch, KeyboardInterrupt):
            # What was valued of a step cut short is not lost: its best subset is kept on record.
            if n_valued:
                best = Batch(direction, batch.common, changed[:n_valued], values[:n_valued]).best()
                self._record(np.flatnonzero(direction.applied(batch.common, best.features)), best.value)
            raise
        return batch

    def probe(self, subsets: list[Features], account: str, until: float | None = None) -> Values:
        """Value subsets anywhere, in order; counted, not recorded. From `until` seconds on, leave out the rest."""
        values = np.empty(len(subsets))
        stop = 0
        self.recorder.asked(account, subsets)
        for start, stop in self._valued(values, lambda a, b: self.cursor.evaluate_many(subsets[a:b]), until):
            for k in range(start, stop):
                checked_value(values[k], subsets[k], self.cursor.names)
                self.anatomy.pay(account, 1, len(subsets[k]))
                if account != "start":  # nobody chose among starts
                    self.tried[subsets[k]] = True
                    self._remember(subsets[k], values[k])
        return values[:stop]

    def singles(self) -> Values:
        """Value every single feature; counted as ranking, not recorded. The walk must stand at nothing."""
        features = np.arange(self.n_features)
        values = np.empty(self.n_features)
        self.recorder.asked("ranking", features)
        for start, stop in self._valued(values, lambda a, b: self.cursor.peek(Direction.ADD, features[a:b])):
            self.anatomy.pay("ranking", stop - start, 1)
            for k in range(start, stop):
                checked_value(values[k], features[k : k + 1], self.cursor.names)
            self.tried[start:stop] = True
            best = start + int(np.argmax(values[start:stop]))
            self._remember(features[best : best + 1], values[best])
        return values

    def _remember(self, members: Features, value: float) -> None:
        """Keep the best probe: all that a run stopped before its first step has to show."""
        if self.best_probe is None or value > self.best_probe.value:
            self.best_probe = Record(len(members), float(value), members.copy(), self.anatomy.total, self.anatomy.sizes)

    def screen(self, filter_cursor: Cursor, direction: Direction, candidates: Features) -> Values:
        """Value neighbours by an auxiliary criterion, which is booked apart."""
        filter_cursor.jump(np.flatnonzero(self.members))
        self.anatomy.filter += len(candidates)
        values = filter_cursor.peek(direction, candidates)
        if not np.isfinite(values).all():
            raise CriterionError("the filter criterion must return finite numbers, got another value.")
        return values

    def begin(self, members: Features, *, valued: bool) -> None:
        """Stand at a starting subset; value and record it if asked."""
        self.cursor.jump(members)
        value = -np.inf
        if valued and len(members):
            value = float(self.probe([members], "start")[0])
            self._record(members, value)
        self._stand(Mark(members, value))

    def _valued(
        self, values: Values, compute: Callable[[int, int], Values], until: float | None = None
    ) -> Iterator[tuple[int, int]]:
        """Fill in the values block by block, as they are on record or else computed; they do not depend on the cut.

        So that limits and callbacks get a look every now and then. Who asked books and checks each block before
        it is kept.
        """
        start, limits = 0, self.limits
        while start < len(values):
            most = len(values) - start
            if limits.max_evaluations is not None:
                most = min(most, limits.max_evaluations - self.anatomy.total)
            if most <= 0:
                raise StopSearch(StopReason.EVALUATIONS)
            told = self.recorder.told(most)
            if told is None:
                self._catch_up()
                # One evaluation is always granted: there must be something to show even if compiling took the time.
                if limits.max_seconds is not None and self.anatomy.total and self.seconds >= limits.max_seconds:
                    raise StopSearch(StopReason.SECONDS)
                block = self._computed(compute, start, min(most, self._block))
            else:
                block = told
            stop = start + len(block)
            values[start:stop] = block
            yield start, stop
            self.valued_at = self.seconds
            if told is None:
                self.recorder.keep(values[start:stop], self.valued_at)
            if until is not None and self.valued_at >= until:
                return
            start = stop
            if start < len(values):
                self.report()

    def _computed(self, compute: Callable[[int, int], Values], start: int, count: int) -> Values:
        began = time.monotonic()
        block = compute(start, start + count)
        pause = _PAUSE if self.cursor.n_at_once == 1 else _PAUSE_OF_MANY
        pace = min(8.0, pause / max(time.monotonic() - began, 1e-9))
        self._block = max(int(count * pace), self.cursor.n_at_once)
        return block

    def _catch_up(self) -> None:
        """From here on values are computed: let the cursor and the clock follow to where the record ends."""
        if isinstance(self.cursor, ParkedCursor):
            if self.recorder.seconds is not None:
                self._started = time.monotonic() - self.recorder.seconds
            self.cursor = self.cursor.caught_up()

    def _refuse_nonfinite(self, batch: Batch, start: int, stop: int) -> None:
        good = np.isfinite(batch.values[start:stop])
        if not good.all():
            position = start + int(np.argmin(good))
            members = np.flatnonzero(batch.direction.applied(batch.common, batch.changed[position]))
            raise CriterionError(
                f"the criterion must return a finite number, got {batch.values[position]} for "
                f"{shown(members, self.cursor.names)}."
            )

    # Moving

    def take(self, step: Step | None) -> TracedStep:
        """Move to where the step leads, record it and trace it."""
        if step is None:
            raise StopSearch(StopReason.COMPLETED)
        self.cursor.move(step.direction, step.features)
        self._stand(Mark(step.direction.moved(self._here.features, step.features), step.value))
        is_best = self._record(self._here.features, step.value)
        if is_best and step.value - self._bar >= self.limits.tol:
            self._n_idle, self._bar = 0, step.value
        else:
            self._n_idle += 1
        return self._traced(step.direction.label, step.features, step.n_proposed, step.position)

    def improves(self, step: Step | None) -> bool:
        """Tell whether the step would strictly beat the best value ever recorded at its size."""
        if step is None:
            return False
        return step.value > self.archive.value(self._size_after(step))

    def has_record(self, step: Step | None) -> bool:
        """Tell whether a subset of the size the step leads to is on record."""
        return step is not None and self._size_after(step) in self.archive

    def mark(self) -> Mark:
        """Remember this place."""
        return self._here

    def return_to(self, mark: Mark) -> None:
        if mark is not self._here:
            self.cursor.jump(mark.features)
            self._stand(mark)

    def recall(self, size: int) -> TracedStep:
        """Drop the working subset and take up the recorded best of a size."""
        record = self.archive.get(size)
        if record is None:
            raise StopSearch(StopReason.COMPLETED)
        self.return_to(Mark(record.features, record.value))
        return self._traced("recall", record.features, 0, -1)

    def _stand(self, here: Mark) -> None:
        self._here = here
        self.size = len(here.features)
        self.value = here.value

    def _size_after(self, step: Step) -> int:
        return self.size + step.direction.sign * len(step.features)

    def _record(self, members: Features, value: float) -> bool:
        return self.archive.add(Record(len(members), value, members, self.anatomy.total, self.anatomy.sizes))

    def _traced(self, direction: str, features: Features, n_proposed: int, position: int) -> TracedStep:
        anatomy = self.anatomy
        traced = TracedStep(
            direction,
            self.size,
            features,
            self.value,
            n_proposed,
            position,
            anatomy.total,
            anatomy.forward,
            anatomy.backward,
        )
        self.trace.append(traced)
        return traced

    # Between steps

    def check(self, step: TracedStep) -> None:
        """Tell the callbacks, then stop if a limit says so."""
        self.report(step)
        limits = self.limits
        reached = step.direction == Direction.ADD.label and step.size >= (limits.max_size or np.inf)
        if reached:
            raise StopSearch(StopReason.FRONTIER)
        if limits.patience is not None and self._n_idle >= limits.patience:
            raise StopSearch(StopReason.PATIENCE)

    def report(self, step: TracedStep | None = None) -> None:
        if not self.callbacks:
            return
        best = self.archive.best
        progress = Progress(
            self.size,
            0 if best is None else best.size,
            -np.inf if best is None else best.value,
            self.anatomy.total,
            self.seconds,
            step,
        )
        for callback in self.callbacks:
            callback(progress)
