"""The multinomial model and its measures, straight from their formulas in plain floats."""

from __future__ import annotations

import math

import numpy as np


class Multinomial:
    """`sizes` are the class sizes that make the priors; those of the samples at hand if not given."""

    def __init__(self, X: np.ndarray, codes: list[int], sizes: list[int] | None = None) -> None:
        X = np.asarray(X, dtype=float)
        self.n_samples, self.n_features = X.shape
        self.n_classes = max(codes) + 1
        self.N = [
            [math.fsum(X[i, f] for i in range(len(X)) if codes[i] == c) for f in range(self.n_features)]
            for c in range(self.n_classes)
        ]
        sizes = sizes or [codes.count(c) for c in range(self.n_classes)]
        self.P = [size / sum(sizes) for size in sizes]
        masses = [sum(row) for row in self.N]
        self.Q = [mass / sum(masses) for mass in masses]
        self.everything = list(range(self.n_features))

    def theta(self, c: int, f: int, members: list[int]) -> float:
        return (1 + self.N[c][f]) / (len(members) + sum(self.N[c][g] for g in members))

    def mean_length(self, members: list[int]) -> float:
        return sum(self.N[c][g] for c in range(self.n_classes) for g in members) / self.n_samples

    def pairs(self) -> list[tuple[int, int]]:
        return [(i, j) for i in range(self.n_classes) for j in range(i + 1, self.n_classes)]

    def value(self, members: list[int]) -> float:
        if len(members) == 1:
            return self.individual_bhattacharyya(members[0])
        theta = [[self.theta(c, f, members) for f in members] for c in range(self.n_classes)]
        total = 0.0
        for i, j in self.pairs():
            overlap = math.fsum(math.sqrt(a * b) for a, b in zip(theta[i], theta[j]))
            total += self.P[i] * self.P[j] * math.log(overlap)
        return -self.mean_length(members) * total

    def individual_bhattacharyya(self, f: int) -> float:
        theta = [self.theta(c, f, self.everything) for c in range(self.n_classes)]
        total = 0.0
        for i, j in self.pairs():
            overlap = math.sqrt(theta[i] * theta[j]) + math.sqrt((1 - theta[i]) * (1 - theta[j]))
            total += self.Q[i] * self.Q[j] * -self.mean_length(self.everything) * math.log(overlap)
        return total / len(self.pairs())

    def individual_information(self, f: int) -> float:
        share = sum(row[f] for row in self.N) / sum(map(sum, self.N))
        if share == 0:
            return 0.0
        return sum(self.Q[c] * math.log(self.theta(c, f, self.everything) / share) for c in range(self.n_classes))

    def predicted(self, x: np.ndarray, members: list[int]) -> int:
        """Naive Bayes on the subset; the first class of the greatest score."""
        scores = [
            math.log(self.P[c]) + sum(float(x[f]) * math.log(self.theta(c, f, members)) for f in members)
            for c in range(self.n_classes)
        ]
        return scores.index(max(scores))
