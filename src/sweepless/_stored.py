"""The files of a run directory, as campaigns write and reports read them.

A cell is one line of JSON that ends with a checksum of the text before it:

    {"arm": "SFS", …, "trajectory": […], "checksum": "7d865e959b2466918c9863afca942d0f"}

Checksums find damage and edits by hand, not forgery.
"""

from __future__ import annotations

import hashlib
import json
from contextlib import suppress
from pathlib import Path
from typing import Any

from sweepless._fields import Fields, a_mapping, a_number, a_text, a_whole, optional, parsed, read_text, texts
from sweepless.errors import DataError

FORMAT = 2  # since cells have checksums
_N_DIGITS = 32
_TAIL = len(f', "checksum": "{"0" * _N_DIGITS}"}}\n'.encode())


def sealed(record: dict[str, Any]) -> str:
    """Write the record of a cell as text that tells whether it was changed."""
    text = json.dumps(record, sort_keys=True, allow_nan=False, ensure_ascii=False)[:-1]
    return f"{text}{_ending(text.encode()).decode()}"


def read_cell(file: Path) -> Fields:
    """Read a cell; raise DataError unless it is as it was written, under its own name."""
    content = read_text(file).encode()
    if content[-_TAIL:] != _ending(content[:-_TAIL]):
        raise DataError(f"{file} must be as it was written, got damage.")
    found = Fields(file, parsed(file, content.decode()))
    name = found.get("cell", a_text)
    if name != file.stem:
        raise DataError(f"{file} must hold the cell of its name, got {name}.")
    return found


def read_header(file: Path) -> Fields:
    """Read what a run directory says about its run; raise DataError unless all that others rely on is there."""
    header = Fields(file, parsed(file, read_text(file)))
    if header.get("format", a_whole) != FORMAT:
        raise header.wrong("format", f"{FORMAT}, which this version of sweepless writes", header.values["format"])
    header.get("name", a_text)
    spec = Fields(file, header.get("spec", a_mapping), "spec")
    for number, arm in enumerate(spec.list("arms")):
        Fields(file, arm, f"spec.arms[{number}]").get("name", a_text)
    for seed in spec.list("seeds"):
        spec.checked("seeds", a_whole, seed)
    header.get("data", a_mapping)
    header.get("versions", a_mapping)
    header.get("feature_names", optional(texts), None)
    header.get("cost_model", optional(_two_numbers), None)
    return header


def read_times(file: Path) -> dict[str, dict[str, float]]:
    """Read the seconds of cells; a line that cannot be read, such as one cut short, tells none."""
    times: dict[str, dict[str, float]] = {}
    with suppress(FileNotFoundError):
        for line in file.read_bytes().splitlines():
            with suppress(DataError, UnicodeDecodeError):
                found = Fields(file, parsed(file, line.decode()))
                times[found.get("cell", a_text)] = {
                    name: found.get(name, a_number) for name in ("seconds", "search_seconds")
                }
    return times


def _ending(text: bytes) -> bytes:
    return b', "checksum": "%b"}\n' % hashlib.sha256(text).hexdigest()[:_N_DIGITS].encode()


def _two_numbers(value: Any) -> tuple[float, float]:
    if not isinstance(value, list) or len(value) != 2:
        raise TypeError("two numbers")
    return a_number(value[0]), a_number(value[1])
