"""What is wrong with a file is one sentence: the file, the place, what is allowed, what was found."""

from __future__ import annotations

import subprocess
import sys
from typing import Annotated, Any, Literal, NamedTuple

import pytest
from msgspec import Meta, Struct

from sweepless.errors import DataError, SpecError
from sweepless.schema.typed import Count, Finite, Wrong, typed


class Point(NamedTuple):
    x: Count
    y: Finite | None


class Inner(Struct, frozen=True, forbid_unknown_fields=True):
    least: Annotated[int, Meta(ge=1, le=9)] = 1
    most: int = 9

    def __post_init__(self) -> None:
        if self.least > self.most:
            raise Wrong("most", allowed=f"at least {self.least}")
        if self.most > 99:
            raise Wrong(allowed="small")


class Outer(Struct, frozen=True, forbid_unknown_fields=True):
    name: str
    color: Literal["red", "green"] = "red"
    inner: tuple[Inner, ...] = ()
    points: tuple[Point, ...] = ()
    shares: dict[str, Finite] = {}
    sizes: Annotated[Literal["all"] | tuple[int, ...] | Inner, Meta(description='"all" or sizes')] = "all"
    is_new: bool = False


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ([], "it must be a table, got []."),
        ({}, "`name` must be given, got none."),
        ({"name": 3}, "`name` must be text, got 3."),
        (
            {"name": "x", "nam": 3},
            "`nam` is not a key; the keys are: name, color, inner, points, shares, sizes, is_new.",
        ),
        ({"name": "x", "color": "blue"}, "`color` must be one of green, red, got 'blue'."),
        ({"name": "x", "is_new": 1}, "`is_new` must be true or false, got 1."),
        ({"name": "x", "inner": {}}, "`inner` must be a list, got {}."),
        ({"name": "x", "inner": [{}, {"least": 0}]}, "`inner[1].least` must be an integer from 1 to 9, got 0."),
        (
            {"name": "x", "inner": [{"lest": 1}]},
            "`inner[0].lest` is not a key of `inner[0]`; the keys are: least, most.",
        ),
        ({"name": "x", "inner": [{"least": 5, "most": 4}]}, "`inner[0].most` must be at least 5, got 4."),
        ({"name": "x", "inner": [{"most": 100}]}, "`inner[0]` must be small, got {'most': 100}."),
        ({"name": "x", "points": [[1]]}, "`points[0]` must be a list of x, y, got [1]."),
        ({"name": "x", "points": [[-1, 0]]}, "`points[0][0]` must be an integer of at least 0, got -1."),
        ({"name": "x", "points": [[1, float("nan")]]}, "`points[0][1]` must be a finite number, got nan."),
        (
            {"name": "x", "shares": {"a": "b"}},
            "`shares` must be a table whose values are each a finite number, got {'a': 'b'}.",
        ),
        ({"name": "x", "sizes": [1, "b"]}, "`sizes` must be \"all\" or sizes, got [1, 'b']."),
        ({"name": "x", "sizes": {"lest": 1}}, "`sizes` must be \"all\" or sizes, got {'lest': 1}."),
        (
            {"name": "x", "sizes": {"least": 5, "most": 4}},
            "`sizes` must be \"all\" or sizes, got {'least': 5, 'most': 4}.",
        ),
    ],
)
def test_one_sentence_for_whatever_is_wrong(values: Any, said: str) -> None:
    with pytest.raises(DataError) as caught:
        typed(values, Outer, "some.json")
    assert str(caught.value) == f"some.json: {said}"


def test_what_is_right_is_converted() -> None:
    found = typed({"name": "x", "points": [[1, 2]], "sizes": [3]}, Outer, "some.json")
    assert found == Outer("x", points=(Point(1, 2.0),), sizes=(3,))


@pytest.mark.parametrize("key", ["a` - at `$.name", "a\nb", "$", "`", "name.", "[0]", "x" * 2000])
def test_strange_keys_are_shown_on_one_short_line(key: str) -> None:
    with pytest.raises(SpecError) as caught:
        typed({"name": "x", "inner": [{key: 1}]}, Outer, "some.toml", SpecError)
    said = str(caught.value)
    assert said.startswith("some.toml: `inner[0].") and said.isprintable() and len(said) < 1000


def test_deep_and_long_values_are_quoted_briefly() -> None:
    deep: list[Any] = []
    for _ in range(100_000):
        deep = [deep]
    for value in (deep, list(range(10**6)), "x" * 10**6):
        with pytest.raises(DataError) as caught:
            typed({"name": value if isinstance(value, list) else 3, "color": value}, Outer, "some.json")
        assert len(str(caught.value)) < 200


def test_importing_the_package_does_not_import_the_schema() -> None:
    code = "import sys, sweepless; sys.exit('msgspec' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
