"""The control flow of the searches in the literature, one generator each, to be read beside the paper.

A schedule receives two operators, `advance` in the primary direction and `retreat` against it, and takes or
declines the steps that they find. It yields after each step it has taken, so that limits, progress and Ctrl-C
are handled outside. It never sees an array, a criterion, a seed or a clock; it sees the walk as a `Route`.
"""

from __future__ import annotations

from collections.abc import Iterator

from sweepless.direction import Direction
from sweepless.errors import InputError
from sweepless.search.events import TracedStep
from sweepless.search.route import Goal, Mark, R, schedule
from sweepless.search.step import StepOperator

Steps = Iterator[TracedStep]


@schedule(is_fixed=True, values_full_set=False)
def straight(walk: R, advance: StepOperator[R], retreat: StepOperator[R], goal: Goal) -> Steps:
    """SFS when `advance` adds, SBS when it removes: take one step after the other."""
    while not goal.reached(walk.size):
        yield walk.take(advance(walk))


@schedule(ends_early=True, values_full_set=False)
def forward_backward(walk: R, advance: StepOperator[R], retreat: StepOperator[R], goal: Goal) -> Steps:
    """FBED: advance while there is a step, then retreat while nothing is lost (Borboudakis & Tsamardinos 2019)."""
    while not goal.reached(walk.size) and (step := advance(walk)) is not None:
        yield walk.take(step)
    while (step := retreat(walk)) is not None and step.value >= walk.value:
        yield walk.take(step)


@schedule(is_fixed=True)
def prefixes(walk: R, advance: StepOperator[R], retreat: StepOperator[R], goal: Goal) -> Steps:
    """BIF, DAF: take the first `target` of a ranking at once, or scan all its prefixes."""
    while not goal.reached(walk.size):
        yield walk.take(advance(walk, goal.remaining(walk.size) if goal.target else 1))


@schedule(overshoots=True)
def floating(walk: R, advance: StepOperator[R], retreat: StepOperator[R], goal: Goal) -> Steps:
    """SFFS when `advance` adds, SBFS when it removes (Section 2 of the paper).

    After a given start, a retreat may reach sizes without a record. It is recorded and followed, but the search
    stays there only if the retreat beats a record on the way.
    """
    while not goal.reached(walk.size):  # 4. while d < t + overshoot
        yield walk.take(advance(walk))  # 1., 2. forward, unconditionally
        pivot = walk.mark()
        while walk.improves(step := retreat(walk)):  # 3. strictly beats the best recorded at that size
            beats = walk.has_record(step)
            yield walk.take(step)
            pivot = walk.mark() if beats else pivot
        walk.return_to(pivot)


@schedule(overshoots=True)
def retreating(walk: R, advance: StepOperator[R], retreat: StepOperator[R], goal: Goal) -> Steps:
    """SFRS, SBRS: after each advance retreat all the way; stay only where a new best of all sizes was found."""
    while not goal.reached(walk.size):
        yield walk.take(advance(walk))
        place = walk.mark()
        best = walk.archive.best
        while (step := retreat(walk)) is not None:
            yield walk.take(step)
            if walk.archive.best is not best:
                best = walk.archive.best
                place = walk.mark()
        walk.return_to(place)


def plus_minus_direction(l: int = 2, r: int = 1) -> Direction:
    """Return the direction of (l, r): up from the empty set, or down from the full set."""
    if l == r or min(l, r) < 0:
        raise InputError(f"`l` and `r` must be two different non-negative integers, got l={l}, r={r}.")
    return Direction.ADD if l > r else Direction.REMOVE


@schedule(is_fixed=True, needs_target=True, sets_tuples=True, values_full_set=False, orient=plus_minus_direction)
def plus_minus(
    walk: R, advance: StepOperator[R], retreat: StepOperator[R], goal: Goal, *, l: int = 2, r: int = 1
) -> Steps:
    """(l, r): repeat l additions and r removals; removals come first if r > l (Stearns 1976)."""
    yield from _cycles(walk, advance, retreat, goal, [1] * l, [1] * r)


@schedule(is_fixed=True, needs_target=True, sets_tuples=True, values_full_set=False, orient=plus_minus_direction)
def generalized_plus_minus(
    walk: R, advance: StepOperator[R], retreat: StepOperator[R], goal: Goal, *, l: int = 2, r: int = 1
) -> Steps:
    """Generalized (l, r): add the best l-tuple, remove the worst r-tuple (Devijver & Kittler 1982)."""
    yield from _cycles(walk, advance, retreat, goal, [l], [r])


def _cycles(
    walk: R, advance: StepOperator[R], retreat: StepOperator[R], goal: Goal, plus: list[int], minus: list[int]
) -> Steps:
    ahead, back = (plus, minus) if goal.direction.adds else (minus, plus)
    while goal.remaining(walk.size) > 0:
        net = min(sum(ahead) - sum(back), goal.remaining(walk.size))
        # The last cycle is shortened so that it ends at the target; no cycle may go beyond all features.
        n_ahead = min(net + sum(back), abs(goal.end - walk.size))
        for size in _trimmed(ahead, n_ahead):
            yield walk.take(advance(walk, size))
        for size in _trimmed(back, n_ahead - net):
            yield walk.take(retreat(walk, size))


def _trimmed(sizes: list[int], total: int) -> Iterator[int]:
    """Return the first tuple sizes up to a sum of `total`, with the last one cut as needed."""
    for size in sizes:
        if total > 0:
            yield min(size, total)
            total -= size


@schedule(overshoots=True, needs_target=True, sets_tuples=True)
def adaptive_floating(
    walk: R,
    advance: StepOperator[R],
    retreat: StepOperator[R],
    goal: Goal,
    *,
    r_max: int = 3,
    neighborhood: int = 2,
) -> Steps:
    """ASFFS, ASBFS: floating with tuples of up to r features, r growing near the target (Somol 1999)."""

    def largest_tuple() -> int:
        distance = abs(walk.size - (goal.target or 0))
        return max(1, min(r_max, r_max + neighborhood - distance))

    while goal.remaining(walk.size) > 0:
        for tuple_size in range(1, largest_tuple() + 1):
            if walk.improves(step := advance(walk, tuple_size)):
                yield walk.take(step)
                break
        else:
            # Nothing improves: drop the working subset for the recorded best of the next size.
            yield walk.recall(walk.size + goal.direction.sign)
        tuple_size = 1
        while tuple_size <= largest_tuple():
            if walk.improves(step := retreat(walk, tuple_size)):
                yield walk.take(step)
                tuple_size = 1
            else:
                tuple_size += 1


@schedule(pivots=True, needs_target=True)
def oscillating(
    walk: R,
    advance: StepOperator[R],
    retreat: StepOperator[R],
    goal: Goal,
    *,
    max_depth: int = 3,
    reuse_ends: bool = False,
) -> Steps:
    """OS: swing down and up around a pivot, deeper after each failed pair (Section 2, sOS in Section 3).

    `reuse_ends` continues a deeper swing from where the failed one turned, as FST does, instead of from the pivot.
    With full sweeps the result is the same; with sampled steps it is another search (A41).
    """
    pivot = walk.mark()
    depth = 1
    ends: dict[Direction, Mark] = {}
    while depth <= max_depth:
        for out, back in ((retreat, advance), (advance, retreat)):  # 3. down-swing, 4. up-swing
            start = ends.get(out.direction, pivot) if reuse_ends else pivot
            walk.return_to(start)
            yield from _swing(walk, out, depth * goal.tuple_size - abs(start.size - pivot.size))
            ends[out.direction] = walk.mark()
            yield from _swing(walk, back, abs(walk.size - pivot.size))
            if walk.size == pivot.size and walk.value > pivot.value:
                pivot, depth = walk.mark(), 1
                ends.clear()
                break
        else:
            depth += 1  # 5. after a failed pair
    walk.return_to(pivot)


def _swing(walk: R, operator: StepOperator[R], distance: int) -> Steps:
    """Take steps over a distance, or until no legal step is left (A42)."""
    start = walk.size
    while abs(walk.size - start) < distance and (step := operator(walk)) is not None:
        yield walk.take(step)


@schedule(pivots=True, moves_size=True)
def dynamic_oscillating(
    walk: R, advance: StepOperator[R], retreat: StepOperator[R], goal: Goal, *, max_depth: int = 3
) -> Steps:
    """DOS: like OS, but any subset met that is better, or as good and smaller, becomes the pivot (A44)."""
    if walk.size == 0:
        yield walk.take(advance(walk))
    pivot = walk.mark()
    depth = 1
    while depth <= max_depth:
        for out, back in ((retreat, advance), (advance, retreat)):
            walk.return_to(pivot)
            for step in _there_and_back(walk, out, back, depth * goal.tuple_size):
                yield step
                if walk.value > pivot.value or (walk.value == pivot.value and walk.size < pivot.size):
                    break
            else:
                continue
            pivot, depth = walk.mark(), 1
            break
        else:
            depth += 1
    walk.return_to(pivot)


def _there_and_back(walk: R, out: StepOperator[R], back: StepOperator[R], distance: int) -> Steps:
    home = walk.size
    yield from _swing(walk, out, distance)
    yield from _swing(walk, back, abs(walk.size - home))
