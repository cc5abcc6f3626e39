"""What a text mentions: `@Entities`, `#tags`, and links to other pages."""

from __future__ import annotations

import re
from functools import cache


def entities(text: str) -> tuple[str, ...]:
    """The names after `@`, outside code, in order and once; hyphens of unquoted names are spaces."""
    names: dict[str, None] = {}
    for quoted, plain in _entity().findall(outside_code(text)):
        name = " ".join(quoted.split()) or plain.replace("-", " ").strip()
        if name:
            names[name] = None
    return tuple(names)


def tags(text: str) -> tuple[str, ...]:
    """The words after `#`, outside code, addresses and links, in order and once."""
    return tuple(dict.fromkeys(tag.rstrip("-/") for tag in _tag().findall(outside_code(text))))


def links(text: str) -> tuple[str, ...]:
    """The targets of wiki links and of relative links to notes, outside code, in order and once."""
    found: dict[str, None] = {}
    for wiki, target in _link().findall(outside_code(text)):
        page = wiki.partition("|")[0].partition("#")[0].strip() if wiki else _note(target)
        if page:
            found[page] = None
    return tuple(found)


def tag_list(text: str) -> tuple[str, ...]:
    """The tags of a line that lists them, separated by commas, `|` or white space."""
    separator = "," if "," in text else "|" if "|" in text else None
    return tuple(dict.fromkeys(tag for part in text.split(separator) if (tag := part.strip().lstrip("#").strip())))


def outside_code(text: str) -> str:
    """The text without what stands between backticks; an odd last one opens nothing."""
    if "`" not in text:
        return text
    parts = text.split("`")
    outside = parts[::2]
    if len(parts) % 2 == 0:
        outside.append(parts[-1])
    return " ".join(outside)


def _note(target: str) -> str:
    """The page that an address names, if it is a relative one and not a picture or another file."""
    target = target.partition("#")[0].partition("?")[0].strip("<>")
    if ":" in target or target.startswith("//"):
        return ""
    if "%" in target:
        from urllib.parse import unquote

        target = unquote(target)
    name = target.rsplit("/", 1)[-1]
    return target if name.endswith((".md", ".markdown")) or (name and "." not in name) else ""


@cache
def _entity() -> re.Pattern[str]:
    name = r"\w[\w-]*(?:\.\w[\w-]*)*(?![\w/@-])"
    return re.compile(rf"""(?<![\w@./+-])@(?:"([^"\n]{{1,120}})"|({name}))""")


@cache
def _tag() -> re.Pattern[str]:
    return re.compile(r"(?<![\w/&#.:=\[-])(?<!\]\()#([^\W\d_][\w/-]*)")


@cache
def _link() -> re.Pattern[str]:
    return re.compile(r"\[\[([^\[\]\n]{1,300})\]\]|(?<!!)\]\(\s{0,3}(<[^<>\n]{1,500}>|[^()\s]{1,500})")
