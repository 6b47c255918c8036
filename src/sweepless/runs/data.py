"""The data of a campaign: loaded, fingerprinted, and split once per process and seed."""

from __future__ import annotations

import hashlib
import json
from collections import OrderedDict
from collections.abc import Callable, Hashable
from pathlib import Path
from threading import Lock
from typing import Generic, TypeVar

import msgspec

from sweepless.criteria.registry import make_criterion
from sweepless.data import load, make_madelon
from sweepless.data.scaling import Scaler01
from sweepless.dataset import Dataset
from sweepless.engine.generator import Rng, make_rng
from sweepless.errors import InputError, SpecError
from sweepless.journal.fingerprint import fingerprint
from sweepless.runs.spec import common_task
from sweepless.schema.spec import Spec
from sweepless.search.cost_model import fit_cost_model
from sweepless.validation.splits import RandomSplits

Kept = TypeVar("Kept")


def load_data(spec: Spec, data_dir: str | Path | None = None) -> Dataset:
    """Load the data that a spec names, with the target understood as its criteria need it."""
    given = spec.data
    try:
        if given.path is not None:
            data = load(Path(spec.folder) / given.path, label=given.label, drop=given.drop or ())
        elif given.name == "make_madelon":
            data = make_madelon(**given.synthetic())
        else:
            data = load(given.title, data_dir=data_dir, row_order=given.row_order or "auto")
        return data.with_task(common_task(spec.arms))
    except InputError as error:
        raise SpecError(f"`data` of {spec.name}: {error}") from None


def key_of(data: Dataset) -> str:
    """Return the fingerprint of some data as a short text."""
    return hashlib.sha256(json.dumps(msgspec.to_builtins(fingerprint(data)), sort_keys=True).encode()).hexdigest()[:32]


def fitted_cost(spec: Spec, data: Dataset) -> tuple[float, float]:
    """Time the criterion of the first arm on the first seed's training part."""
    rng = make_rng(spec.rng, spec.seeds[0])
    train, _ = parts_of(data, key_of(data), spec.data.scale, spec.percents, rng)
    named = dict(spec.arms[0].criterion)
    cursor = make_criterion(named.pop("name"), named).bind(train)
    most = spec.arms[0].stop.get("max_size") or spec.arms[0].stop.get("target") or 100
    model = fit_cost_model(cursor, min(most, train.n_features))
    return model.base, model.slope


class _Recent(Generic[Kept]):
    """Keeps the few things that were made last."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._kept: OrderedDict[Hashable, Kept] = OrderedDict()
        self._lock = Lock()

    def get(self, key: Hashable, make: Callable[[], Kept]) -> Kept:
        with self._lock:  # cells may be threads of one process
            if key not in self._kept:
                self._kept[key] = make()
                if len(self._kept) > self._most:
                    self._kept.popitem(last=False)
            self._kept.move_to_end(key)
            return self._kept[key]


# Cells come seed by seed, so two seeds are in use at a time.
_scaled: _Recent[Dataset] = _Recent(1)
_parts: _Recent[tuple[Dataset, Dataset | None]] = _Recent(2)


def parts_of(
    data: Dataset, key: str, scale: str | None, split: tuple[int, int] | None, rng: Rng
) -> tuple[Dataset, Dataset | None]:
    """Return the scaled parts of one seed; the generator continues after the draws of the split, as in `run_trial`.

    Parameters
    ----------
    data : Dataset
    key : str
        The fingerprint of the data.
    scale : {"paper", "train", "none"}
    split : (int, int) or None
        Percent of each class; None is no split.
    rng : Rng
    """
    if scale == "paper":
        whole = _scaled.get((key, scale), lambda: Scaler01.fit(data).apply(data))
    else:
        whole = data
    # Drawn every time, because the reference generator has only one stream.
    drawn = None if split is None else next(RandomSplits(1, *split).split(whole, rng))

    def make() -> tuple[Dataset, Dataset | None]:
        train, test = (whole, None) if drawn is None else drawn.apply(whole)
        if scale == "train":
            scaler = Scaler01.fit(train)
            train, test = scaler.apply(train), None if test is None else scaler.apply(test)
        return train, test

    return _parts.get((key, scale, split, rng.name, rng.seed), make)
