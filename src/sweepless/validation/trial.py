"""One trial of the paper's protocol: scale, split, search on the training part, validate once."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal

from sweepless._typing import Features
from sweepless.criteria.base import Criterion
from sweepless.criteria.registry import make_predictor
from sweepless.data.scaling import Scaler01
from sweepless.dataset import Dataset, Task
from sweepless.engine.generator import Rng, make_rng
from sweepless.errors import InputError
from sweepless.journal.journal import Journal
from sweepless.journal.run import run_settings
from sweepless.search.events import Listener
from sweepless.search.methods import Method
from sweepless.search.result import Result
from sweepless.search.settings import SearchSettings
from sweepless.validation.resampling import ResampledRuns, resampled_searches
from sweepless.validation.splits import RandomSplits

Scale = Literal["paper", "train", "none"]


@dataclass(frozen=True)
class Trial:
    """What a trial found, and what it is worth on data the search never saw."""

    result: Result
    holdout: float | None
    train: Dataset
    test: Dataset | None
    agreed: ResampledRuns | None = None  # the searches of a consensus

    def to_dict(self) -> dict[str, Any]:
        found = self.result.to_dict()
        if self.test is not None:
            found["holdout"] = self.holdout
        if self.agreed is not None:
            found["consensus"] = len(self.agreed.runs)
            found["stability"] = asdict(self.agreed.stability(self.result.size))
        return found


def run_trial(
    method: str | Method,
    criterion: Criterion,
    data: Dataset,
    *,
    split: RandomSplits | None = None,
    scale: Scale = "train",
    callbacks: Iterable[Listener] = (),
    **settings: Any,
) -> Trial:
    """Search on the training part of one random split and validate the best subset on the rest.

    Parameters
    ----------
    method, criterion, data : as in `run`
    split : RandomSplits, optional
        None searches on all the data, without validation. The split depends on data and seed only, so
        methods with equal seeds are paired (A56).
    scale : {"paper", "train", "none"}
        Map features to [0, 1] by their range over the whole data, as the paper does although it lets
        the test part leak into the range (A30), or over the training part.
    callbacks, **settings : as in `run`
    """
    chosen = SearchSettings(method=method, **settings)
    return trial_of(chosen, criterion, data, split=split, scale=scale, callbacks=callbacks)


def trial_of(
    settings: SearchSettings,
    criterion: Criterion,
    data: Dataset,
    *,
    split: RandomSplits | None = None,
    scale: Scale = "train",
    callbacks: Iterable[Listener] = (),
    journal: Journal | None = None,
    consensus: int | None = None,
) -> Trial:
    """Search as the settings say; see `run_trial`. With `consensus`, so many resamples are searched instead."""
    if scale not in ("paper", "train", "none"):
        raise InputError(f"`scale` must be one of paper, train, none, got {scale!r}.")
    rng = settings.rng if isinstance(settings.rng, Rng) else make_rng(settings.rng, settings.seed)
    if scale == "paper":
        data = Scaler01.fit(data).apply(data)
    train, test = data, None
    if split is not None:
        train, test = next(split.split(data, rng)).apply(data)
    if scale == "train":
        scaler = Scaler01.fit(train)
        train, test = scaler.apply(train), None if test is None else scaler.apply(test)
    settings, agreed = replace(settings, rng=rng), None
    if consensus is None:
        result = run_settings(settings, criterion, train, callbacks=callbacks, journal=journal)
    else:
        agreed, result = resampled_searches(settings, criterion, train, consensus, callbacks)
    holdout = None
    if test is not None and result.best is not None:
        holdout = criterion.validate(train, test, result.best.features)
    return Trial(result, holdout, train, test, agreed)


def holdout_score(predictor: str, train: Dataset, test: Dataset, features: Features) -> float:
    """Return what some features are worth on held-back data, by a predictor of any family (C48).

    That is the accuracy of a classifier where the target of the training part is classes, and R² of a regressor where
    it is numbers.

    Parameters
    ----------
    predictor : str
        For classes "knn" (1-NN), "svm" (radial, C = 1, scikit-learn's "scale" width), "multinomial-nb" (the paper's),
        "gaussian-nb", "ridge" (least squares on ±1, penalty 1), "logistic" (scikit-learn's, on standardised features)
        or "forest" (100 trees); for numbers "ridge", "knn-regression" (k = 5) or "forest".
    train, test : Dataset
        The predictor is trained on all of the training part; the test part is used once, here.
    features : array of int
    """
    task: Task = "classification" if train.has_classes else "regression"
    return make_predictor(predictor, task).validate(train, test, features)
