"""The size that a panel chooses: the smallest that is nearly as good, but not one that loses most of what there is."""

from __future__ import annotations

import numpy as np
import pytest

from sweepless.validation.choice import choose
from sweepless.validation.panel import PanelScores

SIZES = (1, 5, 20)


def scores(means: tuple[float, float, float], noise: float) -> PanelScores:
    """Four splits whose scores differ from the means by some noise, another at every size."""
    signs = np.array([[1, 1, -1, -1], [1, -1, 1, -1], [1, -1, -1, 1]]).T
    table = (np.array(means) + noise * signs)[None, :, :, None]
    return PanelScores(("only",), SIZES, ("judge",), table, 0.5, 0, np.zeros(1))


@pytest.mark.parametrize(
    ("means", "noise", "size"),
    [
        ((0.60, 0.78, 0.80), 0.2, 20),  # within an error, but a tenth of the gain of .2 is gone with 5 features
        ((0.60, 0.79, 0.80), 0.2, 5),
        ((0.60, 0.79, 0.80), 0.001, 20),  # certainly worse
        ((0.60, 0.80, 0.79), 0.001, 5),
        ((0.80, 0.80, 0.80), 0.2, 1),
    ],
)
def test_the_smallest_size_that_keeps_nearly_all(means: tuple[float, float, float], noise: float, size: int) -> None:
    assert choose(scores(means, noise)).size == size
    assert choose(scores(means, noise), smallest=False).size == SIZES[int(np.argmax(means))]


def test_sizes_that_may_not_be_chosen_do_not_count() -> None:
    assert choose(scores((0.2, 0.70, 0.80), 0.2), allowed=np.array([False, True, True])).size == 20
