"""Checks for your own criteria, proposals and statistics, to be run in your tests.

>>> from sweepless.testing import check_criterion
>>> check_criterion(MyCriterion(), my_dataset)  # doctest: +SKIP

A check passes silently or raises an AssertionError that names the broken law. No test runner is needed.
"""

from __future__ import annotations

from sweepless.testing.criterion import check_criterion
from sweepless.testing.proposal import check_proposal
from sweepless.testing.statistics import check_statistics

__all__ = ["check_criterion", "check_proposal", "check_statistics"]
