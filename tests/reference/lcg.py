"""The reference program's generator, and its way to draw a subset."""

from __future__ import annotations


class Lcg:
    def __init__(self, seed: int) -> None:
        self.state = seed

    def output(self) -> int:
        self.state = (self.state * 214013 + 2531011) % 2**32
        return self.state // 65536 % 32768

    def uniform(self) -> float:
        return self.output() / 32768

    def subset(self, n_items: int, size: int) -> list[int]:
        """Draw with linear probing to the next free item."""
        chosen: set[int] = set()
        while len(chosen) < size:
            item = self.output() % n_items
            while item in chosen:
                item = (item + 1) % n_items
            chosen.add(item)
        return sorted(chosen)
