"""Words of the command line into what they mean."""

from __future__ import annotations

import argparse
import ast
import re
from typing import Any

from sweepless.errors import InputError

_MOST = 10_000  # numbers in a range
_WHOLE = re.compile(r"[0-9]{1,15}")  # what every machine integer can hold
_MOST_SECONDS = 1e9


def whole(text: str) -> int:
    """Read a whole number, possibly negative."""
    if not is_whole(text.strip().removeprefix("-")):
        raise argparse.ArgumentTypeError(f"it must be a whole number of at most 15 digits, got {shown(text)}")
    return int(text)


def is_whole(text: str) -> bool:
    return _WHOLE.fullmatch(text) is not None


def seconds(text: str) -> float:
    """Read a time that can be waited for."""
    try:
        if 0 < float(text) <= _MOST_SECONDS:
            return float(text)
    except ValueError:
        pass
    raise argparse.ArgumentTypeError(f"it must be a positive number of seconds, at most 1e9, got {shown(text)}")


def shown(text: str) -> str:
    """Quote a word in a message, shortened."""
    return repr(text if len(text) <= 60 else f"{text[:57]}…")


def add_columns(parser: Any) -> None:
    """Add what says which columns of a table are features, and how the label is meant."""
    parser.add_argument("--label", metavar="COLUMN", help="label column of a table or ARFF file: name or number")
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


def literal(text: str) -> Any:
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError, RecursionError, MemoryError):
        return text


def label(text: str | None) -> str | int | None:
    if text is not None and is_whole(text.removeprefix("-")):
        return int(text)
    return text


def start(text: str | None) -> Any:
    """Read features such as 3,14,15; what else it may be is a word."""
    if text is None or not all(is_whole(part.strip()) for part in text.split(",")):
        return text
    return [int(part) for part in text.split(",")]


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


def split(text: str) -> Any:
    from sweepless.validation.splits import RandomSplits

    train, _, test = text.partition("/")
    if not (is_whole(train) and is_whole(test)):
        raise argparse.ArgumentTypeError(f"--split must look like 50/50, got {shown(text)}")
    try:
        return RandomSplits(1, int(train), int(test))
    except InputError as error:
        raise argparse.ArgumentTypeError(str(error).rstrip(".")) from error


def number_or(word: str) -> Any:
    def parse(text: str) -> int | None:
        if text == word:
            return None
        if not is_whole(text):
            raise argparse.ArgumentTypeError(f"it must be a whole number or {word}, got {shown(text)}")
        return int(text)

    return parse


def budget(text: str) -> Any:
    from sweepless.search.budget import BudgetFraction, checked_budget

    try:
        if text == "full":
            return text
        if "." in text:
            return BudgetFraction(float(text))
        return checked_budget("budget", whole(text))
    except InputError as error:
        raise argparse.ArgumentTypeError(str(error).rstrip(".")) from error
    except (ValueError, argparse.ArgumentTypeError):
        raise argparse.ArgumentTypeError(
            f"a budget must be a positive count, a fraction or full, got {shown(text)}"
        ) from None


def warm_up(text: str) -> Any:
    from sweepless.search.sampled import WarmUp

    if text in ("none", "auto"):
        return text
    try:
        return WarmUp.parse(text)
    except InputError as error:
        raise argparse.ArgumentTypeError(str(error).rstrip(".")) from error
