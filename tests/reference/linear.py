"""Ridge regression by cross-validation, one fit for every training part."""

from __future__ import annotations

import numpy as np

from sweepless.criteria.schur import fit_errors, leverage_errors


def predict(train: np.ndarray, target: np.ndarray, test: np.ndarray, alpha: float) -> np.ndarray:
    """Fit with an unpenalised intercept by least squares on rows augmented by the penalty; least norm if not unique."""
    center, mean = train.mean(axis=0), target.mean(axis=0)
    rows = np.vstack([train - center, np.sqrt(alpha) * np.eye(train.shape[1])])
    right = np.vstack([target - mean, np.zeros((train.shape[1], target.shape[1]))])
    weights = np.linalg.lstsq(rows, right, rcond=None)[0]
    return mean + (test - center) @ weights


def cross_validated(X, y, members, alpha, folds, score, class_weight=None) -> float:
    """`folds` numbers the fold of every sample; a fold each is leave-one-out."""
    X = np.asarray(X, dtype=float)[:, members]
    if score == "class_r2":
        return class_r2(X, y, alpha, folds, class_weight)
    if score == "accuracy":
        labels, codes = np.unique(y, return_inverse=True)
        target = np.where(codes[:, None] == np.arange(len(labels)), 1.0, -1.0)
    else:
        target = np.asarray(y, dtype=float)[:, None]
    predicted = np.empty_like(target)
    for fold in set(folds.tolist()):
        test = folds == fold
        predicted[test] = predict(X[~test], target[~test], X[test], alpha)
    parts = [folds == fold for fold in sorted(set(folds.tolist()))]
    if score == "accuracy":
        right = np.argmax(predicted, axis=1) == codes
        return float(np.mean([right[part].mean() for part in parts]))
    errors = (predicted - target)[:, 0] ** 2
    if score == "mse":
        return -float(np.mean([errors[part].mean() for part in parts]))
    if len(parts) == len(X):
        parts = [np.ones(len(X), dtype=bool)]  # leave-one-out is pooled
    values = [1 - errors[part].sum() / ((target[part] - target[part].mean()) ** 2).sum() for part in parts]
    return float(np.mean(values))


def class_r2(X, y, alpha, folds, class_weight) -> float:
    """R² over one output of 0 and 1 for every class, one class after the other."""
    parts = [folds == fold for fold in sorted(set(folds.tolist()))]
    errors, spreads = np.zeros(len(parts)), np.zeros(len(parts))
    for label in sorted(set(y.tolist())):
        target = (y == label).astype(float)[:, None]
        weight = 1.0 / target.var() if class_weight == "balanced" else 1.0
        for k, part in enumerate(parts):
            predicted = predict(X[~part], target[~part], X[part], alpha)
            center = target.mean() if len(parts) == len(X) else target[part].mean()
            errors[k] += weight * ((predicted - target[part]) ** 2).sum()
            spreads[k] += weight * ((target[part] - center) ** 2).sum()
    if len(parts) == len(X):
        return 1 - errors.sum() / spreads.sum()  # leave-one-out is pooled
    return float(np.mean(1 - errors / spreads))


def explained_away(X, members, alpha) -> np.ndarray:
    """Return every column, centered and scaled so that its square and penalty sum to 1, less its fit by the members."""
    X = np.asarray(X, dtype=np.longdouble)
    centered = X - X.mean(axis=0)
    squares = (centered**2).sum(axis=0)
    penalties = alpha + squares * 2.0**-40
    columns = centered / np.sqrt(squares + penalties)
    inside = columns[:, members]
    matrix = (inside.T @ inside + np.diag((penalties / (squares + penalties))[members])).astype(float)
    right = inside.T @ columns
    solved = np.linalg.solve(matrix, right.astype(float)).astype(np.longdouble)
    for _ in range(3):  # refined until nothing but the last digits of a long double is left
        exact = inside.T @ (inside @ solved) + (penalties / (squares + penalties))[members][:, None] * solved
        solved += np.linalg.solve(matrix, (right - exact).astype(float))
    return (columns - inside @ solved).astype(float)


def judged(factor, change, steps, sums, fit, drift, n_samples, best, scale, spacing) -> tuple[np.ndarray, np.ndarray]:
    """Return leave-one-out scores on their grid, and by how much their errors leave each of them decided.

    `fit` holds the norms of coefficients and targets, and the sum of squared residuals.
    """
    press, fourth, least = sums
    weight, target, square = fit
    sigma, lengths = change.sigma, np.sqrt(np.sum(steps**2, axis=0))
    moves = lengths / sigma
    with np.errstate(all="ignore"):
        peak = np.where(least > 0.0, 1.0 / least**2, np.inf)
        errors = fit_errors(factor, change, lengths, np.sqrt(sigma), 1.0, weight, target)
        errors = errors + drift * moves * (1.0 + 1.0 / np.sqrt(sigma))
        doubts = leverage_errors(factor, change)
        bounds = 2.0 * (np.sqrt(press * peak) * errors + press * peak * doubts)
        bounds += drift * np.sqrt(fourth * sigma * peak) * (4.0 + 2.0 / np.sqrt(sigma)) / sigma
        terms = (square + moves**2 * sigma) * peak
        bounds += 2.0**-52 * (32.0 + len(steps) + np.sqrt(n_samples)) * terms
        holds = n_samples * peak * (128.0 * (doubts + 3.0 * drift / sigma)) ** 2 < 1.0
        values = (best - press * scale) / spacing
        nearest = np.rint(values)
        room = 0.5 - np.abs(values - nearest) - np.where(holds, bounds, np.inf) * scale / spacing
    return nearest * spacing, room
