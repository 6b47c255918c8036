"""Arrays as text: exact, and short."""

from __future__ import annotations

import zlib
from base64 import b64decode, b64encode
from binascii import b2a_base64
from itertools import pairwise
from typing import Any

import numpy as np

from sweepless._typing import AnyArray, Features, Values
from sweepless.errors import JournalError

_SEVERAL = 8  # an array is told as a whole where more than one entry in so many differs
_SAMPLE, _SHRUNK = 1 << 14, 0.3


def packed(values: Values) -> str:
    """Write doubles as base64 of their little-endian bytes: exact, a few nanoseconds each."""
    return b2a_base64(values.astype("<f8", copy=False).tobytes(), newline=False).decode()


def unpacked(text: Any) -> Values:
    data = _decoded(text)
    if len(data) % 8:
        raise JournalError(f"packed values must take 8 bytes each, got {len(data)} bytes.")
    return np.frombuffer(data, dtype="<f8").astype(np.float64)


def packed_numbers(features: Features) -> str:
    """Write feature numbers in their order, as base64 of little-endian integers of 4 bytes."""
    return b2a_base64(features.astype("<i4").tobytes(), newline=False).decode()


def unpacked_numbers(text: Any, n_features: int) -> Features:
    """Read feature numbers below `n_features`."""
    data = _decoded(text)
    if len(data) % 4:
        raise JournalError(f"packed features must take 4 bytes each, got {len(data)} bytes.")
    features = np.frombuffer(data, dtype="<i4").astype(np.intp)
    if len(features) and not 0 <= features.min() <= features.max() < n_features:
        raise JournalError(f"features must be from 0 to {n_features - 1}, got {features.min()} to {features.max()}.")
    return features


def zipped(array: AnyArray, base: AnyArray | None = None) -> dict[str, str]:
    """Write an array that may be long and repeat itself; or how it differs from one of the same kind, if that is short.

    If few entries differ, these are told (`at`, as distances, and `now`); of integers, all of which may have been
    counted up alike, the differences are (`more`).
    """
    plain = array.astype(array.dtype.newbyteorder("<"), copy=False)
    told = {"dtype": plain.dtype.str}
    if base is not None:
        bits = np.dtype(f"u{plain.itemsize}")
        at = np.flatnonzero(plain.view(bits) != base.view(bits))
        if len(at) * _SEVERAL <= array.size:
            steps = np.diff(at, prepend=0).astype("<i4")
            return told | {"at": _zip(steps), "now": _zip(plain.ravel()[at])}
        if plain.dtype.kind in "iu":
            return told | {"more": _zip(plain - base)}
    return told | {"zip": _zip(plain)}


def unzipped(given: Any, like: AnyArray, base: AnyArray | None = None) -> AnyArray:
    """Read an array of a known type and shape; nothing longer is unpacked."""
    dtype = like.dtype.newbyteorder("<")
    if not isinstance(given, dict) or given.get("dtype") != dtype.str:
        raise JournalError(f"a packed array must hold {dtype.str}, got {str(given)[:40]}.")
    if "zip" in given:
        return _unzip(given["zip"], dtype, like.size).reshape(like.shape).astype(like.dtype)
    if base is None:
        raise JournalError("a packed array must be whole where it is the first, got differences.")
    if "more" in given:
        array = base.copy()
        array += _unzip(given["more"], dtype, like.size).reshape(like.shape)
        return array
    at = np.cumsum(_unzip(given.get("at"), np.dtype("<i4"), like.size, exactly=False), dtype=np.intp)
    if len(at) and not 0 <= at.min() <= at.max() < like.size:
        raise JournalError(f"a packed array must have entries from 0 to {like.size - 1}, got others.")
    array = base.copy()
    array.ravel()[at] = _unzip(given.get("now"), dtype, len(at))
    return array


def _zip(array: AnyArray) -> str:
    """Compress what shrinks well, as a sample tells: noise would take a hundred times as long as to copy it."""
    data = array.tobytes()
    middle = len(data) // 2
    sample = data[middle : middle + _SAMPLE]
    shrinks = len(zlib.compress(sample, 1)) <= _SHRUNK * len(sample)
    return b64encode(zlib.compress(data, 1 if shrinks else 0)).decode()


def _unzip(text: Any, dtype: np.dtype[Any], size: int, *, exactly: bool = True) -> AnyArray:
    most = size * dtype.itemsize
    try:
        data = zlib.decompressobj().decompress(_decoded(text), most + 1)
    except zlib.error as error:
        raise JournalError(f"a packed array must be readable, got: {error}.") from None
    if len(data) > most or len(data) % dtype.itemsize or (exactly and len(data) != most):
        raise JournalError(f"a packed array must hold {most} bytes, got {len(data)} or more.")
    return np.frombuffer(data, dtype=dtype)


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
