"""The files of a run directory: a header, one file per finished cell, and a separate file of times.

A cell is one line of JSON that ends with a checksum of the text before it:

    {"arm": "SFS", …, "trajectory": […], "checksum": "7d865e959b2466918c9863afca942d0f"}

Checksums detect damage and edits by hand, but not forgery.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import msgspec
from msgspec import Meta, Struct

from sweepless.errors import DataError
from sweepless.schema.spec import Spec
from sweepless.schema.typed import Count, Finite, Wrong, parsed, read_text, typed

FORMAT = 2  # since cells have checksums
PHASES = ("warm_up", "ranking", "start", "forward", "backward")
_RENAMED = {"id": "cell", "is_reference": "reference"}
_N_DIGITS = 32
_TAIL = len(f', "checksum": "{"0" * _N_DIGITS}"}}\n'.encode())


class DataFacts(Struct, frozen=True):
    """The data of a run; `n_classes` is None for regression."""

    name: str
    n_samples: Count
    n_features: Count
    n_classes: Count | None
    fingerprint: str


class Format(Struct, frozen=True, kw_only=True):
    """The part of run.json that every version of the format shares."""

    format: Annotated[int, Meta(ge=FORMAT, le=FORMAT, description=f"{FORMAT}, which this version of sweepless writes")]


class Header(Format, frozen=True, kw_only=True):
    """The content of run.json: the spec, the data and the environment of a run.

    Attributes
    ----------
    spec_text : str
        The original TOML text.
    cost_model : (float, float) or None
        Milliseconds per evaluation, as (a, b) of a + b d, either fitted by the run or given in the spec.
    command : tuple of str
        The command that runs it again.
    """

    name: str
    title: str | None = None
    spec: Spec
    spec_text: str = ""
    data: DataFacts
    cost_model: Annotated[tuple[Finite, Finite], Meta(description="two numbers")] | None = None
    versions: dict[str, str]
    command: tuple[str, ...] = ()
    feature_names: tuple[str, ...] | None = None


class Row(Struct, frozen=True):
    """The best subset of one size: its value, its holdout results, and the evaluations spent when it was found."""

    size: Count
    value: Finite | None
    n_evaluations: Count
    sum_of_sizes: Count | None
    features: tuple[int, ...]
    holdout: dict[str, Finite]


class Step(NamedTuple):
    """One step: evaluations spent, size and value after it, and its direction."""

    n_evaluations: Count
    size: Count
    value: Finite | None
    direction: str


class Cell(Struct, frozen=True, kw_only=True, dict=True, omit_defaults=True, rename=_RENAMED):
    """The result of one arm on one seed.

    Attributes
    ----------
    options : dict
        Options of the arm, with its criterion and limits, as in the spec.
    is_reference : bool
        Whether it is a baseline for the arms, such as all features, whose single row is not a selected size.
    seconds, search_seconds : float or None
        Times, kept in a separate file so that the files of cells do not depend on the machine.
    """

    id: str
    arm: str
    seed: int
    method: str
    criterion: str
    data: str
    options: dict[str, Any]
    rng: str
    n_features: Count
    n_train: Count
    n_test: Count
    stop_reason: str
    n_evaluations: Count
    forward_evaluations: Count
    backward_evaluations: Count
    warm_up_evaluations: Count
    ranking_evaluations: Count
    start_evaluations: Count
    sum_of_sizes: Count | None
    rows: tuple[Row, ...]
    trajectory: tuple[Step, ...]
    is_reference: bool = False
    seconds: Finite | None = None
    search_seconds: Finite | None = None

    def __post_init__(self) -> None:
        for number, row in enumerate(self.rows):
            if not all(0 <= feature < self.n_features for feature in row.features):
                raise Wrong("rows", number, "features", allowed=f"features from 0 to {self.n_features - 1}")

    @cached_property
    def by_size(self) -> Mapping[int, Row]:
        return {row.size: row for row in self.rows}

    @cached_property
    def phases(self) -> Mapping[str, int]:
        """The number of evaluations of each phase of the search."""
        return {phase: getattr(self, f"{phase}_evaluations") for phase in PHASES}


class CellTime(Struct, frozen=True):
    """A line of times.jsonl: the time of a cell and of its search."""

    cell: str
    seconds: Finite
    search_seconds: Finite


def as_json(record: Struct | Mapping[str, Any]) -> str:
    """Write a record as JSON on one line."""
    return json.dumps(msgspec.to_builtins(record), sort_keys=True, allow_nan=False, ensure_ascii=False)


def sealed(cell: Struct | Mapping[str, Any]) -> str:
    """Write a cell with its checksum at the end."""
    text = as_json(cell)[:-1]
    return f"{text}{_ending(text.encode()).decode()}"


def read_header(file: Path) -> Header:
    """Read the header of a run directory."""
    values = parsed(file, read_text(file))
    typed(values, Format, file)
    return typed(values, Header, file)


def read_cell(file: Path) -> Cell:
    """Read a cell; raise DataError if it is damaged or has the wrong name."""
    content = read_text(file).encode()
    if content[-_TAIL:] != _ending(content[:-_TAIL]):
        raise DataError(f"{file} is damaged: its checksum does not match.")
    cell = typed(parsed(file, content.decode()), Cell, file)
    if cell.id != file.stem:
        raise DataError(f"{file} must hold the cell of its name, got {cell.id}.")
    return cell


def cell_files(path: Path) -> list[Path]:
    """Return the files of the cells of a run directory, including damaged ones."""
    return sorted((path / "cells").glob("[!.]*.json"))


def read_cells(path: Path) -> tuple[list[Cell], list[str]]:
    """Return all intact cells of a run directory with their times, and the errors of the others."""
    times = _times(path / "times.jsonl")
    cells, reasons = [], []
    for file in cell_files(path):
        try:
            cell = read_cell(file)
        except DataError as error:
            reasons.append(str(error))
            continue
        if (took := times.get(cell.id)) is not None:
            cell = msgspec.structs.replace(cell, seconds=took.seconds, search_seconds=took.search_seconds)
        cells.append(cell)
    return cells, reasons


def _times(file: Path) -> dict[str, CellTime]:
    """Read the seconds of cells; skip lines that cannot be read, such as an incomplete one."""
    times: dict[str, CellTime] = {}
    with suppress(FileNotFoundError):
        for line in file.read_bytes().splitlines():
            with suppress(DataError, UnicodeDecodeError):
                found = typed(parsed(file, line.decode()), CellTime, file)
                times[found.cell] = found
    return times


def _ending(text: bytes) -> bytes:
    return b', "checksum": "%b"}\n' % hashlib.sha256(text).hexdigest()[:_N_DIGITS].encode()
