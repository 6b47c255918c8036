"""Read a run directory; anything malformed is an error that names the file."""

from __future__ import annotations

from pathlib import Path

import msgspec

from sweepless.errors import DataError
from sweepless.reports.records import Run
from sweepless.schema.run import Cell, read_cells, read_header


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
    cells, damaged = read_cells(path)
    names = header.feature_names
    for cell in cells:
        if names is not None and cell.n_features > len(names):
            raise DataError(
                f"{path / 'run.json'}: `feature_names` must name all {cell.n_features} features, got {len(names)}."
            )
    _require_distinct(cells, path)
    order = [arm.name for arm in header.spec.arms] + [cell.arm for cell in cells]
    cells.sort(key=lambda cell: (order.index(cell.arm), cell.seed))
    return Run(
        path=path,
        name=header.name,
        title=header.title or header.name,
        spec=msgspec.to_builtins(header.spec),
        spec_text=header.spec_text,
        data=msgspec.to_builtins(header.data),
        versions=header.versions,
        command=header.command,
        feature_names=names,
        cells=tuple(cell for cell in cells if not cell.is_reference),
        references=tuple(cell for cell in cells if cell.is_reference),
        n_planned=len(header.spec.arms) * len(header.spec.seeds),
        cost_model=header.cost_model,
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
