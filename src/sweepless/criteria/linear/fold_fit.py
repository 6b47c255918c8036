"""What one fold's training part makes of the working subset."""

from __future__ import annotations

import numpy as np

from sweepless._typing import Values
from sweepless.criteria.schur import Factor


class FoldFit:
    """The fit of the working subset to the training part of one fold."""

    def __init__(
        self,
        factor: Factor,
        rows: Values,
        products: Values,
        scales: Values,
        means: Values,
        outputs: Values,
        target: float,
    ) -> None:
        self.factor, self.rows, self.products, self.scales, self.target = factor, rows, products, scales, target
        self.weights = factor.solve(products)
        self.predicted = means[:, None] + self.weights.T @ rows
        self.residuals = outputs[0] - self.predicted[0]
        self.weight = float(np.max(norms(self.weights.T)))
        self.spread = float(np.sum(factor.half(rows) ** 2))
        # Fold means are good to the last digit of the column, not of what varies in the training part.
        self.widest = max(1.0, float(np.max(scales, initial=0.0)))


def norms(rows: Values) -> Values:
    """Return the length of every row."""
    return np.asarray(np.sqrt(np.einsum("kt,kt->k", rows, rows)))
