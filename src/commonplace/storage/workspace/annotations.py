"""Annotations and Retain prefixes: parse them from a line, and render them so that they parse to the same values."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any

from msgspec import Struct

from commonplace.errors import BadArgument
from commonplace.model import CATEGORIES, TRUSTS, Category, Kind, Trust
from commonplace.storage.workspace.timestamps import parse_timestamp

ANNOTATION_KEYS = (
    *("id", "by", "said", "importance", "valid", "origin"),
    *("from", "trigger", "project", "supersedes", "category"),
)
MAX_INTERVAL_CHARS = 100  # characters
MAX_NAME_CHARS = 120  # characters
MAX_COMMENTS = 8  # read at the end of one line
ID_CHARACTERS = frozenset("abcdefghijklmnopqrstuvwxyz0123456789-")


class Annotation(Struct):
    """The values of the comments; `problems` are values that cannot be read."""

    id: str = ""
    by: str = ""
    said_on: str = ""
    importance: float | None = None
    valid_from: str = ""
    valid_to: str = ""
    trust: Trust = "trusted"
    sources: tuple[str, ...] = ()
    triggers: tuple[str, ...] = ()
    project: str = ""
    supersedes: tuple[str, ...] = ()
    category: Category | None = None
    problems: tuple[str, ...] = ()


def split_annotation(text: str) -> tuple[str, Annotation | None]:
    """The text without its trailing annotations, and what they say; of a key that is said twice the last counts."""
    said: dict[str, str] = {}
    for _ in range(MAX_COMMENTS):
        start = text.rfind("<!--") if text.endswith("-->") else -1
        inner = text[start + 4 : -3] if start >= 0 else ""
        found = _split_comment_fields(inner) if "-->" not in inner else {}
        if not found:
            break
        said = found | said
        text = text[:start].rstrip()
    return text, _build_annotation(said) if said else None


def strip_annotation(text: str) -> str:
    """The text without its trailing annotations."""
    return split_annotation(text)[0] if text.endswith("-->") else text


def is_valid_id(text: str) -> bool:
    """Whether a text can be written as an `id:`."""
    return 4 <= len(text) <= 32 and text[0] != "-" and ID_CHARACTERS.issuperset(text)


def normalize_importance(text: str) -> float | None:
    """1 to 10 as tenths, a decimal from 0 to 1 as it is; None for anything else."""
    if not text.isascii():
        return None
    if text.isdigit():
        return int(text) / 10 if len(text) < 3 and int(text) <= 10 else None
    value = parse_decimal(text)
    return value if value is not None and value <= 1 else None


def parse_decimal(text: str) -> float | None:
    """A plain decimal without sign or exponent, such as `0.95` or `.5`; None for anything else."""
    whole, _, fraction = text.partition(".")
    digits = whole + fraction
    return float(text) if digits.isascii() and digits.isdigit() and len(digits) < 20 else None


def _split_comment_fields(inner: str) -> dict[str, str]:
    found: dict[str, str] = {}
    last = ""
    for part in inner.replace(";", "·").split("·"):
        key, colon, value = part.partition(":")
        key = key.strip().lower()
        if colon and key in ANNOTATION_KEYS:
            found[key], last = value.strip(), key
        elif not colon and last == "trigger":  # OpenClaw's phrases may be separated by semicolons
            found[last] += f", {part.strip()}"
        else:
            last = ""
    return found


def _build_annotation(values_by_key: dict[str, str]) -> Annotation:
    annotation = Annotation()
    for key, value in values_by_key.items():
        field, read = VALUE_READERS[key]
        found = read(value)
        if found in (None, "", ()):
            annotation.problems += (f"`{key}: {value[:60]}` cannot be read",)
            annotation.trust = "untrusted" if key == "origin" else annotation.trust
        elif key == "valid":
            annotation.valid_from, annotation.valid_to = found
        else:
            setattr(annotation, field, found)
    return annotation


def _split_names(text: str) -> tuple[str, ...]:
    return tuple([part for word in text.split(",") if (part := word.strip())])


def parse_interval(text: str) -> tuple[str, str] | None:
    """Both ends of `a..b`, inclusive, an empty one open; a single moment is both ends; None if it cannot be read."""
    return _parse_cached_interval(text) if len(text) <= MAX_INTERVAL_CHARS else None


@lru_cache(4096)
def _parse_cached_interval(text: str) -> tuple[str, str] | None:
    start, dots, end = (part.strip() for part in text.partition(".."))
    if not dots:
        end = start
    first, last = parse_timestamp(start), parse_timestamp(end)
    if bool(start) != bool(first) or bool(end) != bool(last) or not (first or last):
        return None
    shorter = min(len(first), len(last))
    return (first, last) if first[:shorter] <= last[:shorter] else None


# By key the field, and what reads its value; nothing for one that cannot be read.
VALUE_READERS: dict[str, tuple[str, Callable[[str], Any]]] = {
    "id": ("id", lambda text: text if is_valid_id(text) else ""),
    "by": ("by", lambda text: " ".join(text.split()) if len(text) <= MAX_NAME_CHARS else ""),
    "said": ("said_on", lambda text: parse_timestamp(text) if len(text) == len("2025-11-27") else ""),
    "importance": ("importance", normalize_importance),
    "valid": ("valid", parse_interval),
    "origin": ("trust", lambda text: text.lower() if text.lower() in TRUSTS else ""),
    "category": ("category", lambda text: text.lower() if text.lower() in CATEGORIES else ""),
    "project": ("project", str),
    "from": ("sources", _split_names),
    "trigger": ("triggers", _split_names),
    "supersedes": ("supersedes", _split_names),
}
KINDS_BY_LETTER: dict[str, Kind] = {"W": "world", "B": "experience", "O": "opinion", "S": "observation"}
LETTERS_BY_KIND: dict[Kind, str] = {kind: letter for letter, kind in KINDS_BY_LETTER.items()}
MAX_CONFIDENCE_CHARS = 40  # characters between the parentheses


class RetainPrefix(Struct):
    """The prefix of a line: `start` is where the text begins, `problem` what is wrong with the confidence."""

    kind: Kind
    start: int
    confidence: float | None = None
    problem: str = ""


def parse_retain_prefix(text: str) -> RetainPrefix | None:
    """The kind that a bullet begins with; None for a bullet without one."""
    if text[0] == "@":
        return RetainPrefix("world", 0)
    kind = KINDS_BY_LETTER.get(text[0])
    if kind is None:
        return None
    at, confidence, complaint = 1, None, ""
    if kind == "opinion" and text.startswith("(", 1):
        close = text.find(")", 2, MAX_CONFIDENCE_CHARS + 3)
        if close < 0:
            return None
        at = close + 1
        confidence, complaint = parse_confidence(text[2:close])
    if text.startswith(":", at):
        at += 1
    rest = text[at:].lstrip()
    if len(rest) == len(text) - at:  # `Wood` is a word, `W` is a kind
        return None
    return RetainPrefix(kind, len(text) - len(rest), confidence, complaint)


def parse_confidence(inner: str) -> tuple[float | None, str]:
    """The value of `c=0.95` and the problem with it; a value outside 0 to 1 is limited to that range."""
    key, _, value = inner.partition("=")
    value = value.strip()
    number = parse_decimal(value.removeprefix("-"))
    if key.strip() != "c" or number is None:
        return None, f"the confidence `({inner})` is not of the form `(c=0.95)`"
    if number > 1 or (number and value.startswith("-")):
        return float(number > 1 and not value.startswith("-")), f"the confidence {value} lies outside 0 to 1"
    return number, ""


AnnotationValue = str | float | Sequence[str]


def render_retain(
    kind: Kind,
    text: str,
    *,
    entities: Sequence[str] = (),
    confidence: float | None = None,
    annotation: Mapping[str, AnnotationValue] | None = None,
) -> str:
    """A Retain bullet without its newline; the text is made one line that can neither leave its bullet nor annotate
    itself. Raises BadArgument for an empty text, a confidence of no opinion, an annotation that cannot be read back."""
    words = join_lines(text)
    if not words:
        raise BadArgument("the text is empty")
    letter = LETTERS_BY_KIND[kind]
    if confidence is not None:
        if kind != "opinion" or not 0 <= confidence <= 1:
            raise BadArgument(f"a confidence is for opinions and lies in 0 to 1, not {confidence!r} for {kind!r}")
        letter += f"(c={format_decimal(confidence)})"
    names = [mention for name in entities if (mention := render_entity(name))]
    head = " ".join((letter, *names)) + (":" if names else "")
    written = render_annotation(annotation or {})
    return f"- {head} {words}" + (f" {written}" if written else "")


def render_entity(name: str) -> str:
    """`@Name`, `@The-Castle`, or `@"Jean-Luc"` where a hyphen or another sign has to stay; empty for no name."""
    words = " ".join(join_lines(name).replace('"', "'").replace("`", "'").split())[:MAX_NAME_CHARS].strip()
    if re.fullmatch(r"[^\W_]\w*(?: \w+)*", words):
        return "@" + words.replace(" ", "-")
    return f'@"{words}"' if words else ""


def render_annotation(annotation: Mapping[str, AnnotationValue]) -> str:
    """The trailing comment, its keys in the order of the format; empty for nothing to say. Signs that would end a part
    or the comment become spaces. Raises BadArgument for a key that the format does not have, and for an `id` it would
    not read."""
    unknown = sorted(set(annotation) - set(ANNOTATION_KEYS))
    if unknown:
        raise BadArgument(f"an annotation has no key {unknown[0]!r}; there are {', '.join(ANNOTATION_KEYS)}")
    if "id" in annotation and not is_valid_id(str(annotation["id"])):
        raise BadArgument(f"an id is 4 to 32 of a-z, 0-9 and -, not {annotation['id']!r}")
    values = {key: _render_annotation_value(annotation.get(key, "")) for key in ANNOTATION_KEYS}
    values["by"] = values["by"][:MAX_NAME_CHARS].rstrip()
    parts = [f"{key}: {value}" for key, value in values.items() if value]
    return f"<!-- {' · '.join(parts)} -->" if parts else ""


def join_lines(text: str) -> str:
    """The text on one line: line breaks become a space, comment marks are broken up; all else stays as it is."""
    lines = [part for line in text.replace("\r", "\n").split("\n") if (part := line.strip())]
    line = " ".join(lines).encode("utf-8", "replace").decode()  # a lone surrogate cannot be written
    return line.replace("<!--", "< !--").replace("-->", "-- >")


def format_decimal(share: float) -> str:
    """A share in 0 to 1 with at most four decimals, and at least one, since `1` means a tenth in an importance."""
    written = f"{share:.4f}".rstrip("0")
    return written + "0" if written.endswith(".") else written


def _render_annotation_value(annotation_value: AnnotationValue) -> str:
    if isinstance(annotation_value, str):
        return _escape_annotation_text(annotation_value)
    if isinstance(annotation_value, (int, float)):
        return format_decimal(annotation_value)
    return ", ".join(word for item in annotation_value if (word := _escape_annotation_text(item.replace(",", " "))))


def _escape_annotation_text(text: str) -> str:
    return " ".join(join_lines(text).replace("·", " ").replace(";", " ").replace("--", "- -").split())
