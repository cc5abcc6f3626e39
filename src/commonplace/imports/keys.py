"""What tells one event from another, so that the same file twice adds nothing and a rotated one loses nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from commonplace.imports.nouns import Source, Told

if TYPE_CHECKING:
    from collections.abc import Callable

KEY_BYTES = 10
REMEMBERED = 1 << 16  # dated lines of one generation, two of which are kept to count lines that repeat
UUID_CHARACTERS = 36


class Keys:
    """The keys of a stream's events.

    An event that its source gave an id is known by format, session, id and content (a UUID needs no session: a host
    copies its messages into the session that goes on), and by each name that it has everywhere. A line that says when
    it happened is known by its bytes, and by how often it stood in the stream before; any other by each identity of its
    source and all that stands before it there. A stream without identity has no keys for such lines: each line of a
    pipe is a new event.
    """

    def __init__(self, format: str, source: Source) -> None:  # noqa: A002 - the word of the command
        from hashlib import blake2b  # loads OpenSSL, which no other command needs

        self._digest: Callable[[bytes], str] = lambda data: blake2b(data, digest_size=KEY_BYTES).hexdigest()
        self._before = blake2b(digest_size=KEY_BYTES)
        self._format, self._identity = format, source.identity
        self._counts: dict[str, int] = {}
        self._older: dict[str, int] = {}

    def passed(self, data: bytes) -> None:
        """These bytes lie behind us."""
        if self._identity:
            self._before.update(data)

    def before(self) -> str:
        """What stands for all that was passed."""
        return self._before.hexdigest() if self._identity else ""

    def of(self, told: list[Told], data: bytes, before: str | None = None) -> list[tuple[str, ...]]:
        """The keys of all that one stretch of the stream tells; `before` is what stood for all before it."""
        base: tuple[str, ...] | None = None
        keys = []
        for part, one in enumerate(told):
            if one.ids or one.names:
                keys.append((*self._own(one), *self._everywhere(one)))
                continue
            if base is None:
                base = (
                    self._dated(data) if one.dated else self._placed(data, self.before() if before is None else before)
                )
            keys.append(base if not part else tuple(self._digest(f"{key}#{part}".encode()) for key in base))
        return keys

    def _own(self, told: Told) -> tuple[str, ...]:
        fields = told.fields
        content = "\0".join(str(fields.get(name, "")) for name in ("actor", "type", "ts", "text"))
        digest = self._digest(content.encode("utf-8", "surrogatepass"))
        session = str(fields.get("session", ""))
        names = (f"{self._format}\0{'' if _is_uuid(one) else session}\0{one}\0{digest}" for one in told.ids)
        return tuple(self._digest(name.encode("utf-8", "surrogatepass")) for name in names)

    def _everywhere(self, told: Told) -> tuple[str, ...]:
        names = (f"{self._format}\0everywhere\0{name}" for name in told.names)
        return tuple(self._digest(name.encode("utf-8", "surrogatepass")) for name in names)

    def _dated(self, data: bytes) -> tuple[str, ...]:
        line = self._digest(data)
        before = self._counts.get(line, self._older.get(line, 0))
        if len(self._counts) >= REMEMBERED:
            self._counts, self._older = {}, self._counts
        self._counts[line] = before + 1
        return (line if not before else self._digest(f"{line}*{before}".encode()),)

    def _placed(self, data: bytes, before: str) -> tuple[str, ...]:
        line = self._digest(data)
        return tuple(
            self._digest(f"{who}\0{before}\0{line}".encode("utf-8", "surrogatepass")) for who in self._identity
        )


def _is_uuid(name: str) -> bool:
    return len(name) == UUID_CHARACTERS and name.count("-") == 4
