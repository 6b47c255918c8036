"""Parameters of estimators that a native criterion knows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from sweepless.selectors.native_scores import NotNative

if TYPE_CHECKING:
    from sweepless.selectors.native_rules import Setting


def require(estimator: Any, name: str, *allowed: Any) -> None:
    """Raise unless a parameter has one of these values, of the same type."""
    value = getattr(estimator, name)
    if not any(type(value) is type(one) and value == one for one in allowed):
        raise NotNative(f"`{name}={value!r}` is not computed natively")


def require_number(estimator: Any, name: str, low: float, high: float) -> float:
    """Return a parameter as a number; raise unless it is one between two bounds."""
    value = getattr(estimator, name)
    if not isinstance(value, (int, float, np.integer, np.floating)) or not low <= value <= high:
        raise NotNative(f"`{name}={value!r}` is not computed natively")
    return float(value)


def shares(priors: Any, setting: Setting) -> Any:
    """Return given priors; those that do not fit every training part are left to the estimator, which refuses them."""
    if priors is None:
        return None
    n_classes = len(setting.data.classes)
    shares = np.asarray(priors)
    is_whole = all(len(np.unique(setting.data.codes[train])) == n_classes for train, _ in setting.splits)
    if shares.shape != (n_classes,) or not is_whole or not np.all(shares > 0.0) or not np.isclose(shares.sum(), 1.0):
        raise NotNative("the priors are not a positive share for each class of every training part")
    return tuple(shares.tolist())


def class_weights(estimator: Any, setting: Setting) -> Any:
    """Return positive weights of all classes in their order, "balanced" or None, or raise."""
    given, classes = estimator.class_weight, setting.data.classes.tolist()
    if given is None or (isinstance(given, str) and given == "balanced"):
        return given
    if not isinstance(given, dict) or set(given) != set(classes):
        raise NotNative(f"`class_weight={given!r}` is not a number for each class")
    weights = tuple(given[label] for label in classes)
    if not all(isinstance(one, (int, float, np.integer, np.floating)) and 0.0 < one <= 1e100 for one in weights):
        raise NotNative(f"`class_weight={given!r}` is not a positive number for each class")
    return tuple(map(float, weights))
