"""The training and test parts of a seed, made once per process and kept while they are in use."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from threading import Lock
from typing import Generic, TypeVar

from sweepless.data.scaling import Scaler01
from sweepless.dataset import Dataset
from sweepless.engine.generator import Rng
from sweepless.validation.splits import RandomSplits

Kept = TypeVar("Kept")


class _Recent(Generic[Kept]):
    """The few things made last."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._kept: OrderedDict[Hashable, Kept] = OrderedDict()
        self._lock = Lock()

    def get(self, key: Hashable, make: Callable[[], Kept]) -> Kept:
        with self._lock:  # cells may be threads of one process
            if key not in self._kept:
                self._kept[key] = make()
                if len(self._kept) > self._most:
                    self._kept.popitem(last=False)
            self._kept.move_to_end(key)
            return self._kept[key]


# Cells come seed by seed, so two seeds are in use at a time.
_scaled: _Recent[Dataset] = _Recent(1)
_parts: _Recent[tuple[Dataset, Dataset | None]] = _Recent(2)


def parts_of(
    data: Dataset, key: str, scale: str, split: tuple[int, int] | None, rng: Rng
) -> tuple[Dataset, Dataset | None]:
    """Return the scaled parts of one seed; the generator goes on from behind the split, as in `run_trial`.

    Parameters
    ----------
    data : Dataset
    key : str
        Tells these data from others: their fingerprint.
    scale : {"paper", "train", "none"}
    split : (int, int) or None
        Percent of each class; None is no split.
    rng : Rng
    """
    if scale == "paper":
        whole = _scaled.get((key, scale), lambda: Scaler01.fit(data).apply(data))
    else:
        whole = data
    # Drawn every time, for the reference generator has but one stream.
    drawn = None if split is None else next(RandomSplits(1, *split).split(whole, rng))

    def make() -> tuple[Dataset, Dataset | None]:
        train, test = (whole, None) if drawn is None else drawn.apply(whole)
        if scale == "train":
            scaler = Scaler01.fit(train)
            train, test = scaler.apply(train), None if test is None else scaler.apply(test)
        return train, test

    return _parts.get((key, scale, split, rng.name, rng.seed), make)
