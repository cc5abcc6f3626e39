"""The files of a workspace as a person sees and edits them: listed, read by lines, changed by lines."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence, Set
from itertools import groupby

from msgspec import Struct

from commonplace import capture
from commonplace.errors import BadArgument, NotFound, WriteConflict, closest_names
from commonplace.index import FileRow, Index
from commonplace.memory.open_workspace import OpenWorkspace, require_result_count
from commonplace.memory.upkeep import require_not_forgotten_or_hidden
from commonplace.model import Problem, Record, Role, View
from commonplace.operations import parameters
from commonplace.retrieval import recall
from commonplace.storage import files
from commonplace.storage import workspace as markdown
from commonplace.upkeep import consolidate

OWNER_ID_CHARS, ACT_KEY_CHARS = 14, 12


class FileSummary(Struct, frozen=True):
    """A file of the workspace: its size in bytes, and how many records and problems it has."""

    path: str
    title: str
    role: Role
    records: int
    size: int
    problems: int


class FileLines(Struct, frozen=True):
    """Lines of a file, the digest of the whole file and the number of its lines; the numbers of those that are hidden,
    in place of which other words are shown."""

    path: str
    title: str
    digest: str
    line_count: int
    view: View
    hidden: tuple[int, ...]
    problems: tuple[Problem, ...]


class FileEdit(Struct, frozen=True):
    """An edited file: the change to undo (empty if nothing changed), and the kinds of secrets that were masked."""

    path: str
    change_id: str
    redacted: tuple[str, ...]


def list_files(workspace: OpenWorkspace, request: parameters.FilesRequest) -> tuple[FileSummary, ...]:
    """The files by path, with their sizes and the numbers of their records and problems."""
    index, wanted = workspace.synced_index(), request.contains.casefold()
    rows = [one for one in index.files().values() if wanted in f"{one.path}\n{one.title}".casefold()]
    problems = Counter(problem.path for problem in index.problems())
    return tuple(
        FileSummary(one.path, one.title, one.role, one.record_count, one.stamp[0], problems[one.path])
        for one in rows[request.skip : request.skip + require_result_count(request.at_most)]
    )


def read_lines(workspace: OpenWorkspace, request: parameters.ReadFileRequest) -> FileLines:
    """Lines of a file as they are on disk, with the digest that `edit_file` wants. Raises NotFound, BadArgument."""
    index, path = workspace.synced_index(), request.path
    with index.snapshot():
        row, data = _find_file(index, path), workspace.sync_source().read(path)
        view = recall.view_lines(index, path, data, (request.line_start, request.line_end))
        hidden = sorted(one for one in recall.hidden_lines(index, path) if view.line_start <= one <= view.line_end)
        problems = tuple(problem for problem in index.problems() if problem.path == path)
    line_count = len(recall.split_lines(data))
    return FileLines(path, row.title, files.content_digest(data), line_count, view, tuple(hidden), problems)


def edit_lines(workspace: OpenWorkspace, request: parameters.EditFileRequest) -> FileEdit:
    """Replace lines of a file that is still as it was read, with secrets masked; the change stands in `audit`, and can
    be undone. Raises WriteConflict where the file is another one by now, NotFound, and BadArgument for lines that are
    not there, hidden or not UTF-8, and for what is forgotten."""
    workspace.finish_interrupted()
    index, path = workspace.synced_index(), request.path
    context = workspace.write_context(request.now, f"edit_file {request.actor} {request.digest[:ACT_KEY_CHARS]}")
    _find_file(index, path)
    redacted: dict[str, None] = {}

    def replace_lines(data: bytes) -> bytes:
        if files.content_digest(data) != request.digest:
            raise WriteConflict(path, line=request.line_start)
        page, lines = markdown.read_page(path, data), recall.split_lines(data)
        first, last = request.line_start, request.line_end or len(lines)
        if not 1 <= first <= last <= len(lines):
            raise BadArgument(f"{path!r} has {len(lines)} lines; those from {first} to {last} are others")
        if not recall.hidden_lines(index, path).isdisjoint(range(first, last + 1)):
            raise BadArgument("some of these lines are hidden by `forget`", hint="edit the lines before and after them")
        source = page.source(first - 1, last - 1)
        if "\ufffd" in data[source.byte_start : source.byte_end].decode("utf-8", "replace"):
            raise BadArgument(f"{path!r} has bytes that are not UTF-8", hint="save it as UTF-8 with an editor first")
        written = _mask_new_lines(context, request.text, lines[first - 1 : last], redacted)
        edited = markdown.change_lines(data, [(source, written or None)])
        new = _read_new_records(path, data, edited)
        require_not_forgotten_or_hidden(workspace, [one.text for one in new])
        known = {one.text for one in markdown.parse_document(path, data).records}
        if request.actor == "owner" and (signed := _give_to_owner(index, edited, known, new)) != edited:
            edited, new = signed, _read_new_records(path, data, signed)
        trust = capture.TRUST_BY_ACTOR[request.actor]
        entries = [
            capture.origin_entry(context, one, "", actor=request.actor, trust=trust)
            for one in new
            if one.text not in known and one.form != "heading"
        ]
        workspace.sync_source().journal.append_all(entries, "ledger")
        return edited

    done = markdown.update_file(workspace.root, path, replace_lines, now=context.now, act=context.act)
    workspace.index_after_write(now=request.now)
    return FileEdit(path, done.change_id, tuple(redacted))


def _find_file(index: Index, path: str) -> FileRow:
    row = index.files().get(path)
    if row is None:
        folder, _slash, name = path.rpartition("/")
        near = [one for one in index.files() if folder == one.rpartition("/")[0] or name == one.rpartition("/")[2]]
        raise NotFound("file", path, closest_names(path, near, 2))
    return row


def _mask_new_lines(context: capture.WriteContext, text: str, old_lines: list[str], redacted: dict[str, None]) -> str:
    """The text with the secrets masked that stand on other lines than before; notes their kinds."""
    known, pieces = {line.rstrip("\r") for line in old_lines}, []
    for is_known, run in groupby(text.replace("\r\n", "\n").split("\n"), known.__contains__):
        piece = "\n".join(run)
        if not is_known:
            masked = capture.mask_text(context, piece)
            redacted.update(dict.fromkeys(finding.kind for finding in masked.findings))
            piece = masked.text
        pieces.append(piece)
    return "\n".join(pieces)


def _give_to_owner(index: Index, data: bytes, known_texts: Set[str], records: Sequence[Record]) -> bytes:
    """The file in which those of the records that were not trusted before they were reworded (their texts are not
    known) are the owner's: each has another id, because the ledger has the trust of the old one, and no `origin`."""
    changes = []
    for record in records:
        before = index.find(record.id) if record.annotated and record.text not in known_texts else None
        if before is not None and before.trust != "trusted":
            written = data[record.source.byte_start : record.source.byte_end].decode()
            new_id = f"p{files.text_digest(f'{record.id} {record.text}')[:OWNER_ID_CHARS]}"
            written = consolidate.replace_annotation_value(written, "id", new_id)
            changes.append((record.source, consolidate.replace_annotation_value(written, "origin", "")))
    return markdown.change_lines(data, changes)


def _read_new_records(path: str, old_data: bytes, new_data: bytes) -> list[Record]:
    """The records that an edit writes."""
    splice = markdown.diff_lines(old_data, new_data)
    end = splice.start + len(splice.after)
    records = markdown.parse_document(path, new_data).records if splice.after else ()
    return [one for one in records if one.source.byte_start < end and one.source.byte_end > splice.start]
