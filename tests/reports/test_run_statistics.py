"""Means, tests, stability and sentences of a run, against numbers worked out apart."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sweepless.reports.records import Run
from sweepless.reports.run_sentences import sentences
from sweepless.reports.run_statistics import Measure, arm_means, chosen_sizes, main_size, paired_tests
from sweepless.reports.run_tables import cost_table, features_table, stability_table, value_table
from sweepless.reports.rundir import read_run
from sweepless.reports.table import Spread
from sweepless.schema.run import sealed
from tests.reports.synthetic_run import write_run


def changed(path: Path, change: Callable[[dict[str, Any]], None]) -> Run:
    for file in (path / "cells").glob("*.json"):
        cell = json.loads(file.read_text())
        del cell["checksum"]
        change(cell)
        file.write_text(sealed(cell))
    return read_run(path)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return read_run(write_run(tmp_path_factory.mktemp("runs") / "run"))


def test_means_and_sample_deviations(run: Run) -> None:
    (first, *_) = arm_means(run, Measure("knn"))
    values = [cell.by_size[7].holdout["knn"] for cell in run.of(first.arm)]
    spread = first.at(7)
    assert spread is not None
    assert spread.mean == pytest.approx(np.mean(values))
    assert spread.std == pytest.approx(np.std(values, ddof=1))
    assert spread.n == 4


def test_the_highest_mean_is_marked(run: Run) -> None:
    table = value_table(run, Measure(), [5, 20])
    means = np.array([[value.mean for value in row[1:] if isinstance(value, Spread)] for row in table.rows])
    assert table.marked == {(int(at), k + 1) for k, at in enumerate(means.argmax(axis=0))}


def test_paired_tests_agree_with_the_formulas(run: Run) -> None:
    (test, *_) = paired_tests(run, Measure(), 10)
    values = [[cell.by_size[10].value or 0.0 for cell in run.of(arm)] for arm in (test.first, test.second)]
    differences = np.subtract(*values)
    assert test.n == 4
    assert test.difference == pytest.approx(differences.mean())
    assert test.t == pytest.approx(differences.mean() / (differences.std(ddof=1) / 2))
    ranks = np.argsort(np.argsort(abs(differences))) + 1
    assert test.w == min(ranks[differences > 0].sum(), ranks[differences < 0].sum())


def test_tests_say_when_they_are_undefined(tmp_path: Path) -> None:
    def values(cell: dict[str, Any]) -> None:
        for row in cell["rows"]:
            level = {"SFFS": 0.5, "sSFFS y=100": 0.5, "BIF": 0.25}[cell["arm"]]
            row["value"] = level + cell["seed"] / 7

    run = changed(write_run(tmp_path / "run", sizes=[3]), values)
    same, shifted, _ = paired_tests(run, Measure(), 3)
    assert (same.difference, same.t, same.w_p) == (0.0, None, None)
    assert same.why == "undefined: all differences are zero"
    assert (shifted.difference, shifted.t, shifted.w) == (0.25, None, 0.0)
    assert shifted.why == "t undefined: all differences are equal"
    few = read_run(write_run(tmp_path / "few", seeds=[1, 2]))
    assert {test.why for test in paired_tests(few, Measure(), 3)} == {"needs 3 paired seeds"}


def test_only_paired_seeds_are_compared(tmp_path: Path) -> None:
    path = write_run(tmp_path / "run")
    next((path / "cells").glob("bif--s02*")).unlink()
    tests = {(test.first, test.second): test.n for test in paired_tests(read_run(path), Measure(), 3)}
    assert tests == {("SFFS", "sSFFS y=100"): 4, ("SFFS", "BIF"): 3, ("sSFFS y=100", "BIF"): 3}


def test_equal_subsets_are_stable(tmp_path: Path) -> None:
    def features(cell: dict[str, Any]) -> None:
        for row in cell["rows"]:
            row["features"] = list(range(row["size"]))

    table = stability_table(changed(write_run(tmp_path / "run", sizes=[2, 5]), features), [2, 5])
    assert [row[1:7] for row in table.rows] == [[size, 4, 1.0, 1.0, 1.0, 1.0] for size in (2, 5)] * 3


def test_features_are_counted_by_arm(run: Run) -> None:
    table = features_table(run, 5)
    (feature, total, *by_arm) = table.rows[0]
    assert total == sum(feature in cell.by_size[5].features for cell in run.cells)
    assert sum(count for count in by_arm if isinstance(count, int)) == total


def test_modelled_minutes(run: Run) -> None:
    cell, minutes = run.cells[0], cost_table(run).rows[0][-1]
    assert isinstance(minutes, Spread)
    assert minutes.mean == pytest.approx((3.6797 * cell.n_evaluations + 0.48717 * 20 * cell.n_evaluations) / 60_000)


@pytest.mark.parametrize(
    ("sizes", "chosen"),
    [
        (range(1, 166), [5, 10, 20, 50, 100, 150]),
        (range(1, 31), [1, 2, 5, 10, 20, 30]),
        ([25, 100, 300, 500], [25, 100, 300, 500]),
        (range(3, 40, 4), [3, 7, 15, 23, 31, 39]),
    ],
)
def test_chosen_sizes(tmp_path: Path, sizes: range | list[int], chosen: list[int]) -> None:
    run = read_run(write_run(tmp_path / "run", sizes=sizes, seeds=[1], n_features=600))
    assert chosen_sizes(run) == chosen


def test_sentences_are_counted_from_the_rows(tmp_path: Path) -> None:
    def values(cell: dict[str, Any]) -> None:
        lead = {"SFFS": 0.0, "sSFFS y=100": 0.5, "BIF": -0.5}[cell["arm"]]
        for row in cell["rows"]:
            row["value"] = row["size"] / 100 + (lead if row["size"] <= 22 else -lead)

    run = changed(write_run(tmp_path / "run", classifiers=[]), values)
    said = " ".join(sentences(run, [10, 30]))
    assert "The highest mean value is 0.8000 ± 0.0000, reached with 30 features by BIF" in said
    assert "of the 30 sizes that all arms report, sSFFS y=100 leads at 22, BIF at 8." in said
    assert "BIF spent the fewest evaluations, 3,666 per run; SFFS spent the most, 7,400, which is 2.0 times" in said


def test_an_unfinished_run_says_so(tmp_path: Path) -> None:
    run = read_run(write_run(tmp_path / "run", seeds=[1, 2], planned_seeds=range(1, 11)))
    assert sentences(run, [5])[0].startswith("The run is not finished: 24 of 30 cells are missing")


def test_the_size_that_most_arms_report(tmp_path: Path) -> None:
    def rows(cell: dict[str, Any]) -> None:
        kept = [30] if cell["arm"] == "BIF" else [5, 10]
        cell["rows"] = [row for row in cell["rows"] if row["size"] in kept]

    assert main_size(changed(write_run(tmp_path / "run"), rows), [5, 10, 30]) == 10
