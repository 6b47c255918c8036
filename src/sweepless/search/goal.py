"""How far a search goes."""

from __future__ import annotations

from dataclasses import dataclass

from sweepless.direction import Direction


@dataclass(frozen=True)
class Goal:
    """The size to reach, in the primary direction of the search.

    `overshoot` is the paper's Δ, the distance that the frontier may go past the target: None is unrestricted and
    0 stops at the target (A18; in FST, Δ = 0 means unrestricted).
    """

    direction: Direction
    n_features: int
    target: int | None = None
    overshoot: int | None = 0
    tuple_size: int = 1

    @property
    def end(self) -> int:
        """The last legal size in the primary direction."""
        return self.direction.last_size(self.n_features)

    @property
    def limit(self) -> int:
        """The last size that the frontier may reach."""
        if self.target is None or self.overshoot is None:
            return self.end
        sign = self.direction.sign
        return sign * min(sign * self.target + self.overshoot, sign * self.end)

    def remaining(self, size: int) -> int:
        """Return how many features lie between a size and the limit; the number is negative beyond it."""
        return self.direction.sign * (self.limit - size)

    def reached(self, size: int) -> bool:
        """Return whether another step of the primary direction would pass the limit."""
        return self.remaining(size) < self.tuple_size
