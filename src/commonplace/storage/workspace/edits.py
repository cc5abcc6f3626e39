"""Edit, undo and archive changes of Markdown files, written only if nobody else changed the file."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from itertools import count

from msgspec import Struct, structs

from commonplace.errors import CommonplaceError, NotFound, WriteConflict
from commonplace.model import Source
from commonplace.storage import files
from commonplace.storage.journal import decode_with_checksum, encode_journal_line
from commonplace.storage.workspace import markdown
from commonplace.storage.workspace.block_scanner import Heading, ScanRange, scan_blocks
from commonplace.storage.workspace.front_matter import read_closure, read_front_matter
from commonplace.storage.workspace.markdown import BOM, NumberedPage, last_nonblank_line, read_page

PLACEHOLDER_DATE = "0001-01-01"  # so that what is indented below a dialogue line is not taken for a heading


class Splice(Struct, frozen=True):
    """One changed stretch of a file, the lines `before` at byte `start` became `after`."""

    start: int
    before: bytes
    after: bytes


def append_under_heading(data: bytes, heading: str, line: str, *, level: int = 2) -> bytes:
    """The file with a line more below this heading (compared without case), which is made if it is missing: below what
    is there, above the next heading and a closure block, with the newlines of the file and none new at its end."""
    return append_under_headings(data, {heading: [line]}, level=level)


def append_under_headings(data: bytes, lines_by_heading: Mapping[str, Sequence[str]], *, level: int = 2) -> bytes:
    """The file with lines more below several headings; see `append_under_heading`. It is looked through once."""
    page = read_page("", data)
    body = read_front_matter(page.lines).body
    places = _SectionIndex(page, ScanRange(body, read_closure(page.lines, body)[0], PLACEHOLDER_DATE))
    insertions: dict[int, list[str]] = {}
    missing: list[str] = []
    merged: dict[str, tuple[str, list[str]]] = {}  # headings that are one but for their case come once
    for heading, lines in lines_by_heading.items():
        merged.setdefault(_heading_key(heading), (heading, []))[1].extend(lines)
    for key, (heading, lines) in merged.items():
        above = places.headings.get(key)
        if above is None:
            missing += [*([""] if missing else []), f"{'#' * level} {heading}", *lines]
            continue
        at = places.last_text_line(above)
        insertions[at] = [*lines] if at == above.last or places.is_in_list(at) else ["", *lines]
    if missing:
        at = last_nonblank_line(page.lines, body, places.end)
        insertions[at] = insertions.get(at, []) + (missing if at < 0 else ["", *missing])
    return _insert_lines(page, insertions)


def change_lines(data: bytes, changes: Sequence[tuple[Source, str | None]]) -> bytes:
    """The file with the lines of several sources, which must not overlap, replaced, or removed where there is None; a
    last line without a newline takes the one before it along. Raises WriteConflict if lines are not what was read."""
    newline = detect_newline(data)
    behind: list[bytes] = []  # what stands after `upto` in the new file, last piece first
    upto = len(data)
    for source, line in sorted(changes, key=lambda change: change[0].byte_start, reverse=True):
        start, end = source.byte_start, source.byte_end
        whole = _is_line_start(data, start) and (end == len(data) or data.startswith((b"\n", b"\r\n"), end))
        if not whole or files.content_digest(data[start:end]) != source.digest:
            raise WriteConflict(source.path, line=source.line_start)
        if line is not None:
            behind += [data[end:upto], _encode_line(line, newline)]
        elif below := data.find(b"\n", end, upto) + 1:
            behind.append(data[below:upto])
        elif data.endswith(b"\n", 0, start):
            start -= 2 if data.endswith(b"\r\n", 0, start) else 1
        upto = start
    return data[:upto] + b"".join(reversed(behind))


def diff_lines(old_data: bytes, new_data: bytes) -> Splice:
    """The one stretch of whole lines in which two states of a file differ."""
    most = min(len(old_data), len(new_data))
    alike = bisect_left(range(1, most + 1), True, key=lambda n: old_data[:n] != new_data[:n])
    start = old_data.rfind(b"\n", 0, alike) + 1
    ends = range(1, most - start + 1)
    same = bisect_left(ends, True, key=lambda n: old_data[len(old_data) - n :] != new_data[len(new_data) - n :])
    if not (_is_line_start(old_data, len(old_data) - same) and _is_line_start(new_data, len(new_data) - same)):
        newline = old_data.find(b"\n", len(old_data) - same) + 1
        same = len(old_data) - newline if newline else 0
    return Splice(start, old_data[start : len(old_data) - same], new_data[start : len(new_data) - same])


def _heading_key(title: str) -> str:
    return title.rstrip(": ").casefold()


class _SectionIndex:
    """The ends of the sections and lists of a page, computed once for any number of headings."""

    def __init__(self, page: NumberedPage, extent: ScanRange) -> None:
        self._blocks, headings = scan_blocks(page, extent)
        self.end = extent.end
        self.headings = {_heading_key(one.title): one for one in reversed(headings)}  # the first of a title
        self._lines = page.lines
        self._sections = [heading.first for heading in headings]
        self._firsts = [block.first for block in self._blocks]

    def last_text_line(self, above: Heading) -> int:
        """The last line below a heading that is not blank, else that of the heading."""
        below = bisect_right(self._sections, above.last)
        end = self._sections[below] if below < len(self._sections) else self.end
        return last_nonblank_line(self._lines, above.last, end)

    def is_in_list(self, number: int) -> bool:
        """Whether a line belongs to a list, so that another item may follow at once."""
        before = bisect_right(self._firsts, number)
        if not before or number > (block := self._blocks[before - 1]).last:
            return False
        return block.form in ("item", "dialogue") or bool(block.parents)


def _insert_lines(page: NumberedPage, insertions: Mapping[int, Sequence[str]]) -> bytes:
    """The file with lines more below lines of the page; -1 is the top of the file. It is copied once."""
    data, newline = page.data, detect_newline(page.data)
    pieces: list[bytes] = []
    done = 0
    for at, lines in sorted(insertions.items()):
        after = page.lines[at + 1] if at + 1 < len(page.lines) else ""
        spaced = [*lines, ""] if after.strip() and not markdown.heading_level(after.rstrip()) else lines
        written = newline.join(_encode_line(line, newline) for line in spaced)
        is_last = 0 <= at == len(page.lines) - 1  # the last line has no newline
        place = len(data) if is_last else page.starts[at + 1]
        pieces += [data[done:place], newline + written if is_last else written + newline]
        done = place
    return b"".join(pieces) + data[done:]


def _encode_line(line: str, newline: bytes) -> bytes:
    return newline.join(part.rstrip("\r").encode("utf-8", "replace") for part in line.split("\n"))


def detect_newline(data: bytes) -> bytes:
    """The newline that most lines of the file have."""
    return b"\r\n" if data.count(b"\r\n") * 2 > data.count(b"\n") else b"\n"


def _is_line_start(data: bytes, at: int) -> bool:
    return at == 0 or data[at - 1 : at] == b"\n" or (at == len(BOM) and data.startswith(BOM))


CHANGES_FOLDER = ".memory/changes"
ARCHIVE_FOLDER = "memory/archive"
MAX_WRITE_ATTEMPTS = 20
CHANGE_ID_CHARS = 16

EditFunction = Callable[[bytes], bytes | None]


class WriteResult(Struct, frozen=True):
    """The result of a write: digests before and after, the size, and the change to undo (empty if nothing changed)."""

    path: str
    digest_before: str
    digest_after: str
    size: int
    change_id: str = ""


class RecordedChange(Struct, frozen=True):
    """One applied write: at byte `offset` the whole lines `before` were replaced by the whole lines `after`.

    The two are text in `encoding`: UTF-8, or Latin-1 where they are not valid UTF-8. `is_new`: no file was there.
    `act` is the act of which it was a part: what was done, by whom, and to what (`undo owner 4ba3f1ff5fd1670e`).
    """

    id: str
    ts: str
    path: str
    digest_before: str
    digest_after: str
    offset: int
    before: str
    after: str
    encoding: str
    is_new: bool = False
    act: str = ""

    @property
    def undoes(self) -> str:
        """The id of the change that it undid; empty if it did something else."""
        return self.act.rpartition(" ")[2] if self.act.startswith("undo ") else ""


def update_file(root: str, relative: str, edit: EditFunction, *, now: str = "", act: str = "") -> WriteResult:
    """Replace a Markdown file (a missing one: empty) by `edit` of its bytes, atomically, keeping its mode; None removes
    it. What somebody else changes meanwhile is read and edited anew. `now` and `act` are noted with the change.

    Raises WriteConflict if the file never holds still; OutsideWorkspace for what is not a plain file in the workspace.
    """
    path = files.normalize_path(relative)
    with files.hold_workspace_lock(root, files.path_lock_name(path)), files.log_intent(root):
        for _attempt in range(MAX_WRITE_ATTEMPTS):
            there = files.read_file_if_exists(root, path)
            old = there or b""
            before = files.content_digest(old)
            edited = edit(old)
            new = edited or b""
            if new == old:
                return WriteResult(path, before, before, len(old))
            change = structs.replace(describe_change(path, old, new, now), act=act, is_new=there is None)
            while not files.is_missing(root, _change_path(change.id)):  # the same was done in this minute, and undone
                change = structs.replace(change, id=files.text_digest(change.id)[:CHANGE_ID_CHARS])
            if _apply_change(root, change, new):
                if edited is None:
                    files.remove_empty_file(root, path)
                return WriteResult(path, before, change.digest_after, len(new), change.id)
    raise WriteConflict(path, f"it changed {MAX_WRITE_ATTEMPTS} times while it was written")


def find_change(root: str, change_id: str) -> RecordedChange:
    """The record of an applied change. Raises NotFound."""
    raw_line = (files.read_file_if_exists(root, _change_path(change_id)) if change_id.isalnum() else None) or b""
    if (change := decode_with_checksum(raw_line, RecordedChange)) is None:
        raise NotFound("change", change_id)
    return change


def archive_file(root: str, relative: str, now: str) -> str:
    """Move a file to `memory/archive/YYYY/MM/`, by the date in its name, else by `now`, as `-2`, `-3`, … where the name
    is taken; returns where it is. Raises NotFound, OutsideWorkspace."""
    path = files.normalize_path(relative)
    if path.startswith(f"{ARCHIVE_FOLDER}/"):
        return path
    name = path.rpartition("/")[2]
    with files.hold_workspace_lock(root, files.path_lock_name(path)):
        folder = f"{ARCHIVE_FOLDER}/{_year_month_folder(name) or _year_month_folder(now)}"
        stem, dot, ending = name.rpartition(".") if "." in name[1:] else (name, "", "")
        names = (f"{stem}-{number}{dot}{ending}" if number > 1 else name for number in count(1))
        return next(target for one in names if files.move_file(root, path, target := f"{folder}/{one}"))


def describe_change(path: str, old_data: bytes, new_data: bytes, now: str) -> RecordedChange:
    """The whole lines in which two states of a file differ."""
    splice = diff_lines(old_data, new_data)
    try:
        before, after, encoding = splice.before.decode(), splice.after.decode(), "utf-8"
    except UnicodeDecodeError:
        before, after, encoding = splice.before.decode("latin-1"), splice.after.decode("latin-1"), "latin-1"
    digests = files.content_digest(old_data), files.content_digest(new_data)
    change_id = files.text_digest("\0".join((path, now, *digests)))[:CHANGE_ID_CHARS]
    return RecordedChange(change_id, now, path, *digests, splice.start, before, after, encoding)


def _apply_change(root: str, change: RecordedChange, new_data: bytes) -> bool:
    """Note the change, then make it; False, and nothing noted, if somebody was faster."""
    note = _change_path(change.id)
    files.write_sealed(root, note, encode_journal_line(structs.asdict(change)))
    try:
        if change.is_new:
            done = files.create_file(root, change.path, new_data)
        else:
            done = _replace_if_unchanged(root, change, new_data)
    except BaseException:
        if not _is_change_on_disk(root, change):
            files.remove_file(root, note)
        raise
    if not done:
        files.remove_file(root, note)
    return done


def _is_change_on_disk(root: str, change: RecordedChange) -> bool:
    """Whether the file says what a write made of it that failed after all; in doubt it does, and can be undone."""
    with suppress(CommonplaceError):
        return files.content_digest(files.read_file_if_exists(root, change.path) or b"") == change.digest_after
    return True


def _replace_if_unchanged(root: str, change: RecordedChange, new_data: bytes) -> bool:
    def look_again() -> None:
        data = files.read_file_if_exists(root, change.path)
        if data is None or files.content_digest(data) != change.digest_before:
            raise files.ConcurrentChange

    try:
        files.write_atomic(root, change.path, new_data, guard=look_again, expected_digest=change.digest_before)
    except files.ConcurrentChange:
        return False
    return True


def _change_path(change_id: str) -> str:
    return f"{CHANGES_FOLDER}/{change_id}.json"


def _year_month_folder(text: str) -> str:
    """`YYYY/MM` of the first date in a text; empty if there is none."""
    found = re.search(r"(?<!\d)(\d{4})-(0[1-9]|1[0-2])(?!\d)", text)
    return f"{found[1]}/{found[2]}" if found else ""
