"""What is asked of a run on the stage, and what became of it: commands, the one call that goes wrong, the report."""

from __future__ import annotations

from typing import Any, Literal

from msgspec import Struct

Way = Literal["kill-before", "kill-after", "kill-half", "fail", "fail-half", "fail-on"]


class Trip(Struct, frozen=True):
    """The call that goes wrong: the `at`-th (from 0) of its name, for the order of all hangs on the clock a little.

    `kill-half` and `fail-half` let half of what is written through first; `fail-on` goes on failing: a full disk.
    """

    way: Way
    name: str
    at: int
    errno: int = 0


class Order(Struct, frozen=True):
    """Commands to be run one after the other in one process; with `look`, a report on the workspace instead."""

    root: str
    commands: tuple[tuple[str, ...], ...] = ()
    stdin: str = ""
    trip: Trip | None = None
    record: bool = False
    look: bool = False
    now: str = ""
    dies_after_s: float = 0.0  # killed from outside, wherever it is by then


class Outcome(Struct, frozen=True):
    """Exit codes by command (none if it died), what each printed, and what was called."""

    died: bool
    codes: tuple[int, ...] = ()
    out: tuple[str, ...] = ()
    err: str = ""
    calls: tuple[str, ...] = ()
    trace: tuple[tuple[Any, ...], ...] = ()
    report: Any = None
