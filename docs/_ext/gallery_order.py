"""The order of the gallery: that in which the guide names the examples."""

from __future__ import annotations

import re
from pathlib import Path

GUIDE = Path(__file__).parents[1] / "guide" / "index.md"


def in_order(filename: str) -> int:
    """Return the place of an example."""
    named = re.findall(r"examples/(\w+\.py)", GUIDE.read_text(encoding="utf-8"))
    return named.index(Path(filename).name)
