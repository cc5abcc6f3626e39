"""What is erased is in no file any more, whatever held it; all other bytes stay."""

from __future__ import annotations

import base64
import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import quote

import numpy as np
import pytest

from commonplace import Memory
from commonplace.errors import BadArgument, NotFound
from commonplace.index import VectorStore
from commonplace.operations.parameters import ForgetRequest, VerifyManifestRequest
from commonplace.retrieval.vectors.vector_index import encode_vectors
from commonplace.storage.stores import classify_file
from commonplace.storage.tombstones import random_salt
from commonplace.upkeep.forget import describe_texts, finish_erasure, scan_folders
from commonplace.upkeep.forget.erasure import erase_from_file

NOW = "2026-11-05T10:00"
SECRET = "My accountant is Mara Keller, her office is in the Lindenhof of Bern."
OTHER = "We use pnpm, not npm, in this repo."


@pytest.fixture
def memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Memory:
    """A notebook in which one sentence is in many places."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("TMPDIR", str(tmp_path / "temporary"))
    (tmp_path / "notes").mkdir()
    memory = Memory.open(tmp_path / "notes")
    memory.capture(SECRET, now="2026-11-01T10:00", session="work")
    memory.capture(OTHER, now="2026-11-01T10:05", session="work")
    memory.capture("The door opens. " + "Long talk about doors. " * 500 + SECRET, now="2026-11-02T10:00", session="d")
    memory.consolidate(apply=True, now="2026-11-03T10:00")
    memory.session_start("s9", goal="Call the office", now="2026-11-03T11:00")
    memory.session_step("s9", observations=(SECRET, "Nobody answers."), now="2026-11-03T11:00")
    memory.buffer_add(SECRET, now="2026-11-03T11:00")
    Path(memory.root, "notes.md").write_text(f"# Notes\n\n- Call the plumber.\n- {SECRET}\n", encoding="utf-8")
    Path(memory.root, "memory/skills").mkdir(exist_ok=True)
    Path(memory.root, "memory/skills/call.draft.json").write_text(json.dumps({"goal": SECRET}), encoding="utf-8")
    return memory


def files_with(root: str | Path, word: str) -> list[str]:
    paths = (path for path in Path(root).rglob("*") if path.is_file())
    found = [path for path in paths if word.encode() in path.read_bytes() or word.lower() in path.name.lower()]
    return sorted(str(path.relative_to(root)) for path in found)


def erase(memory: Memory, **given: Any) -> str:
    result = memory.forget(ForgetRequest(erase=True, apply=True, now=NOW, **given))
    assert result.manifest is not None
    return result.manifest.path


def test_no_file_has_it_and_every_other_line_stays(memory: Memory) -> None:
    journal = next(Path(memory.root, ".memory/journal").glob("captures-*.jsonl"))
    others = [line for line in journal.read_bytes().split(b"\n") if b"Keller" not in line and b"Lindenhof" not in line]
    assert len(files_with(memory.root, "Keller")) > 8
    erase(memory, query="Keller")
    assert files_with(memory.root, "Keller") == []
    assert set(others) <= set(journal.read_bytes().split(b"\n"))
    assert Path(memory.root, "notes.md").read_text(encoding="utf-8") == "# Notes\n\n- Call the plumber.\n"
    working = memory.session_show("s9").working
    assert [one.text for one in working.observations] == ["Nobody answers."]
    assert memory.check().problems == ()
    assert any(OTHER in hit.record.text for hit in memory.recall("pnpm or npm?", now=NOW).hits)


def test_what_is_named_by_its_id_goes_with_every_copy(memory: Memory) -> None:
    line = next(hit.record.id for hit in memory.recall("Mara Keller", now=NOW).hits if hit.record.sources)
    erase(memory, references=(line,))
    assert [one for one in files_with(memory.root, "Mara Keller, her office") if "artifacts" not in one] == []


def test_a_preview_names_the_files_and_writes_nothing(memory: Memory) -> None:
    memory.sync()
    paths = [path for path in Path(memory.root).rglob("*") if path.is_file() and "index.sqlite" not in path.name]
    before = [path.read_bytes() for path in paths]
    planned = memory.forget(query="Keller", erase=True, now=NOW)
    names = {one.path for one in planned.files}
    assert planned.id == ""
    assert {"notes.md", "memory/skills/call.draft.json", "memory/working-buffer.md"} <= names
    assert [path.read_bytes() for path in paths] == before


def test_an_erasure_cannot_be_undone(memory: Memory) -> None:
    erase(memory, query="Keller")
    ledger = next(Path(memory.root, ".memory/journal").glob("ledger-*.jsonl")).read_text(encoding="utf-8")
    (line,) = (json.loads(one) for one in ledger.split("\n") if '"op":"forgotten"' in one)
    with pytest.raises(BadArgument, match="cannot be undone"):
        memory.undo(line["id"])


def test_a_scan_by_the_manifest_finds_what_comes_back(memory: Memory) -> None:
    manifest = erase(memory, query="Keller")
    assert memory.verify_forgotten(VerifyManifestRequest(manifest)).remaining == ()
    packed = gzip.compress(SECRET.encode())
    Path(memory.root, "copy.bin").write_bytes(b"\0\1" + packed)
    remaining = memory.verify_forgotten(VerifyManifestRequest(manifest)).remaining
    assert [(Path(one.path).name, one.view) for one in remaining] == [("copy.bin", "gzip")]
    with pytest.raises(BadArgument, match="no manifest"):
        memory.verify_forgotten(VerifyManifestRequest("notes.md"))


@pytest.mark.parametrize(
    ("view", "encode"),
    [
        ("plain", lambda text: b"- " + text + b"\n"),
        ("plain", lambda text: b"\0\1\2" + text + b"\0"),
        ("base64", lambda text: b"x " + base64.b64encode(b"ab " + text + b" c") + b" y"),
        ("hex", lambda text: text.hex().encode()),
        ("hex", lambda text: b"0x" + text.hex().upper().encode()),
        ("utf-16", lambda text: text.decode().encode("utf-16-le")),
        ("utf-16", lambda text: b"\xfe\xff" + text.decode().encode("utf-16-be")),
        ("json", lambda text: b'{"a": [' + json.dumps(text.decode()).replace("e", "\\u0065").encode()),
        ("url", lambda text: b"q=" + quote(text).encode()),
        ("gzip", lambda text: b"123" + gzip.compress(text)),
        ("gzip/base64", lambda text: gzip.compress(base64.b64encode(text))),
    ],
)
def test_each_way_of_holding_a_text_is_found(tmp_path: Path, view: str, encode: Callable[[bytes], bytes]) -> None:
    erased = describe_texts([SECRET], ["Keller Lindenhof"], [], random_salt())
    (tmp_path / "file").write_bytes(encode(SECRET.encode()))
    (tmp_path / "other").write_bytes(encode(b"My plumber is Mara Sander, her office is in the Lindenhof of Chur."))
    assert [(Path(one.path).name, one.view) for one in scan_folders((str(tmp_path),), erased).remaining] == [
        ("file", view)
    ]


@pytest.mark.parametrize(
    ("path", "data", "expected"),
    [
        ("a.md", f"# A\n\n- {SECRET}\n- b\n", "# A\n\n- b\n"),
        ("a.md", f"---\ntitle: {SECRET}\n---\n- b\n", "---\ntitle: (forgotten)\n---\n- b\n"),
        ("a.md", f"## {SECRET}\n\n- b\n", "## (forgotten)\n\n- b\n"),
        ("a.md", f"# A\n\n## B\n\n- {SECRET}\n\n## C\n\n- b\n", "# A\n\n## C\n\n- b\n"),
        ("memory/episodes/x.md", f"---\ntitle: a\n---\n\n**Details:**\n- {SECRET}\n", None),
        (".memory/set-aside/x.jsonl", f'{{"sample":"{SECRET}"}}\n{{"sample":"b"}}\n', '{"sample":"b"}\n'),
        (".memory/sessions/x.json", f'{{"goal":"{SECRET}","plan":["b","{SECRET}"]}}', '{"goal":"","plan":["b"]}'),
        (".memory/changes/x.json", f'{{"before":"{SECRET}"}}', None),
        (".memory/journal/captures-a-2026-11.jsonl", f"torn {SECRET}\nb\n", "b\n"),
        (".memory/unknown", f"{SECRET}\nb\n", "b\n"),
    ],
)
def test_each_store_loses_it_in_its_own_way(path: str, data: str, expected: str | None) -> None:
    erased = describe_texts([SECRET], [], [], random_salt())
    assert erase_from_file(classify_file(path), data.encode(), erased, "2026-11-05") == (
        None if expected is None else expected.encode()
    )


def test_what_broke_off_is_finished_at_the_next_start(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    def stop(*_arguments: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("commonplace.upkeep.forget.run.append_tombstones", stop)
    with pytest.raises(KeyboardInterrupt):
        erase(memory, query="Keller")
    monkeypatch.undo()
    assert files_with(memory.root, "Keller") != []
    with Memory.open(memory.root) as again:
        assert again.recall("Keller", now=NOW).hits == ()
    assert files_with(memory.root, "Keller") == []
    assert finish_erasure(memory.root, b"{}") is False


def test_of_an_erasure_that_breaks_off_in_its_manifest_the_next_start_knows(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So that no half of a manifest stays."""

    def stop(root: str, *_arguments: object) -> None:
        assert list(Path(root, ".memory/doing").iterdir())
        raise KeyboardInterrupt

    monkeypatch.setattr("commonplace.upkeep.forget.write_manifest", stop, raising=False)
    with pytest.raises(KeyboardInterrupt):
        erase(memory, query="Keller")


def test_what_is_hidden_is_erased_when_it_is_due(memory: Memory) -> None:
    hidden = memory.forget(query="Keller", apply=True, now=NOW)
    assert memory.status()["forgotten_hidden"]
    memory.consolidate(apply=True, now="2026-12-04T10:00")
    assert files_with(memory.root, "Keller") != []
    memory.consolidate(apply=True, now="2026-12-05T10:00")
    assert [one for one in files_with(memory.root, "Keller, her") if "artifacts" not in one] == []
    with pytest.raises(BadArgument):
        memory.undo(hidden.id)


def test_a_setting_keeps_it_hidden(memory: Memory) -> None:
    Path(memory.root, "commonplace.toml").write_text("[forget]\nerase_after_days = 0\n", encoding="utf-8")
    with Memory.open(memory.root) as again:
        again.forget(query="Keller", apply=True, now=NOW)
        again.consolidate(apply=True, now="2029-12-05T10:00")
        assert again.recall("Keller", now=NOW).hits == ()
    assert files_with(memory.root, "Keller") != []


def test_without_a_tombstone_it_may_come_back(memory: Memory) -> None:
    erase(memory, query="Keller", tombstone=False)
    assert list(Path(memory.root, ".memory").glob("tombstones-*")) == []
    assert memory.capture(SECRET, now=NOW, session="work").outcome == "captured"


def test_with_a_tombstone_it_does_not_come_back(memory: Memory) -> None:
    erase(memory, query="Keller")
    assert memory.capture(SECRET, now=NOW, session="work").outcome == "forgotten"


def test_what_names_an_erased_line_in_a_receipt_or_by_a_digest_becomes_a_stub(memory: Memory) -> None:
    def ledger() -> str:
        return next(Path(memory.root, ".memory/journal").glob("ledger-*.jsonl")).read_text(encoding="utf-8")

    packed = memory.pack("who is my accountant?", now=NOW)
    other = memory.pack("pnpm or npm?", now=NOW, evidence="only", core=False)
    line = next(item.record_id for item in packed.items if f'"op":"origin","record":"{item.record_id}"' in ledger())
    erase(memory, references=(line,))
    with pytest.raises(NotFound):
        memory.receipt(packed.receipt_id)
    assert memory.receipt(other.receipt_id)
    assert f'"record":"{line}"' not in ledger()


def test_words_erase_everywhere_only_where_nothing_else_is_asked(memory: Memory) -> None:
    memory.capture("The plumber of Mara Keller is expensive.", now="2026-11-04T10:00", session="other")
    erase(memory, query="Keller", session="other")
    assert files_with(memory.root, "plumber of Mara") == []
    assert "notes.md" in files_with(memory.root, "Mara Keller, her office")


def test_what_words_erase_of_captures_that_are_no_evidence_does_not_come_back_either(memory: Memory) -> None:
    text = "<private>The pin of Mara Keller's gate is the year of her birth.</private> Thanks for that, really."
    memory.capture(text, now="2026-11-04T10:00", session="other")
    call = {"tool": "look", "arguments": {"a": "Is Mara Keller in the office of Bern today?"}}
    memory.capture(OTHER, now="2026-11-04T10:00", session="x", detail=call)
    erase(memory, query="Keller")
    memory.capture(text, now="2026-11-04T11:00", session="other")
    memory.capture(OTHER, now="2026-11-04T11:00", session="x", detail=call)
    assert files_with(memory.root, "Keller") == []
    assert memory.capture(OTHER, now="2026-11-04T11:00", session="y").outcome == "captured"


def test_what_words_erase_outside_of_the_index_does_not_come_back_either(memory: Memory) -> None:
    report = f"A long report begins here. {'It goes on, and on, and on again. ' * 400}{SECRET} {'It ends. ' * 2000}"
    memory.capture(report, now="2026-11-04T10:00", session="reports")
    memory.session_start("visit", goal="See Mara Keller about the taxes of this year", now=NOW)
    erase(memory, query="Keller")
    assert files_with(memory.root, "long report") == []  # the capture went with its artifact
    assert memory.capture("See Mara Keller about the taxes of this year", now=NOW).outcome == "forgotten"
    memory.capture(report, now="2026-11-04T11:00", session="reports")
    assert files_with(memory.root, "Keller") == []


def test_what_comes_back_is_erased_on_request(memory: Memory) -> None:
    erase(memory, query="Keller")
    Path(memory.root, "back.md").write_text(f"# Back\n\n- {SECRET}\n- And this.\n", encoding="utf-8")
    assert memory.recall("Mara Keller", now=NOW).hits == ()
    memory.consolidate(apply=True, now="2026-11-06T10:00")
    assert files_with(memory.root, "Keller") == ["back.md"]
    memory.forget(ForgetRequest(due=True, apply=True, now="2026-11-06T10:00"))
    assert files_with(memory.root, "Keller") == []
    Path(memory.root, "memory/skills/call.draft.json").write_text(json.dumps({"goal": SECRET}), encoding="utf-8")
    memory.forget(ForgetRequest(due=True, apply=True, now="2026-11-06T10:00"))
    assert files_with(memory.root, "Keller") == []


def test_a_restarted_agent_does_not_read_what_is_hidden_while_the_index_is_behind(memory: Memory) -> None:
    path = Path(memory.root, "MEMORY.md")
    path.write_text("# Memory\n\n- The key is in Dover. <!-- id: keyinbox -->\n- Tea is blue.\n", encoding="utf-8")
    memory.forget(query="Dover", apply=True, now=NOW)
    path.write_text(path.read_text(encoding="utf-8") + "- More.\n", encoding="utf-8")
    with Memory.open(memory.root) as other, other.workspace.open_index().transaction():
        resumed = memory.resume(now=NOW).text
        assert memory.notes
    assert "Tea is blue" in resumed
    assert "Dover" not in resumed


def test_no_vector_of_it_is_left(memory: Memory) -> None:
    path = str(Path(memory.root, ".memory/vectors.sqlite"))
    store = VectorStore(path)
    model = store.get_or_add_model("tiny", 4)
    kept = sorted(memory.workspace.synced_index().all_vector_keys(with_context=False))[0]
    vectors = [np.full((1, 4), 0.5, dtype=np.float32)] * 2
    store.put_vectors(model, encode_vectors(["gone" * 8, kept], vectors))
    store.close()
    erase(memory, references=("notes.md#L3",))
    store = VectorStore(path)
    assert "gone" * 8 not in store.list_digests(model)
    store.close()
    assert b"gonegone" not in Path(path).read_bytes()
