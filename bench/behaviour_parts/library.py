"""What `Memory` takes and gives in Python: its methods with their parameters, and values with their fields."""

from __future__ import annotations

import inspect
import os
from collections.abc import Iterator
from typing import Any

import msgspec

from bench.behaviour_parts.asking import NOW, Desk, Json, read
from bench.behaviour_parts.scripts import GOLDEN, MEM0, NOTEBOOK
from commonplace import CommonplaceError, Memory

QUESTION = "where is Peter for the birthday?"
CALLS: tuple[tuple[str, tuple[Any, ...], Json], ...] = (
    ("sync", (), {}),
    ("scan", (), {"history": False}),
    ("scrub", (), {}),
    ("recall", (QUESTION,), {"k": 2}),
    ("recall", (QUESTION,), {"k": 1, "history": True, "entities": ("Pete",), "evidence": "none"}),
    ("explain", (QUESTION,), {}),
    ("pack", (QUESTION,), {"budget_tokens": 200}),
    ("core", (), {"budget_tokens": 100}),
    ("context_pack", (QUESTION,), {"budget_tokens": 200}),
    ("receipt", (), {}),
    ("why_not", (QUESTION, "memory/semantic/contacts.md#L5"), {}),
    ("why_not", (QUESTION, "memory/semantic/contacts.md#L5"), {"budget_tokens": 60}),
    ("show", ("memory/2025-11-27.md#L8",), {}),
    ("cite", ("memory/2025-11-27.md#L8",), {}),
    ("entity", ("Pete",), {}),
    ("entities", (), {}),
    ("timeline", (), {"since": "2025-11-20"}),
    ("tags", (), {}),
    ("tagged", ("people",), {}),
    ("golden", (), {}),
    ("retain", ("W @Ana: Plays the cello.",), {"importance": 0.7}),
    ("log", ("Called Ana.",), {}),
    ("capture", ("My sister Ana moved to Bern.",), {"session": "s1", "keys": ("m1",)}),
    ("consolidate", (), {"owner": "Peter"}),
    ("consolidate", (), {"owner": "Peter", "apply": True}),
    ("pending", (), {}),
    ("audit", (), {}),
    ("undo", ("last",), {}),
    ("session_start", ("chat",), {"goal": "Move", "plan": ("stop", "move")}),
    ("session_step", ("chat",), {"observations": ("It stopped.",), "done": (1,), "facts": {"port": "6432"}}),
    ("session_show", ("chat",), {}),
    ("sessions", (), {}),
    ("buffer_add", ("The data moves by dump.",), {"kind": "decision"}),
    ("buffer_rotate", (), {}),
    ("resume", (), {"session": "chat"}),
    ("session_done", ("chat",), {}),
    ("skills", (), {}),
    ("match_skills", ("publish",), {}),
    ("learnings", (), {}),
    ("import_from", ("mem0.json",), {"mine": True}),
    ("status", (), {}),
    ("check", (), {}),
    ("dump", (), {}),
    ("rebuild", (), {}),
    ("recall", ("",), {"k": 0}),
    ("show", ("../x",), {}),
    ("undo", ("nothing",), {}),
)


def run(desk: Desk, quick: bool) -> Iterator[tuple[str, Any]]:
    """The methods, and what calls of them give; both modes ask the same."""
    for name, method in inspect.getmembers(Memory, callable):
        if not name.startswith("_"):
            yield f"Memory.{name}", _parameters(method)
    files = {**NOTEBOOK, "memory/golden.md": GOLDEN, "mem0.json": msgspec.json.encode(MEM0).decode()}
    root = desk.workspace("library", files)
    before = dict(os.environ)
    os.environ.update(desk.environment(PATH=before["PATH"]))
    try:
        with Memory.open(root) as memory:
            for number, (name, given, named) in enumerate(CALLS):
                at = {"now": NOW} if "now" in inspect.signature(getattr(memory, name)).parameters else {}
                if name == "import_from":
                    given = (str(root / given[0]),)
                yield f"{number} {name}", read(desk.plain(_given(memory, name, given, named | at)))
    finally:
        os.environ.clear()
        os.environ.update(before)


def _given(memory: Memory, name: str, given: tuple[Any, ...], named: Json) -> str:
    try:
        found = getattr(memory, name)(*given, **named)
    except CommonplaceError as error:
        found = {"error": type(error).__name__, "code": error.code, "exit": error.exit_code}
    return msgspec.json.encode(_plain(found), enc_hook=_named).decode()


def _plain(value: Any) -> Any:
    """Lists, and fields by their names."""
    if isinstance(value, list | tuple) and not hasattr(value, "_fields"):
        return [_plain(one) for one in value]
    if hasattr(value, "_fields"):
        return {name: _plain(getattr(value, name)) for name in value._fields}
    if isinstance(value, dict):
        return {str(key): _plain(one) for key, one in value.items()}
    fields = getattr(value, "__struct_fields__", None)
    return {name: _plain(getattr(value, name)) for name in fields} if fields else value


def _named(value: Any) -> Any:
    return type(value).__name__


def _parameters(method: Any) -> list[list[str]]:
    """Names, how they are given, and what stands for what is left out."""
    told = inspect.signature(method).parameters.values()
    return [[one.name, one.kind.name, "" if one.default is one.empty else repr(one.default)] for one in told]
