"""What people want to know of a run, from the records of its journal, in little memory."""

from __future__ import annotations

from collections import deque
from itertools import pairwise
from typing import Any

import msgspec
from msgspec import Struct

from sweepless.schema.journal import (
    EndRecord,
    JournalHeader,
    Resumed,
    RunLimits,
    Standing,
    StepRecord,
    ValuesRecord,
)

_POINTS = 400  # of a picture; the best one is always among them
_RECENT = 10.0  # seconds of the run over which its rate is taken
_LONGEST_NAME = 60


class View:
    """A run so far, from the events in its journal.

    The best subset of a step that a limit cut short is known only from the end of the run, and only if it is the best
    of all.
    """

    def __init__(self) -> None:
        self.run: dict[str, Any] | None = None  # None before the header
        self.limits: dict[str, Any] = {}
        self.stop_reason: str | None = None
        self.phase = ""  # what the evaluations are for
        self.size = self.n_evaluations = self.n_resumed = 0
        self.value: float | None = None
        self.seconds = 0.0
        self.n_advances = self.n_retreats = self.n_recalls = 0
        self.best: tuple[int, float] | None = None
        self._curve: dict[int, float] = {}
        self._path = _Thinned()
        self._recent: deque[tuple[float, int]] = deque(maxlen=256)
        self._advances = "forward"

    def add(self, record: Struct) -> None:
        """Take up the next record."""
        match record:
            case JournalHeader():
                self._header(record)
            case Resumed():
                self.limits = _limits(record.limits)
            case StepRecord():
                self._step(record)
            case ValuesRecord():
                self._goes_on()
                self.phase = _name(record.phase)
                self._stand(record)
            case EndRecord():
                self.stop_reason = _name(record.reason)
                self._stand(record)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, fit for JSON; curves are thinned."""
        return {
            "run": self.run,
            "limits": {name: value for name, value in self.limits.items() if value},
            "stop_reason": self.stop_reason,
            "phase": self.phase,
            "size": self.size,
            "value": self.value,
            "best_size": None if self.best is None else self.best[0],
            "best_value": None if self.best is None else self.best[1],
            "target_value": None if self.run is None else self._curve.get(self.run["target"]),
            "n_evaluations": self.n_evaluations,
            "rate": self.rate,
            "seconds": self.seconds,
            "n_advances": self.n_advances,
            "n_retreats": self.n_retreats,
            "n_recalls": self.n_recalls,
            "n_resumed": self.n_resumed,
            "n_sizes": len(self._curve),
            "curve": self.curve(),
            "path": self._path.points(),
        }

    def curve(self, most: int = _POINTS) -> list[tuple[int, float]]:
        """Return sizes and their best values, of many sizes the best in each stretch."""
        points = sorted(self._curve.items())
        if len(points) <= most:
            return points
        bounds = [k * len(points) // most for k in range(most + 1)]
        return [max(points[low:high], key=lambda point: point[1]) for low, high in pairwise(bounds)]

    @property
    def rate(self) -> float | None:
        """Evaluations per second lately."""
        if not self._recent:
            return None
        (began, before), (seconds, n_evaluations) = self._recent[0], self._recent[-1]
        if seconds <= began:
            return n_evaluations / seconds if seconds > 0 else None
        return (n_evaluations - before) / (seconds - began)

    # Records

    def _header(self, record: JournalHeader) -> None:
        settings, shape = record.settings, record.data.shape
        method, target, seed = (settings.get(name) for name in ("method", "target", "seed"))
        name = method if isinstance(method, str) else method.get("name") if isinstance(method, dict) else None
        self.run = {
            "method": _name(str(name)),
            "criterion": _shown(record.criterion),
            "n_samples": shape[0],
            "n_features": shape[1],
            "target": target if isinstance(target, int) else None,
            "seed": _name(str(seed)),  # may be more than a double holds
        }
        self._advances = {"ADD": "forward", "REMOVE": "backward"}[record.direction]
        self.limits = _limits(record.limits)

    def _goes_on(self) -> None:
        if self.stop_reason is not None:
            self.stop_reason = None
            self.n_resumed += 1

    def _step(self, record: StepRecord) -> None:
        self._goes_on()
        self.phase = record.direction
        self.n_recalls += record.direction == "recall"
        self.n_advances += record.direction == self._advances
        self.n_retreats += record.direction not in ("recall", self._advances)
        self.value = record.value
        self._improves(record.size, record.value)
        self._stand(record)
        self._path.add((self.n_evaluations, self.size))

    # What follows from them

    def _stand(self, record: Standing) -> None:
        if record.size is not None:
            self.size = record.size
        if record.best_size is not None and record.best_value is not None:
            self._improves(record.best_size, record.best_value)
        self.seconds, self.n_evaluations = record.seconds, record.n_evaluations
        self._recent.append((self.seconds, self.n_evaluations))
        while len(self._recent) > 2 and self._recent[1][0] < self.seconds - _RECENT:
            self._recent.popleft()

    def _improves(self, size: int, value: float) -> None:
        """Keep a value if it is the best of its size."""
        if value <= self._curve.get(size, -float("inf")):
            return
        self._curve[size] = value
        if self.best is None or (value, -size) > (self.best[1], -self.best[0]):
            self.best = (size, value)


class _Thinned:
    """A long row of points of which one in two, four, eight … is kept."""

    def __init__(self) -> None:
        self._kept: list[tuple[int, int]] = []
        self._every, self._n = 1, 0
        self._last: tuple[int, int] | None = None

    def add(self, point: tuple[int, int]) -> None:
        if self._n % self._every == 0:
            self._kept.append(point)
        self._n += 1
        self._last = point
        if len(self._kept) > 2 * _POINTS:
            self._kept, self._every = self._kept[::2], 2 * self._every

    def points(self) -> list[tuple[int, int]]:
        is_last_kept = not self._kept or self._kept[-1] == self._last
        return list(self._kept) if is_last_kept or self._last is None else [*self._kept, self._last]


def _name(text: str) -> str:
    """Return a word without what a terminal would obey."""
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text[:_LONGEST_NAME])


def _limits(limits: RunLimits) -> dict[str, Any]:
    return dict(msgspec.to_builtins(limits))


def _shown(described: Any) -> str:
    """Name a criterion and its numbers, and the parts it is made of; no other words."""
    if not isinstance(described, dict) or not isinstance(described.get("is"), str):
        return _name(str(described) if isinstance(described, str) else "another criterion")
    parts = [_shown(part) for part in described.values() if isinstance(part, dict) and "is" in part]
    for key, part in described.items():
        if isinstance(part, int | float) and not isinstance(part, bool) and abs(part) < 1e15:
            parts.append(f"{_name(key)}={part:g}")
    return _name(f"{described['is']}({', '.join(parts)})" if parts else described["is"])
