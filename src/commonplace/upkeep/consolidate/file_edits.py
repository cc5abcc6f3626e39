"""Choose the target of a line, render claims and review items as Markdown and parse them, and edit files."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any, Literal

from msgspec import Struct

from commonplace.language.text import sanitize_line
from commonplace.lazy import lazy_pattern
from commonplace.model import CATEGORIES, Category, Record, Source, Trust
from commonplace.storage import workspace
from commonplace.upkeep.agent_words import HELD_BACK
from commonplace.upkeep.consolidate.claim_record import ClaimRecord, Destination, LedgerStatement, words_key

PATH_BY_CATEGORY: dict[Category, str] = {
    "preference": "memory/semantic/preferences.md",
    "person": "memory/semantic/contacts.md",
    "project": "memory/semantic/projects.md",
    "decision": "memory/semantic/decisions.md",
    "tool": "memory/semantic/infrastructure.md",
    "lesson": "memory/procedural/lessons-learned.md",
    "procedure": "memory/procedural/procedures.md",
}
ENTITY_PAGES_PREFIX = "bank/entities/"
OWN_HEADINGS: dict[Category, str] = {
    "preference": "Preferences",
    "person": "People",
    "project": "General",
    "tool": "General",
    "procedure": "General",
    "decision": "Decisions",
    "lesson": "Lessons",
}
CORE_PATH = "MEMORY.md"
CORE_DESTINATION = Destination(CORE_PATH, "Remembered")  # what is always needed
RETAIN_HEADING = "Retain"
MAX_HEADING_CHARS = 80
_DECORATION = lazy_pattern(r"""(?:@(?:"[^"\n]{1,120}"|[\w.-]+) ?)+: |\d{4}-\d\d-\d\d, """)


def choose_destination(category: Category, entity: str, day: str, page_of: Callable[[str], str]) -> Destination:
    """The destination of a line of this category about this entity, said on this day: a fact goes to the page of the
    entity, if `page_of` returns one; plans, events, notes and other facts go to the day's log."""
    if category == "fact" and entity and (page := page_of(entity)):
        return Destination(page, "Facts")
    if category not in PATH_BY_CATEGORY:
        return Destination(f"memory/{day[:10]}.md", RETAIN_HEADING, is_log=True)
    is_topic = category == "procedure" and entity
    path = f"memory/procedural/{workspace.slugify(entity)}.md" if is_topic else PATH_BY_CATEGORY[category]
    return Destination(path, entity_heading(entity) if entity and category != "lesson" else OWN_HEADINGS[category])


def entity_heading(entity: str) -> str:
    """An entity as a heading: one line, and none of the headings that have a meaning of their own."""
    title = sanitize_line(entity).strip("# ")[:MAX_HEADING_CHARS].rstrip() or "Other"
    is_reserved = title.rstrip(":").casefold() in (RETAIN_HEADING.casefold(), workspace.HISTORY_HEADING.casefold())
    return f"About {title}" if is_reserved else title


def new_file_header(path: str, day: str) -> bytes:
    """The first lines of a file that does not exist yet."""
    if path == CORE_PATH:
        return workspace.STARTER_FILES[path].format(day=day).encode()
    name = path.rpartition("/")[2].removesuffix(".md")
    if path.startswith(("memory/semantic/", "memory/procedural/")):
        title = name.replace("-", " ").capitalize()
        return f"# {title}\n#tags: {name}\n> last_verified: {day}\n".encode()
    return f"# {name}\n".encode()


AnnotationValues = dict[str, str | float | tuple[str, ...]]

STRIKETHROUGH = "~~"
MARKDOWN_MARKERS = "#>|*+-=~`_.) \t0123456789"  # with which Markdown begins something else


class RenderedLine(Struct, frozen=True):
    """A line of Markdown, and its record as the parser reads it."""

    markdown: str
    record: Record


def render_claim_line(claim: ClaimRecord) -> RenderedLine:
    """The line of a claim as it will be at its destination; struck out if it no longer holds."""
    home = claim.destination
    annotation = _line_annotation(claim) | {"supersedes": claim.supersedes, "by": claim.said_by}
    if home.is_log:
        annotation["category"] = claim.category if claim.category != workspace.CATEGORY_BY_KIND[claim.kind] else ""
        sure, names = claim.confidence if claim.kind == "opinion" else None, claim.entities
        line = workspace.render_retain(claim.kind, claim.text, entities=names, confidence=sure, annotation=annotation)
        rendered = RenderedLine(line, _parse_line_at(home, line)[-1])
    else:
        rendered = _render_list_item(claim.text, annotation | {"said": claim.time[:10]}, home)
    if not claim.is_over:
        return rendered
    struck = strike_text(rendered.markdown, rendered.record.text, f"{claim.valid_from}..{claim.valid_to}")
    place = home if home.is_log else Destination(home.path, workspace.HISTORY_HEADING)
    return RenderedLine(struck, _parse_line_at(place, struck)[-1])


def _render_list_item(content: str, annotation: AnnotationValues, destination: Destination) -> RenderedLine:
    """An item of a list, without leading characters that Markdown would read as something else; text of only such
    characters is put between backticks."""
    words, behind = workspace.join_lines(content), workspace.render_annotation(annotation)
    bare = words.lstrip(MARKDOWN_MARKERS) or f"`{words}`"
    line, records = "", tuple[Record, ...]()
    for lead, text in (("- ", words), ("- W ", words), ("- ", bare)):
        line = f"{lead}{text} {behind}"
        records = _parse_line_at(destination, line)
        if len(records) == 1 and records[0].text == text and records[0].id == annotation["id"]:
            break
    return RenderedLine(line, records[-1])


def strike_text(line: str, text: str, valid: str) -> str:
    """A line of ours with its text struck out, and in its annotation the time for which it was valid."""
    head, _, behind = line.partition(text)
    return f"{head}{STRIKETHROUGH}{text}{STRIKETHROUGH}{replace_annotation_value(behind, 'valid', valid)}"


def replace_annotation_value(tail: str, name: str, value: str) -> str:
    """What comes after the text of a line, with another value for a key of its annotation."""
    start = tail.rfind("<!--")
    if start < 0:
        return tail
    inner = tail[start + len("<!--") : tail.rfind("-->")]
    parts = {key.strip(): old.strip() for key, _, old in (part.partition(":") for part in inner.split("·"))}
    parts[name] = value
    shown = " · ".join(f"{key}: {parts[key]}" for key in workspace.ANNOTATION_KEYS if parts.get(key))
    return f"{tail[:start]}<!-- {shown} -->"


def strip_line_decoration(record: Record) -> str:
    """The text of a line without what was put around it: names or a date before it, a routing note."""
    match = _DECORATION.match(record.text)
    return record.text[match.end() if match else 0 :].partition(" #routing-note:")[0]


def _line_annotation(source: ClaimRecord | ReviewItem) -> AnnotationValues:
    annotation: AnnotationValues = {
        "id": source.id,
        "valid": f"{source.valid_from}..{source.valid_to}" if source.valid_from or source.valid_to else "",
        "origin": "" if source.trust == "trusted" else source.trust,
        "from": source.sources,
        "project": source.scope,
    }
    return annotation if source.importance is None else annotation | {"importance": source.importance}


def _parse_line_at(destination: Destination, line: str) -> tuple[Record, ...]:
    return workspace.parse_document(destination.path, f"## {destination.heading}\n\n{line}\n".encode()).records


QUEUE_HEADER = "# Pending\n\nWhat waits for a yes or no: `commonplace pending` lists it, approves or rejects it.\n"
ReviewReason = Literal["conflict", "doubt", "proposal", "held", "forget"]
HEADING_BY_REASON: dict[ReviewReason, str] = {
    "conflict": "Conflicts",
    "doubt": "Doubts",
    "proposal": "Proposals",
    "held": "Held back",
    "forget": "To forget",
}
MAX_ENTITY_CHARS = 120
FORGET_PREFIX = "forget-"  # of the id of an item that asks whether what it is based on is to be forgotten
CHOICE_PREFIX = "q"  # of the id of an item that asks which of two lines holds; the id of the newer line follows
_QUEUE_LINE = lazy_pattern(
    rf"(?P<category>[a-z]+)(?:, (?P<entity>[^:]{{1,{MAX_ENTITY_CHARS}}}))?: "
    rf"(?P<text>.+?)(?: \(why: (?P<why>[^()]*)\))?"
    r"(?: \[against (?P<against>[a-z0-9, -]+)\])?"
)


class ReviewItem(Struct, frozen=True):
    """A claim that waits for a decision: its text, category and entity, why it waits, what it is based on, and the
    records that it is `against`; its line on disk (`record`), if it is written, and its statement for the ledger."""

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

    @property
    def is_held(self) -> bool:
        """Whether an agent's own words wait to be approved."""
        return HELD_BACK in self.why

    @property
    def asks_to_forget(self) -> bool:
        """Whether what it is based on is hidden when it is approved, and no line is written."""
        return self.id.startswith(FORGET_PREFIX)

    @property
    def written_line(self) -> str:
        """The id of its line, if that is written already and only the choice is open; empty otherwise."""
        return self.id.removeprefix(CHOICE_PREFIX) if self.id.startswith(CHOICE_PREFIX) else ""


def annotated_fields(source: Record | ClaimRecord | ReviewItem) -> dict[str, Any]:
    """The fields that records, claims and items have in common, as their annotations have them."""
    names = ("sources", "trust", "scope", "importance", "valid_from", "valid_to")
    return {name: getattr(source, name) for name in names}


def make_review_item(claim: ClaimRecord, reason: ReviewReason, why: str) -> ReviewItem:
    """The item of a claim that waits for a decision; of a conflict against all that it contradicts."""
    against = tuple(other.id for other in claim.conflicts) if reason == "conflict" else ()
    states, fields = claim.ledger_statement, annotated_fields(claim)
    fields |= {"id": claim.id, "text": claim.text, "category": claim.category, "entity": claim.entity}
    return ReviewItem(reason=reason, why=why, against=against, states=states, **fields)


def make_choice_item(record: Record, why: str, against: tuple[str, ...], time: str) -> ReviewItem:
    """The item that asks whether a written line, which was said at a time, or those that it is against hold."""
    item_id, words = f"{CHOICE_PREFIX}{record.id}", words_key(record.text)
    fields = {"category": record.category, "entity": next(iter(record.entities), ""), **annotated_fields(record)}
    states, text = LedgerStatement(item_id, words, time), strip_line_decoration(record)
    return ReviewItem(id=item_id, text=text, reason="conflict", why=why, against=against, states=states, **fields)


def describe_choice(cause: str, time: str, contradicted: Sequence[tuple[str, str, str]], rejected: str) -> str:
    """Why an item waits: the (id, time, text) of the lines that it contradicts, and what each choice writes."""
    shown = ", ".join(f"{record_id} of {said[:10] or 'no date'}, “{text}”" for record_id, said, text in contradicted)
    since = f"since {time[:10]}" if time else "now"
    return f"{cause}: {shown}; approve: this holds {since}, and that until then; reject: {rejected}"


def render_queue_line(item: ReviewItem) -> str:
    """The line of an item: `- person, Ana: Ana lives in Bern. (why: not sure) [against abc1] <!-- … -->`."""
    entity = " ".join(workspace.join_lines(item.entity).replace(":", " ").split())[:MAX_ENTITY_CHARS].strip()
    about = f", {entity}" if entity else ""
    why = workspace.join_lines(item.why).replace("(", "").replace(")", "")
    against = f" [against {', '.join(item.against)}]" if item.against else ""
    words = f"{item.category}{about}: {workspace.join_lines(item.text)} (why: {why}){against}"
    return f"- {words} {workspace.render_annotation(_line_annotation(item))}"


def parse_queue(data: bytes) -> tuple[ReviewItem, ...]:
    """The items of the queue in order; what else a person wrote there is no item. A person may change their words, move
    them, or remove the reason for which they wait."""
    reasons = {heading: reason for reason, heading in HEADING_BY_REASON.items()}
    items = []
    for record in workspace.parse_document(workspace.QUEUE_PATH, data).records:
        match = _QUEUE_LINE.fullmatch(" ".join(record.text.split()))
        if not (record.annotated and match and match["category"] in CATEGORIES):
            continue
        item = ReviewItem(
            id=record.id,
            text=match["text"],
            category=match["category"],
            reason=reasons.get(record.heading[-1] if record.heading else "", "doubt"),
            why=match["why"] or "",
            entity=match["entity"] or "",
            against=tuple(one for one in re.split(r", ?", match["against"] or "") if workspace.is_valid_id(one)),
            record=record,
            **annotated_fields(record),
        )
        items.append(item)
    return tuple(items)


class AddedLine(Struct, frozen=True):
    """A line to add below a heading, unless the file has its id already."""

    heading: str
    id: str
    line: str


class FileEdits(Struct):
    """The edits of one file, by the ids of its lines; `header` is the beginning of a new file.

    `validity_by_id` has the time for which the lines to strike out were valid; `superseded_by_id` what a line
    supersedes besides, `start_by_id` the day on which it began to hold; lines to remove must have their text.
    """

    path: str
    header: bytes = b""
    added: list[AddedLine] = []
    validity_by_id: dict[str, str] = {}
    superseded_by_id: dict[str, tuple[str, ...]] = {}
    start_by_id: dict[str, str] = {}
    removed_text_by_id: dict[str, str] = {}


def apply_file_edits(data: bytes, edits: FileEdits, is_unchanged: Callable[[Record], bool]) -> bytes:
    """The file after these edits. A line that is not ours, or that somebody changed, stays as it is."""
    present = set(re.findall(rb"\bid: ([a-z0-9-]{4,32})", data)) if edits.added else set()
    added = [one for one in edits.added if one.id.encode() not in present]
    if added:
        current = [one for one in added if one.heading != workspace.HISTORY_HEADING]
        data = _insert_above_history(data or edits.header, current)
    data, past = _change_existing_lines(data, edits, is_unchanged)
    past += [one.line for one in added if one.heading == workspace.HISTORY_HEADING]
    return workspace.append_under_headings(data, {workspace.HISTORY_HEADING: past}) if past else data


def _change_existing_lines(
    data: bytes, edits: FileEdits, is_unchanged: Callable[[Record], bool]
) -> tuple[bytes, list[str]]:
    """The file with lines changed, struck out and removed; and the struck lines to be moved to the history."""
    past: list[str] = []
    changes: list[tuple[Source, str | None]] = []
    ids = {*edits.validity_by_id, *edits.superseded_by_id, *edits.removed_text_by_id}
    for record in workspace.parse_document(edits.path, data).records if ids else ():
        if record.id not in ids:
            continue
        if edits.removed_text_by_id.get(record.id) == record.text:
            changes.append((record.source, None))
        elif is_unchanged(record) and not record.text.startswith(STRIKETHROUGH):
            line = data[record.source.byte_start : record.source.byte_end].decode()
            if more := edits.superseded_by_id.get(record.id):
                supersedes = ", ".join(dict.fromkeys((*record.supersedes, *more)))
                line = replace_annotation_value(line, "supersedes", supersedes)
                if not (record.valid_from or record.valid_to):
                    line = replace_annotation_value(line, "valid", f"{edits.start_by_id[record.id]}..")
            valid = edits.validity_by_id.get(record.id)
            line = line if valid is None else strike_text(line, record.text, valid)
            moves = valid is not None and record.form != "retain"
            changes.append((record.source, None if moves else line))
            past += [line] if moves else []
    return workspace.change_lines(data, changes) if changes else data, past


def _insert_above_history(data: bytes, added_lines: Sequence[AddedLine]) -> bytes:
    """Add lines; new headings come before the history, which stays the last section of its file."""
    lines: dict[str, list[str]] = {}
    for one in added_lines:
        lines.setdefault(one.heading, []).append(one.line)
    if not lines:
        return data
    at = data.rfind(f"\n## {workspace.HISTORY_HEADING}\n".encode()) + 1
    if not at or b"\n#" in data[at:]:
        return workspace.append_under_headings(data, lines)
    above = data[:at].rstrip(b"\n")
    gap = data[len(above) : at]
    return workspace.append_under_headings(above + b"\n", lines).rstrip(b"\n") + gap + data[at:]


def restore_struck_line(data: bytes, struck: Record, heading: str) -> bytes:
    """The file with a line that was struck out as it was before, below a heading; without one in its place."""
    records = workspace.parse_document(struck.source.path, data).records
    record = next((one for one in records if one.id == struck.id), struck)
    if not record.text.startswith(STRIKETHROUGH):
        return data
    head, _, behind = data[record.source.byte_start : record.source.byte_end].decode().partition(record.text)
    valid = f"{record.valid_from}.." if record.valid_from else ""
    text = record.text.removeprefix(STRIKETHROUGH).removesuffix(STRIKETHROUGH)
    line = f"{head}{text}{replace_annotation_value(behind, 'valid', valid)}"
    if not heading:
        return workspace.change_lines(data, [(record.source, line)])
    rest = workspace.change_lines(data, [(record.source, None)])
    return _insert_above_history(rest, [AddedLine(heading, record.id, line)])
