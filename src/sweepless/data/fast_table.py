"""Large tables of numbers by polars, where it is installed and finds nothing to complain about."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from sweepless._typing import Values
from sweepless.data.numbers import is_number

_LARGE = 1 << 22  # characters that take our own reader longer than it takes to import polars


def fast_table(
    text: str, n_lines: int, width: int, label: int, features: Sequence[int], delimiter: str
) -> tuple[Values, list[str]] | None:
    """Return values and labels of the rows behind the first `n_lines`, or None if there is anything to look at closely.

    Whatever is missing, not a number, not finite, or too many or too few in a row is left to the reader that says where
    it stands; so are quotes in labels.
    """
    if len(text) < _LARGE or not delimiter.isascii() or (polars := _polars()) is None:
        return None
    start = 0
    for _ in range(n_lines):
        start = text.find("\n", start) + 1 or len(text)
    types = dict.fromkeys(map(str, range(width)), polars.String)
    types.update(dict.fromkeys(map(str, features), polars.Float64))
    try:
        table = polars.read_csv(
            text[start:].encode(), has_header=False, separator=delimiter, schema=types, raise_if_empty=True
        )
    except (polars.exceptions.PolarsError, OSError):
        return None
    words: list[str | None] = table[str(label)].to_list()
    labels = [word for word in words if word is not None and _is_plain(word)]
    values: Values = table.select([str(k) for k in features]).to_numpy()
    if len(labels) < len(words) or values.dtype != np.float64 or not np.isfinite(values).all():
        return None
    return values, labels


def _is_plain(word: str) -> bool:
    return bool(word.strip()) and '"' not in word and (not is_number(word) or math.isfinite(float(word)))


def _polars() -> Any:
    try:
        import polars
    except ImportError:
        return None
    return polars
