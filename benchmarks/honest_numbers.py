"""The numbers of the honest benchmark's page, from its finished cells."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Any

import numpy as np
from scipy.stats import friedmanchisquare, rankdata, studentized_range, t

from honest_arms import ALL, ARMS, OURS
from honest_cells import JUDGES, Key, Row
from honest_sets import SETS, SIZES, task_of
from sweepless.runs.compare.peers.registry import ELIMINATION
from sweepless.stability import nogueira_stability

CONFIDENCE = 0.95


class Found:
    """The cells of one chapter; `score` and what is made of it are means over judges and, if not said, over sizes."""

    def __init__(self, rows: Mapping[Key, Row], chapter: str) -> None:
        self.chapter, self.task = chapter, (task := task_of(chapter))
        self.sizes, self.judges = SIZES[task], tuple(JUDGES[task])
        mine = {key: row for key, row in rows.items() if key[0] in SETS[chapter] and key[2] in ARMS[task]}
        self._rows = {key: row for key, row in mine.items() if "scores" in row}
        self.skipped = {key: row["skipped"] for key, row in mine.items() if "skipped" in row}
        self.sets = tuple(name for name in SETS[chapter] if any(key[0] == name for key in self._rows))
        self.arms = tuple(arm for arm in ARMS[task] if any(key[2] == arm for key in self._rows))

    def seeds(self, name: str, arm: str | None = None) -> list[int]:
        """Return the halves of a set that an arm has, or that any arm has."""
        return sorted({key[1] for key in self._rows if key[0] == name and arm in (None, key[2])})

    @cached_property
    def complete(self) -> tuple[str, ...]:
        """The arms that have every half of every set: only those are compared over all sets."""
        return tuple(arm for arm in self.arms if all(self.seeds(name, arm) == self.seeds(name) for name in self.sets))

    @property
    def rivals(self) -> tuple[str, ...]:
        """The complete arms that select something."""
        return tuple(arm for arm in self.complete if arm != ALL)

    @property
    def peers(self) -> tuple[str, ...]:
        return tuple(arm for arm in self.rivals if arm not in OURS)

    def score(self, name: str, seed: int, arm: str, size: int | None = None, judge: str | None = None) -> float:
        """Return what an arm reached on one half; NaN where it has no subset of the size."""
        scores = self._rows[name, seed, arm]["scores"]
        if arm == ALL:
            kept = list(scores.values())  # one size stands for all
        else:
            kept = [scores.get(str(one), scores.get(one)) for one in (self.sizes if size is None else (size,))]
        if any(judged is None for judged in kept):
            return float("nan")
        return float(np.mean([judged[one] for judged in kept for one in (self.judges if judge is None else (judge,))]))

    def on(self, name: str, arm: str, size: int | None = None, judge: str | None = None) -> np.ndarray:
        """Return what an arm reached on every half of a set that it has."""
        return np.array([self.score(name, seed, arm, size, judge) for seed in self.seeds(name, arm)])

    def mean(self, arm: str, size: int | None = None, judge: str | None = None) -> float:
        """Return the mean of a complete arm over the sets."""
        return float(np.mean([self.on(name, arm, size, judge).mean() for name in self.sets]))

    def difference(self, first: str, second: str) -> tuple[float, float]:
        """Return the mean paired difference of two complete arms over the sets, and the reach of its interval."""
        return _pooled([self.on(name, first) - self.on(name, second) for name in self.sets])

    def difference_on(self, name: str, first: str, second: str, size: int | None = None) -> tuple[float, float]:
        """Return the mean paired difference of two arms on the halves of a set that both have."""
        seeds = set(self.seeds(name, first)) & set(self.seeds(name, second))
        return _pooled(
            [np.array([self.score(name, s, first, size) - self.score(name, s, second, size) for s in sorted(seeds)])]
        )

    def ranks(self, arms: tuple[str, ...]) -> dict[str, float]:
        """Return the mean rank of every arm over the sets, 1 for the best; equal arms share ranks."""
        table = np.array([[-self.on(name, arm).mean() for arm in arms] for name in self.sets])
        return dict(zip(arms, np.mean([rankdata(line) for line in table], axis=0).tolist()))

    def friedman(self, arms: tuple[str, ...]) -> float:
        """Return the probability of ranks this different if all arms were alike."""
        return float(friedmanchisquare(*[[self.on(name, arm).mean() for name in self.sets] for arm in arms]).pvalue)

    def critical_difference(self, n_arms: int) -> float:
        """Return the difference of mean ranks from which on two arms differ, after Nemenyi."""
        quantile = float(studentized_range.ppf(CONFIDENCE, n_arms, np.inf)) / 2**0.5
        return quantile * (n_arms * (n_arms + 1) / (6 * len(self.sets))) ** 0.5

    def stability(self, name: str, arm: str, size: int) -> float:
        """Return how much the subsets of the halves agree; NaN for fewer than two."""
        cells = [self._rows[name, seed, arm] for seed in self.seeds(name, arm)]
        found = [cell["features"].get(str(size), cell["features"].get(size)) for cell in cells]
        if len(found) < 2 or any(subset is None for subset in found):
            return float("nan")
        return nogueira_stability(found, cells[0]["n_features"]).value

    def seconds(self, name: str, arm: str, clock: str = "cpu") -> float:
        """Return the mean seconds that an arm took on a half: of the processor, or by the clock ("seconds")."""
        return float(np.mean([self._rows[name, seed, arm][clock] for seed in self.seeds(name, arm)]))

    def reasons(self) -> dict[tuple[str, str], str]:
        """Return why an arm has no numbers on a set."""
        return {(arm, name): reason for (name, _, arm), reason in self.skipped.items()}

    def to_dict(self) -> dict[str, Any]:
        """Return every aggregated number."""
        there = [(name, arm) for name in self.sets for arm in self.arms if self.seeds(name, arm)]
        return {
            "sizes": self.sizes,
            "rows": [
                {"set": name, "arm": arm, "size": size, "judge": judge} | _described(self.on(name, arm, size, judge))
                for name, arm in there
                for size in ((None,) if arm == ALL else self.sizes)
                for judge in self.judges
            ],
            "stability": [
                {"set": name, "arm": arm, "size": size, "value": self.stability(name, arm, size)}
                for name, arm in there
                if arm != ALL
                for size in self.sizes
            ],
            "seconds": [
                {
                    "set": name,
                    "arm": arm,
                    "clock": self.seconds(name, arm, "seconds"),
                    "processor": self.seconds(name, arm),
                    "times_rfe": times(self, name, arm),
                }
                for name, arm in there
            ],
            "left out": [{"set": name, "arm": arm, "reason": why} for (arm, name), why in self.reasons().items()],
        }


def times(found: Found, name: str, arm: str) -> float | None:
    """Return an arm's processor time as a multiple of that of RFE on the same set."""
    if not found.seeds(name, ELIMINATION):
        return None
    return found.seconds(name, arm) / max(found.seconds(name, ELIMINATION), 1e-9)


def _described(numbers: np.ndarray) -> dict[str, Any]:
    mean, reach = _pooled([numbers])
    return {"mean": mean, "low": mean - reach, "high": mean + reach, "halves": len(numbers)}


def _pooled(parts: Iterable[np.ndarray]) -> tuple[float, float]:
    """Return the mean over sets of means over halves, and the reach of its confidence interval.

    The halves of a set share samples: after Nadeau and Bengio the variance of their mean is 1/n + n_test/n_train
    times theirs, and both halves are alike. The sets are taken as they are; nothing is said about other sets.
    """
    parts = list(parts)
    mean = float(np.mean([part.mean() for part in parts]))
    degrees = sum(len(part) - 1 for part in parts)
    if min(len(part) for part in parts) < 2:
        return mean, float("inf")
    variance = sum(part.var(ddof=1) * (1 / len(part) + 1) for part in parts) / len(parts) ** 2
    return mean, float(t.ppf(0.5 + CONFIDENCE / 2, degrees)) * variance**0.5
