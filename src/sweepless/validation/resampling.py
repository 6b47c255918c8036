"""Searches on resamples of the rows, and of every size the features that most of them select.

The rule is the one that `docs/results/gisette-recipe.md` measured: the d features that the searches' best subsets of d
features hold most often, of equally frequent ones the lower index. `consensus` asks another question, which features
take each other's place, and has another rule for that.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace

import numpy as np

from sweepless._checks import whole
from sweepless._typing import AnyArray, Features, Values
from sweepless.criteria.base import Criterion, Cursor
from sweepless.dataset import Dataset
from sweepless.engine.generator import make_rng
from sweepless.engine.portable import PortableRng
from sweepless.errors import DataError
from sweepless.search.archive import Archive, Record
from sweepless.search.drive import search
from sweepless.search.events import Anatomy, Listener
from sweepless.search.plan import Plan, plan_for
from sweepless.search.result import Result
from sweepless.search.saturation import Saturation, saturation
from sweepless.search.settings import SearchSettings
from sweepless.search.stop import StopReason
from sweepless.stability import Stability, stability
from sweepless.validation.repeats import draw_rows, run_seeds

SHARE = 0.8
"""The share of the rows that each search sees, in proportion to the classes."""


@dataclass(frozen=True)
class ResampledRun:
    """What one search found, and what it cost: its best subset of every size, and what it learned of features."""

    subsets: Mapping[int, Features]
    scores: Values | None
    anatomy: Anatomy
    stop_reason: StopReason
    saturation: Saturation | None = None


@dataclass(frozen=True)
class ResampledRuns:
    """Searches on resamples, and what they agree on.

    Attributes
    ----------
    runs : sequence of ResampledRun
    n_features : int
        How many features, or groups of them, they chose from.
    """

    runs: Sequence[ResampledRun]
    n_features: int

    @property
    def sizes(self) -> list[int]:
        """The sizes of which every search has a subset."""
        return sorted(set.intersection(*(set(run.subsets) for run in self.runs)))

    def frequencies(self, size: int) -> Values:
        """Return the share of the searches whose best subset of a size holds each feature."""
        counts = np.zeros(self.n_features)
        for run in self.runs:
            counts[run.subsets[size]] += 1
        return counts / len(self.runs)

    def subset(self, size: int) -> Features:
        """Return the features that most of the best subsets of a size hold, ascending; of equal ones the first."""
        return np.sort(np.argsort(-self.frequencies(size), kind="stable")[:size])

    def stability(self, size: int) -> Stability:
        """Measure how much the best subsets of a size agree."""
        return stability([run.subsets[size] for run in self.runs], self.n_features)

    @property
    def saturation(self) -> Saturation | None:
        """Where the values of the searches hardly told candidates apart, if that is so in most of them."""
        found = [run.saturation for run in self.runs if run.saturation is not None]
        return found[0] if 2 * len(found) > len(self.runs) else None

    def result(self, planned: Plan, cursor: Cursor, criterion: str, seconds: float) -> Result:
        """Return what they agree on as the result of one search, with values on all the data of the cursor."""
        if not self.sizes:
            raise DataError(f"the {len(self.runs)} searches must have a size in common to agree on, got none.")
        subsets = [self.subset(size) for size in self.sizes]
        anatomy = Anatomy(
            **{field.name: sum(getattr(run.anatomy, field.name) for run in self.runs) for field in fields(Anatomy)}
        )
        archive = Archive()
        for members, value in zip(subsets, cursor.evaluate_many(subsets).tolist(), strict=True):
            archive.add(Record(len(members), value, members, anatomy.total))
        target, data = planned.goal.target, cursor.data
        learned = [run.scores for run in self.runs if run.scores is not None]
        return Result(
            method=planned.method.name,
            criterion=criterion,
            n_features=cursor.n_features,
            target=target,
            archive=archive,
            trace=(),
            anatomy=anatomy,
            best=(None if target is None else archive.get(target)) or archive.best,
            stop_reason=self.runs[-1].stop_reason,
            seed=planned.rng.seed,
            rng=planned.rng.name,
            seconds=seconds,
            scores=np.mean(learned, axis=0) if learned else None,
            feature_names=data.feature_names if cursor.n_features == data.n_features else None,
            settings=planned.settings,
        )


def resamples(data: Dataset, seed: int, n_runs: int, groups: AnyArray | None = None) -> list[tuple[int, Features]]:
    """Return the seed and the rows of every search; more searches leave the first ones as they were.

    Groups stay together: a share of them is drawn instead of rows.
    """
    seeds = run_seeds(seed, whole("consensus", n_runs, 2))
    if groups is None:
        return [(each, draw_rows(data.n_samples, data.y, SHARE, PortableRng(each, "split"))) for each in seeds]
    names, codes = np.unique(groups, return_inverse=True)
    chosen = (draw_rows(len(names), None, SHARE, PortableRng(each, "split")) for each in seeds)
    return [(each, np.flatnonzero(np.isin(codes, drawn))) for each, drawn in zip(seeds, chosen, strict=True)]


def resampled_searches(
    settings: SearchSettings, criterion: Criterion, data: Dataset, n_runs: int, callbacks: Iterable[Listener] = ()
) -> tuple[ResampledRuns, Result]:
    """Search resamples one after the other, and return the searches and what they agree on.

    They share the limits: each may make its part of the evaluations and take its part of the time.
    """
    began = time.monotonic()
    planned = plan_for(settings, criterion, data)
    evaluations, seconds = settings.max_evaluations, settings.max_seconds
    one = replace(
        settings,
        max_evaluations=None if evaluations is None else max(1, evaluations // n_runs),
        max_seconds=None if seconds is None else seconds / n_runs,
    )
    runs: list[ResampledRun] = []
    for seed, rows in resamples(data, planned.rng.seed, n_runs):
        rng = make_rng(planned.rng.name, seed)
        found = search(replace(one, rng=rng, seed=seed), criterion, data.take(rows), callbacks)
        subsets = {size: record.features for size, record in found.archive.items()}
        shared = saturation(found.trace, planned.method.direction, found.size)
        runs.append(ResampledRun(subsets, found.scores, found.anatomy, found.stop_reason, shared))
        if found.stop_reason is StopReason.INTERRUPTED:
            break
    agreed = ResampledRuns(runs, criterion.n_features(data))
    return agreed, agreed.result(planned, criterion.bind(data), str(criterion), time.monotonic() - began)
