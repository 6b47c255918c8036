"""Read a run directory; anything malformed is an error that names the file."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sweepless._fields import Fields, a_mapping, a_number, a_text, a_truth, a_whole, optional, texts
from sweepless._stored import read_cell, read_header, read_times
from sweepless.errors import DataError
from sweepless.reports.records import Cell, Row, Run, Step

_PHASES = ("warm_up", "ranking", "start", "forward", "backward")


def read_run(path: str | Path) -> Run:
    """Read a run directory; cells that are damaged are left out, and named in `Run.damaged`.

    Raises
    ------
    DataError
        If it is not what a campaign writes.
    """
    path = Path(path)
    if not (path / "run.json").is_file():
        raise DataError(f"{path} must be a run directory with a run.json, got none there.")
    header = read_header(path / "run.json")
    spec = header.get("spec", a_mapping)
    names = header.get("feature_names", optional(texts), None)
    times = read_times(path / "times.jsonl")
    cells, damaged = [], []
    for file in sorted((path / "cells").glob("[!.]*.json")):
        try:
            cells.append(_cell(file, times))
        except DataError as error:
            damaged.append(str(error))
    for cell in cells:
        if names is not None and cell.n_features > len(names):
            raise DataError(
                f"{path / 'run.json'}: `feature_names` must name all {cell.n_features} features, got {len(names)}."
            )
    _require_distinct(cells, path)
    order = _arms_of(spec) + [cell.arm for cell in cells]
    cells.sort(key=lambda cell: (order.index(cell.arm), cell.seed))
    return Run(
        path=path,
        name=header.get("name", a_text),
        title=header.get("title", optional(a_text), None) or header.get("name", a_text),
        spec=spec,
        spec_text=header.get("spec_text", a_text, ""),
        data=header.get("data", a_mapping, {}),
        versions={str(name): str(version) for name, version in header.get("versions", a_mapping, {}).items()},
        command=header.get("command", texts, ()),
        feature_names=names,
        cells=tuple(cell for cell in cells if not cell.is_reference),
        references=tuple(cell for cell in cells if cell.is_reference),
        n_planned=len(spec["arms"]) * len(spec["seeds"]),
        cost_model=_cost_model(header, spec),
        damaged=tuple(damaged),
    )


def _require_distinct(cells: list[Cell], path: Path) -> None:
    """Raise where an arm has two results for one seed: neither could be called the right one."""
    seen: dict[tuple[str, int], str] = {}
    for cell in cells:
        other = seen.setdefault((cell.arm, cell.seed), cell.id)
        if other != cell.id:
            raise DataError(
                f"{path / 'cells'} must hold one cell per arm and seed, got {other} and {cell.id} of "
                f"{cell.arm!r}, seed {cell.seed}."
            )


def _cell(file: Path, times: Mapping[str, Mapping[str, float]]) -> Cell:
    found = read_cell(file)
    name = found.get("cell", a_text)
    taken = times.get(name, {})
    n_features = found.get("n_features", a_whole)
    return Cell(
        id=name,
        arm=found.get("arm", a_text),
        seed=found.get("seed", a_whole),
        method=found.get("method", a_text),
        criterion=found.get("criterion", a_text, ""),
        options=found.get("options", a_mapping, {}),
        n_features=n_features,
        n_train=found.get("n_train", optional(a_whole), None),
        n_test=found.get("n_test", optional(a_whole), None),
        stop_reason=found.get("stop_reason", a_text, ""),
        n_evaluations=found.get("n_evaluations", a_whole),
        sum_of_sizes=found.get("sum_of_sizes", optional(a_whole), None),
        phases={phase: found.get(f"{phase}_evaluations", a_whole, 0) for phase in _PHASES},
        rows=tuple(_row(Fields(file, row, f"rows[{k}]"), n_features) for k, row in enumerate(found.list("rows"))),
        trajectory=tuple(_step(file, k, step) for k, step in enumerate(found.list("trajectory"))),
        seconds=taken.get("seconds"),
        search_seconds=taken.get("search_seconds"),
        is_reference=found.get("reference", a_truth, False),
    )


def _row(found: Fields, n_features: int) -> Row:
    features = tuple(found.list("features"))
    if not all(type(feature) is int and 0 <= feature < n_features for feature in features):
        raise found.wrong("features", f"a list of features from 0 to {n_features - 1}", list(features))
    holdout = found.get("holdout", a_mapping, {})
    for value in holdout.values():
        if value is not None:
            found.checked("holdout", a_number, value)
    return Row(
        size=found.get("size", a_whole),
        value=found.get("value", optional(a_number)),
        n_evaluations=found.get("n_evaluations", a_whole),
        sum_of_sizes=found.get("sum_of_sizes", optional(a_whole), None),
        features=features,
        holdout={str(name): float(value) for name, value in holdout.items() if value is not None},
    )


def _step(file: Path, k: int, step: Any) -> Step:
    if isinstance(step, list) and tuple(map(type, step)) == (int, int, float, str):  # nearly all, and they are many
        return Step(*step)
    found = Fields(file, dict(enumerate(step)) if isinstance(step, list) else step, f"trajectory[{k}]")
    return Step(found.get(0, a_whole), found.get(1, a_whole), found.get(2, optional(a_number)), found.get(3, a_text))


def _arms_of(spec: Mapping[str, Any]) -> list[str]:
    return [arm["name"] for arm in spec["arms"]]


def _cost_model(header: Fields, spec: Mapping[str, Any]) -> tuple[float, float] | None:
    """Return milliseconds per evaluation as (a, b) of a + b d: fitted by the run, or given in the spec."""
    cost = spec.get("cost")
    for model in (header.values.get("cost_model"), cost.get("model") if isinstance(cost, dict) else None):
        if isinstance(model, list) and len(model) == 2:
            return header.checked("cost_model", a_number, model[0]), header.checked("cost_model", a_number, model[1])
    return None
