"""Small files to read, and tables to write into them."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import strategies as st

Write = Callable[[str, str | bytes], Path]


@pytest.fixture(scope="module")
def write(tmp_path_factory: pytest.TempPathFactory) -> Write:
    """Write a file, gzipped if its name says so."""
    directory = tmp_path_factory.mktemp("files")

    def writer(name: str, content: str | bytes) -> Path:
        raw = content.encode() if isinstance(content, str) else content
        path = directory / name
        path.write_bytes(gzip.compress(raw) if name.endswith(".gz") else raw)
        return path

    return writer


@st.composite
def tables(draw, elements=None, n_classes=3):
    """Draw a small matrix and class numbers."""
    n_samples, n_features = draw(st.integers(1, 6)), draw(st.integers(1, 5))
    if elements is None:
        elements = st.floats(allow_nan=False, allow_infinity=False)
    row = st.lists(elements, min_size=n_features, max_size=n_features)
    X = draw(st.lists(row, min_size=n_samples, max_size=n_samples))
    codes = draw(st.lists(st.integers(0, n_classes - 1), min_size=n_samples, max_size=n_samples))
    return np.array(X, dtype=np.float64), np.array(codes)


@pytest.fixture(scope="session")
def table_strategy():
    """Give tests the strategy without an import between test files."""
    return tables
