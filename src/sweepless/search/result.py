"""The result of a run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import msgspec
import numpy as np
from msgspec import UNSET, UnsetType

from sweepless._notebook import as_html
from sweepless._phrases import counted, duration, shortened_list
from sweepless._typing import Features, Mask, Values
from sweepless._version import __version__
from sweepless.schema.result import SavedResult, SavedSubset
from sweepless.search.archive import Record
from sweepless.search.cost_model import CostModel
from sweepless.search.events import Anatomy, TracedStep
from sweepless.search.settings import SearchSettings
from sweepless.search.stop import StopReason


@dataclass(frozen=True)
class Result:
    """The result of a run, valid whether the run finished, reached a limit or was interrupted.

    Attributes
    ----------
    method, criterion : str
    archive : mapping of int to Record
        The best subset of every size, with its value and the number of evaluations when it was found.
    trace : tuple of TracedStep
    anatomy : Anatomy
        Where the evaluations went.
    best : Record or None
        The best subset of the target size if the run reached one, otherwise the best of all sizes; None if the run
        was stopped before it had recorded a subset.
    scores : array or None
        The final s(f) of every feature, or the scores of a ranking, if the method has either.
    order : array or None
        All features, the best first, if the method ranks them.
    tried : mask or None
        Features that were a candidate of a step, or a member of a probe, at least once.
    best_probe : Record or None
        The best of the probes before the search. Probes are counted but not archived, so this is the only subset known
        to a run that was stopped among them.
    settings : SearchSettings or None
        The settings of the search, with the warm-up that was chosen.

    Examples
    --------
    >>> from sweepless import make_madelon, run
    >>> from sweepless.criteria import KNN
    >>> result = run("SFS", KNN(), make_madelon(n_samples=200, n_features=40, seed=1), target=3)
    >>> result.stop_reason.value, result.n_evaluations
    ('target', 117)
    >>> [(size, round(record.value, 3)) for size, record in result.archive.items()]
    [(1, 0.6), (2, 0.669), (3, 0.729)]
    """

    method: str
    criterion: str
    n_features: int
    target: int | None
    archive: Mapping[int, Record]
    trace: tuple[TracedStep, ...]
    anatomy: Anatomy
    best: Record | None
    stop_reason: StopReason
    seed: int
    rng: str
    seconds: float
    scores: Values | None
    feature_names: tuple[str, ...] | None
    order: Features | None = None
    tried: Mask | None = None
    best_probe: Record | None = None
    settings: SearchSettings | None = field(default=None, repr=False)

    def __repr__(self) -> str:
        if self.best is None:
            found = "nothing recorded"
        else:
            named = shortened_list(self.names(self.features))
            found = f"value {self.value:.6g} at size {self.size} ({named}), sizes {min(self.archive)} to "
            found += str(max(self.archive))
        return (
            f"Result({self.method}, {self.criterion}: {found}, {self.n_evaluations:,} evaluations in "
            f"{self.seconds:.3g} s, {self.stop_reason.value})"
        )

    def _repr_html_(self) -> str:
        facts = {"search": f"{self.method} by {self.criterion}, seed {self.seed}"}
        if self.best is not None:
            named = shortened_list(self.names(self.features))
            facts["selected"] = f"{self.size} of {counted(self.n_features, 'feature')}: {named}"
            facts["value"] = f"{self.value:.6g}"
        facts["cost"] = f"{counted(self.n_evaluations, 'evaluation')} in {duration(self.seconds)}"
        facts["stopped"] = self.stop_reason.value
        return as_html(facts, {size: record.value for size, record in self.archive.items()}, self.size)

    @property
    def size(self) -> int:
        return 0 if self.best is None else self.best.size

    @property
    def value(self) -> float:
        return float("nan") if self.best is None else self.best.value

    @property
    def features(self) -> Features:
        return np.empty(0, dtype=np.intp) if self.best is None else self.best.features

    @property
    def n_evaluations(self) -> int:
        return self.anatomy.total

    @property
    def n_tried(self) -> int | None:
        """The number of features that were tried at least once; None if it is not known."""
        return None if self.tried is None else int(np.count_nonzero(self.tried))

    def names(self, features: Features) -> list[str]:
        """Return the names of features, or their numbers as text."""
        if self.feature_names is None:
            return [str(int(feature)) for feature in features]
        return [self.feature_names[feature] for feature in features]

    def _named(self, features: Features) -> list[str] | UnsetType:
        return UNSET if self.feature_names is None else self.names(features)

    def cost(self, model: CostModel) -> float:
        """Return the milliseconds that this run takes under a cost model."""
        return model.milliseconds(self.n_evaluations, self.anatomy.sizes)

    def trajectory(self) -> list[dict[str, Any]]:
        """Return the taken steps as plain values, for reports."""
        return [
            {
                "direction": step.direction,
                "size": step.size,
                "features": step.features.tolist(),
                "value": step.value,
                "n_proposed": step.n_proposed,
                "position": step.position,
                "n_tied": step.n_tied,
                "n_evaluations": step.n_evaluations,
            }
            for step in self.trace
        ]

    def saved(self) -> SavedResult:
        """Return the result in plain values, as it is saved."""
        anatomy = self.anatomy
        return SavedResult(
            method=self.method,
            criterion=self.criterion,
            size=self.size,
            value=None if self.best is None else self.value,
            features=self.features.tolist(),
            feature_names=self._named(self.features),
            n_evaluations=self.n_evaluations,
            forward_evaluations=anatomy.forward,
            backward_evaluations=anatomy.backward,
            warm_up_evaluations=anatomy.warm_up,
            ranking_evaluations=anatomy.ranking,
            start_evaluations=anatomy.start,
            filter_evaluations=anatomy.filter,
            sum_of_sizes=anatomy.sizes,
            stop_reason=self.stop_reason.value,
            seed=self.seed,
            rng=self.rng,
            n_features=self.n_features,
            n_tried=self.n_tried,
            target=self.target,
            spared_evaluations=anatomy.spared,
            settings=None if self.settings is None else self.settings.to_dict(),
            archive=[
                SavedSubset(
                    size=record.size,
                    value=record.value,
                    features=record.features.tolist(),
                    feature_names=self._named(record.features),
                    n_evaluations=record.n_evaluations,
                )
                for record in self.archive.values()
            ],
            seconds=self.seconds,
            version=__version__,
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the result as plain values, for JSON."""
        plain: dict[str, Any] = msgspec.to_builtins(self.saved())
        return plain
