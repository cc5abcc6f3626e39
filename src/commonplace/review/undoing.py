"""Take back an applied write, as long as the lines that it touched are as it left them; else say what stands there."""

from __future__ import annotations

from difflib import SequenceMatcher, unified_diff

from commonplace import files
from commonplace.errors import WriteConflict
from commonplace.review.audit import changes
from commonplace.text import one_line
from commonplace.workspace.write import Applied, Written, find_change, update, without

MOST_SHOWN = 3  # lines that a message shows


def undo(root: str, change_id: str, *, now: str = "") -> Written:
    """Put back what a change replaced, wherever in its file the lines stand now. Raises NotFound, and WriteConflict
    if they changed since; then nothing is written, nor where it was put back before.

    A file that the change created goes, if nothing else is in it.
    """
    change = find_change(root, change_id)
    try:
        return update(root, change.path, lambda data: without(reverted(data, change), change), now=now)
    except WriteConflict:
        if _was_undone(root, change):
            return update(root, change.path, lambda data: data, now=now)
        raise


def reverted(data: bytes, change: Applied) -> bytes:
    """The file as if the change had not been; what changed elsewhere in it stays. Raises WriteConflict."""
    before, after = change.before.encode(change.encoding), change.after.encode(change.encoding)
    if files.digest(data) == change.digest_before:
        return data  # it is as if the change had not been
    same = files.digest(data) == change.digest_after
    places = [change.offset] if same else _places(data, after)
    if len(places) != 1:
        raise _touched(data, change)
    return data[: places[0]] + before + data[places[0] + len(after) :]


def difference(root: str, change_id: str) -> tuple[str, ...]:
    """What the lines of a change were when it left them (`-`), and what stands there now (`+`). Raises NotFound."""
    change = find_change(root, change_id)
    return _difference(files.find(root, change.path) or b"", change)


def _was_undone(root: str, change: Applied) -> bool:
    """Whether a later change put back what this one replaced, and its lines did not come again since."""
    data = files.find(root, change.path) or b""
    back = (change.path, change.after, change.before)
    is_gone = bool(change.after) and not _places(data, change.after.encode(change.encoding))
    return is_gone and any((one.path, one.before, one.after) == back for one in changes(root))


def _places(data: bytes, lines: bytes) -> list[int]:
    """Where these whole lines stand; lines that are gone stand nowhere."""
    found: list[int] = []
    at = data.find(lines) if lines else -1
    while at >= 0:
        end = at + len(lines)
        begins, ends = data[at - 1 : at] in (b"", b"\n"), lines.endswith(b"\n") or data[end : end + 1] in (b"", b"\n")
        if begins and ends:
            found.append(at)
        at = data.find(lines, at + 1)
    return found


def _touched(data: bytes, change: Applied) -> WriteConflict:
    error = WriteConflict(change.path, f"the lines of change {change.id!r} are not as it left them")
    now = [one_line(line[1:]) for line in _difference(data, change) if line.startswith("+")]
    shown = " / ".join(now[:MOST_SHOWN]) + (" / …" if len(now) > MOST_SHOWN else "")
    error.hint = f"there stands now: {shown}" if shown else "its lines are gone, or lines stand in their place"
    return error


def _difference(data: bytes, change: Applied) -> tuple[str, ...]:
    left, now = change.after.split("\n"), data.decode(change.encoding, "replace").split("\n")
    start = data[: change.offset].count(b"\n")
    blocks = SequenceMatcher(None, left, now, autojunk=False).get_matching_blocks()
    same = next((one for one in blocks if any(line.strip() for line in left[one.a : one.a + one.size])), None)
    if same is not None:  # else where they stood
        start = max(same.b - same.a, 0)
    region = now[start : start + len(left)]
    return tuple(line for line in unified_diff(left, region, lineterm="", n=1) if not line.startswith(("---", "+++")))
