"""The tree of random splits, against its twin."""

from __future__ import annotations

import numpy as np
import pytest

from sweepless.kernels.trees import tree_outputs
from tests.reference import trees as reference

CASES = {  # samples, features, classes (None: whole numbers to predict), levels of a feature
    "continuous": (40, 6, 3, None),
    "ties": (60, 4, 2, 3),
    "constant columns": (30, 5, 2, 1),
    "one class": (12, 3, 1, 4),
    "one feature": (25, 1, 2, 5),
    "one sample": (1, 2, 2, None),
    "numbers": (50, 5, None, 6),
}


def case(name: str, seed: int) -> tuple[np.ndarray, ...]:
    n_samples, n_features, n_classes, n_levels = CASES[name]
    rng = np.random.default_rng(seed)

    def rows(count: int) -> np.ndarray:
        if n_levels is None:
            return rng.normal(size=(count, n_features))
        return rng.integers(0, n_levels, (count, n_features)).astype(float)

    known, new = rows(n_samples), rows(20)
    codes = rng.integers(0, n_classes or 1, n_samples)
    # Whole numbers, so that sums are the same in any order.
    weights = np.ones(n_samples) if n_classes else rng.integers(-9, 9, n_samples).astype(float)
    return known, codes, weights, rng.random((n_samples, 6)), new


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("name", CASES)
def test_the_kernel_is_its_twin(name: str, seed: int) -> None:
    known, codes, weights, draws, new = case(name, seed)
    n_outputs = CASES[name][2] or 1
    found = np.zeros((len(new), n_outputs))
    tree_outputs(known, codes, weights, n_outputs, draws, new, found)
    np.testing.assert_array_equal(found, reference.tree_outputs(known, codes, weights, n_outputs, draws, new))


def test_distinct_samples_are_learned_by_heart() -> None:
    known, codes, weights, draws, _ = case("continuous", 7)
    found = np.zeros((len(known), 3))
    tree_outputs(known, codes, weights, 3, draws, known, found)
    np.testing.assert_array_equal(found, np.eye(3)[codes])
