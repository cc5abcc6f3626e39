"""From wants to a new JSON text and the steps that lead there, and from steps back."""

from __future__ import annotations

import json
from typing import Any

from commonplace.errors import BadHostFile
from commonplace.hosts.editing import inserted, path_to, position_of, removed, rendered, replaced
from commonplace.hosts.json5 import Node, parse
from commonplace.hosts.nouns import Pointer, Step, Target, Want

EMPTY = "{\n}\n"  # what a file that is not there, or is blank, begins as
INCLUDE = "$include"
_EMPTIES = ("{}", "[]")


def brought(text: str, target: Target, old: tuple[Step, ...] = ()) -> tuple[str, tuple[Step, ...]]:
    """The text with all that is wanted in it, and the steps from what was there before us; `old` are earlier ones.

    What earlier steps did and nobody wants any more is undone. Raises BadHostFile.
    """
    if not text.strip():
        text, old = text + EMPTY, (Step("filled", (), before=text), *old)
    parse(text, target.path)
    over = tuple(step for step in old if step.kind in ("put", "added") and not _is_wanted(step, target.wants))
    steps = tuple(step for step in old if step not in over)
    if over:
        text, _notes = taken_back(text, target, (*(step for step in steps if step.kind == "made"), *over), ())
    for want in target.wants:
        text, new = _applied(text, want, target.path)
        steps = _joined(steps, new)
    return text, steps


def taken_back(
    text: str, target: Target, steps: tuple[Step, ...], owned: tuple[Pointer, ...]
) -> tuple[str, tuple[str, ...]]:
    """The text without what the steps did, and what was left because somebody changed it since. Raises BadHostFile."""
    parse(text, target.path)
    ours = tuple(step.pointer for step in steps if step.kind == "made" and step.pointer in owned)
    notes: list[str] = []
    for step in reversed(steps):
        if step.kind in ("put", "added") and any(_is_below(step.pointer, one) for one in ours):
            continue  # goes with the object that is ours altogether
        new = _undone(text, step, whole=step.pointer in ours)
        if new is None:
            notes.append(f"{'.'.join(step.pointer)} was changed since, and is left as it is")
        text = text if new is None else new
    return text, tuple(notes)


def holds(root: Node, want: Want) -> bool:
    """Whether the file says what is wanted."""
    node = root.at(want.pointer)
    if want.element:
        return (want.if_there and node is None) or (node is not None and position_of(node, "", want.value) >= 0)
    return node is not None and same(node.value(), want.value)


def same(one: Any, other: Any) -> bool:
    """Whether two values are written alike; `true` and `1` are not."""
    return json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)


def _applied(text: str, want: Want, path: str) -> tuple[str, tuple[Step, ...]]:
    root = parse(text, path)
    containers = want.pointer if want.element else want.pointer[:-1]
    way = path_to(root, containers)
    _refuse(way, want, text, path)
    there = len(way) - 1
    filled = () if way[-1].items else (Step("filled", containers[:there], before=_raw(text, way[-1])),)
    did = Step("added" if want.element else "put", want.pointer, want.value)
    if there < len(containers):
        if want.if_there:
            return text, ()
        made = tuple(Step("made", containers[:depth]) for depth in range(there + 1, len(containers) + 1))
        nested = _nested(want, containers[there + 1 :])
        return inserted(text, way[-1], containers[there], nested), (*filled, *made, did)
    if want.element:
        is_there = position_of(way[-1], "", want.value) >= 0
        return (text, ()) if is_there else (inserted(text, way[-1], "", want.value), (*filled, did))
    leaf = way[-1].member(want.pointer[-1])
    if leaf is None:
        return inserted(text, way[-1], want.pointer[-1], want.value), (*filled, did)
    if same(leaf.value(), want.value):
        return text, ()
    return replaced(text, leaf, rendered(text, leaf, want.value)), (
        Step("put", want.pointer, want.value, _raw(text, leaf)),
    )


def _nested(want: Want, containers: Pointer) -> Any:
    value = [want.value] if want.element else {want.pointer[-1]: want.value}
    for key in reversed(containers):
        value = {key: value}
    return value


def _refuse(way: list[Node], want: Want, text: str, path: str) -> None:
    """Raise where a value on the way is not what we can put something into."""
    for depth, node in enumerate(way):
        wanted = "array" if want.element and depth == len(want.pointer) else "object"
        name = ".".join(want.pointer[:depth]) or "the whole file"
        if node.kind != wanted:
            word, value = ("list", "[]") if wanted == "array" else ("object", "{}")
            hint = f"nothing was changed; make it `{value}`{' or take it out' if depth else ''}, then repeat"
            line = text.count("\n", 0, node.start) + 1
            raise BadHostFile(f"{path!r}: {name} is no {word}", path=path, line=line, hint=hint)
        if depth and node.member(INCLUDE) is not None:
            hint = f"write {'.'.join(want.pointer[:depth])} into this file instead of including it, then repeat"
            raise BadHostFile(f"{path!r}: {name} comes from another file ({INCLUDE})", path=path, hint=hint)


def _undone(text: str, step: Step, *, whole: bool) -> str | None:
    """The text without this step; None if somebody changed what it did."""
    root = parse(text)
    if step.kind == "filled":
        node = root.at(step.pointer)
        is_as_left = node is not None and not node.items and _bare(_raw(text, node)) == _bare(step.before or "")
        if not step.pointer and not (step.before or "").strip():  # the whole file was blank
            return (step.before or "") if _bare(text) == "{}" else text
        return replaced(text, node, step.before or "") if node is not None and is_as_left else text
    if step.kind == "added":
        where, position = root.at(step.pointer), -1
        position = position_of(where, "", step.value) if where is not None else -1
        return text if where is None or position < 0 else removed(text, where, position)
    where = root.at(step.pointer[:-1])
    position = position_of(where, step.pointer[-1]) if where is not None else -1
    if where is None or position < 0:
        return text
    node = where.items[position].node
    if step.kind == "made":
        return removed(text, where, position) if whole or _bare(_raw(text, node)) in _EMPTIES else text
    if not same(node.value(), step.value):
        return None
    return removed(text, where, position) if step.before is None else replaced(text, node, step.before)


def _joined(old: tuple[Step, ...], new: tuple[Step, ...]) -> tuple[Step, ...]:
    """Earlier and new steps as one list: what stood there before the first of them is what will be restored."""
    steps = list(old)
    for step in new:
        at = next((n for n, one in enumerate(steps) if _is_same_place(one, step)), -1)
        if at < 0:
            steps.append(step)
        elif step.kind == "put":
            steps[at] = Step("put", step.pointer, step.value, steps[at].before)
    return tuple(steps)


def _is_same_place(one: Step, other: Step) -> bool:
    alike = one.kind == other.kind and one.pointer == other.pointer
    return alike and (one.kind != "added" or same(one.value, other.value))


def _is_wanted(step: Step, wants: tuple[Want, ...]) -> bool:
    return any(
        want.pointer == step.pointer
        and want.element is (step.kind == "added")
        and (not want.element or same(want.value, step.value))
        for want in wants
    )


def _is_below(pointer: Pointer, above: Pointer) -> bool:
    return pointer[: len(above)] == above


def _raw(text: str, node: Node) -> str:
    return text[node.start : node.end]


def _bare(text: str) -> str:
    return "".join(text.split())
