"""SGML as text collections use it: elements whose tags all stand in the text, attributes, references to characters.

Every character is looked at a bounded number of times, whatever the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import NoReturn

from sweepless.data.files import PathLike, read_bytes
from sweepless.errors import DataError

MAX_BYTES = 1 << 26
"""The most that one file may unpack to: a few bytes of gzip may stand for any number of others."""

_MAX_DEPTH = 32
_MAX_ELEMENTS = 100_000  # in an outermost one; an element takes a hundred times the memory of its tags
# Possessive, so that what does not match is not tried again in shorter pieces.
_TAG = re.compile(r"<(/?+)([A-Za-z][A-Za-z0-9.-]*+)([^<>]*+)>")
_ATTRIBUTE = re.compile(r"""\s++([A-Za-z][A-Za-z0-9._-]*+)\s*+=\s*+(?:"([^"]*+)"|'([^']*+)'|([^\s"'=]++))""")
_REFERENCE = re.compile(r"&(#?+[A-Za-z0-9]++);")
_NUMBER = re.compile(r"#(?:[0-9]{1,8}|[xX][0-9A-Fa-f]{1,6})")
_CHARACTERS = {"lt": "<", "gt": ">", "amp": "&", "quot": '"', "apos": "'"}


@dataclass(frozen=True)
class Element:
    """An element with what stands in it, in order: texts with their characters decoded, and other elements."""

    name: str
    attributes: Mapping[str, str]
    line: int
    parts: list[str | Element] = field(default_factory=list)

    def children(self, name: str) -> list[Element]:
        """Return the elements of a name that stand directly in this one."""
        return [part for part in self.parts if isinstance(part, Element) and part.name == name]

    def text(self) -> str:
        """Return all the text in this element and in those in it; elements part words."""
        return " ".join(part if isinstance(part, str) else part.text() for part in self.parts)


def read_sgml(path: PathLike, encoding: str = "latin-1") -> Iterator[Element]:
    """Read the outermost elements of an SGML file, one after the other.

    Parameters
    ----------
    path : path-like
        Possibly gzipped. Every element must be closed, inside the element it was opened in; names are not
        sensitive to case. Declarations and comments are skipped. Characters may be written as numbers
        (`&#38;`, `&#x26;`) or as lt, gt, amp, quot and apos.
    encoding : str

    Yields
    ------
    Element
        With upper-case names of elements and attributes.
    """
    content = read_bytes(path, at_most=MAX_BYTES)
    try:
        text = content.decode(encoding)
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise DataError(f"{path}, line {line}: the file must be {encoding} text, got other bytes.") from error
    return _Scanner(path, text).elements()


class _Scanner:
    """Walks through a text once."""

    def __init__(self, path: PathLike, text: str) -> None:
        self._path = path
        self._text = text
        self._n_elements = 0  # in the present outermost one
        self._counted = (0, 1)  # up to where lines were counted, and how many

    def elements(self) -> Iterator[Element]:
        opened: list[Element] = []
        at = 0
        while True:
            start = self._text.find("<", at)
            end = len(self._text) if start < 0 else start
            self._put_text(opened, at, end)
            if start < 0:
                break
            if self._text.startswith("<!", start):
                at = self._after_declaration(start)
                continue
            tag = _TAG.match(self._text, start)
            if tag is None:
                self._refuse(start, "a < must begin a tag that ends with >", self._text[start : start + 30])
            at = tag.end()
            if tag[1]:
                finished = self._closed(opened, tag)
                if not opened:
                    yield finished
            else:
                self._open(opened, tag)
        if opened:
            last = opened[-1]
            raise DataError(f"{self._path}, line {last.line}: <{last.name}> must be closed, got the end of the file.")

    def _open(self, opened: list[Element], tag: re.Match[str]) -> None:
        if len(opened) == _MAX_DEPTH:
            self._refuse(tag.start(), f"elements must be nested at most {_MAX_DEPTH} deep", tag[0][:30])
        self._n_elements = self._n_elements + 1 if opened else 1
        if self._n_elements > _MAX_ELEMENTS:
            self._refuse(tag.start(), f"an element must hold fewer than {_MAX_ELEMENTS} others", "more")
        element = Element(tag[2].upper(), self._attributes(tag), self._line(tag.start()))
        if opened:
            opened[-1].parts.append(element)
        opened.append(element)

    def _closed(self, opened: list[Element], tag: re.Match[str]) -> Element:
        """Return the element that a tag closes, which is no longer open."""
        if tag[3].strip():
            self._refuse(tag.start(), "a closing tag must hold a name only", tag[0][:60])
        if not opened or opened[-1].name != tag[2].upper():
            awaited = f"</{opened[-1].name}>" if opened else "an opening tag"
            self._refuse(tag.start(), f"{awaited} must come first", tag[0][:30])
        return opened.pop()

    def _attributes(self, tag: re.Match[str]) -> dict[str, str]:
        found: dict[str, str] = {}
        at, end = tag.span(3)
        if at == end:
            return found
        while one := _ATTRIBUTE.match(self._text, at, end):
            if one[1].upper() in found:
                self._refuse(at, "an attribute must be given once", one[1])
            value = one.lastindex or 0  # of the groups for a value only one can match
            found[one[1].upper()] = self._decoded(one.start(value), one.end(value))
            at = one.end()
        if rest := self._text[at:end].strip():
            self._refuse(at, 'attributes must be given as NAME="value"', rest[:60])
        return found

    def _after_declaration(self, start: int) -> int:
        """Return where a declaration or a comment ends."""
        mark = "-->" if self._text.startswith("<!--", start) else ">"
        end = self._text.find(mark, start + 2)
        if end < 0:
            self._refuse(start, f"what begins with <! must end with {mark}", self._text[start : start + 30])
        return end + len(mark)

    def _put_text(self, opened: list[Element], start: int, end: int) -> None:
        if opened:
            if start < end:
                opened[-1].parts.append(self._decoded(start, end))
        elif outside := self._text[start:end].strip():
            at = start + self._text[start:end].index(outside[0])
            self._refuse(at, "text must stand in an element", outside[:30])

    def _decoded(self, start: int, end: int) -> str:
        """Return a piece of the text with references replaced by their characters."""

        def character(reference: re.Match[str]) -> str:
            name = reference[1]
            if name in _CHARACTERS:
                return _CHARACTERS[name]
            if _NUMBER.fullmatch(name):
                code = int(name[2:], 16) if name[1] in "xX" else int(name[1:])
                if code <= 0x10FFFF and not 0xD800 <= code <= 0xDFFF:
                    return chr(code)
            rule = f"a reference must be the number of a character or one of {', '.join(_CHARACTERS)}"
            return self._refuse(start + reference.start(), rule, reference[0][:30])

        piece = self._text[start:end]
        return _REFERENCE.sub(character, piece) if "&" in piece else piece

    def _line(self, at: int) -> int:
        """Return the line of a place not before the last one asked for."""
        counted, line = self._counted
        self._counted = (at, line + self._text.count("\n", counted, at))
        return self._counted[1]

    def _refuse(self, at: int, rule: str, got: str) -> NoReturn:
        line = self._text.count("\n", 0, at) + 1
        raise DataError(f"{self._path}, line {line}: {rule}, got {got!r}.")
