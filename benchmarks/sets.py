"""The benchmark sets: known by name once this is imported, and where they are."""

from __future__ import annotations

import os
from pathlib import Path

import sweepless.paper  # noqa: F401 - adds its data sets to `load`


def find_data() -> str:
    """Return where the benchmark data are: SWEEPLESS_DATA, or shared/data beside the checkout."""
    beside = Path(__file__).resolve().parents[2] / "shared" / "data"
    return os.environ.get("SWEEPLESS_DATA") or str(beside)
