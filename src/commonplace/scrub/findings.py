"""What a search for secrets finds, and what became of it; no value is ever part of it, only its placeholder."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

Store = Literal[
    "text",  # Markdown and other texts of the person
    "settings",  # commonplace.toml, skills and other files that programs read
    "name",  # the name of a file
    "journal",
    "receipt",
    "change",  # what an applied write replaced
    "artifact",
    "state",  # sessions, what was set aside, and whatever else lies below .memory
    "history",  # git
]


class Spot(Struct, frozen=True):
    """One place where a secret stands: `path` below the workspace, 1-based `line` (0: the name, or all of a file).

    `commit` names a commit that holds it, for one that stands in the history; a path that holds a secret itself is
    shown with its placeholder.
    """

    path: str
    line: int
    kind: str
    placeholder: str
    store: Store
    commit: str = ""

    @property
    def place(self) -> str:
        """The place as printed."""
        where = f"{self.commit}:{self.path}" if self.commit else self.path
        return f"{where}:{self.line}" if self.line else where


class Secret(Struct, frozen=True):
    """One secret wherever it stands, and whom to ask for another: it has been read, so it is no secret any more."""

    kind: str
    placeholder: str
    vendor: str
    url: str
    spots: tuple[Spot, ...]


class Scanned(Struct, frozen=True):
    """What was found, each secret once, and how much was looked at; `notes` say what was not."""

    found: tuple[Secret, ...]
    files: int = 0
    bytes: int = 0
    blobs: int = 0
    notes: tuple[str, ...] = ()

    @property
    def spots(self) -> tuple[Spot, ...]:
        """Every place, in the order of paths and lines, those of the history last."""
        spots = {spot for secret in self.found for spot in secret.spots}
        return tuple(sorted(spots, key=lambda spot: (spot.store == "history", spot.path, spot.line, spot.placeholder)))


class Replaced(Struct, frozen=True):
    """One file that is, or would be, written anew: how many secrets go, and a diff that shows none of them."""

    path: str
    count: int
    diff: str = ""


class Left(Struct, frozen=True):
    """A place that is not touched, and what a person can do about it."""

    spot: Spot
    hint: str


class Scrubbed(Struct, frozen=True):
    """What is, or would be, taken out, what stays, and what a person has to run."""

    replaced: tuple[Replaced, ...]
    left: tuple[Left, ...]
    found: tuple[Secret, ...]
    applied: bool = False
    commands: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
