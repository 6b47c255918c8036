"""Names for the types of arrays that modules exchange."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Features: TypeAlias = NDArray[np.intp]
"""Feature indices 0..D-1: a vector of single features, or one tuple of features per row."""

Mask: TypeAlias = NDArray[np.bool_]
Values: TypeAlias = NDArray[np.float64]
Counts: TypeAlias = NDArray[np.int64]
AnyArray: TypeAlias = NDArray[Any]
