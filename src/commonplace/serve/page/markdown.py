"""The lines of a file as HTML that holds no tag and no attribute but those of a short list.

Markdown that a trusted person wrote becomes markup; every other line is text, with a mark that says so. HTML in a file
is text too, annotations are folded into the number of their line, and what comes out goes through a sanitizer.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from html import escape, unescape
from itertools import groupby
from urllib.parse import quote, unquote, urlsplit

import nh3
from markdown_it import MarkdownIt
from markdown_it.token import Token
from markupsafe import Markup

from commonplace.shapes import Json

BLOCK_TAGS = ("blockquote", "details", "h2", "h3", "h4", "h5", "h6", "hr", "li", "ol", "p", "pre", "summary", "ul")
TABLE_TAGS = ("table", "tbody", "td", "th", "thead", "tr")
INLINE_TAGS = ("a", "br", "code", "em", "s", "span", "strong")
TAGS = frozenset((*BLOCK_TAGS, *TABLE_TAGS, *INLINE_TAGS))
ATTRIBUTES = {"a": {"href", "id", "title", "aria-label"}, "ol": {"start"}}
CLASSES = {"a": {"here", "line"}, "p": {"doubtful", "text"}, "span": {"mark"}}
HREF = re.compile(r"https?://[^/]|/(?:line|file|entity)\?|#L\d+\Z")
LINE_ID = re.compile(r"L\d+\Z")
COMMENT = re.compile(r"<!--(.*?)-->\s*", re.DOTALL)
WIKI_LINK = re.compile(r"\[\[([^\[\]|]{1,200})(?:\|([^\[\]|]{1,200}))?\]\]")
FRONT_MATTER = re.compile(r"---[ \t\r]*\n.*?\n---[ \t\r]*(?=\n|\Z)", re.DOTALL)
TRUSTED = "trusted"
FORGOTTEN = "forgotten"


def line_address(path: str, number: int) -> str:
    """Where a line of a file is shown and edited."""
    return f"/line?path={quote(path)}&line={number}"


def render_file(file: Json, here: int = 0) -> Markup:
    """The lines of `commonplace.file.v1` as HTML; each has an anchor `L12`, that of the line `here` is marked, and no
    line without trust is markup."""
    page = _LinePage(file["path"], _labels(file["records"]), here)
    marks = dict.fromkeys(file["hidden"], FORGOTTEN)
    for record in file["records"]:
        if record["trust"] != TRUSTED:
            marks |= dict.fromkeys(range(record["line_start"], record["line_end"] + 1), record["trust"])
    first, lines = file["line_start"], file["text"].split("\n")
    pieces = []
    front = FRONT_MATTER.match(file["text"]) if first == 1 else None
    if front and marks.keys().isdisjoint(range(1, front[0].count("\n") + 2)):
        pieces.append(page.fold("Front matter", 1, front[0].split("\n")))
        first, lines = front[0].count("\n") + 2, lines[front[0].count("\n") + 1 :]
    numbered = enumerate(lines, first)
    for mark, run in groupby(numbered, lambda line: marks.get(line[0], "")):
        part = list(run)
        texts = [line for _number, line in part]
        pieces.append(page.as_text(part[0][0], texts, mark) if mark else page.as_markup(part[0][0], texts))
    return sanitize("".join(pieces))


def sanitize(html: str) -> Markup:
    """HTML with nothing in it but the tags, attributes and links of this module."""
    return Markup(_cleaner().clean(html))  # noqa: S704 - that is what the sanitizer is for


@cache
def _cleaner() -> nh3.Cleaner:
    return nh3.Cleaner(
        tags=set(TAGS),
        attributes=ATTRIBUTES,
        allowed_classes=CLASSES,
        attribute_filter=_filter_attribute,
        url_schemes={"http", "https"},
        link_rel=None,
    )


def _filter_attribute(_tag: str, name: str, value: str) -> str | None:
    pattern = {"href": HREF, "id": LINE_ID}.get(name)
    return value if pattern is None or pattern.match(value) else None


@cache
def _parser() -> MarkdownIt:
    return MarkdownIt("commonmark").enable(["table", "strikethrough"]).disable("image")


def _labels(records: Sequence[Json]) -> dict[int, str]:
    return {record["line_start"]: record["scope"] for record in records if record["scope"]}


class _LinePage:
    """The lines of one file on their way to HTML: which have their anchor, and which heading came last."""

    def __init__(self, path: str, labels: Mapping[int, str], here: int) -> None:
        self._path, self._labels, self._here = path, labels, here
        self._anchored: set[int] = set()
        self._level = 1

    def as_text(self, first: int, lines: list[str], mark: str) -> str:
        """Lines that are shown as they are."""
        shown = "\n".join(f"{self._anchor(number)}{escape(line)}" for number, line in enumerate(lines, first))
        return f'<p class="text doubtful">{shown} <span class="mark">{escape(mark)}</span></p>\n'

    def fold(self, name: str, first: int, lines: list[str]) -> str:
        """Lines that are shown when somebody opens them."""
        return f"<details><summary>{escape(name)}</summary>{self._pre(first, lines)}</details>\n"

    def as_markup(self, first: int, lines: list[str]) -> str:
        """Lines of Markdown."""
        tokens = _parser().parse("\n".join(lines))
        return "".join(self._render(tokens, first))

    def _render(self, block_tokens: Sequence[Token], first: int) -> Iterator[str]:
        for token in block_tokens:
            number = first + token.map[0] if token.map else 0
            if token.type == "inline":
                yield "".join(self._render_inline(token, number))
            elif token.type in ("fence", "code_block"):
                yield self._pre(number + (token.type == "fence"), token.content.removesuffix("\n").split("\n"))
            elif token.type == "html_block":
                yield self._html_block(number, token.content)
            elif not token.hidden:
                tag = self._heading_tag(token) if token.type.startswith("heading") else token.tag
                start = f' start="{int(token.attrs["start"])}"' if "start" in token.attrs else ""
                yield f"</{tag}>\n" if token.nesting < 0 else f"<{tag}{start}>"

    def _heading_tag(self, token: Token) -> str:
        """One level below the title of the page, and none left out."""
        if token.nesting > 0:
            self._level = min(int(token.tag[1]) + 1, self._level + 1, 6)
        return f"h{self._level}"

    def _render_inline(self, token: Token, number: int) -> Iterator[str]:
        children = token.children or []
        notes = "".join(child.content for child in children if child.type == "html_inline")
        yield self._anchor(number, " ".join(one.strip() for one in COMMENT.findall(notes)))
        breaks = [child for child in children if child.type in ("softbreak", "hardbreak")]
        is_counted = len(breaks) == token.content.count("\n")
        for child in children:
            if child.type == "text":
                yield WIKI_LINK.sub(_wiki_link, escape(child.content))
            elif child.type == "code_inline":
                yield f"<code>{escape(child.content)}</code>"
            elif child.type == "html_inline":
                yield "" if COMMENT.fullmatch(child.content) else escape(child.content)
            elif child.type in ("softbreak", "hardbreak"):
                number += 1
                yield "<br>\n"
                yield self._anchor(number) if is_counted else ""
            elif child.type == "link_open":
                address = self._link(str(child.attrs.get("href", "")))
                yield f'<a href="{escape(address)}">' if address else "<a>"
            elif child.tag:
                yield f"</{child.tag}>" if child.nesting < 0 else f"<{child.tag}>"
            else:
                yield escape(child.content)

    def _html_block(self, number: int, content: str) -> str:
        lines = content.removesuffix("\n").split("\n")
        if COMMENT.fullmatch(content):
            return self.fold("Comment", number, lines)
        return self._pre(number, lines)

    def _pre(self, first: int, lines: list[str]) -> str:
        shown = "\n".join(f"{self._anchor(number)}{escape(line)}" for number, line in enumerate(lines, first))
        return f"<pre><code>{shown}</code></pre>\n"

    def _anchor(self, number: int, note: str = "") -> str:
        """The number of a line, once a line: where it can be linked, and edited."""
        if number in self._anchored:
            return ""
        self._anchored.add(number)
        title = f' title="{escape(note)}"' if note else ""
        label = f'<span class="mark">{escape(self._labels[number])}</span> ' if number in self._labels else ""
        names = "line here" if number == self._here else "line"
        address = escape(line_address(self._path, number))
        link = f'<a class="{names}" id="L{number}" href="{address}" aria-label="Line {number}"{title}>{number}</a>'
        return link + label

    def _link(self, address: str) -> str:
        """Where a link leads: outside over HTTP, or to another file of the notebook; empty where to nothing else."""
        try:
            parts = urlsplit(address)
        except ValueError:
            return ""
        if parts.scheme or parts.netloc:
            return address if parts.scheme in ("http", "https") and parts.netloc else ""
        lines = f"#{parts.fragment}" if LINE_ID.match(parts.fragment) else ""
        if not parts.path:
            return lines
        target = unquote(parts.path)
        folder = "" if target.startswith("/") else posixpath.dirname(self._path)
        path = posixpath.normpath(posixpath.join(folder, target.lstrip("/")))
        return "" if path.startswith("..") else f"/file?path={quote(path)}{lines}"


def _wiki_link(match: re.Match[str]) -> str:
    name = match[1].strip()
    return f'<a href="/entity?name={quote(unescape(name))}">{match[2] or name}</a>'
