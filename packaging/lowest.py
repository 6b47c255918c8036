"""Print the lowest version of every package that pyproject.toml claims to work with, as constraints for pip."""

from __future__ import annotations

import tomllib
from pathlib import Path

EXTRAS = ("plots", "reports", "progress", "serve", "dask", "text", "parquet", "csv", "dev")
TOOLS = ("ruff", "mypy", "import-linter", "build", "bandit", "codespell", "coverage", "playwright")  # not of users

if __name__ == "__main__":
    project = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    for requirement in [*project["dependencies"], *(line for extra in EXTRAS for line in extras[extra])]:
        name, least, version = requirement.partition(">=")
        if least and not name.startswith(TOOLS):
            print(f"{name}=={version}")
