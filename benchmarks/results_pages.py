"""Put the tables of finished campaigns into docs/results: between `<!-- TARGET -->` and `<!-- end -->` of every page.

Runs nothing: what `sweepless reproduce -o DIR` has finished in DIR is judged again and written.
"""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path

from sweepless.paper.measures import Runs
from sweepless.paper.targets import TARGETS
from sweepless.reports.claims import Claim, verdicts_counted
from sweepless.reports.rundir import read_run

PAGES = Path(__file__).resolve().parents[1] / "docs" / "results"


def judged(name: str, out: Path) -> list[Claim]:
    target = TARGETS[name]
    there = [campaign for campaign in target.campaigns if (out / campaign / "run.json").is_file()]
    runs = Runs({campaign: read_run(out / campaign) for campaign in there})
    return [printed.judged(runs) for printed in target.printed]


def _seeds(claim: Claim) -> str:
    """Say on which seeds a number was measured if they are fewer than the paper's."""
    return f" ({claim.note})" if re.search(r": seeds? [\d, -]+ only", claim.note) else ""


def table(claims: list[Claim]) -> str:
    """Return the computed rows, and which claims have rows that were not."""
    lines = ["| claim | what | ours | paper | verdict |", "|---|---|---:|---:|---|"]
    lines += [
        f"| {claim.id} | {claim.what}{_seeds(claim)} | {claim.ours} | {claim.paper} | {claim.verdict} |"
        for claim in claims
        if claim.verdict != "not computed"
    ]
    open_rows = dict.fromkeys(claim.id for claim in claims if claim.verdict == "not computed")
    waiting = f" Rows not computed yet belong to {', '.join(open_rows)}." if open_rows else ""
    return "\n".join(lines) + f"\n\n{verdicts_counted(claims)}{waiting}\n"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("out", type=Path, help="the directory of `sweepless reproduce -o`")
    out = parser.parse_args().out
    for page in sorted(PAGES.glob("*.md")):
        text = page.read_text(encoding="utf-8")

        def renewed(found: re.Match[str]) -> str:
            return f"<!-- {found[1]} -->\n{table(judged(found[1], out))}<!-- end -->"

        new = re.sub(r"<!-- ([a-z-]+) -->\n.*?<!-- end -->", renewed, text, flags=re.DOTALL)
        if new != text:
            page.write_text(new, encoding="utf-8")
            print(page)
    return 0


if __name__ == "__main__":
    sys.exit(main())
