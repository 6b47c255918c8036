"""An estimator fitted and scored on given splits, as `cross_val_score` does it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sklearn.base import clone
from sklearn.utils import _safe_indexing

from sweepless._typing import AnyArray


@dataclass(frozen=True)
class Fits:
    """All that cross-validation needs but the columns; sent to workers as it is."""

    estimator: Any
    scorer: Any
    target: AnyArray
    splits: list[tuple[Any, Any]]
    fit_params: Mapping[str, Any]
    score_params: Mapping[str, Any]

    def scores(self, table: Any) -> list[float]:
        """Return the score of a clone on every split."""
        scores = []
        for train, test in self.splits:
            fitted = clone(self.estimator).fit(
                _safe_indexing(table, train), self.target[train], **self._of(self.fit_params, train)
            )
            scores.append(
                self.scorer(fitted, _safe_indexing(table, test), self.target[test], **self._of(self.score_params, test))
            )
        return scores

    def _of(self, params: Mapping[str, Any], rows: Any) -> dict[str, Any]:
        """Return the parameters for some samples: entries of that length are split, others passed on."""
        return {
            name: _safe_indexing(value, rows) if self._is_per_sample(value) else value for name, value in params.items()
        }

    def _is_per_sample(self, value: Any) -> bool:
        if isinstance(value, str) or not (hasattr(value, "shape") or hasattr(value, "__len__")):
            return False
        length = value.shape[0] if getattr(value, "shape", ()) else len(value)
        return bool(length == len(self.target))
