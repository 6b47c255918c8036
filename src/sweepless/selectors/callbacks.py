"""scikit-learn's own callbacks (from 1.9 on), through one adapter; before, there are none."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

from sweepless.search.events import Progress
from sweepless.search.stop import StopReason, StopSearch

Fit = TypeVar("Fit", bound=Callable[..., Any])

try:
    from sklearn import callback as _own
except ImportError:
    _own = None


class _Nothing:
    """Stands in where scikit-learn has no callbacks."""


CallbackSupport: Any = _Nothing if _own is None else _own.CallbackSupportMixin


def with_callbacks(fit: Fit) -> Fit:
    """Let scikit-learn tear its callbacks down after `fit`, however that ends."""
    return fit if _own is None else cast(Fit, _own.with_callbacks(fit))


class Tasks:
    """Tells scikit-learn's callbacks of every new frontier: the fit is a task, every size reached a subtask.

    Parameters
    ----------
    selector : the estimator being fitted
    X, y : what it is fitted on
    n_sizes : int
        How many sizes lie between the start and the end of the search.
    """

    def __init__(self, selector: Any, X: Any, y: Any, n_sizes: int) -> None:
        self._selector, self._data = selector, {"X": X, "y": y}
        self._n_told, self._n_sizes = 0, n_sizes
        self._sizes: set[int] = set()
        self._context = None
        if hasattr(selector, "_init_callback_context"):
            self._context = selector._init_callback_context(max_subtasks=n_sizes)
            self._context.call_on_fit_task_begin(estimator=selector, **self._data)

    def __call__(self, progress: Progress) -> None:
        if self._context is None or progress.step is None or progress.size in self._sizes:
            return
        self._sizes.add(progress.size)
        if len(self._sizes) > self._n_sizes:  # a floating search may go past its target
            return
        task = self._context.subcontext(task_name=f"size {progress.size}")
        task.call_on_fit_task_begin(estimator=self._selector, **self._data)
        if task.call_on_fit_task_end(estimator=self._selector, **self._data):
            raise StopSearch(StopReason.CALLBACK)

    def end(self) -> None:
        if self._context is not None:
            self._context.call_on_fit_task_end(estimator=self._selector, **self._data)
