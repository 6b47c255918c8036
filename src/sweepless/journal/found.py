"""A step that was found, as a record."""

from __future__ import annotations

import numpy as np

from sweepless.direction import Direction
from sweepless.journal.lines import Record
from sweepless.search.step import Step
from sweepless.search.walk import Walk


def as_fields(step: Step | None) -> Record:
    """Write a step, or that there was none."""
    if step is None:
        return {"features": None, "value": None, "n_proposed": 0, "position": -1}
    return {
        "features": step.features.tolist(),
        "value": step.value,
        "n_proposed": step.n_proposed,
        "position": step.position,
    }


def as_step(record: Record, direction: Direction, walk: Walk) -> Step | None:
    """Read a step that can be taken from where the search stands."""
    if record["features"] is None:
        return None
    features = np.array(record["features"])  # of any numbers: the type is looked at next
    if features.ndim != 1 or features.dtype.kind != "i":
        raise ValueError(f"features {record['features']}")
    legal = direction.is_legal(walk.size, walk.n_features, len(features))
    if (
        not legal
        or min(features) < 0
        or max(features) >= walk.n_features
        or len(set(features.tolist())) < len(features)
    ):
        raise ValueError(f"features {record['features']}")
    return Step(direction, features.astype(np.intp), float(record["value"]), record["n_proposed"], record["position"])
