"""How far a campaign is, from its run directory alone."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from sweepless.runs.store import RunDirectory


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
    """A campaign; whether a process is at work on it may not be known, and damaged cells do not count as done."""

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
    times = store.times()
    records, damaged = store.records()
    n_seeds = len(header["spec"]["seeds"])
    arms = []
    for arm in header["spec"]["arms"]:
        done = [record for record in records if record["arm"] == arm["name"]]
        taken = [times[record["cell"]]["seconds"] for record in done if record["cell"] in times]
        mean = sum(taken) / len(taken) if taken else None
        n_left = n_seeds - len(done)
        left = 0.0 if n_left == 0 else None if mean is None else mean * n_left
        n_evaluations = sum(record["n_evaluations"] for record in done)
        arms.append(ArmStatus(arm["name"], n_seeds, len(done), n_evaluations, sum(taken), left))
    return Status(header["name"], tuple(arms), store.is_running(), tuple(damaged))
