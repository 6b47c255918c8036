"""How far a campaign is: counted from its run directory, and as a bar while it runs."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

from sweepless.runs.store import RunDirectory
from sweepless.schema.run import read_cells
from sweepless.selectors.progress import make_display


@dataclass(frozen=True)
class ArmStatus:
    """One arm: cells, evaluations, seconds of work, and an estimate of those to come (None without a finished cell)."""

    name: str
    n_cells: int
    n_done: int
    n_evaluations: int
    seconds: float
    seconds_left: float | None


@dataclass(frozen=True)
class Status:
    """A campaign; `is_running` is None where that cannot be known, and damaged cells do not count as done."""

    name: str
    arms: tuple[ArmStatus, ...]
    is_running: bool | None
    damaged: tuple[str, ...] = ()

    @property
    def n_cells(self) -> int:
        return sum(arm.n_cells for arm in self.arms)

    @property
    def n_done(self) -> int:
        return sum(arm.n_done for arm in self.arms)

    @property
    def total(self) -> ArmStatus:
        left = [arm.seconds_left for arm in self.arms]
        return ArmStatus(
            "all",
            self.n_cells,
            self.n_done,
            sum(arm.n_evaluations for arm in self.arms),
            sum(arm.seconds for arm in self.arms),
            None if None in left else sum(part for part in left if part is not None),
        )


def read_status(path: str | Path) -> Status:
    """Count what is there; seconds are those of workers, added up."""
    store = RunDirectory(path)
    header = store.require_header()
    cells, damaged = read_cells(store.path)
    n_seeds = len(header.spec.seeds)
    arms = []
    for arm in header.spec.arms:
        done = [cell for cell in cells if cell.arm == arm.name]
        taken = [cell.seconds for cell in done if cell.seconds is not None]
        mean = sum(taken) / len(taken) if taken else None
        n_left = n_seeds - len(done)
        left = 0.0 if n_left == 0 else None if mean is None else mean * n_left
        n_evaluations = sum(cell.n_evaluations for cell in done)
        arms.append(ArmStatus(arm.name, n_seeds, len(done), n_evaluations, sum(taken), left))
    return Status(header.name, tuple(arms), store.is_running(), tuple(damaged))


class CellBar:
    """A bar on standard error; where that is no terminal, a line now and then.

    Parameters
    ----------
    n_cells, n_finished : int
        Of the whole campaign, and at the start.
    shown : bool
    """

    def __init__(self, n_cells: int, n_finished: int, *, shown: bool) -> None:
        self._n_cells, self._n_finished, self._n_new = n_cells, n_finished, 0
        self._display = make_display() if shown else None

    def __enter__(self) -> CellBar:
        self._began = time.monotonic()
        self._show("")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._display is not None:
            self._display.stop()

    def advance(self, arm: str, seconds: float) -> None:
        """Count a finished cell."""
        self._n_finished += 1
        self._n_new += 1
        spent = time.monotonic() - self._began
        left = spent / self._n_new * (self._n_cells - self._n_finished)
        self._show(f", last {arm} in {seconds:.1f} s, {spent:.0f} s, about {left:.0f} s left")

    def _show(self, text: str) -> None:
        if self._display is not None:
            done = f"{self._n_finished} of {self._n_cells} cells"
            self._display.show(done + text, self._n_finished / self._n_cells)
