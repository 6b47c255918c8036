"""ARFF, dense and sparse: numeric attributes and one nominal class."""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np
from scipy import sparse

from sweepless._typing import Counts
from sweepless.data.files import PathLike, build_dataset, read_text
from sweepless.data.numbers import parse_float32
from sweepless.dataset import Dataset
from sweepless.errors import DataError, InputError

_QUOTED = r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*\""""
_ATTRIBUTE = re.compile(rf"@attribute\s+({_QUOTED}|[^\s{{'\"][^\s{{]*)\s*(.*)", re.IGNORECASE)
_CLOSED = {"'": re.compile(r"'(?:[^'\\]|\\.)*'"), '"': re.compile(r'"(?:[^"\\]|\\.)*"')}
_MARK = re.compile(r"['\",%]")
_NUMERIC = ("numeric", "real", "integer")
_INDEX = re.compile(r"[0-9]{1,18}")

Lines = Iterator[tuple[int, str]]
"""The number of every line that says something, and its text without blanks and comments."""


def read_arff(path: PathLike, *, label: str | int | None = None) -> Dataset:
    """Read an ARFF file.

    Parameters
    ----------
    path : path-like
        A UTF-8 text, possibly gzipped. Its attributes are numeric, real or integer, except for one
        nominal attribute, the class.
    label : str, optional
        Name of the class attribute. By default the last nominal attribute named `class`, in any case.

    Returns
    -------
    Dataset
        Samples regrouped class by class, in file order within each class; classes in the order of
        their declaration, named by strings; values rounded to 32-bit floats and widened, as the
        reference program has them; compressed columns if the rows are sparse.
    """
    if isinstance(label, int):
        raise InputError(f"`label` must be the name of an attribute for ARFF, got {label!r}.")
    lines = _lines(read_text(path))
    header = _read_header(path, lines, label)
    line, first = next(lines, (0, ""))
    if not line:
        raise DataError(f"{path} must hold at least one row after @data, got none.")
    rows = _Rows(path, header, is_sparse=first.startswith("{"))
    rows.append(line, first)
    for line, row in lines:
        rows.append(line, row)
    codes = np.array(rows.codes, dtype=np.int64)
    order = np.argsort(codes, kind="stable")
    labels = np.array(header.classes)[codes[order]]
    return build_dataset(path, rows.matrix(order), labels, feature_names=header.names, classes=header.classes)


@dataclass(frozen=True)
class _Attribute:
    """One declared attribute; nominal if it has values."""

    line: int
    name: str
    values: list[str] | None


@dataclass
class _Header:
    """The declared attributes, seen from the data."""

    class_column: int
    classes: list[str]
    names: list[str] = field(default_factory=list)
    columns: list[int] = field(default_factory=list)
    """The attribute index of every feature."""
    features: list[int] = field(default_factory=list)
    """The feature number of every attribute; negative if it is not a feature."""


def _read_header(path: PathLike, lines: Lines, label: str | None) -> _Header:
    """Read up to and including @data."""
    attributes: list[_Attribute] = []
    for line, text in lines:
        keyword = text.split(maxsplit=1)[0].lower()
        if keyword == "@data":
            return _header(path, attributes, label)
        if keyword == "@attribute":
            attributes.append(_attribute(path, line, text))
        elif keyword != "@relation":
            raise DataError(f"{path}, line {line}: a header must be @relation, @attribute, @data, got {text[:30]!r}.")
    raise DataError(f"{path} must have a @data section, got a file that ends before it.")


def _attribute(path: PathLike, line: int, text: str) -> _Attribute:
    """Read one declaration."""
    match = _ATTRIBUTE.fullmatch(text)
    if match is None:
        raise DataError(f"{path}, line {line}: @attribute must have a name and a type, got {text[:60]!r}.")
    name, kind = _unquoted(match[1]), match[2].strip()
    if kind.lower() in _NUMERIC:
        return _Attribute(line, name, None)
    if not (kind.startswith("{") and kind.endswith("}")):
        allowed = ", ".join(_NUMERIC)
        got = repr(kind[:30]) if kind else "none"
        raise DataError(f"{path}, line {line}: the type of {name!r} must be {allowed} or a list in braces, got {got}.")
    values = [_unquoted(value) for value in _split(kind[1:-1])]
    if "" in values or len(set(values)) != len(values):
        raise DataError(f"{path}, line {line}: the values of {name!r} must be distinct names, got {kind[:60]}.")
    return _Attribute(line, name, values)


def _header(path: PathLike, attributes: list[_Attribute], label: str | None) -> _Header:
    """Separate the class from the features."""
    matching = [
        column
        for column, one in enumerate(attributes)
        if one.values is not None and (one.name.lower() == "class" if label is None else one.name == label)
    ]
    if not matching:
        raise DataError(f"{path} must have a nominal attribute named {label or 'class'!r}, got none.")
    header = _Header(matching[-1], attributes[matching[-1]].values or [])
    seen, repeated = set[str](), set(matching)
    for column, one in enumerate(attributes):
        if column in repeated:  # the last one wins; an earlier one repeats it and is no feature
            header.features.append(-1)
            continue
        where = f"{path}, line {one.line}"
        if one.values is not None:
            raise DataError(f"{where}: every attribute but the class must be numeric, got the nominal {one.name!r}.")
        if one.name in seen:
            raise DataError(f"{where}: attribute names must be distinct, got {one.name!r} twice.")
        seen.add(one.name)
        header.features.append(len(header.columns))
        header.columns.append(column)
        header.names.append(one.name)
    if not header.columns:
        raise DataError(f"{path} must have at least one numeric attribute, got none.")
    return header


class _Rows:
    """The rows read so far, all dense (`value, value, …`) or all sparse (`{index value, …}`)."""

    def __init__(self, path: PathLike, header: _Header, is_sparse: bool) -> None:
        self.path, self.header, self.is_sparse = path, header, is_sparse
        self.code_of = {name: code for code, name in enumerate(header.classes)}
        self.codes: list[int] = []
        self.values, self.features, self.starts = array("d"), array("q"), array("q", [0])

    def append(self, line: int, row: str) -> None:
        """Add one row."""
        if self.is_sparse:
            self._append_sparse(line, row)
        else:
            self._append_dense(line, row)

    def matrix(self, order: Counts) -> Any:
        """Return the rows in the given order."""
        shape = (len(self.codes), len(self.header.columns))
        if not self.is_sparse:
            return np.frombuffer(self.values).reshape(shape)[order]
        if not len(self.values):  # an empty array lends no buffer
            return sparse.csc_matrix(shape, dtype=np.float64)
        parts = (np.frombuffer(self.values), np.frombuffer(self.features, np.int64), np.array(self.starts))
        matrix = sparse.csr_matrix(parts, shape=shape)[order].tocsc()
        matrix.eliminate_zeros()
        matrix.sort_indices()
        return matrix

    def _append_dense(self, line: int, row: str) -> None:
        if row.startswith("{"):
            raise DataError(f"{self.path}, line {line}: a row must be dense like the rows above, got {row[:30]!r}.")
        words, width, columns = _split(row), len(self.header.features), self.header.columns
        if len(words) != width:
            raise DataError(f"{self.path}, line {line}: a row must hold {width} values, got {len(words)}.")
        self.codes.append(self._code(line, words[self.header.class_column]))
        if len(columns) == width - 1:  # the usual case, without a list of columns
            del words[self.header.class_column]
        else:
            words = [words[column] for column in columns]
        numbers = parse_float32(words, lambda k: f"{self.path}, line {line}, column {columns[k] + 1}")
        self.values.frombytes(numbers.tobytes())

    def _append_sparse(self, line: int, row: str) -> None:
        if not (row.startswith("{") and row.endswith("}")):
            raise DataError(
                f"{self.path}, line {line}: a row must be {{index value, …}} as the first, got {row[:20]!r}."
            )
        entries: dict[int, str] = {}
        for entry in _split(row[1:-1]) if row[1:-1].strip() else []:
            column, word = self._entry(line, entry)
            if column in entries:
                raise DataError(f"{self.path}, line {line}: indices must be distinct, got {column} twice.")
            entries[column] = word
        named = entries.pop(self.header.class_column, None)
        # An omitted class is the first one, as an omitted number is zero.
        self.codes.append(0 if named is None else self._code(line, named))
        kept = [column for column in entries if self.header.features[column] >= 0]
        words = [entries[column] for column in kept]
        numbers = parse_float32(words, lambda k: f"{self.path}, line {line}, index {kept[k]}")
        self.values.frombytes(numbers.tobytes())
        self.features.extend(self.header.features[column] for column in kept)
        self.starts.append(len(self.features))

    def _entry(self, line: int, entry: str) -> tuple[int, str]:
        """Split an index from its value."""
        words = entry.strip().split(maxsplit=1)
        if len(words) < 2 or not _INDEX.fullmatch(words[0]):
            raise DataError(f"{self.path}, line {line}: an entry must be an index and a value, got {entry[:30]!r}.")
        column, last = int(words[0]), len(self.header.features) - 1
        if column > last:
            raise DataError(f"{self.path}, line {line}: an index must be from 0 to {last}, got {column}.")
        return column, words[1]

    def _code(self, line: int, word: str) -> int:
        """Return the number of a class from its name."""
        name = _unquoted(word)
        if name not in self.code_of:
            allowed = ", ".join(self.header.classes[:8]) + (", …" if len(self.header.classes) > 8 else "")
            raise DataError(f"{self.path}, line {line}: the class must be one of {allowed}, got {name!r}.")
        return self.code_of[name]


def _lines(text: str) -> Lines:
    """Yield every line that says something, without its comment: what follows a % that is not quoted."""
    for number, raw in enumerate(text.split("\n"), start=1):
        comment = next((place for place, mark in _marks(raw) if mark == "%"), None) if "%" in raw else None
        if line := raw[:comment].strip():
            yield number, line


def _split(text: str) -> list[str]:
    """Split a line at the commas that are not quoted."""
    if "'" not in text and '"' not in text:
        return text.split(",")
    cuts = [-1, *(place for place, mark in _marks(text) if mark == ","), len(text)]
    return [text[start + 1 : end] for start, end in pairwise(cuts)]


def _marks(text: str) -> Iterator[tuple[int, str]]:
    """Find the commas and per cents that are not quoted; a quote that is never closed is a plain character."""
    place, closed = 0, dict(_CLOSED)
    while (match := _MARK.search(text, place)) is not None:
        mark, place = match[0], match.end()
        if mark in closed:
            quoted = closed[mark].match(text, match.start())
            if quoted is None:
                del closed[mark]  # what follows has only escaped quotes of its kind: to look again would take for ever
            else:
                place = quoted.end()
        elif mark in ",%":
            yield match.start(), mark


def _unquoted(word: str) -> str:
    """Take the quotes off a name."""
    word = word.strip()
    if len(word) >= 2 and word[0] == word[-1] and word[0] in "'\"":
        return re.sub(r"\\(.)", r"\1", word[1:-1])
    return word
