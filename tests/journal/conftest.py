from __future__ import annotations

import pytest

from sweepless._versions import versions

VERSIONS = versions()


@pytest.fixture
def fine_grained(monkeypatch):
    """Rations of one value, each kept at once: everything that long runs do."""
    monkeypatch.setattr("sweepless.search.ledger._PAUSE", 0.0)
    monkeypatch.setattr("sweepless.journal.recording._PAUSE", 0.0)
    monkeypatch.setattr("sweepless.journal.recording._PAUSE_PER_VALUE", 0.0)
    monkeypatch.setattr("os.fsync", lambda file: None)  # nothing fails here but processes
    monkeypatch.setattr("sweepless.journal.header.versions", lambda: VERSIONS)  # read from the disk once
