"""What a peer is, and how a ranking becomes subsets."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
from scipy import sparse
from sklearn.preprocessing import StandardScaler

from sweepless._typing import AnyArray, Features, Values
from sweepless.dataset import Dataset
from sweepless.search.ranking import Ranking

Peer: TypeAlias = Callable[[Dataset, Sequence[int], int], Mapping[int, Features]]
"""Chooses a subset of every size, each sorted, from a training part and a seed."""


def prefixes(scores: Values, sizes: Sequence[int]) -> dict[int, Features]:
    """Take the best of every size; features without a score come last."""
    return first_of(Ranking.by(np.where(np.isnan(scores), -np.inf, scores)).order, sizes)


def first_of(order: Features, sizes: Sequence[int]) -> dict[int, Features]:
    """Take the first features of an order, as many as each size asks for."""
    return {size: np.sort(order[:size]) for size in sizes}


def target_of(train: Dataset) -> AnyArray:
    """Return what models learn: the numbers of the classes, or the numbers to predict."""
    return train.codes if train.has_classes else train.target


def standardized(train: Dataset) -> Any:
    """Return the matrix with features of one variance; sparse features keep their zeros."""
    is_sparse = sparse.issparse(train.X)
    X = StandardScaler(with_mean=not is_sparse).fit_transform(train.X)
    return X.tocsc() if is_sparse else X


def dense(train: Dataset) -> Values:
    """Return the matrix as an array of doubles, for what takes nothing else."""
    X = train.X.toarray() if sparse.issparse(train.X) else train.X
    return np.ascontiguousarray(X, dtype=np.float64)
