"""The reference program's proposal, forward and backward written out separately, in plain Python."""

from __future__ import annotations

import math
from collections.abc import Callable


def floor_picks(pool: list[int], counts: list[int], n_floor: int, uniform: Callable[[], float]) -> list[int]:
    """Draw uniformly among the 4u least counted; `counts` is parallel to the ascending pool."""
    least = list(pool)
    if 4 * n_floor < len(pool):
        count_of = dict(zip(pool, counts, strict=True))
        least = sorted(pool, key=lambda feature: (count_of[feature], feature))[: 4 * n_floor]
    for k in range(n_floor):
        j = k + math.floor(uniform() * (len(least) - k))
        least[k], least[j] = least[j], least[k]
    return least[:n_floor]


def derived_temperature(scores: list[float]) -> float:
    """A robust deviation from two order statistics of the scores themselves."""
    ordered = sorted(scores)
    quarter, three_quarters = ordered[len(scores) // 4], ordered[3 * len(scores) // 4]
    temperature = (three_quarters - quarter) / 1.349
    return temperature if temperature > 1e-9 else 1e-9


def softmax_picks(
    left: list[int],
    weight: dict[int, float],
    guard: Callable[[int], float],
    count: int,
    uniform: Callable[[], float],
) -> list[int]:
    """Walk the cumulative weights in index order; once all have underflowed take what `guard` wants most."""
    left = list(left)
    picks = []
    total = 0.0
    for feature in left:
        total += weight[feature]
    for _ in range(count):
        goal = uniform() * total
        positive = [feature for feature in left if weight[feature] > 0]
        if positive:
            choice = positive[-1]
            cumulative = 0.0
            for feature in positive:
                cumulative += weight[feature]
                if cumulative > goal:
                    choice = feature
                    break
        else:
            choice = max(left, key=lambda feature: (guard(feature), -feature))
        total -= weight[choice]
        left.remove(choice)
        picks.append(choice)
    return picks


def proposal(
    pool: list[int],
    counts: list[int],
    scores: list[float],
    budget: int,
    uniform: Callable[[], float],
    *,
    forward: bool,
    floor_fraction: float = 0.2,
    temperature: float | None = None,
) -> list[int]:
    n_floor = min(budget, math.floor(floor_fraction * budget + 0.5))
    picks = floor_picks(pool, counts, n_floor, uniform)
    score = dict(zip(pool, scores, strict=True))
    left = [feature for feature in pool if feature not in picks]
    if budget == n_floor:
        return picks
    remaining = [score[feature] for feature in left]
    tau = temperature or derived_temperature(remaining)
    if forward:
        greatest = max(remaining)
        weight = {feature: math.exp((score[feature] - greatest) / tau) for feature in left}
        return picks + softmax_picks(left, weight, lambda f: score[f], budget - n_floor, uniform)
    least = min(remaining)
    weight = {feature: math.exp((least - score[feature]) / tau) for feature in left}
    return picks + softmax_picks(left, weight, lambda f: -score[f], budget - n_floor, uniform)
