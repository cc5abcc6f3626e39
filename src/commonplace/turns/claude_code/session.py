"""The hook events of Claude Code, the options, and the session and project in which a hook fires."""

from __future__ import annotations

import os
import shlex
from typing import TYPE_CHECKING, Literal

import msgspec
from msgspec import Struct

from commonplace.errors import BadArgument
from commonplace.storage import files

if TYPE_CHECKING:
    from commonplace.operations.parameters import HookCall
    from commonplace.shapes import Json
HOST = "claude-code"
# The operations that an event asks for, in this order: what is recalled must not be what was said just now.
EVENT_OPERATIONS: dict[str, tuple[str, ...]] = {
    "SessionStart": ("prompt",),
    "UserPromptSubmit": ("prompt", "turn"),
    "PostToolUse": ("turn",),
    "PostToolUseFailure": ("turn",),
    "PreCompact": ("turn",),
    "SubagentStop": ("turn",),
    "Stop": ("turn",),
    "StopFailure": ("turn",),
    "SessionEnd": ("turn",),
}
PROJECT_VARIABLE = "CLAUDE_PROJECT_DIR"
ENTRYPOINT_VARIABLE = "CLAUDE_CODE_ENTRYPOINT"
OPTION_VARIABLE_PREFIX = "CLAUDE_PLUGIN_OPTION_"  # before the name of an option that the plugin's user set


def render_hook_output(event_name: str, context: str) -> Json:
    """The output of the hook: the text for the model, if the event takes one. An empty object changes nothing."""
    if not context or "prompt" not in EVENT_OPERATIONS.get(event_name, ()):
        return {}
    return {"hookSpecificOutput": {"hookEventName": event_name, "additionalContext": context}}


OFF = "off"
SHARED_SCOPE = "shared"
PROJECT_SCOPE = "project"
HEADLESS_PREFIX = "sdk-"  # what the host calls the entry of programs: `sdk-cli` is `claude -p`
MAX_NAME_CHARS = 200
WORKTREE_PATH = "/.git/worktrees/"


class ClaudeCodeOptions(Struct, frozen=True):
    """The options of the hook; see `docs/guides/claude-code.md`."""

    scope: str = PROJECT_SCOPE
    headless: Literal["untrusted", "owner", "off"] = "untrusted"
    tools: Literal["keep", "off"] = "keep"
    consolidate: str = OFF
    budget_tokens: int | None = None
    start_tokens: int | None = None


class HookSession(Struct, frozen=True):
    """The event, the session, what the project is called (empty: shared), whether a program runs the session, a
    subagent's id (`agent`), and how the session started (`source`)."""

    event: str
    session: str
    scope: str
    is_headless: bool = False
    agent: str = ""
    source: str = ""
    entrypoint: str = ""


def parse_hook_options(raw_options: dict[str, object]) -> ClaudeCodeOptions:
    """The options as they were given; an empty one is not set. Raises BadArgument."""
    given = {name: value for name, value in raw_options.items() if value != ""}
    try:
        return msgspec.convert(given, ClaudeCodeOptions, strict=False)
    except msgspec.ValidationError as error:
        raise BadArgument(f"an option of the hook is off: {error}", hint="see docs/guides/claude-code.md") from None


def parse_hook_session(hook_call: HookCall) -> HookSession:
    """The session of a hook; fields that are missing or malformed are empty."""
    event, entrypoint = hook_call.event, read_text_field(hook_call.context, "entrypoint")
    folder = read_text_field(hook_call.context, "project") or read_text_field(event, "cwd")
    scope = parse_hook_options(hook_call.options).scope[:MAX_NAME_CHARS]
    if scope == PROJECT_SCOPE:
        scope = find_project_name(folder, read_text_field(hook_call.context, "home"))
    elif scope == SHARED_SCOPE:
        scope = ""
    names = ("hook_event_name", "session_id", "agent_id", "source")
    name, session, agent, source = (read_text_field(event, field) for field in names)
    return HookSession(name, session, scope, entrypoint.startswith(HEADLESS_PREFIX), agent, source, entrypoint)


# The host as a language model: without tools, for what is in a prompt was said by anybody; without hooks, and without
# a session that could be resumed.
MODEL_ARGUMENTS = ("-p", "--safe-mode", "--tools", "", "--no-session-persistence")


def build_consolidation_arguments(hook_call: HookCall) -> tuple[str, ...]:
    """The arguments of `consolidate` by the host's model; none if that is not wanted, or a program ran the session."""
    options, hook_session = parse_hook_options(hook_call.options), parse_hook_session(hook_call)
    by_program = hook_session.is_headless and options.headless != "owner"
    if options.consolidate == OFF or by_program or not hook_session.session:
        return ()
    return ("--ask", shlex.join((options.consolidate, *MODEL_ARGUMENTS)), "--session", hook_session.session)


def resolve_transcript_owner(hook_options: ClaudeCodeOptions) -> str:
    """The owner's name for the reader of transcripts: with one, prompts of programs are believed to be his."""
    return "owner" if hook_options.headless == "owner" else ""


def read_text_field(fields: dict[str, object], name: str) -> str:
    """A field that holds a text, short enough for a name or a path; empty for anything else."""
    value = fields.get(name)
    return value if isinstance(value, str) and len(value) <= 4_096 else ""


def find_project_name(folder: str, home: str = "") -> str:
    """The name of the project of a folder: that of the repository around it (of a worktree its own), else the folder's.
    The home folder and the root are not projects."""
    if not os.path.isabs(folder):
        return ""
    root = _find_repository(os.path.normpath(folder)) or os.path.normpath(folder)
    if root in ("/", os.path.normpath(home) if home else "/"):
        return ""
    return os.path.basename(root)[:MAX_NAME_CHARS]


def _find_repository(folder: str) -> str:
    while folder != "/":
        mark = os.path.join(folder, ".git")
        if os.path.isdir(mark):
            return folder
        if os.path.isfile(mark):
            found = files.read_file_if_exists(folder, ".git", MAX_NAME_CHARS * 32) or b""
            main, is_worktree, _ = found.decode("utf-8", "replace").removeprefix("gitdir: ").partition(WORKTREE_PATH)
            return main if is_worktree else folder
        folder = os.path.dirname(folder)
    return ""
