"""Operators that keep what they find; of a run on record, they tell it again instead of finding it."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from operator import itemgetter
from typing import TYPE_CHECKING

import numpy as np

from sweepless._typing import Features, Mask
from sweepless.direction import Direction
from sweepless.errors import JournalError
from sweepless.journal.encoding import as_ranges, from_ranges, packed, packed_numbers, unpacked, unpacked_numbers
from sweepless.journal.lines import Record
from sweepless.journal.snapshots import Snapshots
from sweepless.journal.step_record import as_fields, as_step, as_text
from sweepless.search.operators import Operators
from sweepless.search.sampled import SampledStep
from sweepless.search.step import Batch, Step, StepOperator
from sweepless.search.trace import Anatomy
from sweepless.search.walk import Walk

if TYPE_CHECKING:
    from sweepless.journal.journal import Journal

_BOOKED = itemgetter(*vars(Anatomy()))
_NOTHING: Features = np.empty(0, dtype=np.intp)


@dataclass(frozen=True)
class JournalledStep:
    """One of the two operators."""

    operator: StepOperator[Walk]
    steps: JournalledSteps

    @property
    def direction(self) -> Direction:
        return self.operator.direction

    def __call__(self, walk: Walk, tuple_size: int | None = None) -> Step | None:
        return self.steps.find(self.operator, walk, tuple_size)


class JournalledSteps:
    """What both operators share: where the record stands.

    Steps that depend only on where the search stands are told from the record. Steps that learn are told up to the
    last snapshot, which holds all that was learned; those after it are learned from again: from the candidates and
    values on record, or, if they are not sampled steps, when they are found again. All of them are found
    again if limits tighter than before may end the run at an earlier step.
    """

    def __init__(self, journal: Journal, operators: Operators) -> None:
        self._journal = journal
        self._parts = operators
        self.learns = operators.learns
        self._samples = type(operators.add) is type(operators.remove) is SampledStep
        self._snapshots = Snapshots(journal, operators.statistics, operators.rng)
        self._told_to = self._learned_to = 0  # the last records of steps that are told, and that are learned from
        if tape := journal.tape:
            if not (operators.learns and journal.is_tighter):
                self._told_to = tape.number_of_last("snapshot" if operators.learns else "step")
            if self._samples:
                self._learned_to = tape.number_of_last("step")
        self._is_at = True  # whether the generator stands where it stood after the last step
        self._tried: Mask | None = None  # up to the last whole step

    def operators(self) -> Operators:
        parts = self._parts
        return replace(parts, add=JournalledStep(parts.add, self), remove=JournalledStep(parts.remove, self))

    @property
    def is_telling(self) -> bool:
        """Whether the next step is told, not found or learned from."""
        here = self._journal.here
        return here is not None and here["n"] <= self._told_to

    def find(self, operator: StepOperator[Walk], walk: Walk, tuple_size: int | None) -> Step | None:
        if self._tried is None:
            self._tried = walk.tried.copy()
            self._journal.write_values()  # of the start, which are of no step: the first may have nothing to try
        here = self._journal.here
        if here is not None and here["n"] <= max(self._told_to, self._learned_to):
            return self._told(here, operator, walk)
        if not self._is_at and self._parts.rng is not None:
            self._parts.rng.seek(self._snapshots.position)
            self._is_at = True
        size, n_taken = walk.size, len(walk.trace)
        began = time.perf_counter()
        step = operator(walk, tuple_size)
        if self.learns:
            seconds = time.perf_counter() - max(began, self._journal.kept_at)
            self._snapshots.learned(seconds, 0 if self._parts.rng is None else self._parts.rng.position)
        if self._journal.here is None:
            self._keep(step, operator.direction, size, n_taken, walk)
        else:
            self._compare(step, operator.direction, size, n_taken, walk)
        return step

    # Keeping

    def _keep(self, step: Step | None, direction: Direction, size: int, n_taken: int, walk: Walk) -> None:
        values, seconds = self._journal.pending.taken_values(), walk.seconds
        anatomy = ",".join([f'"{name}":{count}' for name, count in walk.anatomy.to_dict().items()])
        if self._samples:
            candidates = self._candidates()
            self._tried[candidates] = True  # type: ignore[index]
            asked = f'"","candidates":"{packed_numbers(candidates)}","rng":{self._snapshots.position}'
        else:
            asked = f'"{self._newly_tried()}","of":"{self._journal.of}"'
        self._journal.write(
            "step",
            f'"direction":"{direction.label}","size":{size},"taken":{n_taken},{as_text(step)},"anatomy":{{{anatomy}}},'
            f'"tried":{asked},"values":"{packed(values) if self.learns else ""}","seconds":{seconds!r}',
            seconds,
        )
        if self.learns:
            self._snapshots.take_in_turn(seconds, self._tried)  # type: ignore[arg-type]

    def rest(self, walk: Walk) -> None:
        """Take a last snapshot, so that a run that came to an end is told at once when it goes on."""
        if self.learns and self._tried is not None:
            self._snapshots.rest(walk.seconds, self._tried)

    def _candidates(self) -> Features:
        """Return what the last step asked for, nothing if there was no legal step."""
        candidates = self._journal.pending.taken_candidates()
        return candidates[0] if candidates else _NOTHING

    def _newly_tried(self) -> str:
        assert self._tried is not None  # nosec B101 # only tells the type
        new = [candidates[~self._tried[candidates]] for candidates in self._journal.pending.taken_candidates()]
        if not any(map(len, new)):
            return ""
        features = np.unique(np.concatenate(new))
        self._tried[features] = True
        return as_ranges(features)

    # Telling

    def _told(self, here: Record, operator: StepOperator[Walk], walk: Walk) -> Step | None:
        """Return a step on record, book what it cost and, after the last snapshot, learn from it."""
        tape, direction, parts = self._journal.tape, operator.direction, []
        assert tape is not None  # nosec B101 # only tells the type
        is_learned = here["n"] > self._told_to
        record: Record | None = here
        while record is not None and record["kind"] == "values":
            parts.append(record["values"])
            tape.advance()
            record = tape.here
        if record is None or record["kind"] != "step":
            raise JournalError(f"the journal {tape.path} must hold a step before its snapshot, got none.")
        tape.require(record, direction=direction.label, size=walk.size, taken=len(walk.trace))
        try:
            step = as_step(record, direction, walk)
            booked = _BOOKED(record["anatomy"])
            if set(map(type, booked)) != {int}:
                raise ValueError(f"anatomy {record['anatomy']}")
            tried = _NOTHING
            if record.get("candidates"):
                tried = unpacked_numbers(record["candidates"], walk.n_features)
            elif record["tried"]:
                tried = from_ranges(record["tried"], walk.n_features)
            if is_learned:
                self._learn(record, [*parts, record["values"]], tried, step, operator, walk)
        except (JournalError, KeyError, TypeError, ValueError, OverflowError) as error:
            raise tape.misfit(record, f"must hold a step, got: {str(error).rstrip('.')}") from None
        walk.anatomy = Anatomy(*booked)
        if len(tried):
            walk.tried[tried] = self._tried[tried] = True  # type: ignore[index]
        self._journal.seconds = float(record["seconds"])
        tape.advance()
        self._restore_in_turn(walk)
        return step

    def _learn(
        self,
        record: Record,
        texts: list[str],
        changed: Features,
        step: Step | None,
        operator: StepOperator[Walk],
        walk: Walk,
    ) -> None:
        """Learn from a step again, as it was when its candidates had been valued."""
        assert isinstance(operator, SampledStep)  # nosec B101 # only tells the type
        if not isinstance(record.get("rng"), int) or record["rng"] < 0:
            raise ValueError(f"rng {record.get('rng')}")
        began = time.perf_counter()
        if step is not None:
            values = np.concatenate([unpacked(text) for text in texts])
            changed = changed.reshape(-1, len(step.features))
            if not len(values) == len(changed) == step.n_proposed or not np.isfinite(values).all():
                raise ValueError(f"{len(values)} values of {len(changed)} candidates")
            if np.any(walk.members[changed] == operator.direction.adds):
                raise ValueError("candidates that cannot be")
            batch = Batch(operator.direction, walk.members.copy(), changed, values)
            if (best := batch.best()).value != step.value or best.features.tolist() != step.features.tolist():
                raise ValueError(f"features {step.features.tolist()}, which are not the best")
            operator.statistics.learn(batch)
        self._snapshots.learned(time.perf_counter() - began, record["rng"])
        self._is_at = False

    def _restore_in_turn(self, walk: Walk) -> None:
        """Take up the last snapshot if it comes next, pass over those before."""
        tape = self._journal.tape
        while tape is not None and tape.here is not None and tape.here["kind"] == "snapshot":
            if tape.here["n"] == self._told_to:
                tried = self._snapshots.restore(tape.here, walk.n_features)
                walk.tried |= tried
                self._tried |= tried  # type: ignore[operator]
                self._is_at = True
            else:
                self._snapshots.pass_over(tape.here)
            tape.advance()

    def _compare(self, step: Step | None, direction: Direction, size: int, n_taken: int, walk: Walk) -> None:
        """Raise unless the step that was found again is the one on record."""
        tape = self._journal.tape
        assert tape is not None and tape.here is not None  # nosec B101 # only tells the type
        found = as_fields(step) | {"anatomy": walk.anatomy.to_dict()}
        if tape.here.get("candidates") is None:
            found["tried"] = self._newly_tried()
        else:
            found["candidates"] = packed_numbers(self._candidates())
        tape.require(tape.here, kind="step", direction=direction.label, size=size, taken=n_taken, **found)
        self._journal.seconds = float(tape.here["seconds"])
        tape.advance()
        self._restore_in_turn(walk)
