"""Filters from information between pairs, straight from their formulas with dictionaries of counts."""

from __future__ import annotations

import math
from collections import Counter


def entropy(*columns) -> float:
    counts = Counter(zip(*columns, strict=True))
    total = sum(counts.values())
    return -math.fsum(n / total * math.log(n / total) for n in counts.values())


def binned(values, bins):
    """The distinct values if they are few; else how many of the cuts between equal shares a value reaches."""
    values = [float(value) for value in values]
    if len(set(values)) <= bins:
        return values
    ordered = sorted(values)
    cuts = {ordered[len(values) * share // bins] for share in range(1, bins)}
    return [sum(value >= cut for cut in cuts) for value in values]


def information(first, second) -> float:
    return entropy(*first) + entropy(*second) - entropy(*first, *second)


def uncertainty(a, b) -> float:
    total = entropy(a) + entropy(b)
    return 2 * information([a], [b]) / total if total > 0 else 0.0


def cfs_value(X, y, members, bins=10) -> float:
    columns = {f: binned(X[:, f], bins) for f in members}
    k = len(members)
    pairs = [(f, g) for f in members for g in members if f < g]
    to_class = sum(uncertainty(columns[f], y) for f in members) / k
    together = sum(uncertainty(columns[f], columns[g]) for f, g in pairs) / max(len(pairs), 1)
    return k * to_class / math.sqrt(k + k * (k - 1) * together)


def jmi_value(X, y, members, bins=5) -> float:
    """Every feature for itself, and the mean synergy of the pairs."""
    columns = {f: binned(X[:, f], bins) for f in members}
    alone = {f: information([columns[f]], [y]) for f in members}
    pairs = [(f, g) for f in members for g in members if f < g]
    synergy = sum(information([columns[f], columns[g]], [y]) - alone[f] - alone[g] for f, g in pairs)
    return sum(alone.values()) + synergy / max(len(members) - 1, 1)
