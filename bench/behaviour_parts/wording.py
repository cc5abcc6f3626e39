"""What commands print for people, and their help: compared only where one asks for it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from bench.behaviour_parts.asking import Desk
from bench.behaviour_parts.commands import played
from bench.behaviour_parts.lists import COMMAND
from bench.behaviour_parts.scripts import SCRIPTS


def run(desk: Desk, quick: bool) -> Iterator[tuple[str, Any]]:
    """The scripts of the commands without `--json`, and all help."""
    names = COMMAND.findall(desk.command(desk.folder, "--help").out)
    for name in ("", *names) if not quick else ("",):
        yield f"help {name}", desk.command(desk.folder, *([name] if name else []), "--help").out
    for name, (files, steps) in SCRIPTS.items():
        if quick and name != "mistakes":
            continue
        root = desk.workspace(name.replace(" ", "-"), files)
        for number, (words, ran) in enumerate(played(desk, root, steps, as_json=False)):
            yield f"{name} {number} {' '.join(words)}", ran
