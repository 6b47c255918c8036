"""A cursor for k-NN on several splits at once, each of which has samples of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sweepless._typing import Counts, Features, Mask, Values
from sweepless.criteria.folds import Split
from sweepless.criteria.neighbors.counted import KNNCursor
from sweepless.criteria.neighbors.crowds import CopiedCrowds
from sweepless.criteria.neighbors.layout import by_rank, layout
from sweepless.dataset import Dataset
from sweepless.kernels.neighbors.singles import count_correct_alone, ranked_frame

if TYPE_CHECKING:
    from sweepless.criteria.neighbors.knn import KNN


class ApartKNNCursor(KNNCursor):
    """Counts in all splits together, but sorts the samples of a split by themselves.

    Parameters
    ----------
    criterion : KNN
        Its folds are not looked at.
    splits : list of Split
        Splits of equally many samples.
    data : Dataset
        The samples of the first split, then those of the second, and so on.
    originals : Dataset
        The samples as they are before each split scales them, feature by feature.
    """

    def __init__(self, criterion: KNN, splits: list[Split], data: Dataset, originals: Dataset) -> None:
        self._n_each = data.n_samples // len(splits)
        firsts = range(0, data.n_samples, self._n_each)
        apart = [
            Split(np.array(split.train) + first, np.array(split.test) + first)  # type: ignore[arg-type]
            for first, split in zip(firsts, splits)
        ]
        super().__init__(criterion, apart, data)
        self._crowds = CopiedCrowds(originals, len(splits), lambda: self._features)
        codes = data.codes[: self._n_each]
        self._order, ties, n_neighbors = by_rank(codes, criterion.ties), criterion.ties, criterion.n_neighbors
        frames = [layout(split, codes, codes, ties, n_neighbors, data.name)[0] for split in splits]
        self._frames = [ranked_frame(frame, self._order) for frame in frames]

    def _count_sorted(self, columns: Values, places: Features, is_whole: Mask, correct: Counts) -> Mask:
        is_proved = np.ones(len(places), dtype=np.bool_)
        for k, frame in enumerate(self._frames):
            counts = np.zeros((len(places), 1), dtype=np.int64)
            part = columns[:, k * self._n_each : (k + 1) * self._n_each]
            is_proved &= count_correct_alone(frame, self._order, part, places, is_whole, counts)
            correct[:, k] = counts[:, 0]
        return is_proved
