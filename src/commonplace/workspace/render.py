"""Render: what is to be kept becomes one line of Markdown that reads back as what it was."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from commonplace.errors import BadArgument
from commonplace.model import Kind
from commonplace.workspace.annotations import KEYS, is_id
from commonplace.workspace.retain import LETTERS

Written = str | float | Sequence[str]


def render_retain(
    kind: Kind,
    text: str,
    *,
    entities: Sequence[str] = (),
    confidence: float | None = None,
    annotation: Mapping[str, Written] | None = None,
) -> str:
    """A Retain bullet without its newline.

    The text is made one line that can neither leave its bullet nor annotate itself. Raises BadArgument for an empty
    text, for a confidence of anything but an opinion, and for an annotation that cannot be read back.
    """
    words = one_line(text)
    if not words:
        raise BadArgument("there is no text to keep")
    letter = LETTERS[kind]
    if confidence is not None:
        if kind != "opinion" or not 0 <= confidence <= 1:
            raise BadArgument(f"a confidence is for opinions and lies in 0 to 1, not {confidence!r} for {kind!r}")
        letter += f"(c={decimal(confidence)})"
    names = [mention for name in entities if (mention := render_entity(name))]
    head = " ".join((letter, *names)) + (":" if names else "")
    written = render_annotation(annotation or {})
    return f"- {head} {words}" + (f" {written}" if written else "")


def render_entity(name: str) -> str:
    """`@Name`, `@The-Castle`, or `@"Jean-Luc"` where a hyphen or another sign has to stay; empty for no name."""
    words = " ".join(one_line(name).replace('"', "'").replace("`", "'").split())[:120].strip()
    if re.fullmatch(r"[^\W_]\w*(?: \w+)*", words):
        return "@" + words.replace(" ", "-")
    return f'@"{words}"' if words else ""


def render_annotation(annotation: Mapping[str, Written]) -> str:
    """The trailing comment, its keys in the order of the format; empty for nothing to say.

    Signs that would end a part, an item of a list or the comment are written as spaces. Raises BadArgument for a key
    that the format does not have, and for an `id` that it would not read.
    """
    unknown = sorted(set(annotation) - set(KEYS))
    if unknown:
        raise BadArgument(f"an annotation has no key {unknown[0]!r}; there are {', '.join(KEYS)}")
    if "id" in annotation and not is_id(str(annotation["id"])):
        raise BadArgument(f"an id is 4 to 32 of a-z, 0-9 and -, not {annotation['id']!r}")
    parts = [f"{key}: {value}" for key in KEYS if (value := _value(annotation.get(key, "")))]
    return f"<!-- {' · '.join(parts)} -->" if parts else ""


def one_line(text: str) -> str:
    """The text on one line: line breaks become a space, comment marks are broken up; all else stays as it is."""
    lines = [part for line in text.replace("\r", "\n").split("\n") if (part := line.strip())]
    line = " ".join(lines).encode("utf-8", "replace").decode()  # a lone surrogate cannot be written
    return line.replace("<!--", "< !--").replace("-->", "-- >")


def decimal(value: float) -> str:
    """A share in 0 to 1 with at most four decimals, and at least one, since `1` means a tenth in an importance."""
    written = f"{value:.4f}".rstrip("0")
    return written + "0" if written.endswith(".") else written


def _value(value: Written) -> str:
    if isinstance(value, str):
        return _word(value)
    if isinstance(value, (int, float)):
        return decimal(value)
    return ", ".join(word for item in value if (word := _word(item.replace(",", " "))))


def _word(text: str) -> str:
    return " ".join(one_line(text).replace("·", " ").replace(";", " ").replace("--", "- -").split())
