"""A summary of a run from the records of its journal, in little memory."""

from __future__ import annotations

from collections import deque
from itertools import pairwise
from math import isfinite
from typing import Any

from sweepless.errors import JournalError
from sweepless.journal.lines import Record

_POINTS = 400  # points of a picture; the best one is always kept
_RECENT = 10.0  # seconds of the run over which the rate is computed
_LONGEST_NAME = 60


class View:
    """The state of a run, from the events in its journal.

    If a limit cut a step short, the best subset of that step appears only in the last record, and only if it is the
    best of all.
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

    def add(self, record: Record, number: int) -> None:
        """Add the next record, which is line `number` of the journal."""
        take_up = {
            "header": self._header,
            "resumed": self._resumed,
            "values": self._values,
            "step": self._step,
            "end": self._ended,
        }.get(record["kind"])
        if take_up is None:
            return
        try:
            take_up(record)
        except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
            raise JournalError(f"line {number} of a journal must hold a {record['kind']}, got: {error!r}.") from None

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON, with thinned curves."""
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
        """Return sizes and their best values; if there are many sizes, only the best of each stretch."""
        points = sorted(self._curve.items())
        if len(points) <= most:
            return points
        bounds = [k * len(points) // most for k in range(most + 1)]
        return [max(points[low:high], key=lambda point: point[1]) for low, high in pairwise(bounds)]

    @property
    def rate(self) -> float | None:
        """Recent evaluations per second."""
        if not self._recent:
            return None
        (began, before), (seconds, n_evaluations) = self._recent[0], self._recent[-1]
        if seconds <= began:
            return n_evaluations / seconds if seconds > 0 else None
        return (n_evaluations - before) / (seconds - began)

    # Records

    def _header(self, record: Record) -> None:
        settings, data = record["settings"], record["data"]
        method = settings["method"]
        self.run = {
            "method": _name(method if isinstance(method, str) else method["name"]),
            "criterion": _shown(record["criterion"]),
            "n_samples": _count(data["shape"][0]),
            "n_features": _count(data["shape"][1]),
            "target": None if settings["target"] is None else _count(settings["target"]),
            "seed": str(int(settings["seed"])),  # may be greater than any double
        }
        self._advances = {"ADD": "forward", "REMOVE": "backward"}[record["direction"]]
        self.limits = _limits(record["limits"])

    def _resumed(self, record: Record) -> None:
        self.limits = _limits(record["limits"])

    def _goes_on(self) -> None:
        if self.stop_reason is not None:
            self.stop_reason = None
            self.n_resumed += 1

    def _values(self, record: Record) -> None:
        self._goes_on()
        self.phase = _name(record["phase"])
        if "size" in record:  # the start
            self.size = _count(record["size"])
            self._best_of(record)
        self._clock(record)

    def _step(self, record: Record) -> None:
        self._goes_on()
        self.phase = direction = record["direction"]
        if direction not in ("forward", "backward", "recall"):
            raise ValueError(f"{str(direction)[:40]} for a direction")
        self.n_recalls += direction == "recall"
        self.n_advances += direction == self._advances
        self.n_retreats += direction not in ("recall", self._advances)
        self.size, self.value = _count(record["size"]), _number(record["value"])
        self._improves(self.size, self.value)
        self._best_of(record)
        self._clock(record)
        self._path.add((self.n_evaluations, self.size))

    def _ended(self, record: Record) -> None:
        self.stop_reason = _name(record["reason"])
        self.size = _count(record["size"])
        self._best_of(record)
        self._clock(record)

    # Derived values

    def _best_of(self, record: Record) -> None:
        if record["best_size"] is not None:
            self._improves(_count(record["best_size"]), _number(record["best_value"]))

    def _improves(self, size: int, value: float) -> None:
        """Keep a value if it is the best of its size."""
        if value <= self._curve.get(size, -float("inf")):
            return
        self._curve[size] = value
        if self.best is None or (value, -size) > (self.best[1], -self.best[0]):
            self.best = (size, value)

    def _clock(self, record: Record) -> None:
        self.seconds, self.n_evaluations = _number(record["seconds"]), _count(record["n_evaluations"])
        self._recent.append((self.seconds, self.n_evaluations))
        while len(self._recent) > 2 and self._recent[1][0] < self.seconds - _RECENT:
            self._recent.popleft()


class _Thinned:
    """A long series of points, of which every second, fourth, eighth … is kept."""

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


def _count(value: Any) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < 1 << 53:
        raise ValueError(f"{str(value)[:40]} for a count")
    return value


def _number(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not isfinite(value):
        raise ValueError(f"{str(value)[:40]} for a number")
    return float(value)


def _name(value: Any) -> str:
    """Return a word without control characters of a terminal."""
    if not isinstance(value, str):
        raise TypeError(f"{str(value)[:40]} for a name")
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in value[:_LONGEST_NAME])


def _limits(given: Any) -> dict[str, Any]:
    return {_name(name): None if value is None else _number(value) for name, value in given.items()}


def _shown(described: Any) -> str:
    """Return the name of a criterion with its numbers and parts, and no other text."""
    if not isinstance(described, dict):
        return _name(described).rpartition(".")[2]
    name = _name(described["is"]).rpartition(".")[2]
    parts = [_shown(part) for part in described.values() if isinstance(part, dict) and "is" in part]
    for key, part in described.items():
        if isinstance(part, int | float) and not isinstance(part, bool):
            parts.append(f"{_name(key)}={_number(part):g}")
    return _name(f"{name}({', '.join(parts)})" if parts else name)
