"""What a process that died left undone is brought to its end at the next start: each room knows its own notes."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from commonplace.capture import Place
    from commonplace.scrub import Eye


def finish(place: Place, eye: Callable[[], Eye], note: bytes) -> bool:
    """Do what a note says was begun, if it is whole; what is no room's note is nobody's.

    True if the index holds now what the files do not hold any more.
    """
    from commonplace import capture, scrub, sessions, skills
    from commonplace.review import queue

    capture.finish(place.root, note)
    sessions.finish(place, note)
    queue.finish(place.root, note)
    skills.finish(place.root, note)
    return scrub.finish(eye, note)
