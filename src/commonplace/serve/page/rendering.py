"""The templates and files of the page, and the words that they use for numbers and times."""

from __future__ import annotations

import os
import re
from datetime import date
from difflib import unified_diff
from functools import cache
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from commonplace.serve.page.markdown import render_file
from commonplace.serve.page.reasons import WAITS, describe_part, describe_reason
from commonplace.shapes import Json
from commonplace.storage import files
from commonplace.storage.workspace import QUEUE_PATH

FOLDER = os.path.dirname(__file__)
MEDIA_TYPES = {".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}
# What is not seen and misleads: control characters but white space, and what changes the order of the text around it.
STEERING = re.compile("[\0-\x08\x0b\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
FIELD_OR_STEERING = re.compile(rf"<input\b[^>]*>|<textarea.*?</textarea>|({STEERING.pattern})", re.DOTALL)
QUEUED_LINE = re.compile(r"[a-z]+(?:, [^:]+)?: (.+?)(?: \(why: [^()]*\))?(?: \[against [^\]]*\])?")
CONTROL_PICTURES = 0x2400  # `␀`: each C0 control has its picture there, in order


@cache
def _environment() -> Environment:
    made = Environment(
        loader=FileSystemLoader(os.path.join(FOLDER, "templates")),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    made.filters |= {"count": format_count, "day": format_day, "difference": list_difference, "minute": format_minute}
    made.filters |= {"markdown": render_file, "at_page": at_page, "sentence": format_sentence}
    made.filters |= {"own_words": own_words, "part": describe_part, "reason": describe_reason}
    made.filters["waits"] = lambda reason: WAITS.get(reason, reason)
    return made


def render(template: str, **values: Any) -> str:
    """A template as HTML; every value in it is text, and escaped; outside the fields of forms a sign takes the place of
    each character that steers."""
    html = _environment().get_template(template).render(values)
    return FIELD_OR_STEERING.sub(_show_steering, html) if STEERING.search(html) else html


def _show_steering(match: re.Match[str]) -> str:
    char = match[1]
    return match[0] if char is None else chr(CONTROL_PICTURES + ord(char)) if char < " " else "\ufffd"


@cache
def static_files() -> dict[str, tuple[bytes, str]]:
    """The files that pages load, each with its media type, by name."""
    folder = os.path.join(FOLDER, "static")
    typed = ((name, MEDIA_TYPES.get(os.path.splitext(name)[1])) for name in files.list_folder_names(folder))
    return {name: (files.read_file(folder, name), media_type) for name, media_type in typed if media_type}


def at_page(address: str, page: int, **others: int) -> str:
    """The address of another page of a list, with other parameters than it has."""
    parts, others = urlsplit(address), {**others, "page": page}
    pairs: list[tuple[str, Any]] = [(name, value) for name, value in parse_qsl(parts.query) if name not in others]
    return f"{parts.path}?{urlencode([*pairs, *others.items()])}"


def format_count(number: float) -> str:
    """A number as people read it: `12,345`."""
    return f"{number:,}"


def list_difference(before: str, after: str) -> list[tuple[str, str, str]]:
    """The lines of two texts that differ: `-` or `+`, the words, and the annotation behind them."""
    lines = [*unified_diff(before.split("\n"), after.split("\n"), n=0, lineterm="")][2:]  # without its header
    changed = [(line[0], line[1:]) for line in lines if not line.startswith("@@") and line[1:].strip()]
    parted = ((sign, *text.partition("<!--")) for sign, text in changed)
    return [(sign, words.rstrip(), mark + annotation) for sign, words, mark, annotation in parted]


def own_words(record_shape: Json) -> str:
    """The words of a line; of one that waits for review those that would be kept, without why it waits."""
    match = QUEUED_LINE.fullmatch(" ".join(record_shape["text"].split()))
    is_queued = record_shape.get("citation", "").startswith(QUEUE_PATH)
    return match[1] if match and is_queued else str(record_shape["text"])


def format_minute(time: str) -> str:
    """A time of a record as people read it: `2026-11-27 21:30`."""
    return time[:16].replace("T", " ")


def format_sentence(text: str) -> str:
    """What an error says, as a sentence."""
    return text[:1].upper() + text[1:] + ("" if text.endswith((".", "?", "!", "…")) else ".") if text else ""


def format_day(day: str) -> str:
    """A day as people read it: `Thursday, 27 November 2025`."""
    read = date.fromisoformat(day)
    return f"{read:%A}, {read.day} {read:%B} {read.year}"
