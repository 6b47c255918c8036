"""Per-feature scalers in front of a criterion: each split sees columns scaled by its own training part."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.preprocessing import MaxAbsScaler, MinMaxScaler, RobustScaler, StandardScaler

from sweepless._typing import AnyArray, Features, Mask, Values
from sweepless.criteria.base import Criterion, Cursor
from sweepless.criteria.folds import Split
from sweepless.dataset import Dataset


@dataclass(frozen=True)
class PerColumn:
    """Other scalers for other columns, as a `ColumnTransformer` has them.

    Parameters
    ----------
    scalers : tuple of scikit-learn scalers or None
        None leaves columns as they are.
    which : tuple of int
        The number of the scaler of every feature.
    """

    scalers: tuple[Any, ...]
    which: tuple[int, ...]

    @property
    def name(self) -> str:
        return " or ".join("nothing" if scaler is None else type(scaler).__name__ for scaler in self.scalers)


SCALERS = (StandardScaler, MinMaxScaler, MaxAbsScaler, RobustScaler)
_CELLS_AROUND = 1 << 15  # a fit to this many values takes hardly longer than a fit to one feature


@dataclass(frozen=True)
class Scaled(Criterion):
    """A criterion on one split, whose columns are scaled by scalers fitted to the training part.

    Parameters
    ----------
    criterion : Criterion
        A criterion with `folds=split`.
    scalers : tuple of scikit-learn scalers
        Applied one after the other; each maps every feature by itself, x to ax + b.
    split : Split
    """

    criterion: Criterion
    scalers: tuple[Any, ...]
    split: Split

    def __repr__(self) -> str:
        names = (one.name if isinstance(one, PerColumn) else type(one).__name__ for one in self.scalers)
        return f"{self.criterion!r} after {', '.join(names)}"

    def bind(self, data: Dataset) -> Cursor:
        return self.criterion.bind(ScaledDataset(data, self.scalers, self.split.train))

    def operations(self, data: Dataset, size: int) -> float:
        return self.criterion.operations(data, size)


class ScaledDataset(Dataset):
    """A view of a data set whose columns are scaled when they are fetched; all splits share one matrix."""

    def __init__(self, data: Dataset, scalers: tuple[Any, ...], train: Any) -> None:
        self.__dict__.update(data.__dict__)
        self.__dict__.pop("X", None)  # only columns are scaled
        self._whole = data.in_column_order()
        self._train = np.array(train)
        self._maps = [_map(scaler, data.n_features) for scaler in scalers]
        self._is_known = np.zeros(data.n_features, dtype=np.bool_)

    def columns(self, features: Any) -> Values:
        features = np.arange(self.n_features)[features]
        fresh = features[~self._is_known[features]]
        if len(fresh):
            self._learn(fresh)
        block = self._whole.columns(features)
        for each in self._maps:
            block = each.apply(features, block)
        return block

    def require_variation(self) -> None:
        self._whole.require_variation()

    def _learn(self, features: Features) -> None:
        """Fit the scalers to some features and to those around them, at the cost of a single fit."""
        width = max(1, _CELLS_AROUND // self.n_samples)
        starts = np.unique(features // width) * width
        around = (starts[:, None] + np.arange(width)).ravel()
        around = around[around < self.n_features]
        block = self._whole.columns(around)
        with np.errstate(over="ignore", invalid="ignore"):
            for each in self._maps:
                each.learn(around, np.ascontiguousarray(block[:, self._train].T))
                block = each.apply(around, block)
                # The next scaler refuses infinite values; such features are dropped unless they were asked for.
                fine = np.isfinite(block).all(axis=1) | np.isin(around, features)
                around, block = around[fine], block[fine]
        self._is_known[around] = True


class _Map:
    """The effect of one scaler on the features it has been fitted to, in scikit-learn's order of operations."""

    def __init__(self, scaler: Any, n_features: int) -> None:
        self.scaler = scaler
        self._shift, self._scale = np.empty((2, n_features))
        self._apply = _stretched if type(scaler) is MinMaxScaler else _centered

    def learn(self, features: Features, trained: AnyArray) -> None:
        if len(features) == 1:  # a single column would be summed in another order
            features, trained = np.repeat(features, 2), np.repeat(trained, 2, axis=1)
        fitted = clone(self.scaler).fit(trained)
        shift = getattr(fitted, {MinMaxScaler: "min_", RobustScaler: "center_"}.get(type(fitted), "mean_"), None)
        self._shift[features] = 0.0 if shift is None or getattr(fitted, "with_mean", True) is False else shift
        self._scale[features] = 1.0 if fitted.scale_ is None else fitted.scale_

    def apply(self, features: Features, block: Values) -> Values:
        return self._apply(block, self._shift[features][:, None], self._scale[features][:, None])


class _MapPerColumn:
    """The effect of other scalers on other features."""

    def __init__(self, columns: PerColumn, n_features: int) -> None:
        self._which = np.array(columns.which)
        self._maps = [None if scaler is None else _Map(scaler, n_features) for scaler in columns.scalers]

    def learn(self, features: Features, trained: AnyArray) -> None:
        for each, chosen in self._groups(features):
            each.learn(features[chosen], np.ascontiguousarray(trained[:, chosen]))

    def apply(self, features: Features, block: Values) -> Values:
        block = block.copy()
        for each, chosen in self._groups(features):
            block[chosen] = each.apply(features[chosen], block[chosen])
        return block

    def _groups(self, features: Features) -> Iterator[tuple[_Map, Mask]]:
        for number, each in enumerate(self._maps):
            chosen = self._which[features] == number
            if each is not None and chosen.any():
                yield each, chosen


def _map(scaler: Any, n_features: int) -> _Map | _MapPerColumn:
    return _MapPerColumn(scaler, n_features) if isinstance(scaler, PerColumn) else _Map(scaler, n_features)


def _centered(block: Values, shift: Values, scale: Values) -> Values:
    return np.asarray((block - shift) / scale)


def _stretched(block: Values, shift: Values, scale: Values) -> Values:
    return np.asarray(block * scale + shift)
