"""Print the lowest version of every package that pyproject.toml claims to work with, as constraints for pip."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

EXTRAS = ("plots", "reports", "progress", "serve", "dask", "text", "parquet", "dev")
TOOLS = ("ruff", "mypy", "import-linter", "build", "bandit", "codespell", "coverage", "playwright")  # no test needs old ones

if __name__ == "__main__":
    project = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    for requirement in [*project["dependencies"], *(line for extra in EXTRAS for line in extras[extra])]:
        name, least, version = re.split(r"(>=)", requirement)[:3] if ">=" in requirement else (requirement, "", "")
        if least and not name.startswith(TOOLS):
            print(f"{name}=={version}")
