"""How lists, ranges and times are written."""

from __future__ import annotations

from sweepless._phrases import duration, ranges, shortened_list


def test_ranges_show_their_gaps() -> None:
    assert ranges([7, 1, 2, 3, 9]) == "1–3, 7, 9"
    assert ranges([]) == ""


def test_times_are_written_as_people_say_them() -> None:
    written = [duration(seconds) for seconds in (0.25, 42, 100, 3_725, 1e6)]
    assert written == ["0.2 s", "42 s", "1 min 40 s", "1 h 02 min", "277 h 46 min"]


def test_long_lists_are_cut() -> None:
    assert shortened_list([1, 2, 3], most=2) == "1, 2, …"
    assert shortened_list([1, 2], most=2) == "1, 2"
