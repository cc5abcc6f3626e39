"""The command line: what it takes, what it prints, how it ends; the same as `Memory` says."""

from __future__ import annotations

import io
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from jsonschema import Draft202012Validator

from commonplace import Memory, shapes
from commonplace.cli import main
from commonplace.cli.commands import COMMANDS
from commonplace.operations.declarations import OPERATIONS
from commonplace.operations.serializers import answer_json
from commonplace.retrieval.pack import to_context_pack_v1
from tests.support.schemas import SCHEMAS, validator

CONFLICT_COPY = "memory/2025-11-27.sync-conflict-20251128-101010-ABCDEFG.md"

NOW = "2025-11-30T09:00"
BIN = Path(sys.executable).parent
NAMES = tuple(command.name for command in COMMANDS)
FOREIGN = "openclaw-mem.context-pack.v1"  # described by the program that reads it
NOTEBOOK = {
    "MEMORY.md": "# Agent Memory\n#tags: home\nlast_verified: 2025-11-30\nlast_updated: 2025-11-30\n\n- The boat is green.\n",
    "memory/2025-11-27.md": (
        "# 2025-11-27\n\n## Retain\n"
        "- W @Peter: In Marrakech for the birthday of Andy. <!-- id: andy27 -->\n"
        "- O(c=0.9) @Peter: Prefers mint tea. <!-- id: mint27 · importance: 0.9 · from: andy27 -->\n"
        "- W @Gateway: The gateway listens on port 8443. <!-- id: port27 · project: api_server -->\n"
    ),
    "memory/golden.md": "## Where is Peter?\n- andy27\n",
    "chat.jsonl": '{"text": "Tea at nine.", "ts": "2025-11-27T09:00"}\n',
    "ltm.json": '[{"id": "a", "text": "The mast is of ash.", "category": "fact", "createdAt": 1764236400000}]',
    "bank/entities/Peter.md": "---\naliases: [Pete]\n---\n# Peter\n\nA painter from Oslo.\n",
}
# One run of each command, as it is used.
RUNS: dict[str, list[str]] = {
    "init": ["init"],
    "retain": ["retain", "W @Ana: Sails on Sunday."],
    "log": ["log", "Called Ana."],
    "capture": ["capture", "My sister Ana moved to Bern.", "--session", "s1"],
    "ingest": ["ingest", "chat.jsonl"],
    "import": ["import", "ltm.json"],
    "consolidate": ["consolidate"],
    "pending": ["pending"],
    "skills": ["skills", "list"],
    "resume": ["resume"],
    "session": ["session", "start", "Tune the harp", "--session", "s1"],
    "buffer": ["buffer", "add", "The harp needs new strings."],
    "recall": ["recall", "where is Peter?"],
    "pack": ["pack", "what does Peter like?"],
    "why": ["why", "last"],
    "impact": ["impact", "andy27"],
    "receipts": ["receipts", "replay", "last", "what does Peter like?"],
    "diff-receipts": ["diff-receipts"],
    "test": ["test"],
    "why-not": ["why-not", "where is Peter?", "memory/2025-11-27.md#L4"],
    "show": ["show", "memory/2025-11-27.md#L4-L5"],
    "entity": ["entity", "pete"],
    "facts": ["facts", "show", "Peter"],
    "timeline": ["timeline"],
    "tags": ["tags"],
    "audit": ["audit"],
    "undo": ["undo", "last"],
    "forget": ["forget", "--query", "Peter", "--apply"],
    "learnings": ["learnings"],
    "sync": ["sync"],
    "rebuild": ["rebuild"],
    "embed": ["embed"],
    "status": ["status"],
    "check": ["check"],
    "merge": ["merge", CONFLICT_COPY],
    "merge-driver": ["merge-driver", "base.md", "ours.md", "theirs.md", "memory/2025-11-27.md"],
    "scan": ["scan"],
    "scrub": ["scrub"],
    "backup": ["backup", "../copies"],
    "restore": ["restore", "../copies", "../again"],
    "export": ["export", "../all.zip"],
    "serve": ["serve", "--stdio"],
    "page": ["page", "--print"],
    "service": ["service", "--systemd"],
    "mcp": ["mcp"],
    "hook": ["hook", "claude-code"],
    "install": ["install", "generic-mcp"],
    "uninstall": ["uninstall", "cursor"],
    "doctor": ["doctor"],
    "drill": ["drill"],
    "demo": ["demo", "a-demo"],
    "completion": ["completion", "bash"],
}
# where there is nothing
SILENT = (
    "facts",
    "sync",
    "check",
    "consolidate",
    "pending",
    "skills",
    "learnings",
    "scan",
    "scrub",
    "uninstall",
    "doctor",
)
# these use no workspace, or end well without it
ELSEWHERE = ("install", "uninstall", "doctor", "hook", "demo", "completion", "restore", "merge-driver")
WITH_MODEL = ("embed",)  # this needs a model: test_vectors.py runs it with one
LASTING = (
    "serve",
    "page",
    "mcp",
    "hook",
    "merge",
    "merge-driver",
)  # their own tests give these the streams or files that they need
UNEXPLAINED = ("why", "receipts", "diff-receipts")  # these need the receipt of a pack
# These write to the workspace; the others only to the index.
WRITING = ("init", "retain", "log", "capture", "ingest", "consolidate", "session", "buffer", "pack", "undo", "forget")


class Ran(NamedTuple):
    """How a command ended and what it printed."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)

    @property
    def error(self) -> Any:
        return json.loads(self.err)


Cpl = Callable[..., Ran]


@pytest.fixture
def empty(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty workspace that is also the working folder, in an environment of its own."""
    for name in ("OPENCLAW_STATE_DIR", "NO_COLOR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("COMMONPLACE_NOW", NOW)
    monkeypatch.setenv("COMMONPLACE_DEVICE", "desk")
    monkeypatch.setenv("COLUMNS", "100")
    (tmp_path / "home").mkdir()
    root = tmp_path / "notes"
    root.mkdir()
    monkeypatch.setenv("COMMONPLACE_WORKSPACE", str(root))
    monkeypatch.chdir(root)
    return root


@pytest.fixture
def notebook(empty: Path) -> Path:
    for path, text in NOTEBOOK.items():
        (empty / path).parent.mkdir(parents=True, exist_ok=True)
        (empty / path).write_text(text, encoding="utf-8")
    return empty


@pytest.fixture
def cpl(capsys: pytest.CaptureFixture[str]) -> Cpl:
    """Run a command in this process."""

    def run(*arguments: str) -> Ran:
        capsys.readouterr()
        code = main(arguments)
        return Ran(code, *capsys.readouterr())

    return run


def process(*command: str, **choices: Any) -> subprocess.CompletedProcess[bytes]:
    """Run a command as a process of its own."""
    return subprocess.run(command, capture_output=True, timeout=60, check=False, **choices)


def prepared(cpl: Cpl, name: str) -> None:
    """What has to have happened before a command can be run."""
    if name == "diff-receipts":
        for budget in ("100", "400"):
            assert cpl(*RUNS["pack"], "--budget", budget).code == 0
    if name in ("why", "receipts"):
        assert cpl(*RUNS["pack"]).code == 0
    if name == "restore":
        assert cpl(*RUNS["backup"]).code == 0
    if name in ("undo", "audit"):
        assert cpl(*RUNS["retain"]).code == 0


# What every command does.


def test_every_command_is_run_here() -> None:
    assert tuple(RUNS) == NAMES


@pytest.mark.slow
def test_both_names_of_the_command_are_installed() -> None:
    for name in ("commonplace", "cpl"):
        done = process(str(BIN / name), "--version")
        assert (done.returncode, done.stdout.split()[:1], done.stderr) == (0, [b"commonplace"], b"")
    assert process(sys.executable, "-m", "commonplace", "--version").stdout.startswith(b"commonplace ")


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in NAMES if name not in (*WITH_MODEL, *LASTING)])
def test_data_goes_to_stdout(name: str, notebook: Path, cpl: Cpl) -> None:
    prepared(cpl, name)
    ran = cpl(*RUNS[name])
    assert ran.code == 0
    assert ran.out or name in SILENT
    assert "Traceback" not in ran.err


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in NAMES if name not in (*WITH_MODEL, *LASTING)])
def test_json_is_one_line_of_a_documented_shape_and_nothing_else(name: str, notebook: Path, cpl: Cpl) -> None:
    prepared(cpl, name)
    ran = cpl(*RUNS[name], "--json")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.endswith("\n")
    assert ran.out.count("\n") == 1
    command = next(command for command in COMMANDS if command.name == name)
    assert ran.json["schema"] in command.shapes
    validator(ran.json["schema"]).validate(ran.json)


def test_the_other_shapes_that_commands_print_are_documented_too(notebook: Path, cpl: Cpl) -> None:
    entities = cpl("entity", "--json").json
    assert entities["schema"] == "commonplace.entities.v1"
    validator("commonplace.entities.v1").validate(entities)
    assert cpl("pack", "tea", "--json", "--format", "openclaw-mem").json["schema"] == FOREIGN
    nothing = cpl("retain", "--json", "[NOMEM] tea").json
    assert nothing["record"] is None
    validator("commonplace.kept.v1").validate(nothing)


@pytest.mark.slow
def test_each_documented_shape_is_printed_by_a_command_or_answered_or_is_part_of_one() -> None:
    printed = {shape for command in COMMANDS for shape in command.shapes} - {FOREIGN}
    parts = {"commonplace.record.v1", "commonplace.error.v1", "commonplace.capture.v1", "commonplace.order-answer.v1"}
    told = printed | parts | {operation.shape for operation in OPERATIONS.values()}
    assert {path.name.removesuffix(".schema.json") for path in SCHEMAS.glob("*.json")} == told
    for shape in told:
        schema = validator(shape).schema
        Draft202012Validator.check_schema(schema)
        assert schema["$id"] == f"urn:commonplace:{shape.removeprefix('commonplace.')}"
        assert set(schema["required"]) <= set(schema["properties"])


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_help_is_data_and_ends_well(name: str, empty: Path, cpl: Cpl) -> None:
    for arguments in ([name, "--help"], ["--help", name], [name, "-h"]):
        ran = cpl(*arguments)
        assert (ran.code, ran.err) == (0, "")
        assert ran.out.startswith(f"usage: commonplace {name} ")
        assert "--workspace FOLDER" in ran.out
        assert "--json" in ran.out


def test_help_without_a_command_lists_all_of_them(cpl: Cpl) -> None:
    ran = cpl("--help")
    assert (ran.code, ran.err) == (0, "")
    assert all(f"  {command.name} " in ran.out and command.summary in ran.out for command in COMMANDS)
    nothing = cpl()
    assert (nothing.code, nothing.out) == (2, "")
    assert nothing.err == ran.out


# Options stand where one puts them.


@pytest.mark.parametrize(
    "arguments",
    [
        ["--workspace", "W", "--json", "recall", "tea"],
        ["--json", "--workspace=W", "recall", "tea"],
        ["recall", "--workspace", "W", "tea", "--json"],
        ["--json", "recall", "tea", "--workspace=W"],
        ["recall", "--json", "--kind", "opinion", "tea", "--workspace", "W"],
    ],
    ids=" ".join,
)
def test_common_options_stand_before_or_behind_the_command(
    arguments: list[str], notebook: Path, cpl: Cpl, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("COMMONPLACE_WORKSPACE")
    ran = cpl(*(argument.replace("W", str(notebook)) for argument in arguments))
    assert ran.code == 0
    assert [hit["id"] for hit in ran.json["hits"]] == ["mint27"]


def test_words_may_stand_on_both_sides_of_an_option(notebook: Path, cpl: Cpl) -> None:
    assert cpl("recall", "where", "--json", "is", "Peter").json["query"] == "where is Peter"
    assert cpl("entity", "--json", "bank", "peter").code == 1
    assert cpl("entity", "--json", "peter").json["name"] == "Peter"
    assert cpl("retain", "tea", "--json", "at", "five").json["record"]["text"] == "tea at five"
    prepared(cpl, "why")
    receipt = cpl("why", "--json").json["id"]
    assert cpl("why", receipt, "--json", "mint27").json["considered"][0]["id"] == "mint27"


def test_text_that_begins_with_a_dash_goes_behind_two(notebook: Path, cpl: Cpl) -> None:
    assert cpl("recall", "--json", "--", "--tea", "-k").json["query"] == "--tea -k"
    plain = cpl("retain", "--", "--json is an option")
    assert plain.code == 0
    words = cpl("recall", "--since", "whenever", "--", "--json")
    assert (words.code, words.err.partition(":")[0]) == (2, "commonplace")
    wrong = cpl("recall", "--tea")
    assert wrong.code == 2
    assert "behind `--`" in wrong.err


def test_text_can_come_from_standard_input(empty: Path, cpl: Cpl, monkeypatch: pytest.MonkeyPatch) -> None:
    def said(data: bytes) -> None:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data), encoding="ascii"))

    said("W @Ana: Sails on Søndag \xff.\n".encode("latin-1").replace(b"\xf8", "ø".encode()))
    assert cpl("retain", "-", "--json").json["record"]["text"] == "@Ana: Sails on Søndag \ufffd."
    said(b"boat\0 oars")
    assert cpl("log", "-").code == 0
    said(b"when does Ana sail?")
    assert cpl("recall", "-", "--json").json["query"] == "when does Ana sail?"
    said(b"x" * 30_000)
    assert cpl("retain", "-").code == 2


# What is wrong is said in words, with a hint, and with the right exit code.


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "said", "hint"),
    [
        (["recal", "tea"], "no command 'recal'", "did you mean `recall`?"),
        (["xyzzy"], "no command 'xyzzy'", "--help` lists"),
        (["--json"], "no command was given", "--help` lists"),
        (["--colour", "recall", "tea"], "unrecognized arguments: --colour", "commonplace recall --help"),
        (["recall"], "required: QUESTION", "commonplace recall --help"),
        (["recall", "tea", "-k", "many"], "invalid int value: 'many'", "commonplace recall --help"),
        (["recall", "tea", "-k", "0"], "must lie between 1", ""),
        (["recall", "tea", "--js"], "unrecognized arguments: --js", "commonplace recall --help"),
        (["recall", "tea", "--kind", "wrold"], "invalid choice: 'wrold'", "commonplace recall --help"),
        (["recall", "tea", "--since", "whenever"], "since: cannot read 'whenever'", "say 2025-11-27"),
        (["recall", "tea", "--around", "whenever"], "around: cannot read 'whenever'", "say 2025-11-27"),
        (["recall", "tea", "--workspace"], "expected one argument", "commonplace recall --help"),
        (["recall", "tea", "--workspace", ""], "--workspace needs a folder", "commonplace recall --help"),
        (["pack", "tea", "--budget", "-1"], "must not be negative: -1", ""),
        (["timeline", "-n", "0"], "'0' is not a whole number from 1 on", "commonplace timeline --help"),
        (["timeline", "--until", "whenever"], "until: cannot read 'whenever'", "say 2025-11-27"),
        (["why", "a", "b", "c"], "one receipt and one record, not a b c", "commonplace why --help"),
        (["show"], "required: reference", "commonplace show --help"),
        (["show", "memory/2025-11-27.md#Lx"], "cannot read the lines", "say PATH#L12"),
        (["show", "memory/2025-11-27.md#L99"], "asks for others", ""),
        (["retain", "tea", "--importance", "2"], "importance must lie between 0 and 1", ""),
        (["retain", "tea", "--valid", "maybe"], "span", "say 2025-11-27..2025-12-01"),
        (["retain", "tea", "--actor", "system"], "invalid choice: 'system'", "commonplace retain --help"),
        (["retain", " "], "the text is empty", ""),
        (["completion", "tcsh"], "invalid choice: 'tcsh'", "commonplace completion --help"),
        (["sync", "now"], "unrecognized arguments: now", "commonplace sync --help"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_misuse_is_told_with_a_hint_and_ends_with_2(
    arguments: list[str], said: str, hint: str, notebook: Path, cpl: Cpl
) -> None:
    ran = cpl(*arguments)
    assert (ran.code, ran.out) == (2, "")
    if "--json" not in arguments:
        assert said in ran.err.split("\n")[0]
        assert f"hint: {hint}" in ran.err or hint in ran.err.partition("hint: ")[2]
        assert "Traceback" not in ran.err
        ran = cpl("--json", *arguments)
    error = ran.error
    assert said in error["message"]
    assert hint in error["hint"]
    validator("commonplace.error.v1").validate(error)


@pytest.mark.parametrize(
    ("arguments", "code", "said", "hint"),
    [
        (
            ["why", "last"],
            "not-found",
            "no receipt 'last'",
            "every `commonplace pack` leaves one; --receipt prints its id",
        ),
        (["show", "memory/2025-11-28.md"], "not-found", "no record or file", "did you mean memory/2025-11-27.md?"),
        (
            ["show", "../outside.md"],
            "not-found",
            "no record or file",
            "name an id, or PATH#L12 below the workspace, as `commonplace recall` prints them",
        ),
        (["undo", "nothing"], "not-found", "no change 'nothing'", "`commonplace audit` lists them"),
        (["skills", "show", "nothing"], "not-found", "no skill 'nothing'", "`commonplace skills` lists them"),
        (["tags", "nothing"], "not-found", "no tag 'nothing'", "`commonplace tags` lists them"),
        (["pending", "approve", "nothing"], "not-found", "no pending item", "`commonplace pending` lists them"),
        (["entity", "Petr"], "not-found", "no entity 'Petr'", "did you mean Peter?"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_what_cannot_be_done_ends_with_1(
    arguments: list[str], code: str, said: str, hint: str, notebook: Path, cpl: Cpl
) -> None:
    ran = cpl(*arguments)
    assert (ran.code, ran.out) == (1, "")
    assert said in ran.err
    assert hint in ran.err
    ran = cpl(*arguments, "--json")
    assert (ran.code, ran.error["code"], ran.error["hint"]) == (1, code, hint)


def test_a_check_that_finds_something_ends_with_3_and_lists_it(notebook: Path, cpl: Cpl) -> None:
    (notebook / "merged.md").write_text("<<<<<<< ours\n- tea\n>>>>>>> theirs\n", encoding="utf-8")
    ran = cpl("check")
    assert ran.code == 3
    assert ran.out.startswith("merged.md:1: merge-markers: ")
    ran = cpl("check", "--json")
    assert ran.code == 3
    assert ran.json["problems"][0]["path"] == "merged.md"


def test_an_error_of_the_program_is_a_sentence_that_names_the_place(
    notebook: Path, cpl: Cpl, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Memory, "recall", lambda *_a, **_k: {}["tea"])
    ran = cpl("recall", "tea")
    assert (ran.code, ran.out) == (1, "")
    assert ran.err.startswith("commonplace: KeyError: 'tea'\nhint: this is a bug in ")
    assert cpl("recall", "tea", "--json").error["message"] == "KeyError: 'tea'"


def test_what_the_operating_system_refuses_is_no_bug(notebook: Path, cpl: Cpl, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_arguments: object, **_choices: object) -> None:
        raise OSError(28, "No space left on device", "/notes/.memory")

    monkeypatch.setattr(Memory, "recall", full)
    ran = cpl("recall", "tea", "--json")
    assert (ran.code, ran.error["code"]) == (1, "workspace-unusable")
    assert ran.error["message"] == "cannot use '/notes/.memory': no space left on device"
    assert ran.error["hint"] == "make room on its disk, then repeat"


def test_an_interrupt_is_silent(notebook: Path, cpl: Cpl, monkeypatch: pytest.MonkeyPatch) -> None:
    def stop(*_arguments: object, **_choices: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Memory, "recall", stop)
    assert cpl("recall", "tea") == Ran(130, "", "")


# Every command in workspaces that are not as they should be.


@pytest.mark.parametrize("name", [name for name in NAMES if name not in (*ELSEWHERE, "init")])
def test_a_workspace_that_does_not_exist_is_named(name: str, empty: Path, cpl: Cpl) -> None:
    ran = cpl("--workspace", "nowhere", "--json", *RUNS[name])
    assert (ran.code, ran.out) == (1, "")
    assert (ran.error["code"], ran.error["path"]) == ("workspace-not-found", "nowhere")
    assert "commonplace init" in ran.error["hint"]
    assert os.listdir(empty) == []


def test_init_makes_the_workspace_that_does_not_exist(empty: Path, cpl: Cpl) -> None:
    assert cpl("init", "deep/down").out == "deep/down\n"
    assert cpl("init", "--workspace", "deep/down", "--json").json["created"] == []
    assert (empty / "deep/down/MEMORY.md").is_file()
    assert (empty / "deep/down").stat().st_mode & 0o077 == 0


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in NAMES if name not in (*ELSEWHERE, *WITH_MODEL, *LASTING)])
def test_an_empty_workspace_is_a_workspace(name: str, empty: Path, cpl: Cpl) -> None:
    ran = cpl(*RUNS[name])
    assert ran.code == (
        1 if name in (*UNEXPLAINED, "impact", "test", "show", "entity", "facts", "undo", "ingest", "import") else 0
    )
    assert "bug" not in ran.err


@pytest.mark.parametrize("name", [name for name in NAMES if name not in ELSEWHERE])
def test_settings_that_are_wrong_are_told_all_at_once(name: str, notebook: Path, cpl: Cpl) -> None:
    (notebook / "commonplace.toml").write_text('scpoe = "x"\n[recall]\nk = "many"\n', encoding="utf-8")
    ran = cpl(*RUNS[name])
    assert (ran.code, ran.out) == (2, "")
    assert "did you mean 'scope'" in ran.err
    assert "recall.k must be a whole number" in ran.err
    assert ran.err.startswith("commonplace: commonplace.toml has 2 problem(s):\n  ")
    error = cpl(*RUNS[name], "--json").error
    assert error["code"] == "bad-settings"
    assert error["message"].count("\n") == 2


@pytest.fixture
def no_override() -> list[str]:
    """How to start a process that may not write what permissions forbid; root may, unless it gives that up."""
    if os.geteuid() != 0:
        return []
    if shutil.which("setpriv") is None:
        pytest.skip("root may write everything, and there is no setpriv: read-only workspaces were not checked")
    return ["setpriv", "--bounding-set=-dac_override"]


@pytest.mark.slow
def test_a_workspace_that_may_not_be_written_can_be_read(notebook: Path, no_override: list[str]) -> None:
    folders = [notebook, *(path for path in notebook.rglob("*") if path.is_dir())]
    for folder in folders:
        folder.chmod(0o500)
    try:
        for name in (name for name in NAMES if name not in (*ELSEWHERE, *WITH_MODEL, *LASTING)):
            done = process(*no_override, str(BIN / "commonplace"), *RUNS[name], "--json")
            refused = name in (*WRITING, *UNEXPLAINED)
            assert done.returncode == (1 if refused else 0), done.stderr
            error = json.loads(done.stderr) if refused else {}
            assert name in (*UNEXPLAINED, "undo") or not refused or "permission denied" in error["message"]
        assert sorted(path.name for path in notebook.iterdir()) == [
            "MEMORY.md",
            "bank",
            "chat.jsonl",
            "ltm.json",
            "memory",
        ]
    finally:
        for folder in folders:
            folder.chmod(0o700)


@pytest.mark.slow
def test_where_nothing_may_be_written_at_all_what_only_reads_still_answers(
    notebook: Path, no_override: list[str]
) -> None:
    (notebook.parent / "state").mkdir()
    for folder in (notebook, notebook.parent / "state"):
        folder.chmod(0o500)
    try:
        command = (*no_override, str(BIN / "commonplace"))
        asked = process(*command, "recall", "where is Peter?")
        assert (asked.returncode, b"Marrakech" in asked.stdout) == (0, True)
        assert b"the index is kept in memory" in asked.stderr
        packed = process(*command, "pack", "where is Peter?")
        assert (packed.returncode, packed.stdout) == (1, b"")
        assert b"no pack was built" in packed.stderr
        assert b"check the permissions of the folder, or use `recall`" in packed.stderr
        assert process(*command, "sync").returncode == 1
    finally:
        for folder in (notebook, notebook.parent / "state"):
            folder.chmod(0o700)


def test_a_file_in_place_of_a_folder_is_refused_in_words(notebook: Path, cpl: Cpl) -> None:
    for ran in (cpl("--workspace", "MEMORY.md", "status"), cpl("init", "MEMORY.md")):
        assert (ran.code, ran.out) == (1, "")
        assert ran.err == (
            "commonplace: cannot use 'MEMORY.md': it is a file, not a folder\n"
            "hint: name the folder that contains it, or another\n"
        )
    ran = cpl("init", "MEMORY.md/notes")
    assert ran.err.endswith(": not a directory\nhint: move the file of that name, or choose another folder\n")


def test_init_of_a_folder_without_a_name_makes_nothing(empty: Path, cpl: Cpl) -> None:
    assert cpl("init", "").code == 2
    assert list(empty.iterdir()) == []


def test_a_folder_whose_name_is_not_utf8_is_refused_in_words(empty: Path, cpl: Cpl) -> None:
    os.mkdir(b"caf\xe9")
    for name in (name for name in NAMES if name not in (*ELSEWHERE, "init")):
        ran = cpl("--workspace", os.fsdecode(b"caf\xe9"), "--json", *RUNS[name])
        assert ran.code == 1
        assert ran.error["code"] == "workspace-unusable"
        assert "not valid UTF-8" in ran.error["message"]
        assert ran.error["hint"] == "give the folder another name"
    assert cpl("init", os.fsdecode(b"th\xe9")).code == 1
    assert not os.path.exists(b"th\xe9")


def test_a_working_folder_that_is_gone_is_no_bug(notebook: Path, cpl: Cpl) -> None:
    gone = notebook.parent / "gone"
    gone.mkdir()
    os.chdir(gone)
    gone.rmdir()
    try:
        assert f" {notebook}\n" in cpl("status").out
        assert "bug" not in cpl("show", "nothing").err
        assert "bug" not in cpl("--workspace", ".", "status").err
    finally:
        os.chdir(notebook)


# What the commands print is what the library returns.

AGREEMENT: dict[str, Callable[[Memory], dict[str, Any]]] = {
    "retain": lambda m: answer_json("kept", m.retain("W @Ana: Sails on Sunday.")),
    "log": lambda m: answer_json("kept", m.log("Called Ana.")),
    "recall": lambda m: shapes.hits_json(m.recall("where is Peter?")),
    "pack": lambda m: shapes.pack_json(m.pack("what does Peter like?")),
    "why": lambda m: shapes.receipt_json(m.receipt("last")),
    "show": lambda m: answer_json("view", m.show("memory/2025-11-27.md#L4-L5")),
    "entity": lambda m: answer_json("entity", m.entity("pete")),
    "facts": lambda m: answer_json("facts", m.facts("Peter")),
    "timeline": lambda m: answer_json("timeline", m.timeline()),
    "sync": lambda m: answer_json("changes", m.sync()),
    "rebuild": lambda m: answer_json("changes", m.rebuild()),
    "status": lambda m: answer_json("status", m.status()),
    "check": lambda m: answer_json("health", m.check()),
}


def without_place(text: str, root: Path) -> Any:
    """The answer with the workspace's own folder left out: two equal workspaces lie in two places."""
    return json.loads(text.replace(str(root), "ROOT"))


@pytest.mark.slow
@pytest.mark.parametrize("name", AGREEMENT)
def test_the_command_prints_what_the_library_returns(name: str, notebook: Path, cpl: Cpl) -> None:
    prepared(cpl, name)
    twin = notebook.parent / "twin"
    shutil.copytree(notebook, twin, ignore=shutil.ignore_patterns("index.sqlite*"))
    printed = cpl(*RUNS[name], "--json").out
    with Memory.open(twin) as memory:
        returned = AGREEMENT[name](memory)
    assert without_place(printed, notebook) == without_place(json.dumps(returned), twin)


def test_init_prints_what_the_library_returns(empty: Path, cpl: Cpl) -> None:
    printed = cpl("init", "one", "--json").out
    returned = answer_json("init", Memory.init(empty / "two"))
    assert without_place(printed, empty / "one") == without_place(json.dumps(returned), empty / "two")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("options", "choices"),
    [
        (["-k", "1"], {"k": 1}),
        (["--kind", "opinion", "--kind", "world"], {"kinds": ("opinion", "world")}),
        (["--category", "tool"], {"categories": ("tool",)}),
        (["--entity", "Peter"], {"entities": ("Peter",)}),
        (["--since", "2025-11-28"], {"since": "2025-11-28"}),
        (["--until", "2025-11-01"], {"until": "2025-11-01"}),
        (["--around", "2025-11-27"], {"around": "2025-11-27"}),
        (["--as-of", "2025-11-01"], {"as_of": "2025-11-01"}),
        (["--known-at", "2025-11-01"], {"known_at": "2025-11-01"}),
        (["--scope", "api_server"], {"scope": "api_server"}),
        (["--all-scopes"], {"all_scopes": True}),
        (["--history"], {"history": True}),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_each_option_of_recall_and_pack_is_the_argument_of_the_library(
    options: list[str], choices: dict[str, Any], notebook: Path, cpl: Cpl
) -> None:
    question = "Peter tea Marrakech boat port gateway"
    with Memory.open(notebook) as memory:
        hits = shapes.hits_json(memory.recall(question, **choices))
        packed = shapes.pack_json(memory.pack(question, **choices))
    assert cpl("recall", question, *options, "--json").json == hits
    if options[0] != "-k":
        assert cpl("pack", question, *options, "--json").json == packed


def test_the_options_of_retain_reach_the_line(notebook: Path, cpl: Cpl) -> None:
    options = ["--importance", "0.7", "--valid", "2025-12-01..", "--from", "andy27", "--supersedes", "mint27"]
    kept = cpl("retain", "W @Peter: Likes coffee.", *options, "--actor", "agent", "--json").json
    record = kept["record"]
    assert (record["importance"], record["valid_from"], record["trust"]) == (
        0.7,
        "2025-12-01",
        "trusted",  # an agent is as its sources are
    )
    assert (record["from"], record["supersedes"]) == (["andy27"], ["mint27"])
    journal = (notebook / ".memory/journal/captures-desk-2025-11.jsonl").read_text("utf-8")
    assert '"actor":"agent"' in journal
    cpl("log", "Called Ana.", "--session", "s-1")
    assert '"session":"s-1"' in (notebook / ".memory/journal/captures-desk-2025-11.jsonl").read_text("utf-8")


def test_a_pack_in_the_other_shape_is_that_of_the_library(notebook: Path, cpl: Cpl) -> None:
    with Memory.open(notebook) as memory:
        expected = memory.context_pack("what does Peter like?")
    assert cpl("pack", "what does Peter like?", "--json", "--format", "openclaw-mem").json == expected
    assert to_context_pack_v1 is not None


# What single commands promise.


def test_no_sync_answers_from_the_index_as_it_is(notebook: Path, cpl: Cpl) -> None:
    assert "oars" not in cpl("recall", "oars").out
    (notebook / "oars.md").write_text("- oars in the shed\n", encoding="utf-8")
    assert "oars" not in cpl("recall", "oars", "--no-sync").out
    assert "oars in the shed" in cpl("recall", "oars").out


def test_a_scope_that_nothing_bears_is_named_with_the_nearest(notebook: Path, cpl: Cpl) -> None:
    ran = cpl("recall", "port", "--scope", "apiserver")
    assert ran.code == 0
    assert "did you mean scope api_server?" in ran.err
    assert "8443" not in ran.out
    assert "8443" in cpl("recall", "port", "--scope", "api_server").out


def test_why_explains_the_last_pack_one_by_id_and_one_record_of_it(notebook: Path, cpl: Cpl) -> None:
    said = cpl("pack", "mint tea", "--receipt").err
    receipt = said.removeprefix("receipt ").partition(":")[0]
    cpl("pack", "Marrakech")
    assert cpl("why", receipt).out.startswith(f"{receipt} of {NOW}")
    assert cpl("why").out == cpl("why", "last").out
    assert not cpl("why", "last").out.startswith(receipt)
    one = cpl("why", receipt, "mint27").out
    assert "Prefers mint tea" in one
    assert "= score" in one
    assert "Marrakech" not in one
    assert cpl("why", receipt, "nothing").code == 1


def test_show_prints_lines_as_they_stand_with_their_records(notebook: Path, cpl: Cpl) -> None:
    (notebook / "code.md").write_text("- a\n    - b\n\t- c  d\n", encoding="utf-8")
    assert cpl("show", "code.md#L1-L3").out == "    1  - a\n    2      - b\n    3  \t- c  d\n"
    by_id = cpl("show", "mint27")
    assert by_id.out.startswith("    5  - O(c=0.9) @Peter: Prefers mint tea.")
    assert by_id.err == "record mint27: opinion preference, trusted, memory/2025-11-27.md#L5\n"


def test_a_dry_run_changes_nothing(notebook: Path, cpl: Cpl) -> None:
    cpl("sync")
    (notebook / "new.md").write_text("- oars\n", encoding="utf-8")
    assert cpl("sync", "--dry-run").out == "added     new.md\n"
    assert cpl("sync", "--dry-run").out == "added     new.md\n"
    assert cpl("sync").out == "added     new.md\n"
    assert cpl("sync").out == ""


def test_a_loss_that_looks_like_an_accident_is_refused_without_force(empty: Path, cpl: Cpl) -> None:
    note = empty / "note.md"
    note.write_text("".join(f"- line {number}\n" for number in range(30)), encoding="utf-8")
    cpl("sync")
    note.unlink()
    refused = cpl("sync")
    assert refused.code == 1
    assert "sync --force" in refused.err
    assert "line 7" in cpl("recall", "line 7").out
    assert cpl("sync", "--force").out == "removed   note.md\n"


def test_places_inside_the_working_folder_are_printed_relative(notebook: Path, cpl: Cpl) -> None:
    assert cpl("init").out == ".\n"
    told = dict(line.split(None, 1) for line in cpl("status").out.strip().split("\n"))
    assert (told["workspace"], told["index"]) == (".", ".memory/index.sqlite")
    assert cpl("status", "--json").json["workspace"] == str(notebook)
    os.chdir(notebook.parent / "home")
    assert f" {notebook}\n" in cpl("status").out


def test_secrets_are_named_by_sort_and_never_printed(empty: Path, cpl: Cpl) -> None:
    secret = "ghp_" + "0aB1cD2eF3gH4iJ5kL6mN7oP8qR9sT0uV1wX"
    ran = cpl("retain", f"the token is {secret}")
    assert ran.code == 0
    assert ran.err.startswith("redacted: ")
    assert secret not in ran.out + ran.err + cpl("recall", "token", "--json").out


@pytest.mark.slow
def test_no_command_opens_a_socket(notebook: Path) -> None:
    runs = [RUNS["pack"], *(run for name, run in RUNS.items() if name not in (*WITH_MODEL, *LASTING))]
    code = (
        "import sys\n"
        "sys.addaudithook(lambda event, _: sys.exit(f'opened {event}') if event.startswith('socket.') else None)\n"
        "from commonplace.cli import main\n"
        f"sys.exit(max(main(run) for run in {runs!r}))"
    )
    done = process(sys.executable, "-c", code)
    assert (done.returncode, b"opened" in done.stderr) == (0, False), done.stderr


HEAVY = (
    "yaml",
    "re2",
    "rapidfuzz",
    "tomllib",
    "pathlib",
    "difflib",
    "subprocess",
    "email",
    "json",
    "asyncio",
    "shutil",
)


def test_an_agents_turn_imports_nothing_that_it_does_not_need(notebook: Path, cpl: Cpl) -> None:
    cpl("sync")
    code = (
        "import sys; before = set(sys.modules); from commonplace.cli import main\n"
        "main(['recall', 'where is Peter?'])\n"
        f"sys.stderr.write(' '.join(name for name in {HEAVY!r} if name in set(sys.modules) - before))"
    )
    done = process(sys.executable, "-c", code)
    assert done.returncode == 0
    assert b"Marrakech" in done.stdout
    assert done.stderr == b""


def test_a_timeline_shows_captures_where_they_are_asked_for(cpl: Cpl, notebook: Path) -> None:
    assert cpl("capture", "The heron sleeps on the weir.").code == 0
    assert "heron" not in cpl("timeline").out
    assert "heron" in cpl("timeline", "--evidence", "auto").out
    assert cpl("timeline", "--evidence", "only").out.count("\n") == 1


SECRET = "ghp_" + "n3Tg" * 9


@pytest.mark.parametrize(
    "arguments",
    [
        ["recall", "tea", "--k", SECRET],
        ["recall", "tea", "--as-of", SECRET],
        ["recall", "tea", f"--{SECRET}", "x"],
        [SECRET],
        ["show", "--json", SECRET],
        ["retain", "Tea.", "--supersedes", SECRET],
        ["--workspace", f"/nowhere/{SECRET}", "recall", "tea"],
        ["recall", "tea", "--db-password", "hunter2Xy9"],
        ["recall", "tea", "--k", "x9-hunter", "--password", "x9-hunter"],
    ],
)
def test_no_error_repeats_a_secret_that_was_typed(
    arguments: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COMMONPLACE_WORKSPACE", str(tmp_path))
    assert main(arguments) != 0
    printed = capsys.readouterr()
    assert printed.err
    assert not any(value in printed.out + printed.err for value in (SECRET[:20], "hunter2Xy9", "x9-hunter"))
