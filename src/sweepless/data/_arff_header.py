"""What an ARFF file declares: attributes, their types, and which of them is the class."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from sweepless.data._files import PathLike
from sweepless.errors import DataError, InputError

_QUOTED = r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*\""""
_ATTRIBUTE = re.compile(rf"@attribute\s+({_QUOTED}|[^\s{{'\"][^\s{{]*)\s*(.*)", re.IGNORECASE)
_CLOSED = {"'": re.compile(r"'(?:[^'\\]|\\.)*'"), '"': re.compile(r'"(?:[^"\\]|\\.)*"')}
_MARK = re.compile(r"['\",%]")
_NUMERIC = ("numeric", "real", "integer")


@dataclass(frozen=True)
class Header:
    """The declared attributes, seen from the data."""

    feature_names: list[str]
    feature_columns: list[int]
    """The attribute index of every feature."""
    roles: list[int]
    """The feature number of every attribute; negative if it is not a feature."""
    class_column: int
    classes: list[str]


@dataclass(frozen=True)
class _Attribute:
    """One declared attribute; nominal if it has values."""

    line: int
    name: str
    values: list[str] | None


def read_header(path: PathLike, lines: Iterator[tuple[int, str]], label: str | int | None) -> Header:
    """Read up to and including @data."""
    if isinstance(label, int):
        raise InputError(f"`label` must be the name of an attribute for ARFF, got {label!r}.")
    attributes: list[_Attribute] = []
    for line, raw in lines:
        text = without_comment(raw).strip()
        keyword = text.split(maxsplit=1)[0].lower() if text else ""
        if keyword == "@data":
            return _header(path, attributes, label)
        if keyword == "@attribute":
            attributes.append(_attribute(path, line, text))
        elif keyword and keyword != "@relation":
            raise DataError(f"{path}, line {line}: a header must be @relation, @attribute, @data, got {text[:30]!r}.")
    raise DataError(f"{path} must have a @data section, got a file that ends before it.")


def without_comment(text: str) -> str:
    """Cut a line at the first % that is not quoted."""
    if "%" not in text:
        return text
    return next((text[:place] for place, mark in _marks(text) if mark == "%"), text)


def split_values(text: str) -> list[str]:
    """Split a line at the commas that are not quoted."""
    if "'" not in text and '"' not in text:
        return text.split(",")
    words, start = [], 0
    for place, mark in _marks(text):
        if mark == ",":
            words.append(text[start:place])
            start = place + 1
    return [*words, text[start:]]


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


def unquote(word: str) -> str:
    """Take the quotes off a name."""
    word = word.strip()
    if len(word) >= 2 and word[0] == word[-1] and word[0] in "'\"":
        return re.sub(r"\\(.)", r"\1", word[1:-1])
    return word


def _attribute(path: PathLike, line: int, text: str) -> _Attribute:
    """Read one declaration."""
    match = _ATTRIBUTE.fullmatch(text)
    if match is None:
        raise DataError(f"{path}, line {line}: @attribute must have a name and a type, got {text[:60]!r}.")
    name, kind = unquote(match[1]), match[2].strip()
    if kind.lower() in _NUMERIC:
        return _Attribute(line, name, None)
    if not (kind.startswith("{") and kind.endswith("}")):
        allowed = ", ".join(_NUMERIC)
        got = repr(kind[:30]) if kind else "none"
        raise DataError(f"{path}, line {line}: the type of {name!r} must be {allowed} or a list in braces, got {got}.")
    values = [unquote(value) for value in split_values(kind[1:-1])]
    if "" in values or len(set(values)) != len(values):
        raise DataError(f"{path}, line {line}: the values of {name!r} must be distinct names, got {kind[:60]}.")
    return _Attribute(line, name, values)


def _header(path: PathLike, attributes: list[_Attribute], label: str | None) -> Header:
    """Tell the class from the features."""
    matching = [
        column
        for column, attribute in enumerate(attributes)
        if attribute.values is not None
        and (attribute.name.lower() == "class" if label is None else attribute.name == label)
    ]
    if not matching:
        raise DataError(f"{path} must have a nominal attribute named {label or 'class'!r}, got none.")
    chosen, repeated = matching[-1], set(matching)
    names: dict[str, int] = {}
    roles: list[int] = []
    columns: list[int] = []
    for column, attribute in enumerate(attributes):
        if column in repeated:  # the last one wins; an earlier one repeats it and is no feature
            roles.append(-1)
            continue
        if attribute.values is not None:
            raise DataError(
                f"{path}, line {attribute.line}: every attribute but the class must be numeric, "
                f"got the nominal {attribute.name!r}."
            )
        if attribute.name in names:
            got = f"{attribute.name!r} twice"
            raise DataError(f"{path}, line {attribute.line}: attribute names must be distinct, got {got}.")
        names[attribute.name] = len(columns)
        roles.append(len(columns))
        columns.append(column)
    if not columns:
        raise DataError(f"{path} must have at least one numeric attribute, got none.")
    return Header(list(names), columns, roles, chosen, attributes[chosen].values or [])
