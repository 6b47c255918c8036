"""Stop where another size brings too little, as scikit-learn's `tol` does."""

from __future__ import annotations

from sweepless.direction import Direction
from sweepless.search.events import Progress
from sweepless.search.stop import StopReason, StopSearch


class Gains:
    """A callback of a run that ends it at the first new size that gains less than `tol` on the size before.

    Compared are the value with which the search first comes to a size and the best value it knows of the size before,
    which a floating search may have improved meanwhile. The first size is always taken, as scikit-learn does.

    Parameters
    ----------
    tol : float
        Negative where a search that shrinks may lose a little at every size.
    direction : Direction
        Of the search.
    low, high : int
        Sizes that may be chosen; the search is not stopped before it has come to them.

    Attributes
    ----------
    size : int or None
        The last size that was worth it, so far.
    """

    def __init__(self, tol: float, direction: Direction, low: int, high: int) -> None:
        self._tol, self._direction, self._sizes = tol, direction, range(low, high + 1)
        self._end = high if direction.adds else low
        self._best: dict[int, float] = {}
        self.size: int | None = None

    def __call__(self, progress: Progress) -> None:
        step = progress.step
        if step is None:
            return
        is_new = step.size not in self._best and step.direction == self._direction.label
        self._best[step.size] = max(step.value, self._best.get(step.size, step.value))
        if not is_new or self._direction.sign * (step.size - self._end) > 0:
            return
        before = self.size
        if before is not None and before in self._sizes and step.value - self._best[before] < self._tol:
            raise StopSearch(StopReason.PATIENCE)
        self.size = step.size
