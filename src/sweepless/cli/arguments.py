"""Options that several commands share, and the types of their words."""

from __future__ import annotations

import argparse
import ast
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from sweepless.errors import InputError

_MOST = 10_000  # numbers in a range
_WHOLE = re.compile(r"[0-9]{1,15}")  # what every machine integer can hold
_MOST_SECONDS = 1e9


def add_columns(parser: Any) -> None:
    """Add the options that say which columns of a table are features, and how the label is meant."""
    parser.add_argument(
        "--label",
        metavar="COLUMN",
        help="label column of a table or ARFF file, name or number (default: class; of tables also label, target, y, "
        "else the last)",
    )
    parser.add_argument(
        "--drop",
        action="append",
        default=[],
        type=label,
        metavar="COLUMN",
        help="a column of a CSV, TSV or Parquet file to leave out, name or number; may be given several times",
    )
    parser.add_argument(
        "--task",
        choices=["classification", "regression"],
        help="whether labels are classes or numbers (default: numbers if they are fractional or hardly repeat)",
    )


def add_limits(parser: Any, max_size: str) -> None:
    """Add the limits of a search."""
    parser.add_argument("--max-size", type=whole, metavar="N", help=max_size)
    parser.add_argument("--max-evaluations", type=whole, metavar="N", help="subsets valued, all of them counted")
    parser.add_argument("--max-seconds", type=number, metavar="S")
    parser.add_argument("--patience", type=whole, metavar="N", help="stop after N steps without a new best value")
    parser.add_argument("--tol", type=number, metavar="T", help="by how much --patience wants it better (default 0)")


def add_data_dir(parser: Any) -> None:
    parser.add_argument("--data-dir", help="where the named sets are (default: $SWEEPLESS_DATA, then the user cache)")


def add_n_jobs(parser: Any, default: int, what: str = "cells at a time") -> None:
    about = f"{what}, -1 for all cores (default {default})"
    parser.add_argument("--n-jobs", type=whole, default=default, metavar="N", help=about)


def add_quiet(parser: Any) -> None:
    parser.add_argument("--quiet", action="store_true", help="no progress line")


def whole(text: str) -> int:
    """Read a whole number, possibly negative."""
    if not is_whole(text.strip().removeprefix("-")):
        raise argparse.ArgumentTypeError(f"it must be a whole number of at most 15 digits, got {shown(text)}")
    return int(text)


def is_whole(text: str) -> bool:
    return _WHOLE.fullmatch(text) is not None


def number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"it must be a number, got {shown(text)}") from None


def seconds(text: str) -> float:
    """Read a time that can be waited for."""
    if 0 < (given := number(text)) <= _MOST_SECONDS:
        return given
    raise argparse.ArgumentTypeError(f"it must be a positive number of seconds, at most 1e9, got {shown(text)}")


def shown(text: str) -> str:
    """Quote a word in a message, shortened."""
    return repr(text if len(text) <= 60 else f"{text[:57]}…")


def literal(text: str) -> Any:
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError, RecursionError, MemoryError):
        return text


def label(text: str | None) -> str | int | None:
    if text is not None and is_whole(text.removeprefix("-")):
        return int(text)
    return text


def start(text: str) -> Any:
    """Read features such as 3,14,15; anything else stays a word."""
    parts = text.split(",")
    return [int(part) for part in parts] if all(is_whole(part.strip()) for part in parts) else text


def numbers(text: str) -> tuple[int, ...]:
    """Read 5,10,20 or 1-5 or both together."""
    found: list[int] = []
    for part in text.split(","):
        first, dash, last = part.strip().partition("-")
        if not (is_whole(first) and (is_whole(last) or not dash)):
            raise argparse.ArgumentTypeError(f"it must be whole numbers such as 5,10,20 or 1-5, got {shown(text)}")
        if int(last or first) - int(first) >= _MOST or int(last or first) < int(first):
            raise argparse.ArgumentTypeError(f"a range must be ascending with at most {_MOST:,} numbers, got {part!r}")
        found += range(int(first), int(last or first) + 1)
    return tuple(dict.fromkeys(found))


def positive(text: str) -> int:
    if not is_whole(text) or int(text) < 1:
        raise argparse.ArgumentTypeError(f"it must be a positive whole number, got {shown(text)}")
    return int(text)


def number_or(word: str) -> Callable[[str], int | None]:
    def parse(text: str) -> int | None:
        if text == word:
            return None
        if not is_whole(text):
            raise argparse.ArgumentTypeError(f"it must be a whole number or {word}, got {shown(text)}")
        return int(text)

    return parse


def split(text: str) -> Any:
    from sweepless.validation.splits import RandomSplits

    train, _, test = text.partition("/")
    if not (is_whole(train) and is_whole(test)):
        raise argparse.ArgumentTypeError(f"it must look like 50/50, got {shown(text)}")
    with _naming_the_option():
        return RandomSplits(1, int(train), int(test))


def budget(text: str) -> Any:
    from sweepless.search.budget import BudgetFraction

    if text in ("auto", "paper", "full"):
        return text
    if is_whole(text) and int(text) > 0:
        return int(text)
    try:
        return BudgetFraction(float(text))
    except ValueError:
        raise argparse.ArgumentTypeError(
            f"it must be a positive count, a fraction up to 1, auto, paper or full, got {shown(text)}"
        ) from None


def warm_up(text: str) -> Any:
    from sweepless.search.warm_up import WarmUp

    if text in ("none", "auto"):
        return text
    with _naming_the_option():
        return WarmUp.parse(text)


@contextmanager
def _naming_the_option() -> Iterator[None]:
    """Let argparse put the name of the option before what was wrong with its word."""
    try:
        yield
    except InputError as error:
        raise argparse.ArgumentTypeError(str(error).rstrip(".")) from error
