"""One peer on one seed: choose on the training part, value and validate what was chosen, as campaigns do."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from sweepless._threads import one_core
from sweepless._typing import Features
from sweepless.criteria.base import Criterion
from sweepless.criteria.registry import make_criterion, predictor_of
from sweepless.dataset import Dataset
from sweepless.engine.generator import Rng, make_rng
from sweepless.runs.compare.peers import peer
from sweepless.runs.compare.random_baseline import best_of_random, shares
from sweepless.runs.data import parts_of
from sweepless.runs.plan import slug
from sweepless.schema.run import Cell, Row
from sweepless.search.archive import Record
from sweepless.validation.holdout import holdout_score

ALL, RANDOM = "all features", "random subsets"
_FORMAT = 1


@dataclass(frozen=True)
class PeerArm:
    """What a peer is to do, in plain values; `options` say how, for it and for readers."""

    name: str
    method: str
    options: dict[str, Any]
    criterion: dict[str, Any]
    sizes: tuple[int, ...]
    scale: str
    split: tuple[int, int]
    classifiers: tuple[str, ...]
    rng: str


@dataclass(frozen=True)
class PeerCell:
    """One peer on one seed; `n_evaluations` are those of the search that random subsets are matched to."""

    arm: PeerArm
    seed: int
    fingerprint: str
    n_evaluations: int | None = None

    @property
    def id(self) -> str:
        """Return a name that tells everything that decides the result."""
        decides = json.dumps(asdict(self) | {"format": _FORMAT}, sort_keys=True)
        digest = hashlib.sha256(decides.encode()).hexdigest()
        return f"{slug(self.arm.name)}--s{self.seed:02d}--{digest[:8]}"

    def computed(self, data: Dataset) -> tuple[Cell, float]:
        """Return the finished cell, and the seconds that choosing took."""
        arm = self.arm
        with one_core():  # cells are what is parallel
            rng = make_rng(arm.rng, self.seed)
            train, test = parts_of(data, self.fingerprint, arm.scale, arm.split, rng)
            assert test is not None  # nosec B101 # only tells the type
            named = dict(arm.criterion)
            criterion = make_criterion(named.pop("name"), named)
            began = time.monotonic()
            records = self._choose(criterion, train, rng)
            seconds = time.monotonic() - began
            rows = tuple(self._row(record, criterion, train, test) for record in records)
        spent = self.n_evaluations or 0
        return Cell(
            id=self.id,
            arm=arm.name,
            seed=self.seed,
            method=arm.method,
            criterion=str(criterion),
            data=data.name,
            options={**arm.options, "criterion": arm.criterion, "report": list(arm.sizes)},
            rng=arm.rng,
            n_features=train.n_features,
            n_train=train.n_samples,
            n_test=test.n_samples,
            stop_reason="completed",
            n_evaluations=spent,
            forward_evaluations=0,
            backward_evaluations=0,
            warm_up_evaluations=0,
            ranking_evaluations=spent,
            start_evaluations=0,
            sum_of_sizes=sum(size * share for size, share in zip(arm.sizes, shares(spent, len(arm.sizes)))),
            rows=rows,
            trajectory=(),
            is_reference=arm.name == ALL,
        ), seconds

    def _choose(self, criterion: Criterion, train: Dataset, rng: Rng) -> list[Record]:
        """Return a subset of every size; values only where choosing needs them."""
        if self.n_evaluations is not None:
            return best_of_random(criterion, train, self.arm.sizes, self.n_evaluations, rng)
        if self.arm.name == ALL:
            chosen: Mapping[int, Features] = {train.n_features: np.arange(train.n_features)}
        else:
            chosen = peer(self.arm.name, self.arm.options)(train, self.arm.sizes, self.seed)
        return [Record(size, float("nan"), features, 1) for size, features in sorted(chosen.items())]

    def _row(self, record: Record, criterion: Criterion, train: Dataset, test: Dataset) -> Row:
        value = criterion.bind(train).evaluate(record.features) if np.isnan(record.value) else record.value
        own = predictor_of(self.arm.criterion["name"])
        holdout = {
            str(own if name == "same" else name): criterion.validate(train, test, record.features)
            if name == "same"
            else holdout_score(name, train, test, record.features)
            for name in self.arm.classifiers
        }
        return Row(record.size, value, record.n_evaluations, None, tuple(record.features.tolist()), holdout)
