"""What a client says over a descriptor, line by line, read by a thread of its own that answers the opening."""

from __future__ import annotations

import os
import select
import threading
from typing import TYPE_CHECKING

from commonplace.errors import CommonplaceError
from commonplace.stdio.hanging import is_hung_up
from commonplace.stdio.lines import Ends, Lines

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from commonplace.mcp_server.opening import Opening
    from commonplace.stdio.outbox import Outbox

PIECE = 65_536
MOST_LINE = 4 << 20  # bytes, as over HTTP
LOOK_S = 1.0  # how often a client that takes no answers is looked after
MOST_LOOKS = 5  # at one who has hung up and takes none, before no more of what he asked is heard
TOO_LONG = b"\n\xff"  # before what is known of a line that was too long: no line holds the one, no JSON the other


class Intake:
    """Answers the opening and passes on what follows; reads no more while the answers are not taken."""

    def __init__(self, source: int, outbox: Outbox, opening: Opening) -> None:
        self._source, self._outbox, self._opening = source, outbox, opening
        self._take: Callable[[bytes | None], bool] = lambda _line: False
        self._is_wanted = threading.Event()
        self._failure: BaseException | None = None
        threading.Thread(target=self._read, name="commonplace-mcp-input", daemon=True).start()

    @property
    def is_greeted(self) -> bool:
        """Whether the client's greeting was answered here."""
        return self._opening.is_greeted

    def pass_on(self, take: Callable[[bytes | None], bool]) -> None:
        """From now on give each line to this, which may wait; None at the end; False ends it earlier."""
        self._take = take
        self._is_wanted.set()

    def look(self) -> None:
        """Raises what ended the input before its end, once that was passed on as an end."""
        if self._failure is not None:
            raise self._failure

    def _read(self) -> None:
        try:
            self._hear()
        except OSError as error:
            self._failure = CommonplaceError(f"what the client says cannot be read: {error.strerror}")
        except BaseException as error:
            self._failure = error
            raise
        finally:
            self._passed([None])  # nobody waits for more, whatever happened

    def _hear(self) -> None:
        held: list[bytes] = []  # greeting and readiness: the SDK needs them with the first line that it must answer
        for line in self._lines():
            if not self._has_room():
                break
            if self._opening.is_open:
                answer, rest = self._opening.take(line)
                held.extend([rest] if rest else [])
                if answer:
                    self._outbox.put(answer)
            else:
                held.append(line)
            if not self._opening.is_open:
                if not self._passed(held):
                    return
                held.clear()
        self._passed(held)

    def _passed(self, lines: Sequence[bytes | None]) -> bool:
        self._is_wanted.wait()
        return all(self._take(line) for line in lines)

    def _has_room(self) -> bool:
        """Wait until the answers are taken; False where who has hung up takes none of them."""
        looks, before = 0, (-1, 0)
        while not self._outbox.has_room(LOOK_S):
            now = self._outbox.how_far()
            looks, before = looks + 1 if now == before else 0, now
            if looks >= MOST_LOOKS and is_hung_up(self._source):
                return False
        return True

    def _lines(self) -> Iterator[bytes]:
        """The lines without what ends them; of one that is too long, a sign and what stands outermost in it."""
        lines = Lines(MOST_LINE)
        while piece := self._piece():
            yield from _signed(lines.feed(piece))
        yield from _signed(lines.finish())

    def _piece(self) -> bytes:
        """What there is, once there is some, also where others have made the descriptor one that never waits."""
        poll = select.poll()
        poll.register(self._source, select.POLLIN)
        poll.poll()
        return os.read(self._source, PIECE)


def _signed(lines: Iterator[bytes | Ends]) -> Iterator[bytes]:
    return (line if isinstance(line, bytes) else TOO_LONG + line.outermost() for line in lines)
