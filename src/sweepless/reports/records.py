"""What a run directory holds, as reports see it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from sweepless.schema.run import Cell, Row, Step

__all__ = ["Cell", "Row", "Run", "Step"]


@dataclass(frozen=True, eq=False)  # the same only if it is the same reading, so that results can be kept by run
class Run:
    """What a run directory holds; it need not be finished.

    Attributes
    ----------
    n_planned : int
        Number of cells when finished.
    cells : tuple of Cell
        The finished ones, by arm in the order of the spec, then by seed.
    damaged : tuple of str
        What is wrong with files of cells that could not be used; `sweepless run` computes them again.
    references : tuple of Cell
        What the arms are held against, each with one row that is no choice of a size: all features, for example.
    """

    path: Path
    name: str
    title: str
    spec: Mapping[str, Any]
    spec_text: str
    data: Mapping[str, Any]
    versions: Mapping[str, str]
    command: tuple[str, ...]
    feature_names: tuple[str, ...] | None
    cells: tuple[Cell, ...]
    n_planned: int
    cost_model: tuple[float, float] | None
    references: tuple[Cell, ...] = ()
    damaged: tuple[str, ...] = ()

    @cached_property
    def arms(self) -> tuple[str, ...]:
        """Return the arms that have a finished cell."""
        return tuple(dict.fromkeys(cell.arm for cell in self.cells))

    @cached_property
    def seeds(self) -> tuple[int, ...]:
        return tuple(sorted({cell.seed for cell in self.cells}))

    @cached_property
    def classifiers(self) -> tuple[str, ...]:
        """Return the classifiers that validated anything."""
        return tuple(dict.fromkeys(name for cell in self.cells for row in cell.rows for name in row.holdout))

    @property
    def n_missing(self) -> int:
        return max(0, self.n_planned - len(self.cells))

    def of(self, arm: str) -> tuple[Cell, ...]:
        """Return the cells of an arm, by seed."""
        return tuple(cell for cell in self.cells if cell.arm == arm)

    def feature_name(self, feature: int) -> str:
        return str(feature) if self.feature_names is None else self.feature_names[feature]
