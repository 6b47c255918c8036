"""Fields of JSON records, checked one by one, so that whatever is wrong is named with its file."""

from __future__ import annotations

import json
import math
import stat
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from sweepless.errors import DataError

Kind = Callable[[Any], Any]  # returns the value, or raises TypeError with what is allowed
_REQUIRED: Any = object()


class Fields:
    """A JSON object with its place, so that whatever is wrong can be named."""

    def __init__(self, file: Path, values: Any, place: str = "") -> None:
        self.file, self.place = file, place
        if not isinstance(values, dict):
            raise DataError(f"{file}: {place or 'it'} must be a record, got {_brief(values)}.")
        self.values: dict[Any, Any] = values

    def get(self, key: str | int, kind: Kind, default: Any = _REQUIRED) -> Any:
        value = self.values.get(key, default)
        if value is _REQUIRED:
            raise DataError(f"{self.file}: {self.place or 'it'} must have `{key}`, got none.")
        return value if key not in self.values else self.checked(key, kind, value)

    def list(self, key: str) -> Sequence[Any]:
        found: Sequence[Any] = self.get(key, a_list)
        return found

    def checked(self, key: str | int, kind: Kind, value: Any) -> Any:
        try:
            return kind(value)
        except TypeError as allowed:
            raise self.wrong(key, str(allowed), value) from None

    def wrong(self, key: str | int, allowed: str, value: Any) -> DataError:
        where = f"{self.place}: " if self.place else ""
        return DataError(f"{self.file}: {where}`{key}` must be {allowed}, got {_brief(value)}.")


def a_whole(value: Any) -> int:
    if type(value) is not int or abs(value) >= 1 << 63:
        raise TypeError("a whole number")
    return value


def a_truth(value: Any) -> bool:
    if type(value) is not bool:
        raise TypeError("true or false")
    return value


def a_number(value: Any) -> float:
    try:
        if type(value) in (int, float) and math.isfinite(value):
            return float(value)
    except OverflowError:  # an integer of hundreds of digits
        pass
    raise TypeError("a finite number")


def a_text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError("text")
    return value


def texts(value: Any) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(text, str) for text in value):
        raise TypeError("a list of texts")
    return tuple(value)


def a_list(value: Any) -> Any:
    if not isinstance(value, list):
        raise TypeError("a list")
    return value


def a_mapping(value: Any) -> Any:
    if not isinstance(value, dict):
        raise TypeError("a record")
    return value


def optional(kind: Kind) -> Kind:
    return lambda value: None if value is None else kind(value)


def read_text(file: Path) -> str:
    """Read a regular file as UTF-8."""
    try:
        if not stat.S_ISREG(file.stat().st_mode):  # a FIFO would keep its reader waiting
            raise DataError(f"{file} must be a regular file, got something else.")
        return file.read_bytes().decode()
    except UnicodeDecodeError as error:
        raise DataError(f"{file} must be UTF-8 text, got byte {error.object[error.start]:#x}.") from None
    except OSError as error:
        raise DataError(f"{file} could not be read: {error.strerror or error}.") from None


def parsed(file: Path, text: str) -> Any:
    """Parse JSON, whatever it may be."""
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        reason = f"{error.msg} at line {error.lineno}, column {error.colno}"
    except ValueError:
        reason = "a number of thousands of digits"
    except RecursionError:
        reason = "too many brackets inside each other"
    raise DataError(f"{file} must be JSON, got something else: {reason}.")


def _brief(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}…"
