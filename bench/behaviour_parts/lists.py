"""The names by which the program is known: commands and options, tools, routes, settings, codes, shapes."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bench.behaviour_parts.asking import REPOSITORY, Desk
from bench.behaviour_parts.scripts import NOTEBOOK
from bench.behaviour_parts.served import LISTS, daemon, talk

REFERENCE = REPOSITORY / "docs" / "reference"
TABLES = ("settings", "errors", "checks")
SOME = 5  # every how many commands the quick sample has the options of
WORDS = ("description", "summary", "title", "instructions", "text")
COMMAND = re.compile(r"^  ([a-z][a-z-]*)  ", re.MULTILINE)
OPTION = re.compile(r"^  (\S.*?)(?:  |$)", re.MULTILINE)
NAME = re.compile(r"(?<![\w-])--?[a-z][a-z-]*|\{[^}]*\}")


def run(desk: Desk, quick: bool) -> Iterator[tuple[str, Any]]:
    """Each list under its name; the quick sample has the options of some commands."""
    root = desk.workspace("lists", NOTEBOOK)
    yield from _commands(desk, root, SOME if quick else 1)
    with talk(desk, root, "--all-tools", "--allow-decisions", "--structured") as ask:
        for name in LISTS:
            yield f"mcp {name}", structure(ask(name))
    with talk(desk, root) as ask:
        yield "mcp tools without options", [tool["name"] for tool in ask("tools/list")["result"]["tools"]]
    with daemon(desk, root) as send:
        openapi = send("GET", "/openapi.json")["body"]
    for path, told in openapi["paths"].items():
        yield f"http {path}", structure(told)
    yield "http components", structure(openapi.get("components", {}))
    for page in TABLES:
        rows = [
            row.split(" | ") for row in (REFERENCE / f"{page}.md").read_text("utf-8").split("\n") if row[:3] == "| `"
        ]
        yield f"docs/reference/{page}.md", [[cell.strip("| ") for cell in row[: max(1, len(row) - 1)]] for row in rows]
    for path in sorted((REFERENCE / "schemas").glob("*.json")):
        yield f"schema {path.name}", structure(json.loads(path.read_text("utf-8")))


def _commands(desk: Desk, root: Path, every: int) -> Iterator[tuple[str, Any]]:
    names = COMMAND.findall(desk.command(root, "--help").out)
    yield "commands", names
    for name in names[::every]:
        ran = desk.command(root, name, "--help")
        yield (
            f"options of {name}",
            [ran.code, sorted({one for told in OPTION.findall(ran.out) for one in NAME.findall(told)})],
        )


def structure(value: Any, *, names: bool = False) -> Any:
    """A schema without what is written for people; `names`: the keys are names that somebody gave."""
    if isinstance(value, list):
        return [structure(one) for one in value]
    if isinstance(value, dict):
        kept = {key: one for key, one in value.items() if names or not (key in WORDS and isinstance(one, str))}
        return {key: structure(one, names=key in ("properties", "$defs", "paths")) for key, one in kept.items()}
    return value
