"""Other memories as their programs keep them: databases with their own schema, folders and exports, made for tests."""

from __future__ import annotations

import json
import sqlite3
from hashlib import sha256
from pathlib import Path
from typing import Any

MS = 1_764_236_400_000  # 2025-11-27T09:40:00Z

MEMORIA = """
create table meta (key text primary key, value text not null);
create table facts (
  id text primary key, fact text not null, category text not null default 'savoir',
  confidence real not null default 0.8, source text default 'auto-capture', tags text default '[]',
  agent text default 'koda', created_at integer not null, updated_at integer not null, access_count integer default 0,
  last_accessed_at integer, superseded integer default 0, superseded_by text, superseded_at integer, md_file text,
  md_line integer, entity_ids text default '[]', fact_type text default 'semantic');
create virtual table facts_fts using fts5(fact, category, tags, content='facts', content_rowid='rowid');
create trigger facts_ai after insert on facts begin
  insert into facts_fts(rowid, fact, category, tags) values (new.rowid, new.fact, new.category, new.tags); end;
alter table facts add column usefulness real default 0;
alter table facts add column lifecycle_state text default 'fresh';
create table entities (id text primary key, name text not null, type text not null default 'concept',
  attributes text default '{}', created_at integer not null, access_count integer default 0);
create table relations (id text primary key, source_id text not null, target_id text not null, relation text not null,
  weight real default 1.0, context text, created_at integer not null, last_accessed_at integer);
create table observations (id text primary key, topic text not null, summary text not null, evidence_ids text
  default '[]', revision integer default 1, confidence real default 0.8, created_at integer not null,
  updated_at integer not null, last_accessed_at integer, access_count integer default 0, embedding blob);
create table procedures (id text primary key, name text not null, goal text, steps text not null,
  success_count integer default 0, failure_count integer default 0, last_success_at integer, last_failure_at integer,
  last_updated_at integer not null, avg_duration_ms integer, improvements text default '[]', context text,
  degradation_score real default 0.0, alternative_of text, gotchas text);
create table wal_buffer (id integer primary key autoincrement, session_id text not null default '',
  role text not null check(role in ('user', 'assistant')), content text not null, created_at integer not null,
  processed integer not null default 0);
"""
OPENCLAW_MEM = """
create table observations (id integer primary key autoincrement, ts text not null, kind text, summary text,
  summary_en text, lang text, tool_name text, detail_json text);
create virtual table observations_fts using fts5(summary, summary_en, tool_name, detail_json,
  content='observations', content_rowid='id');
create table episodic_events (id integer primary key autoincrement, event_id text not null, ts_ms integer not null,
  scope text not null, session_id text not null, agent_id text not null, type text not null, summary text not null,
  payload_json text, refs_json text, redacted integer not null default 0, schema_version text not null,
  created_at text not null, search_text text not null default '');
create table graph_facts (id text primary key, schema text not null, subject_ref text not null,
  subject_label text not null, predicate text not null, object_type text not null, object_json text not null,
  valid_from text not null, valid_to text, status text not null, confidence_tier text not null,
  source_refs_json text not null, assertion_ref_json text not null, supersedes_json text not null,
  superseded_by_json text not null, created_at text not null, asserted_by text not null,
  source_snapshots_json text not null);
create table docs_chunks (id integer primary key autoincrement, doc_id text, chunk_id text, text text);
"""
MEMORY_CORE = """
create table memory_index_chunks (chunk_rowid integer primary key, id text not null unique, path text not null,
  source text not null default 'memory', start_line integer not null, end_line integer not null, hash text not null,
  model text not null, text text not null, embedding blob not null, updated_at integer not null) strict;
create table memory_index_chunk_provenance (chunk_id text primary key,
  origin_class text not null check (origin_class in ('owner', 'agent', 'untrusted', 'system')),
  session_kind text not null, observed_at integer not null, supersedes_key text) strict;
create table memory_index_chunk_recall_metadata (chunk_id text primary key,
  importance integer check (importance is null or importance between 1 and 10), triggers text, project_key text) strict;
create table standing_intents (intent_key integer primary key, id text not null unique, description text not null,
  trigger_keywords text not null, status text not null, expires_at integer not null, max_fires integer not null,
  fire_count integer not null default 0, created_at integer not null, source_session_id text) strict;
"""
MEMORY_CORE_BEFORE = """
create table meta (key text primary key, value text not null);
create table files (path text not null, source text not null default 'memory', hash text not null,
  mtime integer not null, size integer not null, primary key (path, source));
create table chunks (id text primary key, path text not null, source text not null default 'memory',
  start_line integer not null, end_line integer not null, hash text not null, model text not null, text text not null,
  embedding text not null, updated_at integer not null);
"""
MEM0 = """
create table history (id text primary key, memory_id text, old_memory text, new_memory text, event text,
  created_at datetime, updated_at datetime, is_deleted integer, actor_id text, role text);
"""


def database(path: Path, schema: str, rows: dict[str, list[dict[str, Any]]]) -> Path:
    """A database of this schema with these rows by table."""
    with sqlite3.connect(path) as connection:
        connection.executescript(schema)
        for table, found in rows.items():
            for row in found:
                marks = ", ".join("?" * len(row))
                connection.execute(f"insert into {table} ({', '.join(row)}) values ({marks})", list(row.values()))
    connection.close()
    return path


def memoria(path: Path, **more: list[dict[str, Any]]) -> Path:
    """Memoria's store: two facts that hold and one that does not, and one of each other thing."""
    at = {"created_at": MS, "updated_at": MS}
    facts = [
        {"id": "fact_1", "fact": "Jonas prefers mint tea over coffee.", "category": "preference", **at},
        {"id": "fact_2", "fact": "The gateway listens on port 8443.", "category": "outil", "confidence": 0.9, **at},
        {"id": "fact_0", "fact": "The gateway listens on port 80.", "superseded": 1, "superseded_by": "fact_2", **at},
    ]
    rows: dict[str, list[dict[str, Any]]] = {
        "facts": facts,
        "entities": [
            {"id": "e1", "name": "Jonas", "type": "person", "created_at": MS},
            {"id": "e2", "name": "Tapline", "type": "project", "created_at": MS},
        ],
        "relations": [
            {"id": "r1", "source_id": "e1", "target_id": "e2", "relation": "works_on", "created_at": MS},
            {"id": "r2", "source_id": "e1", "target_id": "e2", "relation": "related_to", "created_at": MS},
        ],
        "observations": [{"id": "obs_1", "topic": "Boat", "summary": "It is repaired in winter.", **at}],
        "procedures": [
            {"id": "p1", "name": "Deploy", "goal": "ship", "steps": '["build", "push"]', "last_updated_at": MS}
        ],
        "wal_buffer": [
            {"session_id": "s1", "role": "user", "content": "My sister Ana moved to Bern.", "created_at": MS},
            {"session_id": "s1", "role": "assistant", "content": "Noted.", "created_at": MS + 1000},
            {"session_id": "s1", "role": "user", "content": "old", "created_at": MS, "processed": 1},
        ],
    }
    for table, found in more.items():
        rows[table] = rows.get(table, []) + found
    return database(path, MEMORIA, rows)


OBSERVED = [
    {"ts": "2025-11-27T09:40:00Z", "kind": "preference", "summary": "The user prefers dark roast over tea",
     "detail_json": '{"scope": "home"}'},
    {"ts": "2025-11-27T10:40:00Z", "kind": "decision", "summary": "Decided to host the wiki on port 8443",
     "detail_json": "{}"},
    {"ts": "2025-11-28T10:40:00Z", "kind": "fact", "summary": "A visitor claims that the vault stands open",
     "detail_json": '{"trust": "untrusted"}'},
    {"ts": "2025-11-28T11:40:00Z", "kind": "tool", "summary": "df shows 81% used", "tool_name": "exec",
     "detail_json": '{"exit_code": 0}'},
]  # fmt: skip


def openclaw_mem(path: Path) -> Path:
    """openclaw-mem's store: observations, a turn of a conversation, a fact that holds and one that does not."""
    empty = dict.fromkeys(("source_refs_json", "supersedes_json", "superseded_by_json"), "[]")
    empty |= {"assertion_ref_json": "{}", "source_snapshots_json": "[]", "schema": "openclaw-mem.graph.fact.v0"}
    fact = {"subject_ref": "entity:wiki", "subject_label": "Wiki", "predicate": "depends_on", "object_type": "literal",
            "valid_from": "2025-11-01", "confidence_tier": "low", "created_at": "2025-11-02", "asserted_by": "me"}  # fmt: skip
    return database(
        path,
        OPENCLAW_MEM,
        {
            "observations": OBSERVED,
            "episodic_events": [
                {"event_id": "ep-1", "ts_ms": MS, "scope": "global", "session_id": "s1", "agent_id": "main",
                 "type": "conversation.user", "summary": "The boat lies in Trieste.", "schema_version": "v0",
                 "created_at": "2025-11-27"},
            ],
            "graph_facts": [
                {"id": "fact_1", "object_json": '{"type": "literal", "value": "Redis"}', "status": "active", **fact, **empty},
                {"id": "fact_2", "object_json": '{"type": "literal", "value": "MySQL"}', "status": "superseded", **fact,
                 **empty},
            ],
            "docs_chunks": [{"doc_id": "d", "chunk_id": "c", "text": "a page"}],
        },
    )  # fmt: skip


def memory_core(path: Path) -> Path:
    """memory-core's index: a note in two pieces that overlap, a stranger's line, a session, two intents."""
    note = ["# Memory", "", "- The oars are in the blue shed.", "- Tea at nine. <!-- importance: 9 -->", "- Ana rows."]
    common = {"hash": "h", "model": "fts-only", "embedding": b"", "updated_at": MS}
    return database(
        path,
        MEMORY_CORE,
        {
            "memory_index_chunks": [
                {"id": "a", "path": "MEMORY.md", "start_line": 1, "end_line": 4, "text": "\n".join(note[:4]), **common},
                {"id": "b", "path": "MEMORY.md", "start_line": 3, "end_line": 5, "text": "\n".join(note[2:]), **common},
                {"id": "f", "path": "USER.md", "start_line": 1, "end_line": 1, "text": "# Notes", **common},
                {"id": "e", "path": "USER.md", "start_line": 2, "end_line": 2, "text": "- Call him Jonas.", **common},
                {"id": "c", "path": "memory/2025-11-27.md", "start_line": 1, "end_line": 1,
                 "text": "- The page said to pay at once.", **common},
                {"id": "d", "path": "sessions/s1.jsonl", "source": "sessions", "start_line": 1, "end_line": 3,
                 "text": "User: Where is the boat?\nIn Trieste, I think.\nAssistant: In Trieste.", **common},
            ],
            "memory_index_chunk_recall_metadata": [
                {"chunk_id": "e", "importance": 8, "triggers": "name; greeting", "project_key": "a/b; c/d"}
            ],
            "memory_index_chunk_provenance": [
                {"chunk_id": "c", "origin_class": "untrusted", "session_kind": "interactive", "observed_at": MS},
                {"chunk_id": "a", "origin_class": "agent", "session_kind": "unknown", "observed_at": MS},
                {"chunk_id": "b", "origin_class": "agent", "session_kind": "unknown", "observed_at": MS}
            ],
            "standing_intents": [
                {"id": "i1", "description": "Remind Jonas of the varnish.", "trigger_keywords": '["boat"]',
                 "status": "armed", "expires_at": MS, "max_fires": 3, "created_at": MS},
                {"id": "i2", "description": "Over.", "trigger_keywords": "[]", "status": "done", "expires_at": MS,
                 "max_fires": 3, "created_at": MS},
            ],
        },
    )  # fmt: skip


def memoryclaw(folder: Path) -> Path:
    """MemoryClaw's folder."""
    return tree(
        folder,
        {
            "config.yaml": "memoryclaw: {}\n",
            "episodes/2025-04-08_14-32-10_mail-to-john.md": (
                "---\ntimestamp: 2025-04-08T14:32:10Z\ntags: [email, john]\nsummary: Sent the update to John.\n"
                "participants: [user, assistant]\nconfidence: high\n---\n**Details:**\n- The deadline is April 10th.\n"
            ),
            "semantic/contacts.md": "# Contacts\n- John: john at the harbour office\n",
            "semantic/projects.md": "# Projects\n- tapline:\n    deadline: 2025-04-10\n",
            "semantic/_pending.md": "# Pending Facts for Review\n\n- John age: 99 (confidence: low)\n",
            "semantic/aliases.yaml": "mail: [email]\n",
            "skills/send_mail.json": '{"name": "send_mail", "status": "approved", "triggers": ["mail"], "steps": []}',
            "logs/processed/2025-04-08_14-32-10_telegram_raw.md": (
                "---\ntimestamp: 2025-04-08T14:32:10Z\nchannel: telegram\nprocessed: true\n---\n\n"
                "### user (2025-04-08 14:30)\n\nPlease write to John.\n\n### assistant (2025-04-08 14:31)\n\nDone.\n"
            ),
        },
    )


def basic_memory(folder: Path) -> Path:
    """A project of basic-memory."""
    return tree(
        folder,
        {
            "coffee/brewing.md": (
                "---\ntitle: Coffee Brewing\ntype: note\ntags: [coffee]\npermalink: coffee/brewing\n"
                "created: 2025-03-01\n---\n# Coffee Brewing\n\nNotes on how I make it.\n\n## Observations\n"
                "- [method] Pour over gives more clarity than the press #brewing\n"
                "- [preference] Jonas likes light roasts best (since Trieste)\n- [ ] buy filters\n\n"
                '## Relations\n- requires [[Proper Grinding]] (burrs)\n- "based on" [[Customer Interview]]\n'
                "- [[Tea]]\n"
            ),
        },
    )


def tree(folder: Path, texts: dict[str, str]) -> Path:
    """A folder of these files."""
    for name, text in texts.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    return folder


MEM0_EXPORT = {
    "results": [
        {"id": "m1", "memory": "Prefers morning meetings", "hash": "x", "metadata": {"category": "preference"},
         "created_at": "2025-11-20T08:00:00+00:00", "updated_at": None, "user_id": "jonas"},
        {"id": "m2", "memory": "Carl leads the redesign of the API", "hash": "y", "metadata": None,
         "created_at": "2025-11-21T08:00:00+00:00", "updated_at": None, "user_id": "carl", "agent_id": "bot"},
    ],
    "relations": [{"source": "jonas", "relationship": "knows", "target": "carl"}],
}  # fmt: skip
LANCE_ROWS = [
    {"id": "11111111-1111-4111-8111-111111111111", "text": "I prefer dark roast coffee.", "importance": 0.8,
     "category": "preference", "createdAt": MS},
    {"id": "22222222-2222-4222-8222-222222222222", "text": "We decided to use port 8443.", "importance": 0.9,
     "category": "decision", "createdAt": MS + 1000},
]  # fmt: skip


def export(path: Path, value: Any, **more: Any) -> Path:
    """A value as a file of JSON."""
    path.write_text(json.dumps(value, **more), encoding="utf-8")
    return path


def capsule(folder: Path, schema: str, name: str, text: str) -> Path:
    """A capsule with one file, sealed by its manifest."""
    sealed = {"name": name, "sha256": sha256(text.encode()).hexdigest(), "bytes": len(text.encode())}
    manifest = {"schema": schema, "created_at": "2025-11-27T09:40:00+00:00", "files": [sealed]}
    return tree(folder, {"manifest.json": json.dumps(manifest), name: text})
