"""The columns of a table: which one holds the labels, which are left out, and which cannot be features."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Sequence
from shlex import quote

from sweepless._nearest import or_nearest
from sweepless.data.files import PathLike
from sweepless.errors import DataError, InputError

LABEL_NAMES = ("class", "label", "target", "y")
_INDEX_NAMES = ("", "Unnamed: 0")  # what an index is called in a file that pandas wrote, and in one written from that
_LISTED = 8
_LOGGER = logging.getLogger("sweepless")


def label_column(path: PathLike, names: Sequence[str], label: str | int | None) -> int:
    """Find the label column: the one asked for, else the one with a usual name, else the last."""
    if isinstance(label, str):
        if label not in names:
            got = f"got columns {_listed(names)}{or_nearest(label, names)}"
            raise DataError(f"{path} must have the label column {label!r}, {got}")
        return names.index(label)
    if label is not None:
        return _position("label", label, len(names))
    for usual in LABEL_NAMES:
        for column, name in enumerate(names):
            if name.lower() == usual:
                return column
    _LOGGER.warning("%s: the last column is taken for the labels; `label` (--label) names another.", path)
    return len(names) - 1


def dropped_columns(path: PathLike, names: Sequence[str], drop: Sequence[str | int], label: int) -> set[int]:
    """Find the columns that are to be left out."""
    if isinstance(drop, str | int):
        raise InputError(f"`drop` must be a list of columns, got {drop!r}.")
    found: set[int] = set()
    for column in drop:
        if isinstance(column, str):
            if column not in names:
                got = f"got {column!r}{or_nearest(column, names)}"
                raise DataError(f"`drop` must name columns of {path}, which are {_listed(names)}, {got}")
            found.add(names.index(column))
        else:
            found.add(_position("drop", column, len(names)))
    if label in found:
        raise InputError(f"`drop` must not name the label column of {path}, got {names[label]!r}.")
    if len(found) >= len(names) - 1:
        raise InputError(f"`drop` must leave a feature of {path}, got all of its {len(names) - 1} columns.")
    return found


def is_index_name(name: str) -> bool:
    """Tell whether a first column of this name may number the rows."""
    return name in _INDEX_NAMES


def counts_rows(words: Iterable[str]) -> bool:
    """Tell whether words are 0, 1, 2 … (an index of pandas) or 1, 2, 3 … (row names of R)."""
    given = [word.strip() for word in words]
    return len(given) > 1 and any(given == [str(first + k) for k in range(len(given))] for first in (0, 1))


def say_index_left_out(path: PathLike, name: str) -> None:
    called = f"the column {name!r}" if name else "the first column, which has no name,"
    _LOGGER.warning("%s: %s is an index of the rows; it is left out.", path, called)


def refuse_words(path: PathLike, n_different: dict[int, int], names: Sequence[str] | None, n_rows: int) -> None:
    """Raise for columns without numbers, if there are any, and say how they can be left out.

    `n_different` says how many different values each of these columns has.
    """
    if not n_different:
        return
    named = {column: "" if names is None else names[column] for column in n_different}
    columns = [name or str(column) for column, name in named.items()]
    several = len(columns) > 1
    called = [repr(name) if name else f"column {column}" for column, name in named.items()]
    found_in = [
        f"{column} ({'all different, like an identifier' if count == n_rows > 1 else f'{count:,} different'})"
        for column, count in zip(called, n_different.values(), strict=True)
    ]
    more = f" and {len(found_in) - _LISTED} more columns" if len(found_in) > _LISTED else ""
    how = " ".join(f"--drop {quote(column)}" for column in columns[:_LISTED])
    raise DataError(
        f"{path} must hold numbers in all columns but the label, got others in {', '.join(found_in[:_LISTED])}{more}: "
        f"leave {'them' if several else 'it'} out ({how}; `drop` in Python and in specs), or write "
        f"{'them' if several else 'it'} as numbers."
    )


def _position(name: str, column: object, width: int) -> int:
    if not isinstance(column, int) or isinstance(column, bool) or not -width <= column < width:
        raise InputError(f"`{name}` must be a column index from {-width} to {width - 1}, got {column!r}.")
    return column % width


def _listed(names: Sequence[str]) -> str:
    """List the first few names."""
    return ", ".join(repr(name) for name in names[:_LISTED]) + (", …" if len(names) > _LISTED else "")
