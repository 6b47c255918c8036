"""The authors' published runs, through the command line, to the last digit (G1, G4, G5)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from sweepless.cli import main

PAPER = ["--split", "50/50", "--scale", "paper", "--criterion", "knn", "--n-neighbors", "1", "--folds", "3"]
PAPER += [
    "--ties",
    "class",
    "--method",
    "sSFFS",
    "--budget",
    "100",
    "--backward-budget",
    "50",
    "--rng",
    "reference",
]


def select(capsys: pytest.CaptureFixture[str], data_dir: Path, *arguments: str) -> dict[str, Any]:
    assert main(["select", "--data-dir", str(data_dir), *PAPER, *arguments, "--json", "-"]) == 0
    result: dict[str, Any] = json.loads(capsys.readouterr().out)
    return result


def value_at(result: dict[str, Any], size: int) -> float:
    return next(record["value"] for record in result["archive"] if record["size"] == size)


@pytest.mark.paper
@pytest.mark.parametrize(("seed", "value", "n_evaluations"), [(1, 0.870980929707, 7254), (2, 0.856966789313, 8060)])
def test_g1_madelon_to_20(
    capsys: pytest.CaptureFixture[str], data_dir: Path, seed: int, value: float, n_evaluations: int
) -> None:
    result = select(
        capsys,
        data_dir,
        "--data",
        "madelon",
        "--target",
        "20",
        "--overshoot",
        "5",
        "--warm-up",
        "200@10",
        "--seed",
        str(seed),
    )
    assert f"{result['value']:.12f}" == f"{value:.12f}"
    assert result["n_evaluations"] == n_evaluations
    assert result["warm_up_evaluations"] == 200
    assert result["size"] == len(result["features"]) == 20


@pytest.mark.paper
def test_g4_madelon_killed_at_165(capsys: pytest.CaptureFixture[str], data_dir: Path) -> None:
    result = select(capsys, data_dir, "--data", "madelon", "--max-size", "165", "--warm-up", "200@10", "--seed", "1")
    assert result["n_evaluations"] == 77814
    assert f"{value_at(result, 150):.6f}" == "0.788026"
    assert result["stop_reason"] == "frontier"


@pytest.mark.paper
def test_g5_gisette_killed_at_320(capsys: pytest.CaptureFixture[str], data_dir: Path) -> None:
    result = select(capsys, data_dir, "--data", "gisette", "--max-size", "320", "--warm-up", "1000@25", "--seed", "4")
    assert result["n_evaluations"] == 137597
    assert f"{value_at(result, 100):.6f}" == "0.980039"
