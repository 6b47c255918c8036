"""What a run found, in the user's terms: features instead of units, sizes that count the fixed ones."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from math import comb
from typing import Any

import numpy as np

from sweepless._typing import AnyArray, Features, Mask, Values
from sweepless.direction import Direction
from sweepless.search.archive import Record
from sweepless.search.methods import Method
from sweepless.search.result import Result
from sweepless.search.sampled import SampledSteps
from sweepless.search.trace import TracedStep
from sweepless.selectors.layout import Layout


@dataclass(frozen=True, eq=False)
class Subset:
    """The best subset found of one size; `features, value = subset` takes it apart.

    Attributes
    ----------
    features : array of int
    value : float
    names : array of str
        Of the features, as in `get_feature_names_out`.
    """

    features: Features
    value: float
    feature_names: AnyArray | None = field(default=None, repr=False)  # of all features, shared

    @property
    def names(self) -> AnyArray:
        if self.feature_names is None:
            return np.array([f"x{feature}" for feature in self.features.tolist()], dtype=object)
        return np.asarray(self.feature_names[self.features])

    def __iter__(self) -> Iterator[Any]:
        yield self.features
        yield self.value

    def __repr__(self) -> str:
        return f"Subset(features={self.features.tolist()}, value={self.value!r}, names={self.names.tolist()})"


@dataclass(frozen=True)
class Coverage:
    """How much of the feature set a search has looked at, and what won its steps.

    Attributes
    ----------
    share : float
        Features that were a candidate of a valued step or in a probe, of all that could be.
    n_tried : int
    floor_wins : int
        Steps won by a candidate of the exploration floor, which draws among the least evaluated.
    softmax_wins : int
        Steps won by a candidate drawn for its score.
    sweep_wins : int
        Steps that valued the whole pool.
    """

    share: float
    n_tried: int
    floor_wins: int
    softmax_wins: int
    sweep_wins: int


def found_subsets(result: Result, layout: Layout, names: AnyArray | None) -> dict[int, Subset]:
    """Return the best subset of every size; of a run stopped in its warm-up, the best probe."""
    records: Mapping[int, Record] = result.archive
    if not records and result.best_probe is not None:
        records = {result.best_probe.size: result.best_probe}
    return {
        size + layout.n_fixed: Subset(layout.features(record.features), record.value, names)
        for size, record in records.items()
    }


def taken_steps(result: Result, layout: Layout) -> list[TracedStep]:
    """Return the history of the run."""
    return [
        replace(step, size=step.size + layout.n_fixed, features=layout.moved(step.features)) for step in result.trace
    ]


def coverage(result: Result, method: Method) -> Coverage:
    """Count what was looked at and what won."""
    wins = {"floor": 0, "softmax": 0, "sweep": 0}
    for step in result.trace:
        if step.direction != "recall":
            wins[_winner(step, method, result.n_features)] += 1
    n_tried = 0 if result.tried is None else int(np.count_nonzero(result.tried))
    return Coverage(n_tried / result.n_features, n_tried, wins["floor"], wins["softmax"], wins["sweep"])


def _winner(step: TracedStep, method: Method, n_features: int) -> str:
    direction = next(way for way in Direction if way.label == step.direction)
    n_moved = len(step.features)
    pool_size = direction.pool_size(step.size - direction.sign * n_moved, n_features)
    if not isinstance(method.steps, SampledSteps) or step.n_proposed == comb(pool_size, n_moved):
        return "sweep"
    return "floor" if step.position < method.steps.proposal.n_floor(step.n_proposed) else "softmax"


def ranks(support: Mask, subsets: Mapping[int, Subset], scores: Values | None) -> Features:
    """Rank features as RFE does: 1 for the selected, then the others in order.

    Features of many recorded subsets come first, then those of high scores, then by index.
    """
    often = np.zeros(len(support), dtype=np.intp)
    for subset in subsets.values():
        often[subset.features] += 1
    learned = np.zeros(len(support)) if scores is None else np.nan_to_num(scores, nan=-np.inf)
    order = np.lexsort((np.arange(len(support)), -learned, -often))
    others = order[~support[order]]
    ranking = np.ones(len(support), dtype=np.intp)
    ranking[others] = np.arange(2, len(others) + 2)
    return ranking
