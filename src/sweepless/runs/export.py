"""All rows of a run as one long table: one line per cell and size."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

from sweepless._csv import as_csv
from sweepless._needs import require
from sweepless._writing import write_whole
from sweepless.runs.store import RunDirectory
from sweepless.schema.run import read_cells

_OF_CELL = ("arm", "seed", "method", "criterion", "data", "rng", "n_features", "n_train", "n_test")
_TOTALS = ("n_evaluations", "sum_of_sizes", "stop_reason", "seconds", "search_seconds")
_OF_ROW = ("size", "value", "n_evaluations", "sum_of_sizes")


def long_table(path: str | Path) -> tuple[list[dict[str, Any]], list[str]]:
    """Return every row of every finished cell, arm by arm in the order of the spec, with the totals of its cell.

    Also return what is wrong with cells that are damaged, which have no rows in the table.
    """
    store = RunDirectory(path)
    order = {arm.name: number for number, arm in enumerate(store.require_header().spec.arms)}
    cells, damaged = read_cells(store.path)
    cells.sort(key=lambda cell: (order.get(cell.arm, len(order)), cell.seed))
    classifiers = sorted({name for cell in cells for row in cell.rows for name in row.holdout})
    table = []
    for cell in cells:
        shared = {"cell": cell.id} | {name: getattr(cell, name) for name in _OF_CELL}
        totals = {f"cell_{name}": getattr(cell, name) for name in _TOTALS}
        for row in cell.rows:
            table.append(
                shared
                | {name: getattr(row, name) for name in _OF_ROW}
                | {f"holdout_{name}": row.holdout.get(name) for name in classifiers}
                | {"features": " ".join(map(str, row.features))}
                | totals
            )
    return table, damaged


def write_csv(table: list[dict[str, Any]], file: Path) -> None:
    names = list(table[0]) if table else ["cell", *_OF_CELL, *_OF_ROW]
    write_whole(file, as_csv([names, *([row[name] for name in names] for row in table)]))


def write_json(table: list[dict[str, Any]], file: Path) -> None:
    write_whole(file, as_json(table) + "\n")


def as_json(table: list[dict[str, Any]]) -> str:
    return json.dumps(table, ensure_ascii=False, allow_nan=False)


def write_parquet(table: list[dict[str, Any]], file: Path) -> None:
    """Write by pyarrow."""
    require("a Parquet file")
    import pyarrow as arrow
    from pyarrow import parquet

    content = io.BytesIO()
    parquet.write_table(arrow.Table.from_pylist(table), content)
    write_whole(file, content.getvalue())


WRITERS = {"csv": write_csv, "json": write_json, "parquet": write_parquet}
