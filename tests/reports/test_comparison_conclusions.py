"""What is concluded from a comparison, with numbers made up for it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from sweepless.reports.comparison.conclusion import conclude
from sweepless.reports.comparison.results import Results
from sweepless.reports.records import Run
from sweepless.schema.run import PHASES, Cell, Row


def made_up(holdout: dict[str, list[float]], value: float = 0.8) -> Run:
    """A run of one size with given holdouts over seeds, 100 samples on either side of the split."""

    def cell(arm: str, seed: int, accuracy: float) -> Cell:
        return Cell(
            id=f"{arm}{seed}",
            arm=arm,
            seed=seed,
            method=arm,
            criterion="KNN()",
            data="made up",
            options={},
            rng="portable",
            n_features=9,
            n_train=100,
            n_test=100,
            stop_reason="completed",
            n_evaluations=300 if arm == "SFFS" else 100,
            sum_of_sizes=None,
            **{f"{phase}_evaluations": 0 for phase in PHASES},
            rows=(Row(5, value, 10, None, (0, 1, 2, 3, 4), {"knn": accuracy}),),
            trajectory=(),
        )

    cells = tuple(cell(arm, seed, one) for arm, over in holdout.items() for seed, one in enumerate(over))
    return Run(Path(), "made up", "", {}, "", {}, {}, (), None, cells, None, None)


def test_differences_are_corrected_for_shared_samples() -> None:
    results = Results(made_up({"A": [0.90, 0.92, 0.94, 0.90], "B": [0.88, 0.91, 0.90, 0.87]}))
    found = results.difference("A", "B", 5, "knn")
    differences = np.array([0.02, 0.01, 0.04, 0.03])
    assert found.mean == pytest.approx(0.025)
    # 3.182 is Student's 97.5 % quantile for 3 degrees of freedom; 1/4 + 100/100 stands for the shared samples.
    assert found.reach == pytest.approx(3.1824 * differences.std(ddof=1) * 1.25**0.5, rel=1e-4)


def test_the_conclusion_tells_clear_from_varied_from_noise() -> None:
    said = conclude(
        Results(
            made_up(
                {
                    "sSFFS": [0.90, 0.91, 0.90, 0.92],
                    "SFFS": [0.91, 0.90, 0.90, 0.91],
                    "BIF": [0.50, 0.88, 0.70, 0.90],
                    "RFE": [0.70, 0.71, 0.71, 0.71],
                },
                value=0.97,
            )
        ),
        "knn",
    )
    assert said[0].endswith("close to the best at every size: sSFFS, SFFS.")
    assert said[1] == (
        "With 5 features, sSFFS leads with 0.907; within noise: SFFS; behind on every seed, but by amounts too varied "
        "to be sure: BIF; clearly behind: RFE (by 0.200 ± 0.036)."
    )
    assert "sSFFS took 0.33 times the evaluations of the full sweep" in said[2] and "within noise" in said[2]
    assert "RFE with 5 features promised 0.970 and kept 0.708" in " ".join(said)


def test_two_seeds_decide_nothing() -> None:
    said = conclude(Results(made_up({"A": [0.9, 0.9], "B": [0.5, 0.5]})), "knn")
    assert "clearly" not in " ".join(said)
    assert said[-1].startswith("Fewer than 3 seeds")


def test_seeds_that_agree_by_luck_are_not_certain() -> None:
    results = Results(made_up({"A": [0.90] * 3, "B": [0.89] * 3}))
    assert not results.difference("A", "B", 5, "knn").is_clear
    assert results.difference("A", "B", 5, "knn").reach > 0.01


def test_values_that_are_no_accuracies_promise_nothing() -> None:
    run = made_up({"A": [0.5, 0.6, 0.5], "B": [0.5, 0.5, 0.5]}, value=7.0)
    assert "promised" not in " ".join(conclude(Results(run), None))
    assert "promised" in " ".join(conclude(Results(replace(run)), "knn"))
