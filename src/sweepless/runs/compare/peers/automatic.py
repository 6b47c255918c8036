"""Our own answer to "which features?": the selector as it is without any argument."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from sweepless._typing import AnyArray, Features
from sweepless.dataset import Dataset
from sweepless.selectors.sequential import SequentialSelector


def automatic(train: Dataset, sizes: Sequence[int], seed: int) -> Mapping[int, Features]:
    """Choose by `SequentialSelector()`: the best recorded subset of every size that one run has visited."""
    selector = SequentialSelector(max_size=max(sizes), random_state=seed).fit(train.X, _unmistakable(train))
    return {size: selector.subsets_[size].features for size in sizes if size in selector.subsets_}


def _unmistakable(train: Dataset) -> AnyArray:
    """Return labels that the selector takes for what they are here: classes as words, numbers with a fraction.

    A training part may repeat its labels less often than all the data do, and `--task` may overrule what they suggest.
    """
    if train.has_classes:
        return np.char.zfill(train.codes.astype(str), len(str(len(train.classes))))
    numbers = np.asarray(train.target, dtype=np.float64)
    is_whole = not np.any(numbers % 1.0)
    return numbers + 0.5 if is_whole else numbers  # no regression minds where zero is
