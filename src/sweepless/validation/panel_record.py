"""Cells of a panel in a file, so that a panel that was broken off goes on where it was."""

from __future__ import annotations

import json
from collections.abc import Iterator, MutableMapping
from contextlib import suppress
from os import PathLike
from pathlib import Path

import numpy as np

from sweepless.validation.panel import Cell

Key = tuple[str, int]
"""The name of a member, and the number of a split."""


class PanelRecord(MutableMapping[Key, Cell]):
    """Keeps every cell in a line of its own, as soon as it is there.

    Parameters
    ----------
    path : str or path
        May exist: its cells are used if they belong to the same panel, and are left alone if not.
    panel : str
        What the panel is: its data, members, splits and judges, as a hash.
    settings : str, optional
        How it is searched, with which limits, as a hash. None is for a run that is resumed, possibly with other limits:
        what was compared last stays as it was.
    """

    def __init__(self, path: str | PathLike[str], panel: str, settings: str | None) -> None:
        self._path, self._panel, self._settings = Path(path), panel, settings
        self._cells: dict[Key, Cell] = {}
        text, rows = "", []
        with suppress(FileNotFoundError):
            text = self._path.read_text(encoding="utf-8", errors="replace")
        for line in text.splitlines():
            with suppress(ValueError):  # the last line of a killed process may be cut
                rows.append(json.loads(line))
        self._before = "" if text.endswith("\n") or not text else "\n"
        own = [row for row in rows if isinstance(row, dict) and row.get("panel") == panel]
        if settings is None and own:
            self._settings = own[-1].get("settings")
        for row in own:
            with suppress(ValueError, KeyError, TypeError):  # not ours
                self._read(row)

    def _read(self, row: dict[str, object]) -> None:
        if row["settings"] == self._settings:
            scores = np.array(row["scores"], dtype=np.float64)
            cell = Cell(scores, int(row["n_evaluations"]), float(row["seconds"]))  # type: ignore[call-overload, arg-type]
            self._cells[str(row["member"]), int(row["split"])] = cell  # type: ignore[call-overload]

    def __getitem__(self, key: Key) -> Cell:
        return self._cells[key]

    def __setitem__(self, key: Key, cell: Cell) -> None:
        self._cells[key] = cell
        scores = [[None if np.isnan(score) else score for score in row] for row in cell.scores.tolist()]
        row = {
            "panel": self._panel,
            "settings": self._settings,
            "member": key[0],
            "split": key[1],
            "scores": scores,
            "n_evaluations": cell.n_evaluations,
            "seconds": cell.seconds,
        }
        with self._path.open("a", encoding="utf-8") as file:
            file.write(f"{self._before}{json.dumps(row)}\n")
        self._before = ""

    def __delitem__(self, key: Key) -> None:
        raise TypeError("a record only grows.")

    def __iter__(self) -> Iterator[Key]:
        return iter(self._cells)

    def __len__(self) -> int:
        return len(self._cells)
