"""What a command prints: text for people, or with `--json -` one JSON object and nothing else."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Mapping, Sequence
from typing import Any

from sweepless._writing import require_writable, write_whole

SCHEMA = 1
"""Grows when a key of an object disappears or changes its meaning; new keys may come at any time."""


def add_json(parser: Any) -> None:
    parser.add_argument("--json", metavar="FILE|-", help="write the result as one JSON object; - prints it, alone")


def require_json(parsed: argparse.Namespace) -> None:
    """Raise if what `--json` names cannot be written: asked before the work."""
    if parsed.json not in (None, "-"):
        require_writable(parsed.json)


def say(parsed: argparse.Namespace, text: str) -> None:
    """Print a text, unless the output is one JSON object."""
    if parsed.json != "-":
        print(text, flush=True)


def put_json(parsed: argparse.Namespace, found: Mapping[str, Any]) -> int:
    """Write the object that was asked for, if any; what cannot be written is printed, so that it is not lost."""
    if parsed.json is None:
        return 0
    text = json.dumps({"schema": SCHEMA, **found}, allow_nan=False, default=os.fspath)
    is_file = parsed.json != "-"
    if is_file and wrote(parsed.json, text + "\n"):
        return 0
    print(text, flush=True)
    return int(is_file)


def wrote(path: str, text: str) -> bool:
    """Write a file; say so if that fails."""
    try:
        write_whole(path, text)
    except OSError as error:
        print(f"sweepless: {path} could not be written: {error.strerror or error}.", file=sys.stderr)
        return False
    return True


def report_damage(reasons: Sequence[str]) -> int:
    """Print which cells of a run were left out; return the exit code."""
    for reason in reasons:
        print(f"sweepless: left out, because {reason}", file=sys.stderr)
    if reasons:
        print("sweepless: `sweepless run` computes damaged cells again.", file=sys.stderr)
    return 1 if reasons else 0
