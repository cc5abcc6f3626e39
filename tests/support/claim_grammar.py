"""A small grammar in place of the facts room, so that each test knows what is claimed; and what tests ask of a notebook."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from msgspec import structs

from commonplace import Memory
from commonplace.cli import main
from commonplace.extract.candidates import Candidate
from commonplace.model import Capture, Category
from commonplace.storage import files
from commonplace.storage.workspace import QUEUE_PATH, parse_document
from commonplace.truth import Vocabulary
from commonplace.upkeep.consolidate import ClaimRecord, claims, planning
from commonplace.upkeep.consolidate.file_edits import strip_line_decoration

NOW = "2025-11-20T08:00"
INFRA = "memory/semantic/infrastructure.md"

# `Staging DB's port is 6431.`, with `Maybe` before what is not sure; and `[category Entity] any sentence.`
STATEMENT = re.compile(r"(?P<maybe>Maybe )?(?P<entity>[A-Z]\w*(?: DB)?)'s (?P<attribute>\w+) is (?P<value>[\w-]+)")
CLAIM = re.compile(r"\[(?P<category>\w+)(?: (?P<entity>[A-Z]\w*))?\] (?P<text>[^.]+)\.")
HOMES: dict[str, Category] = {
    "port": "tool",
    "city": "person",
    "colour": "preference",
    "status": "project",
    "phase": "fact",
}


def read_claims(
    captures: tuple[Capture, ...], owner: str = claims.DEFAULT_OWNER, vocabulary: Vocabulary | None = None
) -> Iterator[ClaimRecord]:
    """The claims of captures by this grammar, made as those that are selected."""
    for capture in captures:
        if not claims.claims_something(capture):
            continue
        for match, fields in [*_statements(capture.text), *_framed_claims(capture.text)]:
            candidate = Candidate(match.span(), fields["claim_type"], fields["category"], is_cue=True)
            claim = claims.make_claim(claims.Passage(capture, candidate), owner, vocabulary or Vocabulary())
            entities = (fields["entity"],) if fields["entity"] else ()
            seed = claims.files.text_digest(f"{capture.id} {match.span()} {fields['text']}")[:14]
            yield structs.replace(claim, id=f"c{seed}", entities=entities, quote=fields["text"], **fields)


def _statements(text: str) -> Iterator[tuple[re.Match[str], dict[str, Any]]]:
    for match in STATEMENT.finditer(text):
        yield (
            match,
            {
                "claim_type": "attribute",
                "category": HOMES.get(match["attribute"], "fact"),
                "text": match[0].removeprefix("Maybe "),
                "entity": match["entity"],
                "attribute": match["attribute"],
                "value": match["value"],
                "confidence": 0.5 if match["maybe"] else 0.9,
            },
        )


def _framed_claims(text: str) -> Iterator[tuple[re.Match[str], dict[str, Any]]]:
    for match in CLAIM.finditer(text):
        sort, category = ("dead_end", "lesson") if match["category"] == "dead" else ("decision", match["category"])
        yield (
            match,
            {
                "claim_type": sort,
                "category": category,
                "text": match["text"],
                "entity": match["entity"] or "",
                "confidence": 0.8,
            },
        )


def install(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let consolidation read claims by this grammar."""
    monkeypatch.setattr(planning, "propose_claims", read_claims)


def hear(memory: Memory, text: str, ts: str = "2025-11-10T09:00", session: str = "s1", **more: Any) -> str:
    """The owner says it, or who `more` says."""
    taken = memory.capture(text, ts=ts, session=session, **more)
    assert taken.id
    return taken.id


def keep(memory: Memory, **more: Any) -> Any:
    return memory.consolidate(apply=True, now=NOW, **more)


def markdown(root: Path | str) -> dict[str, bytes]:
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in sorted(Path(root).rglob("*.md"))}


def texts(memory: Memory) -> list[str]:
    """What all lines say, episodes and the queue aside."""
    found = []
    for path, data in markdown(memory.root).items():
        if not path.startswith(("memory/episodes/", QUEUE_PATH)):
            found += [
                strip_line_decoration(record) for record in parse_document(path, data).records if record.annotated
            ]
    return found


def recalled(memory: Memory, question: str, **more: Any) -> list[str]:
    return [hit.record.text for hit in memory.recall(question, k=20, now=NOW, **more).hits]


def why_skipped(run: Any) -> list[str]:
    return [one.reason for plan in run.plans for one in plan.skipped]


def agrees(memory: Memory) -> bool:
    """Whether a rebuild knows what the index knows."""
    memory.sync()
    before = memory.dump()
    memory.rebuild()
    return before == memory.dump() and not memory.check().problems


def ports(memory: Memory, **more: Any) -> set[str]:
    """The ports that recall tells, of all lanes."""
    return {
        port
        for text in recalled(memory, "what is the port of Staging DB?", **more)
        for port in re.findall(r"64\d\d", text)
    }


def lines_of(memory: Memory, path: str, heading: str) -> list[Any]:
    return [r for r in parse_document(path, markdown(memory.root)[path]).records if r.heading[-1:] == (heading,)]


class Stop(Exception):
    """The end of a process, as far as a test can play it."""


def stopping(monkeypatch: pytest.MonkeyPatch, at: int, *, after: bool) -> list[str]:
    """Stop before or after the write of this number; the names of those so far."""
    met: list[str] = []
    for name in ("write_atomic", "create_file", "append_lines", "write_sealed"):
        real = getattr(files, name)

        def counted(*given: Any, _name: str = name, _real: Any = real, **more: Any) -> Any:
            met.append(_name)
            if len(met) - 1 == at and not after:
                raise Stop
            done = _real(*given, **more)
            if len(met) - 1 == at:
                raise Stop
            return done

        monkeypatch.setattr(files, name, counted)
    return met


def run_cli(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = main(list(arguments))
    said = capsys.readouterr()
    return code, said.out, said.err
