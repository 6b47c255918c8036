"""The two engines: every random draw of the package, and the order in which its statistics are summed.

`PortableRng` is the default: counter-based 64-bit words, independent named streams, the same numbers on every
platform and NumPy version, and the fastest ways to draw and to sum. `ReferenceRng` is the 15-bit generator of the
paper's reference program with its single stream, its draws and its sums, and reproduces published runs bit for bit.
No other module depends on which of the two is used.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from sweepless._checks import whole
from sweepless._typing import Features, Mask, Values
from sweepless.engine.subsets import chosen, chosen_by_sorting, chosen_together, taken_cells, walked
from sweepless.errors import InputError

if TYPE_CHECKING:  # readers of data draw numbers too, and must not wait for kernels
    from sweepless.engine.folds import Fold
    from sweepless.engine.softmax import Temperature

Stream = Literal["split", "warm_up", "steps", "start"]
# These numbers define the streams: changing one changes every trajectory.
_STREAMS: dict[str, int] = {"split": 0, "warm_up": 1, "steps": 2, "start": 3}
_FEW = 32  # up to this many, drawing numbers one by one is as fast
_MARKS = 1 << 21  # items marked at a time when many subsets are drawn
_STATES = 1 << 16  # outputs of the reference generator computed at a time when many subsets are drawn
_RARELY_AGAIN = 4  # a subset of at most sqrt(_RARELY_AGAIN * n_items) items hardly ever draws an item twice
_LAST_WORD = np.uint64(2**64 - 1)


class Rng(ABC):
    """A source of uniform numbers, random subsets and weighted draws, with its own way to sum statistics."""

    name: str
    seed: int
    reach: int | None = None
    """The largest number of features that the engine can draw from; None if there is no limit."""

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
        if min(together, count) < _FEW:
            return self._one_by_one(n_items, sizes, count)
        _check_supply(n_items, sizes[1])
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


class PortableRng(Rng):
    """Philox-4x64 keyed by (seed, stream), using only its raw words and none of NumPy's distributions.

    Subsets are exactly uniform (A28).
    """

    name = "portable"

    def __init__(self, seed: int, stream: Stream = "steps") -> None:
        self.seed = _checked_seed(seed, 64)
        self._key = np.array([self.seed, _STREAMS[stream]], dtype=np.uint64)
        self._words = np.random.Philox(key=self._key)

    def stream(self, name: Stream) -> PortableRng:
        return PortableRng(self.seed, name)

    def uniforms(self, count: int) -> Values:
        words = np.asarray(self._words.random_raw(count), dtype=np.uint64)
        return (words >> np.uint64(11)).astype(np.float64) * 2.0**-53

    def below(self, bound: int) -> int:
        # Rejecting the incomplete last interval makes draws exactly uniform; one word almost always suffices.
        limit = 2**64 - 2**64 % bound
        while (word := int(self._words.random_raw())) >= limit:
            pass
        return word % bound

    def pick(self, suitable: Mask, count: int) -> Features:
        positions = np.flatnonzero(suitable)
        return positions[self.subset(len(positions), count)]

    def subset(self, n_items: int, size: int) -> Features:
        # Floyd's algorithm takes `size` draws for any `n_items`.
        _check_supply(n_items, size)
        start = n_items - size
        if size <= _FEW:
            items = [self.below(last + 1) for last in range(start, n_items)]
        else:
            drawn = self._below_each(np.arange(start + 1, n_items + 1, dtype=np.uint64))
            if size * size <= _RARELY_AGAIN * n_items:
                return chosen_by_sorting(drawn, start)
            items = drawn.tolist()
        return chosen(items, start)

    def _n_together(self, n_items: int, largest: int) -> int:
        return _MARKS // n_items

    def _subsets_together(self, n_items: int, sizes: tuple[int, int], count: int) -> list[Features]:
        position = self.position
        words = np.asarray(self._words.random_raw(count * (1 + sizes[1])), dtype=np.uint64)
        if words.max() > _LAST_WORD - np.uint64(n_items):  # a word may have been rejected
            self.seek(position)
            return self._one_by_one(n_items, sizes, count)
        firsts, lengths = walked(words, sizes, count)
        self.seek(position + int(firsts[-1] + lengths[-1]))
        order = np.argsort(-lengths, kind="stable")
        items = chosen_together(words, firsts[order], lengths[order], n_items)
        ends = np.cumsum(lengths[order])
        place = np.argsort(order)
        return [items[ends[k] - length : ends[k]] for k, length in zip(place.tolist(), lengths.tolist())]

    def _below_each(self, bounds: NDArray[np.uint64]) -> Features:
        """Draw an integer below each of the ascending bounds, equal to those of consecutive calls of `below`."""
        words = np.asarray(self._words.random_raw(len(bounds)), dtype=np.uint64)
        while words.max() > _LAST_WORD - bounds[-1]:  # a word may have been rejected
            beyond = (_LAST_WORD % bounds + np.uint64(1)) % bounds  # 2**64 % bound
            rejected = words > _LAST_WORD - beyond
            if not rejected.any():
                break
            words = np.delete(words, np.argmax(rejected))
            words = np.append(words, np.asarray(self._words.random_raw(1), dtype=np.uint64))
        return (words % bounds).astype(np.intp)

    @property
    def position(self) -> int:
        """The number of words drawn so far; each count of the counter makes four."""
        state = self._words.state
        low, *higher = state["state"]["counter"].tolist()
        counter = low + (sum(word << (64 * k) for k, word in enumerate(higher, 1)) if any(higher) else 0)
        return int(4 * counter - 4 + state["buffer_pos"])

    def seek(self, position: int) -> None:
        self._words = np.random.Philox(key=self._key)
        self._words.advance(position // 4)
        for _ in range(position % 4):
            self._words.random_raw()


class ReferenceRng(Rng):
    """The reference program's generator: a 32-bit LCG, of which bits 16-30 are used.

    All named streams are one and the same. The generator cannot draw from more than 32,768 features, and its subsets,
    made by linear probing, are not exactly uniform: use it only to reproduce published runs.
    """

    name = "reference"
    reach = 32_768  # A29

    def __init__(self, seed: int) -> None:
        self.seed = _checked_seed(seed, 32)
        self._state = self.seed

    @property
    def fold(self) -> Fold:
        from sweepless.engine.folds import SequentialFold

        return SequentialFold()

    def stream(self, name: Stream) -> ReferenceRng:
        return self

    def softmax(
        self, scores: Values, sign: int, barred: Features, temperature: Temperature, uniforms: Values
    ) -> Features:
        from sweepless.engine.softmax import draw_from_rest
        from sweepless.kernels.sampling.proposal import draw_by_walk

        return draw_from_rest(draw_by_walk, scores, sign, barred, temperature, uniforms)

    def output(self) -> int:
        """Return the next raw output, 0..32767."""
        self._state = (self._state * 214013 + 2531011) & 0xFFFFFFFF
        return (self._state >> 16) & 0x7FFF

    def outputs(self, count: int) -> Features:
        """Return the next raw outputs."""
        if count <= _FEW:
            return np.array([self.output() for _ in range(count)], dtype=np.intp)
        states = self._states(count)
        self._state = int(states[-1])
        return _outputs_of(states)

    def _states(self, count: int) -> NDArray[np.uint32]:
        """Return the next states: the k-th is a**k times the current state, plus c (1 + a + ... + a**(k-1))."""
        powers = np.full(count + 1, 214013, dtype=np.uint32)  # all arithmetic is modulo 2**32
        powers[0] = 1
        np.multiply.accumulate(powers, out=powers)
        states = np.cumsum(powers[:-1], dtype=np.uint32)
        states *= np.uint32(2531011)
        states += powers[1:] * np.uint32(self._state)
        return states

    def uniforms(self, count: int) -> Values:
        return self.outputs(count) / 32768.0

    def below(self, bound: int) -> int:
        return self.output() % bound

    def subset(self, n_items: int, size: int) -> Features:
        _check_supply(n_items, size)
        return taken_cells(self.outputs(size)[None, :] % n_items, np.array([size]), n_items)[0]

    def _n_together(self, n_items: int, largest: int) -> int:
        return _STATES // (1 + largest)

    def _subsets_together(self, n_items: int, sizes: tuple[int, int], count: int) -> list[Features]:
        largest = sizes[1]
        states = self._states(count * (1 + largest))
        outputs = _outputs_of(states)
        firsts, lengths = walked(outputs, sizes, count)
        self._state = int(states[firsts[-1] + lengths[-1] - 1])
        turns = np.arange(largest)
        wanted = outputs[np.minimum(firsts[:, None] + turns, len(outputs) - 1)] % n_items
        wanted[turns >= lengths[:, None]] = n_items
        return taken_cells(wanted, lengths, n_items)

    def pick(self, suitable: Mask, count: int) -> Features:
        taken = bytearray(~suitable)
        _check_supply(taken.count(0), count)
        picked = []
        for item in (self.outputs(count) % len(taken)).tolist():
            if taken[item]:  # the next free one, wrapping around at the end
                item = taken.find(0, item)
                item = item if item >= 0 else taken.find(0)
            taken[item] = 1
            picked.append(item)
        return np.sort(np.array(picked, dtype=np.intp))

    @property
    def position(self) -> int:
        """The state itself, which takes all 32-bit values before one repeats."""
        return self._state

    def seek(self, position: int) -> None:
        self._state = position


def _outputs_of(states: NDArray[np.uint32]) -> Features:
    return ((states >> np.uint32(16)) & np.uint32(0x7FFF)).astype(np.intp)


def make_rng(name: str, seed: int) -> Rng:
    """Build an engine from its name.

    Parameters
    ----------
    name : {"portable", "reference"}
    seed : int
        Non-negative; below 2**64 for the portable engine, below 2**32 for the reference.
    """
    engines: dict[str, type[PortableRng] | type[ReferenceRng]] = {
        "portable": PortableRng,
        "reference": ReferenceRng,
    }
    if name not in engines:
        raise InputError(f"`rng` must be one of {', '.join(engines)}, got {name!r}.")
    return engines[name](seed)


def _check_supply(available: int, asked: int) -> None:
    if not 0 <= asked <= available:
        raise InputError(f"the number to pick must be from 0 to {available}, got {asked}.")


def _checked_seed(seed: int, bits: int) -> int:
    return whole("seed", seed, 0, 2**bits - 1)
