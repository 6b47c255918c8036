"""One trial of the paper's protocol: scale, split, search on the training part, validate once."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

import msgspec

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

if TYPE_CHECKING:
    from sweepless.validation.choice import PanelChoice

Scale = Literal["paper", "train", "none"]


@dataclass(frozen=True)
class Trial:
    """What a trial found, what it is worth on data the search never saw, and the comparison before it, if any.

    Examples
    --------
    >>> from sweepless import RandomSplits, make_madelon, run_trial
    >>> from sweepless.criteria import KNN
    >>> data = make_madelon(n_samples=200, n_features=40, seed=1)
    >>> trial = run_trial("BIF", KNN(), data, split=RandomSplits(), target=3)
    >>> trial.result.size, trial.train.n_samples, trial.test.n_samples
    (3, 100, 100)
    """

    result: Result
    holdout: float | None
    train: Dataset
    test: Dataset | None
    agreed: ResampledRuns | None = None  # the searches of a consensus
    choice: PanelChoice | None = None

    def to_dict(self) -> dict[str, Any]:
        found = self.result.to_dict()
        if self.test is not None:
            found["holdout"] = self.holdout
        if self.choice is not None:
            found["panel"] = msgspec.to_builtins(self.choice.saved())
        if self.agreed is not None:
            found["consensus"] = len(self.agreed.runs)
            found["stability"] = asdict(self.agreed.stability(self.result.size))
        return found


@dataclass(frozen=True)
class Parts:
    """The data to search on and those to validate on, with the generator as the split left it."""

    train: Dataset
    test: Dataset | None
    rng: Rng

    @classmethod
    def of(cls, data: Dataset, settings: SearchSettings, split: RandomSplits | None, scale: Scale) -> Parts:
        """Scale and split the data; see `run_trial`."""
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
        return cls(train, test, rng)

    def search(
        self,
        settings: SearchSettings,
        criterion: Criterion,
        *,
        callbacks: Iterable[Listener] = (),
        journal: Journal | None = None,
        consensus: int | None = None,
        choice: PanelChoice | None = None,
        validate: Callable[[Dataset, Dataset, Features], float] | None = None,
    ) -> Trial:
        """Search on the one part and validate once on the other, by the criterion unless something else is given.

        With `consensus`, so many resamples are searched instead. If criteria were compared before, the size that was
        chosen then is the best, or the nearest that was found.
        """
        settings, agreed = replace(settings, rng=self.rng), None
        if consensus is None:
            result = run_settings(settings, criterion, self.train, callbacks=callbacks, journal=journal)
        else:
            agreed, result = resampled_searches(settings, criterion, self.train, consensus, callbacks)
        if choice is not None and result.archive:
            nearest = min(result.archive, key=lambda size: abs(size - choice.size))
            result = replace(result, best=result.archive[nearest])
        holdout = None
        if self.test is not None and result.best is not None:
            holdout = (validate or criterion.validate)(self.train, self.test, result.best.features)
        return Trial(result, holdout, self.train, self.test, agreed, choice)


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

    Examples
    --------
    >>> from sweepless import RandomSplits, make_madelon, run_trial
    >>> from sweepless.criteria import KNN
    >>> data = make_madelon(n_samples=400, n_features=40, seed=1)
    >>> trial = run_trial("SFFS", KNN(), data, split=RandomSplits(), seed=1, target=5)
    >>> round(trial.result.value, 3), round(trial.holdout, 3)
    (0.785, 0.68)
    """
    chosen = SearchSettings(method=method, **settings)
    return Parts.of(data, chosen, split, scale).search(chosen, criterion, callbacks=callbacks)


def holdout_score(predictor: str, train: Dataset, test: Dataset, features: Features) -> float:
    """Return what some features are worth on held-back data, by a predictor of any family (C48).

    That is the accuracy of a classifier where the target of the training part is classes, and R² of a regressor where
    it is numbers.

    Parameters
    ----------
    predictor : str
        For classes "knn" (1-NN), "svm" (radial, C = 1, scikit-learn's "scale" width), "multinomial-nb" (the paper's),
        "gaussian-nb", "ridge" (least squares on ±1, penalty 1), "logistic" (scikit-learn's, on standardized features)
        or "forest" (100 trees); for numbers "ridge", "knn-regression" (k = 5) or "forest".
    train, test : Dataset
        The predictor is trained on all of the training part; the test part is used once, here.
    features : array of int

    Examples
    --------
    >>> from sweepless import RandomSplits, holdout_score, make_madelon, run_trial
    >>> from sweepless.criteria import KNN
    >>> data = make_madelon(n_samples=400, n_features=40, seed=1)
    >>> trial = run_trial("SFFS", KNN(), data, split=RandomSplits(), seed=1, target=5)
    >>> round(holdout_score("svm", trial.train, trial.test, trial.result.features), 3)
    0.62
    """
    task: Task = "classification" if train.has_classes else "regression"
    return make_predictor(predictor, task).validate(train, test, features)
