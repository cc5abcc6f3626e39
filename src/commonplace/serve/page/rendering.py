"""The templates and files of the page, and the words that they use for numbers and times."""

from __future__ import annotations

import os
from datetime import date
from difflib import unified_diff
from functools import cache
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from commonplace.serve.page.markdown import render_file
from commonplace.serve.page.reasons import describe_part, describe_reason, describe_wait
from commonplace.storage import files

FOLDER = os.path.dirname(__file__)
MEDIA_TYPES = {".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}


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
    made.filters |= {"part": describe_part, "reason": describe_reason, "waits": describe_wait, "markdown": render_file}
    made.filters["sentence"] = format_sentence
    return made


def render(template: str, **values: Any) -> str:
    """A template as HTML; every value in it is text, and escaped."""
    return _environment().get_template(template).render(values)


@cache
def static_files() -> dict[str, tuple[bytes, str]]:
    """The files that pages load, each with its media type, by name."""
    folder = os.path.join(FOLDER, "static")
    typed = ((name, MEDIA_TYPES.get(os.path.splitext(name)[1])) for name in files.list_folder_names(folder))
    return {name: (files.read_file(folder, name), media_type) for name, media_type in typed if media_type}


def format_count(number: float) -> str:
    """A number as people read it: `12,345`."""
    return f"{number:,}"


def list_difference(before: str, after: str) -> list[tuple[str, str, str]]:
    """The lines of two texts that differ: `-` or `+`, the words, and the annotation behind them."""
    lines = [*unified_diff(before.split("\n"), after.split("\n"), n=0, lineterm="")][2:]  # without its header
    changed = [(line[0], line[1:]) for line in lines if not line.startswith("@@") and line[1:].strip()]
    parted = ((sign, *text.partition("<!--")) for sign, text in changed)
    return [(sign, words.rstrip(), mark + annotation) for sign, words, mark, annotation in parted]


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
