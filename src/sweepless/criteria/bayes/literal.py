"""Multinomial naive Bayes by the very operations of scikit-learn, for the few values that hang on their rounding.

Whatever scikit-learn rounds is rounded here, too: the same products of the same matrices, in the same order, by one
thread. That takes a quarter of a millisecond for a fold, where a fit and a score take three, most of it in checks.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse
from scipy.special import logsumexp

from sweepless._threads import one_thread
from sweepless._typing import AnyArray, Counts, Features, Values
from sweepless.criteria.bayes.layout import Cells, Priors
from sweepless.criteria.folds import Partition, Split
from sweepless.dataset import Dataset


class LiteralWords:
    """The models of all folds; every class must be trained on in each of them."""

    def __init__(
        self, data: Dataset, cells: Cells, folds: int | Partition | Split, alpha: float, priors: Priors
    ) -> None:
        self._data, self._cells, self._folds, self._alpha, self._priors = data, cells, folds, alpha, priors

    def logarithms(self, features: Features, fold: int) -> Values:
        """Return log(p(class) p(sample | class)) of a fold, its samples in the order of the cells: (sample, class)."""
        train, test = self._rows_of(fold)
        table, members = self._data.X[:, features], self._indicators(train)
        with one_thread():
            counts = np.ascontiguousarray(members.T @ _rows(table, train)) + self._alpha
            logs = np.log(counts) - np.log(counts.sum(axis=1).reshape(-1, 1))
            found = _rows(table, test) @ logs.T + self._log_priors(members)
        return np.asarray(found[np.lexsort((test, self._data.codes[test]))])

    def _rows_of(self, fold: int) -> tuple[Counts, Counts]:
        """Return the samples to train on and those of the fold, in the order in which the estimator sees them."""
        if isinstance(self._folds, Split):
            return np.array(self._folds.train), np.array(self._folds.test)
        order, (start, *_, stop) = self._cells.order, self._cells.bounds[fold].tolist()
        return np.sort(np.append(order[:start], order[stop:])), np.sort(order[start:stop])

    def _indicators(self, rows: Counts) -> AnyArray:
        """Return the weights of samples in the columns of their classes; products depend on their type and layout."""
        codes, n_classes = self._data.codes[rows], len(self._data.classes)
        found = np.eye(n_classes, dtype=np.int64)[codes]
        if self._cells.weights is None:
            return found
        weights = np.empty(self._data.n_samples)
        weights[self._cells.order] = self._cells.weights
        return found * weights[rows][:, None]

    def _log_priors(self, members: AnyArray) -> Values:
        if isinstance(self._priors, tuple):
            return np.log(self._priors)
        if self._priors == "uniform":
            return np.full(members.shape[1], -np.log(members.shape[1]))
        sizes = members.sum(axis=0)
        return np.asarray(np.log(sizes) - np.log(sizes.sum()))


def shares_of(logarithms: Values) -> Values:
    """Return probabilities: (sample, class)."""
    return np.asarray(np.exp(logarithms - logsumexp(logarithms, axis=1)[:, None]))


def _rows(table: Any, rows: Counts) -> Any:
    return table[rows].tocsr() if sparse.issparse(table) else table[rows]
