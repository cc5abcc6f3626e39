"""The working buffer: its header and tasks as text, and its rotation into the daily note, resumed when interrupted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from itertools import count

import msgspec
from msgspec import Struct, structs

from commonplace.capture import TextMasker, WriteContext
from commonplace.storage import files, workspace
from commonplace.storage.journal import Journal
from commonplace.upkeep.sessions.working_memory import SET_ASIDE_FOLDER

BUFFER_PATH = "memory/working-buffer.md"
BUFFER_TITLE = "Working Buffer"
TASK_HEADING = "Active Task"
MAX_BUFFER_LINES, MAX_BUFFER_TASKS = 80, 3
STALE_MINUTES = 120
MINUTE_CHARS = len("2025-11-27T09:40")
_HEADER_KEYS = ("created", "last_active")


class WorkingBuffer(Struct, frozen=True):
    """A buffer as read: the two times of its header, the lines below it without blank ones around, its size in lines;
    `created` is new each time when the buffer was emptied."""

    created: str
    last_active: str
    body_lines: tuple[str, ...]
    line_count: int

    @property
    def tasks(self) -> tuple[str, ...]:
        """The names of its tasks, in order."""
        titles = (workspace.strip_annotation(parse_heading_title(line)) for line in self.body_lines)
        names = (title.partition(":")[2].strip() for title in titles if title.startswith(TASK_HEADING))
        return tuple(name for name in names if name)

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to be kept: no line, or only the title of a task without a name."""
        lines = filter(str.strip, self.body_lines)
        return all(parse_heading_title(line).rstrip(": ") == TASK_HEADING for line in lines)

    @property
    def is_full(self) -> bool:
        """Whether it has more lines or tasks than a buffer should."""
        return self.line_count > MAX_BUFFER_LINES or len(self.tasks) > MAX_BUFFER_TASKS

    def is_stale(self, now: str) -> bool:
        """Whether something lies in it that nobody worked on for two hours, or whose heartbeat is no time; one without
        a heartbeat was just made by hand, for all we know."""
        if not self.last_active or self.is_empty:
            return False
        times = [workspace.parse_timestamp(one) for one in (self.last_active, now)]
        if min(map(len, times)) < MINUTE_CHARS:
            return True
        from datetime import datetime

        earlier, later = map(datetime.fromisoformat, times)
        return abs((later - earlier).total_seconds()) > STALE_MINUTES * 60


def parse_buffer(data: bytes) -> WorkingBuffer:
    """The parsed buffer; if a file lacks our header, all of it is the body."""
    page = workspace.read_page(BUFFER_PATH, data)
    header, first = _parse_buffer_header(page)
    lines = [line.removesuffix("\r") for line in page.lines[first:]]
    size = len(page.lines) - (not page.lines[-1])
    return WorkingBuffer(header.get("created", ""), header.get("last_active", ""), strip_blank_lines(lines), size)


def set_heartbeat(data: bytes, now: str) -> bytes:
    """The buffer with the current time in its header, which is added where it is missing; the rest is unchanged."""
    page = workspace.read_page(BUFFER_PATH, data)
    header, first = _parse_buffer_header(page)
    newline = workspace.detect_newline(data)
    lines = (f"# {BUFFER_TITLE}", f"created: {header.get('created') or now}", f"last_active: {now}", "", "")
    head = (workspace.BOM if data.startswith(workspace.BOM) else b"") + newline.join(line.encode() for line in lines)
    below = next((number for number in range(first, len(page.lines)) if page.lines[number].strip("\r")), None)
    return head.removesuffix(newline) if below is None else head + data[page.starts[below] :]


def add_buffer_line(data: bytes, task: str, line: str, *, now: str) -> bytes:
    """The buffer with a line more below this task, and a heartbeat."""
    return workspace.append_under_heading(set_heartbeat(data, now), f"{TASK_HEADING}: {task}", line)


def parse_heading_title(line: str) -> str:
    """The title in a heading line, with its annotation; empty for any other line."""
    body = line.strip()
    level = workspace.heading_level(body)
    return body[level:].strip() if level else ""


def strip_blank_lines(body_lines: Iterable[str]) -> tuple[str, ...]:
    """Without the blank lines at both ends."""
    lines = tuple(body_lines)
    told = [number for number, line in enumerate(lines) if line.strip()]
    return lines[told[0] : told[-1] + 1] if told else ()


def _parse_buffer_header(page: workspace.NumberedPage) -> tuple[dict[str, str], int]:
    """The times of the header, and the line on which the body begins."""
    found: dict[str, str] = {}
    first = 0
    for number, line in enumerate(page.lines):
        body = line.strip()
        if not body:
            continue
        key, colon, value = body.partition(":")
        if colon and key in _HEADER_KEYS and key not in found:
            found[key] = value.strip()
        elif first or parse_heading_title(body) != BUFFER_TITLE:
            break
        first = number + 1
    return found, first


BUFFER_LOCK = "working-buffer"
BUFFER_FOLDER, BUFFER_STEM = "memory", "working-buffer"
LEGACY_SUFFIXES = (".pending", ".rotating")  # what older programs leave behind when they are stopped
MAX_LEGACY_BYTES = 1_000_000  # bytes of such a file
ID_CHARS = 16


class RotationPlan(Struct, frozen=True):
    """One move: the file it takes lines from (digests in `lines`, ids of records in `records`), the note and its text;
    `before` and `after` are the `created:` of the buffer's filling that is moved and of the next one."""

    id: str
    ts: str
    source: str
    note: str
    heading: str
    level: int
    text: str
    lines: tuple[str, ...] = ()
    records: tuple[str, ...] = ()
    before: str = ""
    after: str = ""


class RotationResult(Struct, frozen=True):
    """The result of a rotation: how many lines were moved, into which note (empty if none), and notes for the user."""

    path: str = ""
    lines: int = 0
    notes: tuple[str, ...] = ()


def rotate_buffer(context: WriteContext) -> RotationResult:
    """Move the lines of the buffer into the day's note, above its closure block, and start a new buffer."""
    with files.hold_workspace_lock(context.root, BUFFER_LOCK):
        notes = recover_locked_buffer(context)
        lines = sum(bool(line.strip()) for line in _load_buffer(context.root).body_lines)
        moved = rotate_locked_buffer(context)
    return RotationResult(context.log_path, lines, notes) if moved else RotationResult(notes=notes)


def recover_buffer(context: WriteContext) -> tuple[str, ...]:
    """Finish a move that broke off, and take in what older programs left; says what was done."""
    with files.hold_workspace_lock(context.root, BUFFER_LOCK):
        return recover_locked_buffer(context)


def tidy_buffer(context: WriteContext) -> tuple[str, ...]:
    """The same, and move a buffer that is stale (marked as recovered) or too full: what the start of a session does."""
    with files.hold_workspace_lock(context.root, BUFFER_LOCK):
        return tidy_locked_buffer(context)


def refresh_heartbeat(context: WriteContext) -> bool:
    """Say in the header that the buffer is at work; not in one that is missing, empty or stale."""
    with files.hold_workspace_lock(context.root, BUFFER_LOCK):
        recover_locked_buffer(context)
        buffer = _load_buffer(context.root)
        if buffer.is_empty or buffer.is_stale(context.now):
            return False
        workspace.update_file(context.root, BUFFER_PATH, lambda data: set_heartbeat(data, context.now), now=context.now)
    return True


def is_buffer_active(root: str, now: str) -> bool:
    """Whether there is a buffer that somebody worked on within two hours, or that was made by hand."""
    buffer = _load_buffer(root)
    return not buffer.is_empty and not buffer.is_stale(now)


def tidy_locked_buffer(context: WriteContext) -> tuple[str, ...]:
    """`tidy_buffer` for whoever holds the lock."""
    notes = recover_locked_buffer(context)
    buffer = _load_buffer(context.root)
    return notes + rotate_locked_buffer(context) if buffer.is_stale(context.now) or buffer.is_full else notes


def recover_locked_buffer(context: WriteContext) -> tuple[str, ...]:
    """`recover_buffer` for whoever holds the lock."""
    notes: tuple[str, ...] = ()
    if (data := files.read_file_if_exists(context.root, files.ROTATION_PLAN_PATH)) is not None:
        try:
            plan = msgspec.json.decode(data, type=RotationPlan)
        except (msgspec.DecodeError, UnicodeDecodeError):
            _move_to_set_aside(context.root, files.ROTATION_PLAN_PATH)
        else:
            notes = _execute_rotation_plan(context, plan)
    left = files.list_file_sizes(context.root, BUFFER_FOLDER)
    for name in (f"{BUFFER_STEM}{middle}{ending}" for middle in ("", ".md") for ending in LEGACY_SUFFIXES):
        if left.get(name, 0) > MAX_LEGACY_BYTES:
            notes += (f"{BUFFER_FOLDER}/{name} is too large to be taken in; please look at it",)
        elif name in left:
            notes += _import_legacy_buffer(context, f"{BUFFER_FOLDER}/{name}")
    return notes


def rotate_locked_buffer(context: WriteContext) -> tuple[str, ...]:
    """Plan the move of the buffer, and make it; the titles of its tasks say so if it was stale."""
    data = files.read_file_if_exists(context.root, BUFFER_PATH) or b""
    buffer = parse_buffer(data)
    if buffer.is_empty:
        return ()
    is_stale = buffer.is_stale(context.now)
    mark = f"recovered, last active {workspace.parse_timestamp(buffer.last_active) or 'unknown'}" if is_stale else ""
    plan = _plan_rotation(context, BUFFER_PATH, buffer.body_lines, remark=mark, created=buffer.created)
    records = workspace.parse_document(BUFFER_PATH, data).records
    next_created = context.now  # a time that no filling before it had
    if buffer.created[:MINUTE_CHARS] == context.now:
        number = buffer.created.partition(".")[2]
        next_created = f"{context.now}:00.{int(number) + 1 if number.isdecimal() else 1:09}"
    ids = tuple(record.id for record in records if not record.annotated)
    return _save_and_execute_plan(context, structs.replace(plan, records=ids, after=next_created))


def _load_buffer(root: str) -> WorkingBuffer:
    return parse_buffer(files.read_file_if_exists(root, BUFFER_PATH) or b"")


def _import_legacy_buffer(context: WriteContext, path: str) -> tuple[str, ...]:
    """Move what an older program left behind into the day's note, less what it had brought there, and set it aside."""
    body = parse_buffer(files.read_file(context.root, path, MAX_LEGACY_BYTES)).body_lines
    note = (files.read_file_if_exists(context.root, context.log_path) or b"").decode("utf-8", "replace")
    there = set(note.split("\n"))
    left = strip_blank_lines(line for line in body if parse_heading_title(line) or line not in there)
    if not any(line.strip() and not parse_heading_title(line) for line in left):
        _move_to_set_aside(context.root, path)
        return ()
    remark = f"recovered from {path.rpartition('/')[2]}"
    return _save_and_execute_plan(context, _plan_rotation(context, path, left, remark=remark))


def _plan_rotation(
    context: WriteContext, source: str, body_lines: tuple[str, ...], *, remark: str, created: str = ""
) -> RotationPlan:
    """The move of lines into the day's note, with the heading and the text that will stand there, without secrets."""
    first, *rest = TextMasker(context.root, context.exact).redact("\n".join(body_lines)).text.split("\n")
    title = parse_heading_title(first)
    ending = f" ({remark})" if remark else ""
    heading = workspace.strip_annotation(title or BUFFER_TITLE) + ending
    below = rest if title else [first, *rest]
    for at, line in enumerate(below):
        task = parse_heading_title(line)
        if remark and task.startswith(TASK_HEADING):
            hashes = "#" * workspace.heading_level(line.strip())
            below[at] = f"{hashes} {workspace.strip_annotation(task)}{ending}"
    text = "\n".join(strip_blank_lines(below))
    return RotationPlan(
        id=files.text_digest("\0".join((source, created, heading, text)))[:ID_CHARS],
        ts=context.now,
        source=source,
        note=context.log_path,
        heading=heading,
        level=workspace.heading_level(first.strip()) if title else 2,
        text=text,
        lines=tuple(files.text_digest(line)[:ID_CHARS] for line in body_lines if line.strip()),
        before=created,
    )


def _save_and_execute_plan(context: WriteContext, plan: RotationPlan) -> tuple[str, ...]:
    with files.log_intent(context.root):
        files.write_atomic(context.root, files.ROTATION_PLAN_PATH, msgspec.json.encode(plan), mode=0o600)
        return _execute_rotation_plan(context, plan)


def _execute_rotation_plan(context: WriteContext, plan: RotationPlan) -> tuple[str, ...]:
    """Every step of a move that is not done yet."""
    if plan.records:  # lines without an id of their own get another one where they will stand: no loss
        journal = Journal(context.root, context.device)
        journal.append({"op": "removed", "ts": plan.ts, "records": list(plan.records)}, "ledger")

    def append(data: bytes) -> bytes:
        if f"id: {plan.id}".encode() in data:
            return data
        heading = f"{plan.heading} {workspace.render_annotation({'id': plan.id})}"
        day = plan.note.rpartition("/")[2].removesuffix(".md")
        return workspace.append_under_heading(data or f"# {day}\n".encode(), heading, plan.text, level=plan.level)

    workspace.update_file(context.root, plan.note, append, now=plan.ts)
    if plan.source == BUFFER_PATH:
        workspace.update_file(context.root, BUFFER_PATH, lambda data: _remove_moved_lines(data, plan), now=plan.ts)
    else:
        _move_to_set_aside(context.root, plan.source)
    files.remove_file(context.root, files.ROTATION_PLAN_PATH)
    return (f"moved {len(plan.lines)} lines from {plan.source} to {plan.note}",)


def _remove_moved_lines(data: bytes, plan: RotationPlan) -> bytes:
    """The buffer without the lines that were moved; a later filling stays as it is."""
    buffer = parse_buffer(data)
    if buffer.created != plan.before:
        return data
    moved = Counter(plan.lines)
    kept: list[str] = []
    for line in buffer.body_lines:
        known = files.text_digest(line)[:ID_CHARS]
        if moved[known]:
            moved[known] -= 1
        elif line.strip() or (kept and kept[-1].strip()):
            kept.append(line)
    header = (f"# {BUFFER_TITLE}", f"created: {plan.after}", f"last_active: {plan.ts}", "")
    lines = (*header, *body, "") if (body := strip_blank_lines(kept)) else header
    return workspace.detect_newline(data).join(line.encode("utf-8", "replace") for line in lines)


def _move_to_set_aside(root: str, path: str) -> None:
    data = files.read_file_if_exists(root, path)
    if data is None:
        return
    target = f"{SET_ASIDE_FOLDER}/{path.rpartition('/')[2]}-{files.content_digest(data)[:ID_CHARS]}"
    names = (target if number == 1 else f"{target}-{number}" for number in count(1))
    next(name for name in names if files.move_file(root, path, name))
