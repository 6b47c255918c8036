"""Raise errors that name the broken law."""

from __future__ import annotations

import numpy as np

from sweepless._typing import Values


def require(kept: bool, law: str) -> None:
    if not kept:
        raise AssertionError(f"{law}.")


def require_same(values: Values | list[float], expected: Values | list[float], law: str, where: str) -> None:
    require(
        np.array_equal(values, expected),
        f"{law}, got {np.asarray(values).tolist()} for {np.asarray(expected).tolist()} {where}",
    )
