"""Weights of classes: given, or such that all classes weigh the same."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

import numpy as np

from sweepless._typing import Counts, Values
from sweepless.dataset import Dataset
from sweepless.errors import DataError, InputError

ClassWeight: TypeAlias = Literal["balanced"] | tuple[float, ...] | None


def checked_class_weight(given: Any) -> ClassWeight:
    """Return the weights as given, a sequence of them as a tuple."""
    if given is None or (isinstance(given, str) and given == "balanced"):
        return given  # type: ignore[return-value]
    weights = np.asarray(given)
    is_one_each = weights.ndim == 1 and weights.dtype.kind in "iuf" and len(weights) > 0
    if not is_one_each or not np.all((weights > 0.0) & (weights < np.inf)):
        raise InputError(f"`class_weight` must be None, balanced or a positive weight for each class, got {given!r}.")
    return tuple(weights.astype(float).tolist())


def require_weights(class_weight: ClassWeight, data: Dataset) -> None:
    """Raise unless every class has a weight."""
    if isinstance(class_weight, tuple) and len(class_weight) != len(data.classes):
        raise DataError(
            f"`class_weight` must hold a weight for each of the {len(data.classes)} classes of {data.name}, "
            f"got {len(class_weight)}."
        )


def weights_of(class_weight: ClassWeight, codes: Counts) -> Values:
    """Return the weight of every sample of a training part."""
    if class_weight is None:
        return np.ones(len(codes))
    if isinstance(class_weight, tuple):
        return np.array(class_weight)[codes]
    sizes = np.bincount(codes)
    return np.asarray(len(codes) / (np.count_nonzero(sizes) * sizes[codes]))


def weights_by_label(given: object, codes: Counts, labels: list[object]) -> Values:
    """Return the weight of every sample of a training part, whose classes are numbered and have these labels."""
    if given is None:
        return np.ones(len(codes))
    counts = np.bincount(codes, minlength=len(labels))
    if given == "balanced":
        shares = len(codes) / (len(labels) * counts)
    else:
        named = dict(given)  # type: ignore[call-overload]
        shares = np.array([float(named.get(label, 1.0)) for label in labels])
    return np.asarray(shares[codes], dtype=np.float64)
