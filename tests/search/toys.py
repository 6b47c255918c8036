"""Toy criteria for the unit tests of searches."""

from __future__ import annotations

from typing import Any

import numpy as np

from sweepless import Dataset
from sweepless.criteria import FunctionCriterion


def blank(n_features: int) -> Dataset:
    """Data that a toy criterion does not look at."""
    return Dataset(np.zeros((1, n_features)))


def rising(members: Any) -> float:
    """Every feature helps, a higher index more: searches go straight to their goal."""
    return float(np.sum(1.0 + np.asarray(members)))


def rugged(members: Any) -> float:
    """An arbitrary but fixed number for every subset."""
    word = 0x9E3779B97F4A7C15
    for member in members:
        word = (word ^ (int(member) + 1)) * 0xBF58476D1CE4E5B9 % 2**64
        word ^= word >> 29
    return word / 2**64


RISING, RUGGED = FunctionCriterion(rising), FunctionCriterion(rugged)


class Counting:
    """A criterion function that remembers the subsets it was asked for, and can misbehave at the n-th."""

    def __init__(self, function: Any = rugged, at: int | None = None, then: Any = None) -> None:
        self.function, self.at, self.then = function, at, then
        self.calls: list[tuple[int, ...]] = []

    def __call__(self, members: Any) -> Any:
        self.calls.append(tuple(int(member) for member in members))
        if len(self.calls) == self.at:
            if isinstance(self.then, BaseException):
                raise self.then
            return self.then
        return self.function(members)

    @property
    def criterion(self) -> FunctionCriterion:
        return FunctionCriterion(self)
