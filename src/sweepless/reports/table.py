"""One table, written as Markdown, LaTeX, CSV or plain text; pages show it by a template."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

from sweepless._csv import as_csv

MISSING = "–"
_LATEX = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "±": r"$\pm$",
    "−": "$-$",
    "×": r"$\times$",
    "–": "--",
    "—": "---",
} | {character: f"\\{character}" for character in "{}$&#_%"}


@dataclass(frozen=True)
class Spread:
    """A mean and the sample standard deviation around it (None for a single value) of n values."""

    mean: float
    std: float | None
    n: int


@dataclass(frozen=True)
class Tag:
    """A word that pages may color: `kind` is its CSS class."""

    text: str
    kind: str


Value = str | int | float | Spread | Tag | None


@dataclass(frozen=True)
class Column:
    """A heading, the format of the floats below it, and whether the column is aligned as numbers."""

    name: str
    format: str = ".4f"
    is_number: bool = True


@dataclass(frozen=True)
class Table:
    """Rows of values below columns; `marked` holds the (row, column) places to set in bold."""

    title: str
    columns: Sequence[Column]
    rows: Sequence[Sequence[Value]]
    note: str = ""
    marked: frozenset[tuple[int, int]] = frozenset()

    def markdown(self) -> str:
        lines = [
            f"**{markdown_escaped(self.title)}**",
            "",
            _piped([markdown_escaped(column.name) for column in self.columns]),
        ]
        lines.append(_piped(["---:" if column.is_number else "---" for column in self.columns]))
        for texts in self._texts():
            lines.append(
                _piped([f"**{markdown_escaped(text)}**" if bold else markdown_escaped(text) for text, bold in texts])
            )
        if self.note:
            lines += ["", markdown_escaped(self.note)]
        return "\n".join(lines) + "\n"

    def latex(self) -> str:
        """Return a `table` float that needs the package booktabs."""
        alignment = "".join("r" if column.is_number else "l" for column in self.columns)
        lines = [
            r"\begin{table}",
            r"\centering",
            rf"\caption{{{latex_escaped(self.title)}}}",
            rf"\begin{{tabular}}{{{alignment}}}",
            r"\toprule",
            " & ".join(latex_escaped(column.name) for column in self.columns) + r" \\",
            r"\midrule",
        ]
        for texts in self._texts():
            cells = [rf"\textbf{{{latex_escaped(text)}}}" if bold else latex_escaped(text) for text, bold in texts]
            lines.append(" & ".join(cells) + r" \\")
        lines += [r"\bottomrule", r"\end{tabular}"]
        if self.note:
            lines.append(rf"\par\smallskip\footnotesize {latex_escaped(self.note)}")
        return "\n".join([*lines, r"\end{table}"]) + "\n"

    def csv(self) -> str:
        """Return comma-separated values in full precision; a spread becomes mean, std and n."""
        spread = [any(isinstance(row[k], Spread) for row in self.rows) for k in range(len(self.columns))]
        head: list[str] = []
        for column, wide in zip(self.columns, spread, strict=True):
            head += [f"{column.name} {part}" for part in ("mean", "std", "n")] if wide else [column.name]
        lines: list[list[object]] = [list(head)]
        for row in self.rows:
            line: list[object] = []
            for value, wide in zip(row, spread, strict=True):
                if isinstance(value, Spread):
                    line += [value.mean, value.std, value.n]
                else:
                    line += [value.text if isinstance(value, Tag) else value, *([None, None] if wide else [])]
            lines.append(line)
        return as_csv(lines)

    def text(self) -> str:
        """Return the table for a terminal; a star follows what is bold elsewhere."""
        number = [column.is_number and bool(self.marked) for column in self.columns]
        rows = [
            [text + ("*" if bold else " ") * starred for (text, bold), starred in zip(texts, number, strict=True)]
            for texts in self._texts()
        ]
        names = [column.name for column in self.columns]
        widths = [max(map(len, texts)) for texts in zip(names, *rows, strict=True)]

        def line(texts: Sequence[str]) -> str:
            aligned = [
                text.rjust(width) if column.is_number else text.ljust(width)
                for text, width, column in zip(texts, widths, self.columns, strict=True)
            ]
            return "  ".join(aligned).rstrip()

        parts = [self.title, line(names), line(["-" * width for width in widths]), *map(line, rows)]
        return "\n".join(parts + ([self.note] if self.note else [])) + "\n"

    def _texts(self) -> list[list[tuple[str, bool]]]:
        """Return the text at every place, on one line, and whether it is bold."""
        return [
            [
                (" ".join(written(value, column.format).split()), (at, place) in self.marked)
                for place, (column, value) in enumerate(zip(self.columns, row, strict=True))
            ]
            for at, row in enumerate(self.rows)
        ]


def written(value: Value, form: str) -> str:
    """Return a value as readers see it: thousands are separated, and a dash is a missing value."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return MISSING
    if isinstance(value, Tag):
        return value.text
    if isinstance(value, Spread):
        mean = written(value.mean, form)
        return mean if value.std is None else f"{mean} ±\u00a0{written(value.std, form)}"
    if isinstance(value, str):
        return value
    if isinstance(value, int):
        return f"{value:,}".replace("-", "−")
    return re.sub(r"(?<!e)-", "−", f"{value:{form}}")


def latex_escaped(text: str) -> str:
    return "".join(_LATEX.get(character, character) for character in text)


def markdown_escaped(text: str) -> str:
    text = re.sub(r"([\\`*_\[\]|#])", r"\\\1", text)
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _piped(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"
