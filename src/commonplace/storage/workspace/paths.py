"""Paths in the workspace: what a path implies, file names for texts, and the files of a new workspace."""

from __future__ import annotations

import re
from functools import lru_cache
from unicodedata import category, normalize

from commonplace.lazy import lazy_pattern
from commonplace.model import Category, Kind, Role
from commonplace.storage.files import content_digest
from commonplace.storage.workspace.timestamps import find_date

CORE_FILES = ("MEMORY.md", "memory.md", "USER.md")
HOST_FILES = (*CORE_FILES, "AGENTS.md", "IDENTITY.md", "SOUL.md", "TOOLS.md")  # that a host loads at each start
ROLE_BY_FOLDER: tuple[tuple[str, Role], ...] = (
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
QUEUE_PATH = "memory/pending.md"  # what waits for review
REASON_MARK = " (why: "  # behind the text of an item of the queue
ROLE_BY_FILE: dict[str, Role] = {"memory/working-buffer.md": "buffer", QUEUE_PATH: "pending"}
CATEGORY_BY_STEM: dict[str, Category] = {
    "preferences": "preference",
    "contacts": "person",
    "people": "person",
    "projects": "project",
    "decisions": "decision",
    "infrastructure": "tool",
}
CATEGORY_BY_KIND: dict[Kind, Category] = {
    "world": "fact",
    "experience": "event",
    "opinion": "preference",
    "observation": "note",
}
# Questions about the notebook, which would else answer themselves; and OpenClaw's reports to itself.
GOLDEN_PATHS = ("memory/golden.md", "memory/golden/")
DREAM_FOLDERS = ("memory/dreaming/light/", "memory/dreaming/rem/", "memory/dreaming/deep/")
KIND_BY_BANK_FILE: dict[str, Kind] = {"experience": "experience", "opinions": "opinion", "opinion": "opinion"}
HISTORY_HEADING = "History"  # a heading that we write ourselves, of lines that no longer hold


@lru_cache(4096)
def path_role(path: str) -> Role:
    """The role of the file at this path (relative to the workspace, with `/`)."""
    if path in CORE_FILES:
        return "core"
    by_folder = next((role for folder, role in ROLE_BY_FOLDER if path.startswith(folder)), None)
    return ROLE_BY_FILE.get(path) or by_folder or ("log" if path_date(path) else "note")


def path_stem(path: str) -> str:
    """The name of the file without folders and ending."""
    name = path.rsplit("/", 1)[-1]
    return name[:-3] if name[-3:].lower() == ".md" else name


def path_date(path: str) -> str:
    """The date with which the name of the file begins; empty if with none."""
    return find_date(path_stem(path)[:10])


def path_category(path: str, role: Role) -> Category:
    """The category of lines that name none themselves; in `bank/` the kind decides instead."""
    if role != "warm":
        return "event" if role == "episode" else "note"
    name = path_stem(path)
    if "procedural/" in path:
        return "lesson" if name.startswith("lessons") else "procedure"
    return CATEGORY_BY_STEM.get(name, "note")


def has_key_lines(path: str) -> bool:
    """Whether items of the form `Key: value` are key–value lines here."""
    if path in HOST_FILES:
        return path not in ("MEMORY.md", "memory.md")
    return path.startswith(("memory/semantic/", "semantic/")) or path_stem(path) in CATEGORY_BY_STEM


def is_golden_path(path: str) -> bool:
    """Whether this file contains test questions, which are never recalled."""
    return path == GOLDEN_PATHS[0] or path.startswith(GOLDEN_PATHS[1])


def is_conflict_copy(path: str) -> bool:
    """Whether a sync tool named this file when two machines had changed it."""
    return _CONFLICT_COPY_PATTERN.search(path.rsplit("/", 1)[-1]) is not None


_CONFLICT_COPY_PATTERN = lazy_pattern(  # of Syncthing, then of others
    r"\.sync-conflict-[0-9]{8}-[0-9]{6}|[( _-]conflict(?:ed)? copy\b|\(case conflict", re.IGNORECASE
)


def original_path(copy_path: str) -> str:
    """The path of the file that a sync tool made a copy of, by the name of the copy; empty if the name is no copy's.
    One by iCloud, `boat 2.md`, may also be somebody's own."""
    folder, slash, name = copy_path.rpartition("/")
    found = _COPY_NAME_PATTERN.fullmatch(name)
    return f"{folder}{slash}{found[1]}{found[2]}" if found else ""


_COPY_NAME_PATTERN = lazy_pattern(  # of Syncthing; of Dropbox, Nextcloud and others; of iCloud
    r"(.+?)(?:\.sync-conflict-[0-9]{8}-[0-9]{6}(?:-\w+)?|[ _-]*\([^()]*(?:conflict(?:ed)? copy|case conflict)[^()]*\)"
    r"| [2-9])(\.\w+)",
    re.IGNORECASE,
)


MAX_SLUG_CHARS = 80
SLUG_HASH_CHARS = 8

# Letters that Unicode does not decompose and that people write without their stroke.
_STROKE_LETTERS = str.maketrans(
    {"ł": "l", "ø": "o", "đ": "d", "ð": "d", "þ": "th", "æ": "ae", "œ": "oe", "ı": "i", "ħ": "h", "ŋ": "n", "ŧ": "t"}
)


def slugify(name: str) -> str:
    """A file name for any text: `[a-z0-9][a-z0-9._-]{0,79}`, no reserved name of any system, the same every time.

    Case, accents and punctuation are folded, so names may meet: `slugify_distinct` tells those apart. Letters of other
    scripts, and what a long name loses, are stood for by a hash.
    """
    folded = name.lower()
    if not name.isascii():  # compatibility forms and accents undone
        decomposed = normalize("NFKD", normalize("NFKD", name).casefold().translate(_STROKE_LETTERS))
        folded = "".join(char for char in decomposed if category(char) != "Mn")
    # A hyphen stands for each run of what a file name may not hold; dots are never in a row or at an end.
    short = _REPEATED_DOTS_PATTERN.sub(".", _NON_SLUG_CHARS_PATTERN.sub("-", folded)).strip("._-")
    lost = not folded.isascii() and any(char > "\x7f" and category(char)[0] in "LNS" for char in folded)
    if short and not lost and len(short) <= MAX_SLUG_CHARS:
        return _avoid_device_name(short)
    return _append_hash(short, normalize("NFKC", normalize("NFKD", name).casefold()))


def slugify_distinct(name: str) -> str:
    """Another file name for the text, with a hash of its exact spelling, where that of `slugify` is taken."""
    return _append_hash(slugify(name), name)


def _append_hash(short: str, name: str) -> str:
    mark = content_digest(name.encode("utf-8", "surrogatepass"))[:SLUG_HASH_CHARS]
    kept = short[: MAX_SLUG_CHARS - SLUG_HASH_CHARS - 1].rstrip("._-")
    return _avoid_device_name(f"{kept or 'n'}-{mark}")


def _avoid_device_name(short: str) -> str:
    """Windows takes these for devices, whatever extension follows."""
    is_device = _DEVICE_NAME_PATTERN.fullmatch(short.partition(".")[0])
    return f"n-{short}"[:MAX_SLUG_CHARS].rstrip("._-") if is_device else short


_NON_SLUG_CHARS_PATTERN = lazy_pattern(r"[^a-z0-9._]+")
_REPEATED_DOTS_PATTERN = lazy_pattern(r"\.{2,}")
_DEVICE_NAME_PATTERN = lazy_pattern(r"con|prn|aux|nul|conin|conout|clock|com\d|lpt\d")


STARTER_FILES: dict[str, str] = {
    "MEMORY.md": (
        "# Agent Memory\n#tags: \nlast_verified: {day}\nlast_updated: {day}\n\n"
        "<!-- What is always needed goes here, 60 lines at most; all else is recalled when a question needs it. -->\n"
    ),
    "memory/{day}.md": "# {day}\n\n## Retain\n",
}
