"""Files that the readers of the paper's collections read, written as those of the other readers are."""

from __future__ import annotations

from tests.data.conftest import table_strategy as table_strategy
from tests.data.conftest import write as write
