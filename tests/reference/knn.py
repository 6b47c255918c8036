"""Cross-validated k-NN accuracy by its definition: sums in ascending order, roots, a sort, a vote."""

from __future__ import annotations

import math

import numpy as np


def fold_sizes(n_samples: int, n_folds: int) -> list[int]:
    sizes: list[int] = []
    for fold in range(n_folds):
        sizes.append((n_samples - sum(sizes)) // (n_folds - fold))
    return sizes


def folds_of(codes: list[int], n_folds: int) -> list[int]:
    """Number the fold of every sample: contiguous within its class, classes apart."""
    fold_of = [-1] * len(codes)
    for code in set(codes):
        samples = iter([i for i, own in enumerate(codes) if own == code])
        for fold, size in enumerate(fold_sizes(codes.count(code), n_folds)):
            for _ in range(size):
                fold_of[next(samples)] = fold
    return fold_of


def distances(X: np.ndarray, members: list[int], metric: str = "euclidean") -> list[list[float]]:
    """All pairwise distances over the members in ascending order."""
    total = np.zeros((len(X), len(X)))
    for feature in sorted(members):
        column = X[:, feature].astype(float)
        with np.errstate(over="ignore"):
            difference = column[:, None] - column[None, :]
            total = total + (abs(difference) if metric == "manhattan" else difference * difference)
    if metric == "manhattan":
        return total.tolist()
    return [[math.sqrt(square) for square in row] for row in total.tolist()]


def votes_of(distance: list[float], codes: list[int], train: list[int], n_neighbors: int, ties: str) -> list[int]:
    """The classes of the nearest samples; equally near ones rank by (class, index) or by index."""
    ranked = sorted(train, key=lambda j: (distance[j], codes[j] if ties == "class" else 0, j))
    return [codes[j] for j in ranked[:n_neighbors]]


def worth(votes: list[int], own: int, score: str) -> float:
    """Whether the own class wins, or minus the loss of the shares of the votes."""
    if score == "accuracy":
        return float(bool(votes) and min(set(votes), key=lambda code: (-votes.count(code), code)) == own)
    if score == "log_loss":
        return math.log(max(votes.count(own), 0.5) / len(votes))
    return -sum((votes.count(code) / len(votes) - (code == own)) ** 2 for code in {*votes, own}) / 2


def knn_value(
    X: np.ndarray,
    codes: list[int],
    members: list[int],
    n_neighbors: int = 1,
    n_folds: int | str = 3,
    ties: str = "class",
    metric: str = "euclidean",
    score: str = "accuracy",
) -> float:
    """The mean over folds of the fold's accuracy, or of minus its loss; an empty fold counts 0.

    Leave-one-out pools all samples.
    """
    distance = distances(X, members, metric)
    if n_folds == "loo":
        everyone = range(len(codes))
        others = [[j for j in everyone if j != i] for i in everyone]
        right = [worth(votes_of(distance[i], codes, others[i], n_neighbors, ties), codes[i], score) for i in everyone]
        return sum(right) / len(codes)
    fold_of = folds_of(codes, n_folds)
    total = 0.0
    for fold in range(n_folds):
        test = [i for i in range(len(codes)) if fold_of[i] == fold]
        train = [i for i in range(len(codes)) if fold_of[i] != fold]
        right = sum(worth(votes_of(distance[i], codes, train, n_neighbors, ties), codes[i], score) for i in test)
        total += right / len(test) if test else 0.0
    return total / n_folds


def holdout_value(
    train: np.ndarray,
    train_codes: list[int],
    test: np.ndarray,
    test_codes: list[int],
    members: list[int],
    n_neighbors: int = 1,
    ties: str = "class",
    score: str = "accuracy",
) -> float:
    """The pooled accuracy on samples that were never trained on."""
    distance = distances(np.vstack([train, test]), members)
    everything = list(range(len(train)))
    right = [
        worth(votes_of(distance[len(train) + i], train_codes, everything, n_neighbors, ties), code, score)
        for i, code in enumerate(test_codes)
    ]
    return sum(right) / len(right)


def weighed_mean(distance: list[float], targets: list[float], train: list[int], n_neighbors: int) -> float:
    """The mean target of the nearest samples, by inverse distance; only those at no distance count if there are any."""
    nearest = sorted(train, key=lambda j: (distance[j], j))[:n_neighbors]
    same = [j for j in nearest if distance[j] == 0.0]
    weights = dict.fromkeys(same, 1.0) or {j: 1.0 / distance[j] for j in nearest}
    return sum(weights[j] * targets[j] for j in weights) / sum(weights.values())


def least_of(values: np.ndarray, count: int) -> tuple[np.ndarray, np.ndarray]:
    """The `count` least finite values per column, ascending, and the rows that they are in; equal ones by row."""
    order = np.argsort(values, axis=0, kind="stable")[:count]
    return np.take_along_axis(values, order, axis=0), order
