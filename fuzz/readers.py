"""Every reader of foreign bytes, and what each must do with any of them: a result, or one sentence that says where.

A reader that raises anything but a `SweeplessError`, warns, takes seconds, or whose sentence does not name the file or
could not be printed on a terminal, has failed.
"""

from __future__ import annotations

import json
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np

from sweepless.data import read_arff, read_delimited, read_npz, read_svmlight
from sweepless.data.npz import read_npy
from sweepless.dataset import Dataset
from sweepless.errors import SweeplessError
from sweepless.paper.named_sets import _read_row_order
from sweepless.paper.reuters import read_documents
from sweepless.paper.trn import read_trn
from sweepless.runs.spec import read_spec
from sweepless.schema.run import read_cell, read_header, sealed

CORPUS = Path(__file__).resolve().parent / "corpus"
SLOW = 5.0  # seconds of the processor for an input of a few kilobytes
LONGEST = 1000  # characters of a sentence


class Finding(Exception):
    """A reader did what it must not do."""


@dataclass(frozen=True)
class Reader:
    """A reader, the name of its file, and words that mean something to it."""

    file: str
    read: Callable[[Path], Any]
    words: tuple[str, ...] = ()
    framed: Callable[[bytes], bytes] = bytes
    """Makes a file of an input: checksums that no mutation would ever guess."""


def check(reader: Reader, content: bytes, directory: Path) -> str:
    """Feed one input to a reader; return "read" or "refused", raise for everything else."""
    path = directory / reader.file
    path.write_bytes(reader.framed(content))
    began = time.process_time()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            found = reader.read(path)
    except SweeplessError as error:
        sentence, outcome = str(error), "refused"
        if path.stem not in sentence or not sentence.endswith(".") or len(sentence) > LONGEST:
            raise Finding(f"the sentence must be short and name the file: {sentence[:2000]!r}") from error
        if not sentence.isprintable():
            raise Finding(f"the sentence must be printable: {sentence!r}") from error
    else:
        outcome = "read"
        if isinstance(found, Dataset) and (found.X.shape[0] != len(found.target) or not _is_finite(found)):
            raise Finding("data must be finite and have a label for every sample")
    if time.process_time() - began > SLOW:
        raise Finding(f"took {time.process_time() - began:.1f} seconds")
    return outcome


def _is_finite(data: Dataset) -> bool:
    return bool(np.isfinite(getattr(data.X, "data", data.X) if not isinstance(data.X, np.ndarray) else data.X).all())


def _read_order(path: Path) -> Any:
    return _read_row_order(path, 4)


def _read_news(path: Path) -> Any:
    return read_documents([path])


def _read_sparse(path: Path) -> Any:
    labels = path.with_name("sparse_y.npy")
    if not labels.exists():
        np.save(labels, np.array([0, 1, 0]))
    return read_npz(path)


# Journals

_TWIN: list[Any] = []


def journal_problem() -> tuple[Any, Dataset]:
    """A search of a fraction of a millisecond."""
    from sweepless.criteria import FunctionCriterion

    if not _TWIN:
        _TWIN.extend([FunctionCriterion(journal_value), Dataset(np.eye(4), [0, 1] * 2)])
    return _TWIN[0], _TWIN[1]


def journal_value(members: Any) -> float:
    return float(np.round(np.sin(7.3 * members.sum() + members[0]) + 0.3 * len(members), 2))


def _resume(path: Path) -> Any:
    from sweepless import resume
    from sweepless.journal.lines import scan

    criterion, data = journal_problem()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # a record cut short, other versions, a strange budget
        scan(path)
        return resume(path, criterion, data, max_evaluations=300, fsync_every=1e9)


def _with_checksums(content: bytes) -> bytes:
    """Number every line and close it with its checksum, as if somebody had meant what it says."""
    lines = []
    for number, line in enumerate(content.splitlines()):
        start = b'{"n":%d,' % number
        text = (start + line[line.find(b",") + 1 :]).removesuffix(b"}") if line.startswith(b'{"n":') else line
        lines.append(text + b',"crc":"%08x"}\n' % crc32(text))
    return b"".join(lines)


def without_checksums(journal: bytes) -> bytes:
    """Take the checksums off a journal, which makes it an input."""
    lines = [json.loads(line) for line in journal.splitlines()]
    for line in lines:
        del line["crc"]
    return b"".join(json.dumps(line, separators=(",", ":")).encode() + b"\n" for line in lines)


def _with_a_seal(content: bytes) -> bytes:
    """Close a cell with its checksum, unless it is no JSON any more."""
    try:
        return sealed(json.loads(content)).encode()
    except (ValueError, RecursionError):
        return content


_JSON = ("null", "true", "NaN", "Infinity", "-1", "1e999", "[]", "{}", '""', "[[]]", '"x"', '"n":"a"', '"kind":3')
_KEYS = ("[[arms]]", "[data]", "[stop]", "seeds", "method", '"sSFFS"', '"1-10"', '"DAF1"', "budget", '"200@10"', "none")
_TOML = ("inf", "nan", "[", "]", "{", "}", "=", '"""', "1979-05-27", "true", "0x1", "[[", "a.b", "criterion")

READERS: dict[str, Reader] = {
    "delimited": Reader("table.csv", read_delimited, ("class", "y", ",", ";", "\t", '"', "?", "NA", "label")),
    "arff": Reader(
        "table.arff",
        read_arff,
        ("@relation", "@attribute", "@data", "numeric", "real", "{", "}", "'", '"', "%", "\\", "class", "{a,b}", "?"),
    ),
    "trn": Reader("table.trn", read_trn, ("#datafile", "#title", "#features", "#classes", "#data", ";", ",", "2", "1")),
    "svmlight": Reader("table.svm", read_svmlight, (":", "qid:1", "#", "1:1", "0:1", "99999999:1", "+1")),
    "npz": Reader("dense.npz", read_npz),
    "npz_sparse": Reader("sparse.npz", _read_sparse),
    "npy": Reader("array.npy", read_npy, ("'descr': ", "'<f8'", "'O'", "'fortran_order': ", "'shape': ", "(3,)", "V")),
    "row_order": Reader("order.txt", _read_order, ("0", "1", "2", "3")),
    "sgml": Reader(
        "news.sgm", _read_news, ("<", ">", "</", "<D>", "</D>", "<!--", "-->", "&#38;", "&lt;", "&#x;", '="')
    ),
    "spec": Reader("spec.toml", read_spec, _KEYS + _TOML),
    "header": Reader("run.json", read_header, _JSON),
    "cell": Reader("cell.json", read_cell, _JSON, _with_a_seal),
    "journal": Reader("kept.jsonl", _resume, _JSON),
    "journal_records": Reader("kept.jsonl", _resume, _JSON, _with_checksums),
}
