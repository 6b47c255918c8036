"""The history of the benchmark: one line per version and machine, and a page made of the lines."""

from __future__ import annotations

import history

ROWS = [
    {"work": "a step", "ours_ms": 2.0, "ratio": 150.4, "peer": "another", "peer_ms": 300.8},
    {"work": "b", "ours_ms": 7.5},
]


def test_a_version_has_one_line_per_machine(tmp_path, monkeypatch):
    path = tmp_path / "history.jsonl"
    monkeypatch.setattr(history, "_git", lambda *_: "abc 2026-01-01")
    history.append(ROWS, path)
    history.append([ROWS[1] | {"ours_ms": 5.0}], path)
    assert [each["ms"] for each in history.read(path)] == [{"b": 5.0}]
    monkeypatch.setattr(history, "machine", lambda: "another one")
    history.append(ROWS, path)
    assert [each["ratio"] for each in history.read(path)] == [{}, {"a step": 150.4}]


def test_the_page_shows_every_line_and_has_a_picture(tmp_path):
    lines = [history.line(ROWS[1:], "1", "2026-01-01", "m"), history.line(ROWS, "2", "2026-01-02", "m")]
    page = tmp_path / "history.md"
    history.write_page(lines, page)
    text = page.read_text()
    assert "| a step |  | 150 |" in text
    assert "| b | 7.5 | 7.5 |" in text
    assert "a step" in page.with_suffix(".svg").read_text()
