"""MemoryClaw's folder: episodes, facts, what waits for review, skills, and the logs of conversations."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from msgspec import structs

from commonplace.files.elsewhere import Found, opened, walk
from commonplace.imports.decoding import parsed
from commonplace.imports.memories.notes import MOST_FILE, if_read, note
from commonplace.imports.memories.nouns import Memory, Place, aside
from commonplace.imports.nouns import Blank, Refused, SetAside

SPOKEN = {"user": "owner", "assistant": "agent", "tool": "tool", "system": "system"}
PENDING = "_pending.md"
PASSED_OVER = {"config.yaml": "settings", "aliases.yaml": "synonyms; copy them to memory/aliases.yaml"}
Item = Memory | SetAside | Blank


def read(place: Place) -> Iterator[Item]:
    """What the folder holds, file by file."""
    for found in walk(place.path):
        yield from if_read(found, _file(place.path, found))


def _file(root: str, found: Found) -> Iterator[Item]:
    folder, _, name = found.path.rpartition("/")
    top = found.path.partition("/")[0]
    if found.trouble:
        yield aside(found.path, 0, found.trouble)
    elif name in PASSED_OVER:
        yield Blank(0, 0, PASSED_OVER[name], found.path)
    elif top == "logs" and name.endswith(".md"):
        yield from _log(root, found)
    elif top == "skills" and name.endswith(".json"):
        yield from _skill(root, found)
    elif top in ("episodes", "semantic") and name.endswith(".md"):
        yield from _page(root, found, is_episode=top == "episodes")
    elif folder and top == "index":
        yield Blank(0, 0, "an index, which is derived", found.path)
    else:
        yield Blank(0, 0, "no file of MemoryClaw's", found.path)


def _page(root: str, found: Found, *, is_episode: bool) -> Iterator[Item]:
    """An episode or a page of facts; what waits for review there is as doubtful here."""
    for one in note(root, found):
        if not isinstance(one, Memory):
            yield one
        elif found.path.endswith(f"/{PENDING}"):
            yield structs.replace(one, kind="pending", distilled=False, trust="untrusted")
        elif is_episode:
            yield structs.replace(one, kind="episode", category="event", distilled=False)
        else:
            yield structs.replace(one, kind="fact", distilled=True)


def _log(root: str, found: Found) -> Iterator[Item]:
    """A conversation: `### role (2025-04-08 14:32)` and what was said below it."""
    if found.size > MOST_FILE:
        yield aside(found.path, 0, f"a log of {found.size} bytes, more than {MOST_FILE}")
        return
    with opened(root, found.path) as file:
        lines = file.read(MOST_FILE).decode("utf-8", "replace").split("\n")
    starts = [(at, head) for at, line in enumerate(lines) if (head := _heading().fullmatch(line.rstrip()))]
    if not starts:
        yield aside(found.path, 1, "a log without a message")
    ends = [at for at, _head in starts[1:]] + [len(lines)]
    session = found.path.rsplit("/", 1)[-1].removesuffix("_raw.md")
    for (at, head), end in zip(starts, ends, strict=True):
        yield Memory(
            text="\n".join(lines[at + 1 : end]).strip(),
            kind="message",
            id=f"{session}#{at + 1}",
            part=found.path.rsplit("/", 1)[-1],  # a log moves when it was processed
            line=at + 1,
            time=head[2].replace(" ", "T"),
            actor=SPOKEN.get(head[1].lower(), "tool"),
            type="message",
            session=session,
        )


def _skill(root: str, found: Found) -> Iterator[Item]:
    with opened(root, found.path) as file:
        data = file.read(MOST_FILE + 1)
    told = parsed(data, dict) if len(data) <= MOST_FILE else Refused(f"a skill of more than {MOST_FILE} bytes")
    if isinstance(told, Refused):
        yield aside(found.path, 1, told.reason)
    elif told.get("status") == "rejected":
        yield Blank(0, 1, "a skill that was rejected", found.path)
    else:
        name, triggers = str(told.get("name") or ""), told.get("triggers")
        words = ", ".join(map(str, triggers)) if isinstance(triggers, list) else ""
        detail = {"steps": told.get("steps"), "status": told.get("status")}
        said = f"Skill {name}: for {words}." if words else f"Skill {name}."
        yield Memory(
            text=said, kind="skill", id=found.path, part=found.path, line=1, category="procedure", detail=detail
        )


@cache
def _heading() -> re.Pattern[str]:
    return re.compile(r"###\s+(\w+)\s+\((\d{4}-\d\d-\d\d(?: \d\d:\d\d)?)[^)]*\)")
