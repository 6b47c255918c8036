"""What packages, workflows and checklists say about this project is what pyproject.toml says."""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from types import ModuleType

import pytest

from tests.conftest import SLOW, is_slow

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
EXTRAS = PROJECT["optional-dependencies"]
OF_DEVELOPERS = {"all", "dev", "bench", "fuzz", "peers", "docs"}
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))


def script(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, ROOT / "packaging" / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_all_is_every_extra_for_users():
    assert EXTRAS["all"] == [f"sweepless[{','.join(name for name in EXTRAS if name not in OF_DEVELOPERS)}]"]


def test_the_recipe_needs_what_the_package_needs():
    recipe = (ROOT / "packaging/conda-forge/meta.yaml").read_text(encoding="utf-8")
    needed = re.findall(r"^    - ([\w-]+) >=([\d.]+)$", recipe.partition("  run:")[2], flags=re.MULTILINE)
    assert [f"{name}>={version}" for name, version in needed] == PROJECT["dependencies"]
    assert f'set version = "{(script("release_check")).VERSION}"' in recipe


def test_the_lowest_versions_are_those_that_are_claimed():
    done = subprocess.run([sys.executable, ROOT / "packaging/lowest.py"], capture_output=True, text=True, check=True)
    listed = done.stdout.split()
    assert [line.replace(">=", "==") for line in PROJECT["dependencies"]] == listed[: len(PROJECT["dependencies"])]
    assert "pandas==2.1" in listed and not any(line.startswith("ruff") for line in listed)


def test_the_pythons_that_are_claimed_are_those_that_are_tested():
    yaml = pytest.importorskip("yaml")
    claimed = [line.rpartition(" ")[2] for line in PROJECT["classifiers"] if re.search(r":: 3\.\d+$", line)]
    jobs = yaml.safe_load((ROOT / ".github/workflows/tests.yml").read_text(encoding="utf-8"))["jobs"]
    assert claimed == jobs["test"]["strategy"]["matrix"]["python"]
    of_lowest = jobs["lowest-versions"]["steps"][1]["with"]["python-version"]
    assert claimed[0] == PROJECT["requires-python"].removeprefix(">=") == of_lowest
    told = " ".join((ROOT / "CHANGELOG.md").read_text(encoding="utf-8").split())
    assert f"Python {claimed[0]} to {claimed[-1]}" in told


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_workflows_may_do_as_little_as_possible(path):
    yaml = pytest.importorskip("yaml")
    workflow = yaml.safe_load(path.read_text(encoding="utf-8"))
    assert workflow["permissions"] in ({}, {"contents": "read"})
    for name, job in workflow["jobs"].items():
        assert job["timeout-minutes"] <= 90
        assert job.get("permissions", {}) in ({}, {"contents": "read"}) or name == "publish"
        for step in job["steps"]:
            if step.get("uses", "").startswith("actions/checkout@"):
                assert step["with"]["persist-credentials"] is False


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_actions_are_pinned_by_hash(path):
    lines = [line for line in path.read_text(encoding="utf-8").splitlines() if "uses:" in line]
    assert [line for line in lines if not re.search(r"uses: [\w-]+/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$", line)] == []


def test_the_make_targets_of_workflows_and_hooks_exist():
    targets = set(re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), flags=re.MULTILINE))
    called = {
        target
        for path in [*WORKFLOWS, ROOT / ".ci/run"]
        for line in re.findall(r"\bmake ([a-z -]+)", path.read_text(encoding="utf-8"))
        for target in line.split()
    }
    assert {"check", "test-minimum", "release-check"} <= called <= targets | {"docs"}


@pytest.mark.parametrize("name", sorted(SLOW))
def test_what_is_listed_as_slow_is_there(name):
    file, _, test = name.partition("[")[0].partition("::")
    assert f"def {test}" in (ROOT / file).read_text(encoding="utf-8")


def test_a_share_of_the_parameters_is_not_slow():
    for name, share in SLOW.items():
        if share:
            n = int(share)
            assert [is_slow(f"{name}[{place}]", place) for place in range(2 * n)].count(False) == 2


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("## [Unreleased]\n\n- a line\n\n## [{}] - 2026-01-01\n", "unreleased lines"),
        ("## [Unreleased]\n\n- a line\n", "not"),
        ("## [{}]\n", "not"),
        ("## [Unreleased]\n\n## [{}] - 2026-01-01\n", None),
    ],
)
def test_a_release_needs_a_dated_changelog(text, said, monkeypatch, capsys):
    checks = script("release_check")
    monkeypatch.setattr(checks, "read", lambda name: text.format(checks.VERSION))
    assert list(checks.walk((checks.changelog_is_dated,))) == [said is None]
    assert said is None or said in capsys.readouterr().out


@pytest.mark.parametrize(
    ("here", "listed", "said"),
    [
        ("", "", "is free"),
        ("v{}", "v{}", "is here"),
        ("", "v{}", "is another commit"),
        ("v99.0", "", "has the tags v99.0"),  # a tag whose package would be another version
    ],
)
def test_a_release_has_the_tag_of_its_version(here, listed, said, monkeypatch, capsys):
    checks = script("release_check")

    def output(*words):
        if "--points-at" in words:
            return here.format(checks.VERSION)
        return (
            listed.format(checks.VERSION) if words[1] == "tag" else "abc" if here or words[1] == "rev-parse" else "def"
        )

    monkeypatch.setattr(checks, "output", output)
    assert list(checks.walk((checks.tag_is_free_or_here,))) == [said in ("is free", "is here")]
    assert said in capsys.readouterr().out
