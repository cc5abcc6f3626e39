"""Files that other people wrote: vaults, YAML, CommonMark, JSON and naughty strings are parsed, cited and left whole."""

from __future__ import annotations

import base64
import gzip
import json
import re
import statistics
import tarfile
from collections.abc import Iterator
from pathlib import Path
from sys import stdout
from time import process_time
from typing import Any

import pytest
from markdown_it import MarkdownIt

from commonplace.model import Document
from commonplace.storage.workspace import append_under_heading, change_lines, diff_lines, parse_document
from commonplace.storage.workspace.block_scanner import ScanRange, scan_blocks
from commonplace.storage.workspace.front_matter import read_front_matter
from commonplace.storage.workspace.markdown import NumberedPage, read_page

pytestmark = pytest.mark.slow

SENTINEL = "The sentinel cormorant stands alone."
LINE = "- W @Peter: Hello. <!-- id: 7f3k9q -->"
Files = list[tuple[str, bytes]]


@pytest.fixture(scope="module")
def vaults(shared: Path) -> Files:
    found: Files = []
    for archive in sorted(shared.glob("corpora/vaults/*.tar.gz")):
        with tarfile.open(archive) as members:
            for member in members:
                stream = members.extractfile(member) if member.name.endswith(".md") else None
                if stream:
                    found.append((member.name, stream.read()))
    assert len(found) > 1500
    return found


def rows(shared: Path, corpus: str, name: str) -> Iterator[dict[str, Any]]:
    with gzip.open(shared / "corpora" / corpus / name, "rt", encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)


@pytest.fixture(scope="module")
def bodies(shared: Path) -> Files:
    """Every text of the corpora as the body of a file, with a sentinel below it."""
    found: Files = []
    for row in rows(shared, "commonmark", "spec_examples.jsonl.gz"):
        found.append((f"commonmark/{row['n']}.md", row["markdown"].encode()))
    for row in rows(shared, "json_test_suite", "cases.jsonl.gz"):
        found.append((f"json/{row['name']}.md", base64.b64decode(row["b64"])))
    for row in rows(shared, "blns", "blns.jsonl.gz"):
        found.append((f"blns/{row['id']}.md", row["text"].encode("utf-8", "surrogatepass")))
    for row in rows(shared, "yaml_test_suite", "cases.jsonl.gz"):
        found.append((f"yaml/{row['id']}.md", f"---\n{row['yaml']}\n---\n".encode()))
    assert len(found) > 1800
    return found


def checked(path: str, data: bytes) -> Document:
    """Parse in less than a second, and look up every citation."""
    started = process_time()
    document = parse_document(path, data)
    assert process_time() - started < 1.0, path
    for record in document.records:
        source = record.source
        assert record.text in data[source.byte_start : source.byte_end].decode("utf-8", "replace"), source.citation
    assert all(problem.path == path and problem.line > 0 for problem in document.problems)
    return document


def test_vaults_are_cited_verbatim_in_small_records_without_a_problem(vaults: Files) -> None:
    documents = [checked(path, data) for path, data in vaults]
    lengths = [len(record.text) for document in documents for record in document.records]
    problems = [problem for document in documents for problem in document.problems]
    median = statistics.median(lengths)
    stdout.write(
        f"\n{len(documents)} files, {len(lengths)} records, median {median} characters, {len(problems)} problems"
    )
    assert median <= 400
    assert problems == []
    assert len(lengths) > 25_000


def words_outside(page: NumberedPage, document: Document) -> list[str]:
    """The lines with words on which no record stands, comments aside."""
    seen = {n for record in document.records for n in range(record.source.line_start, record.source.line_end + 1)}
    text = "\n".join(page.lines)
    for comment in re.finditer("<!--.*?-->", text, re.DOTALL):
        seen.update(range(text.count("\n", 0, comment.start()) + 1, text.count("\n", 0, comment.end()) + 2))
    body = read_front_matter(page.lines).body
    lines = enumerate(page.lines[body:], body + 1)
    return [line.strip() for number, line in lines if number not in seen and any(sign.isalnum() for sign in line)]


def test_in_vaults_what_has_no_record_is_a_title_a_table_header_a_definition_or_empty(vaults: Files) -> None:
    total = lost = 0
    for path, data in vaults:
        document = parse_document(path, data)
        page = read_page(path, data)
        paths = {title for record in document.records for title in record.heading}
        total += len(page.lines)
        for line in words_outside(page, document):
            is_empty = re.fullmatch(r"[0-9]+[.)]|[-*+] \[[ xX]\]|`{3,}\w*", line)
            lost += not (is_empty or any(title in line for title in paths) or "|" in line or line.startswith("["))
    stdout.write(f"\n{lost} of {total} lines are neither in a record nor in its path")
    assert lost == 0


def test_bodies_of_other_peoples_tests_are_read_and_what_follows_is_found(bodies: Files) -> None:
    slowest = (0.0, "")
    for path, data in bodies:
        started = process_time()
        document = checked(path, data + f"\n\n{SENTINEL}\n".encode())
        slowest = max(slowest, (process_time() - started, path))
        assert any(SENTINEL in record.text for record in document.records), path
    stdout.write(f"\n{len(bodies)} bodies, the slowest {slowest[0] * 1000:.1f} ms ({slowest[1]})")


def test_yaml_that_is_invalid_is_a_problem_and_yaml_that_is_a_mapping_is_none(shared: Path) -> None:
    silent = wrong = 0
    for row in rows(shared, "yaml_test_suite", "cases.jsonl.gz"):
        problems = parse_document("n.md", f"---\n{row['yaml']}\n---\n{SENTINEL}".encode()).problems
        if re.search(r"^(---|\.\.\.)", row["yaml"], re.MULTILINE):
            continue  # the front matter ends there
        is_mapping = not row["fail"] and (row["json"] or "").lstrip().startswith("{")
        silent += bool(row["fail"] and not problems)
        wrong += bool(is_mapping and problems)
    stdout.write(f"\n{silent} invalid documents without a problem, {wrong} mappings with one")
    assert silent <= 4  # where libyaml is more lenient
    assert wrong <= 14  # and where it reads YAML 1.1 only


def test_a_line_appended_to_any_file_and_taken_away_again_leaves_every_byte(vaults: Files, bodies: Files) -> None:
    for path, data in vaults + bodies:
        after = append_under_heading(data, "Retain", LINE)
        splice = diff_lines(data, after)
        assert splice.before in (b"", data[splice.start :]), path
        assert after[: splice.start] + splice.before + after[splice.start + len(splice.after) :] == data, path
        record = next(record for record in parse_document(path, after).records if record.id == "7f3k9q")
        assert record.form == "retain", path
        again = append_under_heading(after, "Retain", LINE.replace("7f3k9q", "8g4m0r"))
        second = next(record for record in parse_document(path, again).records if record.id == "8g4m0r")
        assert change_lines(again, [(second.source, None)]) == after, path


# A second opinion: markdown-it-py finds the same items, fences, headings and rows on the same lines.

KINDS = ("items", "fences", "headings", "rows")


def ours(page: NumberedPage, body: int) -> tuple[set[int], ...]:
    scanned, headings = scan_blocks(page, ScanRange(body, len(page.lines)))
    blocks = [block for block in scanned if page.lines[block.first][block.start :].strip()]
    announced = [range(block.first + 1, block.last + 1) for block in blocks if block.announces_code]
    fences = [
        next((n for n in numbers if page.lines[n].lstrip("\t -").startswith(("```", "~~~"))), None)
        for numbers in announced
    ]
    return (
        {block.first for block in blocks if block.form == "item"},
        {block.first for block in blocks if block.inner and block.inner[0] > block.first}.union(filter(None, fences)),
        {heading.first for heading in headings if heading.title},
        {block.first for block in blocks if block.form == "row"},
    )


def theirs(markdown: MarkdownIt, page: NumberedPage, body: int) -> tuple[set[int], ...]:
    tokens = markdown.parse("\n" * body + "\n".join(line.rstrip("\r") for line in page.lines[body:]))
    found: dict[str, set[int]] = {kind: set() for kind in KINDS}
    quotes = bodies = 0
    for token, after in zip(tokens, [*tokens[1:], *([None] if tokens else [])], strict=True):
        quotes += (token.type == "blockquote_open") - (token.type == "blockquote_close")
        bodies += (token.type == "tbody_open") - (token.type == "tbody_close")
        if quotes or not token.map or (after is None and token.type != "fence"):
            continue
        if token.type == "list_item_open" and after and after.type == "paragraph_open":
            found["items"].add(token.map[0])
        elif token.type == "fence":
            found["fences"].add(token.map[0])
        elif token.type == "heading_open" and after and after.content.strip() and token.level == 0:
            found["headings"].add(token.map[0])
        elif token.type == "tr_open" and bodies:
            found["rows"].add(token.map[0])
    return tuple(found[kind] for kind in KINDS)


def test_markdown_it_agrees_on_where_items_fences_headings_and_rows_are(vaults: Files) -> None:
    markdown = MarkdownIt("commonmark").enable("table")
    same, all_of_them = [0] * 4, [0] * 4
    for path, data in vaults:
        page = read_page(path, data)
        body = read_front_matter(page.lines).body
        for n, (we, they) in enumerate(zip(ours(page, body), theirs(markdown, page, body), strict=True)):
            same[n] += len(we & they)
            all_of_them[n] += len(we | they)
    shares = {kind: s / a for kind, s, a in zip(KINDS, same, all_of_them, strict=True)}
    stdout.write("\nagreement: " + ", ".join(f"{kind} {share:.4f}" for kind, share in shares.items()))
    assert shares["items"] > 0.97  # an item that is a title, or begins with a quote, is one more for us
    assert shares["fences"] > 0.99
    assert shares["headings"] > 0.99
    assert shares["rows"] > 0.98
