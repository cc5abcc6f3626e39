"""Write the values of an installation into a JSON or TOML text, record the steps, and undo them."""

from __future__ import annotations

import json
import tomllib
from typing import Any

from msgspec import structs

from commonplace.bridges.hosts import json5
from commonplace.bridges.hosts.plans import ConfigStep, ConfigTarget, ConfigValue, Pointer
from commonplace.errors import BadHostFile

EMPTY_OBJECT = "{\n}\n"  # what a file that is not there, or is blank, begins as
INCLUDE_KEY = "$include"
_EMPTY_CONTAINERS = ("{}", "[]")


def write_json_values(
    text: str, target: ConfigTarget, old_steps: tuple[ConfigStep, ...] = ()
) -> tuple[str, tuple[ConfigStep, ...]]:
    """The text with all requested values, and the steps that lead to it; `old_steps` are those of earlier
    installations.

    What earlier steps did and nobody wants any more is undone. Raises BadHostFile.
    """
    if not text.strip():
        text, old_steps = text + EMPTY_OBJECT, (ConfigStep("filled", (), before=text), *old_steps)
    json5.parse_json5(text, target.path)
    put = (step for step in old_steps if step.kind in ("put", "added"))
    needed = {_step_key("added" if want.is_list_element else "put", want.pointer, want.value) for want in target.values}
    over = tuple(step for step in put if _step_key(step.kind, step.pointer, step.value) not in needed)
    steps = tuple(step for step in old_steps if step not in over)
    if over:
        text, _notes = undo_json_steps(text, target, (*(step for step in steps if step.kind == "made"), *over), ())
    for want in target.values:
        text, new = _write_json_value(text, want, target.path)
        steps = _join_steps(steps, new)
    return text, steps


def undo_json_steps(
    text: str, target: ConfigTarget, steps: tuple[ConfigStep, ...], owned: tuple[Pointer, ...]
) -> tuple[str, tuple[str, ...]]:
    """The text without what the steps did, and what was left because somebody changed it since. Raises BadHostFile."""
    json5.parse_json5(text, target.path)
    ours = tuple(step.pointer for step in steps if step.kind == "made" and step.pointer in owned)
    notes: list[str] = []
    for step in reversed(steps):
        if step.kind in ("put", "added") and any(step.pointer[: len(one)] == one for one in ours):
            continue  # goes with the object that is ours altogether
        new = _undo_json_step(text, step, is_owned=step.pointer in ours)
        if new is None:
            notes.append(f"{'.'.join(step.pointer)} was changed since then, and is not touched")
        text = text if new is None else new
    return text, tuple(notes)


def has_json_value(json_value: Any, wanted_value: ConfigValue) -> bool:
    """Whether the values of a file contain the requested one."""
    there = find_value(json_value, *wanted_value.pointer)
    if not wanted_value.is_list_element:
        return is_same_json(there, wanted_value.value)
    return wanted_value.if_list_exists if there is None else isinstance(there, list) and wanted_value.value in there


def find_value(json_value: Any, *pointer: str) -> Any:
    """The value at the end of these keys; None if there is none."""
    for key in pointer:
        json_value = json_value.get(key) if isinstance(json_value, dict) else None
    return json_value


def is_same_json(left: Any, right: Any) -> bool:
    """Whether two values are written alike; `true` and `1` are not."""
    return json.dumps(left, sort_keys=True) == json.dumps(right, sort_keys=True)


def _write_json_value(text: str, wanted_value: ConfigValue, path: str) -> tuple[str, tuple[ConfigStep, ...]]:
    root = json5.parse_json5(text, path)
    containers = wanted_value.pointer if wanted_value.is_list_element else wanted_value.pointer[:-1]
    way = json5.list_nodes_on_path(root, containers)
    _refuse_unsuitable_nodes(way, wanted_value, text, path)
    there = len(way) - 1
    was_empty = ConfigStep("filled", containers[:there], before=text[way[-1].start : way[-1].end])
    filled = () if way[-1].items else (was_empty,)
    did = ConfigStep("added" if wanted_value.is_list_element else "put", wanted_value.pointer, wanted_value.value)
    if there < len(containers):
        if wanted_value.if_list_exists:
            return text, ()
        made = tuple(ConfigStep("made", containers[:depth]) for depth in range(there + 1, len(containers) + 1))
        value = wanted_value.value
        nested = [value] if wanted_value.is_list_element else {wanted_value.pointer[-1]: value}
        for key in reversed(containers[there + 1 :]):
            nested = {key: nested}
        return json5.insert_item(text, way[-1], containers[there], nested), (*filled, *made, did)
    if wanted_value.is_list_element:
        is_there = json5.find_position(way[-1], "", wanted_value.value) >= 0
        return (text, ()) if is_there else (json5.insert_item(text, way[-1], "", wanted_value.value), (*filled, did))
    leaf = way[-1].member(wanted_value.pointer[-1])
    if leaf is None:
        return json5.insert_item(text, way[-1], wanted_value.pointer[-1], wanted_value.value), (*filled, did)
    if is_same_json(leaf.value(), wanted_value.value):
        return text, ()
    return json5.replace_node(text, leaf, json5.render_value(text, leaf, wanted_value.value)), (
        ConfigStep("put", wanted_value.pointer, wanted_value.value, text[leaf.start : leaf.end]),
    )


def _refuse_unsuitable_nodes(node_path: list[json5.Json5Node], wanted_value: ConfigValue, text: str, path: str) -> None:
    """Raise where a value on the way is not what we can put something into."""
    for depth, node in enumerate(node_path):
        wanted = "array" if wanted_value.is_list_element and depth == len(wanted_value.pointer) else "object"
        name = ".".join(wanted_value.pointer[:depth]) or "the whole file"
        if node.kind != wanted:
            word, value = ("list", "[]") if wanted == "array" else ("object", "{}")
            hint = f"nothing was changed; make it `{value}`{' or take it out' if depth else ''}, then repeat"
            line = text.count("\n", 0, node.start) + 1
            raise BadHostFile(f"{path!r}: {name} is no {word}", path=path, line=line, hint=hint)
        if depth and node.member(INCLUDE_KEY) is not None:
            hint = f"write {'.'.join(wanted_value.pointer[:depth])} into this file instead of including it, then repeat"
            raise BadHostFile(f"{path!r}: {name} comes from another file ({INCLUDE_KEY})", path=path, hint=hint)


def _undo_json_step(text: str, step: ConfigStep, *, is_owned: bool) -> str | None:
    """The text without this step; None if somebody changed what it did."""
    root, before = json5.parse_json5(text), step.before or ""
    if step.kind == "filled":
        if not step.pointer and not before.strip():  # the whole file was blank
            return before if _bare_text(text) == "{}" else text
        node = root.find(step.pointer)
        if node is None or node.items:
            return text
        is_as_left = _bare_text(text, node) == _bare_text(before)
        return json5.replace_node(text, node, before) if is_as_left else text
    is_element = step.kind == "added"
    where = root.find(step.pointer if is_element else step.pointer[:-1])
    key = "" if is_element else step.pointer[-1]
    position = json5.find_position(where, key, step.value) if where is not None else -1
    if where is None or position < 0:
        return text
    if is_element:
        return json5.remove_item(text, where, position)
    node = where.items[position].node
    if step.kind == "made":
        is_empty = _bare_text(text, node) in _EMPTY_CONTAINERS
        return json5.remove_item(text, where, position) if is_owned or is_empty else text
    if not is_same_json(node.value(), step.value):
        return None
    return json5.remove_item(text, where, position) if step.before is None else json5.replace_node(text, node, before)


def _join_steps(old_steps: tuple[ConfigStep, ...], new_steps: tuple[ConfigStep, ...]) -> tuple[ConfigStep, ...]:
    """Earlier and new steps as one list, so that undoing restores what was there before the first of them."""
    steps = list(old_steps)
    for step in new_steps:
        keys = [_step_key(one.kind, one.pointer, one.value) for one in steps]
        key = _step_key(step.kind, step.pointer, step.value)
        if key not in keys:
            steps.append(step)
        elif step.kind == "put":
            at = keys.index(key)
            steps[at] = structs.replace(step, before=steps[at].before)
    return tuple(steps)


def _step_key(kind: str, pointer: Pointer, json_value: Any) -> tuple[str, Pointer, str]:
    """What steps that do the same have in common; of the elements of a list each is one of its own."""
    return kind, pointer, json.dumps(json_value, sort_keys=True) if kind == "added" else ""


def _bare_text(text: str, node: json5.Json5Node | None = None) -> str:
    """A text, or that of a value in it, without white space."""
    return "".join((text[node.start : node.end] if node else text).split())


BLOCK_BEGIN = "# commonplace begin: managed by `commonplace install`, changes in here are lost"
BLOCK_END = "# commonplace end"
BYTE_ORDER_MARK = "\ufeff"  # which some editors write first, and Codex passes over


def render_toml_block(table: str, table_values: dict[str, Any]) -> str:
    """A table with its values between the two marks; values are texts, numbers and lists of texts."""
    lines = (f"{key} = {_render_toml_value(value)}" for key, value in table_values.items())
    return "\n".join((BLOCK_BEGIN, f"[{table}]", *lines, BLOCK_END)) + "\n"


def write_block(
    text: str, target: ConfigTarget, old_steps: tuple[ConfigStep, ...] = ()
) -> tuple[str, tuple[ConfigStep, ...]]:
    """The text with our block in it, and the step that leads there. Raises BadHostFile."""
    place, before = _find_block(text, old_steps), parse_toml(text, target.path) if target.table else {}
    newline = "\r\n" if "\r\n" in text else "\n"
    block = target.block.replace("\n", newline)
    if place is None and target.table and find_value(before, *target.table.split(".")) is not None:
        message = f"{target.path!r} has a [{target.table}] that Commonplace did not write"
        raise BadHostFile(message, path=target.path, hint=f"take [{target.table}] out of it, then repeat")
    if place is not None:
        held = text[slice(*place)]
        block = held[: len(held) - len(held.lstrip("\r\n"))] + block
    elif text:
        block = newline * (1 if text.endswith("\n") else 2) + block
    start, end = place or (len(text), len(text))
    new = text[:start] + block + text[end:]
    _verify_other_tables(before, new, target, is_in=True)
    return new, (ConfigStep("block", (), block),)


def remove_block(text: str, target: ConfigTarget, steps: tuple[ConfigStep, ...]) -> tuple[str, tuple[str, ...]]:
    """The text without our block, and what was left. Raises BadHostFile."""
    place, before = _find_block(text, steps), parse_toml(text, target.path) if target.table else {}
    if place is None:
        is_there = target.table and find_value(before, *target.table.split(".")) is not None
        note = f"[{target.table}] is outside the marks of Commonplace, and is not touched"
        return text, (note,) if is_there else ()
    new = text[: place[0]] + text[place[1] :]
    _verify_other_tables(before, new, target, is_in=False)
    return new, ()


def parse_toml(text: str, path: str) -> dict[str, Any]:
    """The values of a TOML text. Raises BadHostFile."""
    try:
        return tomllib.loads(text.removeprefix(BYTE_ORDER_MARK))
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        hint = "nothing was changed; correct the file, then repeat"
        raise BadHostFile(f"{path!r} is not valid TOML: {error}", path=path, hint=hint) from None


def _find_block(text: str, steps: tuple[ConfigStep, ...]) -> tuple[int, int] | None:
    """The range of our block: found by its text, else by its marker lines; None if it is not there."""
    for step in steps:
        if step.kind == "block" and (at := text.rfind(step.value)) >= 0:
            return at, at + len(step.value)
    start = text.find(BLOCK_BEGIN)
    end = text.find(BLOCK_END, start)
    if start < 0 or end < 0 or (start and text[start - 1] != "\n"):
        return None
    newline = text.find("\n", end)
    return start, len(text) if newline < 0 else newline + 1


def _verify_other_tables(old_values: dict[str, Any], new_text: str, target: ConfigTarget, *, is_in: bool) -> None:
    """Raise if anything but our table says something else than before: the block would fall into the wrong place.

    So it would where the tables of all servers are one value, `mcp_servers = {…}`: nothing can be added below it.
    """
    if not target.table:
        return
    try:
        after = tomllib.loads(new_text.removeprefix(BYTE_ORDER_MARK))
    except tomllib.TOMLDecodeError:
        after = {}
    is_there = isinstance(find_value(after, *target.table.split(".")), dict)
    others, others_after = (repr(_remove_table_values(values, target.table)) for values in (old_values, after))
    if (is_in and not is_there) or others != others_after:
        hint = f"add [{target.table}] by hand: `commonplace install generic-mcp` prints its values"
        raise BadHostFile(f"{target.path!r} cannot be edited safely", path=target.path, hint=hint)


def _remove_table_values(table_values: dict[str, Any], table: str) -> dict[str, Any]:
    """The values without a table, and without the tables above it where they are empty then."""
    name, _, rest = table.partition(".")
    left = dict(table_values)
    inner = left.pop(name, None)
    if rest and isinstance(inner, dict) and (kept := _remove_table_values(inner, rest)):
        left[name] = kept
    return left


def _render_toml_value(json_value: Any) -> str:
    if isinstance(json_value, list):
        return f"[{', '.join(_render_toml_value(one) for one in json_value)}]"
    if isinstance(json_value, str):
        escaped = json_value.replace("\\", "\\\\").replace('"', '\\"')
        return '"' + "".join(char if char.isprintable() else f"\\U{ord(char):08x}" for char in escaped) + '"'
    return str(json_value).lower() if isinstance(json_value, bool) else str(json_value)
