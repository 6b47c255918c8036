"""The result of one search as JSON, as `sweepless select --json` writes it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from msgspec import UNSET, Struct, UnsetType

from sweepless.schema.panel import SavedPanel
from sweepless.schema.typed import Count, Finite, parsed, read_text, typed


class SavedSubset(Struct, frozen=True, kw_only=True):
    """The best subset of one size."""

    size: Count
    value: Finite
    features: list[Count]
    feature_names: list[str] | UnsetType = UNSET
    n_evaluations: Count


class SavedResult(Struct, frozen=True, kw_only=True):
    """A result in plain values.

    Attributes
    ----------
    size, value, features : int, float or None, list of int
        The chosen subset; the value is None if there is none.
    forward_evaluations, … : int
        What the evaluations were for.
    settings : dict or None
        Those of the search, as `SearchSettings.to_dict` writes them.
    archive : list of SavedSubset
        The best subset of every size.
    holdout : float or None
        The value on data that the search never saw, if any were held back.
    n_samples, task, n_classes, scale
        What the command line made of the data.
    panel : SavedPanel
        The criteria that were compared before the search, if nobody named one; the holdout is then the mean score of
        their judges.
    schema : int
        Of what the command line writes; see `docs/guide/json.md`.
    """

    method: str
    criterion: str
    size: Count
    value: Finite | None
    features: list[Count]
    feature_names: list[str] | UnsetType = UNSET
    n_evaluations: Count
    forward_evaluations: Count
    backward_evaluations: Count
    warm_up_evaluations: Count
    ranking_evaluations: Count
    start_evaluations: Count
    filter_evaluations: Count
    spared_evaluations: Finite = 0.0
    sum_of_sizes: Count
    stop_reason: str
    seed: int
    rng: str
    n_features: Count
    n_tried: Count | None
    target: Count | None
    settings: dict[str, Any] | None
    archive: list[SavedSubset]
    seconds: float
    version: str
    holdout: Finite | UnsetType | None = UNSET
    n_samples: Count | UnsetType = UNSET
    task: str | UnsetType = UNSET
    n_classes: Count | UnsetType | None = UNSET
    scale: str | UnsetType = UNSET
    panel: SavedPanel | UnsetType = UNSET
    schema: Count | UnsetType = UNSET


def read_result(path: str | Path) -> SavedResult:
    """Read a result that `sweepless select --json` wrote."""
    file = Path(path)
    return typed(parsed(file, read_text(file)), SavedResult, file)
