"""One run in one file: kept while it goes on, told again when it is resumed."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np

from sweepless._typing import Features, Values
from sweepless.errors import InputError, JournalError
from sweepless.journal.encoding import packed, unpacked
from sweepless.journal.header import header, require_same
from sweepless.journal.limits import as_record, last_limits, tighter
from sweepless.journal.lines import Record, Scan, scan
from sweepless.journal.pending import Pending
from sweepless.journal.replay import Tape
from sweepless.journal.steps import JournalledSteps
from sweepless.journal.writer import Writer
from sweepless.search.operators import Operators
from sweepless.search.recorder import Setup
from sweepless.search.start import starts_by_scores
from sweepless.search.stop import StopReason
from sweepless.search.walk import Walk

# A step under way is kept every second, but not where more values come than are worth the disk: there
# it is sooner done again.
_PAUSE, _PAUSE_PER_VALUE = 1.0, 1e-5


class Journal:
    """A record of one run in a file, from which it can be resumed exactly.

    Parameters
    ----------
    path : str or path
        A new file; or, with `resumes`, one that holds a run, which goes on where its record ends.
    resumes : bool or Scan
        Also what a first reading has found, so that there is no second.
    fsync_every : float
        Seconds between two times that the file is forced to the disk, 0 for every record. A process that is
        killed loses nothing but the evaluations under way, at most about a second of them; a machine that
        fails may also lose what was done in the last `fsync_every` seconds before.
    note : optional
        Anything that JSON can hold, kept in the header.

    Examples
    --------
    >>> from sweepless import Journal, make_madelon, resume, run
    >>> from sweepless.criteria import KNN
    >>> data = make_madelon()
    >>> result = run("sSFFS", KNN(), data, target=10, journal=Journal("run.jsonl"))  # doctest: +SKIP
    >>> result = resume("run.jsonl", KNN(), data)  # after a crash  # doctest: +SKIP
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        resumes: bool | Scan = False,
        fsync_every: float = 1.0,
        note: Any = None,
    ) -> None:
        if not fsync_every >= 0:
            raise InputError(f"`fsync_every` must be a number of seconds of at least 0, got {fsync_every!r}.")
        try:
            json.dumps(note)
        except (TypeError, ValueError):
            raise InputError(f"`note` must be something that JSON can hold, got {note!r}.") from None
        self.path = Path(path)
        self._resumes = bool(resumes)
        self._found = resumes if isinstance(resumes, Scan) else None
        self._fsync_every = fsync_every
        self._note = note
        self.seconds: float | None = None
        self.tape: Tape | None = None
        self.is_tighter = False  # than the limits before
        self.will_restore = False
        self._resumption: Record | None = None  # new limits, to be written before anything else
        self._steps: JournalledSteps | None = None
        self._writer: Writer | None = None
        self._last_kind = ""  # of record that was written
        self._is_kept = False  # whether anything but the header is
        self._is_told = False  # whether there is nothing left to tell
        self._queue: Values = np.empty(0)
        self.pending = Pending()
        self._written = 0.0  # seconds of the run
        self._latest = 0.0  # the same, of the last values
        self._account, self._asked = "", np.empty(0, dtype=np.intp)  # for last: what it is for, and the features
        self.kept_at = 0.0  # when the last values were computed, by the clock of `time.perf_counter`

    # What a run calls

    def begin(self, setup: Setup) -> None:
        """Write the header, or compare it and find out what there is to tell."""
        if not self._resumes:
            fields = header(setup, self._note)
            self._writer = Writer(self.path, self._fsync_every)
            self._writer.append("header", fields)
            self._writer.sync()
            return
        found = scan(self.path) if self._found is None else self._found
        require_same(found.header, setup, self.path)
        self._is_kept = True  # before anything can fail: what was on record stays
        self._writer = Writer(self.path, self._fsync_every, found)
        limits, before = as_record(setup.limits), last_limits(found)
        self.is_tighter = tighter(limits, before)
        snapshot = 0 if self.is_tighter else found.last.get("snapshot", 0)
        self.tape = Tape(self.path, found, snapshot)
        self.will_restore = snapshot > 0 and not starts_by_scores(setup.start, setup.method, setup.goal)
        if limits != before:
            self._resumption = {"limits": limits}

    def asked(self, account: str, subsets: Sequence[Features] | Features) -> None:
        self.write_values()
        self._account = account
        whole = subsets.ravel() if isinstance(subsets, np.ndarray) else np.concatenate(subsets)
        if self._steps is not None:  # candidates, not what is valued before the first step
            self.pending.ask(whole)
        self._asked = whole

    def told(self, most: int) -> Values | None:
        if len(self._queue) == 0:
            record = self.here
            if record is None or self.tape is None:
                self._stop_telling()
                return None
            if record["kind"] == "values":
                self.tape.require(record, account=self._account, of=self.of)
                self.tape.advance()
            else:  # a whole step, which is advanced past when it has been found again
                self.tape.require(record, kind="step")
                if record.get("of") is not None:
                    self.tape.require(record, of=self.of)
            try:
                self._queue, record["values"] = unpacked(record["values"]), ""
            except JournalError as error:
                raise self.tape.misfit(record, f"must hold values, got: {str(error).rstrip('.')}") from None
            self.seconds = float(record["seconds"])
            if len(self._queue) == 0:
                raise self.tape.misfit(record, "must hold the values that the search asks for, got fewer")
        told, self._queue = self._queue[:most], self._queue[most:]
        return told

    def keep(self, values: Values, seconds: float) -> None:
        self.pending.add(values)
        self.kept_at = time.perf_counter()
        self._latest = seconds
        if seconds - self._written >= max(_PAUSE, _PAUSE_PER_VALUE * self.pending.n_values):
            self.write_values()

    def followed(self, operators: Operators) -> Operators:
        self._steps = JournalledSteps(self, operators)
        return self._steps.operators()

    @property
    def is_behind(self) -> bool:
        """Whether a callback, or Ctrl-C, ends the run before the last snapshot: what was learned is not known there."""
        if self._steps is None:
            return self.will_restore
        return self._steps.learns and self._steps.is_telling

    def end(self, reason: StopReason, walk: Walk) -> None:
        most = walk.limits.max_evaluations
        is_left = self.here is not None or len(self._queue) > 0
        if most is not None and (walk.anatomy.total > most or (reason is StopReason.EVALUATIONS and is_left)):
            raise InputError(f"`max_evaluations` must be at least what is on record in {self.path}, got {most}.")
        if self.tape is not None and (self.here is not None or self._ended_so(reason)):
            return
        # Ctrl-C may have come while something was being learned; any other end comes between two steps, or while
        # one is being valued, of which nothing is learned yet.
        if self._steps is not None and self._last_kind == "step" and reason is not StopReason.INTERRUPTED:
            self._steps.rest(walk)
        self.write_values()
        best = walk.archive.best
        self.write(
            "end",
            {
                "reason": reason.value,
                "taken": len(walk.trace),
                "size": walk.size,
                "n_evaluations": walk.anatomy.total,
                "best_size": None if best is None else best.size,
                "best_value": None if best is None else best.value,
                "seconds": walk.seconds,
            },
        )

    def close(self) -> None:
        writer, self._writer = self._writer, None
        if writer is None:
            return
        writer.close()
        if not self._is_kept:  # the run failed before it began: nobody would want to resume that
            self.path.unlink(missing_ok=True)

    # What its steps call

    @property
    def here(self) -> Record | None:
        """The record that is to be told next."""
        return None if self.tape is None else self.tape.here

    @property
    def of(self) -> str:
        """A checksum of the features that were asked for last."""
        return f"{crc32(np.ascontiguousarray(self._asked, dtype='<i8').data):08x}"

    def write(self, kind: str, fields: Record | str, seconds: float | None = None) -> int:
        """Write a record, made at so many seconds of the run, and return its number."""
        assert self._writer is not None  # nosec B101 # only tells the type
        self._is_kept = True
        if self._resumption is not None:
            self._writer.append("resumed", self._resumption)
            self._resumption = None
        self._writer.append(kind, fields)
        self._last_kind = kind
        if seconds is not None:
            self._written = seconds
        return self._writer.n_records - 1

    def write_values(self) -> None:
        """Write what the file does not hold yet."""
        if self.pending.n_values:
            values = packed(self.pending.taken_values())
            fields = {"account": self._account, "of": self.of, "values": values, "seconds": self._latest}
            self.write("values", fields, self._latest)

    def _stop_telling(self) -> None:
        """Go on from the time at which the run was last heard of."""
        if self._is_told:
            return
        self._is_told = True
        if self.tape is not None and self.tape.last_seconds is not None:
            self.seconds = self.tape.last_seconds
        self._written = self.seconds or 0.0

    def _ended_so(self, reason: StopReason) -> bool:
        """Tell whether the file ends with this very end already."""
        assert self.tape is not None and self._writer is not None  # nosec B101 # only tells the type
        found = self.tape.found
        is_new = self._writer.n_records > found.n_records or self.pending.n_values > 0
        return not is_new and found.last_line.get("reason") == reason.value
