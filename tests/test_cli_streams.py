"""What reaches a terminal, a pipe or a file: harmless in every locale, quiet when nobody reads on."""

from __future__ import annotations

import gzip
import json
import os
import pty
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from commonplace.cli import main, streams
from commonplace.cli.commands import COMMANDS
from commonplace.errors import NotFound

pytestmark = pytest.mark.slow

BIN = Path(sys.executable).parent
CPL = str(BIN / "commonplace")
# C0 but for newline and tab, DEL, C1, line and paragraph separators, direction marks and overrides
STEERING = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")
OWN = re.compile(r"\x1b\[[012]m|\r|\x1b\[K")  # bold, dim, plain; the line of progress
HAND_MADE = (
    "\x1b]52;c;ZWNobyBwd25lZAo=\x07",
    "\x1b[2J\x1b[H",
    "\x9b2J",
    "\x9d52;c;QQ==\x9c",
    "abc\b\b\bxyz",
    "secret\rOK    ",
    "a\x85b",
    "a\u2028b\u2029c",
    "\u202egnp.exe\u202c",
    "\u2066x\u2069",
    "\x7f\x00",
)


@pytest.fixture
def environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty workspace that is also the working folder."""
    (tmp_path / "home").mkdir()
    root = tmp_path / "notes"
    root.mkdir()
    for name in ("OPENCLAW_STATE_DIR", "NO_COLOR", "PYTHONIOENCODING", "PYTHONUTF8", "PYTHONUNBUFFERED"):
        monkeypatch.delenv(name, raising=False)
    for name, value in (
        ("HOME", f"{tmp_path}/home"),
        ("XDG_STATE_HOME", f"{tmp_path}/state"),
        ("COMMONPLACE_NOW", "2025-11-30T09:00"),
        ("COMMONPLACE_DEVICE", "desk"),
        ("COMMONPLACE_WORKSPACE", str(root)),
    ):
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(root)
    return root


def run(*command: str, **choices: Any) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(command, capture_output=True, timeout=60, check=False, **choices)


def on_terminal(*arguments: str, environment: dict[str, str] | None = None) -> str:
    """What a person sees who runs the command on a terminal, both streams together."""
    parent, child = pty.openpty()
    process = subprocess.Popen(
        [CPL, *arguments], stdin=child, stdout=child, stderr=child, env=os.environ | (environment or {})
    )
    os.close(child)
    seen = b""
    try:
        while piece := os.read(parent, 65536):
            seen += piece
    except OSError:  # the other side has hung up
        pass
    assert process.wait(60) in (0, 1, 2, 3)
    os.close(parent)
    return seen.decode("utf-8", "replace")


# Terminal escapes.


def attacks(shared: Path) -> list[str]:
    with gzip.open(shared / "corpora/terminal/sequences.jsonl.gz", "rt", encoding="utf-8") as lines:
        return [json.loads(line)["text"] for line in lines]


def poisoned(root: Path, texts: list[str]) -> None:
    """The texts wherever text can stand: lines, titles, names, tags, front matter, links, names of files, settings."""
    (root / "memory").mkdir()
    lines = [f"- W @Ana: tea {text} tea" for text in texts]
    lines += [f'- W @"Ana {text}": tea <!-- project: boat{text} · from: x{text} -->' for text in texts]
    (root / "memory/2025-11-27.md").write_text("\n".join(("# 2025-11-27", "", "## Retain", *lines, "")), "utf-8")
    plain = [f"# Tea {text}\n#tags: tea{text}\n\n[[Ana{text}]] drinks tea {text}\n" for text in texts]
    (root / "plain.md").write_text("\n".join(plain), "utf-8")
    questions = [f'## Tea {text}?\n- x{text}\n- tea {text}\n- "tea {text}"\n' for text in texts]
    (root / "memory/golden").mkdir()
    (root / "memory/golden/poisoned.md").write_text("\n".join(questions), "utf-8")
    (root / "bank/entities").mkdir(parents=True)
    (root / "MEMORY.md").write_text(f"# Agent Memory\n- tea {texts[0]}\n", "utf-8")
    for number, text in enumerate(texts):
        name = text.replace("/", "").replace("\0", "")[:40]
        (root / f"bank/entities/{number}{name}.md").write_text(
            f"---\naliases: ['{text}']\nx: [\n---\n# A{text}\ntea\n", "utf-8"
        )


def commands_over(root: Path, text: str) -> list[list[str]]:
    """Every command, so that it prints memory text; and errors that quote an argument."""
    page = sorted(path.name for path in (root / "bank/entities").iterdir())[0]
    return [
        ["init"], ["sync", "--dry-run"], ["sync"], ["recall", "tea", "-k", "200", "--all-scopes"], ["recall", f"tea {text}"],
        ["recall", "tea", "--scope", f"boat {text}"], ["pack", "tea", "--all-scopes", "--budget", "9000", "--receipt"],
        ["why"], ["receipts", "replay"], ["receipts", "replay", f"r-{text}", f"tea {text}"], ["impact", "plain.md#L1"], ["impact", f"x{text}"], ["diff-receipts"], ["diff-receipts", f"r-{text}"], ["test", "memory/golden/poisoned.md", "--update"], ["test", f"x{text}"],
        ["why-not", f"tea {text}", "plain.md#L1"],
        ["show", "plain.md"], ["show", f"bank/entities/{page}"], ["facts", "show", "Ana", "--all"], ["facts", "show", f"x{text}"], ["facts", "lint"], ["entity"], ["entity", "Ana"], ["timeline", "-n", "500"],
        ["retain", f"B tea {text} tea"], ["log", f"tea {text}"], ["rebuild"], ["embed"], ["status"], ["check"],
        ["entity", f"nobody {text}"], ["show", f"none{text}.md"], ["why", f"r-{text}"], ["recall", "tea", "--since", f"x{text}"],
        [f"recal{text}"], ["recall", "tea", f"--x{text}"], ["capture", f"tea {text}", "--session", f"s{text}"], ["ingest", "plain.md"], ["import", "bank"], ["import", f"x{text}"], ["import", "bank", "--owner", f"x{text}"], ["consolidate", "--apply"], ["pending"],
        ["pending", "approve", f"x{text}"], ["skills", "list"], ["skills", "match", f"tea {text}"], ["resume"],
        ["session", "start", f"tea {text}", "--session", f"s{text}"], ["session", "show", "--session", f"s{text}"], ["tags"], ["tags", "tea"],
        ["buffer", "add", f"tea {text}"], ["buffer", "show"], ["audit"], ["undo", f"x{text}"], ["undo", "last"], ["learnings"], ["drill"],
        ["forget", f"x{text}"], ["forget", "--query", f"tea {text}"], ["forget", "--query", "nobody", "--now"], ["forget", "--verify", f"x{text}"],
        ["backup", "../copies"], ["backup", f"../x{text}", "--verify"], ["restore", f"../x{text}", "../again"], ["export"], ["export", f"plain.md/{text[:9]}"],
        ["merge", f"x{text}"], ["merge-driver", "plain.md", "plain.md", "plain.md", f"x{text}"],
        ["scan", "--no-history"], ["scrub"], ["retain", "tea", "--valid", text], ["recall", "tea", "--workspace", f"x{text}"],
        ["install", f"x{text}"], ["install", "generic-mcp", "--workspace", f"tea{text}"], ["uninstall", "cursor"], ["doctor", f"x{text}"],
        ["mcp", f"x{text}"], ["hook", f"x{text}"], ["hook", "claude-code", f"--x{text}"],
        ["page", "--print", f"x{text}"], ["service"], ["service", "--schedule"], ["service", "--launchd"], ["serve", "--port", "0", "--host", f"x{text}"], ["completion", f"sh{text}"], ["demo", f"plain.md/{text[:9]}"],
    ]  # fmt: skip


def check_that_nothing_steers(root: Path, texts: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    poisoned(root, texts)
    text = "".join(texts).replace("\0", "")[:2000]
    runs = commands_over(root, text)
    assert {arguments[0] for arguments in runs} >= {command.name for command in COMMANDS}
    seen = ""
    for arguments in runs:
        for extra in ([], ["--json"]):
            main([*arguments, *extra])
            out, err = capsys.readouterr()
            assert not STEERING.search(out), (arguments, STEERING.findall(out)[:5])
            assert not STEERING.search(err), (arguments, STEERING.findall(err)[:5])
            assert "bug" not in err, (arguments, err)
            seen += out
    assert seen.count("tea") > 100


def test_terminal_escapes_in_memory_text_never_reach_a_stream(
    environment: Path, shared: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    check_that_nothing_steers(environment, attacks(shared), capsys)


def test_nor_do_those_that_we_thought_of(environment: Path, capsys: pytest.CaptureFixture[str]) -> None:
    check_that_nothing_steers(environment, list(HAND_MADE), capsys)


def test_a_terminal_gets_our_emphasis_and_nothing_else(environment: Path) -> None:
    (environment / "note.md").write_text("".join(f"- tea {text}\n" for text in HAND_MADE), "utf-8")
    for arguments in (["recall", "tea", "-k", "50"], ["show", "note.md"], ["recall", "tea", "--json"]):
        seen = on_terminal(*arguments)
        assert not STEERING.search(OWN.sub("", seen)), arguments
        assert ("\x1b[1m1. note.md#L" in seen) is (arguments[0] == "recall" and "--json" not in arguments)


def test_no_color_and_a_pipe_mean_no_emphasis(environment: Path) -> None:
    (environment / "note.md").write_text("- tea\n", "utf-8")
    assert "\x1b" in on_terminal("recall", "tea")
    assert "\x1b" not in on_terminal("recall", "tea", environment={"NO_COLOR": "1"})
    assert b"\x1b" not in run(CPL, "recall", "tea").stdout


def test_json_says_what_the_file_says_whatever_had_to_be_escaped(
    environment: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = [
        f"tea {text} tea" for text in ("\x9b2J", "\u202eabc\u202c", "\x7f", "👩\u200d🚀", "\U000e0041", "é", "\x1b[2J")
    ]
    (environment / "note.md").write_text("".join(f"- {line}\n" for line in lines), "utf-8")
    main(["recall", "tea", "--json"])
    printed = capsys.readouterr().out
    assert not STEERING.search(printed)
    assert sorted(hit["text"] for hit in json.loads(printed)["hits"]) == sorted(lines)


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        ("plain – ünïcode 茶 👩\u200d🚀", "plain – ünïcode 茶 👩\u200d🚀"),
        ("a\tb", "a\tb"),
        ("\x1b[31mred\x07", "␛[31mred␇"),
        ("a\x9bb\x7f", "a\ufffdb\ufffd"),
        ("\u202eabc", "\ufffdabc"),
        ("a\u00a0b\u3000c\u200bd", "a\u00a0b\u3000c\u200bd"),
        ("\udcff", "\ufffd"),
    ],
)
def test_a_line_is_shown_with_signs_for_what_could_steer(line: str, shown: str) -> None:
    assert streams.escape_control_characters(line) == shown


# Locales.


@pytest.mark.parametrize(
    "locale",
    [
        {"LC_ALL": "C"},
        {"LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"},
        {"PYTHONIOENCODING": "ascii"},
        {"PYTHONIOENCODING": "latin-1"},
        {"PYTHONIOENCODING": "ascii:strict"},
    ],
    ids=lambda value: " ".join(f"{k}={v}" for k, v in value.items()),
)
def test_a_locale_that_is_not_utf8_breaks_nothing(environment: Path, locale: dict[str, str]) -> None:
    (environment / "tee.md").write_text("- Grüner Tee 茶 👩\u200d🚀\n", "utf-8")
    ours = {**os.environ, **locale}
    for arguments in (
        ["recall", "Grüner"],
        ["show", "tee.md"],
        ["--help"],
        ["recall", "--help"],
        ["entity", "Ünbekannt"],
    ):
        done = run(CPL, *arguments, env=ours)
        assert done.returncode == (1 if arguments[0] == "entity" else 0), done.stderr
        assert b"Traceback" not in done.stderr
        assert b"bug" not in done.stderr
    printed = run(CPL, "recall", "Grüner", "--json", env=ours).stdout
    assert json.loads(printed)["hits"][0]["text"] == "Grüner Tee 茶 👩\u200d🚀"
    kept = run(CPL, "retain", "Grüner Tee", "--json", env=ours).stdout
    assert json.loads(kept)["record"]["text"] == "Grüner Tee"


@pytest.mark.parametrize("name", ["recall", "pack", "retain", "log", "entity", "show", "why"])
def test_arguments_that_are_not_utf8_are_text_with_replacements(environment: Path, name: str) -> None:
    (environment / "tea.md").write_text("- tea\n", "utf-8")
    done = run(os.fsencode(CPL), name.encode(), b"tea \xff\xfe", b"--json")
    assert done.returncode in (0, 1)
    assert b"bug" not in done.stderr
    json.loads((done.stdout or done.stderr).decode("utf-8"))


def test_a_name_with_surrogates_is_printed_with_replacements() -> None:
    line = streams.json_line({"path": "caf\udce9", "more": ["\ud800"]}, "utf-8")
    assert json.loads(line) == {"path": "caf\ufffd", "more": ["\ufffd"]}
    assert json.loads(streams.json_line("é👩", "ascii")) == "é👩"
    assert streams.json_line("é👩", "ascii").isascii()


# Pipes.


def shell(command: str) -> subprocess.CompletedProcess[bytes]:
    return run("bash", "-c", f"set -o pipefail; {command}")


def long_note(root: Path) -> None:
    (root / "note.md").write_text(
        "".join(f"- tea number {number} {'and more ' * 90}\n" for number in range(900)), "utf-8"
    )


@pytest.mark.parametrize("arguments", ["show note.md", "recall tea -k 900", "recall tea -k 900 --json", "--help"])
def test_a_reader_that_leaves_early_is_no_error(environment: Path, arguments: str) -> None:
    long_note(environment)
    done = shell(f"{shlex.quote(CPL)} {arguments} | head -c 9")
    assert (done.returncode, done.stderr) == (0, b"")
    assert len(done.stdout) == 9


def test_a_reader_that_has_left_before_is_no_error(environment: Path) -> None:
    (environment / "note.md").write_text("- tea\n", "utf-8")
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "wb") as gone:
        done = subprocess.run([CPL, "recall", "tea"], stdout=gone, stderr=subprocess.PIPE, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (0, b"")


def test_a_reader_that_never_was_is_no_error_either(environment: Path) -> None:
    (environment / "note.md").write_text("- tea\n", "utf-8")
    done = shell(f"{shlex.quote(CPL)} recall tea >&-")
    assert (done.returncode, done.stderr) == (0, b"")
    assert shell(f"{shlex.quote(CPL)} entity nobody 2>&-").returncode == 1


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full: a full disk was not simulated")
def test_output_that_cannot_be_written_is_an_error(environment: Path) -> None:
    (environment / "note.md").write_text("- tea\n", "utf-8")
    done = shell(f"{shlex.quote(CPL)} recall tea > /dev/full")
    assert done.returncode == 1
    assert done.stderr == (
        b"commonplace: the operating system refused: no space left on device\nhint: make room on the disk, then repeat\n"
    )


# Progress.


def test_long_work_is_shown_on_a_terminal_and_only_there(environment: Path) -> None:
    for number in range(600):
        (environment / f"{number}.md").write_text(f"- tea {number}\n", "utf-8")
    seen = on_terminal("rebuild")
    assert "250 of 600 files" in seen
    assert "500 of 600 files" in seen
    assert seen.index("\r\x1b[K") < seen.index("added     0.md")
    quiet = run(CPL, "rebuild")
    assert quiet.stderr == b"600 changes; 600 files, 600 records\n"
    assert b"\r" not in quiet.stdout + quiet.stderr


def test_short_work_is_not_shown(environment: Path) -> None:
    (environment / "note.md").write_text("- tea\n", "utf-8")
    assert "files\x1b" not in on_terminal("rebuild")
    assert "\x1b[K" not in on_terminal("rebuild")


# Errors.


def test_an_error_is_printed_on_as_many_lines_as_it_has(capsys: pytest.CaptureFixture[str]) -> None:
    assert streams.print_error(NotFound("entity", "Petr", ("Peter", "Petra")), as_json=False) == 1
    assert capsys.readouterr().err == "commonplace: no entity 'Petr'\nhint: did you mean Peter or Petra?\n"
