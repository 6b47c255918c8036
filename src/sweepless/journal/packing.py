"""Arrays as text: exact, and short."""

from __future__ import annotations

import zlib
from base64 import b64decode, b64encode
from itertools import pairwise
from typing import Any

import numpy as np

from sweepless._typing import AnyArray, Features, Values
from sweepless.errors import JournalError


def packed(values: Values) -> str:
    """Write doubles as base64 of their little-endian bytes: exact, a few nanoseconds each."""
    return b64encode(values.astype("<f8").tobytes()).decode()


def unpacked(text: Any) -> Values:
    data = _decoded(text)
    if len(data) % 8:
        raise JournalError(f"packed values must take 8 bytes each, got {len(data)} bytes.")
    return np.frombuffer(data, dtype="<f8").astype(np.float64)


def zipped(array: AnyArray) -> dict[str, str]:
    """Write an array that may be long and repeat itself."""
    plain = array.astype(array.dtype.newbyteorder("<"), copy=False)
    return {"dtype": plain.dtype.str, "zip": b64encode(zlib.compress(plain.tobytes(), 1)).decode()}


def unzipped(given: Any, like: AnyArray) -> AnyArray:
    """Read an array of a known type and shape; nothing longer is unpacked."""
    dtype = like.dtype.newbyteorder("<")
    if not isinstance(given, dict) or given.get("dtype") != dtype.str:
        raise JournalError(f"a packed array must hold {dtype.str}, got {str(given)[:40]}.")
    try:
        data = zlib.decompressobj().decompress(_decoded(given.get("zip")), like.nbytes + 1)
    except zlib.error as error:
        raise JournalError(f"a packed array must be readable, got: {error}.") from None
    if len(data) != like.nbytes:
        raise JournalError(f"a packed array must hold {like.nbytes} bytes, got {len(data)} or more.")
    return np.frombuffer(data, dtype=dtype).reshape(like.shape).astype(like.dtype)


def as_ranges(features: Features) -> str:
    """Write ascending feature numbers as people do: 0-3,7."""
    if len(features) == 0:
        return ""
    gaps = np.flatnonzero(np.diff(features) > 1) + 1
    bounds = [0, *gaps.tolist(), len(features)]
    parts = ((int(features[first]), int(features[last - 1])) for first, last in pairwise(bounds))
    return ",".join(str(low) if low == high else f"{low}-{high}" for low, high in parts)


def from_ranges(text: Any, n_features: int) -> Features:
    """Read feature numbers below `n_features`."""
    if text == "":
        return np.empty(0, dtype=np.intp)
    try:
        bounds = [tuple(map(int, part.split("-"))) for part in text.split(",")]
        low, high = np.array([(part[0], part[-1]) for part in bounds], dtype=np.intp).T
    except (AttributeError, ValueError, OverflowError):
        raise JournalError(f"features must be listed as 0-3,7, got {str(text)[:40]!r}.") from None
    if np.any(low > high) or np.any(low[1:] <= high[:-1]) or not 0 <= low[0] <= high[-1] < n_features:
        raise JournalError(f"features must ascend from 0 to {n_features - 1}, got {text[:40]!r}.")
    return np.concatenate([np.arange(first, last + 1) for first, last in zip(low, high, strict=True)])


def _decoded(text: Any) -> bytes:
    try:
        return b64decode(text, validate=True)
    except (TypeError, ValueError) as error:
        raise JournalError(f"a packed array must be base64, got: {error}.") from None
