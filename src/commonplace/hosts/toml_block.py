"""Our part of a TOML file: one stretch between two marks, put at the end and taken out again; no other byte changes."""

from __future__ import annotations

import tomllib
from typing import Any

from commonplace.errors import BadHostFile
from commonplace.hosts.nouns import Step, Target

BEGIN = "# commonplace begin: managed by `commonplace install`, changes in here are lost"
END = "# commonplace end"
BOM = "\ufeff"  # which some editors write first, and Codex passes over


def block_of(table: str, values: dict[str, Any]) -> str:
    """A table with its values between the two marks; values are texts, numbers and lists of texts."""
    lines = (f"{key} = {_written(value)}" for key, value in values.items())
    return "\n".join((BEGIN, f"[{table}]", *lines, END)) + "\n"


def brought(text: str, target: Target, old: tuple[Step, ...] = ()) -> tuple[str, tuple[Step, ...]]:
    """The text with our block in it, and the step that leads there. Raises BadHostFile."""
    before = read(text, target.path)
    newline = "\r\n" if "\r\n" in text else "\n"
    block = target.block.replace("\n", newline)
    place = _place(text, old)
    if place is not None:
        start, end = place
        held = text[start:end]
        lead = held[: len(held) - len(held.lstrip("\r\n"))]
        new, said = text[:start] + lead + block + text[end:], lead + block
    else:
        _refuse_foreign(before, target)
        gap = "" if not text else newline if text.endswith("\n") else newline * 2
        new, said = text + gap + block, gap + block
    _check(before, new, target, is_in=True)
    return new, (Step("block", (), said),)


def taken_back(text: str, target: Target, steps: tuple[Step, ...]) -> tuple[str, tuple[str, ...]]:
    """The text without our block, and what was left. Raises BadHostFile."""
    before = read(text, target.path)
    place = _place(text, steps)
    if place is None:
        if _inner(before, target.table) is None:
            return text, ()
        return text, (f"[{target.table}] stands outside our marks, and is left as it is",)
    new = text[: place[0]] + text[place[1] :]
    _check(before, new, target, is_in=False)
    return new, ()


def read(text: str, path: str) -> dict[str, Any]:
    """The values of a TOML text. Raises BadHostFile."""
    try:
        return tomllib.loads(text.removeprefix(BOM))
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        hint = "nothing was changed; mend the file, then repeat"
        raise BadHostFile(f"{path!r} is not valid TOML: {error}", path=path, hint=hint) from None


def holds(text: str, target: Target) -> bool:
    """Whether the file says what our block says."""
    said, ours = read(text, target.path), tomllib.loads(target.block)
    return bool(_inner(said, target.table) == _inner(ours, target.table))


def _place(text: str, steps: tuple[Step, ...]) -> tuple[int, int] | None:
    """Where our block stands: as we wrote it, else from mark to mark; None if it is not there."""
    for step in steps:
        if step.kind == "block" and (at := text.rfind(step.value)) >= 0:
            return at, at + len(step.value)
    start = text.find(BEGIN)
    end = text.find(END, start)
    if start < 0 or end < 0 or (start and text[start - 1] != "\n"):
        return None
    newline = text.find("\n", end)
    return start, len(text) if newline < 0 else newline + 1


def _refuse_foreign(values: dict[str, Any], target: Target) -> None:
    if _inner(values, target.table) is not None:
        hint = f"take [{target.table}] out of it, then repeat"
        raise BadHostFile(f"{target.path!r} has a [{target.table}] that we did not write", path=target.path, hint=hint)


def _check(before: dict[str, Any], new: str, target: Target, *, is_in: bool) -> None:
    """Raise if anything but our table says something else than before: the block would fall into the wrong place.

    So it would where the tables of all servers are one value, `mcp_servers = {…}`: nothing can be added below it.
    """
    try:
        after = tomllib.loads(new.removeprefix(BOM))
    except tomllib.TOMLDecodeError:
        after = {}
    is_there = isinstance(_inner(after, target.table), dict)
    if (is_in and not is_there) or repr(_without(before, target.table)) != repr(_without(after, target.table)):
        hint = f"add [{target.table}] by hand: `commonplace install generic-mcp` prints its values"
        raise BadHostFile(f"{target.path!r} cannot be edited safely", path=target.path, hint=hint)


def _inner(values: dict[str, Any], table: str) -> Any:
    inner: Any = values
    for name in table.split("."):
        inner = inner.get(name) if isinstance(inner, dict) else None
    return inner


def _without(values: dict[str, Any], table: str) -> dict[str, Any]:
    """The values without a table, and without the tables above it where they are empty then."""
    name, _, rest = table.partition(".")
    left = dict(values)
    inner = left.pop(name, None)
    if rest and isinstance(inner, dict) and (kept := _without(inner, rest)):
        left[name] = kept
    return left


def _written(value: Any) -> str:
    if isinstance(value, list):
        return f"[{', '.join(_written(one) for one in value)}]"
    if isinstance(value, str):
        return '"' + "".join(_escaped(char) for char in value) + '"'
    return str(value).lower() if isinstance(value, bool) else str(value)


def _escaped(char: str) -> str:
    if char in '"\\':
        return f"\\{char}"
    return char if char.isprintable() else f"\\U{ord(char):08x}"
