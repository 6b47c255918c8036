"""Run the cells of a spec that are not finished yet."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from msgspec.structs import replace

from sweepless._threads import one_core
from sweepless._version import __version__
from sweepless._versions import versions
from sweepless._writing import require_writable_directory
from sweepless.dataset import Dataset
from sweepless.errors import CampaignError, CampaignWarning
from sweepless.runs.cell import Outcome
from sweepless.runs.data import fitted_cost, key_of, load_data
from sweepless.runs.plan import PlannedCell, plan_waves
from sweepless.runs.pool import LostWorker, Pool, Task, check_pool, open_pool
from sweepless.runs.status import CellBar
from sweepless.runs.store import RunDirectory
from sweepless.schema.run import FORMAT, DataFacts, Header
from sweepless.schema.spec import Arm, Spec

_MOST_ATTEMPTS = 3


@dataclass(frozen=True)
class Summary:
    """How many cells a campaign has, how many of them are new, and how many of these replace damaged ones.

    `n_classes` is None if numbers are predicted.
    """

    n_cells: int
    n_new: int
    path: Path
    n_samples: int
    n_classes: int | None
    n_damaged: int = 0


def run_campaign(
    spec: Spec,
    path: str | Path,
    *,
    peers: Sequence[Arm] = (),
    only: Callable[[PlannedCell], bool] | None = None,
    n_jobs: int = 1,
    backend: str = "loky",
    scheduler: str | None = None,
    data_dir: str | Path | None = None,
    show_progress: bool = False,
    command: Sequence[str] = (),
) -> Summary:
    """Run all cells of a spec that are not finished, and keep each in the run directory as soon as it is.

    Parameters
    ----------
    spec : Spec
        From `read_spec`.
    path : path-like
        The run directory: a new one, or one of the same spec and data to go on with.
    peers : sequence of Arm
        What searches are compared with, run beside the arms of the spec; see `sweepless.runs.compare`.
    only : callable, optional
        Run the cells for which it is true, and leave the others for another time.
    n_jobs, backend, scheduler
        Where cells are run; see `open_pool`. The rows do not depend on it.
    data_dir : path-like, optional
        Where the named sets are; see `sweepless.paper.find_data_dir`.
    show_progress : bool
    command : sequence of str
        What a reader may type to run it again, for the header.

    Returns
    -------
    Summary
    """
    store = RunDirectory(path)
    # What can be refused without the data is refused before they are read.
    check_pool(backend, n_jobs, scheduler)
    require_writable_directory(path)
    _refuse_other_spec(store, spec)
    data = load_data(spec, data_dir)
    key = key_of(data)
    with store.claimed(), one_core():
        header = _header_of(store, spec, data, key, command)
        waves = plan_waves(replace(spec, arms=(*spec.arms, *peers)), key, header.cost_model)
        if only is not None:
            waves = [[cell for cell in wave if only(cell)] for wave in waves]
        planned = {cell.id for wave in waves for cell in wave}
        campaign = _Campaign(store, planned, show_progress)
        todo = [[cell for cell in wave if cell.id not in campaign.finished] for wave in waves]
        n_new = sum(map(len, todo))
        if n_new:
            with open_pool(backend, n_jobs, data, key, scheduler) as pool, campaign.bar:
                for wave in todo:
                    campaign.run(wave, pool)
        campaign.raise_failures()
    return Summary(len(planned), n_new, Path(path), data.n_samples, _n_classes(data), len(campaign.damaged))


class _Campaign:
    """A campaign while it runs: what is finished, what was tried, what failed."""

    def __init__(self, store: RunDirectory, planned: set[str], show_progress: bool) -> None:
        self.store = store
        present = set(store.ids())  # others may keep cells of their own there
        self.damaged = store.damaged(present & planned)
        self.finished = present.difference(self.damaged)
        self.attempts: Counter[str] = Counter()
        self.failures: dict[str, str] = {}
        self.bar = CellBar(len(planned), len(self.finished & planned), shown=show_progress)

    def run(self, wave: list[PlannedCell], pool: Pool) -> None:
        """Run cells until each is finished or has failed; those lost with a worker are run again."""
        while left := [cell for cell in wave if cell.id not in self.finished and cell.id not in self.failures]:
            # When a worker dies, any of several cells may have been the cause: each makes its last attempt alone.
            alone = [cell for cell in left if self.attempts[cell.id] == _MOST_ATTEMPTS - 1]
            started: list[PlannedCell] = []
            try:
                for outcome in pool.run(self._tasks(alone[:1] or left, started)):
                    self._take(outcome)
            except LostWorker:
                for cell in started:
                    if cell.id not in self.finished:
                        self._lost(cell)

    def _tasks(self, cells: list[PlannedCell], started: list[PlannedCell]) -> Iterator[Task]:
        for cell in cells:
            budget = None
            if cell.matched is not None:
                if cell.matched not in self.finished:
                    self.failures[cell.id] = f"the cell {cell.matched} that it matches is not there"
                    continue
                matched = self.store.cell(cell.matched)
                budget = (matched.n_evaluations, matched.sum_of_sizes or 0)
            started.append(cell)
            yield cell, budget

    def _take(self, outcome: Outcome) -> None:
        if outcome.interrupted:
            raise KeyboardInterrupt
        if outcome.cell is None:
            self.failures[outcome.id] = outcome.error or "it failed"
            return
        self.store.keep(outcome.cell, outcome.seconds, outcome.search_seconds)
        self.finished.add(outcome.id)
        self.bar.advance(outcome.cell.arm, outcome.seconds)

    def _lost(self, cell: PlannedCell) -> None:
        self.attempts[cell.id] += 1
        if self.attempts[cell.id] == _MOST_ATTEMPTS:
            self.failures[cell.id] = f"its worker died {_MOST_ATTEMPTS} times"

    def raise_failures(self) -> None:
        if self.failures:
            first, why = next(iter(self.failures.items()))
            others = f", and {len(self.failures) - 1} more" if len(self.failures) > 1 else ""
            raise CampaignError(f"the cell {first} failed{others}: {why}")


def _refuse_other_spec(store: RunDirectory, spec: Spec) -> None:
    header, asked = store.header(), spec.kept()
    if header is not None and header.spec != asked:
        other = [name for name in Spec.__struct_fields__ if getattr(header.spec, name) != getattr(asked, name)]
        raise CampaignError(
            f"{store.path} must be a run of the same spec, got one with other {' and '.join(other)}: "
            "name another directory."
        )


def _header_of(store: RunDirectory, spec: Spec, data: Dataset, key: str, command: Sequence[str]) -> Header:
    """Return the header of the run, after writing it if the run is new."""
    header = store.header()
    if header is None:
        header = Header(
            format=FORMAT,
            name=spec.name,
            title=spec.title,
            spec=spec.kept(),
            spec_text=spec.text,
            data=DataFacts(spec.data.title, data.n_samples, data.n_features, _n_classes(data), key),
            cost_model=fitted_cost(spec, data) if spec.cost == "fit" else spec.cost,
            versions=versions(),
            command=tuple(command),
            feature_names=None if data.feature_names is None else tuple(data.feature_names),
        )
        store.begin(header)
    _refuse_other_spec(store, spec)
    if header.data.fingerprint != key:
        raise CampaignError(f"{store.path} must be a run on the same data, got other data than it was begun with.")
    if (before := header.versions.get("sweepless")) != __version__:
        warnings.warn(
            f"{store.path} was begun with sweepless {before} and continues with {__version__}.",
            CampaignWarning,
            stacklevel=3,
        )
    return header


def _n_classes(data: Dataset) -> int | None:
    return len(data.classes) if data.has_classes else None
