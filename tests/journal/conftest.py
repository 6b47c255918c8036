from __future__ import annotations

import pytest


@pytest.fixture
def fine_grained(monkeypatch):
    """Blocks of one value, each kept at once, and a snapshot every few steps: everything that long runs do."""
    monkeypatch.setattr("sweepless.search.walk._PAUSE", 0.0)
    monkeypatch.setattr("sweepless.journal.journal._PAUSE", 0.0)
    monkeypatch.setattr("sweepless.journal.journal._PAUSE_PER_VALUE", 0.0)
    monkeypatch.setattr("sweepless.journal.snapshots._FEW", 3)
    monkeypatch.setattr("sweepless.journal.snapshots._AGAIN", 0.0)
    monkeypatch.setattr("sweepless.journal.snapshots._AGAIN_SHARE", 0.0)
    monkeypatch.setattr("sweepless.journal.snapshots._SPARED", 0.0)
    monkeypatch.setattr("os.fsync", lambda file: None)  # nothing fails here but processes
