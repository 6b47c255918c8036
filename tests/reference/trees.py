"""A tree of random splits in plain Python, beside `sweepless.kernels.trees`."""

from __future__ import annotations

import numpy as np

from sweepless._typing import Counts, Values


def tree_outputs(rows: Values, codes: Counts, weights: Values, n_outputs: int, draws: Values, new: Values) -> Values:
    """Return what one tree says of new samples."""
    outputs, left_over = np.zeros((len(new), n_outputs)), iter(draws)
    indicators = np.eye(n_outputs)[codes] * weights[:, None]

    def grow(samples: list[int], asked: list[int]) -> None:
        if not asked:
            return
        targets = {(codes[i], weights[i]) for i in samples}
        split = best_split(rows, samples, indicators, next(left_over)) if len(targets) > 1 else None
        if split is None:
            outputs[asked] += indicators[samples].sum(axis=0) / len(samples)
            return
        feature, threshold = split
        # The kernel puts both sides on a stack, and takes the right one first.
        grow(
            [i for i in samples if rows[i, feature] > threshold], [i for i in asked if not new[i, feature] <= threshold]
        )
        grow([i for i in samples if rows[i, feature] <= threshold], [i for i in asked if new[i, feature] <= threshold])

    grow(list(range(len(rows))), list(range(len(new))))
    return outputs


def best_split(rows: Values, samples: list[int], indicators: Values, draws: Values) -> tuple[int, float] | None:
    n_features = rows.shape[1]
    tried = [(int(feature * n_features), place) for feature, place in zip(draws[::2], draws[1::2], strict=True)]
    found = [split for feature, place in tried if (split := valued(rows, samples, indicators, feature, place))]
    feature, place = tried[-1]
    for k in range(n_features):
        if not found and (split := valued(rows, samples, indicators, (feature + 1 + k) % n_features, place)):
            found = [split]
    return max(found, key=lambda split: split[0])[1:] if found else None


def valued(
    rows: Values, samples: list[int], indicators: Values, feature: int, place: float
) -> tuple[float, int, float] | None:
    values = rows[samples, feature]
    levels = np.unique(values)
    if len(levels) < 2:
        return None
    value = values[int(place * len(samples))]
    low = min(int(np.searchsorted(levels, value)), len(levels) - 2)
    threshold = levels[low] + 0.5 * (levels[low + 1] - levels[low])
    sides = [indicators[samples][values <= threshold], indicators[samples][values > threshold]]
    return sum(float(np.sum(side.sum(axis=0) ** 2)) / len(side) for side in sides), feature, float(threshold)
