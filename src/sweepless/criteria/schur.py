"""One feature more or one less in a factorised matrix: Schur complements for whole batches, with error bounds.

Let A be a matrix of unit diagonal over the members and B its inverse. A candidate x with products g enters by
v = Bg and the Schur complement 1 - g'v; a member j leaves by the j-th column of B and its diagonal entry. With
y = (v, -1) or y = b_j, and sigma the complement or the entry, the inverse changes by ± yy'/sigma in
both cases, so determinants, quadratic forms, traces, fits and leverages all change by a rank-one term.

Bounds are to first order in the backward error E of the factor. Its entries are bounded by one unit in the last
place times the roots of n and d, as rounding errors that do not conspire have it; `Factor.noise` bounds its
Frobenius norm (what determinants and traces feel), `Factor.spectral_noise` its spectral norm (what solutions
feel). What comes out is doubled, and infinite where the first order does not rule.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import solve_triangular

from sweepless._typing import Features, Mask, Values
from sweepless.kernels.factor import factorise, solve_transposed, solve_upper

# Beyond this the first order of the bounds does not rule.
_LARGEST_EFFECT = 2.0**-7
# From this size on the library's blocks win; below, its threads cost more than they bring, on a busy machine a
# hundred times more.
_LARGE = 128


@dataclass(frozen=True)
class Change:
    """A batch of neighbours: the inverse changes by sign * yy' / sigma, with y in `columns`."""

    sign: int
    columns: Values  # v or b_j over the members, one candidate per column
    sigma: Values
    reach: Values  # a bound on the length of y
    growth: Values  # a bound on the norm of the changed inverse
    is_sound: Mask  # whether bounds to first order hold

    def guarded(self, errors: Values) -> Values:
        """Double the bounds, and make them infinite where they do not hold."""
        return np.where(self.is_sound, 2.0 * errors, np.inf)


class Factor:
    """The Cholesky factor U, U'U = A, and the inverse of a matrix with unit diagonal."""

    def __init__(self, matrix: Values, n_samples: int) -> None:
        size = len(matrix)
        self.size = size
        entry = 2.0**-52 * (np.sqrt(n_samples) + np.sqrt(size))
        self.noise = float(entry * (size + 2))
        self.spectral_noise = float(entry * 2.0 * np.sqrt(size + 2))
        self.root = np.array(matrix)
        factorise(self.root, np.zeros(size))
        self.is_sound = bool(np.isfinite(self.root).all() and np.all(self.root.diagonal() > 0.0))
        if not self.is_sound:  # everything will be settled by the definition
            self.root = np.eye(size)
        half = self.half(np.eye(size))
        self.inverse = half.T @ half
        self.norm = float(np.sqrt(np.sum(np.square(self.inverse)))) if size else 1.0

    def half(self, right: Values) -> Values:
        """Return the right-hand side divided by the transposed factor; its squares sum to the quadratic form."""
        if self.size > _LARGE:
            return np.asarray(solve_triangular(self.root, right, trans="T", check_finite=False))
        solved = np.array(right, order="C")
        solve_transposed(self.root, solved)
        return solved

    def solve(self, right: Values) -> Values:
        solved = self.half(right)
        if self.size > _LARGE:
            return np.asarray(solve_triangular(self.root, solved, check_finite=False))
        solve_upper(self.root, solved)
        return solved

    def grow(self, products: Values) -> Change:
        """Value additions; `products` holds the candidates' entries of the matrix, one column each."""
        columns = self.solve(products)
        sigma = 1.0 - np.einsum("ik,ik->k", products, columns)
        return self._change(1, columns, sigma, 1.0 + _lengths(columns))

    def shrink(self, places: Features) -> Change:
        """Value removals of the members at these places."""
        columns = self.inverse[:, places]
        return self._change(-1, columns, self.inverse[places, places], _lengths(columns))

    def _change(self, sign: int, columns: Values, sigma: Values, reach: Values) -> Change:
        positive = sigma > 0
        sigma = np.where(positive, sigma, 1.0)
        growth = self.norm + reach**2 / sigma
        is_sound = self.is_sound & positive & (self.noise * growth < _LARGEST_EFFECT)
        return Change(sign, columns, sigma, reach, growth, is_sound)


def _lengths(columns: Values) -> Values:
    return np.asarray(np.sqrt(np.einsum("ik,ik->k", columns, columns)))
