"""What may be given as `estimator`, and what it takes."""

from __future__ import annotations

import inspect
from typing import Any

from sklearn.pipeline import Pipeline
from sklearn.utils import get_tags

from sweepless.criteria.base import Criterion
from sweepless.criteria.function import FunctionCriterion
from sweepless.errors import InputError


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
    """Tell whether NaN in X is up to the estimator; a pipeline, which does not tell, takes what its first step does."""
    if isinstance(estimator, Pipeline):
        steps = [step for _, step in estimator.steps if step is not None and step != "passthrough"]
        return bool(steps) and takes_missing(steps[0])
    return bool(get_tags(estimator).input_tags.allow_nan)


def _needs_data(function: Any) -> bool:
    """Tell from the signature whether a function of subsets wants the data too."""
    wanted = "f(members) or f(members, dataset)"
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        raise InputError(
            f"a function as `estimator` must tell that it is {wanted}, got {function!r}; wrap it in FunctionCriterion."
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
