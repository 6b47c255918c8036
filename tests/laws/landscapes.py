"""Cheap criteria for the laws: a value for each of the 2^D subsets, tabled once, and runs on them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from sweepless import Dataset, Result, run
from sweepless.criteria import FunctionCriterion
from sweepless.search.methods import CLASSIC, METHODS

KINDS = ("random", "levels", "additive", "pairs", "peaked", "constant")


@dataclass(frozen=True)
class Landscape:
    """J as a table over the bit masks of subsets; `calls` remembers every subset it was asked for."""

    n_features: int
    kind: str
    seed: int
    table: np.ndarray = field(repr=False)
    calls: list[tuple[int, ...]] = field(default_factory=list, repr=False)

    def __call__(self, members: Any) -> float:
        features = tuple(int(feature) for feature in members)
        self.calls.append(features)
        return self.value(features)

    def value(self, features: Any) -> float:
        return float(self.table[sum(1 << int(feature) for feature in features)])

    @property
    def criterion(self) -> FunctionCriterion:
        return FunctionCriterion(self)

    @property
    def data(self) -> Dataset:
        return Dataset(np.zeros((1, self.n_features)))

    def mirrored(self) -> Landscape:
        """J'(X) = J(complement of X)."""
        return Landscape(self.n_features, self.kind, self.seed, self.table[::-1])


def landscape(n_features: int, kind: str, seed: int) -> Landscape:
    """Make a landscape: arbitrary, full of ties, additive, with features that count only in pairs …"""
    rng = np.random.default_rng(seed)
    masks = np.arange(2**n_features)
    members = (masks[:, None] >> np.arange(n_features)) & 1
    sizes = members.sum(axis=1)
    if kind == "random":
        table = rng.random(len(masks))
    elif kind == "levels":
        table = rng.integers(0, 4, len(masks))
    elif kind == "additive":
        table = members @ rng.integers(-3, 8, n_features)
    elif kind == "pairs":  # as in an exclusive or, a feature is worth nothing without its partner
        partners = rng.permutation(n_features)[: n_features // 2 * 2].reshape(-1, 2)
        table = members[:, partners].prod(axis=2).sum(axis=1)
    elif kind == "peaked":  # rises to some size, then falls; a little noise
        table = -np.abs(sizes - (1 + n_features) / 2) + rng.random(len(masks))
    else:
        table = np.zeros(len(masks))
    return Landscape(n_features, kind, seed, np.asarray(table, dtype=np.float64))


def landscapes(smallest: int = 2, largest: int = 9, kinds: tuple[str, ...] = KINDS) -> st.SearchStrategy[Landscape]:
    return st.builds(landscape, st.integers(smallest, largest), st.sampled_from(kinds), st.integers(0, 2**16))


@st.composite
def arguments(draw: st.DrawFn, name: str, n_features: int) -> dict[str, Any]:
    """Draw legal arguments of a run of a classic method, the same for its stochastic twin."""
    name = name if name in CLASSIC else name.removeprefix("s")
    method = METHODS[name]
    chosen: dict[str, Any] = {}
    if name in ("(l,r)", "G(l,r)"):
        l, r = draw(st.sampled_from([(1, 0), (2, 1), (3, 1), (3, 2), (0, 1), (1, 2), (1, 3)]))  # noqa: E741
        chosen |= {"l": l, "r": r}
    if name in ("ASFFS", "ASBFS"):
        chosen |= {"r_max": draw(st.integers(1, 3)), "neighborhood": draw(st.integers(0, 3))}
    if name in ("OS", "DOS"):
        chosen["max_depth"] = draw(st.integers(1, 3))
    if method.traits.needs_target or draw(st.booleans()):
        chosen["target"] = draw(st.integers(1, n_features))
    if method.traits.overshoots:
        chosen["overshoot"] = draw(st.sampled_from([None, 0, 1, 5]))
    if method.traits.pivots and "target" in chosen:
        target = chosen["target"]
        chosen["start"] = draw(st.permutations(range(n_features)))[:target]
    if name in ("SFS", "SBS", "SFFS", "SBFS", "SFRS", "SBRS", "OS", "DOS") and n_features > 2:
        tuple_size = draw(st.sampled_from([1, 1, 2]))
        origin = 0 if method.direction.adds else n_features
        if method.traits.pivots or (chosen.get("target", origin) - origin) % tuple_size == 0:
            chosen["tuple_size"] = tuple_size
    return chosen


def budgets(smallest: int = 3, largest: int = 12) -> st.SearchStrategy[dict[str, Any]]:
    """Draw the options that make a sampled run really sample."""
    counts = st.none() | st.integers(smallest, largest)
    return st.fixed_dictionaries({"budget": st.integers(smallest, largest), "backward_budget": counts})


def search(name: str, ground: Landscape, **options: Any) -> Result:
    return run(name, ground.criterion, ground.data, **options)


def steps_of(result: Result) -> list[tuple[Any, ...]]:
    """Return what a search did, without what it cost."""
    return [(step.direction, step.size, tuple(step.features.tolist()), step.value) for step in result.trace]


def records_of(result: Result) -> dict[int, tuple[float, tuple[int, ...]]]:
    return {size: (record.value, tuple(record.features.tolist())) for size, record in result.archive.items()}


def law(max_examples: int = 25) -> settings:
    """The same examples on every machine, and few of them: the laws are many."""
    return settings(
        max_examples=max_examples,
        deadline=None,
        derandomize=True,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
