"""Walk through what must be true before a release: one line for each, and exit code 1 if something is not.

Tests, site and style are targets of their own: `make release-check` runs them first.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
import venv
from collections.abc import Callable, Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SEARCH = "select --data make_madelon --criterion knn --target 5 --overshoot 2 --budget 20 --quiet --json -"


def read(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def output(*words: object) -> str:
    return subprocess.run([*map(str, words)], cwd=ROOT, check=True, capture_output=True, text=True).stdout.strip()


VERSION = re.search(r'__version__ = "(.+)"', read("src/sweepless/_version.py"))[1]  # type: ignore[index]


def versions_agree() -> str:
    """The version is the same wherever it stands."""
    places = {
        "CITATION.cff": r"^version: (.+)$",
        "packaging/conda-forge/meta.yaml": r'set version = "(.+)"',
    }
    for name, pattern in places.items():
        (found,) = re.findall(pattern, read(name), flags=re.MULTILINE)
        assert found == VERSION, f"{name} says {found}, the package {VERSION}"
    return VERSION


def changelog_is_dated() -> str:
    """The changelog has this version with a date, and nothing unreleased above it."""
    heads = re.findall(r"^## \[(.+?)\](?: - (\d{4}-\d\d-\d\d))?$", read("CHANGELOG.md"), flags=re.MULTILINE)
    released = [head for head in heads if head[0] != "Unreleased"]
    assert released and released[0][0] == VERSION and released[0][1], (
        f"it begins with {heads[:2]}, not {VERSION} - date"
    )
    unreleased = re.search(r"## \[Unreleased\]\s*(.*?)\s*## \[", read("CHANGELOG.md"), flags=re.DOTALL)
    assert unreleased is None or not unreleased[1], "there are unreleased lines above it"
    return f"{released[0][0]}, {released[0][1]}"


def everything_is_committed() -> str:
    """The working tree is clean."""
    assert not output("git", "status", "--porcelain"), "there are changes that are not committed"
    return output("git", "rev-parse", "--short", "HEAD")


def tag_is_free_or_here() -> str:
    """The tag of this version does not stand at another commit, and no other tag of a version at this one."""
    tag = f"v{VERSION}"
    here = output("git", "tag", "--list", "v*", "--points-at", "HEAD").split()
    assert set(here) <= {tag}, f"this commit has the tags {', '.join(here)}, and the package is {VERSION}"
    if not output("git", "tag", "--list", tag):
        return f"{tag} is free: git tag -a {tag} && git push origin {tag}"
    assert output("git", "rev-list", "-1", tag) == output("git", "rev-parse", "HEAD"), f"{tag} is another commit"
    return f"{tag} is here"


def benchmarks_are_there() -> str:
    """The measured results that the pages are drawn from are committed."""
    kept = output("git", "ls-files", "benchmarks/results").splitlines()
    assert kept, "no file is committed in benchmarks/results"
    newest = output("git", "log", "-1", "--format=%cs", "--", "benchmarks/results")
    return f"{len(kept)} files, the newest of {newest}"


def wheel_works_alone() -> str:
    """Wheel and sdist are built, and the wheel searches in a clean environment."""
    shutil.rmtree(ROOT / "dist", ignore_errors=True)
    output(sys.executable, "-m", "build", "--outdir", ROOT / "dist", ROOT)
    (wheel,) = (ROOT / "dist").glob("*.whl")
    with tempfile.TemporaryDirectory() as folder:
        venv.create(folder, with_pip=True)
        binaries = Path(folder) / ("Scripts" if sys.platform == "win32" else "bin")
        output(binaries / "python", "-m", "pip", "install", "--quiet", wheel)
        assert output(binaries / "sweepless", "--version") == f"sweepless {VERSION}"
        assert '"size": 5' in output(binaries / "sweepless", *SEARCH.split())
    return ", ".join(sorted(path.name for path in (ROOT / "dist").iterdir()))


def walk(checks: tuple[Callable[[], str], ...]) -> Iterator[bool]:
    for check in checks:
        what = (check.__doc__ or "").rstrip(".")
        try:
            found, is_true = check(), True
        except (AssertionError, subprocess.CalledProcessError) as error:
            found, is_true = getattr(error, "stderr", None) or str(error), False
        sys.stdout.write(f"{'ok ' if is_true else 'NO '} {what}: {found}\n")
        yield is_true


CHECKS = (
    versions_agree,
    changelog_is_dated,
    everything_is_committed,
    tag_is_free_or_here,
    benchmarks_are_there,
    wheel_works_alone,
)

if __name__ == "__main__":
    sys.exit(0 if all(list(walk(CHECKS))) else 1)
