"""Tables of a spec: every key is asked for, or it is an error."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from sweepless.errors import SpecError

_MISSING: Any = object()


class Table:
    """One table of a TOML file, which knows its place in it.

    Parameters
    ----------
    values : dict
    file : str
        What messages call the file.
    place : str
        The key of this table, empty for the whole file.
    """

    def __init__(self, values: Any, file: str, place: str = "") -> None:
        self.file, self.place = file, place
        if not isinstance(values, dict):
            raise SpecError(f"{file}: `{place}` must be a table, got {values!r}.")
        self._left: dict[str, Any] = dict(values)

    def key(self, name: str) -> str:
        return f"{self.place}.{name}" if self.place else name

    def wrong(self, name: str, allowed: str, got: Any) -> SpecError:
        shown = repr(got)
        return SpecError(
            f"{self.file}: `{self.key(name)}` must be {allowed}, got {shown if len(shown) <= 80 else shown[:77] + '…'}."
        )

    def __contains__(self, name: str) -> bool:
        return name in self._left

    def pop(self, name: str, default: Any = _MISSING) -> Any:
        """Take a value of any kind; without a default it must be there."""
        if name in self._left:
            return self._left.pop(name)
        if default is _MISSING:
            raise SpecError(f"{self.file}: `{self.key(name)}` must be given, got none.")
        return default

    def text(self, name: str, default: Any = _MISSING, *, allowed: Iterable[str] | None = None) -> Any:
        if name not in self._left and default is not _MISSING:
            return default
        value = self.pop(name)
        if allowed is not None and value not in (known := tuple(allowed)):
            raise self.wrong(name, f"one of {', '.join(known)}", value)
        if not isinstance(value, str) or not value.strip() or not value.isprintable():
            raise self.wrong(name, "a line of text", value)
        return value

    def whole(self, name: str, default: Any = _MISSING, *, least: int = 1, most: int = 10**9) -> Any:
        if name not in self._left and default is not _MISSING:
            return default
        value = self.pop(name)
        if not is_whole(value, least, most):
            raise self.wrong(name, f"an integer from {least} to {most}", value)
        return value

    def table(self, name: str) -> Table | None:
        return Table(self.pop(name), self.file, self.key(name)) if name in self._left else None

    def rest(self) -> dict[str, Any]:
        """Take all that is left."""
        left, self._left = self._left, {}
        return left

    def close(self, known: str) -> None:
        """Refuse what nobody asked for."""
        for name in self._left:
            where = f" of `{self.place}`" if self.place else ""
            raise SpecError(f"{self.file}: `{self.key(name)}` is no key{where}; the keys are: {known}.")


def is_whole(value: Any, least: int, most: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and least <= value <= most
