"""How far rounding may carry the fit of a neighbour, to first order (see `schur`).

A backward error E of the matrix moves a fit by M'B E beta. Within the training samples ‖M'B½‖ <= 1;
elsewhere the sum of the leverages stands for its square.
"""

from __future__ import annotations

import numpy as np

from sweepless._typing import Values
from sweepless.criteria.schur import Change, Factor


def fit_errors(
    factor: Factor,
    change: Change,
    steps: Values,
    path: Values,
    spread: float,
    weight: float,
    target: float,
) -> Values:
    """Bound the norm of the error of every neighbour's fit, over the samples that are predicted.

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
    between = root * moved + path / sigma * (reach * (weight + target) + moved * reach) + target
    return np.asarray(change.guarded(factor.spectral_noise * (from_scratch + before + between)))


def leverage_errors(factor: Factor, change: Change) -> Values:
    """Bound the error of every leverage of every neighbour."""
    slant = change.reach / np.sqrt(change.sigma)
    errors = change.growth + factor.norm + 2.0 * np.sqrt(factor.norm) * slant + slant**2
    return change.guarded(factor.spectral_noise * errors)
