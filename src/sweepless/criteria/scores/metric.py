"""Any function of the truth and the predictions, called for one candidate after the other."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np

from sweepless._typing import AnyArray, Values
from sweepless.criteria.scores.base import FoldScore, Score


@dataclass(frozen=True, repr=False)
class MetricScore(Score):
    """A metric as `make_scorer` of scikit-learn takes it.

    Parameters
    ----------
    name : str
    needs : {"labels", "numbers"}
        What is predicted.
    function : callable
        Takes the true and the predicted labels or numbers.
    sign : int
        1, or -1 for a loss.
    options : tuple of (str, object)
        Further arguments of the function.
    """

    cost: ClassVar[float] = 5e5  # measured: most metrics of scikit-learn take 0.2 to 1 ms
    needs: Literal["labels", "numbers"]  # type: ignore[misc]
    function: Callable[..., Any]
    sign: int = 1
    options: tuple[tuple[str, Any], ...] = ()

    def bind(self, truth: AnyArray, classes: AnyArray, perfect: float = 0.0) -> FoldScore:
        actual, options = classes[truth] if self.needs == "labels" else truth, dict(self.options)

        def value(predicted: AnyArray) -> float:
            try:
                return self.sign * float(self.function(actual, predicted, **options))
            except Exception:  # the estimator, which is asked next, makes the function say what is wrong
                return np.nan

        def values(predicted: AnyArray) -> Values:
            return np.array([value(classes[one] if self.needs == "labels" else one) for one in predicted])

        return values
