"""The one writer of Markdown: conditional updates that never overwrite somebody else's change, undo, archive."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import count

import msgspec
from msgspec import Struct, structs

from commonplace import files, journal
from commonplace.errors import CommonplaceError, NotFound, WriteConflict
from commonplace.workspace.edits import Splice, diff, revert

CHANGES = ".memory/changes"
ARCHIVE = "memory/archive"
ATTEMPTS = 20
ID_CHARS = 16

Edit = Callable[[bytes], bytes | None]


class Written(Struct, frozen=True):
    """What became of a file: digests before and after, its size, and the change to undo (empty if nothing changed)."""

    path: str
    digest_before: str
    digest_after: str
    size: int
    change_id: str = ""


class Applied(Struct, frozen=True):
    """One applied write: at byte `offset` the whole lines `before` were replaced by the whole lines `after`.

    The two are text in `encoding`: UTF-8, or Latin-1 where they are not valid UTF-8. `is_new`: no file was there.
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


def update(
    root: str, relative: str, edit: Edit, *, expect: str | None = None, now: str = "", attempts: int = ATTEMPTS
) -> Written:
    """Replace a Markdown file (a missing one: empty) by `edit` of its bytes, atomically, keeping its mode.

    What `edit` makes None of goes, unless it is saved anew at the same moment.
    What somebody else changes meanwhile, with or without our lock, is read and edited anew. `expect` is the digest
    that the caller read, `now` the time to be noted with the change. Raises WriteConflict if the file has another
    digest, or never holds still; OutsideWorkspace for a link and whatever is not a plain file in the workspace.
    """
    path = files.normal(relative)
    with files.hold(root, files.lock_name(path)), files.doing(root):
        for _attempt in range(attempts):
            there = files.find(root, path)
            old = there or b""
            before = files.digest(old)
            if expect is not None and before != expect:
                raise WriteConflict(path)
            edited = edit(old)
            new = edited or b""
            if new == old:
                return Written(path, before, before, len(old))
            change = structs.replace(compare(path, old, new, now), is_new=there is None)
            if _apply(root, change, new):
                if edited is None:
                    files.remove_empty(root, path)
                return Written(path, before, change.digest_after, len(new), change.id)
    raise WriteConflict(path, f"it changed {attempts} times while it was written")


def undo(root: str, change_id: str, *, now: str = "") -> Written:
    """Put back what a change replaced, if the file is still as the change left it. Raises NotFound, WriteConflict.

    A file that the change created goes.
    """
    change = find_change(root, change_id)
    splice = Splice(change.offset, change.before.encode(change.encoding), change.after.encode(change.encoding))

    def put_back(data: bytes) -> bytes | None:
        restored = revert(data, splice)
        if files.digest(restored) != change.digest_before:
            raise WriteConflict(change.path, f"change {change_id!r} does not fit it")
        return without(restored, change)

    return update(root, change.path, put_back, expect=change.digest_after, now=now)


def without(data: bytes, change: Applied) -> bytes | None:
    """What is left of a file once a change is taken out of it: None where that made it and nothing else is in it."""
    return data or (None if change.is_new else data)


def find_change(root: str, change_id: str) -> Applied:
    """What was noted of an applied change. Raises NotFound."""
    line = (files.find(root, _change_path(change_id)) if change_id.isalnum() else None) or b""
    try:
        if journal.is_sealed(line):
            return msgspec.json.decode(line, type=Applied)
    except msgspec.DecodeError as error:
        raise NotFound("change", change_id) from error
    raise NotFound("change", change_id)


def archive(root: str, relative: str, now: str) -> str:
    """Move a file to `memory/archive/YYYY/MM/`, by the date in its name, else by `now`; returns where it is.

    Nothing is overwritten: a name that is taken gets `-2`, `-3`, … Raises NotFound, OutsideWorkspace.
    """
    path = files.normal(relative)
    if path.startswith(f"{ARCHIVE}/"):
        return path
    name = path.rpartition("/")[2]
    with files.hold(root, files.lock_name(path)):
        targets = _targets(f"{ARCHIVE}/{_month(name) or _month(now)}", name)
        return next(target for target in targets if files.move(root, path, target))


def compare(path: str, old: bytes, new: bytes, now: str) -> Applied:
    """The whole lines in which two states of a file differ."""
    splice = diff(old, new)
    encoding = "utf-8" if _is_text(splice.before) and _is_text(splice.after) else "latin-1"
    before, after = splice.before.decode(encoding), splice.after.decode(encoding)
    digests = files.digest(old), files.digest(new)
    change_id = files.digest("\0".join((path, now, *digests)).encode("utf-8", "surrogatepass"))[:ID_CHARS]
    return Applied(change_id, now, path, *digests, splice.start, before, after, encoding)


def _apply(root: str, change: Applied, new: bytes) -> bool:
    """Note the change, then make it; False, and nothing noted, if somebody was faster."""
    note = _change_path(change.id)
    files.write_sealed(root, note, journal.encode(structs.asdict(change)))
    try:
        done = files.create(root, change.path, new) if change.is_new else _replace(root, change, new)
    except BaseException:
        if not _is_made(root, change):
            files.remove(root, note)
        raise
    if not done:
        files.remove(root, note)
    return done


def _is_made(root: str, change: Applied) -> bool:
    """Whether the file says what a write made of it that failed after all; in doubt it does, and can be undone."""
    with suppress(CommonplaceError):
        return files.digest(files.find(root, change.path) or b"") == change.digest_after
    return True


def _replace(root: str, change: Applied, new: bytes) -> bool:
    def look_again() -> None:
        data = files.find(root, change.path)
        if data is None or files.digest(data) != change.digest_before:
            raise files.MovedOn

    try:
        files.write_atomic(root, change.path, new, guard=look_again, believed=change.digest_before)
    except files.MovedOn:
        return False
    return True


def _change_path(change_id: str) -> str:
    return f"{CHANGES}/{change_id}.json"


def _is_text(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def _month(text: str) -> str:
    """`YYYY/MM` of the first date in a text; empty if there is none."""
    found = re.search(r"(?<!\d)(\d{4})-(0[1-9]|1[0-2])(?!\d)", text)
    return f"{found[1]}/{found[2]}" if found else ""


def _targets(folder: str, name: str) -> Iterator[str]:
    stem, dot, ending = name.rpartition(".") if "." in name[1:] else (name, "", "")
    yield f"{folder}/{name}"
    for number in count(2):
        yield f"{folder}/{stem}-{number}{dot}{ending}"
