"""Plan the cells of a campaign, one per arm and seed; the id of a cell is a hash of all that decides its result."""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import dataclass

import msgspec

from sweepless.runs.spec import common_task
from sweepless.schema.run import FORMAT
from sweepless.schema.spec import Arm, Spec, Validation


@dataclass(frozen=True)
class PlannedCell:
    """One arm on one seed, to be computed; `matched` is the cell whose cost it gets."""

    id: str
    arm: Arm
    seed: int
    rng: str
    data: str
    scale: str | None
    split: tuple[int, int] | None
    validation: Validation
    cost: tuple[float, float] | None
    matched: str | None


def plan_waves(spec: Spec, fingerprint: str, cost: tuple[float, float] | None) -> list[list[PlannedCell]]:
    """Return the cells in waves: a cell follows the one that it matches, and seeds stay together to share splits."""
    cells: dict[tuple[str, int], PlannedCell] = {}
    waves: list[list[PlannedCell]] = []
    planned: set[str | None] = {None}
    waiting = list(spec.arms)
    while waiting:
        arms = [arm for arm in waiting if arm.matches in planned]
        waiting = [arm for arm in waiting if arm.matches not in planned]
        planned.update(arm.name for arm in arms)
        arms.sort(key=lambda arm: -arm.options.get("n_probes", 0))  # long rankings first, or they end alone
        waves.append([])
        for seed in spec.seeds:
            for arm in arms:
                matched = None if arm.matches is None else cells[arm.matches, seed].id
                cell = _cell(spec, arm, seed, fingerprint, cost if arm.match == "cost" else None, matched)
                cells[arm.name, seed] = cell
                waves[-1].append(cell)
    return waves


def _cell(
    spec: Spec, arm: Arm, seed: int, fingerprint: str, cost: tuple[float, float] | None, matched: str | None
) -> PlannedCell:
    task = common_task(spec.arms)
    decides = {
        "format": FORMAT,  # increased when the same spec gives other results, or the same in another form
        "data": fingerprint,
        "data_name": spec.data.title,
        "scale": spec.data.scale,
        "split": spec.percents,
        "arm": {key: value for key, value in msgspec.to_builtins(arm).items() if key != "matches"},
        "validation": msgspec.to_builtins(spec.validation),
        "seed": seed,
        "rng": spec.rng,
        "cost": cost,
        "matched": matched,
        **({} if task == "classification" else {"task": task}),
    }
    digest = hashlib.sha256(json.dumps(decides, sort_keys=True).encode()).hexdigest()
    return PlannedCell(
        f"{slug(arm.name)}--s{seed:03d}--{digest[:8]}",
        arm,
        seed,
        spec.rng,
        spec.data.title,
        spec.data.scale,
        spec.percents,
        spec.validation,
        cost,
        matched,
    )


def slug(name: str) -> str:
    """Return a name that any file system accepts."""
    return re.sub(r"[^A-Za-z0-9.]+", "-", name).strip("-.")[:60] or "arm"
