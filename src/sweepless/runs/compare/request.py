"""What a user asks a comparison for, and what suits the data where nothing is asked."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sweepless._nearest import or_nearest
from sweepless.criteria.registry import predictor_of, predictors_for
from sweepless.dataset import Dataset, Task
from sweepless.errors import DataError, InputError

# One of every family.
_JUDGES: dict[Task, tuple[str, ...]] = {
    "classification": ("knn", "svm", "logistic", "forest"),
    "regression": ("ridge", "knn-regression", "forest"),
}
_KIN = {"ridge": "logistic"}  # of the family of a criterion's own predictor there is no second one
_LEAST_SAMPLES = 10  # on either side of a split where the target is numbers
_LADDER = (1, 2, 5, 10, 20, 50)
_QUICK_LARGEST = 10


@dataclass(frozen=True)
class Request:
    """What a user asks for; None stands for what suits the data."""

    source: str
    label: str | int | None = None
    drop: tuple[str | int, ...] = ()
    task: Task | None = None
    criterion: str | None = None
    judges: tuple[str, ...] | None = None
    sizes: tuple[int, ...] | None = None
    seeds: tuple[int, ...] = (1, 2, 3, 4, 5)
    budget: int | None = None
    max_evaluations: int | None = None
    split: tuple[int, int] = (50, 50)
    sweep: str = "auto"
    is_quick: bool = False


def require_classes(request: Request, data: Dataset) -> None:
    """Raise unless every class has enough samples on both sides of the split."""
    data.require_classes()
    n_folds, distinct = 3, len(data.classes)
    needed = int(np.ceil(100 * n_folds / request.split[0]))
    least = int(np.argmin(data.class_sizes))
    if data.class_sizes[least] < max(needed, 2):
        hint = "; --task regression takes them for numbers" if data.target.dtype.kind in "iuf" else ""
        raise DataError(
            f"every class must have at least {max(needed, 2)} samples for {n_folds} folds of a {request.split[0]}/"
            f"{request.split[1]} split, got {data.class_sizes[least]} of class {data.classes[least]} "
            f"({distinct:,} classes, {data.n_samples:,} samples{hint})."
        )


def require_numbers(request: Request, data: Dataset) -> None:
    """Raise unless there are numbers to predict on both sides of the split."""
    if data.target.dtype.kind not in "biuf":
        raise DataError(f"the label must be numbers for regression, got words such as {str(data.target[0])!r}.")
    least = min(data.n_samples * percent // 100 for percent in request.split)
    if least < _LEAST_SAMPLES:
        raise DataError(
            f"either side of the split must have at least {_LEAST_SAMPLES} samples, got {least} of {data.n_samples}."
        )


def fitting_sizes(request: Request, n_features: int) -> tuple[int, ...]:
    """Return the sizes that are reported: those asked for, or some up to half of the features."""
    if request.sizes is None:
        most = min(max(1, n_features // 2), _QUICK_LARGEST if request.is_quick else _LADDER[-1])
        return tuple(size for size in _LADDER if size <= most)[-4:]
    beyond = [size for size in request.sizes if not 1 <= size <= n_features]
    if beyond:
        raise InputError(f"--sizes must be from 1 to the {n_features} features of the data, got {beyond[0]}.")
    return tuple(sorted(set(request.sizes)))


def fitting_judges(request: Request, criterion: str, task: Task) -> list[str]:
    """Return who judges beside the criterion's own predictor: those asked for, or one of every other family."""
    known = predictors_for(task)
    for judge in request.judges or ():
        if judge not in known:
            raise InputError(f"--judges must be some of {', '.join(known)}, got {judge}{or_nearest(judge, known)}")
    own = predictor_of(criterion)
    given = _JUDGES[task] if request.judges is None else request.judges
    kin = (own, _KIN.get(own or "")) if request.judges is None else (own,)
    return [judge for judge in dict.fromkeys(given) if judge not in kin]
