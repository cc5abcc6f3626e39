"""Where the server is to be found over HTTP."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable


class Where(NamedTuple):
    """The port (0 takes any), the folder where the token lies, and who is told that it has begun."""

    port: int
    folder: str
    say: Callable[[str], None]
