"""SGML: what elements hold, and every way in which a file can be broken."""

from __future__ import annotations

import gzip
import time
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sweepless.errors import DataError
from sweepless.paper.sgml import MAX_BYTES, Element, read_sgml


def read(write, text, name="some.sgm"):
    return list(read_sgml(write(name, text.encode("latin-1"))))


def test_elements_attributes_and_texts(write):
    text = (
        '<!DOCTYPE lewis SYSTEM "lewis.dtd">\n<!-- a comment with <tags> -->\n'
        '<a ONE="1" two=\'II\' three=3 four="">x<b>y</b><c></c>z &lt;&amp;&gt;</a>\n\n'
        "<A>&#65;&#x42;&#3; AT&T & \xe9</A>\n"
    )
    first, second = read(write, text)
    assert (first.name, second.name) == ("A", "A")
    assert (first.line, second.line) == (3, 5)
    assert first.attributes == {"ONE": "1", "TWO": "II", "THREE": "3", "FOUR": ""}
    assert [part if isinstance(part, str) else part.name for part in first.parts] == ["x", "B", "C", "z <&>"]
    assert first.text().split() == ["x", "y", "z", "<&>"]
    assert [child.text() for child in first.children("B")] == ["y"]
    assert second.text() == "AB\x03 AT&T & é"


def test_a_gzipped_file_reads_alike(write):
    text = "<a b='c'>d</a>"
    assert read(write, text, "packed.sgm.gz") == read(write, text)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("<a>\n<b>\n</a>", r"line 3: </B> must come first, got '</a>'"),
        ("<a>\n<b>x", r"line 2: <B> must be closed, got the end of the file"),
        ("\n</a>", r"line 2: an opening tag must come first, got '</a>'"),
        ("<a></a x>", r"a closing tag must hold a name only, got '</a x>'"),
        ("<a>1 < 2</a>", r"line 1: a < must begin a tag that ends with >, got '< 2</a>'"),
        ("<a>\n<b c='", r"line 2: a < must begin a tag that ends with >"),
        ("<a b></a>", r"attributes must be given as NAME=\"value\", got 'b'"),
        ("<a b=1 b=2></a>", r"an attribute must be given once, got 'b'"),
        ('<a b="1></a>', r"attributes must be given as NAME=\"value\""),
        ("<!-- <a></a>", r"line 1: what begins with <! must end with -->"),
        ("<a>\n</a>\nx<a></a>", r"line 3: text must stand in an element, got 'x'"),
        ("<a>\n&nbsp;</a>", r"line 2: a reference must be the number of a character or one of lt, gt, amp"),
        ("<a>&#1114112;</a>", r"a reference must be .* got '&#1114112;'"),
        ("<a>&#xd800;</a>", r"a reference must be"),
        ("<a>&#" + "9" * 100_000 + ";</a>", r"a reference must be .* got '&#9999"),
        ("<a b='&x;'></a>", r"a reference must be"),
        ("<a>" * 40, r"elements must be nested at most 32 deep"),
        ("<a>" + "<b></b>" * 100_000 + "</a>", r"an element must hold fewer than 100000 others, got 'more'"),
    ],
)
def test_broken_texts(write, text, message):
    with pytest.raises(DataError, match=message) as caught:
        read(write, text)
    assert "some.sgm" in str(caught.value)


def test_broken_files(write, tmp_path):
    packed = gzip.compress(b"<a>" + bytes(range(65, 91)) * 100 + b"</a>")
    for content in (packed[:-20], packed[:20], b"\x1f\x8bnot packed"):
        with pytest.raises(DataError, match=r"broken.sgm must be a complete gzip file"):
            list(read_sgml(write("broken.sgm", content)))
    with pytest.raises(DataError, match="must be a complete gzip file"):
        plain = tmp_path / "plain.sgm.gz"
        plain.write_bytes(b"<a></a>")
        list(read_sgml(plain))
    with pytest.raises(DataError, match="must hold at most 67108864 bytes, got more"):
        list(read_sgml(write("bomb.sgm.gz", bytes(MAX_BYTES + 1))))
    with pytest.raises(DataError, match="line 2: the file must be utf-8 text"):
        list(read_sgml(write("latin.sgm", "<a>\n\xe9</a>".encode("latin-1")), encoding="utf-8"))


@pytest.mark.parametrize(
    "text",
    [
        "<a" + " b=1" * 500_000 + ">",
        "<a" + "".join(f" b{k}=1" for k in range(200_000)) + "></a>",
        "<a" + " " * 1_000_000 + "b" * 1_000_000 + ">",
        "<a>" + "&" * 1_000_000 + "</a>",
        "<a>" + "&x" * 1_000_000 + "</a>",
        "<a></a>" * 50_000,
        "<a></a>" + "\n" * 2_000_000 + "x",
        "<!" * 500_000,
        "<a b='" * 300_000,
    ],
    ids=["attributes", "more attributes", "blanks", "ampersands", "references", "elements", "lines", "marks", "quotes"],
)
def test_long_texts_take_no_more_than_their_length(write, text):
    began = time.process_time()
    with suppress(DataError):
        read(write, text)
    assert time.process_time() - began < 5.0


@given(st.text(alphabet="<>/!-ab=\"'&#;1 \n", max_size=60))
def test_any_text_is_read_or_refused(write, text):
    try:
        found = read(write, text or " ")
    except DataError:
        return
    assert all(isinstance(element, Element) for element in found)
