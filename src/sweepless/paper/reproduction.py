"""Run the cells that a target needs, as far as they are missing, and judge what came out."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from sweepless._writing import write_whole
from sweepless.errors import CampaignError, DataError, SweeplessError
from sweepless.paper.measures import Arm, Runs
from sweepless.paper.targets import Target
from sweepless.reports.claims import Claim, claims_table
from sweepless.reports.records import Run
from sweepless.reports.run_page import render_runs
from sweepless.reports.rundir import read_run
from sweepless.runs.execute import run_campaign
from sweepless.runs.plan import PlannedCell
from sweepless.runs.spec import read_spec
from sweepless.schema.spec import Spec

_HOMES = (
    Path(__file__).resolve().parents[1] / "campaigns",  # in an installed package
    Path(__file__).resolve().parents[3] / "campaigns",  # in a checkout
)
# The greatest seed of each arm under --quick; * stands for the arms not named, and an arm without a number is left out.
_QUICK: dict[str, dict[str, int]] = {
    "madelon-range": {"*": 1},
    "madelon-probe": {"*": 10},
    "madelon-budgets": {"BIF": 3, "DAF 10^4": 1},
    "gisette-default": {"sSFFS y=100": 1},
    "gisette-ladder": {"BIF": 3, "DAF 10^3": 3, "DAF 10^4": 3, "sSFFS y=25": 3},
    "reuters": {"sSFFS y=100": 1, "BIF": 1, "DAF 10^4": 1},
}


@dataclass(frozen=True)
class Reproduction:
    """A target as it came out.

    Attributes
    ----------
    claims : tuple of Claim
    problems : tuple of str
        Why campaigns could not be run, or not to their end: data that are not on this machine, a cell that failed.
    files : tuple of Path
        The page and the Markdown table.
    seconds : float
        What this call took; finished cells cost nothing.
    """

    target: Target
    claims: tuple[Claim, ...]
    problems: tuple[str, ...]
    files: tuple[Path, ...]
    seconds: float


def reproduce(
    target: Target,
    out: str | Path,
    *,
    seeds: Collection[int] | None = None,
    quick: bool = False,
    n_jobs: int = 1,
    data_dir: str | Path | None = None,
    show_progress: bool = False,
    command: Sequence[str] = (),
) -> Reproduction:
    """Reproduce one target; write its page and its table.

    Parameters
    ----------
    target : Target
        One of `TARGETS`.
    out : path-like
        Every campaign has its run directory here. Targets share them: no cell is ever computed twice.
    seeds : collection of int, optional
        Run these of the paper's seeds only.
    quick : bool
        Run few cells; numbers that need others are not computed.
    n_jobs : int
        Cells at a time.
    data_dir : path-like, optional
        Where the benchmark sets are.
    show_progress : bool
    command : sequence of str
        What a reader may type to run it again.
    """
    began = time.monotonic()
    out = Path(out)
    specs = [find_spec(name) for name in target.campaigns]
    cells = chosen_cells(target.arms, specs, seeds, quick)
    found: dict[str, Run] = {}
    problems: dict[str, None] = {}
    for spec in specs:
        path = out / spec.name
        try:
            if cells[spec.name]:
                run_campaign(
                    spec,
                    path,
                    only=_among(cells[spec.name]),
                    n_jobs=n_jobs,
                    data_dir=data_dir,
                    show_progress=show_progress,
                    command=command,
                )
        except (DataError, CampaignError) as error:  # the others go on
            problems[str(error)] = None
        if (path / "run.json").is_file():
            found[spec.name] = read_run(path)
            problems |= dict.fromkeys(found[spec.name].damaged)
    runs = Runs(found)
    claims = tuple(one.judged(runs) for one in target.numbers)
    return Reproduction(target, claims, tuple(problems), _written(target, out, claims, found), time.monotonic() - began)


def _among(chosen: set[tuple[str, int]]) -> Callable[[PlannedCell], bool]:
    return lambda cell: (cell.arm.name, cell.seed) in chosen


def _written(target: Target, out: Path, claims: Sequence[Claim], found: dict[str, Run]) -> tuple[Path, ...]:
    """Write the Markdown table, and the page if there is anything to show."""
    out.mkdir(parents=True, exist_ok=True)
    table, page = out / f"{target.name}.md", out / f"{target.name}.html"
    write_whole(table, claims_table(claims, title=target.title).markdown())
    if not found:
        return (table,)
    write_whole(page, render_runs(list(found.values()), claims=claims, title=target.title))
    return page, table


def find_spec(name: str) -> Spec:
    """Read the spec of one of the paper's campaigns."""
    for home in _HOMES:
        if (home / f"{name}.toml").is_file():
            return read_spec(home / f"{name}.toml")
    raise SweeplessError(f"the spec {name}.toml must be in {' or '.join(map(str, _HOMES))}, got none there.")


def chosen_cells(
    arms: Iterable[Arm], specs: Iterable[Spec], seeds: Collection[int] | None, quick: bool
) -> dict[str, set[tuple[str, int]]]:
    """Return arm and seed of every cell to run, by campaign; an arm brings the arm that it matches."""
    by_name = {spec.name: spec for spec in specs}
    cells: dict[str, set[tuple[str, int]]] = {name: set() for name in by_name}
    for arm in arms:
        matched = {one.name: one.matches for one in by_name[arm.campaign].arms}
        for seed in quick_seeds(arm) if quick else arm.seeds:
            name: str | None = arm.name
            while name is not None and (seeds is None or seed in seeds):
                cells[arm.campaign].add((name, seed))
                name = matched[name]
    return cells


def quick_seeds(arm: Arm) -> tuple[int, ...]:
    """Return the seeds on which an arm is run if time is short."""
    arms = _QUICK.get(arm.campaign, {})
    most = arms.get(arm.name, arms.get("*", 0))
    return tuple(seed for seed in arm.seeds if seed <= most)
