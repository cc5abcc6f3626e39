"""One event of a hook as lines of a transcript, so that the same reader, keys and funnel serve both."""

from __future__ import annotations

from io import BytesIO
from typing import TYPE_CHECKING, Any

import msgspec

from commonplace.imports.blocks import text_of
from commonplace.turns.claude_code.place import word

if TYPE_CHECKING:
    from commonplace.turns.claude_code.place import Options, Place

MOST_TEXT = 3_000_000  # bytes of a line; of what is longer the transcript has more to say
LATER = "left for the transcript"

Json = dict[str, Any]


def stream_of(event: Json, place: Place, options: Options) -> BytesIO | str:
    """The lines, or why there are none."""
    if place.event == "UserPromptSubmit":
        return _prompt(event, place)
    if place.event in ("PostToolUse", "PostToolUseFailure"):
        return _tool(event, place, options)
    return f"nothing is captured at {place.event!r}"


def _prompt(event: Json, place: Place) -> BytesIO | str:
    """A prompt; without the id that the transcript will give it, it could not be known again there, nor could a
    command, which stands there in other words."""
    said, prompt_id = event.get("prompt"), word(event, "prompt_id")
    if not isinstance(said, str) or not said.strip():
        return "nothing was said in words"
    if not prompt_id or said.lstrip().startswith("/"):
        return LATER
    line = {
        **_around(event, place),
        "type": "user",
        "promptId": prompt_id,
        "entrypoint": place.entrypoint,
        "promptSource": "sdk" if place.is_headless else "typed",
        "message": {"role": "user", "content": said},
    }
    return _lines(line)


def _tool(event: Json, place: Place, options: Options) -> BytesIO | str:
    """A call and its result, as the two lines that the transcript has for them."""
    if options.tools == "off":
        return "the option `tools` is `off`"
    tool, call = word(event, "tool_name"), word(event, "tool_use_id")
    if not tool or not call:
        return LATER
    around = _around(event, place)
    asked = {"type": "tool_use", "id": call, "name": tool, "input": event.get("tool_input")}
    failed = place.event == "PostToolUseFailure"
    told = text_of(event.get("error")) if failed else _text(event.get("tool_response"))
    result: Json = {"type": "tool_result", "tool_use_id": call, "content": told, "is_error": failed}
    if isinstance(event.get("duration_ms"), int | float):
        result["durationMs"] = event["duration_ms"]
    return _lines(
        {**around, "type": "assistant", "message": {"role": "assistant", "content": [asked]}},
        {**around, "type": "user", "message": {"role": "user", "content": [result]}},
    )


def _text(response: Any) -> str:
    """What a tool answered, as text: the outputs of a command, the content of a file, else as it is."""
    if isinstance(response, dict):
        outputs = [text_of(response.get(name)) for name in ("stdout", "stderr")]
        if any(outputs):
            return "\n".join(text for text in outputs if text)
        inner = response.get("file")
        found = text_of(inner) if isinstance(inner, dict) else text_of(response)
        if found:
            return found
    elif found := text_of(response):
        return found
    return msgspec.json.encode(response).decode() if response else ""


def _around(event: Json, place: Place) -> Json:
    """Where it happened, as each line of a transcript says it."""
    around: Json = {"sessionId": place.session, "cwd": word(event, "cwd")}
    return {**around, "agentId": place.agent, "isSidechain": True} if place.agent else around


def _lines(*lines: Json) -> BytesIO | str:
    written = [msgspec.json.encode(line) + b"\n" for line in lines]
    return LATER if max(map(len, written)) > MOST_TEXT else BytesIO(b"".join(written))
