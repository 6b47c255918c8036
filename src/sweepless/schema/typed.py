"""Convert values from files to types; an error is one sentence with the file and the place."""

from __future__ import annotations

import json
import re
import stat
import sys
from pathlib import Path
from reprlib import Repr
from typing import Annotated, Any, TypeAlias, TypeVar

import msgspec
from msgspec import Meta, inspect

from sweepless.errors import DataError, SweeplessError

Typed = TypeVar("Typed")
Finite = Annotated[float, Meta(ge=-sys.float_info.max, le=sys.float_info.max, description="a finite number")]
Count = Annotated[int, Meta(ge=0, le=2**63 - 1)]
Place: TypeAlias = list[str | int]

_LONGEST = 60  # most characters of a value that an error quotes
_QUOTE = Repr()  # it neither goes deep nor through all of a long list
_QUOTE.maxstring = _QUOTE.maxother = 2 * _LONGEST


class Wrong(ValueError):
    """Raised by `__post_init__` for a rule that types cannot express, with the place and what is allowed there.

    `allowed` may be left out if the type of the field has a description.
    """

    def __init__(self, *place: str | int, allowed: str | None = None) -> None:
        super().__init__(place, allowed)
        self.place, self.allowed = place, allowed


def typed(values: Any, kind: type[Typed], file: object, error: type[SweeplessError] = DataError) -> Typed:
    """Convert the content of a file to a type.

    Parameters
    ----------
    values : object
        Parsed JSON or TOML.
    kind : type
        A frozen `msgspec.Struct`; the `description` in the `Meta` of a field says what is allowed.
    file : path or str
        The name of the file in error messages.
    error : type
        The type of error to raise.
    """
    try:
        return msgspec.convert(values, kind)
    except msgspec.ValidationError as found:
        raise error(f"{file}: {_sentence(found, values, kind)}") from None


def read_text(file: Path) -> str:
    """Read a regular file as UTF-8."""
    try:
        if not stat.S_ISREG(file.stat().st_mode):  # reading a FIFO could block for ever
            raise DataError(f"{file} must be a regular file, got something else.")
        return file.read_bytes().decode()
    except UnicodeDecodeError as error:
        raise DataError(f"{file} must be UTF-8 text, got byte {error.object[error.start]:#x}.") from None
    except OSError as error:
        raise DataError(f"{file} could not be read: {error.strerror or error}.") from None


def parsed(file: Path, text: str) -> Any:
    """Parse any JSON with Python's parser, which, unlike msgspec, accepts names that are not valid Unicode."""
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        reason = f"{error.msg} at line {error.lineno}, column {error.colno}"
    except ValueError:
        reason = "a number has thousands of digits"
    except RecursionError:
        reason = "brackets are nested too deeply"
    raise DataError(f"{file} must be valid JSON, but it is not: {reason}.")


def brief(value: Any) -> str:
    """Quote a value, or its beginning."""
    text = _QUOTE.repr(value)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 3]}…"


def _sentence(error: msgspec.ValidationError, values: Any, kind: Any) -> str:
    """Turn an error of msgspec, which lacks the value and often what is allowed, into a full sentence."""
    found = re.search(r" - at `(?:key` in `)?\$([^`]*)`$", str(error))
    # msgspec writes [...] for a key of a free table, so only the table can be named.
    parts = re.findall(r"\.(\w+)|\[(\d+)\]", found[1].partition("[...]")[0]) if found else []
    place: Place = [name or int(number) for name, number in parts]
    cause = error.__cause__
    if isinstance(cause, Wrong):
        place += cause.place
    elif missing := re.match("Object missing required field `(.*?)`", str(error)):
        return f"`{_written([*place, missing[1]])}` must be given, got none."
    whole = place
    place, value, types = _followed(whole, values, inspect.type_info(kind))
    if str(error).startswith("Object contains unknown field") and not _description(types):
        known = [field.encode_name for one in types if isinstance(one, inspect.StructType) for field in one.fields]
        strange = next(key for key in value if key not in known)
        of = f" of `{_written(place)}`" if place else ""
        return f"`{_written([*place, strange])}` is not a key{of}; the keys are: {', '.join(known)}."
    allowed = cause.allowed if isinstance(cause, Wrong) and place == whole else None
    allowed = allowed or _description(types) or _words(types)
    return f"{f'`{_written(place)}`' if place else 'it'} must be {allowed}, got {brief(value)}."


def _followed(place: Place, value: Any, kind: inspect.Type) -> tuple[Place, Any, list[inspect.Type]]:
    """Follow the path to a place, or to the first part of it with a description; return the types allowed there."""
    types = _members(kind)
    for number, part in enumerate(place):
        if _description(types):
            return place[:number], value, types
        types = [inner for one in types for inner in _inside(one, part)]
        value = value.get(part) if isinstance(value, dict) else value[part]
    return place, value, types


def _members(kind: inspect.Type) -> list[inspect.Type]:
    members = kind.types if isinstance(kind, inspect.UnionType) else (kind,)
    return [one for one in members if not isinstance(one, inspect.NoneType)]


def _inside(kind: inspect.Type, part: str | int) -> list[inspect.Type]:
    if isinstance(kind, inspect.StructType):
        return [one for field in kind.fields if field.encode_name == part for one in _members(field.type)]
    if isinstance(kind, inspect.NamedTupleType) and isinstance(part, int):
        return _members(kind.fields[part].type)
    return _members(kind.item_type) if isinstance(kind, inspect.VarTupleType | inspect.ListType) else []


def _description(types: list[inspect.Type]) -> str | None:
    for one in types:
        if isinstance(one, inspect.Metadata) and one.extra_json_schema:
            return str(one.extra_json_schema["description"])
    return None


def _words(types: list[inspect.Type]) -> str:
    """Describe the values of some types in words."""
    words = []
    for one in types:
        if isinstance(one, inspect.LiteralType):
            words.append(f"one of {', '.join(map(str, one.values))}")
        elif isinstance(one, inspect.IntType):
            least = "" if one.ge is None else f" of at least {one.ge}"
            is_open = one.ge is None or one.le is None or one.le > 2**62
            words.append(f"an integer{least if is_open else f' from {one.ge} to {one.le}'}")
        elif isinstance(one, inspect.NamedTupleType):
            words.append(f"a list of {', '.join(field.name for field in one.fields)}")
        elif isinstance(one, inspect.DictType) and not isinstance(one.value_type, inspect.AnyType):
            values = _members(one.value_type)
            words.append(f"a table whose values are each {_description(values) or _words(values)}")
        else:
            words.append(_PLAIN.get(type(one), "something else"))
    return " or ".join(words)


_PLAIN: dict[type[inspect.Type], str] = {
    inspect.StrType: "text",
    inspect.FloatType: "a number",
    inspect.BoolType: "true or false",
    inspect.VarTupleType: "a list",
    inspect.ListType: "a list",
    inspect.TupleType: "a list",
    inspect.StructType: "a table",
    inspect.DictType: "a table",
}


def _written(place: Place) -> str:
    return "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in place).removeprefix(".")
