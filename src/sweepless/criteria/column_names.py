"""Whether an estimator may use the names of columns and so needs a dataframe, or can be given an array."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np
from sklearn.compose import ColumnTransformer
from sklearn.preprocessing import FunctionTransformer

_NUMBERS = "biuf"
_LOOK_AT_COLUMNS = (ColumnTransformer, FunctionTransformer)


def needs_frame(frame: Any, estimator: Any, scoring: Any) -> bool:
    """Tell whether the estimator has to be given the dataframe itself, which is much slower to slice than an array.

    It needs the dataframe if a column holds anything but numbers, if the estimator or a part of it is not
    scikit-learn's own or works on named columns, or if a parameter names a column. Every other estimator is given an
    array of numbers, as scikit-learn's own selector does.
    """
    if not all(map(_is_number, frame.dtypes)):
        return True
    names = {str(column) for column in frame.columns}
    return any(_may_look(part, names) for part in _parts([estimator, scoring]))


def _is_number(dtype: Any) -> bool:
    kind = getattr(dtype, "kind", None)
    return kind in _NUMBERS if isinstance(kind, str) else bool(dtype.is_numeric())  # polars has no kinds


def _may_look(part: Any, names: set[str]) -> bool:
    if isinstance(part, str):
        return part in names
    if not (hasattr(part, "fit") or callable(part)):
        return False
    module = getattr(part, "__module__", None) or ""
    return module.split(".")[0] != "sklearn" or isinstance(part, _LOOK_AT_COLUMNS)


def _parts(given: Any) -> Iterator[Any]:
    """Yield an estimator, its parameters, and everything these hold."""
    yield given
    if hasattr(given, "get_params") and not isinstance(given, type):
        inner: Iterable[Any] = given.get_params(deep=False).values()
    elif isinstance(given, Mapping):
        inner = [*given.keys(), *given.values()]
    elif isinstance(given, (list, tuple, set, frozenset)):
        inner = given
    elif isinstance(given, np.ndarray) and given.dtype.kind in "OU":
        inner = given.ravel().tolist()
    else:
        return
    for one in inner:
        yield from _parts(one)
