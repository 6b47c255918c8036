"""Leave-one-out scores on their grid, and which of them are certain: all bounds of a neighbor in one pass."""

from __future__ import annotations

import numpy as np

from sweepless._typing import Mask, Values
from sweepless.kernels._jit import index, kernel

_ULP = 2.0**-52


@kernel
def judge(
    sigma: Values,
    reach: Values,
    growth: Values,
    lengths: Values,
    sums: Values,
    noise: float,
    norm: float,
    weight: float,
    target: float,
    square: float,
    drift: float,
    n_samples: int,
    n_outputs: int,
    best: float,
    scale: float,
    spacing: float,
    values: Values,
    undecided: Mask,
) -> None:
    """Fill in the values of neighbors, rounded to the grid, and add those that their errors leave undecided.

    Parameters
    ----------
    sigma, reach, growth : array
        Of the change, see `criteria.schur`; it is unsound where `undecided` says so already.
    lengths, sums : array
        The norms of the products of each path and the targets, and what `left_out_squares` returns.
    noise, norm : float
        Of the factor.
    weight, target, square : float
        The norms of the coefficients and of the targets, and the sum of squared residuals.
    drift : float
        A bound on the norm of the error that paths have inherited, and on that of sigma.
    best, scale, spacing : float
        The value without errors, what a squared error is worth, and the spacing of the grid.
    """
    root, coarse = np.sqrt(norm), _ULP * (32.0 + n_outputs + np.sqrt(n_samples))
    for k in range(index(len(sigma))):
        length, press, fourth, least = lengths[k], sums[0, k], sums[1, k], sums[2, k]
        inverse = 1.0 / np.sqrt(sigma[k])
        move, slant = length / sigma[k], reach[k] * inverse
        # `fit_errors` and `leverage_errors`, where the path has the length of root sigma.
        moved = reach[k] * move
        error = (np.sqrt(2.0 * growth[k]) + 1.0) * (weight + moved) + (root + 1.0) * weight
        error += root * moved + slant * (weight + target + moved) + root * weight * inverse + target
        doubt = 2.0 * noise * (growth[k] + norm + (2.0 * root + slant) * slant)
        error = 2.0 * noise * error + drift * move * (1.0 + inverse)
        peak = 1.0 / (least * least)  # of 1 / g² over all samples
        amplified = press * peak
        bound = 2.0 * (np.sqrt(amplified) * error + amplified * doubt)
        # A leverage is off by the path times what this inherited, so over all samples the errors nearly cancel out:
        # path² <= sigma bounds the sum of (path · e² / g³)².
        bound += drift * np.sqrt(fourth * peak) * (4.0 + 2.0 * inverse) * inverse
        # The terms of which e² is made may cancel out.
        bound += coarse * (square + move * length) * peak
        # To first order only where every leverage leaves far more of 1 than it may be off.
        farthest = 128.0 * (doubt + 3.0 * drift * inverse * inverse)
        value = (best - press * scale) / spacing
        nearest = np.rint(value)
        values[k] = nearest * spacing
        # These comparisons are false for NaN, which is never certain.
        is_sure = (least > 0.0) & (n_samples * peak * farthest * farthest < 1.0)
        undecided[k] |= not (is_sure & (0.5 - abs(value - nearest) > bound * scale / spacing))
