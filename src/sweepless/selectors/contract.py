"""What scikit-learn asks of a selector besides `fit`: which estimators, tags, metadata routing, callbacks."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar, cast

from sklearn.base import BaseEstimator, MetaEstimatorMixin, is_classifier
from sklearn.feature_selection import SelectorMixin
from sklearn.model_selection import check_cv
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import Pipeline
from sklearn.utils import get_tags
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping

from sweepless.criteria.base import Criterion
from sweepless.criteria.cross_validation import scorer_of
from sweepless.criteria.function import FunctionCriterion
from sweepless.errors import InputError
from sweepless.search.events import Progress
from sweepless.search.stop import StopReason, StopSearch
from sweepless.selectors.shown import ShownMixin

try:  # scikit-learn has callbacks from 1.9 on
    from sklearn import callback as _callback
except ImportError:
    _callback = None

Fit = TypeVar("Fit", bound=Callable[..., Any])


class _NoCallbacks:
    """The mixin where scikit-learn has no callbacks."""


_CallbackSupport: Any = _NoCallbacks if _callback is None else _callback.CallbackSupportMixin


class ContractMixin(ShownMixin, _CallbackSupport, SelectorMixin, MetaEstimatorMixin, BaseEstimator):  # type: ignore[misc]
    """A meta-estimator that selects features, as scikit-learn describes one."""

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        valued_by = read_estimator(self.estimator)
        if isinstance(valued_by, Criterion):  # a criterion refuses data that it cannot value
            tags.input_tags.sparse = tags.input_tags.allow_nan = True
            return tags
        estimator = KNeighborsClassifier() if valued_by is None else valued_by
        estimator_tags = get_tags(estimator)
        tags.input_tags.sparse = estimator_tags.input_tags.sparse
        tags.input_tags.allow_nan = takes_missing(estimator)
        tags.target_tags.required = self.estimator is None or estimator_tags.target_tags.required
        return tags

    def get_metadata_routing(self) -> MetadataRouter:
        """Return who gets which of the parameters of `fit`."""
        router = MetadataRouter(owner=self)
        valued_by = read_estimator(self.estimator)
        if isinstance(valued_by, Criterion):
            return router
        estimator = KNeighborsClassifier() if valued_by is None else valued_by
        parts = {
            "fit": {"estimator": estimator},
            "split": {"splitter": check_cv(self.cv, classifier=is_classifier(estimator))},
            "score": {"scorer": scorer_of(estimator, self.scoring)},
        }
        for callee, part in parts.items():
            router.add(**part, method_mapping=MethodMapping().add(caller="fit", callee=callee))
        return router


def with_callbacks(fit: Fit) -> Fit:
    """Let scikit-learn tear its callbacks down after `fit`, however that ends."""
    if _callback is not None:
        return cast(Fit, _callback.with_callbacks(fit))

    @wraps(fit)
    def called(*args: Any, **kwargs: Any) -> Any:  # as deep as with callbacks: warnings name the line that calls `fit`
        return fit(*args, **kwargs)

    return cast(Fit, called)


class Tasks:
    """Calls scikit-learn's callbacks at every new frontier: the fit is a task, every size reached a subtask.

    Parameters
    ----------
    selector : the estimator being fitted
    X, y : what it is fitted on
    n_sizes : int
        How many sizes lie between the start and the end of the search.
    """

    def __init__(self, selector: Any, X: Any, y: Any, n_sizes: int) -> None:
        self._arguments = {"estimator": selector, "X": X, "y": y}
        self._n_sizes = n_sizes
        self._sizes: set[int] = set()
        self._context = None
        if hasattr(selector, "_init_callback_context"):
            self._context = selector._init_callback_context(max_subtasks=n_sizes)
            self._context.call_on_fit_task_begin(**self._arguments)

    def __call__(self, progress: Progress) -> None:
        if self._context is None or progress.step is None or progress.size in self._sizes:
            return
        self._sizes.add(progress.size)
        if len(self._sizes) > self._n_sizes:  # a floating search may go past its target
            return
        task = self._context.subcontext(task_name=f"size {progress.size}")
        task.call_on_fit_task_begin(**self._arguments)
        if task.call_on_fit_task_end(**self._arguments):
            raise StopSearch(StopReason.CALLBACK)

    def end(self) -> None:
        if self._context is not None:
            self._context.call_on_fit_task_end(**self._arguments)


def read_estimator(given: Any) -> Any:
    """Return an estimator, a criterion or None as it is, and a function of subsets as a criterion."""
    if given is None or isinstance(given, Criterion):
        return given
    if isinstance(given, type):
        raise InputError(
            f"`estimator` must be a scikit-learn estimator, a Criterion or a function, got the class {given.__name__}; "
            f"make one of it, as in {given.__name__}()."
        )
    if hasattr(given, "fit"):
        return given
    if callable(given):
        return FunctionCriterion(given, needs_data=_needs_data(given))
    raise InputError(f"`estimator` must be a scikit-learn estimator, a Criterion or a function, got {given!r}.")


def takes_missing(estimator: Any) -> bool:
    """Return whether the estimator accepts NaN in X; a pipeline accepts what its first step does."""
    if isinstance(estimator, Pipeline):
        steps = [step for _, step in estimator.steps if step is not None and step != "passthrough"]
        return bool(steps) and takes_missing(steps[0])
    return bool(get_tags(estimator).input_tags.allow_nan)


def _needs_data(function: Any) -> bool:
    """Return whether a function of subsets wants the data too, as its signature shows."""
    wanted = "f(members) or f(members, dataset)"
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        raise InputError(
            f"a function as `estimator` must have the signature {wanted}, got {function!r}, which has none; "
            "wrap it in FunctionCriterion."
        ) from None
    places = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    needed = [p for p in places if p.default is p.empty]
    named = [p for p in parameters if p.kind is p.KEYWORD_ONLY and p.default is p.empty]
    if named or len(needed) not in (1, 2):
        raise InputError(
            f"a function as `estimator` must be {wanted}, which returns the value of a subset, got "
            f"{getattr(function, '__name__', function)!s}{inspect.signature(function)}."
        )
    return len(needed) == 2
