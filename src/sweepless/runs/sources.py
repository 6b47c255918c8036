"""The data of a campaign: loaded, told from others, and timed."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

from sweepless.criteria.registry import make_criterion
from sweepless.data import load, make_madelon
from sweepless.dataset import Dataset
from sweepless.engine.generator import make_rng
from sweepless.errors import InputError, SpecError
from sweepless.journal.fingerprint import fingerprint
from sweepless.runs.spec import Spec
from sweepless.runs.split_cache import parts_of
from sweepless.search.cost_model import fit_cost_model


def load_data(spec: Spec, data_dir: str | Path | None = None) -> Dataset:
    """Load the data that a spec names, with the target understood as its criteria need it."""
    given = {name: value for name, value in spec.data.items() if name != "scale"}
    try:
        if "path" in given:
            data = load(spec.folder / given["path"], label=given.get("label"), drop=given.get("drop", ()))
        elif given["name"] == "make_madelon":
            data = make_madelon(**{name: value for name, value in given.items() if name != "name"})
        else:
            data = load(given["name"], data_dir=data_dir, row_order=given["row_order"])
        return data.with_task(spec.task)
    except InputError as error:
        raise SpecError(f"`data` of {spec.name}: {error}") from None


def key_of(data: Dataset) -> str:
    """Return a short text that tells these data from others."""
    return hashlib.sha256(json.dumps(fingerprint(data), sort_keys=True).encode()).hexdigest()[:32]


def fitted_cost(spec: Spec, data: Dataset) -> list[float]:
    """Time the criterion of the first arm on the first seed's training part."""
    rng = make_rng(spec.rng, spec.seeds[0])
    train, _ = parts_of(data, key_of(data), spec.data["scale"], spec.split, rng)
    named = dict(spec.arms[0].criterion)
    cursor = make_criterion(named.pop("name"), named).bind(train)
    most = spec.arms[0].stop.get("max_size") or spec.arms[0].stop.get("target") or 100
    model = fit_cost_model(cursor, min(most, train.n_features))
    return [model.base, model.slope]
