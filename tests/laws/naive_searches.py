"""The published searches once more, in plain Python on frozen sets, written from METHOD section 4 alone.

Every function returns a `Diary`: the steps taken, the best subset per size, the number of evaluations.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import combinations

Subset = frozenset[int]
NONE = -float("inf")


class Diary:
    def __init__(self, value: Callable[[Iterable[int]], float], n_features: int) -> None:
        self.value = value
        self.everything = frozenset(range(n_features))
        self.steps: list[tuple[str, int, tuple[int, ...], float]] = []
        self.best: dict[int, tuple[float, tuple[int, ...]]] = {}
        self.champion: tuple[float, int] | None = None  # value and minus size of the best of all sizes
        self.n_evaluations = 0

    def evaluate(self, subset: Subset) -> float:
        self.n_evaluations += 1
        return self.value(subset)

    def best_addition(self, subset: Subset, c: int = 1) -> tuple[float, Subset, tuple[int, ...]] | None:
        return self._first_best([(subset | set(t), t) for t in combinations(sorted(self.everything - subset), c)])

    def best_removal(self, subset: Subset, c: int = 1) -> tuple[float, Subset, tuple[int, ...]] | None:
        if len(subset) <= c:
            return None
        return self._first_best([(subset - set(t), t) for t in combinations(sorted(subset), c)])

    def _first_best(
        self, candidates: list[tuple[Subset, tuple[int, ...]]]
    ) -> tuple[float, Subset, tuple[int, ...]] | None:
        winner = None
        for subset, changed in candidates:
            value = self.evaluate(subset)
            if winner is None or value > winner[0]:
                winner = (value, subset, changed)
        return winner

    def record(self, subset: Subset, value: float) -> bool:
        """Record; tell whether this is the best of all sizes: greater, or as great with fewer features."""
        if value > self.recorded(len(subset)):
            self.best[len(subset)] = (value, tuple(sorted(subset)))
        if self.champion is None or (value, -len(subset)) > self.champion:
            self.champion = (value, -len(subset))
            return True
        return False

    def recorded(self, size: int) -> float:
        return self.best[size][0] if size in self.best else NONE

    def take(self, direction: str, found: tuple[float, Subset, tuple[int, ...]]) -> tuple[Subset, float, bool]:
        value, subset, changed = found
        is_champion = self.record(subset, value)
        self.steps.append((direction, len(subset), changed, value))
        return subset, value, is_champion


def sfs(value, n_features, target=None, c=1):
    diary, subset = Diary(value, n_features), frozenset()
    while len(subset) + c <= (target or n_features):
        subset, _, _ = diary.take("forward", diary.best_addition(subset, c))
    return diary


def sbs(value, n_features, target=None, c=1):
    diary = Diary(value, n_features)
    subset = diary.everything
    while len(subset) - c >= (target or 1):
        subset, _, _ = diary.take("backward", diary.best_removal(subset, c))
    return diary


def fbed(value, n_features, target=None, n_returns=1, min_gain=0.0, c=1):
    """Run FBED, round after round; what was valued at the same subset in the round before is not paid again."""
    diary, subset, current = Diary(value, n_features), frozenset(), NONE
    paid: dict[Subset, float] = {}

    def once(larger):
        if larger not in paid:
            paid[larger] = diary.evaluate(larger)
        return paid[larger]

    limit = target or n_features
    for _ in range(1 + n_returns):
        playing = diary.everything - subset
        while len(subset) + c <= limit:
            better = []
            for added in combinations(sorted(playing), c):
                if once(subset | set(added)) > current + min_gain:
                    better.append(added)
            playing = frozenset(feature for added in better for feature in added)
            if not better:
                break
            winner = max(better, key=lambda added: paid[subset | set(added)])  # the first of equals
            subset, current, _ = diary.take("forward", (paid[subset | set(winner)], subset | set(winner), winner))
            playing -= set(winner)
    while (found := diary.best_removal(subset, c)) is not None and found[0] >= current:
        subset, current, _ = diary.take("backward", found)
    return diary


def frontier_limit(n_features, target, overshoot):
    return n_features if target is None or overshoot is None else min(n_features, target + overshoot)


def sffs(value, n_features, target=None, overshoot=5, c=1, start=None):
    diary, subset = Diary(value, n_features), frozenset(start or ())
    if subset:
        diary.record(subset, diary.evaluate(subset))
    while len(subset) + c <= frontier_limit(n_features, target, overshoot):
        subset, _, _ = diary.take("forward", diary.best_addition(subset, c))
        pivot = subset
        while len(subset) >= c + 1:
            found = diary.best_removal(subset, c)
            known = diary.recorded(len(subset) - c)
            if not found[0] > known:
                break
            subset, _, _ = diary.take("backward", found)
            if known > NONE:
                pivot = subset
        subset = pivot
    return diary


def sfrs(value, n_features, target=None, overshoot=5, c=1):
    diary, subset = Diary(value, n_features), frozenset()
    while len(subset) + c <= frontier_limit(n_features, target, overshoot):
        subset, _, _ = diary.take("forward", diary.best_addition(subset, c))
        back = subset
        while len(back) >= c + 1:
            back, _, is_champion = diary.take("backward", diary.best_removal(back, c))
            if is_champion:
                subset = back
    return diary


def plus_minus(value, n_features, target, l, r, generalized=False):  # noqa: E741
    """Cycles of l additions and r removals, removals first if r > l; the last one ends at the target."""
    diary = Diary(value, n_features)
    subset = frozenset() if l > r else diary.everything
    while len(subset) != target:
        gain = min(abs(l - r), abs(target - len(subset)))
        ahead = gain + min(l, r)
        room = n_features - len(subset) if l > r else len(subset) - 1
        ahead = min(ahead, room)
        for sign, count in ((1, ahead), (-1, ahead - gain)):
            for width in [count] if generalized and count else [1] * count:
                if (sign > 0) == (l > r):
                    subset, _, _ = diary.take("forward", diary.best_addition(subset, width))
                else:
                    subset, _, _ = diary.take("backward", diary.best_removal(subset, width))
    return diary


def oscillate(value, n_features, start, max_depth, c=1):
    """OS: from the pivot every time; compared only when back at its size; borders cut swings short."""
    diary, pivot = Diary(value, n_features), frozenset(start)
    pivot_value = diary.evaluate(pivot)
    diary.record(pivot, pivot_value)
    depth, swing = 1, "down"
    while depth <= max_depth:
        subset, reached, moved = pivot, pivot_value, 0
        for phase in ("out", "home"):
            goes_down = (swing == "down") == (phase == "out")
            for _ in range(depth if phase == "out" else moved):
                if goes_down:
                    found = diary.best_removal(subset, c)
                else:
                    found = diary.best_addition(subset, c)
                if found is None:
                    break
                subset, reached, _ = diary.take("backward" if goes_down else "forward", found)
                moved += phase == "out"
        if moved and reached > pivot_value:
            pivot, pivot_value, depth, swing = subset, reached, 1, "down"
        elif swing == "down":
            swing = "up"
        else:
            depth, swing = depth + 1, "down"
    return diary, pivot, pivot_value


def dynamic_oscillate(value, n_features, max_depth, c=1):
    """DOS: after every step, what is greater, or as great with fewer features, is the new pivot."""
    diary = Diary(value, n_features)
    pivot, pivot_value, _ = diary.take("forward", diary.best_addition(frozenset(), c))
    depth, swing = 1, "down"
    while depth <= max_depth:
        subset, moved, improved = pivot, 0, False
        plan = ["out"] * depth
        while plan:
            phase = plan.pop(0)
            goes_down = (swing == "down") == (phase == "out")
            found = diary.best_removal(subset, c) if goes_down else diary.best_addition(subset, c)
            if found is None:  # the border: turn round
                plan = ["home"] * moved
                continue
            subset, reached, _ = diary.take("backward" if goes_down else "forward", found)
            if phase == "out":
                moved += 1
                plan = plan or ["home"] * moved
            if (reached, -len(subset)) > (pivot_value, -len(pivot)):
                pivot, pivot_value, improved = subset, reached, True
                break
        if improved:
            depth, swing = 1, "down"
        elif swing == "down":
            swing = "up"
        else:
            depth, swing = depth + 1, "down"
    return diary, pivot, pivot_value


def asffs(value, n_features, target, overshoot, r_max, b):
    diary, subset = Diary(value, n_features), frozenset()

    def widest(size):
        distance = abs(size - target)
        if distance < b:
            return r_max
        return r_max + b - distance if distance < b + r_max else 1

    while len(subset) < frontier_limit(n_features, target, overshoot):
        size, accepted = len(subset), False
        for o in range(1, widest(size) + 1):
            found = diary.best_addition(subset, o)
            if found is not None and found[0] > diary.recorded(size + o):
                subset, _, _ = diary.take("forward", found)
                accepted = True
                break
        if not accepted:
            known, features = diary.best[size + 1]
            subset = frozenset(features)
            diary.steps.append(("recall", size + 1, features, known))
        o = 1
        while o <= widest(len(subset)):
            found = diary.best_removal(subset, o)
            if found is not None and found[0] > diary.recorded(len(subset) - o):
                subset, _, _ = diary.take("backward", found)
                o = 1
            else:
                o += 1
    return diary
