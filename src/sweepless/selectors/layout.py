"""Features and what a search moves: groups that go together, features that stay inside or out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sweepless._typing import AnyArray, Features, Values
from sweepless.criteria.base import Criterion, shown
from sweepless.criteria.units import Units, best_of_units
from sweepless.errors import InputError

FeatureList = Sequence[int | str] | AnyArray
"""Features by index, by name or as a mask."""
FeatureGroups = Sequence[Any] | Mapping[Any, FeatureList] | AnyArray
"""Features that go together: lists of them, or one label per feature."""
FeatureCosts = ArrayLike | Mapping[Any, float]
"""One cost for all, one per feature, or costs by index or name."""

_ALLOWED_GROUPS = "`feature_groups` must be lists of features or one label for each of the {n_features} features, "


@dataclass(frozen=True)
class Layout:
    """The units of a search, and the fixed ones besides.

    Attributes
    ----------
    n_features : int
    units : tuple of tuples of int, or None
        The features of each unit; None if every feature is a unit.
    fixed : tuple of tuples of int
        Units that are always inside.
    """

    n_features: int
    units: tuple[tuple[int, ...], ...] | None = None
    fixed: tuple[tuple[int, ...], ...] = ()

    @property
    def n_units(self) -> int:
        return self.n_features if self.units is None else len(self.units)

    @property
    def n_fixed(self) -> int:
        return len(self.fixed)

    @property
    def n_sizes(self) -> int:
        """The greatest size: sizes count units, the fixed ones included."""
        return self.n_units + self.n_fixed

    def wrap(self, criterion: Criterion) -> Criterion:
        """Let the criterion value units, if they are not features."""
        if self.units is None:
            return criterion
        return Units(criterion, self.units, [feature for unit in self.fixed for feature in unit])

    def features(self, units: Features) -> Features:
        """Return the features of some units, and the fixed ones."""
        if self.units is None:
            return units
        fixed = [feature for unit in self.fixed for feature in unit]
        return np.array(sorted([*self.moved(units).tolist(), *fixed]), dtype=np.intp)

    def moved(self, units: Features) -> Features:
        """Return the features of some units alone."""
        if self.units is None:
            return units
        return np.array([feature for unit in units for feature in self.units[unit]], dtype=np.intp)

    def spread(self, per_unit: AnyArray, otherwise: Any) -> AnyArray:
        """Return for every feature what is known of its unit; something else for features in none."""
        if self.units is None:
            return per_unit
        spread = np.full(self.n_features, otherwise, dtype=per_unit.dtype)
        for unit, features in enumerate(self.units):
            spread[list(features)] = per_unit[unit]
        return spread

    def gather(self, per_feature: Values) -> Values:
        """Return the greatest of every unit: a group is worth at least its best feature."""
        if self.units is None:
            return per_feature
        return best_of_units(per_feature, self.units)

    def units_of(self, features: Features, name: str) -> Features:
        """Return the units that some features make up; fixed ones may be among them or not."""
        if self.units is None:
            return features
        wanted = set(features.tolist()).difference(*self.fixed)
        units = [unit for unit, members in enumerate(self.units) if wanted.intersection(members)]
        if wanted != {feature for unit in units for feature in self.units[unit]}:
            raise InputError(f"`{name}` must hold whole groups and no excluded feature, got others.")
        return np.array(units, dtype=np.intp)


def make_layout(n_features: int, names: AnyArray | None, fixed: Any, excluded: Any, groups: Any) -> Layout:
    """Read `fixed_features`, `excluded_features` and `feature_groups`, given by name or index."""
    if fixed is None and excluded is None and groups is None:
        return Layout(n_features)
    kept = set(indices_of("fixed_features", fixed, n_features, names).tolist())
    dropped = set(indices_of("excluded_features", excluded, n_features, names).tolist())
    if both := kept & dropped:
        raise InputError(f"`excluded_features` must not be fixed as well, got {_called(min(both), names)}.")
    together = _read_groups(groups, n_features, names)
    grouped = {feature for group in together for feature in group}
    everything = [*together, *((feature,) for feature in range(n_features) if feature not in grouped)]
    for name, some in (("fixed_features", kept), ("excluded_features", dropped)):
        for group in together:
            if 0 < len(some.intersection(group)) < len(group):
                part = shown(np.array(group), names).removeprefix("subset ")
                raise InputError(f"`{name}` must hold all of a group or none of it, got a part of {part}.")
    units = sorted(unit for unit in everything if unit[0] not in kept and unit[0] not in dropped)
    if not units:
        raise InputError("`fixed_features` and `excluded_features` must leave something to select, got all features.")
    return Layout(n_features, tuple(units), tuple(unit for unit in everything if unit[0] in kept))


def indices_of(name: str, given: Any, n_features: int, names: AnyArray | None) -> Features:
    """Return features given by index, name or mask as ascending indices; none for None."""
    if given is None:
        return np.empty(0, dtype=np.intp)
    listed = np.atleast_1d(np.asarray(given, dtype=object if _holds_names(given) else None))
    if listed.dtype == np.bool_ and listed.shape == (n_features,):
        return np.flatnonzero(listed)
    found = [_index(name, one, n_features, names) for one in listed.tolist()]
    return np.unique(np.array(found, dtype=np.intp))


def costs_of(given: Any, n_features: int, names: AnyArray | None) -> Values:
    """Return `feature_costs`, one per feature or by name (others cost nothing), as an array."""
    if isinstance(given, Mapping):
        costs = np.zeros(n_features)
        for one, cost in given.items():
            costs[_index("feature_costs", one, n_features, names)] = cost
        return costs
    try:
        costs = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError):
        costs = np.empty(0)
    if costs.ndim == 0:
        costs = np.full(n_features, float(costs))
    if costs.shape != (n_features,) or not np.isfinite(costs).all():
        raise InputError(f"`feature_costs` must be {n_features} finite numbers or a mapping of them, got {given!r}.")
    return costs


def _read_groups(groups: Any, n_features: int, names: AnyArray | None) -> list[tuple[int, ...]]:
    if groups is None:
        return []
    listed = groups.values() if isinstance(groups, Mapping) else groups
    if isinstance(listed, str) or not isinstance(listed, Iterable):
        raise InputError(_ALLOWED_GROUPS.format(n_features=n_features) + f"got {groups!r}.")
    listed = list(listed)
    if not all(_is_list(group) for group in listed):
        return _labelled(groups, listed, n_features)
    read = [tuple(indices_of("feature_groups", group, n_features, names).tolist()) for group in listed]
    if not all(read):
        raise InputError("`feature_groups` must hold no empty group, got one.")
    seen: set[int] = set()
    for group in read:
        if twice := seen.intersection(group):
            raise InputError(
                f"`feature_groups` must hold every feature at most once, got {_called(min(twice), names)}, twice."
            )
        seen.update(group)
    return read


def _labelled(groups: Any, labels: list[Any], n_features: int) -> list[tuple[int, ...]]:
    """Read one label per feature, as scikit-learn's `groups` have one per sample."""
    is_labels = not isinstance(groups, Mapping) and not any(map(_is_list, labels)) and len(labels) == n_features
    if not is_labels or any(label is None or label != label for label in labels):
        got = f"got {len(labels)} entries in a {type(groups).__name__}, the first a {type(labels[0]).__name__}."
        raise InputError(_ALLOWED_GROUPS.format(n_features=n_features) + got)
    together: dict[Any, list[int]] = {}
    for feature, label in enumerate(labels):
        together.setdefault(label, []).append(feature)
    return [tuple(features) for features in together.values()]


def _is_list(group: Any) -> bool:
    return isinstance(group, Iterable) and not isinstance(group, str | bytes)


def _called(feature: int, names: AnyArray | None) -> str:
    return f"feature {feature}" if names is None else f"feature {feature}, {names[feature]!r}"


def _index(name: str, one: Any, n_features: int, names: AnyArray | None) -> int:
    if isinstance(one, (int, np.integer)) and not isinstance(one, bool) and 0 <= one < n_features:
        return int(one)
    if isinstance(one, str) and names is not None and len(found := np.flatnonzero(names == one)):
        return int(found[0])
    allowed = f"indices from 0 to {n_features - 1}" + ("" if names is None else " or column names")
    raise InputError(f"`{name}` must hold {allowed}, got {one!r}.")


def _holds_names(given: Any) -> bool:
    return isinstance(given, str) or any(isinstance(one, str) for one in given if np.ndim(given) == 1)
