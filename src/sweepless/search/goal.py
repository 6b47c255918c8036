"""How far a search shall go."""

from __future__ import annotations

from dataclasses import dataclass

from sweepless.direction import Direction


@dataclass(frozen=True)
class Goal:
    """The size to reach, seen in the primary direction of the search.

    `overshoot` is the paper's Δ: how far past the target the frontier may go; None is unrestricted,
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
        """The last size the frontier may have."""
        if self.target is None or self.overshoot is None:
            return self.end
        sign = self.direction.sign
        return sign * min(sign * self.target + self.overshoot, sign * self.end)

    def remaining(self, size: int) -> int:
        """Return how many features lie between a size and the limit, negative beyond it."""
        return self.direction.sign * (self.limit - size)

    def reached(self, size: int) -> bool:
        """Tell whether another step of the primary direction would pass the limit."""
        return self.remaining(size) < self.tuple_size
