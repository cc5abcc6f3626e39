"""Notebooks and texts of other people through `Memory`: everything is read, found and cited, and nothing is touched."""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
import os
import statistics
import tarfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from commonplace import Memory
from commonplace.model import Problem, Record
from commonplace.storage.journal import Journal, encode_journal_line
from tests.support.sample_size import sample_size

NOW = "2025-11-27T10:00"
pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("surroundings")]

LARGEST = "dendron-site"  # of which a sample is one file in three
VAULTS = {LARGEST: 1000, "foam-docs": 80, "kepano": 100, "logseq-docs": 300}
QUESTIONS = (
    "how do I link two notes?",
    "daily notes",
    "what happened last week?",
    "templates OR plugins",
    "日本語",
    "the",
)

MARKS = "\ue000\ue001"  # what the index stores beside the words begins so


def fingerprint(root: Path) -> dict[str, str]:
    """Bytes, mode and time of every file that is not our own."""
    found: dict[str, str] = {}
    for folder, folders, names in os.walk(root):
        if Path(folder) == root and ".memory" in folders:
            folders.remove(".memory")
        for name in names:
            path = Path(folder) / name
            status = path.lstat()
            data = path.read_bytes() if path.is_file() and not path.is_symlink() else b""
            found[str(path)] = f"{hashlib.sha256(data).hexdigest()} {status.st_mode:o} {status.st_mtime_ns}"
    return found


def records(memory: Memory) -> Iterator[Record]:
    index = memory.workspace.synced_index()
    for path in index.files():
        for row in index.fetch(index.rows_of_file(path)).values():
            yield row.record


def check_citations(memory: Memory, root: Path) -> list[int]:
    """Every record stands on the lines that it cites, read from disk as text; returns the lengths of the records."""
    lines: dict[str, list[bytes]] = {}
    lengths: list[int] = []
    for record in records(memory):
        source = record.source
        if source.path not in lines:
            lines[source.path] = (root / source.path).read_bytes().split(b"\n")
        cited = b"\n".join(lines[source.path][source.line_start - 1 : source.line_end])
        assert record.text in cited.decode("utf-8", "replace"), source.citation
        lengths.append(len(record.text))
    return lengths


def check_places(problems: tuple[Problem, ...], root: Path) -> None:
    for problem in problems:
        assert problem.message
        assert (root / problem.path).exists(), problem
        if problem.line:
            assert problem.line <= len((root / problem.path).read_bytes().split(b"\n")), problem


def check_words(memory: Memory) -> None:
    """Full text holds exactly the tokens of the records: its own tokeniser splits, joins and drops none."""
    index = memory.workspace.open_index()
    expected: Counter[str] = Counter()
    for path in index.files():
        for row in index.fetch(index.rows_of_file(path)).values():
            expected.update({*row.tokens.split(" "), *row.context.split(" ")} - {""})
    lines = (json.loads(line) for line in memory.dump())
    words = {line[1]: line[2] for line in lines if line[0] == "word"}
    assert {word: count for word, count in words.items() if word[0] not in MARKS} == dict(expected)


@pytest.mark.sampled
@pytest.mark.parametrize("name", VAULTS)
def test_a_vault_of_other_people_is_read_cited_asked_and_left_as_it_was(
    name: str, tmp_path: Path, shared: Path
) -> None:
    step = sample_size(full=1, sample=3 if name == LARGEST else 1)
    with tarfile.open(shared / "corpora/vaults" / f"{name}.tar.gz") as archive:
        members = archive.getmembers()[::step]
        archive.extractall(tmp_path, members, filter="data")
    before = fingerprint(tmp_path)
    with Memory.open(tmp_path) as memory:
        synced = memory.sync()
        assert synced.files >= VAULTS[name] / step
        check_places(synced.problems, tmp_path)
        lengths = check_citations(memory, tmp_path)
        assert len(lengths) == synced.records > 200
        assert statistics.median(lengths) <= 400
        check_words(memory)
        read_everything(memory)
        assert all(problem.code != "stale-citation" for problem in memory.check().problems)
    assert fingerprint(tmp_path) == before


def read_everything(memory: Memory) -> None:
    """Every command that only reads."""
    for question in QUESTIONS:
        for hit in memory.recall(question, k=5).hits:
            source = hit.record.source
            assert memory.show(hit.record.id).path == source.path
            assert hit.record.text in memory.show(source.citation).text
        packed = memory.pack(question, budget_tokens=400)
        assert packed.tokens <= 400
        memory.why(packed.receipt_id)
    for entity, _count in memory.entities()[:5]:
        memory.entity(entity)
    memory.timeline(since="2015-01-01", until="2025-11-27")
    memory.sync(dry_run=True)
    memory.status()


def rows(shared: Path, corpus: str, name: str) -> list[dict[str, Any]]:
    with gzip.open(shared / "corpora" / corpus / name, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def bodies(shared: Path, corpus: str) -> list[bytes]:
    if corpus == "yaml_test_suite":
        return [f"---\n{row['yaml']}\n---\n".encode() for row in rows(shared, corpus, "cases.jsonl.gz")]
    if corpus == "commonmark":
        return [row["markdown"].encode() for row in rows(shared, corpus, "spec_examples.jsonl.gz")]
    if corpus == "json_test_suite":
        return [base64.b64decode(row["b64"]) for row in rows(shared, corpus, "cases.jsonl.gz")]
    return [row["text"].encode("utf-8", "surrogatepass") for row in rows(shared, corpus, "blns.jsonl.gz")]


@pytest.mark.parametrize("corpus", ["yaml_test_suite", "commonmark", "json_test_suite", "blns"])
def test_below_the_oddest_text_a_sentence_is_still_found_and_no_byte_is_touched(
    corpus: str, tmp_path: Path, shared: Path
) -> None:
    texts = bodies(shared, corpus)
    assert len(texts) > 300
    for number, text in enumerate(texts):
        (tmp_path / f"{number}.md").write_bytes(text + f"\n\nThe sentinel zq{number:04}x stands alone.\n".encode())
    before = fingerprint(tmp_path)
    with Memory.open(tmp_path) as memory:
        synced = memory.sync()
        assert synced.files == len(texts)
        check_places(synced.problems, tmp_path)
        check_citations(memory, tmp_path)
        check_words(memory)
        for number in range(len(texts)):
            hits = memory.recall(f"zq{number:04}x", k=3, all_scopes=True, sync=False).hits
            assert [hit.record.source.path for hit in hits] == [f"{number}.md"]
        assert memory.check().problems == synced.problems
    assert fingerprint(tmp_path) == before


def test_any_text_is_a_question(tmp_path: Path, shared: Path) -> None:
    (tmp_path / "a.md").write_text("# Tea\n\n- We drink tea at four.\n- Null, undefined, true and 0.\n")
    asked = [row["text"] for row in rows(shared, "blns", "blns.jsonl.gz")]
    asked += [row["text"] for row in rows(shared, "unicode", "bidi_homoglyph.jsonl.gz")]
    asked += [row["text"] for row in rows(shared, "terminal", "sequences.jsonl.gz")]
    asked += [next(iter(row.values())) for row in rows(shared, "sqli", "fts5_queries.jsonl.gz")]
    asked += ["\ud800", "a\0b", "tea" * 10_000, "tea " * 10_000, '"', "text: tea", "tea*", "NEAR(tea four)", ""]
    with Memory.open(tmp_path) as memory:
        before = memory.dump()
        for question in asked:
            memory.recall(question, sync=False)
        assert memory.recall("four", sync=False).hits
        assert memory.dump() == before


def test_between_two_good_ledger_lines_any_bytes_are_set_aside_with_their_place(tmp_path: Path, shared: Path) -> None:
    blobs = bodies(shared, "json_test_suite")
    (tmp_path / "a.md").write_text("- tea <!-- id: teaa1 -->\n")
    journal = Journal(str(tmp_path), "dev")
    place = journal.append({"op": "used", "ts": "2025-11-27", "records": ["teaa1"]}, "ledger").path
    good = encode_journal_line({"v": 1, "id": "led:good", "ts": "2025-11-27", "op": "used", "records": ["teaa1"]})
    bad: set[int] = set()
    with (tmp_path / place).open("ab") as file:
        line = 2
        for blob in blobs:
            file.write(blob + b"\n" + good + b"\n")
            lines = blob.split(b"\n")
            bad |= {line + number for number, text in enumerate(lines) if text}
            line += len(lines) + 1
    with Memory.open(tmp_path) as memory:
        problems = memory.sync().problems
        assert {(problem.code, problem.path) for problem in problems} == {("bad-line", place)}
        assert {problem.line for problem in problems} == bad
        assert f'["usage","teaa1",0,{len(blobs) + 1}]' in memory.dump()
        assert memory.recall("tea").hits


def test_what_leads_out_of_the_folder_or_is_no_file_is_listed_and_not_opened(tmp_path: Path) -> None:
    root, outside = tmp_path / "vault", tmp_path / "outside"
    root.mkdir()
    outside.mkdir()
    (outside / "secret.md").write_text("- the outside secret\n")
    (root / "a.md").write_text("- tea at four\n")
    (root / "inside.md").symlink_to("a.md")
    (root / "file.md").symlink_to(outside / "secret.md")
    (root / "folder").symlink_to(outside)
    (root / "loop").symlink_to(root)
    (root / "dangling.md").symlink_to("nowhere.md")
    os.mkfifo(root / "pipe.md")
    expected = [("not-a-file", "pipe.md"), ("symlink-outside", "file.md"), ("symlink-outside", "folder")]
    with Memory.open(root) as memory:
        synced = memory.sync()
        assert sorted((problem.code, problem.path) for problem in synced.problems) == expected
        assert synced.files == 1
        assert memory.recall("outside secret").hits == ()
        assert [hit.record.source.path for hit in memory.recall("tea").hits] == ["a.md"]
        (root / "pipe.md").unlink()
        (root / "file.md").unlink()
        assert [problem.path for problem in memory.sync().problems] == ["folder"]
        assert memory.dump() == memory.workspace.dump_rebuilt_index()


def test_a_file_that_was_replaced_by_a_link_or_a_folder_is_gone(tmp_path: Path) -> None:
    (tmp_path / "outside.txt").write_text("- the outside secret\n")
    root = tmp_path / "vault"
    root.mkdir()
    for name in ("link.md", "folder.md"):
        (root / name).write_text(f"- tea in {name}\n")
    with Memory.open(root) as memory:
        assert len(memory.recall("tea").hits) == 2
        (root / "link.md").unlink()
        (root / "link.md").symlink_to(tmp_path / "outside.txt")
        (root / "folder.md").unlink()
        (root / "folder.md").mkdir()
        assert memory.recall("tea").hits == memory.recall("outside secret").hits == ()
        assert memory.dump() == memory.workspace.dump_rebuilt_index()
