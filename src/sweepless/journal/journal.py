"""Journals: files from which runs can be resumed."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from math import inf
from pathlib import Path
from typing import Any

import msgspec

from sweepless.criteria.base import Criterion
from sweepless.dataset import Dataset
from sweepless.errors import InputError, JournalError
from sweepless.journal.header import as_limits, header, require_same
from sweepless.journal.lines import Scan, scan
from sweepless.journal.recording import Recording
from sweepless.journal.replay import Replay
from sweepless.journal.writer import Writer
from sweepless.schema.journal import Resumed
from sweepless.search.plan import Plan
from sweepless.search.warm_up import WarmUp


@dataclass(frozen=True)
class Journal:
    """A record of one run in a file, from which it can be resumed exactly.

    Parameters
    ----------
    path : str or path
        A new file or, with `resumes`, the journal of a run that goes on where the record ends.
    resumes : bool or Scan
        Whether to resume a run; a `Scan` of the file saves reading it again.
    fsync_every : float
        Seconds after which the file is forced to the disk again; 0 forces it after every record. A process that is
        killed loses at most about a second of evaluations. A machine that fails may also lose the last
        `fsync_every` seconds.
    note : optional
        Any JSON value, which is kept in the header.

    Examples
    --------
    >>> from sweepless import Journal, make_madelon, resume, run
    >>> from sweepless.criteria import KNN
    >>> data = make_madelon()
    >>> result = run("sSFFS", KNN(), data, target=10, journal=Journal("run.jsonl"))  # doctest: +SKIP
    >>> result = resume("run.jsonl", KNN(), data)  # after a crash  # doctest: +SKIP
    """

    path: str | os.PathLike[str]
    resumes: bool | Scan = False
    fsync_every: float = 1.0
    note: Any = None

    def __post_init__(self) -> None:
        if not self.fsync_every >= 0:
            raise InputError(f"`fsync_every` must be a number of seconds of at least 0, got {self.fsync_every!r}.")
        try:
            json.dumps(self.note)
        except (TypeError, ValueError):
            raise InputError(f"`note` must be a JSON value, got {self.note!r}.") from None

    def recording(self, plan: Plan, criterion: Criterion, data: Dataset) -> Recording:
        """Begin a new file, or check that an existing one records this run."""
        path = Path(self.path)
        if not self.resumes:
            fields = header(plan, criterion, data, self.note)
            writer = Writer(path, self.fsync_every)
            recording = Recording(writer, None)
            try:
                writer.append("header", msgspec.to_builtins(fields))
                writer.sync()
            except BaseException:
                recording.close()
                raise
            return recording
        found = self.resumes if isinstance(self.resumes, Scan) else scan(path)
        require_same(found.header, header(plan, criterion, data), path)
        writer = Writer(path, self.fsync_every, found)
        try:
            limits = as_limits(plan.limits)
            resumption = None if limits == found.limits else Resumed(limits)
            replay = Replay(path, found)
        except BaseException:
            writer.close()
            raise
        return Recording(writer, replay, resumption, found.reason)


class RecordedRun:
    """The run that a journal records, read from its header.

    Parameters
    ----------
    path : str or path
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        self.found: Scan = scan(self.path)
        self.settings = self.found.header.settings

    @property
    def seed(self) -> int:
        """The seed of the run, also if it was drawn at random."""
        seed = self.settings.get("seed")
        if not isinstance(seed, int):
            raise JournalError(f"the header of the journal {self.path} must hold a seed, got {seed!r}.")
        return seed

    @property
    def warm_up(self) -> WarmUp | None:
        """The warm-up of the run, None without one; the first limits of the run may have shortened it."""
        plain = self.settings.get("warm_up")
        if plain is None:
            return None
        try:
            parts = {name: part for name, part in plain.items() if name != "name"}
            return WarmUp(**parts | {"max_seconds": parts.get("max_seconds") or inf})
        except (AttributeError, TypeError, InputError) as error:
            raise JournalError(
                f"the header of the journal {self.path} must describe a warm-up, got: {error}."
            ) from None
