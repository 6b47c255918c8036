"""One table in five forms: the same values, each form's own escapes."""

from __future__ import annotations

import csv
import io

import pytest

from sweepless.reports.claims import Claim, claims_table
from sweepless.reports.page import _environment
from sweepless.reports.table import Column, Spread, Table, Tag, latex_escaped

NASTY = r"a_b & 5% <i> $x$ {y} #1 ~ ^ \z | *"
TABLE = Table(
    "Title & more",
    [Column("arm", is_number=False), Column("value"), Column("count")],
    [[Tag("first", "arm-0"), Spread(0.5, 0.25, 3), 12345], [NASTY, -0.125, None]],
    "A note.",
    frozenset({(0, 1)}),
)


def html(table: Table) -> str:
    """Return the table as pages show it."""
    pytest.importorskip("jinja2", reason="pages need jinja2")
    return str(_environment().get_template("parts.html").module.table(table))  # type: ignore[attr-defined]


def test_html_is_escaped_and_keeps_tags_and_marks() -> None:
    text = html(TABLE)
    assert '<span class="tag arm-0">first</span>' in text
    assert "<b>0.5000 ±\u00a00.2500</b>" in text
    assert "12,345" in text
    assert "−0.1250" in text
    assert "&lt;i&gt;" in text
    assert "<i>" not in text
    assert "Title &amp; more" in text


def test_csv_has_full_precision_and_the_parts_of_a_spread() -> None:
    rows = list(csv.reader(io.StringIO(TABLE.csv())))
    assert rows[0] == ["arm", "value mean", "value std", "value n", "count"]
    assert rows[1] == ["first", "0.5", "0.25", "3", "12345"]
    assert rows[2] == [NASTY, "-0.125", "", "", ""]


def test_markdown_does_not_let_a_name_break_the_table() -> None:
    lines = TABLE.markdown().splitlines()
    assert lines[2] == "| arm | value | count |"
    assert lines[3] == "| --- | ---: | ---: |"
    assert lines[4] == "| first | **0.5000 ± 0.2500** | 12,345 |"
    assert r"\| \*" in lines[5]
    assert r"a\_b &amp; 5% &lt;i&gt;" in lines[5]
    assert "A note." in lines


def test_latex_is_escaped() -> None:
    text = TABLE.latex()
    assert r"\toprule" in text
    assert r"\textbf{0.5000 $\pm$ 0.2500}" in text
    assert r"a\_b \& 5\% \textless{}i\textgreater{} \$x\$ \{y\} \#1 \textasciitilde{} \textasciicircum{}" in text
    assert latex_escaped("\\") == r"\textbackslash{}"
    assert r"$-$0.1250" in text


def test_text_is_aligned() -> None:
    lines = TABLE.text().splitlines()
    assert lines[0] == "Title & more"
    assert len(lines[2]) == max(len(line) for line in lines[1:5])
    assert lines[3].startswith("first ")
    assert lines[3].endswith("12,345")
    assert lines[4].endswith("–")


CLAIMS = [
    Claim("C51", "J at d = 20", 0.885025, 0.885, 0.000025, "equal"),
    Claim("C60", "evaluations", 77814, 77600, 214, "within", "without the <warm-up>"),
    Claim("C71", "holdout", 0.91, 0.95, -0.04, "differs"),
    Claim("C98", "minutes", None, "≈ 2", None, "not computed"),
]


def test_claims_are_a_table_with_verdicts() -> None:
    table = claims_table(CLAIMS)
    assert [row[4] for row in table.rows] == ["+2.5e-05", "+214", "-0.04", None]
    assert table.note == "4 claims: 1 equal, 1 within, 1 differs, 1 not computed."
    assert 'class="tag verdict not-computed"' in html(table)
    assert "without the &lt;warm-up&gt;" in html(table)
    assert "| C51 | J at d = 20 | 0.885025 | 0.885 | +2.5e-05 | ✓ equal |" in table.markdown()
    assert "<warm-up>" in table.text() and "<warm-up>" not in claims_table(CLAIMS, notes=False).text()
    assert "note" not in [column.name for column in claims_table(CLAIMS[:1]).columns]


def test_a_verdict_is_one_of_five() -> None:
    from sweepless.errors import InputError

    with pytest.raises(InputError, match="equal, within, differs, not computed, ours, got 'good'"):
        Claim("C1", "x", 1, 1, 0, "good")
