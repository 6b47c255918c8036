"""What the installed scikit-learn has: older versions that are supported lack some scores and parameters."""

from __future__ import annotations

from collections.abc import Iterable

import sklearn
from sklearn.metrics import get_scorer_names

VERSION = tuple(map(int, sklearn.__version__.split(".")[:2]))
_NEWER = {"d2_log_loss_score", "d2_brier_score"} - set(get_scorer_names())


def known(scores: Iterable[str], n_classes: int = 2) -> list[str]:
    """Return the scores that it has: the Brier score of more than two classes came with 1.7."""
    missing = _NEWER | ({"neg_brier_score"} if n_classes > 2 and VERSION < (1, 7) else set())
    return [score for score in scores if score not in missing]
