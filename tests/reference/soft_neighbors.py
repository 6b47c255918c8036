"""Soft neighbors by their definition: whole matrices of squared distances and weights, on the same two grids."""

from __future__ import annotations

import math

import numpy as np


def scale_of(X: np.ndarray) -> float:
    """The greatest power of two for which the squared ranges of all features together stay below one half."""
    halves = [float(column.max()) / 2 - float(column.min()) / 2 for column in X.T.astype(float)]
    exponent = math.frexp(max(halves))[1]
    total = sum(math.ldexp(half, -exponent) ** 2 for half in halves)
    while 4 * total >= 0.5:
        total /= 4
        exponent += 1
    while 16 * total < 0.5:
        total *= 4
        exponent -= 1
    return math.ldexp(1.0, min(-exponent, 1000))


def on_grid(numbers: np.ndarray | float, n_bits: int) -> np.ndarray:
    return np.rint(np.ldexp(numbers, n_bits)) / 2.0**n_bits


def weight_sums(X: np.ndarray, codes: list[int], members: list[int], bandwidth: float, power: int) -> np.ndarray:
    """The weights around every sample (row), added up by class (column)."""
    scaled = X.astype(float) * scale_of(X)
    squares = np.zeros((len(X), len(X)))
    spread = 0.0
    for feature in members:
        column = scaled[:, feature]
        squares = squares + on_grid((column[:, None] - column[None, :]) ** 2, 52)
        spread += float(on_grid(np.var(column - column[0]), 52))
    reach = 1.0 / (bandwidth**2 * spread) if spread > 0 else 0.0
    weights = on_grid((1.0 + squares * reach) ** -float(power), 40)
    np.fill_diagonal(weights, 0.0)
    return np.array([weights[:, np.array(codes) == code].sum(axis=1) for code in range(max(codes) + 1)]).T


def soft_value(X: np.ndarray, codes: list[int], members: list[int], bandwidth: float, power: int, score: str) -> float:
    sums = weight_sums(X, codes, members, bandwidth, power)
    losses = []
    for i, own in enumerate(codes):
        others = [codes[j] for j in range(len(codes)) if j != i]
        shares = sums[i] if sums[i].sum() > 0 else np.array([others.count(c) for c in range(sums.shape[1])], float)
        shares = shares / shares.sum()
        truth = np.eye(len(shares))[own]
        is_log = score == "log_loss"
        losses.append(-math.log(max(shares[own], 1 / len(codes))) if is_log else 0.5 * ((shares - truth) ** 2).sum())
    return -sum(losses) / len(losses)
