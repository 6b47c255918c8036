"""What people want to know of a run, from the records of its journal, in little memory."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from itertools import pairwise
from math import isfinite
from typing import Any

from sweepless.errors import JournalError
from sweepless.journal.encoding import unpacked
from sweepless.journal.lines import Record

_POINTS = 400  # of a picture; the best one is always among them
_RECENT = 10.0  # seconds of the run over which its rate is taken
_LONGEST_NAME = 60


@dataclass(frozen=True)
class _Found:
    """A step of which it is not known yet whether it is taken."""

    direction: str
    size: int  # after it
    value: float
    n_evaluations: int
    improves: bool  # on the record of that size


class View:
    """A run as told so far.

    Best values are those of all steps found: what a schedule declines does not beat the record of its size. The best
    subset of a step that a limit cut short is known only from the end of the run, and only if it is the best of all.
    """

    def __init__(self) -> None:
        self.run: dict[str, Any] | None = None  # None before the header
        self.limits: dict[str, Any] = {}
        self.stop_reason: str | None = None
        self.phase = ""  # what the evaluations are for
        self.size = self.n_evaluations = self.n_resumed = 0
        self.value: float | None = None
        self.seconds = 0.0
        self.n_advances = self.n_retreats = self.n_recalls = self.n_declined = 0
        self.best: tuple[int, float] | None = None
        self._curve: dict[int, float] = {}
        self._path = _Thinned()
        self._start: float | None = None
        self._found: _Found | None = None
        self._taken = 0
        self._recent: deque[tuple[float, int]] = deque(maxlen=256)
        self._advances, self._recalls = "forward", False

    def add(self, record: Record, number: int) -> None:
        """Take up the next record, which stands in line `number`."""
        tell = {
            "header": self._header,
            "resumed": self._resumed,
            "values": self._values,
            "step": self._step,
            "end": self._ended,
        }.get(record["kind"])
        if tell is None:
            return
        try:
            tell(record)
        except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
            raise JournalError(f"line {number} of a journal must hold a {record['kind']}, got: {error!r}.") from None

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
            "n_declined": self.n_declined,
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

    def _header(self, record: Record) -> None:
        run, data = record["run"], record["data"]
        method = run["method"]
        self.run = {
            "method": _name(method["name"]),
            "criterion": _shown(run["criterion"]),
            "n_samples": _count(data["shape"][0]),
            "n_features": _count(data["shape"][1]),
            "target": None if run["target"] is None else _count(run["target"]),
            "seed": str(int(run["rng"]["seed"])),  # may be more than a double holds
        }
        self._advances = {"ADD": "forward", "REMOVE": "backward"}[method["direction"]]
        self._recalls = method["schedule"] == "sweepless.search.schedules.adaptive_floating"
        self.limits = _limits(record["limits"])

    def _resumed(self, record: Record) -> None:
        self.limits = _limits(record["limits"])

    def _goes_on(self) -> None:
        if self.stop_reason is not None:
            self.stop_reason = None
            self.n_resumed += 1

    def _values(self, record: Record) -> None:
        self._goes_on()
        self.phase = _name(record["account"])
        if self.phase == "start" and "values" in record:
            self._start = _number(unpacked(record["values"])[0])
        self._clock(record, self.n_evaluations + _count(record["n_values"]))

    def _step(self, record: Record) -> None:
        self._goes_on()
        size, direction = _count(record["size"]), record["direction"]
        sign = {"forward": 1, "backward": -1}[direction]
        if self._start is not None:
            self._improves(size, self._start)
            self.value, self._start = self._start, None
        self._settle(_count(record["taken"]), size)
        self.phase = direction
        self._clock(record, _count(record["anatomy"]["total"]))
        if record["features"] is not None:
            size, value = _count(size + sign * len(record["features"])), _number(record["value"])
            self._found = _Found(direction, size, value, self.n_evaluations, self._improves(size, value))

    def _ended(self, record: Record) -> None:
        self.stop_reason = _name(record["reason"])
        if "taken" in record:
            self._settle(_count(record["taken"]), _count(record["size"]))
        else:  # older journals do not tell
            self._settle(None, None)
        if record["best_size"] is not None:
            self._improves(_count(record["best_size"]), _number(record["best_value"]))
        self._clock(record, _count(record["n_evaluations"]))

    # What follows from them

    def _settle(self, n_taken: int | None, size: int | None) -> None:
        """Count the step found last as taken or declined, which is known when the search has gone on, from `size`."""
        found, self._found = self._found, None
        is_taken = False
        if found is not None:
            ahead = found.direction == self._advances
            is_taken = (found.improves or ahead) if n_taken is None else n_taken > self._taken
            is_taken &= found.improves or not self._recalls
        if found is not None and is_taken:
            self.n_advances, self.n_retreats = self.n_advances + ahead, self.n_retreats + (not ahead)
            self.size, self.value = found.size, found.value
            self._path.add((found.n_evaluations, found.size))
        self.n_declined += found is not None and not is_taken
        if n_taken is None or size is None:
            return
        if n_taken > self._taken + is_taken:  # what else is taken is the record of a size
            self.n_recalls += n_taken - self._taken - is_taken
            self.value = self._curve.get(size)
            self._path.add((self.n_evaluations, size))
        self._taken, self.size = n_taken, size

    def _improves(self, size: int, value: float) -> bool:
        """Keep a value if it is the best of its size, and tell whether it is."""
        if value <= self._curve.get(size, -float("inf")):
            return False
        self._curve[size] = value
        if self.best is None or (value, -size) > (self.best[1], -self.best[0]):
            self.best = (size, value)
        return True

    def _clock(self, record: Record, n_evaluations: int) -> None:
        self.seconds, self.n_evaluations = _number(record["seconds"]), n_evaluations
        self._recent.append((self.seconds, n_evaluations))
        while len(self._recent) > 2 and self._recent[1][0] < self.seconds - _RECENT:
            self._recent.popleft()


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


def _count(value: Any) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < 1 << 53:
        raise ValueError(f"{str(value)[:40]} for a count")
    return value


def _number(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not isfinite(value):
        raise ValueError(f"{str(value)[:40]} for a number")
    return float(value)


def _name(value: Any) -> str:
    """Return a word without what a terminal would obey."""
    if not isinstance(value, str):
        raise TypeError(f"{str(value)[:40]} for a name")
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in value[:_LONGEST_NAME])


def _limits(given: Any) -> dict[str, Any]:
    return {_name(name): None if value is None else _number(value) for name, value in given.items()}


def _shown(described: Any) -> str:
    """Name a criterion and its numbers, and the parts it is made of; no other words."""
    if not isinstance(described, dict):
        return _name(described).rpartition(".")[2]
    name = _name(described["is"]).rpartition(".")[2]
    parts = [_shown(part) for part in described.values() if isinstance(part, dict) and "is" in part]
    for key, part in described.items():
        if isinstance(part, int | float) and not isinstance(part, bool):
            parts.append(f"{_name(key)}={_number(part):g}")
    return _name(f"{name}({', '.join(parts)})" if parts else name)
