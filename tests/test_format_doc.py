"""docs/format.md is run line by line: each MUST has an example, and each example is read as the page says."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from msgspec import Struct

from commonplace.model import Document, Record
from commonplace.storage.settings import Settings
from commonplace.storage.workspace import append_under_heading, change_lines, parse_document, render_retain
from commonplace.truth import LineContext, read_vocabulary
from commonplace.truth.keys import read_key

PAGE = Path(__file__).parents[1] / "docs" / "format.md"
RULE = re.compile(r"^\* \*\*([A-Z]\d+)\*\* (.+)$")
FENCE = re.compile(r"^(`{3,})(\w.*)$")
FIELDS = {"heading", "entities", "tags", "links", "triggers", "sources", "supersedes", "aliases"}


class Fence(Struct):
    """A fenced block of the page: its info words, its text, the line it begins on."""

    info: list[str]
    text: str
    line: int


class Example(Struct):
    """A file (or a thing to retain), what is done to it, and what comes of it."""

    given: Fence
    then: list[Fence]

    @property
    def rules(self) -> set[str]:
        return {word for word in self.given.info if re.fullmatch(r"[A-Z]\d+", word)}

    @property
    def name(self) -> str:
        return f"L{self.given.line} {' '.join(self.given.info)}"

    @property
    def data(self) -> bytes:
        return unescaped(self.given.text) if self.given.info[0] == "escaped" else self.given.text.encode()


def unescaped(text: str) -> bytes:
    r"""`\r`, `\0` and `\xff` as the bytes they stand for; `\e` takes the newline behind it away."""
    written = text.removesuffix("\\e\n")
    return re.sub(
        rb"\\(x[0-9a-f]{2}|r|0)",
        lambda found: {b"r": b"\r", b"0": b"\0"}.get(found[1]) or bytes([int(found[1][1:], 16)]),
        written.encode(),
    )


def fences() -> list[Fence]:
    found: list[Fence] = []
    closing = ""
    for number, line in enumerate(PAGE.read_text(encoding="utf-8").split("\n"), 1):
        if closing and line == closing:
            closing = ""
        elif closing:
            found[-1].text += line + "\n"
        elif opening := FENCE.match(line):
            closing = opening[1]
            found.append(Fence(opening[2].split(), "", number))
    return found


def examples() -> list[Example]:
    found: list[Example] = []
    for fence in fences():
        if fence.info[0] in ("markdown", "escaped", "retain", "yaml"):
            found.append(Example(fence, []))
        else:
            found[-1].then.append(fence)
    return found


DECLARED = [example for example in examples() if example.given.info[0] == "yaml"]
READ = [one for one in examples() if one.then[0].info[0] == "json" and one.given.info[0] != "yaml"]
WRITTEN = [example for example in examples() if example.then[0].info[0] != "json"]


def test_every_must_is_a_rule_and_every_rule_has_a_must_and_an_example() -> None:
    lines = PAGE.read_text(encoding="utf-8").split("\n")
    rules = {found[1]: found[2] for line in lines if (found := RULE.match(line))}
    loose = [line[:20] for line in lines if "MUST" in line and not RULE.match(line)]
    assert loose == ["MUST, SHOULD and MAY", "Each rule with a MUS"]
    assert [name for name, text in rules.items() if "MUST" not in text] == []
    shown = set().union(*(example.rules for example in examples()))
    assert shown == set(rules)


def test_the_page_has_an_example_for_every_way_of_reading_and_writing() -> None:
    assert len(READ) > 20
    assert {example.then[0].info[0] for example in WRITTEN} == {"append", "replace", "after"}


@pytest.mark.parametrize("example", READ, ids=lambda example: example.name)
def test_a_file_is_read_as_its_example_says(example: Example) -> None:
    document = parse_document(example.given.info[1], example.data)
    expected = [json.loads(line) for line in example.then[0].text.strip().split("\n")]
    records = [row for row in expected if "lines" in row]
    problems = [(row["problem"], row["line"]) for row in expected if "problem" in row]
    assert [lines_of(record) for record in document.records] == [row["lines"] for row in records]
    for record, row in zip(document.records, records, strict=True):
        assert shown(record, row) == row
    assert [(problem.code, problem.line) for problem in document.problems] == problems
    for row in expected:
        if "document" in row:
            assert shown(document, row["document"]) == row["document"]


def lines_of(record: Record) -> str:
    source = record.source
    return f"{source.line_start}" + (f"-{source.line_end}" if source.line_end > source.line_start else "")


def shown(thing: Record | Document, row: dict[str, Any]) -> dict[str, Any]:
    """Of a record or document, the fields that a row of the page names."""
    found: dict[str, Any] = {}
    for field in row:
        if field == "lines":
            found[field] = lines_of(thing)
        elif field == "bytes":
            found[field] = [thing.source.byte_start, thing.source.byte_end]
        else:
            value = getattr(thing, field)
            found[field] = list(value) if field in FIELDS else value
    return found


@pytest.mark.parametrize("example", DECLARED, ids=lambda example: example.name)
def test_names_and_keys_are_declared_as_the_example_says(example: Example) -> None:
    path = example.given.info[1]
    vocabulary = read_vocabulary(lambda asked: example.data if asked == path else None, Settings(), ())
    rows = [json.loads(line) for line in example.then[0].text.strip().split("\n")]
    problems = [(row["problem"], row["line"]) for row in rows if "problem" in row]
    assert [(problem.code, problem.line) for problem in vocabulary.problems] == problems
    for row in rows:
        if "name" in row:
            assert sorted(vocabulary.names.names_of(row["name"])) == row["aliases"]
        elif "key" in row:
            declared = vocabulary.registry.definition(row["key"])
            assert vocabulary.registry.cardinality(row["key"]) == row["values"]
            assert declared is None or declared.kind == row["kind"]
        if "read" in row:
            keyed = read_key(row["read"], LineContext(language="en", registry=vocabulary.registry))
            assert (keyed.key, keyed.value) == (row["key"], row["value"])


@pytest.mark.parametrize("example", WRITTEN, ids=lambda example: example.name)
def test_a_line_is_written_as_its_example_says(example: Example) -> None:
    *deed, after = example.then
    expected = unescaped(after.text) if example.given.info[0] == "escaped" else after.text.encode()
    if not deed:
        asked = json.loads(example.given.text)
        line = render_retain(asked.pop("kind"), asked.pop("text"), **asked)
        assert line + "\n" == after.text
        return
    line = deed[0].text.removesuffix("\n")
    if deed[0].info[0] == "append":
        assert append_under_heading(example.data, deed[0].info[1], line) == expected
    else:
        source = parse_document("note.md", example.data).records[int(deed[0].info[1]) - 1].source
        assert change_lines(example.data, [(source, line)]) == expected
