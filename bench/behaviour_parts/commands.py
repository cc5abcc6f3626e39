"""What commands print with `--json`, how they end, and the files that they leave."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bench.behaviour_parts.asking import Desk, Json, read
from bench.behaviour_parts.scripts import NO_JSON, SCRIPTS

IN_SAMPLE = ("reviewing", "mistakes")
NAMED = ("id", "change", "capture", "receipt")


def run(desk: Desk, quick: bool) -> Iterator[tuple[str, Any]]:
    """Each command in the order of its script, and the files after the last."""
    for name, (files, steps) in SCRIPTS.items():
        if quick and name not in IN_SAMPLE:
            continue
        root = desk.workspace(name.replace(" ", "-"), files)
        for number, (words, ran) in enumerate(played(desk, root, steps, as_json=True)):
            yield f"{name} {number} {' '.join(words)}", ran
        for path, text in desk.files(root).items():
            yield f"{name}, file {path}", text


def played(
    desk: Desk, root: Path, steps: tuple[tuple[str, ...], ...], *, as_json: bool
) -> Iterator[tuple[tuple[str, ...], Json]]:
    """The steps of a script, with what each command printed and how it ended."""
    seen: dict[str, str] = {}
    fed = ""
    for step in steps:
        name, *rest = step or ("",)
        if name == "write":
            (root / rest[0]).parent.mkdir(parents=True, exist_ok=True)
            (root / rest[0]).write_text(rest[1], encoding="utf-8")
        elif name == "cut":
            lines = (root / rest[0]).read_text(encoding="utf-8").split("\n")
            (root / rest[0]).write_text("\n".join(lines[: int(rest[1]) - 1] + lines[int(rest[1]) :]), encoding="utf-8")
        elif name == "feed":
            fed = rest[0]
        else:
            words = tuple(filled(word, seen) for word in step)
            wanted = ("--json",) if as_json and step and name not in NO_JSON else ()
            ran = desk.command(root, *wanted, *words, given=fed)
            fed = ""
            told = {"exit": ran.code, "out": read(ran.out), "err": read(ran.err)}
            remember(told["out"], seen)
            yield step, told if as_json else {"exit": ran.code, "out": ran.out, "err": ran.err}


def filled(word: str, seen: dict[str, str]) -> str:
    """A word of a script with what was printed before."""
    for name in NAMED:
        word = word.replace(f"{{{name}}}", seen.get(name, f"no-{name}"))
    return word


def remember(told: Any, seen: dict[str, str]) -> None:
    """Take the first value of each name from what was printed."""
    for name in NAMED:
        found = first(told, name)
        if found:
            seen[name] = found


def first(value: Any, name: str) -> str:
    """The first text of a name within a value."""
    if isinstance(value, list):
        return next((found for one in value if (found := first(one, name))), "")
    if not isinstance(value, dict):
        return ""
    own = value.get(name)
    if isinstance(own, str) and own:
        return own
    return next((found for one in value.values() if (found := first(one, name))), "")
