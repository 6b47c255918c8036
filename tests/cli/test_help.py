"""Help inside the tool: one screen, examples that are real, the nearest name for a wrong one, completion."""

from __future__ import annotations

import re
import shlex
import subprocess
from pathlib import Path

import pytest

from sweepless._nearest import nearest
from sweepless.cli import main
from sweepless.cli.main import build_parser
from sweepless.cli.parser import commands_of, options_of

ROOT = Path(__file__).parents[2]
COMMANDS = commands_of(build_parser())


def test_alone_it_explains_itself_in_one_screen(capsys):
    assert main([]) == 0
    said = capsys.readouterr().out.splitlines()
    assert len(said) <= 30 and max(map(len, said)) <= 120
    assert all(any(line.startswith(f"  {name} ") for line in said) for name in COMMANDS)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_shows_examples_and_its_page(name):
    shown = COMMANDS[name].format_help()
    examples = re.findall(r"^  sweepless (.*)$", shown, flags=re.MULTILINE)
    assert examples
    for example in examples:
        assert build_parser().parse_args(shlex.split(example)).command == name
    (page,) = re.findall(r"^guide: (.*)$", shown, flags=re.MULTILINE)
    assert f"sweepless {name}" in (ROOT / page).read_text(encoding="utf-8")


def test_the_examples_of_the_first_screen_are_real(capsys):
    main([])
    for example in re.findall(r"^  sweepless ((?:select|compare) .*?)  ", capsys.readouterr().out, flags=re.MULTILINE):
        build_parser().parse_args(shlex.split(example))


@pytest.mark.parametrize(
    ("words", "suggested"),
    [
        ("selct --data x", "select"),
        ("select --data make_madelon --criterion knnn", "knn"),
        ("select --data make_madelon --critrion=knn", "--criterion"),
        ("select --data make_madelon --metod SFS", "--method"),
        ("select --data make_madelon --method ssfs", "'sSFS'"),
        ("select --data make_madelon --method SFSF", "'SFS'"),
        ("select --data make_madelon --method SSFS", "'sSFS'"),
        ("select --data make_madalon", "'make_madelon'"),
        ("select --data make_madelon --option max_dept=3 --method OS", "'max_depth'"),
        ("select --data make_madelon --criterion ridge --score acuracy", "'accuracy'"),
        ("select --data {table} --label tisue", "'tissue'"),
        ("select --data {table} --label tissue --drop Patient", "'patient'"),
        ("compare {table} --label tissue --judges fores", "'forest'"),
        ("reproduce madelon-colapse", "madelon-collapse"),
        ("--versoin", "--version"),
    ],
)
def test_a_wrong_name_gets_the_nearest(words, suggested, tmp_path, capsys):
    if words.startswith("compare"):
        pytest.importorskip("plotly")  # which is asked for before anything else
    table = tmp_path / "table.csv"
    rows = [f"{k},{k % 2},{'ab'[k % 2]}" for k in range(40)]
    table.write_text("\n".join(["patient,gene,tissue", *rows]), encoding="utf-8")
    try:
        code = main(words.format(table=table).split())
    except SystemExit as ended:
        code = ended.code
    said = capsys.readouterr().err
    assert code == 2 and said.count("\n") == 1
    assert f" (did you mean {suggested}?)" in said


def test_a_word_where_a_number_belongs(capsys):
    with pytest.raises(SystemExit):
        main(["select", "--data", "make_madelon", "--max-seconds", "long"])
    assert "argument --max-seconds: it must be a number, got 'long';" in capsys.readouterr().err


def test_an_option_of_a_command_stands_behind_it(capsys):
    with pytest.raises(SystemExit):
        main(["--debug", "methods"])
    assert capsys.readouterr().err.startswith("sweepless methods: --debug must stand behind the command;")


def test_nothing_is_suggested_for_what_is_like_nothing(capsys):
    with pytest.raises(SystemExit):
        main(["zebra"])
    assert "did you mean" not in capsys.readouterr().err
    assert nearest("SFS", []) is None


def completed(line: str) -> list[str]:
    """Return what bash would offer behind the words of a line."""
    words = line.split(" ")
    quoted = " ".join(f"'{word}'" for word in words)
    script = f"COMP_WORDS=({quoted}); COMP_CWORD={len(words) - 1}; _sweepless; echo ${{COMPREPLY[@]}}"
    done = subprocess.run(["bash", "-c", f"{completed.script}\n{script}"], capture_output=True, text=True, check=True)
    return done.stdout.split()


@pytest.fixture()
def bash(capsys):
    assert main(["completion", "bash"]) == 0
    completed.script = capsys.readouterr().out


@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("sweepless se", ["select"]),
        ("sweepless select --crit", ["--criterion"]),
        ("sweepless select --data x.csv --criterion gau", ["gaussian-nb"]),
        ("sweepless select --method sSFF", ["sSFFS"]),
        ("sweepless reproduce madelon-r", ["madelon-retention"]),
        ("sweepless completion z", ["zsh"]),
        ("sweepless select --data some", []),  # files, which bash offers by itself
    ],
)
def test_bash_completes(line, offered, bash):
    assert completed(line) == offered


def test_every_option_is_completed_in_every_shell(capsys):
    scripts = {}
    for shell in ("bash", "zsh", "fish"):
        assert main(["completion", shell]) == 0
        scripts[shell] = capsys.readouterr().out
    assert scripts["zsh"].endswith(scripts["bash"]) and "bashcompinit" in scripts["zsh"]
    for name, parser in COMMANDS.items():
        for option in options_of(parser):
            assert re.search(rf"\*:{name}\) words=.*{option}[ \"]", scripts["bash"])
            assert re.search(rf"seen_subcommand_from {name}' -l {option[2:]} ", scripts["fish"])
