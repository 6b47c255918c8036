"""Build a wheel that brings the machine code of all kernels, so that nobody's first search waits for the compiler.

The code is for this Python, this version of numba and the levels of x86-64 processors that this one reaches. With
another numba, or on other processors, the same wheel compiles what it needs, like the one without code.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

from sweepless.kernels._cache import SHIPPED
from sweepless.kernels._processor import LEVELS, level_of_host

ROOT = Path(__file__).resolve().parents[1]
WARM = ("-m", "sweepless", "warm", "--n-jobs", "-1")
SEARCH = (
    *("-m", "sweepless", "select", "--data", "make_madelon", "--criterion", "knn", "--target", "5"),
    *("--overshoot", "2", "--budget", "20", "--backward-budget", "10", "--warm-up", "20@5", "--quiet"),
)
PLATFORMS = {"linux": "manylinux_2_17_x86_64", "win32": "win_amd64"}  # what numba asks for says more


def compile_into(
    folder: Path, level: str, words: Sequence[str], more: Mapping[str, str] = MappingProxyType({})
) -> None:
    """Let Python do some work by code for a level, and keep that code in a folder; `more` are environment variables."""
    with tempfile.TemporaryDirectory() as cache:
        made_for = {"NUMBA_CPU_NAME": level, "NUMBA_CPU_FEATURES": "", "NUMBA_CACHE_DIR": cache, **more}
        for _ in range(2):  # of two kinds of one kernel that processes keep at the same moment, one may be lost
            done = subprocess.run([sys.executable, *words], env=os.environ | made_for, capture_output=True, text=True)
            if done.returncode != 0:
                raise RuntimeError(done.stderr)
        for home in Path(cache).iterdir():  # numba names it by the folder of the source and a digest of its place
            shutil.copytree(home, folder / home.name.rpartition("_")[0])


def reached_levels() -> list[str]:
    """Return the levels whose code this processor can run."""
    if sys.platform not in PLATFORMS or (highest := level_of_host()) is None:
        raise SystemExit("code is only made on Linux and Windows, by processors of x86-64-v3 and above")
    names = list(LEVELS)
    return names[names.index(highest) :]


def build(wheels: Path, levels: Sequence[str], words: Sequence[str]) -> Path:
    """Build the wheel without code, add code for some levels, and return the new one."""
    with tempfile.TemporaryDirectory() as work:
        _run("build", "--wheel", "--outdir", work, ROOT)
        (plain,) = Path(work).glob("*.whl")
        _run("wheel", "unpack", "--dest", Path(work, "open"), plain)
        (unpacked,) = Path(work, "open").iterdir()
        for level in levels:
            compile_into(unpacked / "sweepless/kernels" / SHIPPED.name / level, level, words)
        python = f"cp{sys.version_info.major}{sys.version_info.minor}"
        (about,) = unpacked.glob("*.dist-info/WHEEL")
        text = about.read_text(encoding="utf-8").replace("Root-Is-Purelib: true", "Root-Is-Purelib: false")
        tag = f"{python}-{python}-{PLATFORMS[sys.platform]}"
        about.write_text(text.replace("Tag: py3-none-any", f"Tag: {tag}"), encoding="utf-8")
        _run("wheel", "pack", "--dest-dir", wheels, unpacked)
        (made,) = wheels.glob(f"*-{tag}.whl")
    return made


def _run(module: str, *words: object) -> None:
    subprocess.run([sys.executable, "-m", module, *map(str, words)], check=True, stdout=subprocess.DEVNULL)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=ROOT / "dist", help="a folder for the wheel")
    parser.add_argument("--quick", action="store_true", help="only what one search needs, for one level: to try this")
    parsed = parser.parse_args()
    parsed.out.mkdir(parents=True, exist_ok=True)
    levels = reached_levels()[: 1 if parsed.quick else None]
    made = build(parsed.out, levels, SEARCH if parsed.quick else WARM)
    print(f"{made}: {made.stat().st_size / 2**20:.1f} MiB, code for {', '.join(levels)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
