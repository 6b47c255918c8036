"""The default engine: 64-bit words, the same on every platform and NumPy version, with the fastest draws and sums."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sweepless._typing import Features, Mask, Values
from sweepless.engine.generator import FEW, Rng, Stream, check_supply, checked_seed
from sweepless.engine.subsets import chosen, chosen_by_sorting, chosen_together, walked

# These numbers define the streams: changing one changes every trajectory.
_STREAMS: dict[str, int] = {"split": 0, "warm_up": 1, "steps": 2, "start": 3}
_MARKS = 1 << 21  # items marked at a time when many subsets are drawn
_RARELY_AGAIN = 4  # a subset of at most sqrt(_RARELY_AGAIN * n_items) items hardly ever draws an item twice
_LAST_WORD = np.uint64(2**64 - 1)


class PortableRng(Rng):
    """Philox-4x64 keyed by (seed, stream), using only its raw words and none of NumPy's distributions.

    Subsets are exactly uniform (A28).
    """

    name = "portable"

    def __init__(self, seed: int, stream: Stream = "steps") -> None:
        self.seed = checked_seed(seed, 64)
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
        check_supply(n_items, size)
        start = n_items - size
        if size <= FEW:
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
