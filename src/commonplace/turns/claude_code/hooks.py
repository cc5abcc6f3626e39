"""The JSON of Claude Code's hooks: which event asks memory what, and how it is answered."""

from __future__ import annotations

from typing import Any

HOST = "claude-code"
# The operations that an event asks for, in this order: what is recalled must not be what was said just now.
ASKS: dict[str, tuple[str, ...]] = {
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
PROJECT = "CLAUDE_PROJECT_DIR"
ENTRYPOINT = "CLAUDE_CODE_ENTRYPOINT"
OPTION = "CLAUDE_PLUGIN_OPTION_"  # before the name of an option that the plugin's user set


def answer(event: str, context: str) -> dict[str, Any]:
    """What the hook prints: the text for the model, if the event takes one. An empty object changes nothing."""
    if not context or "prompt" not in ASKS.get(event, ()):
        return {}
    return {"hookSpecificOutput": {"hookEventName": event, "additionalContext": context}}
