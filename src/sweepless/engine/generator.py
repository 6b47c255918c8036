"""What an engine is: every random draw of the package, and the order in which its statistics are summed.

There are two, `portable` and `reference`. No other module depends on which of them is used.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Literal

import numpy as np

from sweepless._checks import whole
from sweepless._typing import Features, Mask, Values
from sweepless.errors import InputError

if TYPE_CHECKING:  # readers of data draw numbers too, and must not wait for kernels
    from sweepless.engine.folds import Fold
    from sweepless.engine.softmax import Temperature

Stream = Literal["split", "warm_up", "steps", "start"]
FEW = 32  # up to this many, drawing numbers one by one is as fast


class Rng(ABC):
    """A source of uniform numbers, random subsets and weighted draws, with its own way to sum statistics."""

    name: str
    seed: int
    reach: int | None = None
    """The largest number of features that the engine can draw from; None if there is no limit."""
    floor_ties: Literal["index", "random"] = "random"
    """How the exploration floor chooses among equally exposed features."""
    budget: Literal["auto", "paper"] = "auto"
    """The budget of a search that says nothing about it."""
    prior: Literal["auto"] | None = "auto"
    """The prior of a search that says nothing about it."""
    takes_first: bool = False
    """Whether the first of several equally good candidates wins a step even where a second value could decide."""
    races: bool = True
    """Whether candidates that cannot win a step may be dropped before they are valued."""

    @property
    def fold(self) -> Fold:
        """Folds batches into statistics."""
        from sweepless.engine.folds import FastFold

        return FastFold()

    @abstractmethod
    def stream(self, name: Stream) -> Rng:
        """Return the generator of a named stream, so that draws for one purpose do not affect another."""

    @abstractmethod
    def uniforms(self, count: int) -> Values:
        """Draw `count` reals in [0, 1)."""

    @abstractmethod
    def below(self, bound: int) -> int:
        """Draw an integer in 0..bound-1."""

    @abstractmethod
    def pick(self, suitable: Mask, count: int) -> Features:
        """Pick `count` of the marked positions without replacement, in ascending order."""

    def softmax(
        self, scores: Values, sign: int, barred: Features, temperature: Temperature, uniforms: Values
    ) -> Features:
        """Draw one position per uniform number by a softmax over sign * scores, without repetition or `barred` ones."""
        from sweepless.engine.softmax import draw_from_rest, draw_in_place
        from sweepless.kernels.sampling import FEW_FEATURES
        from sweepless.kernels.sampling.proposal import draw_by_blocks

        if len(scores) > FEW_FEATURES:
            return draw_in_place(scores, sign, barred, temperature, uniforms)
        return draw_from_rest(draw_by_blocks, scores, sign, barred, temperature, uniforms)

    def subset(self, n_items: int, size: int) -> Features:
        """Pick `size` of `n_items` positions, in ascending order."""
        return self.pick(np.ones(n_items, dtype=np.bool_), size)

    def subsets(self, n_items: int, sizes: tuple[int, int], count: int) -> list[Features]:
        """Pick `count` subsets; the size of each is drawn first, uniformly between the two `sizes`."""
        together = self._n_together(n_items, sizes[1])
        if min(together, count) < FEW:
            return self._one_by_one(n_items, sizes, count)
        check_supply(n_items, sizes[1])
        drawn: list[Features] = []
        while len(drawn) < count:
            drawn += self._subsets_together(n_items, sizes, min(together, count - len(drawn)))
        return drawn

    def _n_together(self, n_items: int, largest: int) -> int:
        """Return how many subsets the engine draws at once, or 0 if it cannot."""
        return 0

    def _subsets_together(self, n_items: int, sizes: tuple[int, int], count: int) -> list[Features]:
        """Draw the subsets of `_one_by_one` all at once."""
        return self._one_by_one(n_items, sizes, count)

    def _one_by_one(self, n_items: int, sizes: tuple[int, int], count: int) -> list[Features]:
        smallest, largest = sizes
        return [self.subset(n_items, smallest + self.below(largest - smallest + 1)) for _ in range(count)]

    @property
    def position(self) -> int:
        """The position in the stream, to which `seek` can return."""
        raise InputError(f"a journal needs a generator with a position, and {type(self).__name__} has none.")

    def seek(self, position: int) -> None:
        """Continue from a position of a generator with the same seed."""
        raise InputError(f"a journal needs a generator with a position, and {type(self).__name__} has none.")


def make_rng(name: str, seed: int) -> Rng:
    """Build an engine from its name.

    Parameters
    ----------
    name : {"portable", "reference"}
    seed : int
        Non-negative; below 2**64 for the portable engine, below 2**32 for the reference.
    """
    from sweepless.engine.portable import PortableRng
    from sweepless.engine.reference import ReferenceRng

    engines: dict[str, type[PortableRng | ReferenceRng]] = {"portable": PortableRng, "reference": ReferenceRng}
    if name not in engines:
        raise InputError(f"`rng` must be one of {', '.join(engines)}, got {name!r}.")
    return engines[name](seed)


def check_supply(available: int, asked: int) -> None:
    """Raise if more items are asked for than there are."""
    if not 0 <= asked <= available:
        raise InputError(f"the number to pick must be from 0 to {available}, got {asked}.")


def checked_seed(seed: int, bits: int) -> int:
    """Return a seed, or raise if it does not fit into so many bits."""
    return whole("seed", seed, 0, 2**bits - 1)
