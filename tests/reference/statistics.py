"""The two running means of every feature, folded one entry after the other."""

from __future__ import annotations

import math


def standardized(values: list[float]) -> list[float]:
    """(J - mean) / population deviation; zeros where there is no deviation to speak of."""
    mean = math.fsum(values) / len(values)
    deviation = math.sqrt(math.fsum((value - mean) ** 2 for value in values) / len(values))
    return [(value - mean) / deviation if deviation > 1e-12 else 0.0 for value in values]


class Contrast:
    """What every feature was worth with it and without it."""

    def __init__(self, n_features: int, horizon: int) -> None:
        self.horizon = horizon
        self.mean_with = [0.0] * n_features
        self.mean_without = [0.0] * n_features
        self.count_with = [0] * n_features
        self.count_without = [0] * n_features

    def learn(self, subsets: list[set[int]], values: list[float]) -> None:
        self.fold(subsets, standardized(values))

    def fold(self, subsets: list[set[int]], z: list[float]) -> None:
        for members, value in zip(subsets, z, strict=True):
            for feature in range(len(self.mean_with)):
                if feature in members:
                    mean, count = self.mean_with, self.count_with
                else:
                    mean, count = self.mean_without, self.count_without
                count[feature] += 1
                mean[feature] += 1.0 / min(count[feature], self.horizon) * (value - mean[feature])

    @property
    def scores(self) -> list[float]:
        return [a - b for a, b in zip(self.mean_with, self.mean_without, strict=True)]
