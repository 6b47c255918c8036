"""Check that everything that sweepless installs has a licence that lets everybody use it."""

from __future__ import annotations

import re
import sys
import tomllib
from importlib.metadata import PackageNotFoundError, metadata
from pathlib import Path

ALLOWED = re.compile(r"BSD|MIT|Apache|PSF|Python Software|ISC|MPL|Mozilla|Zlib|Unlicense|HPND", re.IGNORECASE)


def licence(package: str) -> str:
    """Return what a package says about its licence: an expression, classifiers, or the first line of a text."""
    found = metadata(package)
    classifiers = [line for line in found.get_all("Classifier", []) if line.startswith("License")]
    text = (found.get("License") or "").strip().partition("\n")[0]
    return found.get("License-Expression") or "; ".join(classifiers) or text


if __name__ == "__main__":
    project = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    wanted = project["dependencies"] + [line for name in extras["all"][0][10:-1].split(",") for line in extras[name]]
    refused = []
    for package in sorted({re.split(r"[>=\[]", line)[0] for line in wanted}):
        try:
            if not ALLOWED.search(licence(package)):
                refused.append(f"{package}: {licence(package)[:80] or 'says nothing'}")
        except PackageNotFoundError:
            refused.append(f"{package}: not installed, so that its licence is not known")
    sys.exit("\n".join(refused) or 0)
