"""Weights of samples in training."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import numpy as np

from sweepless._typing import Counts, Values
from sweepless.criteria.base import Criterion
from sweepless.dataset import Dataset
from sweepless.errors import DataError, InputError


class SampleWeight(tuple[float, ...]):
    """One weight for each sample, not printed one by one."""

    def __repr__(self) -> str:
        return f"({len(self)} weights)"


class Weighable(Criterion):
    """A criterion, described by a dataclass, that prints weights only if there are any."""

    def __repr__(self) -> str:
        shown = [(one.name, getattr(self, one.name)) for one in fields(self) if one.repr]  # type: ignore[arg-type]
        kept = (f"{name}={value!r}" for name, value in shown if not (name.endswith("_weight") and value is None))
        return f"{type(self).__name__}({', '.join(kept)})"


def checked_sample_weight(given: Any) -> SampleWeight | None:
    """Return the weights as a tuple, which can be compared, or None."""
    if given is None:
        return None
    weights = np.asarray(given)
    if weights.ndim != 1 or weights.dtype.kind not in "biuf" or not np.all((weights >= 0.0) & (weights < np.inf)):
        raise InputError(f"`sample_weight` must be a finite number of at least 0 for each sample, got {given!r}.")
    return SampleWeight(weights.astype(float).tolist())


def sample_weights(given: tuple[float, ...] | None, data: Dataset, parts: list[tuple[Counts, Counts]]) -> Values:
    """Return the weight of every sample, or raise unless every training part weighs something."""
    if given is None:
        return np.ones(data.n_samples)
    weights = np.array(given)
    if len(weights) != data.n_samples:
        raise DataError(
            f"`sample_weight` must hold a weight for each of the {data.n_samples} samples of {data.name}, "
            f"got {len(weights)}."
        )
    if any(not weights[train].sum() > 0.0 for train, _ in parts):
        raise DataError(f"`sample_weight` must be positive somewhere in every training part of {data.name}, got zeros.")
    return weights
