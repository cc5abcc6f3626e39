"""Lines of a file as they stand on disk, with the records on them: from a hit to its surroundings."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from msgspec import structs

from commonplace.errors import BadArgument, NotFound
from commonplace.index import Index
from commonplace.model import Record, View
from commonplace.recall import citations

JOURNALS = ".memory/journal/"
ARTIFACTS = ".memory/artifacts/"  # where a text lies that is too long for a line of a journal
MOST_DIGITS = 18  # of two line numbers


def show(
    index: Index,
    read: Callable[[str], bytes],
    reference: str,
    *,
    earlier: Callable[[str], Iterable[str]] = lambda _path: (),
) -> View:
    """A record by id, or lines by `PATH`, `PATH#L12` or `PATH#L12-L15`; also of an artifact.

    A citation with an anchor (`PATH#L12~k3f9a…`) gives `citations.Resolved`: the lines that it means today. `earlier`
    are lines that stood in a file. Raises NotFound, BadArgument.
    """
    with index.snapshot():
        if citations.parse(reference) is None or index.find(reference) or reference in index.stamps():
            return _view(index, read, reference)
        found = citations.resolve(index, read, reference, earlier)
        return structs.replace(found, records=_inside(index, found.path, found.line_start, found.line_end))


def _view(index: Index, read: Callable[[str], bytes], reference: str) -> View:
    path, first, last = _meant(index, reference)
    captured = _captured(index, path, first, last) if path.startswith(JOURNALS) else ()
    if captured:  # a person reads what was said, not the line of JSON that keeps it
        start, end = captured[0].source.line_start, captured[-1].source.line_end
        return View(path, start, end, "\n".join(record.text for record in captured), captured)
    if path not in index.stamps() and not path.startswith(ARTIFACTS):
        raise NotFound("record or file", reference, _near(path, index))
    lines = read(path).decode("utf-8", "replace").removesuffix("\n").split("\n")
    last = min(last or len(lines), len(lines))
    if not 1 <= first <= last:
        raise BadArgument(f"{path!r} has {len(lines)} lines; {reference!r} asks for others")
    return View(path, first, last, "\n".join(lines[first - 1 : last]), _inside(index, path, first, last))


def _inside(index: Index, path: str, first: int, last: int) -> tuple[Record, ...]:
    rows = index.fetch(index.rows_of(path)).values()
    inside = [r.record for r in rows if r.record.source.line_start <= last and r.record.source.line_end >= first]
    return tuple(sorted(inside, key=lambda record: (record.source.line_start, record.source.byte_start, record.id)))


def _captured(index: Index, path: str, first: int, last: int) -> tuple[Record, ...]:
    rows = index.fetch(index.rows_of(path)).values()
    found = [row.record for row in rows if first <= row.record.source.line_start <= (last or first)]
    return tuple(sorted(found, key=lambda record: record.source.line_start))


def _meant(index: Index, reference: str) -> tuple[str, int, int]:
    """Path, first and last line; a last line of 0 is the end of the file."""
    found = index.find(reference)
    if found is not None:
        return found.source.path, found.source.line_start, found.source.line_end
    path, _, lines = reference.rpartition("#L")
    if not path or reference in index.stamps():
        return reference, 1, 0
    first, _, last = lines.partition("-")
    last = last.removeprefix("L") or first
    if not (first.isdecimal() and last.isdecimal() and len(first + last) <= MOST_DIGITS):
        raise BadArgument(f"cannot read the lines of {reference!r}", hint="say PATH#L12 or PATH#L12-L15")
    return path, int(first), int(last)


def _near(path: str, index: Index) -> tuple[str, ...]:
    import difflib

    return tuple(difflib.get_close_matches(path, [*index.stamps()], 2))
