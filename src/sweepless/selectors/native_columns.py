"""Which transformers of single columns stand before an estimator: plain scalers, or other ones for other columns."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.compose import ColumnTransformer, make_column_selector

from sweepless.dataset import Dataset
from sweepless.selectors.native_scores import NotNative
from sweepless.selectors.scaled import SCALERS, PerColumn


def scaler_of(step: Any, data: Dataset) -> Any:
    """Return a plain scaler, or one for each column; raise `NotNative` if a step is anything else."""
    if type(step) is ColumnTransformer:
        return _per_column(step, data)
    if not _is_plain(step):
        raise NotNative(f"the pipeline holds {step!r}, which is no plain scaler of single features")
    return step


def _is_plain(step: Any) -> bool:
    return type(step) in SCALERS and not getattr(step, "clip", False)


def _per_column(step: ColumnTransformer, data: Dataset) -> PerColumn:
    """Return the scaler of every column, which must be the same in every subset that holds the column."""
    if data.frame is None:
        raise NotNative("a ColumnTransformer takes the columns of a dataframe, not those of an array")
    if step.transformer_weights is not None:
        raise NotNative("the ColumnTransformer weighs its transformers")
    names = [str(name) for name in data.frame.columns]
    number = {name: k for k, name in enumerate(names)}
    which = np.full(len(names), -1)
    scalers: list[Any] = []
    for _, scaler, columns in step.transformers:
        for k in _chosen(columns, data, number):
            if which[k] >= 0:
                raise NotNative(f"the ColumnTransformer takes the column {names[k]} twice")
            which[k] = len(scalers)
        scalers.append(_single(scaler))
    which[which < 0] = len(scalers)
    if np.any(which == len(scalers)):
        scalers.append(_single(step.remainder))
    return PerColumn(tuple(scalers), tuple(which.tolist()))


def _chosen(columns: Any, data: Dataset, number: dict[str, int]) -> list[int]:
    """Return the numbers of the columns that a rule chooses, column by column."""
    if isinstance(columns, slice) and columns == slice(None):
        return list(number.values())
    if type(columns) is not make_column_selector:
        raise NotNative("the ColumnTransformer names columns that a subset may lack; use make_column_selector")
    return [number[str(name)] for name in columns(data.frame)]


def _single(scaler: Any) -> Any:
    if isinstance(scaler, str) and scaler == "passthrough":
        return None
    if not _is_plain(scaler):
        raise NotNative(f"the ColumnTransformer holds {scaler!r}, which is no plain scaler of single features")
    return scaler
