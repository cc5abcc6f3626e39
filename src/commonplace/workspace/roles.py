"""What the path of a file says about it: its role, the category and kind of its lines, its date."""

from __future__ import annotations

import re
from functools import cache

from commonplace.model import Category, Kind, Role
from commonplace.workspace.times import date_in

CORE = ("MEMORY.md", "memory.md", "USER.md")
FOLDERS: tuple[tuple[str, Role], ...] = (
    ("memory/archive/", "archive"),
    ("memory/episodes/", "episode"),
    ("episodes/", "episode"),
    ("memory/semantic/", "warm"),
    ("memory/procedural/", "warm"),
    ("semantic/", "warm"),
    ("procedural/", "warm"),
    ("bank/entities/", "entity"),
    ("bank/", "bank"),
    ("memory/episodic/", "log"),
)
FILES: dict[str, Role] = {"memory/working-buffer.md": "buffer", "memory/pending.md": "pending"}
CATEGORIES: dict[str, Category] = {
    "preferences": "preference",
    "contacts": "person",
    "people": "person",
    "projects": "project",
    "decisions": "decision",
    "infrastructure": "tool",
}
KIND_CATEGORIES: dict[Kind, Category] = {
    "world": "fact",
    "experience": "event",
    "opinion": "preference",
    "observation": "note",
}
GOLDEN = ("memory/golden.md", "memory/golden/")  # questions about the notebook, which would else answer themselves
DREAMT = ("memory/dreaming/light/", "memory/dreaming/rem/", "memory/dreaming/deep/")  # OpenClaw's reports to itself
BANK_KINDS: dict[str, Kind] = {"experience": "experience", "opinions": "opinion", "opinion": "opinion"}


def role_of(path: str) -> Role:
    """The role of the file at this path (relative to the workspace, with `/`)."""
    if path in CORE:
        return "core"
    if path in FILES:
        return FILES[path]
    for folder, role in FOLDERS:
        if path.startswith(folder):
            return role
    return "log" if file_date(path) else "note"


def stem(path: str) -> str:
    """The name of the file without folders and ending."""
    name = path.rsplit("/", 1)[-1]
    return name[:-3] if name[-3:].lower() == ".md" else name


def file_date(path: str) -> str:
    """The date with which the name of the file begins; empty if with none."""
    return date_in(stem(path)[:10])


def category_of(path: str, role: Role) -> Category:
    """The category of lines that name none themselves; in `bank/` the kind decides instead."""
    if role == "episode":
        return "event"
    name = stem(path)
    if role != "warm":
        return "note"
    if "procedural/" in path:
        return "lesson" if name.startswith("lessons") else "procedure"
    return CATEGORIES.get(name, "note")


def kind_of(path: str, role: Role) -> Kind:
    """The kind of lines that name none themselves."""
    return BANK_KINDS.get(stem(path), "world") if role == "bank" else "world"


def has_keys(path: str) -> bool:
    """Whether items of the form `Key: value` are key–value lines here."""
    return path.startswith(("memory/semantic/", "semantic/")) or stem(path) in CATEGORIES


def has_people(path: str) -> bool:
    """Whether the outermost keys are names of people here."""
    return stem(path) in ("contacts", "people")


def is_golden(path: str) -> bool:
    """Whether this file asks about the notebook: what stands in it is no knowledge and is never recalled."""
    return path == GOLDEN[0] or path.startswith(GOLDEN[1])


def is_dreamt(path: str) -> bool:
    """Whether OpenClaw's dreaming wrote this file: what stands in it is told again of what stands elsewhere."""
    return path.startswith(DREAMT)


def is_conflict_copy(path: str) -> bool:
    """Whether a sync tool named this file when two machines had changed it."""
    return _conflict_copy().search(path.rsplit("/", 1)[-1]) is not None


@cache
def _conflict_copy() -> re.Pattern[str]:
    syncthing, others = r"\.sync-conflict-[0-9]{8}-[0-9]{6}", r"[( _-]conflict(?:ed)? copy\b|\(case conflict"
    return re.compile(f"{syncthing}|{others}", re.IGNORECASE)
