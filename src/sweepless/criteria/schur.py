"""One feature more or one less in a factorized matrix: Schur complements for whole batches, with error bounds.

Let A be a matrix of unit diagonal over the members and B its inverse. A candidate x with products g enters by
v = Bg and the Schur complement 1 - g'v; a member j leaves by the j-th column of B and its diagonal entry. With
y = (v, -1) or y = b_j, and sigma the complement or the entry, the inverse changes by ± yy'/sigma in
both cases, so determinants, quadratic forms, traces, fits and leverages all change by a rank-one term.

Bounds are to first order in the backward error E of the factor. Its entries are bounded by one unit in the last
place times the roots of n and d, which is how independent rounding errors add up. `Factor.noise` bounds its
Frobenius norm, which determinants and traces depend on; `Factor.spectral_noise` bounds its spectral norm, which
solutions depend on. Every bound is doubled, and infinite where the first order is not small.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import solve_triangular

from sweepless._typing import Features, Mask, Values
from sweepless.direction import Direction
from sweepless.kernels.factor import factorize, moments, solve_transposed, solve_upper

# Beyond this effect of the noise, bounds to first order do not hold.
_LARGEST_EFFECT = 2.0**-7
# Above this size LAPACK's blocks are faster; below it, its threads cost more than they gain: on a busy machine a
# hundred times more.
_LARGE = 128


@dataclass(frozen=True)
class Change:
    """A batch of neighbors: the inverse changes by sign * yy' / sigma, with y in `columns`."""

    sign: int
    columns: Values  # v or b_j over the members, one candidate per column; none if only bounds are wanted
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
        factorize(self.root, np.zeros(size))
        self.is_sound = bool(np.isfinite(self.root).all() and np.all(self.root.diagonal() > 0.0))
        if not self.is_sound:  # every neighbor will be valued from scratch
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

    def entering(self, sigma: Values) -> Change:
        """Return what bounds need to know of additions whose complements are known, but not their products.

        As |v|² <= ‖B‖ g'Bg, the complement bounds the length of v.
        """
        spectral = float(np.sqrt(np.linalg.norm(self.inverse @ self.inverse))) if self.size else 1.0
        reach = 1.0 + np.sqrt(spectral * np.clip(1.0 - sigma, 0.0, 1.0))
        return self._change(1, np.empty((0, len(sigma))), sigma, reach)

    def _change(self, sign: int, columns: Values, sigma: Values, reach: Values) -> Change:
        positive = sigma > 0
        sigma = np.where(positive, sigma, 1.0)
        growth = self.norm + reach**2 / sigma
        is_sound = self.is_sound & positive & (self.noise * growth < _LARGEST_EFFECT)
        return Change(sign, columns, sigma, reach, growth, is_sound)


class MomentTable:
    """The mean, its correction and the norm of features, each computed when it is first asked for."""

    def __init__(self, n_features: int) -> None:
        self._found = np.full((n_features, 3), np.nan)

    def of(self, features: Features, columns: Values) -> Values:
        """Return the moments of some features, whose values are in `columns`, one feature per row."""
        unknown = np.flatnonzero(np.isnan(self._found[features, 2]))
        if len(unknown):
            self._found[features[unknown]] = moments(columns[unknown])
        return np.asarray(self._found[features])


def bordered(direction: Direction, matrix: Values, place: int, edge: Values, corner: Values | float) -> Values:
    """Return symmetric matrices (last two axes) with a row and a column inserted at, or deleted from, a place."""
    wider = direction.spliced(matrix, place, edge)
    taller = direction.spliced(wider.swapaxes(-1, -2), place, direction.spliced(edge, place, corner))
    return np.ascontiguousarray(taller.swapaxes(-1, -2))


def fit_errors(
    factor: Factor, change: Change, steps: Values, path: Values, spread: float, weight: float, target: float
) -> Values:
    """Bound the norm of the error of every neighbor's least squares fit, over the samples that are predicted.

    A backward error E of the matrix moves a fit by M'B E beta. Over the training samples ‖M'B½‖ <= 1; over other
    samples the sum of the leverages stands for its square.

    Parameters
    ----------
    steps : array
        The largest product of the path and the targets, whose quotient by sigma is the new coefficient.
    path : array
        The norm of the path of the fit over the predicted samples.
    spread : float
        The sum of their leverages before the change (1 for the training samples themselves).
    weight, target : float
        The greatest norms of the coefficients and of the targets.
    """
    reach, sigma = change.reach, change.sigma
    moved = reach * np.abs(steps) / sigma
    after = weight + moved
    root = np.sqrt(factor.norm * spread)
    from_scratch = (np.sqrt(change.growth * (spread + path**2 / sigma)) + 1.0) * after
    before = (root + 1.0) * weight
    between = root * moved + path / sigma * (reach * (weight + target) + moved * reach + root * weight) + target
    return np.asarray(change.guarded(factor.spectral_noise * (from_scratch + before + between)))


def leverage_errors(factor: Factor, change: Change) -> Values:
    """Bound the error of every leverage of every neighbor."""
    slant = change.reach / np.sqrt(change.sigma)
    errors = change.growth + factor.norm + 2.0 * np.sqrt(factor.norm) * slant + slant**2
    return change.guarded(factor.spectral_noise * errors)


def _lengths(columns: Values) -> Values:
    return np.asarray(np.sqrt(np.einsum("ik,ik->k", columns, columns)))
