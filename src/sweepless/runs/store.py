"""The run directory: a header, one file per finished cell, and the times apart."""

from __future__ import annotations

import json
import logging
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sweepless._fields import Fields, a_list, a_mapping, a_number, a_text, a_whole, optional
from sweepless._stored import read_cell, read_header, read_times, sealed
from sweepless._writing import write_whole
from sweepless.errors import CampaignError, DataError
from sweepless.runs.lock import CAN_LOCK, locked

_LOGGER = logging.getLogger("sweepless")
_OURS = {"run.json", "cells", "times.jsonl", "lock"}
# What the records of cells and their rows are relied on to hold.
_RECORD = (
    dict.fromkeys(("arm", "method", "criterion", "data", "rng", "stop_reason"), a_text)
    | dict.fromkeys(("seed", "n_features", "n_train", "n_test", "n_evaluations"), a_whole)
    | {"sum_of_sizes": optional(a_whole), "rows": a_list}
)
_ROW = {
    "size": a_whole,
    "value": optional(a_number),
    "n_evaluations": a_whole,
    "sum_of_sizes": optional(a_whole),
    "features": a_list,
    "holdout": a_mapping,
}


class RunDirectory:
    """What a campaign has computed so far; every file in it is whole or absent."""

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self.cells = self.path / "cells"
        self._lock = self.path / "lock"

    # Reading

    def header(self) -> dict[str, Any] | None:
        """Return what run.json says, None if there is no run yet."""
        file = self.path / "run.json"
        return dict(read_header(file).values) if os.path.lexists(file) else None

    def require_header(self) -> dict[str, Any]:
        header = self.header()
        if header is None:
            raise CampaignError(f"a run must be a directory that `sweepless run` wrote, got {self.path}.")
        return header

    def ids(self) -> list[str]:
        """Return the ids of the cells that are there, whole or not."""
        return sorted(path.stem for path in self.cells.glob("[!.]*.json"))

    def record(self, cell: str) -> dict[str, Any]:
        """Return what is on record of a cell.

        Raises
        ------
        DataError
            If that is damaged.
        """
        found = read_cell(self.cells / f"{cell}.json")
        for name, kind in _RECORD.items():
            found.get(name, kind)
        for number, values in enumerate(found.list("rows")):
            row = Fields(found.file, values, f"rows[{number}]")
            for name, kind in _ROW.items():
                row.get(name, kind)
        return found.values

    def records(self) -> tuple[list[dict[str, Any]], list[str]]:
        """Return the records of all whole cells, and what is wrong with the others."""
        records, reasons = [], []
        for cell in self.ids():
            try:
                records.append(self.record(cell))
            except DataError as error:
                reasons.append(str(error))
        return records, reasons

    def damaged(self, cells: Iterable[str]) -> set[str]:
        """Return which of some cells that are there must be computed again, and tell the log why."""
        found: set[str] = set()
        for cell in sorted(cells):
            try:
                self.record(cell)
            except DataError as error:
                _LOGGER.warning("%s It is computed again.", error)
                found.add(cell)
        return found

    def times(self) -> dict[str, dict[str, float]]:
        """Return the seconds of the cells."""
        return read_times(self.path / "times.jsonl")

    def is_running(self) -> bool | None:
        """Tell whether a campaign is at work here, None where that cannot be known."""
        try:
            with locked(self._lock):
                return False if CAN_LOCK else None
        except FileNotFoundError:
            return False
        except BlockingIOError:
            return True
        except PermissionError:
            return None

    # Writing

    @contextmanager
    def claimed(self) -> Iterator[None]:
        """Make the directory if there is none, and keep other campaigns out of it."""
        self.path.mkdir(parents=True, exist_ok=True)
        strange = sorted(
            entry.name for entry in self.path.iterdir() if entry.name not in _OURS and not entry.name.startswith(".")
        )
        if strange and not (self.path / "run.json").exists():
            raise CampaignError(f"a run must have a directory of its own, got {self.path}, which has {strange[0]}.")
        self._lock.touch()
        try:
            with locked(self._lock):
                self.cells.mkdir(exist_ok=True)
                for left in (*self.path.glob(".*.tmp"), *self.cells.glob(".*.tmp")):
                    left.unlink()
                yield
        except BlockingIOError:
            raise CampaignError(f"{self.path} must belong to one campaign, got one that still goes on.") from None

    def begin(self, header: dict[str, Any]) -> None:
        text = json.dumps(header, sort_keys=True, allow_nan=False, ensure_ascii=False) + "\n"
        _write(self.path / "run.json", text)

    def keep(self, record: dict[str, Any], seconds: float, search_seconds: float) -> None:
        """Write a finished cell at once, then its time."""
        _write(self.cells / f"{record['cell']}.json", sealed(record))
        line = {"cell": record["cell"], "seconds": round(seconds, 4), "search_seconds": round(search_seconds, 4)}
        with (self.path / "times.jsonl").open("a+b") as stream:
            if stream.seek(0, os.SEEK_END):
                stream.seek(-1, os.SEEK_END)
                if stream.read(1) != b"\n":  # of a run that was killed here
                    stream.write(b"\n")
            stream.write(json.dumps(line).encode() + b"\n")


def _write(path: Path, text: str) -> None:
    """Write all of it, forced to the disk, or nothing."""
    try:
        write_whole(path, text, is_forced=True)
    except OSError as error:
        raise CampaignError(
            f"{path} could not be written: {error.strerror or error}; what is finished is kept."
        ) from error
