"""An OpenClaw workspace as it stands: its annotations count, what it dreamt does not, and not a byte is changed."""

from __future__ import annotations

from pathlib import Path

import pytest

from commonplace import Memory
from commonplace.storage.workspace import parse_document

NOW = "2025-11-30T09:00"
FILES = {
    "AGENTS.md": "# Agents\n\nRead MEMORY.md first.\n",
    "SOUL.md": "# Soul\n\nBe brief.\n",
    "USER.md": "# User\n\n- Call him Jonas. <!-- trigger: name; greeting --> <!-- importance: 8 -->\n",
    "MEMORY.md": (
        "# Memory\n\n## Promoted From Short-Term Memory (2025-11-27)\n\n"
        "<!-- openclaw-memory-promotion:memory:memory/2025-11-20.md:3:3 -->\n"
        "- Keep the gateway on loopback. <!-- trigger: gateway setup, network --> <!-- importance: 9 -->\n"
        "<!-- openclaw-memory-promotion:memory:memory/2025-11-21.md:5:5 -->\n"
        "- Package with the release helper. <!-- project: github.com/openclaw/openclaw -->\n"
    ),
    "memory/2025-11-26.md": (
        "# 2025-11-26\n\n- The oars are in the blue shed.\n\n## Light Sleep\n"
        "<!-- openclaw:dreaming:light:start -->\n"
        "- Candidate: the oars are in the blue shed\n  - confidence: 0.62\n"
        "<!-- openclaw:dreaming:light:end -->\n\n## Evening\n\n- Tea with Ana.\n"
    ),
    "memory/2025-11-27-boat-talk.md": "# Boat talk\n\n- The boat needs new oars by May.\n",
    "memory/imports/codex/notes.md": "# Codex\n\n- The mast is of ash.\n",
    "DREAMS.md": (
        "# Dream Diary\n\n<!-- openclaw:dreaming:diary:start -->\n\n*November 27*\n\nOars in the blue shed, again and again.\n\n"
        "<!-- openclaw:dreaming:diary:end -->\n"
    ),
    "memory/.dreams/session-corpus/2025-11-26.txt": "User: the oars are in the blue shed\n",
}


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """A workspace with a month of dream reports beside three days of notes."""
    root = tmp_path / "workspace"
    reports = {
        f"memory/dreaming/{phase}/2025-11-{day:02}.md": f"# REM Sleep\n\n- The oars in the blue shed, seen {day} times.\n"
        for phase in ("light", "rem", "deep")
        for day in range(1, 30)
    }
    for path, text in (FILES | reports).items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8")
    return root


def test_what_openclaw_dreamt_crowds_nothing_out(workspace: Path) -> None:
    with Memory.open(workspace) as memory:
        hits = memory.recall("where are the oars?", k=20, now=NOW).hits
    paths = [hit.record.source.path for hit in hits]
    assert paths[0] == "memory/2025-11-26.md"
    assert hits[0].record.text == "The oars are in the blue shed."
    assert not [path for path in paths if "dream" in path.lower()]
    assert [hit.record.text for hit in hits if hit.record.source.path == "memory/2025-11-26.md"][1:2] in (
        [],
        ["Tea with Ana."],
    )


def test_a_persons_own_dream_book_is_read_as_any_other_note() -> None:
    found = parse_document("DREAMS.md", b"# Dreams\n\n- I flew over the harbour.\n").records
    assert [record.text for record in found] == ["I flew over the harbour."]


def test_a_dream_that_never_ends_hides_nothing() -> None:
    text = b"- A.\n\n<!-- openclaw:dreaming:light:start -->\n- B.\n<!-- openclaw:dreaming:rem:end -->\n- C.\n"
    assert [record.text for record in parse_document("memory/2025-11-26.md", text).records] == ["A.", "B.", "C."]


def test_annotations_of_the_host_count_also_between_its_marks(workspace: Path) -> None:
    with Memory.open(workspace) as memory:
        [gateway] = [h.record for h in memory.recall("gateway on loopback", now=NOW).hits if "gateway" in h.record.text]
        [user] = [h.record for h in memory.recall("call him Jonas", now=NOW).hits if "Jonas" in h.record.text]
        found = memory.recall("release helper package", scope="github.com/openclaw/openclaw", now=NOW).hits
        hidden = memory.recall("release helper package", now=NOW).hits
    assert gateway.text == "Keep the gateway on loopback."
    assert (gateway.importance, gateway.triggers) == (0.9, ("gateway setup", "network"))
    assert (user.importance, user.triggers) == (0.8, ("name", "greeting"))
    assert [hit.record.text for hit in found][:1] == ["Package with the release helper."]
    assert not [hit for hit in hidden if "release helper" in hit.record.text]


def test_a_trigger_of_the_host_brings_its_line(workspace: Path) -> None:
    with Memory.open(workspace) as memory:
        hits = memory.recall("a greeting for the guest", now=NOW).hits
    assert [hit.record.text for hit in hits][:1] == ["Call him Jonas."]


def test_a_workspace_is_read_in_place_and_stays_as_it_is(workspace: Path) -> None:
    before = {path: path.read_bytes() for path in workspace.rglob("*") if path.is_file()}
    with Memory.open(workspace) as memory:
        memory.sync()
        memory.recall("tea", now=NOW)
        memory.pack("what about the oars?", now=NOW)
        problems = [problem for problem in memory.check().problems if problem.path in FILES]
    after = {path: path.read_bytes() for path in before}
    assert after == before
    assert problems == []
