"""Where a line belongs, how a claim or review item is written as Markdown and read back, and the edits of a file."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import Literal

from msgspec import Struct

from commonplace.language.text import sanitize_line
from commonplace.model import CATEGORIES, Category, Record, Source, Trust
from commonplace.storage.workspace import parse_document
from commonplace.storage.workspace.annotations import (
    ANNOTATION_KEYS,
    is_valid_id,
    join_lines,
    render_annotation,
    render_retain,
)
from commonplace.storage.workspace.edits import append_under_headings, change_lines
from commonplace.storage.workspace.paths import slugify
from commonplace.upkeep.consolidate.claims import RecordDraft
from commonplace.upkeep.consolidate.history import LedgerStatement

PATH_BY_CATEGORY: dict[Category, str] = {
    "preference": "memory/semantic/preferences.md",
    "person": "memory/semantic/contacts.md",
    "project": "memory/semantic/projects.md",
    "decision": "memory/semantic/decisions.md",
    "tool": "memory/semantic/infrastructure.md",
    "lesson": "memory/procedural/lessons-learned.md",
}
ENTITY_PAGES_PREFIX = "bank/entities/"
HISTORY_HEADING = "History"
RETAIN_HEADING = "Retain"
MAX_HEADING_CHARS = 80


class Destination(Struct, frozen=True):
    """A file and the heading below which a line stands; `note` says why it is there, where that is in doubt.

    In the log of a day (`is_log`) lines are Retain bullets, and stay where they are when they are over; elsewhere
    these go below `## History`.
    """

    path: str
    heading: str
    note: str = ""
    is_log: bool = False


def choose_destination(category: Category, entity: str, day: str, page_of: Callable[[str], str]) -> Destination:
    """The home of a line of this category about this entity, said on this day.

    A fact goes to the entity's page, if `page_of` knows one. Plans, events and notes, and facts about what has no
    page, go to the day's log; so does what would need a name and has none, with a note that says so.
    """
    log = f"memory/{day[:10]}.md"
    if category == "fact" and entity and (page := page_of(entity)):
        return Destination(page, "Facts")
    if category == "lesson":
        return Destination(PATH_BY_CATEGORY[category], "Lessons")
    if category == "decision":
        return Destination(PATH_BY_CATEGORY[category], entity_heading(entity) if entity else "Decisions")
    if category == "procedure" or category in PATH_BY_CATEGORY:
        if not entity:
            return Destination(log, RETAIN_HEADING, f"{category}, of what or whom?", is_log=True)
        return Destination(
            PATH_BY_CATEGORY.get(category) or f"memory/procedural/{slugify(entity)}.md", entity_heading(entity)
        )
    return Destination(log, RETAIN_HEADING, is_log=True)


def entity_heading(entity: str) -> str:
    """An entity as a heading: on one line, and none of the headings that mean something by themselves."""
    title = sanitize_line(entity).strip("# ")[:MAX_HEADING_CHARS].rstrip() or "Other"
    return (
        f"About {title}"
        if title.rstrip(":").casefold() in (RETAIN_HEADING.casefold(), HISTORY_HEADING.casefold())
        else title
    )


def new_file_header(path: str, day: str) -> bytes:
    """The first lines of a file that does not exist yet."""
    name = path.rpartition("/")[2].removesuffix(".md")
    if path.startswith(("memory/semantic/", "memory/procedural/")):
        title = name.replace("-", " ").capitalize()
        return f"# {title}\n#tags: {name}\n> last_verified: {day}\n".encode()
    return f"# {name}\n".encode()


AnnotationValues = dict[str, str | float | tuple[str, ...]]

STRIKETHROUGH = "~~"
DATED_CATEGORIES = ("decision", "lesson")  # of which the day is worth reading, and has no other place
MARKDOWN_MARKERS = "#>|*+-=~`_.) \t0123456789"  # with which Markdown begins something else


class RenderedLine(Struct, frozen=True):
    """A line of Markdown, and the record that it will be, as the parser reads it."""

    markdown: str
    record: Record


def render_claim_line(draft: RecordDraft, destination: Destination) -> RenderedLine:
    """The line as it will stand in its home."""
    annotation = claim_annotation(draft, destination)
    if destination.is_log:
        confidence = draft.confidence if draft.kind == "opinion" else None
        said = f"{draft.text} #routing-note: {destination.note}" if destination.note else draft.text
        names = draft.entities
        line = render_retain(draft.kind, said, entities=names, confidence=confidence, annotation=annotation)
        return RenderedLine(line, _parse_rendered_line(line, destination))
    said = f"{draft.time[:10]}, {draft.text}" if draft.category in DATED_CATEGORIES else draft.text
    return render_list_item(said, annotation, destination)


def render_list_item(content: str, annotation: AnnotationValues, destination: Destination) -> RenderedLine:
    """An item of a list; what Markdown would read as something else loses the marks at its beginning, and what is
    nothing but marks is put between backticks."""
    words, behind = join_lines(content), render_annotation(annotation)
    bare = words.lstrip(MARKDOWN_MARKERS) or f"`{words}`"
    tried = (f"- {words} {behind}", f"- W {words} {behind}", f"- {bare} {behind}")
    texts = (words, words, bare)
    for line, text in zip(tried, texts, strict=True):
        read = parse_document(destination.path, _page_with_line(line, destination))
        if len(read.records) == 1 and read.records[0].text == text and read.records[0].id == annotation["id"]:
            return RenderedLine(line, read.records[0])
    return RenderedLine(tried[-1], _parse_rendered_line(tried[-1], destination))


def strike_line(rendered: RenderedLine, destination: Destination, valid: str) -> RenderedLine:
    """The same line struck out, with the time for which it held."""
    written = strike_text(rendered.markdown, rendered.record.text, valid)
    where = destination if destination.is_log else Destination(destination.path, HISTORY_HEADING)
    return RenderedLine(written, _parse_rendered_line(written, where))


def strike_text(line: str, text: str, valid: str) -> str:
    """A line of ours with its text struck out; its annotation says for which time it held, and else what it said."""
    head, _, behind = line.partition(text)
    return f"{head}{STRIKETHROUGH}{text}{STRIKETHROUGH}{replace_annotation_values(behind, valid=valid)}"


def replace_annotation_values(tail: str, **changed: str) -> str:
    """What stands behind the text of a line, with other values for some keys of its annotation."""
    start = tail.rfind("<!--")
    if start < 0:
        return tail
    inner = tail[start + len("<!--") : tail.rfind("-->")]
    parts = {key.strip(): value.strip() for key, _, value in (part.partition(":") for part in inner.split("·"))}
    said = {key: value for key in ANNOTATION_KEYS if (value := changed.get(key) or parts.get(key))}
    return tail[:start] + "<!-- " + " · ".join(f"{key}: {value}" for key, value in said.items()) + " -->"


def claim_annotation(draft: RecordDraft, destination: Destination) -> AnnotationValues:
    """What the line says about itself."""
    valid = f"{draft.valid_from}..{draft.valid_to}" if draft.valid_from or draft.valid_to else ""
    said: dict[str, str | float | tuple[str, ...] | None] = {
        "id": draft.id,
        "importance": draft.importance,
        "valid": valid,
        "origin": "" if draft.trust == "trusted" else draft.trust,
        "from": draft.sources,
        "project": draft.scope,
        "supersedes": draft.supersedes,
        "category": draft.category if destination.is_log else "",
    }
    return {key: value for key, value in said.items() if value not in (None, "", ())}


def strip_line_decoration(record: Record) -> str:
    """What a line says, without what was put around it: names before it, its day, a routing note."""
    found = _decoration_pattern().match(record.text)
    text = record.text[found.end() :] if found else record.text
    return text.partition(" #routing-note:")[0]


def _parse_rendered_line(line: str, destination: Destination) -> Record:
    return parse_document(destination.path, _page_with_line(line, destination)).records[-1]


def _page_with_line(line: str, destination: Destination) -> bytes:
    return f"## {destination.heading}\n\n{line}\n".encode()


@cache
def _decoration_pattern() -> re.Pattern[str]:
    return re.compile(r"""(?:@(?:"[^"\n]{1,120}"|[\w.-]+) ?)+: |\d{4}-\d\d-\d\d, """)


QUEUE_PATH = "memory/pending.md"
QUEUE_HEADER = "# Pending\n\nWhat waits for a yes or no: `commonplace pending` lists it, approves or rejects it.\n"
ReviewReason = Literal["conflict", "doubt", "proposal"]
HEADING_BY_REASON: dict[ReviewReason, str] = {"conflict": "Conflicts", "doubt": "Doubts", "proposal": "Proposals"}
MAX_ENTITY_CHARS = 120


class ReviewItem(Struct, frozen=True):
    """One thing to decide: the text to be kept as `category` about `entity`, why it waits, on what it rests.

    `against` are the records that it contradicts; `record` is the line as it stands, None for one to be written.
    `states` is what the ledger is told of it, which its line does not say.
    """

    id: str
    text: str
    category: Category
    reason: ReviewReason
    why: str
    entity: str = ""
    sources: tuple[str, ...] = ()
    against: tuple[str, ...] = ()
    trust: Trust = "trusted"
    scope: str = ""
    importance: float | None = None
    valid_from: str = ""
    valid_to: str = ""
    record: Record | None = None
    states: LedgerStatement | None = None


def render_queue_line(item: ReviewItem) -> str:
    """An item as its line: `- person, Ana: Ana lives in Bern. (why: not sure: 0.50) [against abc1] <!-- … -->`."""
    entity = " ".join(join_lines(item.entity).replace(":", " ").split())[:MAX_ENTITY_CHARS].strip()
    about = f", {entity}" if entity else ""
    why = join_lines(item.why).replace("(", "").replace(")", "")
    against = f" [against {', '.join(item.against)}]" if item.against else ""
    annotation: dict[str, str | float | tuple[str, ...]] = {
        "id": item.id,
        "valid": f"{item.valid_from}..{item.valid_to}" if item.valid_from or item.valid_to else "",
        "origin": "" if item.trust == "trusted" else item.trust,
        "from": item.sources,
        "project": item.scope,
    }
    if item.importance is not None:
        annotation["importance"] = item.importance
    told = f"{item.category}{about}: {join_lines(item.text)} (why: {why}){against}"
    return f"- {told} {render_annotation(annotation)}"


def parse_queue(data: bytes) -> tuple[ReviewItem, ...]:
    """The items of the queue as it stands, in order; what a person wrote there besides is no item.

    A person may change their words, move them, or leave out why they wait.
    """
    return tuple(_parse_queue_items(data))


def _parse_queue_items(data: bytes) -> Iterator[ReviewItem]:
    reasons = {heading: reason for reason, heading in HEADING_BY_REASON.items()}
    for record in parse_document(QUEUE_PATH, data).records:
        found = _queue_line_pattern().fullmatch(" ".join(record.text.split()))
        if not (record.annotated and found and found["category"] in CATEGORIES):
            continue
        yield ReviewItem(
            id=record.id,
            text=found["text"],
            category=found["category"],
            reason=reasons.get(record.heading[-1] if record.heading else "", "doubt"),
            why=found["why"] or "",
            entity=found["entity"] or "",
            sources=record.sources,
            against=tuple(one for one in re.split(r", ?", found["against"] or "") if is_valid_id(one)),
            trust=record.trust,
            scope=record.scope,
            importance=record.importance,
            valid_from=record.valid_from,
            valid_to=record.valid_to,
            record=record,
        )


@cache
def _queue_line_pattern() -> re.Pattern[str]:
    return re.compile(
        rf"(?P<category>[a-z]+)(?:, (?P<entity>[^:]{{1,{MAX_ENTITY_CHARS}}}))?: "
        rf"(?P<text>.+?)(?: \(why: (?P<why>[^()]*)\))?"
        r"(?: \[against (?P<against>[a-z0-9, -]+)\])?"
    )


IsUnchanged = Callable[[Record], bool]


class AddedLine(Struct, frozen=True):
    """A line to be added below a heading, once: a file that holds its id has it."""

    heading: str
    id: str
    line: str


class FileEdits(Struct):
    """The edits of one file; `header` begins it if it does not exist. Lines are named by their ids.

    `validity_by_id` has the time for which a line held that is struck out now; `superseded_by_id` what a line
    supersedes besides; `removed_text_by_id` are lines that go, as long as they say what they said.
    """

    path: str
    header: bytes = b""
    added: list[AddedLine] = []
    validity_by_id: dict[str, str] = {}
    superseded_by_id: dict[str, tuple[str, ...]] = {}
    removed_text_by_id: dict[str, str] = {}


def apply_file_edits(data: bytes, edits: FileEdits, is_unchanged: IsUnchanged) -> bytes:
    """The file after these edits. A line that is not ours, or that somebody changed, stays as it is."""
    added = _lines_not_in_file(data, edits.added)
    if added:
        data = _insert_above_history(data or edits.header, [one for one in added if one.heading != HISTORY_HEADING])
    data, past = _change_existing_lines(data, edits, is_unchanged)
    past += [one.line for one in added if one.heading == HISTORY_HEADING]
    return append_under_headings(data, {HISTORY_HEADING: past}) if past else data


def _lines_not_in_file(data: bytes, added_lines: Sequence[AddedLine]) -> list[AddedLine]:
    """Those of the lines that the file does not hold."""
    known = set(re.findall(rb"\bid: ([a-z0-9-]{4,32})", data)) if added_lines else set()
    return [one for one in added_lines if one.id.encode() not in known]


def _change_existing_lines(data: bytes, edits: FileEdits, is_unchanged: IsUnchanged) -> tuple[bytes, list[str]]:
    """The file with lines amended, struck out and taken; and the struck ones that go to the history."""
    past: list[str] = []
    changes: list[tuple[Source, str | None]] = []
    wanted = {*edits.validity_by_id, *edits.superseded_by_id, *edits.removed_text_by_id}
    for record in parse_document(edits.path, data).records if wanted else ():
        if record.id not in wanted:
            continue
        if edits.removed_text_by_id.get(record.id) == record.text:
            changes.append((record.source, None))
        elif is_unchanged(record) and not record.text.startswith(STRIKETHROUGH):
            line, is_past = _change_line(data, record, edits)
            changes.append((record.source, None if is_past else line))
            past += [line] if is_past else []
    return change_lines(data, changes) if changes else data, past


def _change_line(data: bytes, record: Record, edits: FileEdits) -> tuple[str, bool]:
    """A line amended or struck out, and whether it goes to the history."""
    line = data[record.source.byte_start : record.source.byte_end].decode()
    if more := edits.superseded_by_id.get(record.id):
        head, behind = line[: line.rfind("<!--")], line[line.rfind("<!--") :]
        line = head + replace_annotation_values(
            behind, supersedes=", ".join(dict.fromkeys((*record.supersedes, *more)))
        )
    valid = edits.validity_by_id.get(record.id)
    if valid is None:
        return line, False
    return strike_text(line, record.text, valid), record.form != "retain"


def _insert_above_history(data: bytes, added_lines: Sequence[AddedLine]) -> bytes:
    """Add lines; new headings come before the history, which stays the last thing in its file."""
    lines: dict[str, list[str]] = {}
    for one in added_lines:
        lines.setdefault(one.heading, []).append(one.line)
    if not lines:
        return data
    at = data.rfind(f"\n## {HISTORY_HEADING}\n".encode()) + 1
    if not at or b"\n#" in data[at:]:
        return append_under_headings(data, lines)
    above = data[:at].rstrip(b"\n")
    gap = data[len(above) : at]
    return append_under_headings(above + b"\n", lines).rstrip(b"\n") + gap + data[at:]
