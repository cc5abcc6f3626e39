"""The completion scripts offer what the commands take, in real shells where there are any."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from commonplace.cli import main
from commonplace.cli.commands import COMMANDS

NAMES = [command.name for command in COMMANDS]
BEHIND_NOTHING = {*NAMES, "--workspace", "--json", "--help", "--version"}


def script(shell: str, capsys: pytest.CaptureFixture[str]) -> str:
    capsys.readouterr()
    assert main(["completion", shell]) == 0
    return capsys.readouterr().out


def run(shell: str, *arguments: str, text: str = "") -> str:
    done = subprocess.run([shell, *arguments], input=text, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (0, ""), done.stderr
    return done.stdout


@pytest.fixture
def bash(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    path = tmp_path / "completion.bash"
    path.write_text(script("bash", capsys), encoding="utf-8")
    return path


def offered(path: Path, line: str) -> list[str]:
    """What bash would offer behind this line, asked the way it asks: the words, and which one is being written."""
    words = line.split(" ")
    asked = " ".join(f"'{word}'" for word in words)
    code = f"source '{path}'; COMP_WORDS=({asked}); COMP_CWORD={len(words) - 1}; _commonplace; printf '%s\\n' \"${{COMPREPLY[@]}}\""
    return run("bash", "--norc", "-c", code).split()


def test_bash_takes_the_script_for_both_names(bash: Path) -> None:
    run("bash", "-n", str(bash))
    told = run("bash", "--norc", "-c", f"source '{bash}'; complete -p commonplace cpl")
    assert told == "complete -o default -F _commonplace commonplace\ncomplete -o default -F _commonplace cpl\n"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("commonplace ", BEHIND_NOTHING),
        ("commonplace re", {"retain", "recall", "rebuild", "restore", "resume"}),
        ("cpl --json re", {"retain", "recall", "rebuild", "restore", "resume"}),
        ("commonplace --workspace recall st", {"status"}),
        ("commonplace --workspace re", set()),
        ("commonplace recall --workspace re", set()),
        ("commonplace recall --a", {"--around", "--all-scopes", "--as-of"}),
        ("commonplace recall tea --n", {"--no-sync"}),
        ("commonplace recall tea --kind o", {"opinion", "observation"}),
        ("commonplace pack tea --format ", {"commonplace", "openclaw-mem"}),
        ("commonplace retain tea --actor a", {"agent"}),
        ("commonplace completion ", {"bash", "zsh", "fish", "--workspace", "--json", "--help"}),
        ("commonplace recall tea --since ", set()),
        ("commonplace retain recall --v", {"--valid"}),
    ],
)
def test_bash_offers_what_may_stand_there(bash: Path, line: str, words: set[str]) -> None:
    assert set(offered(bash, line)) == words


@pytest.mark.slow
def test_every_long_option_of_every_command_is_offered(bash: Path) -> None:
    for command in COMMANDS:
        options = {o for action in command.parser()._actions for o in action.option_strings if o.startswith("--")}
        assert set(offered(bash, f"commonplace {command.name} --")) == options


ZSH = """
compdef() {{ print -- "compdef $*" }}
compadd() {{ shift; print -l -- $* }}
_files() {{ print FILES }}
source {path}
words=({words}); CURRENT=$#words; PREFIX=$words[-1]
_commonplace
"""


def test_zsh_takes_the_script_and_offers_the_same(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    if shutil.which("zsh") is None:
        pytest.skip("there is no zsh here: its completion was not run")
    path = tmp_path / "completion.zsh"
    path.write_text(script("zsh", capsys), encoding="utf-8")
    run("zsh", "-n", str(path))
    told = run("zsh", "-f", text=ZSH.format(path=path, words="commonplace recall --kind ''"))
    assert set(told.split()[4:]) == {"world", "experience", "opinion", "observation", "FILES"}


def test_fish_takes_the_script_and_offers_the_same(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    if shutil.which("fish") is None:
        pytest.skip("there is no fish here: its completion was not run")
    path = tmp_path / "completion.fish"
    path.write_text(script("fish", capsys), encoding="utf-8")
    told = run("fish", "--no-config", "-c", f"source {path}; complete -C 'commonplace recall --kind '")
    assert {line.split("\t")[0] for line in told.split("\n")} == {"world", "experience", "opinion", "observation", ""}


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_the_other_scripts_name_every_command_and_option(shell: str, capsys: pytest.CaptureFixture[str]) -> None:
    text = script(shell, capsys)
    for command in COMMANDS:
        assert command.name in text
        for action in command.parser()._actions:
            for option in action.option_strings:
                assert not option.startswith("--") or (option if shell == "zsh" else f"-l {option[2:]}") in text
