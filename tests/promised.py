"""What a test needs and may not be there: it is skipped, except where the environment promises it, as CI does."""

from __future__ import annotations

import os
from typing import NoReturn

import pytest


def missing(promise: str, why: str) -> NoReturn:
    """Skip, or fail where the variable `promise` is set."""
    if os.environ.get(promise):
        pytest.fail(f"{promise} is set, but {why}", pytrace=False)
    pytest.skip(why)
