"""The specs of the paper's campaigns, and which of their cells to run."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from pathlib import Path

from sweepless.errors import SweeplessError
from sweepless.paper.arms import Arm
from sweepless.runs.spec import read_spec
from sweepless.schema.spec import Spec

_HOMES = (
    Path(__file__).resolve().parents[1] / "campaigns",  # in an installed package
    Path(__file__).resolve().parents[3] / "campaigns",  # in a checkout
)


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


# The greatest seed of each arm under --quick; * stands for the arms not named, and who has none is left out.
_QUICK: dict[str, dict[str, int]] = {
    "madelon-range": {"*": 1},
    "madelon-probe": {"*": 10},
    "madelon-budgets": {"BIF": 3, "DAF 10^4": 1},
    "gisette-default": {"sSFFS y=100": 1},
    "gisette-ladder": {"BIF": 3, "DAF 10^3": 3, "DAF 10^4": 3, "sSFFS y=25": 3},
    "reuters": {"sSFFS y=100": 1, "BIF": 1, "DAF 10^4": 1},
}
