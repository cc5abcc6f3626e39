"""The templates and files of the page, and the words that they use for numbers and times."""

from __future__ import annotations

import os
from functools import cache
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from commonplace.serve.page.markdown import render_file

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
    made.filters |= {"count": format_count, "minute": format_minute, "markdown": render_file}
    return made


def render(template: str, **values: Any) -> str:
    """A template as HTML; every value in it is text, and escaped."""
    return _environment().get_template(template).render(values)


@cache
def read_static(name: str) -> tuple[bytes, str] | None:
    """A file of the page and its media type; None where there is none of this name."""
    folder = os.path.join(FOLDER, "static")
    media_type = MEDIA_TYPES.get(os.path.splitext(name)[1])
    if media_type is None or name not in os.listdir(folder):
        return None
    with open(os.path.join(folder, name), "rb") as file:
        return file.read(), media_type


def format_count(number: float) -> str:
    """A number as people read it: `12,345`."""
    return f"{number:,}"


def format_minute(time: str) -> str:
    """A time of a record as people read it: `2026-11-27 21:30`."""
    return time[:16].replace("T", " ")
