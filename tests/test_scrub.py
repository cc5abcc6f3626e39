"""Secrets that are there already: where they are found, how they go, and what is never touched or told."""

from __future__ import annotations

import gzip
import json
import os
import shutil
import subprocess
from argparse import Namespace
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from msgspec import structs

from commonplace import Memory
from commonplace.cli import upkeep
from commonplace.model import Receipt
from commonplace.redact import secret_kinds
from commonplace.redact.patterns import find_vendor
from commonplace.storage import files
from commonplace.storage.journal import (
    Journal,
    encode_journal_line,
    has_valid_checksum,
    replace_digests,
    verify_chains,
    verify_heads,
)
from commonplace.storage.receipts import append_receipt
from commonplace.storage.workspace.edits import update_file
from commonplace.upkeep.scrub import ScanResult, SecretScanner, scan_workspace, scrub_workspace
from commonplace.upkeep.scrub import removal as rewriting
from commonplace.upkeep.scrub.workspace_scan import NO_KEY_NOTE
from tests.support.schemas import schema, validator

NOW = "2025-11-30T09:00"
KEY = b"a key of the workspace, 32 bytes"
TOKEN = "ghp_" + "n3Tg" * 9
OTHER = "glpat-" + "x7Kd" * 5
PASSWORD = "Winter" + "2025!x"


@pytest.fixture
def eye(tmp_path: Path) -> SecretScanner:
    root = tmp_path / "workspace"
    root.mkdir()
    return SecretScanner(str(root), KEY)


@pytest.fixture
def memory(eye: SecretScanner, monkeypatch: pytest.MonkeyPatch) -> Iterator[Memory]:
    monkeypatch.setenv("COMMONPLACE_NOW", NOW)
    monkeypatch.setenv("COMMONPLACE_DEVICE", "desk")
    with Memory.open(eye.root) as opened:
        yield opened


def write(eye: SecretScanner, path: str, text: str | bytes) -> Path:
    whole = Path(eye.root, path)
    whole.parent.mkdir(parents=True, exist_ok=True)
    whole.write_bytes(text if isinstance(text, bytes) else text.encode("utf-8", "surrogateescape"))
    return whole


def capture(eye: SecretScanner, text: str, device: str = "desk", **more: Any) -> str:
    entry = {"ts": NOW, "type": "note", "actor": "owner", "text": text, "detail": {}, "from": [], **more}
    return Journal(eye.root, device).append(entry, "captures").path


def ledger(eye: SecretScanner, ts: str = NOW, device: str = "desk", **fields: Any) -> None:
    Journal(eye.root, device).append({"op": "used", "ts": ts, **fields}, "ledger")


def places(found: ScanResult) -> list[tuple[str, int, str]]:
    return [(spot.path, spot.line, spot.store) for spot in found.locations]


def everything(root: str) -> bytes:
    return b"\n".join(
        os.fsencode(path.name) + (path.read_bytes() if path.is_file() else b"")
        for path in Path(root).rglob("*")
        if ".git" not in path.parts
    )


def git(root: str, *arguments: str) -> None:
    who = ("-c", "user.name=Ana", "-c", "user.email=ana@example.org", "-c", "commit.gpgsign=false")
    subprocess.run(["git", "-C", root, *who, *arguments], check=True, capture_output=True)


def sign_head(root: str) -> None:
    """Replace the newest commit by one with a signature, which nobody made."""
    told = subprocess.run(["git", "-C", root, "cat-file", "commit", "HEAD"], check=True, capture_output=True).stdout
    head, message = told.split(b"\n\n", 1)
    head += b"\ngpgsig -----BEGIN PGP SIGNATURE-----\n \n QUJD\n -----END PGP SIGNATURE-----"
    make = ["git", "-C", root, "hash-object", "-t", "commit", "-w", "--stdin"]
    made = subprocess.run(make, input=head + b"\n\n" + message, check=True, capture_output=True).stdout.decode().strip()
    git(root, "update-ref", "HEAD", made)


# Looking.


def test_a_secret_is_found_wherever_it_stands_and_told_once(eye: SecretScanner) -> None:
    write(eye, "notes/a.md", f"# A\n\nthe key is {TOKEN}\nand {OTHER}\n")
    write(eye, "b.txt", f"x\n{TOKEN}\n")
    write(eye, "commonplace.toml", f'[pack]\n# token = "{TOKEN}"\n')
    write(eye, "memory/skills/deploy.json", json.dumps({"steps": [f"curl -H 'Authorization: Bearer {TOKEN}'"]}))
    write(eye, ".memory/receipts/2025-11-30.jsonl", encode_journal_line({"query": f"where is {TOKEN}?"}) + b"\n")
    write(eye, ".memory/changes/0123.json", encode_journal_line({"before": f"- {TOKEN}\n", "after": ""}))
    write(eye, ".memory/artifacts/ab12", f"log\nlog\n{TOKEN}")
    write(eye, ".memory/sessions/main.json", json.dumps({"facts": [TOKEN]}))
    write(eye, ".memory/set-aside/x.jsonl", f'{{"text": "{TOKEN}"')
    write(eye, f"names/{TOKEN}.md", "nothing\n")
    write(eye, ".memory/index.sqlite", f"derived {TOKEN}")
    capture(eye, "nothing here")
    capture(eye, f"token {TOKEN}")
    found = scan_workspace(eye)
    assert [secret.kind for secret in found.secrets] == ["github-pat", "gitlab-pat"]
    assert (found.secrets[0].vendor, found.secrets[0].url) == ("GitHub", "https://github.com/settings/tokens")
    holder = found.secrets[0].placeholder
    assert [place for place in places(found) if place[0] != "notes/a.md" or place[1] == 3] == [
        (".memory/artifacts/ab12", 3, "artifact"),
        (".memory/changes/0123.json", 1, "change"),
        (".memory/journal/captures-desk-2025-11.jsonl", 2, "journal"),
        (".memory/receipts/2025-11-30.jsonl", 1, "receipt"),
        (".memory/sessions/main.json", 1, "state"),
        (".memory/set-aside/x.jsonl", 1, "state"),
        ("b.txt", 2, "text"),
        ("commonplace.toml", 2, "settings"),
        ("memory/skills/deploy.json", 1, "settings"),
        (f"names/{holder}.md", 0, "name"),
        ("notes/a.md", 3, "text"),
    ]
    assert ("notes/a.md", 4, "text") in places(found)
    assert TOKEN not in repr(found)
    assert found.notes == ()


def test_a_field_is_read_with_its_name(eye: SecretScanner) -> None:
    path = capture(eye, "ran", detail={"arguments": {"password": PASSWORD, "argv": ["--token", "a8Kd93jfLs02mfPq7"]}})
    assert places(scan_workspace(eye)) == [(path, 1, "journal")] * 2
    assert [secret.kind for secret in scan_workspace(eye).secrets] == ["password", "token"]


def test_what_the_environment_says_is_secret_is_found_word_for_word(eye: SecretScanner, memory: Memory) -> None:
    write(eye, ".env", f"MAIL_PASSWORD={PASSWORD}\n")
    write(eye, "notes.md", f"We spoke of {PASSWORD} at lunch.\n")
    found = memory.scan()
    assert places(found) == [("notes.md", 1, "text")]
    assert found.secrets[0].kind == "password"


def test_packed_and_sixteen_bit_texts_are_read_and_private_stretches_too(eye: SecretScanner) -> None:
    write(eye, "a.log.gz", gzip.compress(f"one\n{TOKEN}".encode()))
    write(eye, "b.md", f"one\n{TOKEN}".encode("utf-16"))
    write(eye, "c.md", f"<private>{TOKEN}</private>")
    write(eye, "e.md", f"Длинное письмо о лодке и доме\n{TOKEN}".encode("utf-16"))
    write(eye, "d.md", f"odd bytes \udcff\udcfe\n{TOKEN}")
    assert [(path, line) for path, line, _ in places(scan_workspace(eye))] == [
        ("a.log.gz", 2),
        ("b.md", 2),
        ("c.md", 1),
        ("d.md", 2),
        ("e.md", 2),
    ]


def test_what_is_not_read_is_said_or_is_none_of_ours(eye: SecretScanner) -> None:
    for path in (".env", ".env.local", "sub/.envrc", "node_modules/x.md", ".git2/../.memory/key", ".memory/locks/x"):
        write(eye, path, TOKEN)
    write(eye, "picture.png", b"\x89PNG\x00\x01" + TOKEN.encode())
    Path(eye.root, "link.md").symlink_to("/etc/hostname")
    write(eye, "large.md", "x" * 2000)
    found = scan_workspace(SecretScanner(eye.root, KEY, (), 1024))
    assert found.secrets == ()
    assert found.notes == ("not read: large.md: it has 2000 bytes, more than 1024",)
    write(eye, ".env.example", f"KEY={TOKEN}")
    assert places(scan_workspace(eye)) == [(".env.example", 1, "settings")]


def test_the_path_of_a_file_that_is_not_read_is_told_without_its_secret(eye: SecretScanner) -> None:
    write(eye, f"{TOKEN}.md", "x" * 2000)
    found = scan_workspace(SecretScanner(eye.root, KEY, (), 1024))
    assert TOKEN not in repr(found)
    assert found.notes[0].startswith("not read: ⟦secret:github-pat:")


def test_every_kind_has_somebody_who_gave_it_out() -> None:
    for kind in secret_kinds():
        vendor, url = find_vendor(kind)
        assert vendor, kind
        assert not url.startswith("http:"), kind
    assert find_vendor("asana-key")[0] == find_vendor("asana-token")[0] == "Asana"
    assert find_vendor("private-key")[1].startswith("make a new key pair")
    assert find_vendor("token") == ("whoever gave it out", "")


# The history.


@pytest.fixture
def repository(eye: SecretScanner) -> SecretScanner:
    if not shutil.which("git"):
        pytest.skip("git is not installed")
    git(eye.root, "init", "-q")
    write(eye, "notes.md", f"one\n{TOKEN}\n")
    git(eye.root, "add", "notes.md")
    git(eye.root, "commit", "-qm", f"add {OTHER}")
    write(eye, "notes.md", "one\nit went\n")
    git(eye.root, "commit", "-qam", "take it out")
    return eye


def test_what_was_taken_out_of_a_file_stands_in_the_history(repository: SecretScanner) -> None:
    found = scan_workspace(repository)
    assert {(spot.path, spot.line, spot.store) for spot in found.locations} == {
        ("notes.md", 2, "history"),
        ("(message)", 1, "history"),
    }
    assert all(len(spot.commit) >= 7 for spot in found.locations)
    assert found.blobs == 4
    assert found.notes == ()
    assert scan_workspace(repository, history=False).secrets == ()


def test_branches_tags_and_what_only_the_reflog_knows_belong_to_the_history(repository: SecretScanner) -> None:
    root = repository.root
    git(root, "checkout", "-qb", "side")
    write(repository, "side.md", f"{OTHER[:-1]}9\n")
    git(root, "add", ".")
    git(root, "commit", "-qm", "side")
    git(root, "tag", "-am", f"say {OTHER[:-1]}8", "v1")
    write(repository, "gone.md", f"{OTHER[:-1]}7\n")
    git(root, "add", ".")
    git(root, "commit", "-qm", "gone")
    git(root, "reset", "-q", "--hard", "HEAD~1")
    found = {(spot.path, spot.placeholder) for spot in scan_workspace(repository).locations if spot.store == "history"}
    assert {"side.md", "gone.md", "(message)", "notes.md"} == {path for path, _ in found}
    assert len(found) == 5


def test_only_the_folder_of_the_workspace_is_looked_at_in_a_larger_repository(repository: SecretScanner) -> None:
    write(repository, "sub/ours.md", f"{OTHER}\n")
    git(repository.root, "add", ".")
    git(repository.root, "commit", "-qm", "sub")
    Path(repository.root, "sub/ours.md").write_text("gone\n")
    inner = SecretScanner(f"{repository.root}/sub", KEY)
    assert {(spot.path, spot.store) for spot in scan_workspace(inner).locations} == {("ours.md", "history")}


def test_a_history_that_cannot_be_read_is_said(repository: SecretScanner, monkeypatch: pytest.MonkeyPatch) -> None:
    Path(repository.root, ".git/HEAD").write_text("nonsense")
    assert any("git history was not looked at" in note for note in scan_workspace(repository).notes)
    monkeypatch.setenv("PATH", "/nonexistent")
    assert scan_workspace(repository).notes == (
        "the git history was not looked at: git cannot be run (no such file or directory)",
    )


def test_a_repository_cannot_make_us_run_a_program(repository: SecretScanner, tmp_path: Path) -> None:
    trap, program = tmp_path / "trap", tmp_path / "program"
    program.write_text(f"#!/bin/sh\necho $0 >> {trap}\n")
    program.chmod(0o755)
    for setting in (
        "core.fsmonitor",
        "core.sshCommand",
        "diff.external",
        "core.pager",
        "gpg.program",
        "diff.x.textconv",
    ):
        git(repository.root, "config", setting, str(program))
    git(repository.root, "config", "log.showSignature", "true")
    sign_head(repository.root)
    write(repository, ".gitattributes", "*.md diff=x\n")
    trap.unlink(missing_ok=True)
    assert scan_workspace(repository).secrets
    assert not trap.exists()


def test_a_folder_without_history_starts_no_git(eye: SecretScanner, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nonexistent")
    assert scan_workspace(eye).notes == ()


# Taking out.


def test_a_proposal_writes_nothing_and_shows_no_secret(eye: SecretScanner) -> None:
    write(
        eye, "notes.md", f"one\n- key: {TOKEN}, and {TOKEN}\nthree\n-----BEGIN PRIVATE KEY-----\n{'QUJD' * 12}\nend\n"
    )
    capture(eye, f"token {TOKEN}")
    before = everything(eye.root)
    done = scrub_workspace(eye, Journal(eye.root, "desk"), NOW)
    assert everything(eye.root) == before
    assert not done.applied
    assert [(one.path, one.secret_count) for one in done.replaced] == [
        (".memory/journal/captures-desk-2025-11.jsonl", 1),
        ("notes.md", 3),
    ]
    diff = done.replaced[1].diff.split("\n")
    assert diff[:4] == ["--- a/notes.md", "+++ b/notes.md", "@@ -2,1 +2,1 @@", diff[3]]
    assert diff[3] == "-- key: ‹github-pat, 40 characters›, and ‹github-pat, 40 characters›"
    assert diff[4].startswith("+- key: ⟦secret:github-pat:")
    assert TOKEN not in repr(done)
    assert "QUJDQUJD" not in repr(done)


def test_what_people_read_loses_its_secrets_and_nothing_else(eye: SecretScanner) -> None:
    texts = {
        "notes.md": f"\ufeffone\r\n- key: {TOKEN}\r\n\udcffthree",
        "memory/2025-11-30.md": f"# Day\n\n## Retain\n- W {OTHER} is it. <!-- id: abc234abc234abcd -->\n",
        "c.txt": f"<private>{TOKEN}</private>\n",
    }
    for path, text in texts.items():
        write(eye, path, text)
    os.chmod(Path(eye.root, "notes.md"), 0o640)
    holders = {secret.kind: secret.placeholder for secret in scan_workspace(eye).secrets}
    done = scrub_workspace(eye, Journal(eye.root, "desk"), NOW, apply=True)
    assert done.left == ()
    for path, text in texts.items():
        expected = text.replace(TOKEN, holders["github-pat"]).replace(OTHER, holders["gitlab-pat"])
        assert Path(eye.root, path).read_bytes().decode("utf-8", "surrogateescape") == expected
    assert Path(eye.root, "notes.md").stat().st_mode & 0o777 == 0o640
    assert scan_workspace(eye).secrets == ()
    assert scrub_workspace(eye, Journal(eye.root, "desk"), NOW, apply=True).replaced == ()


def test_before_there_is_a_key_it_is_told_that_placeholders_will_end_otherwise(
    memory: Memory, eye: SecretScanner
) -> None:
    assert memory.scan(history=False).notes == ()
    note = write(eye, "notes.md", f"- token: {TOKEN}\n")
    assert memory.scan(history=False).notes == memory.scrub().notes == (NO_KEY_NOTE,)
    assert not Path(eye.root, ".memory/key").exists()
    shown = memory.scan(history=False).secrets[0].placeholder
    assert memory.scrub(apply=True).notes == ()
    assert shown not in note.read_text()
    write(eye, "other.md", f"- token: {TOKEN}\n")
    found = memory.scan(history=False)
    assert found.notes == ()
    assert found.secrets[0].placeholder in note.read_text()


def test_a_folder_that_cannot_be_read_is_told(eye: SecretScanner, monkeypatch: pytest.MonkeyPatch) -> None:
    write(eye, "open/notes.md", TOKEN)
    write(eye, "closed/notes.md", TOKEN)
    listed = os.scandir

    def listing(path: Any) -> Any:
        if str(path).endswith("/closed"):
            raise PermissionError(13, "Permission denied", str(path))
        return listed(path)

    monkeypatch.setattr(os, "scandir", listing)
    found = scan_workspace(eye)
    assert places(found) == [("open/notes.md", 1, "text")]
    assert found.notes == ("not read: closed/: permission denied",)


def test_no_change_keeps_what_was_there_before(eye: SecretScanner) -> None:
    write(eye, "notes.md", "one\n")
    update_file(eye.root, "notes.md", lambda data: data + f"{TOKEN}\n".encode(), now=NOW)
    clean = update_file(eye.root, "notes.md", lambda data: data + b"two\n", now=NOW)
    assert len(list(Path(eye.root, ".memory/changes").iterdir())) == 2
    scrub_workspace(eye, Journal(eye.root, "desk"), NOW, apply=True)
    assert [path.stem for path in Path(eye.root, ".memory/changes").iterdir()] == [clean.change_id]
    assert TOKEN.encode() not in everything(eye.root)


def test_receipts_and_state_are_sealed_anew(eye: SecretScanner) -> None:
    sealed = encode_journal_line({"v": 1, "query": f"where is {TOKEN}?"})
    receipts = write(eye, ".memory/receipts/2025-11-30.jsonl", sealed + b"\n" + encode_journal_line({"v": 1}) + b"\n")
    session = write(eye, ".memory/sessions/main.json", json.dumps({"facts": [TOKEN], "n": 1}))
    broken = write(eye, ".memory/set-aside/x", f"torn {TOKEN}\n".encode() + b"\xff")
    done = scrub_workspace(eye, Journal(eye.root, "desk"), NOW, apply=True)
    assert done.left == ()
    first, second, _ = receipts.read_bytes().split(b"\n")
    assert has_valid_checksum(first)
    assert second == encode_journal_line({"v": 1})
    assert "⟦secret:github-pat:" in json.loads(session.read_text())["facts"][0]
    assert broken.read_bytes().endswith("⟧\n".encode() + b"\xff")


def test_files_that_programs_read_names_and_artifacts_are_left_with_a_hint(eye: SecretScanner) -> None:
    write(eye, "commonplace.toml", f'# token = "{TOKEN}"\n')
    write(eye, "run.sh", f"export TOKEN={TOKEN}\n")
    write(eye, ".memory/artifacts/ab12", f"log {TOKEN}")
    write(eye, f"{TOKEN}.md", "x\n")
    write(eye, "b.md", f"one\n{TOKEN}".encode("utf-16"))
    before = everything(eye.root)
    done = scrub_workspace(eye, Journal(eye.root, "desk"), NOW, apply=True)
    assert everything(eye.root) == before
    assert {(one.location.store, bool(one.hint)) for one in done.left} == {
        ("settings", True),
        ("artifact", True),
        ("name", True),
        ("text", True),
    }
    assert len(done.left) == 5


def test_the_history_is_left_and_what_to_run_is_told(repository: SecretScanner) -> None:
    done = scrub_workspace(repository, Journal(repository.root, "desk"), NOW, apply=True)
    assert {one.location.store for one in done.left} == {"history"}
    assert done.commands[0].startswith("git filter-repo")
    assert len(done.secrets) == 2
    assert scan_workspace(repository).secrets == done.secrets


# Journals.


def test_a_journal_loses_its_secrets_and_stays_whole(eye: SecretScanner) -> None:
    capture(eye, "before")
    path = capture(eye, f"token {TOKEN}", detail={"arguments": {"password": PASSWORD}})
    capture(eye, "behind")
    write(eye, path, Path(eye.root, path).read_bytes() + f'{{"torn {TOKEN}'.encode())
    before = Path(eye.root, path).read_bytes().split(b"\n")
    ours = Journal(eye.root, "desk")
    done = scrub_workspace(eye, ours, NOW, apply=True)
    assert [(one.path, one.secret_count) for one in done.replaced] == [(path, 3)]
    after = Path(eye.root, path).read_bytes().split(b"\n")
    assert after[0] == before[0]
    assert json.loads(after[2])["prev"] == files.content_digest(after[1])
    entry = ours.read("captures").entries[1].fields
    assert entry["id"] == json.loads(before[1])["id"]
    assert entry["text"].startswith("token ⟦secret:github-pat:")
    assert entry["detail"]["arguments"]["password"].startswith("⟦secret:password:")
    assert [problem.code for problem in ours.verify()] == ["torn-line"]
    told = ours.read("ledger").entries[-1].fields
    assert (told["op"], told["files"], told["secrets"]) == ("scrubbed", 1, 3)
    assert TOKEN.encode() not in everything(eye.root)
    assert PASSWORD.encode() not in everything(eye.root)


def test_a_digest_that_the_ledger_calls_a_key_is_no_secret(eye: SecretScanner) -> None:
    with Memory.open(eye.root) as memory:
        memory.capture("My sister Ana moved to Bern. My brother Tom lives in Graz.", session="s", type="message")
        memory.consolidate(apply=True)
    told = next(Path(eye.root, ".memory/journal").glob("ledger-*.jsonl")).read_text()
    assert '"op":"stated"' in told
    before = everything(eye.root)
    assert scan_workspace(eye).locations == ()
    assert scrub_workspace(eye, Journal(eye.root, "desk"), NOW, apply=True).replaced == ()
    assert everything(eye.root) == before
    ledger(eye, op="stated", key=f"{TOKEN}")
    assert [spot.kind for spot in scan_workspace(eye).locations] == ["github-pat"]


def test_the_chain_of_a_ledger_is_made_anew_over_months_and_goes_on(eye: SecretScanner) -> None:
    ours = Journal(eye.root, "desk")
    ledger(eye, "2025-10-01T09:00")
    ledger(eye, "2025-10-02T09:00", path=f"{TOKEN}.md")
    ledger(eye, "2025-11-01T09:00", records=["a"])
    ledger(eye, "2025-11-02T09:00", records=["b"])
    first = Path(eye.root, ".memory/journal/ledger-desk-2025-10.jsonl").read_bytes().split(b"\n")[0]
    scrub_workspace(eye, ours, NOW, apply=True)
    assert ours.verify() == ()
    ledger(eye, NOW, records=["c"])
    assert ours.verify() == ()
    assert Path(eye.root, ".memory/journal/ledger-desk-2025-10.jsonl").read_bytes().startswith(first + b"\n")
    assert [entry.fields.get("records") for entry in ours.read("ledger").entries] == [
        None,
        None,
        ["a"],
        ["b"],
        None,
        ["c"],
    ]
    assert not list(Path(eye.root, ".memory/journal").glob("*.scrub"))


def test_a_chain_that_was_broken_before_stays_broken(eye: SecretScanner) -> None:
    ledger(eye, path=f"{TOKEN}.md")
    ledger(eye, records=["a"])
    ledger(eye, records=["b"])
    path = Path(eye.root, ".memory/journal/ledger-desk-2025-11.jsonl")
    lines = path.read_bytes().split(b"\n")
    path.write_bytes(b"\n".join((lines[0], lines[2], b"")))
    ours = Journal(eye.root, "desk")
    assert [problem.code for problem in ours.verify()] == ["chain-broken"]
    scrub_workspace(eye, ours, NOW, apply=True)
    assert [(problem.code, problem.line) for problem in ours.verify()] == [("chain-broken", 2)]


def test_a_scrub_that_was_killed_between_two_ledgers_is_finished_by_the_next(
    eye: SecretScanner, monkeypatch: pytest.MonkeyPatch
) -> None:
    ledger(eye, "2025-09-01T09:00", path=f"{TOKEN}.md")
    ledger(eye, "2025-10-01T09:00", records=["a"])
    ledger(eye, "2025-11-01T09:00", records=["b"])
    for deaths in range(1, 6):
        root = f"{eye.root}-{deaths}"
        shutil.copytree(eye.root, root)
        there, left = SecretScanner(root, KEY), [deaths]

        def write_or_die(*told: Any, left: list[int] = left, **more: Any) -> None:
            left[0] -= 1
            if not left[0]:
                raise KeyboardInterrupt
            more.pop("of", files.write_atomic)(*told, **more)

        with monkeypatch.context() as patched:
            patched.setattr(rewriting, "files", _Dying(write_or_die))
            patched.setattr(
                "commonplace.storage.journal.replace_digests", lambda *told: write_or_die(*told, of=replace_digests)
            )
            with pytest.raises(KeyboardInterrupt):
                scrub_workspace(there, Journal(root, "desk"), NOW, apply=True)
        scrub_workspace(there, Journal(root, "desk"), NOW, apply=True)
        assert Journal(root, "desk").verify() == (), deaths
        assert scan_workspace(there).secrets == ()


class _Dying:
    """The room of files, but for one function."""

    def __init__(self, write_atomic: Any) -> None:
        self.write_atomic = write_atomic

    def __getattr__(self, name: str) -> Any:
        return getattr(files, name)


def test_a_head_is_on_the_disk_before_the_word_of_the_scrub_goes(
    eye: SecretScanner, monkeypatch: pytest.MonkeyPatch
) -> None:
    capture(eye, f"token {TOKEN}")
    steps: list[str] = []
    for name in ("fsync_path", "remove_file"):
        real = getattr(files, name)
        monkeypatch.setattr(
            files,
            name,
            lambda *told, real=real, **more: (steps.append(told[-1].rpartition("/")[2]), real(*told, **more)),
        )
    scrub_workspace(eye, Journal(eye.root, "desk"), NOW, apply=True)
    assert steps == ["chains-desk.head", "captures-desk.scrub"]


def test_journals_of_other_devices_are_left_unless_asked_for(eye: SecretScanner) -> None:
    theirs = capture(eye, f"token {TOKEN}", device="phone")
    ledger(eye, device="phone", path=f"{TOKEN}.md")
    ours = Journal(eye.root, "desk")
    done = scrub_workspace(eye, ours, NOW, apply=True)
    assert done.replaced == ()
    assert {one.location.path for one in done.left} == {theirs, ".memory/journal/ledger-phone-2025-11.jsonl"}
    assert all("--all-devices" in one.hint for one in done.left)
    assert scrub_workspace(eye, ours, NOW, apply=True, all_devices=True).left == ()
    assert ours.verify() == ()


def test_receipts_and_captures_stay_chains_and_keep_what_nobody_here_knows(eye: SecretScanner) -> None:
    ours = Journal(eye.root, "desk")
    for text in ("before", f"token {TOKEN}", f"last {TOKEN}"):
        ours.append({"ts": NOW, "text": text, "later": {"x": [1]}}, "captures")
        append_receipt(eye.root, Receipt(f"r-{text[:6]}", NOW, "", 0, 0, (), (), query=text), "desk")
    theirs = Receipt("r-theirs", NOW, "", 0, 0, (), (), query=TOKEN)
    append_receipt(eye.root, theirs, "phone")
    done = scrub_workspace(eye, ours, NOW, apply=True)
    assert [(one.path, one.secret_count) for one in done.replaced] == [
        (".memory/journal/captures-desk-2025-11.jsonl", 2),
        (".memory/receipts/desk-2025-11-30.jsonl", 2),
    ]
    assert [one.location.path for one in done.left] == [".memory/receipts/phone-2025-11-30.jsonl"]
    for _again in range(2):
        assert ours.verify() == verify_chains(eye.root, "receipts") == verify_heads(eye.root, ".memory/receipts") == ()
        ours.append({"ts": NOW, "text": "after"}, "captures")
        append_receipt(eye.root, structs.replace(theirs, query=""), "desk")
    assert [entry.fields.get("later") for entry in ours.read("captures").entries] == [{"x": [1]}] * 3 + [None] * 2
    assert scrub_workspace(eye, ours, NOW, apply=True, all_devices=True).left == ()
    assert verify_chains(eye.root, "receipts") == ()


# The library and the command line.


def test_after_a_scrub_no_byte_of_a_secret_is_left_and_the_index_answers(eye: SecretScanner, memory: Memory) -> None:
    write(eye, "notes.md", f"The boat is green, and its key is {TOKEN}.\n")
    capture(eye, f"the boat, {TOKEN}")
    memory.workspace.synced_index()
    assert TOKEN.encode() in everything(eye.root)
    done = memory.scrub(apply=True)
    assert done.applied
    assert TOKEN.encode() not in everything(eye.root)
    assert list(memory.workspace.synced_index().files()) == ["notes.md"]
    assert memory.workspace.notes == ()
    assert memory.scan().secrets == ()


@pytest.fixture
def command(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> Memory:
    monkeypatch.setattr(upkeep, "open_memory", lambda _options: memory)
    return memory


def options(**said: Any) -> Namespace:
    return Namespace(**{"json": False, "history": True, "apply": False, "all_devices": False, **said})


def test_the_command_line_tells_places_and_whom_to_ask(
    eye: SecretScanner, command: Memory, capsys: pytest.CaptureFixture[str]
) -> None:
    assert upkeep.scan_run(options()) == 0
    assert upkeep.scrub_run(options()) == 0
    write(eye, "a.md", f"x\n{TOKEN}\n")
    write(eye, "b.md", f"{TOKEN}\n")
    capsys.readouterr()
    assert upkeep.scan_run(options()) == 3
    out, err = capsys.readouterr()
    holder = command.scan().secrets[0].placeholder
    assert out.split("\n") == [
        f"{holder} a.md:2",
        "  also b.md:1",
        "  rotate: GitHub, https://github.com/settings/tokens",
        "",
    ]
    assert err == f"{NO_KEY_NOTE}\n1 secret; looked at 2 files\n"
    assert upkeep.scrub_run(options()) == 3
    out, err = capsys.readouterr()
    assert f"+{holder}\n" in out
    assert "nothing was written" in err
    assert upkeep.scrub_run(options(apply=True)) == 0
    out, err = capsys.readouterr()
    assert "removed 2 secrets from 2 files; this cannot be undone" in err
    assert TOKEN not in out + err


@pytest.mark.parametrize("name", ["secrets", "scrub"])
def test_the_shapes_are_what_their_schemas_say(
    name: str, repository: SecretScanner, command: Memory, capsys: pytest.CaptureFixture[str]
) -> None:
    write(repository, "a.md", f"x\n{TOKEN}\n")
    write(repository, "run.sh", f"TOKEN={TOKEN}\n")
    run = upkeep.scan_run if name == "secrets" else upkeep.scrub_run
    assert run(options(json=True)) == 3
    shape = json.loads(capsys.readouterr().out)
    assert shape["schema"] == f"commonplace.{name}.v1"
    validator(shape["schema"]).validate(shape)
    assert set(shape) == set(schema(shape["schema"])["properties"])
    assert TOKEN not in json.dumps(shape)


def test_the_commands_take_their_arguments() -> None:
    from commonplace.cli.commands import Command

    scanned = Command("scan", "", "upkeep").parser().read(["--no-history", "--json"])
    assert (scanned.history, scanned.json) == (False, True)
    scrubbed = Command("scrub", "", "upkeep").parser().read(["--apply", "--all-devices"])
    assert (scrubbed.apply, scrubbed.all_devices) == (True, True)
