"""The normal criteria as their formulas read: covariances of the subset, determinants, inverses."""

from __future__ import annotations

from itertools import combinations

import numpy as np


class Gaussian:
    def __init__(self, X: np.ndarray, codes: np.ndarray, regularization: float = 1e-9) -> None:
        self.X = np.asarray(X, dtype=float)
        self.codes = codes
        self.labels = sorted(set(codes.tolist()))
        self.priors = {c: float(np.mean(codes == c)) for c in self.labels}
        variances = self.X.var(axis=0, ddof=1)
        constant = np.ptp(self.X, axis=0) == 0
        self.added = regularization * np.where(constant, 1.0, variances)

    def model(self, c: int, members: list[int]) -> tuple[np.ndarray, np.ndarray]:
        rows = self.X[self.codes == c][:, members]
        mean = rows.mean(axis=0)
        covariance = (rows - mean).T @ (rows - mean) / max(1, len(rows) - 1)
        return mean, covariance + np.diag(self.added[members])

    def value(self, name: str, members: list[int]) -> float:
        total = weights = 0.0
        for i, j in combinations(self.labels, 2):
            weight = self.priors[i] * self.priors[j]
            total += weight * getattr(self, name)(i, j, members)
            weights += weight
        return total / weights

    def bhattacharyya(self, i: int, j: int, members: list[int]) -> float:
        (m1, s1), (m2, s2) = self.model(i, members), self.model(j, members)
        gap = m1 - m2
        logs = [np.linalg.slogdet(s)[1] for s in ((s1 + s2) / 2, s1, s2)]
        return gap @ np.linalg.inv(s1 + s2) @ gap / 4 + 0.5 * (logs[0] - 0.5 * (logs[1] + logs[2]))

    def divergence(self, i: int, j: int, members: list[int]) -> float:
        (m1, s1), (m2, s2) = self.model(i, members), self.model(j, members)
        gap = m1 - m2
        i1, i2 = np.linalg.inv(s1), np.linalg.inv(s2)
        return gap @ (i1 + i2) @ gap / 2 + np.trace(i1 @ s2 + i2 @ s1 - 2 * np.eye(len(members))) / 2

    def mahalanobis(self, i: int, j: int, members: list[int]) -> float:
        (m1, s1), (m2, s2) = self.model(i, members), self.model(j, members)
        p1, p2 = self.priors[i], self.priors[j]
        return (m1 - m2) @ np.linalg.inv((p1 * s1 + p2 * s2) / (p1 + p2)) @ (m1 - m2)
