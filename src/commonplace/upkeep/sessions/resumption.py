"""The content for a restarted agent: cited sections within a token budget."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from msgspec import Struct, structs

from commonplace.capture import WriteContext
from commonplace.index import Index
from commonplace.language import tokens
from commonplace.language.text import sanitize_line
from commonplace.model import Record
from commonplace.retrieval.pack import date_prefix, frame_lines, quote_line, record_prefix
from commonplace.storage import files
from commonplace.storage.workspace import (
    QUEUE_PATH,
    heading_level,
    parse_document,
    path_date,
    read_page,
    strip_annotation,
)
from commonplace.upkeep.agent_words import read_session_words
from commonplace.upkeep.forget import without_hidden
from commonplace.upkeep.sessions import working_memory
from commonplace.upkeep.sessions.buffer import BUFFER_PATH, parse_buffer
from commonplace.upkeep.sessions.working_memory import MAX_TOKENS, render_working_memory

CORE_PATH = "MEMORY.md"
LEARNINGS_FOLDER = ".learnings"
MAX_LEARNING_LINES = 20  # of each file of learnings
MAX_LINE_CHARS = 600  # of one line; the rest is left to `show`
MAX_NEWEST_CAPTURES, NEWEST_CAPTURES_READ = 6, 60  # captures of the session: shown, and looked at for those that may be
MAX_INDENT_CHARS = 8
MAX_LISTED_SESSIONS = 5  # that are named where nobody said which
ELLIPSIS = "…"
STALE_INDEX_NOTE = "the index is behind; which lines are trusted is taken from the lines themselves"


class ResumeSources(Struct, frozen=True):
    """Where to read: workspace and clock, the index, the session (empty: none named), the scopes (None: all)."""

    context: WriteContext
    index: Index
    session: str = ""
    scopes: tuple[str, ...] | None = None
    max_file_bytes: int = files.MAX_FILE_BYTES


class SectionLine(Struct, frozen=True):
    """One line to be read; `line_number` is 0 and `record_id` empty where it has none."""

    line_number: int
    text: str
    record_id: str = ""


class ResumeSection(Struct):
    """One source: its title, its path, its lines, how many were withheld, why as a few words, how many lines are taken.
    `budget_share` is the part of the budget that it may take before the others had theirs; of one that does not fit the
    first lines are kept, or the last ones (`keeps_last_lines`)."""

    name: str
    title: str
    path: str
    lines: tuple[SectionLine, ...]
    budget_share: float
    keeps_last_lines: bool = False
    withheld_count: int = 0
    note: str = ""
    taken: int = 0

    @property
    def taken_lines(self) -> tuple[SectionLine, ...]:
        """The lines that are taken, in order."""
        return self.lines[len(self.lines) - self.taken :] if self.keeps_last_lines else self.lines[: self.taken]

    @property
    def citation(self) -> str:
        """The path, with the numbers of the lines that are taken."""
        numbers = [section_line.line_number for section_line in self.taken_lines if section_line.line_number]
        if not numbers:
            return self.path
        return f"{self.path}#L{numbers[0]}" + (f"-L{numbers[-1]}" if len(numbers) > 1 else "")


def collect_sections(resume_sources: ResumeSources) -> list[ResumeSection]:
    """Core, buffer, working memory, pending items, today's and yesterday's logs, learnings, the newest that was said;
    none that is empty. What changes most stands last, so that prompt caches keep what comes before it."""
    found = (
        _markdown_section(resume_sources, "core", "Core", path=CORE_PATH, budget_share=0.25),
        _buffer_section(resume_sources),
        *_session_sections(resume_sources),
        _pending_section(resume_sources),
        *_log_sections(resume_sources),
        *_learning_sections(resume_sources),
        _newest_captures_section(resume_sources),
    )
    return [part for part in found if part is not None and (part.lines or part.withheld_count)]


def _markdown_section(
    resume_sources: ResumeSources,
    name: str,
    title: str,
    *,
    path: str,
    budget_share: float,
    keeps_last_lines: bool = False,
) -> ResumeSection | None:
    """A Markdown file: its headings and records, less those that an agent is not given unasked."""
    data = files.read_file_if_exists(resume_sources.context.root, path, resume_sources.max_file_bytes)
    if data is None or path in resume_sources.index.conflicted_paths():
        return None
    row, note = resume_sources.index.files().get(path), STALE_INDEX_NOTE
    if row is not None and row.digest == files.content_digest(data):
        rows = resume_sources.index.fetch(resume_sources.index.rows_of_file(path))
        records, note = [found.record for found in rows.values()], ""
    else:  # the index has other bytes: the lines are judged by what they say themselves
        records = [*parse_document(path, data).records]
    forgotten_ids = resume_sources.index.hidden_ids()  # also those of which only a part is hidden
    records = [record for record in records if record.id not in forgotten_ids]
    refused = [record for record in records if _is_withheld(resume_sources, record)]
    hidden = {number for record in refused for number in _source_line_numbers(record)}
    ids = {number: record.id for record in records for number in _source_line_numbers(record)}
    said = ids.keys() - hidden
    leads = {record.source.line_start: record_prefix(record, path) for record in records}
    section_lines = [
        SectionLine(number, _render_plain_line(text, leads.get(number, "")), ids.get(number, ""))
        for number, text in enumerate(read_page(path, data).lines, 1)
        if number in said or (number not in hidden and heading_level(text.strip()))
    ]
    told = tuple(section_line for section_line in _drop_empty_headings(section_lines, said) if section_line.text)
    return ResumeSection(name, title, path, told, budget_share, keeps_last_lines, len(refused), note)


def _is_withheld(resume_sources: ResumeSources, record: Record) -> bool:
    """Whether a record is untrusted, replaced by a later one, or of another project."""
    is_elsewhere = resume_sources.scopes is not None and record.scope not in resume_sources.scopes
    return record.trust in ("untrusted", "quarantined") or bool(record.superseded_by) or is_elsewhere


def _source_line_numbers(record: Record) -> range:
    return range(record.source.line_start, record.source.line_end + 1)


def _render_plain_line(text: str, lead: str = "") -> str:
    """A line without its annotation, harmless on its own, with its marks; the blanks in front of a nested item stay."""
    body = sanitize_line(strip_annotation(text.strip()))
    bullet = body[:2] if body.startswith(("- ", "* ")) else ""
    body = sanitize_line(f"{bullet}{lead}{body[len(bullet) :]}") if lead and body else body
    indent = min(len(text) - len(text.lstrip(" \t")), MAX_INDENT_CHARS)
    shown = body if len(body) <= MAX_LINE_CHARS else body[:MAX_LINE_CHARS].rstrip() + ELLIPSIS
    return " " * indent + shown if body else ""


def _drop_empty_headings(section_lines: list[SectionLine], record_line_numbers: set[int]) -> list[SectionLine]:
    """Remove headings that have nothing below them."""
    kept: list[SectionLine] = []
    below = 0  # the level of the title that comes next, 7 for a line of text, 0 for the end
    for section_line in reversed(section_lines):
        level = 7 if section_line.line_number in record_line_numbers else heading_level(section_line.text.strip())
        if level == 7 or below > level:
            kept.append(section_line)
            below = level
    return kept[::-1]


def _buffer_section(resume_sources: ResumeSources) -> ResumeSection | None:
    data = files.read_file_if_exists(resume_sources.context.root, BUFFER_PATH, resume_sources.max_file_bytes)
    buffer = parse_buffer(data or b"")
    title = "Working buffer"
    if buffer.is_stale(resume_sources.context.now):
        title = f"Working buffer, not touched since {buffer.last_active or 'nobody knows when'}: pending work"
    return _markdown_section(resume_sources, "buffer", title, path=BUFFER_PATH, budget_share=0.2, keeps_last_lines=True)


def _session_sections(resume_sources: ResumeSources) -> Iterator[ResumeSection | None]:
    """The session that was named; else the only one under way, or the names of all."""
    context = resume_sources.context
    under_way = working_memory.list_sessions(context.root)
    if resume_sources.session:
        named = working_memory.find_session(context, resume_sources.session)
        under_way = () if named is None else (named,)
    if len(under_way) == 1:
        working = without_hidden(context.root, resume_sources.index, under_way[0].without_untrusted())
        texts = filter(None, render_working_memory(working, max_tokens=MAX_TOKENS).split("\n"))
        lines = tuple(SectionLine(0, sanitize_line(text)) for text in texts)
        title = f"Working memory of the session {working.session}"
        yield ResumeSection("session", title, working_memory.session_path(working.session), lines, 0.2)
    elif under_way:
        listed = under_way[:MAX_LISTED_SESSIONS]
        lines = tuple(SectionLine(0, f"{known.session} (last at work {known.updated})") for known in listed)
        title = f"{len(under_way)} sessions are under way; name one with --session"
        yield ResumeSection("sessions", title, working_memory.SESSIONS_FOLDER, lines, 0.05)


def _pending_section(resume_sources: ResumeSources) -> ResumeSection | None:
    """The number of items that need a decision, and the first of those that may be shown."""
    part = _markdown_section(resume_sources, "pending", "", path=QUEUE_PATH, budget_share=0.05)
    if part is None:
        return None
    data = files.read_file_if_exists(resume_sources.context.root, QUEUE_PATH, resume_sources.max_file_bytes) or b""
    waiting = sum(line.startswith(("- ", "* ")) for line in data.decode("utf-8", "replace").split("\n"))
    first = tuple(section_line for section_line in part.lines if section_line.text.startswith(("- ", "* ")))[:1]
    title = f"{waiting} pending item{'' if waiting == 1 else 's'}, the first one"
    return structs.replace(part, title=title, lines=first) if waiting else None


def _log_sections(resume_sources: ResumeSources) -> Iterator[ResumeSection | None]:
    """The logs of today and yesterday."""
    from datetime import date, timedelta

    today = resume_sources.context.now[:10]
    yesterday = (date.fromisoformat(today) - timedelta(days=1)).isoformat()
    logs = [path for path, row in resume_sources.index.files().items() if row.role == "log"]
    for name, day, share in (("today", today, 0.15), ("yesterday", yesterday, 0.05)):
        paths = sorted(path for path in logs if path_date(path) == day)
        for path in paths:
            title, part = f"Log of {name}", share / len(paths)
            yield _markdown_section(resume_sources, name, title, path=path, budget_share=part, keeps_last_lines=True)


def _newest_captures_section(resume_sources: ResumeSources) -> ResumeSection | None:
    """The last that was said in the session, which nobody wrote down yet; of one journal."""
    under_way = working_memory.list_sessions(resume_sources.context.root)
    session = resume_sources.session or (under_way[0].session if len(under_way) == 1 else "")
    row_ids = resume_sources.index.rows_of_session(session)[-NEWEST_CAPTURES_READ:] if session else []
    records = [found.record for found in resume_sources.index.fetch(row_ids).values()]
    root, now = resume_sources.context.root, resume_sources.context.now
    words = read_session_words(root, resume_sources.index, session, device="", now=now)
    shown = [record for record in records if not _is_withheld(resume_sources, record)]
    told = [one for one in shown if one.actor != "agent" or not words.holds_back(one.text, now)][-MAX_NEWEST_CAPTURES:]
    if not told:
        return None
    path, lines = told[-1].source.path, list[SectionLine]()
    for one in (record for record in told if record.source.path == path):
        lead = f"{date_prefix(one.text, one.time, '')}{sanitize_line(one.speaker) or one.actor}: "
        text = _render_plain_line(sanitize_line(one.text), f"({one.mark}) " if one.mark else "")
        lines.append(SectionLine(one.source.line_start, lead + text))
    title = f"Newest of the session {session}"
    return ResumeSection("newest", title, path, tuple(lines), 0.1, keeps_last_lines=True)


def _learning_sections(resume_sources: ResumeSources) -> Iterator[ResumeSection]:
    """The last lines of each file of learnings; these files are not indexed, so their lines have no trust."""
    for name, size in files.list_file_sizes(resume_sources.context.root, LEARNINGS_FOLDER).items():
        if not name.endswith(".md") or size > resume_sources.max_file_bytes:
            continue
        path = f"{LEARNINGS_FOLDER}/{name}"
        data = files.read_file(resume_sources.context.root, path, resume_sources.max_file_bytes)
        shown = (_render_plain_line(line, "(unverified) ") for line in data.decode("utf-8", "replace").split("\n"))
        section_lines = tuple(SectionLine(number, line) for number, line in enumerate(shown, 1) if line)
        title = f"Learnings: {sanitize_line(name.removesuffix('.md'))}"
        last = section_lines[-MAX_LEARNING_LINES:]
        yield ResumeSection("learnings", title, path, last, 0.1 / 3, keeps_last_lines=True)


DEFAULT_BUDGET_TOKENS = 3_000  # tokens

CountTokens = Callable[[str], int]


class ResumedPart(Struct, frozen=True):
    """One part as it was shown: how many of its lines, and how many records were withheld from it."""

    name: str
    citation: str
    lines: int
    shown: int
    withheld: int = 0


class ResumeContext(Struct, frozen=True):
    """The content for a restarted agent: a text for the prompt with its number of tokens, notes for the reader, and the
    ids of the lines that it shows of the core."""

    text: str
    tokens: int
    budget_tokens: int
    parts: tuple[ResumedPart, ...] = ()
    notes: tuple[str, ...] = ()
    core_ids: tuple[str, ...] = ()


def build_resume_context(
    resume_sources: ResumeSources,
    budget_tokens: int = DEFAULT_BUDGET_TOKENS,
    count_tokens: CountTokens = tokens.count_tokens,
) -> ResumeContext:
    """The parts in their order, each as far as it fits; every part first gets its share, then the first ones the rest.
    Equal files, clock and budget give equal bytes. The budget counts the frame; nothing fits into one too small."""
    found = collect_sections(resume_sources)
    sections = _fill_sections(found, budget_tokens, count_tokens)
    left_out = found[len(sections) :]
    text = _render_within_budget(sections, budget_tokens, count_tokens)
    notes = [f"left out for want of room: {section.path}" for section in left_out]
    if resume_sources.session and not any(section.name == "session" for section in found):
        notes.append(f"there is no working memory of a session {resume_sources.session!r}")
    parts = ((one.name, one.citation, len(one.lines), one.taken, one.withheld_count) for one in sections if text)
    shown = tuple(ResumedPart(*part) for part in parts)
    ids = {line.record_id for one in sections for line in one.taken_lines if one.path == CORE_PATH and line.record_id}
    return ResumeContext(text, count_tokens(text), budget_tokens, shown, tuple(notes), tuple(sorted(ids)))


def _fill_sections(sections: list[ResumeSection], budget_tokens: int, count_tokens: CountTokens) -> list[ResumeSection]:
    """The first parts, as many as have a title that fits, with the lines that fit taken."""
    room = budget_tokens - count_tokens(frame_lines(()))
    fitting: list[ResumeSection] = []
    for section in sections:
        cost = count_tokens(f"{_render_section_heading(section)}\n")
        if cost >= room:
            break
        room -= cost
        fitting.append(section)
    for section, share in [(section, int(section.budget_share * room)) for section in fitting]:
        room -= _take_fitting_lines(section, share, count_tokens)
    for section in fitting:
        room -= _take_fitting_lines(section, room, count_tokens)
    return fitting


def _take_fitting_lines(section: ResumeSection, max_tokens: int, count_tokens: CountTokens) -> int:
    """Take lines while they fit; returns what they cost."""
    lines = section.lines[::-1] if section.keeps_last_lines else section.lines
    spent = 0
    for section_line in lines[section.taken :]:
        cost = count_tokens(f"{_render_section_line(section_line)}\n")
        if spent + cost > max_tokens:
            break
        spent += cost
        section.taken += 1
    return spent


def _render_within_budget(sections: list[ResumeSection], budget_tokens: int, count_tokens: CountTokens) -> str:
    """The text; as long as it has more tokens than the budget, the last line that was taken goes, then its title."""
    while sections:
        text = frame_lines(
            line
            for section in sections
            for line in (_render_section_heading(section), *map(_render_section_line, section.taken_lines))
        )
        if count_tokens(text) <= budget_tokens:
            return text
        last = next((section for section in reversed(sections) if section.taken), None)
        if last is None:
            sections.pop()
        else:
            last.taken -= 1
    return ""


def _render_section_heading(section: ResumeSection) -> str:
    """`## Title [path#L1-L9] (…)`, with what is missing."""
    remarks = [section.note] if section.note else []
    if section.taken < len(section.lines):
        which = "last" if section.keeps_last_lines else "first"
        remarks.append(f"cut: the {which} {section.taken} of {len(section.lines)} lines")
    if section.withheld_count:
        remarks.append(f"withheld: {section.withheld_count} untrusted, superseded or of another project")
    heading = f"## {section.title} [{section.citation}]"
    return quote_line(sanitize_line(heading + (f" ({'; '.join(remarks)})" if remarks else "")))


def _render_section_line(section_line: SectionLine) -> str:
    """A number in front, so that no line of a file can pose as one of our titles."""
    return quote_line(f"{section_line.line_number or '-'}: {section_line.text}")
