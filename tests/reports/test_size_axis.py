"""The axis of sizes shows what arms have in common."""

from __future__ import annotations

from sweepless.reports.run_charts import _size_limits


def test_a_size_that_only_one_arm_tells_of_does_not_press_the_others_together() -> None:
    limits, said = _size_limits([[100, 300, 5000], [1, 2, 100, 300, 320], [1, 2, 100, 300, 320]])
    assert limits is not None
    low, high = limits
    assert low < 1
    assert 320 < high < 340
    assert "5,000" in said


def test_all_sizes_are_shown_where_they_are_alike_or_of_one_arm() -> None:
    for sizes in ([[1, 2, 3], [1, 2, 3, 4]], [[1, 5000]], [[1], [100]]):
        assert _size_limits(sizes) == (None, "")
