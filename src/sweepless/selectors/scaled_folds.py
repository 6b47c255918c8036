"""k-NN on scaled columns, all splits at once: a sample that each split scales in its own way is a sample for each.

Split by split, every step would be prepared as often as there are splits, for a fraction of the rows each time.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from sweepless._shelf import Shelf
from sweepless._typing import Features, Values
from sweepless.criteria.base import Criterion, Cursor
from sweepless.criteria.folds import Split
from sweepless.criteria.neighbors.apart import ApartKNNCursor
from sweepless.criteria.neighbors.knn import KNN
from sweepless.criteria.neighbors.votes import VOTE_SCORES
from sweepless.dataset import Dataset
from sweepless.selectors.resampled import ResampledDataset
from sweepless.selectors.scaled import Scaled, ScaledDataset

_MOST_ROWS = 1 << 17  # samples of all splits together; of more, blocks of candidates would take much memory
_MOST_SPLITS = 32
_MOST_KEPT = 1 << 28  # bytes of scaled columns


def bound_at_once(criteria: Sequence[Criterion], data: Dataset) -> Cursor | None:
    """Return a cursor for the mean of k-NN on several splits, each of which scales by itself; None for other criteria.

    Values are those of the mean of the criteria, to the last bit.
    """
    first = criteria[0]
    n_splits, n_samples = len(criteria), data.n_samples
    if not (isinstance(first, Scaled) and type(first.criterion) is KNN) or not all(
        isinstance(each, Scaled) for each in criteria
    ):
        return None
    # The losses are divided by their unit, which in another order could be rounded in another way.
    is_loss = first.criterion.score in VOTE_SCORES and first.criterion.score != "accuracy"
    if is_loss or n_splits > _MOST_SPLITS or n_splits * n_samples > _MOST_ROWS:
        return None
    splits = [each.split for each in criteria if isinstance(each, Scaled)]
    return ApartKNNCursor(first.criterion, splits, ScaledFolds(data, first.scalers, splits), data)


class ScaledFolds(ResampledDataset):
    """A view in which every sample comes once for each split, scaled by the training part of that split."""

    def __init__(self, data: Dataset, scalers: tuple[Any, ...], splits: Sequence[Split]) -> None:
        super().__init__(data, np.tile(np.arange(data.n_samples), len(splits)))
        self._views = [ScaledDataset(data, scalers, split.train) for split in splits]
        self._shelf = Shelf(self.n_features, _MOST_KEPT // (8 * self.n_samples))
        self._kept: Values = np.empty((self._shelf.n_places, self.n_samples))

    def columns(self, features: Any) -> Values:
        return np.hstack([view.columns(features) for view in self._views])

    def lend(self, features: Features) -> tuple[Values, Features]:
        """Return an array of columns, and in which of its rows these features are: most are asked for many times."""
        if len(features) > self._shelf.n_places:
            return super().lend(features)
        places, is_fresh = self._shelf.places(features)
        if is_fresh.any():
            self._kept[places[is_fresh]] = self.columns(features[is_fresh])
        return self._kept, places
