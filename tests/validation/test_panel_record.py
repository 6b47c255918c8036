"""The file that keeps what criteria were worth outside."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from sweepless.validation.panel import Cell
from sweepless.validation.panel_record import PanelRecord

CELL = Cell(np.array([[0.1, np.nan], [1 / 3, 0.5]]), 7, 0.25)
OTHER = Cell(np.zeros((2, 2)), 1, 0.5)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "run.jsonl.panel"


def test_cells_come_back_to_the_last_bit(path: Path) -> None:
    PanelRecord(path, "a", "x")["ridge", 2] = CELL
    kept = PanelRecord(path, "a", "x")
    assert list(kept) == [("ridge", 2)] and len(kept) == 1
    found = kept["ridge", 2]
    assert np.array_equal(found.scores, CELL.scores, equal_nan=True)
    assert (found.n_evaluations, found.seconds) == (7, 0.25)


def test_cells_of_another_panel_or_other_settings_are_left_alone(path: Path) -> None:
    PanelRecord(path, "a", "x")["ridge", 0] = CELL
    assert not PanelRecord(path, "b", "x") and not PanelRecord(path, "a", "y")
    PanelRecord(path, "a", "y")["ridge", 0] = OTHER
    assert PanelRecord(path, "a", "x")["ridge", 0].n_evaluations == 7


def test_a_resumed_run_has_the_cells_of_the_last_settings_only(path: Path) -> None:
    first = PanelRecord(path, "a", "x")
    first["ridge", 0] = first["ridge", 1] = CELL
    PanelRecord(path, "a", "y")["ridge", 0] = OTHER
    PanelRecord(path, "b", "z")["ridge", 5] = CELL
    resumed = PanelRecord(path, "a", None)
    assert list(resumed) == [("ridge", 0)] and resumed["ridge", 0].n_evaluations == 1
    resumed["ridge", 1] = OTHER
    assert len(PanelRecord(path, "a", "y")) == 2


def test_a_line_that_was_cut_and_strange_lines_are_passed_over(path: Path) -> None:
    record = PanelRecord(path, "a", "x")
    record["ridge", 0] = record["ridge", 1] = CELL
    path.write_bytes(b'3\n{"panel": "a", "settings": "x"}\n' + path.read_bytes()[:-20])
    assert list(PanelRecord(path, "a", "x")) == [("ridge", 0)]
    again = PanelRecord(path, "a", "x")
    again["ridge", 1] = CELL
    assert ("ridge", 1) in PanelRecord(path, "a", "x")
