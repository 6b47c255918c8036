"""Members that left the race early were judged on fewer splits, which may have been easier ones."""

from __future__ import annotations

import numpy as np
import pytest

from sweepless.validation.choice import choose, left_behind
from sweepless.validation.panel import PanelScores

OUT = np.nan
EASY_THEN_HARD = {"left": [0.77, 0.77, 0.78, OUT, OUT, OUT], "stayed": [0.80, 0.80, 0.80, 0.60, 0.61, 0.60]}


def scores(order: list[str]) -> PanelScores:
    table = np.array([EASY_THEN_HARD[name] for name in order])[:, :, None, None]
    return PanelScores(tuple(order), (5,), ("judge",), table, 0.5, 0, np.zeros(2))


@pytest.mark.parametrize("order", [["left", "stayed"], ["stayed", "left"]])
def test_who_left_behind_the_best_is_not_chosen_for_easy_splits(order: list[str]) -> None:
    choice = choose(scores(order))
    assert choice.member == choice.best_member == "stayed"
    assert left_behind(scores(order)) == [name == "left" for name in order]
