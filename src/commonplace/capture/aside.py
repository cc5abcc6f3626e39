"""What a stream holds and is no event: kept with its place and the reason, redacted, once however often it is read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec
from msgspec import Struct

from commonplace import files
from commonplace.capture.keys import Place, workspace_key
from commonplace.imports import SetAside, Source
from commonplace.imports.bounds import cut
from commonplace.imports.decoding import TORN
from commonplace.redact import redact

FOLDER = ".memory/set-aside"
LOCK = "set-aside"
PART_CHARS = 12
MOST_KEPT = 100_000  # lines of one source; of more only the number is told
PIECE = 1 << 20  # bytes


class Kept(Struct, frozen=True):
    """One line of a file of what was set aside."""

    source: str
    offset: int
    line: int
    reason: str
    sample: str

    @property
    def place(self) -> int:
        """What it is known by, under whatever name its source goes today."""
        return hash((self.offset, self.reason, self.sample))


class Aside:
    """What was set aside of one source; `path` is the file in which that is kept.

    The name of the file tells the identities of the source, its path and its inode: under either it is known again when
    the source was renamed, or written anew in its place.
    """

    def __init__(self, place: Place, source: Source) -> None:
        self._place, self._source = place, source
        self._parts = [_part(name) for name in source.identity or (source.name,)]
        self.path = f"{FOLDER}/{'-'.join(self._parts)}.jsonl"
        self._known: set[int] = set()
        self._read: dict[str, int] = {}  # how far, by name of a file

    def keep(self, found: Sequence[SetAside]) -> None:
        """Add those that are not there yet; they are on disk when this returns."""
        new = [self._kept(one) for one in found]
        with files.hold(self._place.root, LOCK):
            for name in files.sizes(self._place.root, FOLDER):
                if not set(name.removesuffix(".jsonl").split("-")).isdisjoint(self._parts):
                    self._known.update(kept.place for kept in self._more(name))
            left = {one.place: one for one in new if one.place not in self._known}
            lines = [msgspec.json.encode(one) for one in left.values()][: max(0, MOST_KEPT - len(self._known))]
            if lines:
                files.append_lines(self._place.root, self.path, lines)

    def _more(self, name: str) -> Iterator[Kept]:
        """What a file holds beyond what was read of it."""
        held = b""
        while piece := files.piece(self._place.root, f"{FOLDER}/{name}", self._read.get(name, 0), PIECE):
            self._read[name] = self._read.get(name, 0) + len(piece)
            *lines, held = (held + piece).split(b"\n")
            yield from (kept for line in lines if (kept := _decoded(line)))

    def _kept(self, one: SetAside) -> Kept:
        key, exact = workspace_key(self._place.root), self._place.exact
        said = cut(one.sample, len(one.sample) - 1) if one.reason == TORN else one.sample  # it may end in half a secret
        source, part, sample = (redact(text, key=key, exact=exact).text for text in (self._source.name, one.part, said))
        reason = f"{_encodable(part)}: {one.reason}" if part else one.reason
        return Kept(_encodable(source), one.offset, one.line, reason, _encodable(sample))


def _part(name: str) -> str:
    return files.digest(name.encode("utf-8", "surrogatepass"))[:PART_CHARS]


def _decoded(line: bytes) -> Kept | None:
    """What a line says; None for one that a crash left torn."""
    try:
        return msgspec.json.decode(line, type=Kept)
    except ValueError:
        return None


def _encodable(text: str) -> str:
    return text.encode("utf-8", "replace").decode()
