"""A tool's call and its result become one event, in the order of the results; a call that stays alone is told last."""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from commonplace.imports.blocks import Call, Result
from commonplace.imports.bounds import bounded
from commonplace.imports.nouns import Fields, Spot, Told

MOST_WAITING = 512  # calls without a result
MOST_WAITING_SIZE = 4_000_000  # of their arguments, in characters


class Waiting(Struct):
    """A call, the event that it will be, and where it stands."""

    call: Call
    fields: Fields
    spot: Spot
    size: int


class Calls:
    """Calls that wait for their results; of too many the oldest is told without one."""

    def __init__(self) -> None:
        self._waiting: dict[str, Waiting] = {}
        self._size = 0

    def called(self, call: Call, fields: Fields, spot: Spot) -> list[Told]:
        """Take note of a call; what has to be told because of it."""
        call.arguments = bounded(call.arguments)
        waiting = Waiting(call, fields, spot, _size(call.arguments))
        if not call.id:
            return [unanswered(waiting)]
        told = [unanswered(self._taken(call.id))] if call.id in self._waiting else []
        self._waiting[call.id] = waiting
        self._size += waiting.size
        while len(self._waiting) > MOST_WAITING or self._size > MOST_WAITING_SIZE:
            told.append(unanswered(self._taken(next(iter(self._waiting)))))
        return told

    def answered(self, result: Result, fields: Fields) -> Told:
        """The event of a result, with what was asked if its call was seen."""
        call = self._taken(result.id).call if result.id in self._waiting else None
        return tool_event(call, result, fields)

    def left(self) -> list[Told]:
        """What still waits, in the order of the calls."""
        return [unanswered(self._taken(name)) for name in list(self._waiting)]

    def _taken(self, name: str) -> Waiting:
        waiting = self._waiting.pop(name)
        self._size -= waiting.size
        return waiting


def tool_event(call: Call | None, result: Result, fields: Fields) -> Told:
    """The event of a tool's result; `fields` are what else is known of it."""
    tool = result.tool or (call.tool if call else "")
    detail = {
        **fields.get("detail", {}),
        "tool": tool,
        "arguments": call.arguments if call else None,
        "exit_code": result.exit_code,
        "duration_ms": result.duration_ms,
        "call": result.id,
    }
    text = result.text if result.text.strip() else f"{tool or 'tool'}: (no output)"
    known = {name: value for name, value in detail.items() if name == "exit_code" or value not in (None, "")}
    event = {**fields, "type": "tool_result", "actor": "tool", "text": text, "detail": known}
    return Told(event, (result.id,) if result.id else (), dated="ts" in fields)


def unanswered(waiting: Waiting) -> Told:
    """The event of a call whose result never came."""
    call = waiting.call
    told = tool_event(call, Result(call.id, call.tool, f"{call.tool or 'tool'}: (no result)"), waiting.fields)
    told.spot = waiting.spot
    return told


def _size(arguments: Any) -> int:
    """How much room arguments take, nearly."""
    if isinstance(arguments, str):
        return len(arguments)
    if isinstance(arguments, dict):
        return sum(map(_size, arguments.values())) + 64 * len(arguments)
    return sum(map(_size, arguments)) if isinstance(arguments, list) else 16
