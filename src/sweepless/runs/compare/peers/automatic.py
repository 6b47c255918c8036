"""Our own answer to "which features?": the selector as it is without any argument."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sweepless._typing import Features
from sweepless.dataset import Dataset
from sweepless.selectors.sequential import SequentialSelector


def automatic(train: Dataset, sizes: Sequence[int], seed: int) -> Mapping[int, Features]:
    """Choose by `SequentialSelector()`: the best recorded subset of every size that one run has visited."""
    selector = SequentialSelector(max_size=max(sizes), random_state=seed).fit(train.X, train.target)
    return {size: selector.subsets_[size].features for size in sizes if size in selector.subsets_}
