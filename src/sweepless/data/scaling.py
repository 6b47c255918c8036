"""Feature values scaled to [0, 1] over a whole data set."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from sweepless._typing import Values
from sweepless.dataset import Dataset
from sweepless.errors import DataError, InputError


@dataclass(frozen=True, eq=False)
class Scaler01:
    """Map every feature's range onto [0, 1]; a constant feature becomes 0.

    Attributes
    ----------
    minimum : array of shape (n_features,)
    span : array of shape (n_features,)
        Maximum minus minimum.
    """

    minimum: Values
    span: Values

    @classmethod
    def fit(cls, dataset: Dataset) -> Scaler01:
        """Learn the range of every feature over all samples.

        Parameters
        ----------
        dataset : Dataset
            If it is sparse, the minimum of every feature must be 0.

        Returns
        -------
        Scaler01
        """
        low, high = _range(dataset.X)
        with np.errstate(over="ignore"):
            scaler = cls(minimum=low, span=high - low)
        wide = np.flatnonzero(~np.isfinite(scaler.span))
        if len(wide):
            raise DataError(f"the range of a feature must be finite, got an overflow at feature {wide[0]}.")
        if sparse.issparse(dataset.X):
            scaler._check_sparse()
        return scaler

    def apply(self, dataset: Dataset) -> Dataset:
        """Scale a data set; values beyond the learned range leave [0, 1].

        Parameters
        ----------
        dataset : Dataset
            With as many features as the one learned from. Sparse data stay sparse.

        Returns
        -------
        Dataset
            With 64-bit values.
        """
        if dataset.n_features != len(self.minimum):
            raise InputError(f"`dataset` must have {len(self.minimum)} features, got {dataset.n_features}.")
        constant = self.span == 0
        # True divisions by the span: a product with its reciprocal differs in the last bit.
        divisor = np.where(constant, 1.0, self.span)
        if sparse.issparse(dataset.X):
            self._check_sparse()
            matrix = sparse.csc_matrix(dataset.X, dtype=np.float64, copy=True)
            column = np.repeat(np.arange(dataset.n_features), np.diff(matrix.indptr))
            matrix.data /= divisor[column]
            matrix.data[constant[column]] = 0.0
            return dataset.with_matrix(matrix)
        dense = np.array(dataset.X, dtype=np.float64, order="F")  # columns will be fetched
        dense -= self.minimum
        dense /= divisor
        dense[:, constant] = 0.0
        return dataset.with_matrix(dense)

    def _check_sparse(self) -> None:
        """Refuse a shift of zero, which would fill a sparse matrix."""
        shifted = np.flatnonzero(self.minimum != 0)
        if len(shifted):
            feature = int(shifted[0])
            raise DataError(
                f"the minimum of every sparse feature must be 0 to be scaled, got {self.minimum[feature]:g} "
                f"at feature {feature}."
            )


def _range(X: Any) -> tuple[Values, Values]:
    """Return the least and the greatest value of every column."""
    if sparse.issparse(X):
        low, high = X.min(axis=0).toarray().ravel(), X.max(axis=0).toarray().ravel()
    else:
        low, high = np.min(X, axis=0), np.max(X, axis=0)
    return np.asarray(low, dtype=np.float64), np.asarray(high, dtype=np.float64)
