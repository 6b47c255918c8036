"""The page: one document with its own style and script, and a policy under which nothing else can run."""

from __future__ import annotations

from base64 import b64encode
from functools import cache
from hashlib import sha256
from pathlib import Path

_HOME = Path(__file__).parent


@cache
def _part(name: str) -> str:
    return (_HOME / name).read_text(encoding="utf-8")


def page() -> str:
    """Return the document."""
    return _part("page.html").replace("/*style*/", _part("page.css")).replace("/*script*/", _part("page.js"))


def content_policy() -> str:
    """Return the policy that lets a browser run this script, apply this style and ask this server, and no more."""
    rules = {
        "default-src": "'none'",
        "script-src": _hash("page.js"),
        "style-src": _hash("page.css"),
        "connect-src": "'self'",
        "img-src": "data:",  # the sign of the tab
        "base-uri": "'none'",
        "form-action": "'none'",
        "frame-ancestors": "'none'",
    }
    return "; ".join(f"{name} {allowed}" for name, allowed in rules.items())


def _hash(name: str) -> str:
    return f"'sha256-{b64encode(sha256(_part(name).encode()).digest()).decode()}'"
