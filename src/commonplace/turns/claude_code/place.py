"""Where a hook of Claude Code fires and who speaks there: read off its JSON, and what that means for memory."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Literal

import msgspec
from msgspec import Struct

from commonplace import files
from commonplace.errors import BadArgument

if TYPE_CHECKING:
    from commonplace.turns.nouns import Hooked

SHARED = "shared"
PROJECT = "project"
HEADLESS = "sdk-"  # what the host calls the entry of programs: `sdk-cli` is `claude -p`
MOST_NAME = 200
WORKTREE = "/.git/worktrees/"


class Options(Struct, frozen=True):
    """What the user chose; see `docs/guides/claude-code.md`."""

    scope: str = PROJECT
    headless: Literal["untrusted", "owner", "off"] = "untrusted"
    tools: Literal["keep", "off"] = "keep"
    budget_tokens: int | None = None
    start_tokens: int | None = None


class Place(Struct, frozen=True):
    """The event, the session, what the project is called (empty: shared), and whether a program runs the session.

    `agent` is a subagent's id. `source` says how a session started.
    """

    event: str
    session: str
    scope: str
    is_headless: bool = False
    agent: str = ""
    source: str = ""
    entrypoint: str = ""


def options_of(given: dict[str, object]) -> Options:
    """The options as they were given; an empty one is not set. Raises BadArgument."""
    try:
        return msgspec.convert({name: value for name, value in given.items() if value != ""}, Options, strict=False)
    except msgspec.ValidationError as error:
        raise BadArgument(f"an option of the hook is off: {error}", hint="see docs/guides/claude-code.md") from None


def place_of(hooked: Hooked) -> Place:
    """The place that a hook tells; what is missing or makes no sense in it is empty."""
    event, entrypoint = hooked.event, word(hooked.context, "entrypoint")
    folder = word(hooked.context, "project") or word(event, "cwd")
    return Place(
        event=word(event, "hook_event_name"),
        session=word(event, "session_id"),
        scope=_scope(options_of(hooked.options).scope, folder, word(hooked.context, "home")),
        is_headless=entrypoint.startswith(HEADLESS),
        agent=word(event, "agent_id"),
        source=word(event, "source"),
        entrypoint=entrypoint,
    )


def owner_of(options: Options) -> str:
    """The owner's name for the reader of transcripts: with one, prompts of programs are believed to be his."""
    return "owner" if options.headless == "owner" else ""


def word(found: dict[str, object], name: str) -> str:
    """A field that holds a text, short enough for a name or a path; empty for anything else."""
    value = found.get(name)
    return value if isinstance(value, str) and len(value) <= 4_096 else ""


def _scope(chosen: str, folder: str, home: str) -> str:
    if chosen == SHARED:
        return ""
    if chosen != PROJECT:
        return chosen[:MOST_NAME]
    return project_of(folder, home)


def project_of(folder: str, home: str = "") -> str:
    """The name of the project that a folder belongs to: of the repository around it, else its own; a worktree belongs
    to its repository. The home folder and the root are no project."""
    if not os.path.isabs(folder):
        return ""
    root = _repository(os.path.normpath(folder)) or os.path.normpath(folder)
    if root in ("/", os.path.normpath(home) if home else "/"):
        return ""
    return os.path.basename(root)[:MOST_NAME]


def _repository(folder: str) -> str:
    """The folder of the repository around a folder; empty if there is none."""
    while folder != "/":
        mark = os.path.join(folder, ".git")
        if os.path.isdir(mark):
            return folder
        if os.path.isfile(mark):
            found = files.find(folder, ".git", MOST_NAME * 32) or b""
            main, is_worktree, _ = found.decode("utf-8", "replace").removeprefix("gitdir: ").partition(WORKTREE)
            return main if is_worktree else folder
        folder = os.path.dirname(folder)
    return ""
