"""Other memories come in: previewed first, once, with their provenance, and trusted only where somebody vouches."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from commonplace import Memory
from commonplace.capture.imports.memories import SYSTEMS
from commonplace.capture.imports.memories import markdown_notes as notes_reader
from commonplace.capture.imports.memories.foreign_database import MAX_VALUE_BYTES
from commonplace.capture.migration import ImportResult
from commonplace.cli import main
from commonplace.errors import BadArgument, NotFound, OutsideWorkspace
from tests.support import foreign_memories as foreign

pytestmark = pytest.mark.usefixtures("calm")

NOW = "2025-11-30T09:00"
SCHEMA = Path(__file__).parents[1] / "docs" / "reference" / "schemas" / "commonplace.imported.v1.schema.json"
SECRET = "gh" + "p_" + ("q7Zk2mX9vB4nT8wL3pR6yH1sJ5dF0gCaE" * 2)[:36]
MAKERS: dict[str, Callable[[Path], Path]] = {
    "memory-core": lambda at: foreign.memory_core(at / "openclaw-agent.sqlite"),
    "memory-lancedb": lambda at: foreign.export(at / "ltm.json", foreign.LANCE_ROWS),
    "memoria": lambda at: foreign.memoria(at / "memoria.db"),
    "openclaw-mem": lambda at: foreign.openclaw_mem(at / "openclaw-mem.sqlite"),
    "memoryclaw": lambda at: foreign.memoryclaw(at / "claw"),
    "basic-memory": lambda at: foreign.basic_memory(at / "notes"),
    "obsidian": lambda at: foreign.tree(
        at / "vault", {".obsidian/app.json": "{}", "Boat.md": "# Boat\n\nIt is green.\n"}
    ),
    "mem0": lambda at: foreign.export(at / "mem0.json", foreign.MEM0_EXPORT, indent=2),
    "commonplace": lambda at: own_export(at),
}


def own_export(folder: Path) -> Path:
    """An archive with the captures of a project."""
    (folder / "elsewhere").mkdir()
    with Memory.open(folder / "elsewhere") as memory:
        memory.capture("The hull is painted red.", scope="ferry", now=NOW)
        memory.export(path=str(folder / "ferry.zip"), scope="ferry", now=NOW)
    shutil.rmtree(folder / "elsewhere")
    return folder / "ferry.zip"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "workspace").mkdir()
    return tmp_path / "workspace"


@pytest.fixture
def abroad(tmp_path: Path) -> Path:
    (tmp_path / "abroad").mkdir()
    return tmp_path / "abroad"


def brought(root: Path, path: Path, **choices: Any) -> ImportResult:
    with Memory.open(root) as memory:
        return memory.import_from(str(path), now=NOW, **{"apply": True, **choices})


def captures(root: Path) -> list[dict[str, Any]]:
    found = sorted((root / ".memory" / "journal").glob("captures-*.jsonl"))
    return [json.loads(line) for path in found for line in path.read_text("utf-8").splitlines()]


def texts(root: Path) -> list[str]:
    return [capture["text"] for capture in captures(root)]


def everything(folder: Path) -> dict[str, tuple[int, bytes]]:
    return {
        str(path.relative_to(folder)): (path.stat().st_mtime_ns, path.read_bytes())
        for path in folder.rglob("*")
        if path.is_file()
    }


# What holds for each of them.


def test_every_system_has_a_maker_here() -> None:
    assert set(MAKERS) == set(SYSTEMS)


@pytest.mark.parametrize("system", MAKERS)
def test_a_memory_is_known_by_what_lies_there_and_a_preview_writes_nothing(
    system: str, root: Path, abroad: Path
) -> None:
    path = MAKERS[system](abroad)
    before = everything(abroad)
    done = brought(root, path, apply=False)
    assert (done.system, done.applied) == (system, False)
    assert done.ingest_result.captured == sum(done.tally.kinds.values()) > 0
    assert done.tally.samples
    assert list(root.iterdir()) == []
    assert everything(abroad) == before


@pytest.mark.slow
@pytest.mark.parametrize("system", MAKERS)
def test_what_was_previewed_comes_in_once_and_nothing_there_changes(system: str, root: Path, abroad: Path) -> None:
    path = MAKERS[system](abroad)
    before = everything(abroad)
    seen = brought(root, path, apply=False)
    done = brought(root, path)
    again = brought(root, path)
    assert done.ingest_result.captured == seen.ingest_result.captured == len(captures(root))
    assert (done.tally.kinds, done.tally.trusts) == (seen.tally.kinds, seen.tally.trusts)
    assert (again.ingest_result.captured, again.ingest_result.known) == (0, done.ingest_result.captured)
    assert brought(root, path, apply=False).ingest_result.known == done.ingest_result.captured
    assert everything(abroad) == before


@pytest.mark.slow
@pytest.mark.parametrize("system", MAKERS)
def test_nothing_is_trusted_unless_somebody_vouches_and_all_of_it_tells_whence_it_comes(
    system: str, root: Path, abroad: Path
) -> None:
    brought(root, MAKERS[system](abroad))
    for capture in captures(root):
        told = capture["detail"]["import"]
        assert told["system"] == system
        assert told["kind"]
        assert told["id"]
        assert capture["origin"] == "untrusted"
        assert capture["actor"] != "owner"


@pytest.mark.slow
@pytest.mark.parametrize("system", MAKERS)
def test_what_the_owner_vouches_for_is_trusted_also_when_it_came_in_before(
    system: str, root: Path, abroad: Path
) -> None:
    path = MAKERS[system](abroad)
    stranger = brought(root, path).ingest_result.captured
    done = brought(root, path, mine=True)
    assert done.tally.trusts["trusted"] > 0
    assert done.ingest_result.captured == stranger
    assert brought(root, path, mine=True).ingest_result.captured == 0


def test_what_was_vouched_for_does_not_come_in_again_as_a_strangers(root: Path, abroad: Path) -> None:
    path = MAKERS["memoria"](abroad)
    first = brought(root, path, mine=True).ingest_result.captured
    assert brought(root, path, apply=False).ingest_result.known == first
    assert (brought(root, path).ingest_result.captured, len(captures(root))) == (0, first)


# One by one.


def test_memoria_gives_its_facts_with_class_and_confidence_and_keeps_what_is_over(root: Path, abroad: Path) -> None:
    done = brought(root, foreign.memoria(abroad / "memoria.db"), mine=True)
    said = {capture["text"]: capture for capture in captures(root)}
    assert done.tally.passed_over == {
        "superseded by a newer one": 1,
        "only mentioned together": 1,
        "a message whose facts were taken": 1,
    }
    port = said["The gateway listens on port 8443."]
    assert (port["ts"], port["agent"]) == ("2025-11-27T09:40:00", "koda")
    assert port["detail"]["import"] == {
        "system": "memoria", "kind": "semantic", "id": "fact_2", "part": "facts", "line": 2,
        "time": str(foreign.MS), "category": "tool", "confidence": 0.9, "distilled": True,
    }  # fmt: skip
    assert "Jonas works on Tapline." in said
    assert "Boat: It is repaired in winter." in said
    assert "Deploy\nGoal: ship\n1. build\n2. push" in said
    assert (said["Noted."]["actor"], said["Noted."]["origin"]) == ("agent", "unknown")
    assert said["My sister Ana moved to Bern."]["session"] == "s1"


def test_openclaw_mem_gives_observations_turns_and_facts_that_hold(root: Path, abroad: Path) -> None:
    done = brought(root, foreign.openclaw_mem(abroad / "store.sqlite"), mine=True)
    said = {capture["text"]: capture for capture in captures(root)}
    assert done.tally.passed_over == {"a fact that is superseded": 1, foreign_documents(): 1}
    assert said["The user prefers dark roast over tea"]["scope"] == "home"
    assert said["A visitor claims that the vault stands open"]["origin"] == "untrusted", "whoever vouches"
    assert (said["df shows 81% used"]["actor"], said["df shows 81% used"]["origin"]) == ("tool", "untrusted")
    assert (said["The boat lies in Trieste."]["scope"], said["The boat lies in Trieste."]["actor"]) == ("", "owner")
    assert said["Wiki depends on Redis."]["detail"]["valid_from"] == "2025-11-01"


def foreign_documents() -> str:
    from commonplace.capture.imports.memories.openclaw_mem import DOCUMENT_REASON

    return DOCUMENT_REASON


def test_a_capsule_brings_the_same_observations_as_the_store_it_was_sealed_from(root: Path, abroad: Path) -> None:
    lines = "".join(json.dumps({"id": at, **row}) + "\n" for at, row in enumerate(foreign.OBSERVED, 1))
    canonical = foreign.capsule(abroad / "c", "openclaw-mem.canonical-capsule.v1", "observations.jsonl", lines)
    item = {"recordRef": "obs:2", "summary": "Decided to host the wiki on port 8443", "kind": "decision"}
    trusts = {"items": [{"recordRef": "obs:2", "trust": "unknown"}]}
    bundle = json.dumps({"items": [item], "context_pack": trusts})
    packed = foreign.capsule(abroad / "p", "openclaw-mem.pack-capsule.v1", "bundle.json", bundle)
    assert brought(root, packed).ingest_result.captured == 1
    assert (brought(root, canonical).ingest_result.captured, brought(root, packed).ingest_result.captured) == (3, 0)


def test_a_capsule_that_was_changed_is_refused(root: Path, abroad: Path) -> None:
    path = foreign.capsule(abroad / "c", "openclaw-mem.canonical-capsule.v1", "observations.jsonl", "{}\n")
    (path / "observations.jsonl").write_text('{"summary": "changed"}\n')
    with pytest.raises(BadArgument, match="not what the manifest"):
        brought(root, path)
    assert not (root / ".memory" / "journal").exists()


def test_a_capsule_whose_manifest_does_not_seal_what_is_read_is_refused(root: Path, abroad: Path) -> None:
    for name, schema in (("observations.jsonl", "canonical"), ("bundle.json", "pack")):
        path = foreign.capsule(abroad / schema, f"openclaw-mem.{schema}-capsule.v1", name, '{"items": []}\n')
        manifest = json.loads((path / "manifest.json").read_text())
        (path / "manifest.json").write_text(json.dumps({**manifest, "files": []}))
        with pytest.raises(BadArgument, match=f"does not seal '{name}'"):
            brought(root, path)


def test_a_capsule_with_odd_references_is_read(root: Path, abroad: Path) -> None:
    odd = {"items": [{"recordRef": [1], "text": "The boat is red."}], "context_pack": {"items": [{"recordRef": {}}]}}
    brought(root, foreign.capsule(abroad / "p", "openclaw-mem.pack-capsule.v1", "bundle.json", json.dumps(odd)))
    assert texts(root) == ["The boat is red."]


def test_numbers_in_a_database_cost_nothing_and_break_nothing(root: Path, abroad: Path) -> None:
    lines = ("---\ntitle: x\n---\n- The oars are blue.", "- far", "- too far")
    pieces = [
        {"id": n, "path": "a.md", "start_line": at, "end_line": at, "text": text, "updated_at": 0}
        for n, (at, text) in enumerate(zip(("7", "999999999", "9" * 5000), lines, strict=True))
    ]
    path = abroad / "main.sqlite"
    database = sqlite3.connect(path)
    database.execute("create table chunks (id, path, start_line, end_line, text, updated_at)")
    database.execute("create table memory_index_chunk_recall_metadata (chunk_id, importance, triggers, project_key)")
    database.execute("insert into memory_index_chunk_recall_metadata values ('0', ?, '', '')", ("9" * 5000,))
    keys = ":id, :path, :start_line, :end_line, :text, :updated_at"
    database.executemany(f"insert into chunks values ({keys})", pieces)
    database.commit()
    database.close()
    done = brought(root, path)
    at = {capture["text"]: capture["detail"]["import"]["line"] for capture in captures(root)}
    assert [at[text] for text in at if "oars" in text or "far" in text] == [10, 999_999_999]
    assert "`start_line`" in done.ingest_result.examples[0].reason
    assert any("title: x" in text for text in at), "what stands in the middle of a file is no front matter"


def test_a_database_that_is_another_memorys_is_refused(root: Path, abroad: Path) -> None:
    path = abroad / "main.sqlite"
    database = sqlite3.connect(path)
    database.execute("create table chunks (path, start_line, text)")
    database.close()
    with pytest.raises(BadArgument, match="has no table 'memory_index_chunks' with id"):
        brought(root, path)
    with pytest.raises(BadArgument, match="has no table 'facts'"):
        brought(root, path, system="memoria")


def test_a_capsule_cannot_name_a_file_outside_of_it(root: Path, abroad: Path) -> None:
    (abroad / "secret.txt").write_text("s")
    path = foreign.capsule(abroad / "c", "openclaw-mem.canonical-capsule.v1", "observations.jsonl", "{}\n")
    manifest = json.loads((path / "manifest.json").read_text())
    manifest["files"].append({"name": "../secret.txt", "sha256": "0"})
    (path / "manifest.json").write_text(json.dumps(manifest))
    with pytest.raises(OutsideWorkspace, match="climbs"):
        brought(root, path)


def test_memory_core_gives_each_line_once_and_trusts_by_the_origin_it_noted(root: Path, abroad: Path) -> None:
    done = brought(root, foreign.memory_core(abroad / "agent.sqlite"), mine=True)
    said = {capture["text"]: capture for capture in captures(root)}
    assert [text for text in texts(root) if "oars" in text] == ["Memory: The oars are in the blue shed."]
    assert said["Memory: The oars are in the blue shed."]["detail"]["import"]["line"] == 3
    assert said["Memory: Ana rows."]["detail"]["import"]["line"] == 5
    assert said["Memory: Ana rows."]["origin"] == "trusted", "the host calls every file an agent's"
    name = said["USER: Call him Jonas."]
    assert (name["detail"]["importance"], name["detail"]["triggers"]) == (0.8, ["name", "greeting"])
    assert name["scope"] == "a/b"
    assert "Notes" not in said, "a title whose lines are noted otherwise"
    [stranger] = [capture for text, capture in said.items() if "pay at once" in text]
    assert stranger["origin"] == "untrusted"
    assert said["Where is the boat?\nIn Trieste, I think."]["actor"] == "owner"
    assert said["In Trieste."]["origin"] == "unknown"
    assert said["Remind Jonas of the varnish."]["detail"]["triggers"] == ["boat"]
    assert done.tally.passed_over == {"an intent that is done": 1}


def test_memory_core_of_before_is_read_as_well(root: Path, abroad: Path) -> None:
    chunk = {"id": "a", "path": "memory/2025-11-26.md", "start_line": 1, "end_line": 1, "hash": "h", "model": "m",
             "text": "- The oars are in the blue shed.", "embedding": "[]", "updated_at": foreign.MS}  # fmt: skip
    foreign.database(abroad / "main.sqlite", foreign.MEMORY_CORE_BEFORE, {"chunks": [chunk]})
    assert brought(root, abroad / "main.sqlite").system == "memory-core"
    assert captures(root)[0]["ts"] == "2025-11-26"


def test_mem0_maps_user_agent_and_run_and_vouches_for_one_user_by_name(root: Path, abroad: Path) -> None:
    done = brought(root, foreign.export(abroad / "m.json", foreign.MEM0_EXPORT), owner="Jonas")
    jonas, carl = captures(root)
    assert (jonas["origin"], carl["origin"]) == ("trusted", "untrusted")
    assert (jonas["detail"]["user"], carl["agent"]) == ("jonas", "bot")
    assert done.tally.people == {"jonas": 1, "carl": 1}
    assert list(done.tally.passed_over) == ["of `relations`, which holds no memories"]


@pytest.mark.parametrize("shape", ["lines", "array", "wrapped", "relations first"])
def test_an_export_of_mem0_is_read_in_every_shape(shape: str, root: Path, abroad: Path) -> None:
    rows, path = foreign.MEM0_EXPORT["results"], abroad / "m.json"
    if shape == "lines":
        path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    elif shape == "array":
        foreign.export(path, rows)
    elif shape == "wrapped":
        foreign.export(path, {"count": 2, "next": None, "results": rows})
    else:
        foreign.export(path, {"relations": foreign.MEM0_EXPORT["relations"], "results": rows}, indent=1)
    assert brought(root, path).ingest_result.captured == 2


def test_mem0s_history_gives_what_each_memory_said_last(root: Path, abroad: Path) -> None:
    def event(at: int, memory: str, said: str | None, kind: str) -> dict[str, Any]:
        moment = f"2025-11-2{at}T08:00:00+00:00"
        return {"id": str(at), "memory_id": memory, "new_memory": said, "event": kind, "created_at": moment}

    rows = [
        event(1, "a", "The office is in Paris", "ADD"),
        event(2, "b", "Gone", "ADD"),
        event(3, "a", "The office is in Lyon", "UPDATE"),
        event(4, "b", None, "DELETE"),
    ]
    done = brought(root, foreign.database(abroad / "history.db", foreign.MEM0, {"history": rows}))
    assert texts(root) == ["The office is in Lyon"]
    assert done.tally.passed_over == {"changed later": 2, "deleted there": 1}


def test_rows_of_lancedb_keep_class_time_and_importance(root: Path, abroad: Path) -> None:
    brought(root, foreign.export(abroad / "ltm.json", foreign.LANCE_ROWS), mine=True)
    first = captures(root)[0]
    assert (first["ts"], first["detail"]["importance"]) == ("2025-11-27T09:40:00", 0.8)
    assert first["detail"]["import"]["category"] == "preference"


def test_a_folder_of_lancedb_says_what_is_missing_and_what_to_do_instead(
    root: Path, abroad: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (abroad / "memories.lance").mkdir()
    monkeypatch.setitem(sys.modules, "lancedb", None)
    with pytest.raises(BadArgument, match="without the package `lancedb`") as caught:
        brought(root, abroad)
    assert "openclaw ltm list" in caught.value.hint


def test_memoryclaw_gives_facts_episodes_and_conversations_and_doubts_what_is_pending(root: Path, abroad: Path) -> None:
    done = brought(root, foreign.memoryclaw(abroad / "claw"), mine=True)
    kinds = {capture["text"]: capture["detail"]["import"]["kind"] for capture in captures(root)}
    origins = {capture["text"]: capture["origin"] for capture in captures(root)}
    [pending] = [text for text, kind in kinds.items() if kind == "pending"]
    assert origins[pending] == "untrusted"
    assert "Contacts: John: john at the harbour office" in kinds
    assert [text for text in kinds if "deadline: 2025-04-10" in text] == [
        "Projects: tapline:\n    deadline: 2025-04-10"
    ]
    assert kinds["Please write to John."] == "message"
    assert [capture["ts"] for capture in captures(root) if capture["text"] == "Done."] == ["2025-04-08T14:31:00"]
    assert "Skill send_mail: for mail." in kinds
    assert done.tally.passed_over["settings"] == 1


def test_basic_memory_gives_observations_and_relations_with_note_category_and_date(root: Path, abroad: Path) -> None:
    brought(root, foreign.basic_memory(abroad / "notes"), mine=True)
    said = {capture["text"]: capture for capture in captures(root)}
    roast = said["Coffee Brewing: Jonas likes light roasts best (since Trieste)"]
    told = roast["detail"]["import"]
    assert (told["kind"], told["category"], told["part"], told["line"]) == (
        "observation", "preference", "coffee/brewing.md", 14,
    )  # fmt: skip
    assert roast["ts"] == "2025-03-01"
    assert "coffee" in roast["detail"]["tags"]
    relation = said["Coffee Brewing requires Proper Grinding (burrs)."]["detail"]
    assert (relation["import"]["distilled"], relation["links"]) == (True, ["Proper Grinding"])
    assert "Coffee Brewing based on Customer Interview." in said
    assert "distilled" not in said["Coffee Brewing links to Tea."]["detail"]["import"]
    assert "distilled" not in said["Coffee Brewing › Observations: buy filters"]["detail"]["import"]


# What comes in can be used.


def test_a_fact_of_another_memory_is_found_at_once_and_becomes_a_line_that_packs_cite(root: Path, abroad: Path) -> None:
    brought(root, foreign.memoria(abroad / "memoria.db"), mine=True)
    with Memory.open(root) as memory:
        [first, *_] = memory.recall("what does Jonas prefer to drink?", now=NOW).hits
        assert first.record.is_evidence
        assert first.record.text == "Jonas prefers mint tea over coffee."
        memory.consolidate(apply=True, now=NOW)
        pack = memory.pack("what does Jonas prefer to drink?", automatic=True, now=NOW)
        port = memory.pack("which port does the gateway listen on?", automatic=True, now=NOW)
    assert "Jonas prefers mint tea over coffee. [" in pack.text
    assert "memory/semantic/preferences.md" in [item.citation.partition("#")[0] for item in pack.items]
    assert "8443" in port.text
    episodes = "".join(path.read_text("utf-8") for path in (root / "memory" / "episodes").glob("*.md"))
    assert "Bern" in episodes
    assert "mint tea" not in episodes, "a statement that was distilled is no episode"


def test_a_statement_that_no_rule_reads_is_kept_as_it_was_stated(root: Path, abroad: Path) -> None:
    brought(root, foreign.openclaw_mem(abroad / "store.sqlite"), mine=True)
    with Memory.open(root) as memory:
        memory.consolidate(apply=True, now=NOW)
    page = (root / "memory" / "semantic" / "preferences.md").read_text("utf-8")
    assert "The user prefers dark roast over tea" in page


def test_what_another_memory_was_unsure_of_waits_for_review(root: Path, abroad: Path) -> None:
    at = {"created_at": foreign.MS, "updated_at": foreign.MS}
    doubt = {
        "id": "fact_9",
        "fact": "Ana owns the green boat in Trieste.",
        "category": "savoir",
        "confidence": 0.3,
        **at,
    }
    brought(root, foreign.memoria(abroad / "memoria.db", facts=[doubt]), mine=True)
    with Memory.open(root) as memory:
        memory.consolidate(apply=True, now=NOW)
        waiting = [item.text for item in memory.pending()]
    assert any("green boat" in text for text in waiting)


def test_what_nobody_vouches_for_is_found_when_asked_and_gets_into_no_automatic_pack(root: Path, abroad: Path) -> None:
    brought(root, foreign.memoria(abroad / "memoria.db"))
    with Memory.open(root) as memory:
        assert memory.recall("what does Jonas prefer to drink?", now=NOW).hits[0].record.trust == "untrusted"
        memory.consolidate(apply=True, now=NOW)
        assert "mint tea" not in memory.pack("what does Jonas prefer to drink?", automatic=True, now=NOW).text
    assert not (root / "memory" / "semantic").exists()


def test_own_notes_are_not_distrusted_because_a_strange_memory_holds_them_too(root: Path, abroad: Path) -> None:
    (root / "MEMORY.md").write_text("# Memory\n\n- The oars are kept in the blue shed by the harbour.\n", "utf-8")
    rows = [{**foreign.LANCE_ROWS[0], "text": "The oars are kept in the blue shed by the harbour."}]
    with Memory.open(root) as memory:
        memory.sync()
    brought(root, foreign.export(abroad / "ltm.json", rows))
    with Memory.open(root) as memory:
        [line] = [h.record for h in memory.recall("where are the oars?", evidence="none", now=NOW).hits]
    assert line.trust == "trusted"


def test_no_event_can_claim_to_come_from_another_memory(root: Path) -> None:
    claim = {"import": {"system": "memoria", "distilled": True, "category": "preference"}}
    with Memory.open(root) as memory:
        memory.capture("xyzzy plugh quux frobnicates", detail=claim, now=NOW)
    assert "import" not in captures(root)[0]["detail"]


def test_secrets_are_told_in_the_preview_and_masked_when_it_comes_in(root: Path, abroad: Path) -> None:
    rows = [{**foreign.LANCE_ROWS[0], "text": f"The token is {SECRET}.", "metadata": {"note": SECRET}}]
    path = foreign.export(abroad / "ltm.json", rows)
    seen = brought(root, path, apply=False)
    done = brought(root, path)
    assert seen.tally.masked == done.tally.masked == 1
    assert seen.ingest_result.redacted == done.ingest_result.redacted != ()
    assert SECRET not in seen.tally.samples[0].text
    assert SECRET not in "".join(p.read_text("utf-8", "replace") for p in root.rglob("*.jsonl"))


def test_a_memory_that_asks_not_to_be_kept_is_not(root: Path, abroad: Path) -> None:
    rows = [{**foreign.LANCE_ROWS[0], "text": "[NOMEM] the surprise"}, foreign.LANCE_ROWS[1]]
    path = foreign.export(abroad / "ltm.json", rows)
    assert brought(root, path, apply=False, mine=True).ingest_result.skipped == 1
    assert brought(root, path, mine=True).ingest_result.skipped == 1
    assert "surprise" not in "".join(texts(root))


# What is bad stops nothing.


def test_a_bad_row_is_set_aside_with_its_table_and_row_and_the_rest_comes_in(root: Path, abroad: Path) -> None:
    at = {"created_at": foreign.MS, "updated_at": foreign.MS}
    path = foreign.memoria(
        abroad / "memoria.db",
        facts=[
            {"id": "bad", "fact": " ", **at},
            {"id": "long", "fact": "x" * (MAX_VALUE_BYTES + 1), **at},
            {"id": "fact_5", "fact": "The anchor is of iron.", **at},
        ],
    )
    with sqlite3.connect(path) as connection:
        connection.execute(
            "insert into facts (id, fact, created_at, updated_at) values ('u', cast(x'fffe41' as text), 1, 1)"
        )
    connection.close()
    done = brought(root, path)
    reasons = [(one.part, one.line, one.reason) for one in done.ingest_result.examples]
    assert ("facts", 4, "no text") in reasons
    assert ("facts", 5, f"`fact` has {MAX_VALUE_BYTES + 1} bytes, more than {MAX_VALUE_BYTES}") in reasons
    assert ("facts", 7, "`fact` is not UTF-8") in reasons
    assert "The anchor is of iron." in texts(root)
    kept = [json.loads(line) for line in (root / done.ingest_result.kept_in).read_text("utf-8").splitlines()]
    assert sorted(one["reason"] for one in kept)[0].startswith("facts: ")


@pytest.mark.slow
def test_of_a_damaged_database_what_can_be_read_comes_in(root: Path, abroad: Path) -> None:
    rows = [{"id": f"f{n}", "fact": f"Fact number {n} is here.", "created_at": foreign.MS, "updated_at": foreign.MS}
            for n in range(2000)]  # fmt: skip
    path = foreign.memoria(abroad / "memoria.db", facts=rows)
    with sqlite3.connect(path) as connection:
        [page] = connection.execute(
            "select max(pageno) from dbstat where name = 'facts' and pagetype = 'leaf'"
        ).fetchone()
    connection.close()
    data = bytearray(path.read_bytes())
    data[(page - 1) * 4096 : page * 4096] = b"\xff" * 4096
    path.write_bytes(data)
    done = brought(root, path)
    assert done.tally.kinds["semantic"] > 1000
    assert any("cannot be read after row" in one.reason for one in done.ingest_result.examples)
    assert done.tally.kinds["message"] == 2, "the other tables come in"


def test_what_is_no_database_or_of_nobody_known_is_refused_with_what_to_do(root: Path, abroad: Path) -> None:
    (abroad / "broken.db").write_bytes(b"SQLite format 3\0" + b"\xff" * 5000)
    foreign.database(abroad / "other.db", "create table cats (name text);", {})
    (abroad / "plain.txt").write_text("hello")
    (abroad / "empty").mkdir()
    for name, message in (
        ("broken.db", "cannot be read as a SQLite database"),
        ("other.db", "its tables: cats"),
        ("plain.txt", "contains no known kind of memory"),
        ("empty", "contains no known kind of memory"),
    ):
        with pytest.raises(BadArgument, match=message):
            brought(root, abroad / name)
    with pytest.raises(NotFound):
        brought(root, abroad / "nowhere")
    with pytest.raises(BadArgument, match="no format"):
        brought(root, abroad, system="cats")


def test_a_view_or_a_table_of_a_module_is_not_taken_for_a_table(root: Path, abroad: Path) -> None:
    schema = """create view facts(id, fact, category, created_at) as
        with recursive n(i) as (select 1 union all select i + 1 from n) select i, 'x' || i, 'savoir', 1 from n;"""
    foreign.database(abroad / "endless.db", schema, {})
    with pytest.raises(BadArgument, match="of no memory that is known"):
        brought(root, abroad / "endless.db")


def test_a_log_beside_a_database_is_read_and_without_one_nothing_appears(root: Path, abroad: Path) -> None:
    path = foreign.memoria(abroad / "memoria.db")
    writer = sqlite3.connect(path)
    writer.execute("pragma journal_mode = wal")
    writer.execute("insert into facts (id, fact, created_at, updated_at) values ('w', 'Only in the log.', 1, 1)")
    writer.commit()
    brought(root, path)
    writer.close()
    assert "Only in the log." in texts(root)
    assert [one.name for one in abroad.iterdir()] == ["memoria.db"]
    brought(root, path)
    assert [one.name for one in abroad.iterdir()] == ["memoria.db"]


def test_of_a_folder_links_pipes_and_giants_are_set_aside_unread(root: Path, abroad: Path, tmp_path: Path) -> None:
    (tmp_path / "secret.md").write_text("- the secret")
    vault = foreign.tree(abroad / "vault", {".obsidian/x": "", "Boat.md": "It is green.\n", "deep/Oar.md": "Of ash.\n"})
    (vault / "out.md").symlink_to(tmp_path / "secret.md")
    (vault / "far").symlink_to(tmp_path)
    (vault / "note").symlink_to(tmp_path / "secret.md")
    os.mkfifo(vault / "pipe.md")
    with (vault / "giant.md").open("wb") as file:
        file.truncate(100 << 20)
    (vault / "bytes.md").write_bytes(b"- caf\xe9 at nine\n")
    done = brought(root, vault)
    reasons = {one.part: one.reason for one in done.ingest_result.examples}
    assert reasons["out.md"] == reasons["far/"] == "a link, which is not followed"
    assert "note" not in reasons
    assert reasons["pipe.md"].startswith("a pipe")
    assert reasons["giant.md"] == f"a note of {100 << 20} bytes, more than {notes_reader.MAX_NOTE_BYTES}"
    assert reasons["bytes.md"].startswith("not UTF-8")
    assert sorted(texts(root)) == ["Boat: It is green.", "Oar: Of ash.", "bytes: caf\ufffd at nine"]


@pytest.mark.parametrize("system", ["obsidian", "basic-memory", "memoryclaw"])
def test_notes_and_folders_that_may_not_be_read_are_set_aside_and_the_rest_comes_in(
    system: str, root: Path, abroad: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    head = "---\npermalink: x\n---\n" if system == "basic-memory" else ""
    upper = "semantic" if system == "memoryclaw" else "notes"
    tree = {f"{upper}/{name}.md": f"{head}- The {name} is green.\n" for name in ("closed", "gone", "mast", "oar")}
    vault = foreign.tree(abroad / "vault", {**tree, "episodes/deep/sail.md": "- The sail is blue.\n"})
    really, listed = os.open, os.scandir

    def opening(path: Any, *flags: Any, **more: Any) -> int:
        if path in ("closed.md", "gone.md"):
            raise PermissionError(13, "Permission denied") if path[0] == "c" else FileNotFoundError(2, "No such file")
        return really(path, *flags, **more)

    def listing(path: Any) -> Any:
        if str(path).endswith("/deep/"):
            raise PermissionError(13, "Permission denied")
        return listed(path)

    monkeypatch.setattr(os, "open", opening)
    monkeypatch.setattr(os, "scandir", listing)
    done = brought(root, vault)
    assert done.system == system
    assert {one.part: one.reason for one in done.ingest_result.examples} == {
        f"{upper}/closed.md": "it cannot be read: permission denied",
        f"{upper}/gone.md": "it cannot be read: it is gone",
        "episodes/deep/": "this folder cannot be read: Permission denied",
    }
    assert len(texts(root)) == 2


def test_bad_objects_of_an_export_are_set_aside_and_the_rest_comes_in(root: Path, abroad: Path) -> None:
    path = abroad / "m.json"
    good = json.dumps({"id": "g", "memory": "The mast is of ash", "user_id": "j"})
    deep = '{"memory": ' + "[" * 100_000 + "]" * 100_000 + "}"
    path.write_text(f'{{"results": [{good}, {{"memory": NaN}}, {deep}, {{"id": "e"}}, {{"memory": "torn', "utf-8")
    done = brought(root, path)
    reasons = [one.reason for one in done.ingest_result.examples]
    assert texts(root) == ["The mast is of ash"]
    assert reasons == ["not JSON: NaN or Infinity", "nested too deeply", "no text", "torn: the file ends within it"]
    assert done.ingest_result.examples[0].offset == path.read_bytes().index(b'{"memory": NaN')


def test_notes_of_the_workspace_itself_are_not_imported_and_a_workspace_needs_no_import(root: Path) -> None:
    foreign.tree(root, {"vault/.obsidian/x": "", "vault/Boat.md": "Green.\n", "AGENTS.md": "x", "memory/a.md": "- a\n"})
    with pytest.raises(BadArgument, match="lies in this workspace"):
        brought(root, root / "vault")
    with pytest.raises(BadArgument, match="needs no import") as caught:
        brought(root, root)
    assert "--workspace" in caught.value.hint


def test_a_database_that_lies_in_the_workspace_can_be_imported(root: Path) -> None:
    (root / "memory").mkdir()
    foreign.memoria(root / "memory" / "memoria.db")
    assert brought(root, root / "memory").ingest_result.captured > 0


# The command.


@pytest.fixture
def cpl(root: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., Any]:
    monkeypatch.setenv("COMMONPLACE_WORKSPACE", str(root))
    monkeypatch.setenv("COMMONPLACE_NOW", NOW)
    monkeypatch.setenv("COMMONPLACE_DEVICE", "desk")

    def run(*arguments: object) -> tuple[int, str, str]:
        capsys.readouterr()
        code = main(tuple(map(str, arguments)))
        return (code, *capsys.readouterr())

    return run


def test_the_command_previews_says_so_and_applies_when_told(cpl: Callable[..., Any], root: Path, abroad: Path) -> None:
    path = foreign.memoria(abroad / "memoria.db")
    code, out, err = cpl("import", path)
    assert code == 0
    assert "memoria, 7 memories" in out
    assert "2 semantic" in out
    assert "dates: 2025-11-27 to 2025-11-27" in out
    assert "passed over: 1 a message whose facts were taken, 1 only mentioned together" in out
    assert "7 to capture, 0 known, 0 skipped, 0 set aside" in out
    assert "nothing was written; use --apply to capture it" in err
    assert "use --mine" in err
    assert list(root.iterdir()) == []
    code, out, err = cpl("import", path, "--mine", "--apply", "--scope", "boat")
    assert "7 captured" in out
    assert err == ""
    assert {capture["scope"] for capture in captures(root)} == {"boat"}


def test_an_import_of_nothing_says_so(cpl: Callable[..., Any], abroad: Path) -> None:
    foreign.database(abroad / "memoria.db", foreign.MEMORIA, {})
    code, out, _err = cpl("import", abroad / "memoria.db")
    assert (code, out) == (0, f"{abroad}/memoria.db: memoria: it contains no memories\n")


def test_the_json_is_as_documented(cpl: Callable[..., Any], abroad: Path) -> None:
    schema = json.loads(SCHEMA.read_text("utf-8"))
    path = foreign.memoria(abroad / "memoria.db")
    for extra in ((), ("--apply",)):
        _code, out, _err = cpl("import", path, "--json", *extra)
        found = json.loads(out)
        Draft202012Validator(schema).validate(found)
        assert found["applied"] == bool(extra)


def test_a_name_that_nobody_there_has_is_told(cpl: Callable[..., Any], abroad: Path) -> None:
    path = foreign.export(abroad / "m.json", foreign.MEM0_EXPORT)
    _code, _out, err = cpl("import", path, "--owner", "Bob")
    assert "nothing in it belongs to Bob; it names jonas, carl" in err


def test_a_transcript_is_sent_to_ingest(cpl: Callable[..., Any], abroad: Path) -> None:
    (abroad / "log.jsonl").write_text('{"ts": "2025-11-27T09:40", "text": "Tea at nine."}\n')
    code, _out, err = cpl("import", abroad / "log.jsonl")
    assert code == 2
    assert "commonplace ingest" in err
