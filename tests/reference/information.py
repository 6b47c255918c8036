"""Information criteria by their textbook formulas."""

from __future__ import annotations

import numpy as np

from tests.reference.smooth_linear import optimum, shares


def charge(score: str, n_samples: int, n_features: int, size: int, n_coefficients: int = 1) -> float:
    """Return half of what AIC, BIC or extended BIC add for the features of a subset."""
    each = 1.0 if score == "aic" else np.log(n_samples) / 2.0
    return size * (n_coefficients * each + (np.log(n_features) if score == "ebic" else 0.0))


def of_least_squares(X, y, members, score) -> float:
    """Return -(IC - IC of the mean) / 2n, from residuals by a solver."""
    n = len(y)
    columns = np.column_stack([np.ones(n), X[:, members]])
    residual = y - columns @ np.linalg.lstsq(columns, y, rcond=None)[0]
    gain = -0.5 * n * np.log(np.sum(residual**2) / np.sum((y - y.mean()) ** 2))
    return (gain - charge(score, n, X.shape[1], len(members))) / n


def of_logistic(X, codes, members, score, alpha) -> float:
    """Return the same for two classes, with a penalty on the coefficients of standardized features."""
    n = len(codes)
    columns = (X[:, members] - X[:, members].mean(axis=0)) / X[:, members].std(axis=0)
    rows = np.column_stack([np.ones(n), columns])
    penalties = np.r_[0.0, np.full(len(members), alpha)]
    w = optimum("logistic", rows, codes, np.ones(n), penalties)
    z = rows @ w
    least = np.sum(np.logaddexp(0.0, z) - codes * z) + np.sum(penalties * w**2) / 2.0
    share = codes.mean()
    alone = -n * (share * np.log(share) + (1.0 - share) * np.log(1.0 - share))
    return (alone - least - charge(score, n, X.shape[1], len(members))) / n


def score_statistics(X, codes, members, alpha) -> np.ndarray:
    """Return g² / 2h of every feature at the optimum of the members, of two classes or more."""
    n, labels = len(codes), np.unique(codes)
    columns = (X - X.mean(axis=0)) / X.std(axis=0)
    rows = np.column_stack([np.ones(n), columns[:, members]])
    penalties = np.r_[0.0, np.full(len(members), alpha)]
    if len(labels) == 2:
        z = rows @ optimum("logistic", rows, codes, np.ones(n), penalties)
        predicted, wanted = (1.0 / (1.0 + np.exp(-z)))[None], codes[None]
    else:
        predicted, wanted = _several(rows, codes, penalties), codes == labels[:, None]
    slopes = (predicted - wanted) @ columns
    return np.sum(slopes**2 / (2.0 * ((predicted * (1.0 - predicted)) @ columns**2 + alpha)), axis=0)


def _several(rows, codes, penalties):
    """Return the shares of several classes at the optimum, by gradient steps that are short enough for any data."""
    wanted = (codes == np.unique(codes)[:, None]).astype(float)
    w = np.zeros((len(wanted), rows.shape[1]))
    length = 1.0 / (0.5 * np.linalg.norm(rows, 2) ** 2 + penalties.max())
    momentum, before = w, w
    for step in range(20000):
        before, w = w, momentum - length * ((shares(momentum @ rows.T) - wanted) @ rows + penalties * momentum)
        momentum = w + step / (step + 3.0) * (w - before)
    return shares(w @ rows.T)
