"""Changes of valid files that keep most of their structure: what random bytes would take years to find."""

from __future__ import annotations

import gzip
import io
import random
import re
import warnings
import zipfile

_TOKENS = re.compile(rb"[\w.+-]+|\s+|.", re.DOTALL)
_HOSTILE = (
    *(b"nan", b"inf", b"-inf", b"-0", b"0", b"1", b"-1", b"1e308", b"1e999", b"1e-400", b"5e-324", b"16777217", b"0.1"),
    *(b"7.006492321624085e-46", b"9" * 25, b"9" * 5000, b"1_000", b"0x10", b".", b"e", b"-", b"", b" ", b"\t", b"\n"),
    *(b"\r", b"\r\n", b"\0", b"\xff", b"\x1b[31m", b"\xef\xbb\xbf", "٣".encode(), "\u2028".encode(), b"\x85", b"'"),
    *(b'"', b"\\", b"%", b"#", b",", b";", b":", b"{", b"}", b"[", b"]", b"<", b">", b"&", b"=", b"(", b")", b"\x1c"),
    *(b"4294967296", b"9223372036854775807", b"18446744073709551616", b"1000000000", b"2147483648", b"100000"),
)


def mutated(content: bytes, other: bytes, words: tuple[str, ...], rng: random.Random, longest: int) -> bytes:
    """Change a file in a few places; `other` is another valid file to take parts from."""
    if content.startswith(b"PK"):
        changed = _archive(content, words, rng)
    elif content.startswith(b"\x93NUMPY"):
        changed = _array(content, words, rng)
    else:
        changed = _text(content, other, words, rng)
        if rng.random() < 0.02:
            changed = gzip.compress(changed, 1)
    return changed[:longest]


def _text(content: bytes, other: bytes, words: tuple[str, ...], rng: random.Random) -> bytes:
    tokens = _TOKENS.findall(content)
    known = (*_HOSTILE, *(word.encode() for word in words), *(word.encode() for word in words))
    for _ in range(rng.choice((1, 1, 2, 3, 6))):
        place = rng.randrange(len(tokens) + 1)
        match rng.randrange(9):
            case 0:
                del tokens[place : place + rng.choice((1, 1, 2, 5))]
            case 1 | 2:
                tokens[place : place + 1] = [rng.choice(known)]
            case 3:
                tokens.insert(place, rng.choice(known))
            case 4:
                tokens[place:place] = tokens[place : place + rng.choice((1, 3, 12))] * rng.choice((1, 2, 50, 500))
            case 5 if len(tokens) > 1:
                a, b = rng.randrange(len(tokens)), rng.randrange(len(tokens))
                tokens[a], tokens[b] = tokens[b], tokens[a]
            case 6:
                taken = _TOKENS.findall(other)
                start = rng.randrange(len(taken) + 1)
                tokens[place:place] = taken[start : start + rng.choice((1, 5, 30))]
            case 7:
                lines = b"".join(tokens).split(b"\n")
                at = rng.randrange(len(lines))
                lines[at : at + 1] = rng.choice(([], [lines[at]] * 2, [lines[rng.randrange(len(lines))]]))
                tokens = _TOKENS.findall(b"\n".join(lines))
            case _:
                whole = bytearray(b"".join(tokens) or b" ")
                whole[rng.randrange(len(whole))] = rng.randrange(256)
                tokens = _TOKENS.findall(bytes(whole))
    return b"".join(tokens)


def _array(content: bytes, words: tuple[str, ...], rng: random.Random) -> bytes:
    """Change the header of an NPY file, its length or its content."""
    at = 10 + int.from_bytes(content[8:10], "little")
    head, rest = content[10:at].rstrip(), content[at:]
    known = (
        "'descr': ",
        "'shape': ",
        "'<f8'",
        "'<i2'",
        "'|O'",
        "'<U3'",
        "'<c16'",
        "'<M8[s]'",
        "'|V8'",
        "'>f4'",
        "'<f2'",
    )
    sizes = ("(3,)", "(-1,)", "()", "(0,)", "(2, 3)", "(1000000000, 1000000000)", "True", "False", "9" * 30, "(" * 90)
    dtypes = ("'<U100000000'", "[('a', '<f8')]", "'<f16'", "'|b1'", "'|S1'", "'<m8'", "'<q'", "'|u1'", "''", "L", "\\d")
    if rng.random() < 0.7:
        head = _text(head, head, (*known, *sizes, *dtypes, *words), rng)
    if rng.random() < 0.5:
        rest = _text(rest, rest, (), rng)
    if rng.random() < 0.3:
        place = rng.randrange(len(rest) + 1)
        rest = (
            rest[:place] + rng.choice((b"\0" * 8, b"\xff" * 8, b"\x00\x00\x00\x00\x00\x00\xf0\x7f")) + rest[place + 8 :]
        )
    length = len(head) if rng.random() < 0.9 else rng.randrange(65536)
    return (
        b"\x93NUMPY" + bytes([rng.choice((1, 1, 1, 2, 3)), 0]) + min(length, 65535).to_bytes(2, "little") + head + rest
    )


def _archive(content: bytes, words: tuple[str, ...], rng: random.Random) -> bytes:
    """Change a member of an archive, or the archive itself."""
    if rng.random() < 0.25:
        return _text(content, content, words, rng)
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            members = [(info.filename, archive.read(info)) for info in archive.infolist()]
    except Exception:  # of an archive that was changed before
        return _text(content, content, words, rng)
    known = (
        "X.npy",
        "y.npy",
        "feature_names.npy",
        "classes.npy",
        "indices.npy",
        "indptr.npy",
        "format.npy",
        "shape.npy",
    )
    buffer, names = io.BytesIO(), set[str]()
    method = rng.choice((zipfile.ZIP_STORED, zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2))
    with zipfile.ZipFile(buffer, "w", method) as archive, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of names that occur twice
        for name, held in members:
            if rng.random() < 0.04:
                name = rng.choice(known)
            if rng.random() < 0.03:
                continue
            if rng.random() < 1.2 / len(members):
                held = _array(held, words, rng) if held.startswith(b"\x93NUMPY") else _text(held, held, words, rng)
            elif rng.random() < 0.05:
                held = rng.choice(members)[1]
            if name in names and rng.random() < 0.8:
                continue
            names.add(name)
            info = zipfile.ZipInfo(name)
            info.compress_type = method
            archive.writestr(info, held)
    return buffer.getvalue()
