from __future__ import annotations

from pathlib import Path

import pytest

from sweepless.runs import parse_spec, run_campaign
from tests.runs.quick_campaign import SPEC, rows_of


@pytest.fixture(scope="session")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of the quick spec that nothing happened to."""
    path = tmp_path_factory.mktemp("campaign") / "undisturbed"
    run_campaign(parse_spec(SPEC), path)
    return path


@pytest.fixture(scope="session")
def expected(undisturbed: Path) -> dict[str, bytes]:
    return rows_of(undisturbed)


@pytest.fixture()
def spec_file(tmp_path: Path) -> Path:
    path = tmp_path / "spec.toml"
    path.write_text(SPEC, encoding="utf-8")
    return path
