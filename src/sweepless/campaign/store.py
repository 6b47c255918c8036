"""The run directory: a header, one file per finished cell, and the times apart."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from sweepless._writing import write_whole
from sweepless.campaign.plan import FORMAT
from sweepless.errors import CampaignError

try:
    import fcntl
except ImportError:  # not on Windows
    fcntl = None  # type: ignore[assignment]

_LOCKS = fcntl is not None
_OURS = {"run.json", "cells", "times.jsonl", "lock"}


class RunDirectory:
    """What a campaign has computed so far; every file in it is whole or absent."""

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self.cells = self.path / "cells"

    # Reading

    def header(self) -> dict[str, Any] | None:
        """Return what run.json says, None if there is no run yet."""
        try:
            text = (self.path / "run.json").read_text(encoding="utf-8")
        except (FileNotFoundError, NotADirectoryError):
            return None
        try:
            header = json.loads(text)
            known = header["format"]
        except (ValueError, TypeError, KeyError):
            raise CampaignError(f"{self.path / 'run.json'} must be the header of a run, got something else.") from None
        if known != FORMAT:
            raise CampaignError(f"{self.path} must be a run of format {FORMAT}, got {known!r}.")
        return header  # type: ignore[no-any-return]

    def require_header(self) -> dict[str, Any]:
        header = self.header()
        if header is None:
            raise CampaignError(f"a run must be a directory that `sweepless run` wrote, got {self.path}.")
        return header

    def finished(self) -> set[str]:
        """Return the ids of the finished cells."""
        return {path.stem for path in self.cells.glob("*.json")} if self.cells.is_dir() else set()

    def record(self, cell: str) -> dict[str, Any]:
        path = self.cells / f"{cell}.json"
        try:
            record = json.loads(path.read_text(encoding="utf-8"))
            if record["cell"] == cell:
                return record  # type: ignore[no-any-return]
        except (ValueError, TypeError, KeyError):
            pass
        raise CampaignError(f"{path} must hold the cell of its name, got something else: delete it to run it again.")

    def times(self) -> dict[str, dict[str, float]]:
        """Return the seconds of the cells; a line cut short is left out."""
        times: dict[str, dict[str, float]] = {}
        with suppress(FileNotFoundError):
            for line in (self.path / "times.jsonl").read_text(encoding="utf-8", errors="replace").splitlines():
                with suppress(ValueError, TypeError, KeyError):
                    found = json.loads(line)
                    times[found["cell"]] = {
                        "seconds": float(found["seconds"]),
                        "search_seconds": float(found["search_seconds"]),
                    }
        return times

    def is_running(self) -> bool | None:
        """Tell whether a campaign is at work here, None where that cannot be known."""
        try:
            with self._locked():
                return False if _LOCKS else None
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
        (self.path / "lock").touch()
        try:
            with self._locked():
                self.cells.mkdir(exist_ok=True)
                for left in (*self.path.glob(".*.tmp"), *self.cells.glob(".*.tmp")):
                    left.unlink()
                yield
        except BlockingIOError:
            raise CampaignError(f"{self.path} must belong to one campaign, got one that still goes on.") from None

    def begin(self, header: dict[str, Any]) -> None:
        _write(self.path / "run.json", header)

    def keep(self, record: dict[str, Any], seconds: float, search_seconds: float) -> None:
        """Write a finished cell at once, then its time."""
        _write(self.cells / f"{record['cell']}.json", record)
        line = {"cell": record["cell"], "seconds": round(seconds, 4), "search_seconds": round(search_seconds, 4)}
        with (self.path / "times.jsonl").open("a+b") as stream:
            if stream.seek(0, os.SEEK_END):
                stream.seek(-1, os.SEEK_END)
                if stream.read(1) != b"\n":  # of a run that was killed here
                    stream.write(b"\n")
            stream.write(json.dumps(line).encode() + b"\n")

    @contextmanager
    def _locked(self) -> Iterator[None]:
        with (self.path / "lock").open("r+b") as stream:
            if _LOCKS:
                # Of the process, unlike flock: forked workers that outlive it do not keep it.
                fcntl.lockf(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
            yield


def _write(path: Path, value: dict[str, Any]) -> None:
    """Write all of it, forced to the disk, or nothing."""
    text = json.dumps(value, sort_keys=True, allow_nan=False, ensure_ascii=False) + "\n"
    try:
        write_whole(path, text, is_forced=True)
    except OSError as error:
        raise CampaignError(
            f"{path} could not be written: {error.strerror or error}; what is finished is kept."
        ) from error
