"""Data on which fast arithmetic goes wrong first: ties, constants, duplicates, extreme and mixed scales."""

from __future__ import annotations

import numpy as np


def knn_cases(seed: int = 0, n_samples: int = 36, n_features: int = 7) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Name -> (X, labels)."""
    rng = np.random.default_rng(seed)
    shape = (n_samples, n_features)
    normal = rng.normal(size=shape)
    two = rng.permutation(np.arange(n_samples) % 2)
    three = rng.permutation(np.arange(n_samples) % 3)
    binary = rng.integers(0, 2, shape)
    constant = normal.copy()
    constant[:, ::2] = 1.5
    twin_columns = normal.copy()
    twin_columns[:, 1::2] = twin_columns[:, :-1:2]
    twin_rows = normal.copy()
    twin_rows[n_samples // 2 :] = twin_rows[: n_samples - n_samples // 2]
    lonely = np.zeros(n_samples, dtype=int)
    lonely[[2, 5]] = [1, 2]
    skewed = np.where(np.arange(n_samples) < 4, 1, 0)
    mixed = normal * 10.0 ** np.linspace(8, -8, n_features)
    return {
        "ordinary": (normal, two),
        "three unsorted classes": (normal + three[:, None] * 0.3, three),
        "labels as strings": (normal, np.array(["pear", "apple"])[two]),
        "binary": (binary, two),
        "small integers": (rng.integers(0, 4, shape), three),
        "tenths, whose squares do not add up exactly": (rng.integers(0, 4, shape) / 10, three),
        "constant columns": (constant, two),
        "duplicate columns": (twin_columns, three),
        "duplicate rows of other classes": (twin_rows, two),
        "classes of one sample": (normal, lonely),
        "a small class": (normal, skewed),
        "many classes": (rng.integers(0, 3, shape), np.arange(n_samples) // 2),
        "one feature": (rng.integers(0, 5, (n_samples, 1)), two),
        "two features": (normal[:, :2], two),
        "huge": (normal * 1e200, two),
        "huge but one": (np.where(np.arange(n_features) == 2, 1e200, 1.0) * normal, two),
        "beyond float32": (normal * 1e20, two),
        "tiny": (normal * 1e-200, two),
        "below float32": (normal * 1e-23, two),
        "at the end of float32": (normal * 2e-22, three),
        "mixed scales": (mixed, two),
        "mixed scales, integers": (rng.integers(0, 3, shape) * 10.0 ** rng.integers(-8, 9, n_features), three),
        "far offset": (1e6 + normal, two),
        "far offset, small steps": (1e6 + rng.integers(0, 3, shape) * 2.0**-20, three),
        "the last digit of a far offset": (1e9 + rng.integers(0, 2, shape) * 2.0**-23, two),
        "the last two digits of a far offset": (1e9 + rng.integers(0, 3, shape) * 2.0**-23, three),
        "offset with few digits left": (1e9 + normal * 1e-6, two),
        "nearly tied": (rng.integers(0, 2, shape) + rng.integers(0, 3, shape) * 2.0**-50, two),
        "tied to float32 only": (rng.integers(0, 2, shape) + rng.normal(size=shape) * 1e-9, three),
        "float32 storage": (normal.astype(np.float32), two),
        "bytes": (rng.integers(0, 255, shape).astype(np.uint8), three),
    }
