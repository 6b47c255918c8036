"""Numbers and labels out of words, with the position of the first one that is neither."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import NoReturn

import numpy as np

from sweepless._typing import AnyArray, Values
from sweepless.data.files import PathLike
from sweepless.errors import DataError

_MISSING = frozenset({"", "?", "na", "n/a", "nan", "null", "none", "-"})
_INTEGER = re.compile(r"[+-]?[0-9]+")


class NotANumber(DataError):
    """A word stands where a number should."""


Place = Callable[[int], str]
"""Says where the word of a given position stands, for an error message."""


def on_line(path: PathLike, line: int, what: str) -> Place:
    """Call the words of a line value 1, value 2 … or whatever they are."""
    return lambda position: f"{path}, line {line}, {what} {position + 1}"


def is_missing(word: str) -> bool:
    """Tell whether a word is one of the usual marks of a missing value."""
    return word.strip().lower() in _MISSING


def is_number(word: str) -> bool:
    """Tell whether a word is written as a number, finite or not."""
    try:
        float(word)
    except ValueError:
        return False
    return "_" not in word


def parse_numbers(words: Sequence[str], place: Place) -> Values:
    """Turn words into finite numbers."""
    try:
        values = np.fromiter(map(float, words), dtype=np.float64, count=len(words))
    except ValueError:
        _raise_first_bad(words, place)
    # Python reads 1_000 as a thousand; a data file never means that.
    if not np.isfinite(values).all() or "_" in "".join(words):
        _raise_first_bad(words, place)
    return values


def parse_float32(words: Sequence[str], place: Place) -> Values:
    """Turn words into the nearest 32-bit numbers, rounded once, and widen them."""
    wide = parse_numbers(words, place)
    with np.errstate(over="ignore", under="ignore"):
        narrow = wide.astype(np.float32)
    if not np.isfinite(narrow).all():
        position = int(np.flatnonzero(~np.isfinite(narrow))[0])
        raise DataError(f"{place(position)}: a value must fit a 32-bit float, got {words[position]!r}.")
    result = narrow.astype(np.float64)
    inexact = np.flatnonzero(result != wide)
    if len(inexact):
        # A word just beside the middle of two 32-bit numbers may have become the middle on its way
        # through 64 bits; the word itself then says which of the two is nearer.
        beyond = np.where(wide > result, np.float32(np.inf), np.float32(-np.inf)).astype(np.float32)
        other = np.nextafter(narrow, beyond).astype(np.float64)
        for position in inexact[(result + (other - result) / 2 == wide)[inexact]].tolist():
            exact, middle = Decimal(words[position].strip()), Decimal(float(wide[position]))
            low, high = sorted((float(result[position]), float(other[position])))
            if exact != middle:
                result[position] = high if exact > middle else low
    return result


def parse_labels(words: Sequence[str], place: Place) -> AnyArray:
    """Turn words into integer labels if all are whole numbers, else into reals, else keep them as text."""
    for position, word in enumerate(words):
        if not word.strip():
            raise DataError(f"{place(position)}: a label must not be empty, got an empty cell.")
    if all(_INTEGER.fullmatch(word.strip()) for word in words):
        try:
            return np.array([int(word) for word in words], dtype=np.int64)
        except (OverflowError, ValueError):
            return np.array([word.strip() for word in words])
    if all(is_number(word) for word in words):
        return whole_if_possible(parse_numbers(words, place))
    return np.array([word.strip() for word in words])


def whole_if_possible(labels: AnyArray) -> AnyArray:
    """Turn real labels that are all whole into integers, so that they count as classes."""
    if labels.dtype.kind == "f" and bool(np.all((labels == np.trunc(labels)) & (np.abs(labels) < 2.0**53))):
        return labels.astype(np.int64)
    return labels


def _raise_first_bad(words: Sequence[str], place: Place) -> NoReturn:
    """Name the first word that is not a finite number."""
    for position, word in enumerate(words):
        if not word.strip():
            raise DataError(f"{place(position)}: a value must be a finite number, got an empty cell.")
        if not is_number(word) or not np.isfinite(float(word)):
            raise NotANumber(f"{place(position)}: a value must be a finite number, got {word.strip()!r}.")
    raise AssertionError("unreachable: called without a bad word")
