"""Discriminant analysis and Wilks' lambda as their formulas read: covariances of the subset, inverses, determinants."""

from __future__ import annotations

import numpy as np


def shrunk(rows: np.ndarray, shrinkage: str | float | None) -> np.ndarray:
    """Return the covariance of some rows, drawn towards the identity."""
    n, size = rows.shape
    covariance = np.atleast_2d(np.cov(rows.T, bias=True))
    if shrinkage == "auto":
        deviations = rows.std(axis=0)
        unit = (rows - rows.mean(axis=0)) / deviations
        correlations = unit.T @ unit / n
        if size == 1:
            return covariance
        # The distance of the correlations from the identity, and how far those of single samples scatter around them.
        distance = np.sum((correlations - np.eye(size)) ** 2)
        scatter = sum(np.sum((np.outer(row, row) - correlations) ** 2) for row in unit) / n**2
        share = min(scatter, distance) / distance
        return ((1 - share) * correlations + share * np.eye(size)) * np.outer(deviations, deviations)
    share = shrinkage or 0.0
    return (1 - share) * covariance + share * np.trace(covariance) / size * np.eye(size)


def posteriors(
    X: np.ndarray,
    codes: np.ndarray,
    tested: np.ndarray,
    *,
    linear: bool,
    solver: str = "svd",
    shrinkage: str | float | None = None,
    priors: np.ndarray | None = None,
    reg_param: float = 0.0,
) -> np.ndarray:
    """Return log posteriors (class, sample) but for what is common to all classes of a sample."""
    labels = np.unique(codes)
    parts = [X[codes == c] for c in labels]
    sizes = np.array([len(part) for part in parts])
    shares = sizes / sizes.sum() if priors is None else np.asarray(priors)
    covariances = [(1 - reg_param) * shrunk(part, shrinkage) + reg_param * np.eye(X.shape[1]) for part in parts]
    if linear:
        weights = sizes / sizes.sum() if solver == "svd" else shares
        covariances = [sum(w * s for w, s in zip(weights, covariances, strict=True))] * len(parts)
    found = []
    for part, covariance, share in zip(parts, covariances, shares, strict=True):
        away = tested - part.mean(axis=0)
        forms = np.sum(away * np.linalg.solve(covariance, away.T).T, axis=1)
        found.append(np.log(share) - 0.5 * (forms + np.linalg.slogdet(covariance)[1]))
    return np.array(found)


def magnitudes(scores: np.ndarray, truth: np.ndarray) -> np.ndarray:
    """Sum the magnitudes of the scores of the true and of the greatest class, given (candidate, class, sample)."""
    own = scores[:, truth, np.arange(len(truth))]
    return np.sum(np.abs(own) + np.abs(scores.max(axis=1)), axis=1)


def wilks(X: np.ndarray, codes: np.ndarray) -> float:
    """Return -log(|W| / |T|) of the scatter within classes and of the total scatter."""
    within = sum(len(X[codes == c]) * np.atleast_2d(np.cov(X[codes == c].T, bias=True)) for c in np.unique(codes))
    total = len(X) * np.atleast_2d(np.cov(X.T, bias=True))
    return float(np.linalg.slogdet(total)[1] - np.linalg.slogdet(within)[1])
