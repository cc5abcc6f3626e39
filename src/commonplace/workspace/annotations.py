"""Annotations: trailing HTML comments that say what a line's words do not, such as its id or when it holds."""

from __future__ import annotations

from functools import lru_cache
from typing import cast

from msgspec import Struct

from commonplace.model import CATEGORIES, TRUSTS, Category, Trust
from commonplace.workspace.times import moment

KEYS = ("id", "importance", "valid", "origin", "from", "trigger", "project", "supersedes", "category")
MOST_INTERVAL = 100  # characters
MOST_COMMENTS = 8  # read at the end of one line
ID_CHARACTERS = frozenset("abcdefghijklmnopqrstuvwxyz0123456789-")


class Annotation(Struct):
    """What the comments say; `complaints` are values that cannot be read."""

    id: str = ""
    importance: float | None = None
    valid_from: str = ""
    valid_to: str = ""
    trust: Trust = "trusted"
    sources: tuple[str, ...] = ()
    triggers: tuple[str, ...] = ()
    project: str = ""
    supersedes: tuple[str, ...] = ()
    category: Category | None = None
    complaints: tuple[str, ...] = ()


def split_annotation(text: str) -> tuple[str, Annotation | None]:
    """The text without its trailing annotations, and what they say; of a key that is said twice the last counts."""
    said: dict[str, str] = {}
    for _ in range(MOST_COMMENTS):
        start = text.rfind("<!--") if text.endswith("-->") else -1
        inner = text[start + 4 : -3] if start >= 0 else ""
        found = _parts(inner) if "-->" not in inner else {}
        if not found:
            break
        said = found | said
        text = text[:start].rstrip()
    return text, _annotation(said) if said else None


def without_annotation(text: str) -> str:
    """The text without its trailing annotations."""
    return split_annotation(text)[0] if text.endswith("-->") else text


def is_id(text: str) -> bool:
    """Whether a text can be written as an `id:`."""
    return 4 <= len(text) <= 32 and text[0] != "-" and ID_CHARACTERS.issuperset(text)


def importance_of(text: str) -> float | None:
    """1 to 10 as tenths, a decimal from 0 to 1 as it is; None for anything else."""
    if not text.isascii():
        return None
    if text.isdigit():
        return int(text) / 10 if len(text) < 3 and int(text) <= 10 else None
    value = decimal(text)
    return value if value is not None and value <= 1 else None


def decimal(text: str) -> float | None:
    """A plain decimal without sign or exponent, such as `0.95` or `.5`; None for anything else."""
    whole, _, fraction = text.partition(".")
    digits = whole + fraction
    return float(text) if digits.isascii() and digits.isdigit() and len(digits) < 20 else None


def list_of(text: str) -> tuple[str, ...]:
    """The parts between commas that are not empty."""
    return tuple([part for word in text.split(",") if (part := word.strip())])


def _parts(inner: str) -> dict[str, str]:
    found: dict[str, str] = {}
    last = ""
    for part in inner.replace(";", "·").split("·"):
        key, colon, value = part.partition(":")
        key = key.strip().lower()
        if colon and key in KEYS:
            found[key], last = value.strip(), key
        elif not colon and last == "trigger":  # OpenClaw's phrases may be separated by semicolons
            found[last] += f", {part.strip()}"
        else:
            last = ""
    return found


def _annotation(said: dict[str, str]) -> Annotation:
    made = Annotation()
    for key, value in said.items():
        if not _SETTERS[key](made, value):
            made.complaints += (f"`{key}: {value[:60]}` cannot be read",)
    return made


def _set_id(made: Annotation, value: str) -> bool:
    made.id = value if is_id(value) else ""
    return bool(made.id)


def _set_importance(made: Annotation, value: str) -> bool:
    made.importance = importance_of(value)
    return made.importance is not None


def _set_valid(made: Annotation, value: str) -> bool:
    interval = interval_of(value)
    if interval:
        made.valid_from, made.valid_to = interval
    return interval is not None


def interval_of(text: str) -> tuple[str, str] | None:
    """Both ends of `a..b`, inclusive, an empty one open; a single moment is both ends; None if it cannot be read."""
    return _interval(text) if len(text) <= MOST_INTERVAL else None


@lru_cache(4096)
def _interval(text: str) -> tuple[str, str] | None:
    start, dots, end = (part.strip() for part in text.partition(".."))
    if not dots:
        end = start
    first, last = moment(start), moment(end)
    if bool(start) != bool(first) or bool(end) != bool(last) or not (first or last):
        return None
    shorter = min(len(first), len(last))
    return (first, last) if first[:shorter] <= last[:shorter] else None


def _set_origin(made: Annotation, value: str) -> bool:
    known = value.lower() in TRUSTS
    made.trust = cast("Trust", value.lower()) if known else "untrusted"
    return known


def _set_from(made: Annotation, value: str) -> bool:
    made.sources = list_of(value)
    return bool(made.sources)


def _set_trigger(made: Annotation, value: str) -> bool:
    made.triggers = list_of(value)
    return bool(made.triggers)


def _set_project(made: Annotation, value: str) -> bool:
    made.project = value
    return bool(value)


def _set_supersedes(made: Annotation, value: str) -> bool:
    made.supersedes = list_of(value)
    return bool(made.supersedes)


def _set_category(made: Annotation, value: str) -> bool:
    known = value.lower() in CATEGORIES
    made.category = cast("Category", value.lower()) if known else None
    return known


_SETTERS = {
    "id": _set_id,
    "importance": _set_importance,
    "valid": _set_valid,
    "origin": _set_origin,
    "from": _set_from,
    "trigger": _set_trigger,
    "project": _set_project,
    "supersedes": _set_supersedes,
    "category": _set_category,
}
