"""The engine of the reference program of the paper: its 15-bit generator, its draws and its order of sums."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from sweepless._typing import Features, Mask, Values
from sweepless.engine.generator import FEW, Rng, Stream, check_supply, checked_seed
from sweepless.engine.subsets import taken_cells, walked

if TYPE_CHECKING:
    from sweepless.engine.folds import Fold
    from sweepless.engine.softmax import Temperature

_STATES = 1 << 16  # outputs of the reference generator computed at a time when many subsets are drawn


class ReferenceRng(Rng):
    """The reference program's generator: a 32-bit LCG, of which bits 16-30 are used.

    All named streams are one and the same. The generator cannot draw from more than 32,768 features, and its subsets,
    made by linear probing, are not exactly uniform: use it only to reproduce published runs.
    """

    name = "reference"
    reach = 32_768  # A29
    floor_ties = "index"  # A3
    budget = "paper"
    prior = None
    takes_first = True  # A9
    races = False

    def __init__(self, seed: int) -> None:
        self.seed = checked_seed(seed, 32)
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
        if count <= FEW:
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
        check_supply(n_items, size)
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
        check_supply(taken.count(0), count)
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
