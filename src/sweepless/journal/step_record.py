"""A step that was found, as a record."""

from __future__ import annotations

import numpy as np

from sweepless.direction import Direction
from sweepless.journal.lines import Record
from sweepless.search.step import Step
from sweepless.search.walk import Walk


def as_text(step: Step | None) -> str:
    """Write a step as JSON by hand, which is several times as fast, for runs of many short steps."""
    if step is None:
        return '"features":null,"value":null,"n_proposed":0,"position":-1'
    features = ",".join(map(str, step.features.tolist()))
    return (
        f'"features":[{features}],"value":{float(step.value)!r},'
        f'"n_proposed":{int(step.n_proposed)},"position":{int(step.position)}'
    )


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
    listed = record["features"]
    members, n_features = walk.members, walk.n_features
    if not direction.is_legal(walk.size, n_features, len(listed)) or len(set(map(str, listed))) < len(listed):
        raise ValueError(f"features {listed}")
    for feature in listed:
        if type(feature) is not int or not 0 <= feature < n_features or members[feature] == direction.adds:
            raise ValueError(f"features {listed}")
    features = np.array(listed, dtype=np.intp)
    return Step(direction, features, float(record["value"]), record["n_proposed"], record["position"])
