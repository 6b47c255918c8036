"""Feed readers with files that nobody would write.

    python fuzz/run.py --reader arff --seconds 60          # coverage-guided, with atheris
    python fuzz/run.py --engine mutate --runs 10000        # all readers, without

Starts from `fuzz/corpus/<reader>` and from what earlier runs found new in `--work`. The first input that a reader must
not treat so is kept there and named; put it into `tests/fuzz/cases/<reader>`, where every test run tries it again.
"""

from __future__ import annotations

import argparse
import os
import pkgutil
import random
import re
import resource
import subprocess
import sys
import tempfile
import time
from collections import Counter
from importlib import import_module
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

ROOT = Path(__file__).resolve().parents[1]
LONGEST = 8192  # bytes of an input
MEMORY = 1 << 30  # bytes that a reader may take
INSTRUMENTED = [f"sweepless.{room}" for room in ("data", "paper", "dataset", "journal", "runs", "schema")]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--reader", default="all")
    parser.add_argument("--runs", type=int, default=-1, help="inputs per reader")
    parser.add_argument("--seconds", type=int, default=60, help="per reader")
    parser.add_argument("--engine", choices=("atheris", "mutate"), default="atheris")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--work", type=Path, default=ROOT / "build" / "fuzz")
    given = parser.parse_args()
    if given.reader == "all":
        return _all(given)
    given.work = given.work.resolve() / given.reader
    given.work.mkdir(parents=True, exist_ok=True)
    return _coverage_guided(given) if given.engine == "atheris" else _mutated(given)


def _all(given: argparse.Namespace) -> int:
    """Run every reader in a process of its own and add up."""
    from readers import READERS

    total, failed = 0, []
    for name in READERS:
        options = ["--runs", given.runs, "--seconds", given.seconds, "--engine", given.engine, "--seed", given.seed]
        command = [sys.executable, __file__, "--reader", name, *map(str, options), "--work", str(given.work)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        counts = re.findall(r"^(\d+) inputs", done.stdout, re.MULTILINE) or re.findall(r"Done (\d+) runs", done.stderr)
        total += int(counts[-1]) if counts else 0
        print(
            f"{name}: {counts[-1] if counts else '?'} inputs, {'fine' if done.returncode == 0 else 'FAILED'}",
            flush=True,
        )
        if done.returncode:
            failed.append(name)
            print(done.stdout[-1000:], done.stderr[-4000:], flush=True)
    print(f"{total} inputs in all; {', '.join(failed) or 'no reader'} failed")
    return int(bool(failed))


def _limit_memory() -> None:
    """Let a reader that takes what a file only declares fail here, not the machine."""
    taken = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (taken + MEMORY, taken + MEMORY))


def _coverage_guided(given: argparse.Namespace) -> int:
    import atheris

    import sweepless.kernels

    for module in pkgutil.iter_modules(sweepless.kernels.__path__):  # what is compiled cannot be instrumented
        import_module(f"sweepless.kernels.{module.name}")
    with atheris.instrument_imports(include=INSTRUMENTED):
        from mutator import mutated
        from readers import CORPUS, READERS, check

        import sweepless.journal.run
    reader, seeds = READERS[given.reader], _seeds(CORPUS / given.reader)
    directory = Path(tempfile.mkdtemp(dir=_memory()))

    def one_input(content: bytes) -> None:
        check(reader, content, directory)

    def change(content: bytes, longest: int, seed: int) -> bytes:
        rng = random.Random(seed)
        if rng.random() < 0.4:
            return bytes(atheris.Mutate(content, longest))
        return mutated(content, rng.choice(seeds), reader.words, rng, longest)

    for seed in seeds:  # so that everything is loaded before memory is counted
        check(reader, seed, directory)
    _limit_memory()
    limits = [f"-runs={given.runs}", f"-max_total_time={given.seconds}", "-timeout=20", f"-seed={given.seed + 1}"]
    files = [f"-artifact_prefix={given.work}-", f"-max_len={LONGEST}", str(given.work), str(CORPUS / given.reader)]
    atheris.Setup([sys.argv[0], *limits, "-print_final_stats=1", *files], one_input, custom_mutator=change)
    atheris.Fuzz()
    return 0


def _mutated(given: argparse.Namespace) -> int:
    from mutator import mutated
    from readers import CORPUS, READERS, check

    reader, seeds = READERS[given.reader], _seeds(CORPUS / given.reader)
    rng, outcomes, began = random.Random(given.seed), Counter[str](), time.monotonic()
    with tempfile.TemporaryDirectory(dir=_memory()) as directory:
        for seed in seeds:
            check(reader, seed, Path(directory))
        _limit_memory()
        while outcomes.total() != given.runs and time.monotonic() - began < given.seconds:
            content = mutated(rng.choice(seeds), rng.choice(seeds), reader.words, rng, LONGEST)
            try:
                outcomes[check(reader, content, Path(directory))] += 1
            except BaseException:
                kept = given.work.with_name(f"{given.reader}-{os.getpid()}")
                kept.write_bytes(content)
                print(f"kept as {kept}")
                raise
    print(f"{outcomes.total()} inputs: {dict(outcomes)}")
    return 0


def _memory() -> str | None:
    """Return a directory that is no disk, where there is one."""
    return "/dev/shm" if Path("/dev/shm").is_dir() else None


def _seeds(directory: Path) -> list[bytes]:
    return [file.read_bytes() for file in sorted(directory.iterdir())]


if __name__ == "__main__":
    sys.exit(main())
