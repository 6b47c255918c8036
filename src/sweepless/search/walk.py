"""The current subset of a search and the subsets that it has found."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from sweepless._typing import Features, Mask, Values
from sweepless.criteria.base import Cursor, checked_value, shown
from sweepless.direction import Direction
from sweepless.errors import CriterionError
from sweepless.search.archive import Archive, Record
from sweepless.search.events import Anatomy, TracedStep
from sweepless.search.ledger import Clock, Ledger
from sweepless.search.racing import FEWEST, Heat, Race
from sweepless.search.racing_samples import SampleRace
from sweepless.search.route import Mark
from sweepless.search.step import Batch, Step
from sweepless.search.stop import Limits, StopReason, StopSearch

_CELLS = 1 << 21  # numbers of candidate columns that second values may hold in memory at a time


class Walk:
    """The current subset, the archive of the best subset of every size, and the trace of the steps taken.

    Parameters
    ----------
    cursor : Cursor
        Computes the values.
    limits : Limits, optional
    clock : Clock, optional
    pause : callable
        Called with the walk from time to time during long batches.
    takes_first : bool
        Whether the first of several equally good candidates wins, even where the cursor has second values.
    races : bool
        Whether candidates are valued only as far as it takes to know the best, where the cursor can estimate values.
    """

    def __init__(
        self,
        cursor: Cursor,
        limits: Limits | None = None,
        clock: Clock | None = None,
        pause: Callable[[Walk], None] = lambda walk: None,
        *,
        takes_first: bool = False,
        races: bool = False,
    ) -> None:
        self.cursor = cursor
        self._races: dict[Direction, Race | SampleRace] = {}
        if races and cursor.rungs:
            by_folds = Race(len(cursor.rungs) - 1)
            self._races = {one: SampleRace() if cursor.compares else by_folds for one in Direction}
        self._takes_first = takes_first
        self._second: Cursor | None = None  # bound at the first tie
        self.n_features = cursor.n_features
        self._pause = pause
        clock = clock or Clock()
        clock.n_at_once = cursor.n_at_once
        self.ledger = Ledger(limits or Limits(), clock, self.pause)
        self.archive = Archive()
        self.trace: list[TracedStep] = []
        self.tried = np.zeros(self.n_features, dtype=np.bool_)  # candidates of steps and members of probes
        self.best_probe: Record | None = None
        self._stand(Mark(np.empty(0, dtype=np.intp), -np.inf))

    @property
    def members(self) -> Mask:
        return self.cursor.members

    @property
    def anatomy(self) -> Anatomy:
        return self.ledger.anatomy

    @property
    def seconds(self) -> float:
        return self.ledger.clock.seconds

    def pause(self) -> None:
        """Give listeners a turn during a long step or a warm-up."""
        self._pause(self)

    # Valuing

    def evaluate(self, direction: Direction, candidates: Features) -> Batch:
        """Value the neighbors given by `candidates`, which are features or tuples of features."""
        changed = candidates.reshape(len(candidates), -1)
        batch = Batch(direction, self.members.copy(), changed, np.empty(len(candidates)))
        if direction in self._races and len(candidates) >= FEWEST:
            return self._raced(batch, candidates, self._races[direction])
        size = self.size + direction.sign * changed.shape[1]

        def compute(part: slice) -> Values:
            return self._finite(batch, part, self.cursor.peek(direction, candidates[part]))

        n_valued = 0
        try:
            for part in self.ledger.pay(
                direction.label, batch.values, compute, lambda part: size * (part.stop - part.start)
            ):
                self.tried[changed[part]] = True
                n_valued = part.stop
        except (StopSearch, KeyboardInterrupt):
            # The evaluations of a step that is cut short are not lost: its best subset is recorded.
            if n_valued:
                best = Batch(direction, batch.common, changed[:n_valued], batch.values[:n_valued]).best()
                self._record(batch.subset(best.features), best.value)
            raise
        return batch

    def _raced(self, batch: Batch, candidates: Features, race: Race | SampleRace) -> Batch:
        """Value the neighbors that may be the best; those that cannot be keep what their estimates predict."""
        heat = Heat([tuple(features) for features in batch.changed.tolist()], self.cursor.rungs)
        size = self.size + batch.direction.sign * batch.changed.shape[1]

        def subsets(places: Features) -> list[Features]:
            return [batch.subset(batch.changed[place]) for place in places]

        def look(rung: int, places: Features) -> None:
            found = np.empty(len(places))

            def compute(part: slice) -> Values:
                if rung == heat.last:
                    values = self.cursor.peek(batch.direction, candidates[places[part]])
                    return self._finite(batch, places[part], values)
                return self.cursor.glimpse(subsets(places[part]), rung)

            account = batch.direction.label if rung == 0 else None  # who has begun is paid for
            for part in self.ledger.pay(account, found, compute, lambda part: size * (part.stop - part.start)):
                heat.note(rung, places[part], found[part])
                self.tried[batch.changed[places[part]]] = True

        def compare(rung: int, places: Features, rivals: Features, n_errors: float) -> Values:
            found, against = np.empty(len(places)), subsets(rivals)
            self.ledger.ask(found, lambda part: self.cursor.compare(subsets(places[part]), rung, against, n_errors))
            return found

        try:
            values = race(heat, look, compare)
        except (StopSearch, KeyboardInterrupt):
            if (leader := heat.leader) >= 0:  # valued anew, because the race is over
                self._record(members := batch.subset(batch.changed[leader]), self.cursor.evaluate(members))
            raise
        finally:
            self.anatomy.spared += heat.spared
        return replace(batch, values=values)

    def best(self, batch: Batch) -> Step:
        """Return the best of a batch; second values, if the criterion has some, decide between equals."""
        return batch.best(None if self._takes_first or self.cursor.second is None else self._second_values)

    def _second_values(self, direction: Direction, candidates: Features) -> Values:
        if self._second is None:
            assert self.cursor.second is not None  # nosec B101 # for the type checker
            self._second = self.cursor.second()
        length = max(1, _CELLS // self.cursor.data.n_samples)
        parts = (candidates[start : start + length] for start in range(0, len(candidates), length))
        return np.concatenate([self.screen(self._second, direction, part) for part in parts])

    def probe(self, subsets: list[Features], account: str, until: float | None = None) -> Values:
        """Value arbitrary subsets in order, counted but not recorded; skip the rest from `until` seconds on."""
        values = np.empty(len(subsets))

        def compute(part: slice) -> Values:
            return self._checked(self.cursor.evaluate_many(subsets[part]), subsets[part])

        stop = 0
        for part in self.ledger.pay(account, values, compute, lambda part: sum(map(len, subsets[part])), until):
            stop = part.stop
            if account == "start":  # a start is not a candidate
                continue
            for members in subsets[part]:
                self.tried[members] = True
            self._remember(values[part], subsets[part])
        return values[:stop]

    def singles(self) -> Values:
        """Value every single feature, counted as ranking but not recorded; the walk must be at the empty subset."""
        features = np.arange(self.n_features)
        values = np.empty(self.n_features)

        def compute(part: slice) -> Values:
            return self._checked(self.cursor.peek(Direction.ADD, features[part]), features[part, None])

        for part in self.ledger.pay("ranking", values, compute, lambda part: part.stop - part.start):
            self.tried[part] = True
            self._remember(values[part], features[part, None])
        return values

    def screen(self, filter_cursor: Cursor, direction: Direction, candidates: Features) -> Values:
        """Value neighbors by an auxiliary criterion, counted apart from the evaluations of J."""
        filter_cursor.jump(np.flatnonzero(self.members))
        self.anatomy.filter += len(candidates)
        values = filter_cursor.peek(direction, candidates)
        if not np.isfinite(values).all():
            raise CriterionError("an auxiliary criterion must return finite numbers, got NaN or infinity.")
        return values

    def begin(self, members: Features, *, valued: bool) -> None:
        """Move to a starting subset; value and record it if `valued`."""
        self.cursor.jump(members)
        value = -np.inf
        if valued and len(members):
            value = float(self.probe([members], "start")[0])
            self._record(members, value)
        self._stand(Mark(members, value))

    def _finite(self, batch: Batch, part: slice | Features, values: Values) -> Values:
        good = np.isfinite(values)
        if not good.all():
            position = int(np.argmin(good))
            members = batch.subset(batch.changed[part][position])
            raise CriterionError(
                f"the criterion must return a finite number, got {values[position]} for "
                f"{shown(members, self.cursor.names)}."
            )
        return values

    def _checked(self, values: Values, subsets: list[Features] | Features) -> Values:
        for value, members in zip(values, subsets):
            checked_value(value, members, self.cursor.names)
        return values

    def _remember(self, values: Values, subsets: list[Features] | Features) -> None:
        """Keep the best of the last probes, in case the run is stopped before its first step."""
        best = int(np.argmax(values))
        if self.best_probe is not None and values[best] <= self.best_probe.value:
            return
        later = subsets[best + 1 :]
        n_before, sizes_before = self.anatomy.total - len(later), self.anatomy.sizes - sum(map(len, later))
        members = subsets[best].copy()
        self.best_probe = Record(len(members), float(values[best]), members, n_before, sizes_before)

    # Moving

    def take(self, step: Step | None) -> TracedStep:
        """Move to where the step leads, record it and trace it."""
        if step is None:
            raise StopSearch(StopReason.COMPLETED)
        self.cursor.move(step.direction, step.features)
        self._stand(Mark(step.direction.moved(self._here.features, step.features), step.value))
        self._record(self._here.features, step.value)
        return self._traced(step.direction.label, step.features, step.n_proposed, step.position, step.n_tied)

    def improves(self, step: Step | None) -> bool:
        """Return whether the step would strictly beat the best value ever recorded at its size."""
        if step is None:
            return False
        return step.value > self.archive.value(self._size_after(step))

    def has_record(self, step: Step | None) -> bool:
        """Return whether there is a record of the size that the step leads to."""
        return step is not None and self._size_after(step) in self.archive

    def mark(self) -> Mark:
        """Return the current subset as a place to return to."""
        return self._here

    def return_to(self, mark: Mark) -> None:
        """Return to a marked place."""
        if mark is not self._here:
            self.cursor.jump(mark.features)
            self._stand(mark)

    def recall(self, size: int) -> TracedStep:
        """Return to the best recorded subset of a size."""
        record = self.archive.get(size)
        if record is None:
            raise StopSearch(StopReason.COMPLETED)
        self.return_to(Mark(record.features, record.value))
        return self._traced("recall", record.features, 0, -1, 1)

    def _stand(self, here: Mark) -> None:
        self._here = here
        self.size = len(here.features)
        self.value = here.value

    def _size_after(self, step: Step) -> int:
        return self.size + step.direction.sign * len(step.features)

    def _record(self, members: Features, value: float) -> None:
        self.archive.add(Record(len(members), value, members, self.anatomy.total, self.anatomy.sizes))

    def _traced(self, direction: str, features: Features, n_proposed: int, position: int, n_tied: int) -> TracedStep:
        paid = self.anatomy
        counts = n_proposed, position, paid.total, paid.forward, paid.backward, n_tied
        traced = TracedStep(direction, self.size, features, self.value, *counts)
        self.trace.append(traced)
        return traced
