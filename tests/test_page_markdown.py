"""What a file says comes out as the tags and attributes of a short list, whatever it says."""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from markdown_it import MarkdownIt

from commonplace.serve.page import markdown
from commonplace.serve.page.markdown import render_file, sanitize
from tests.support.hostile_markup import HOSTILE
from tests.support.page import Elements
from tests.support.sample_size import sample_size

SHAPES = (
    "{}",
    "- {}\n  - {}",
    "# {}\n\n{}",
    "> {}",
    "| a | {} |\n|---|---|\n| {} | b |",
    "```{}\n{}\n```",
    "    {}",
    "[x]({})",
    "[{}](https://ok.example)",
    "text <!-- id: x · {} -->",
    "---\n{}\n---\n{}",
    "[[{}]]",
)


def file(text: str, **more: Any) -> dict[str, Any]:
    return {"path": "memory/a.md", "text": text, "line_start": 1, "hidden": [], "records": [], **more}


def record(first: int, trust: str = "trusted", scope: str = "", last: int = 0) -> dict[str, Any]:
    return {"line_start": first, "line_end": last or first, "trust": trust, "scope": scope}


def check_safe(html: str) -> None:
    """Only what the list allows, read as a browser reads it."""
    for tag, attributes in Elements(html).elements:
        assert tag in markdown.TAGS, (tag, html)
        for name, value in attributes.items():
            if name == "class":
                assert set(value.split()) <= markdown.CLASSES.get(tag, set()), html
                continue
            assert name in markdown.ATTRIBUTES.get(tag, ()), (tag, name, html)
            if name == "href":
                assert re.match(r"https?://[^/]|/(line|file|entity)\?|#L\d+$", value), html
            if name == "id":
                assert re.fullmatch(r"L\d+", value), html


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_yields_no_tag_or_attribute_beyond_the_list(text: str) -> None:
    for shape in SHAPES:
        check_safe(render_file(file(shape.replace("{}", text))))
    check_safe(render_file(file(text, path=text, records=[record(1, scope=text)])))
    check_safe(render_file(file(text, records=[record(1, "untrusted")])))
    check_safe(render_file(file(text, records=[record(1, text)])))
    check_safe(sanitize(text))
    check_safe(sanitize(MarkdownIt("commonmark", {"html": True}).render(text)))


@pytest.mark.sampled
@pytest.mark.slow
def test_hostile_text_of_others_yields_no_tag_or_attribute_beyond_the_list(shared: Path) -> None:
    """The corpus as text, in every shape of Markdown, and with nothing but the sanitizer."""
    raw, renderer = 0, MarkdownIt("commonmark", {"html": True})
    for text in list(payloads(shared))[:: sample_size(full=1, sample=5)]:
        for shape in SHAPES:
            check_safe(render_file(file(shape.replace("{}", text))))
        check_safe(sanitize(text))
        raw += bool(re.search(r"<script|<[^>]*\son\w+\s*=|javascript:", renderer.render(text), re.IGNORECASE))
    assert raw > 100  # of these a page without a sanitizer would run


def payloads(shared: Path) -> Iterator[str]:
    with gzip.open(shared / "corpora/xss/payloads.jsonl.gz", "rt", encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)["text"]


def test_no_line_is_lost_or_shown_twice() -> None:
    text = "# Title\npara one\npara two\n\n- item\n  goes on\n- `code`\n\n    indented\n\n```\nfenced\n```\n| a | b |\n|--|--|\n| c | d |\n<b>html</b>\n> quoted\n1. one\n\n***"
    html = render_file(file(text))
    ids = re.findall(r'id="L(\d+)"', html)
    assert len(ids) == len(set(ids))
    assert {int(one) for one in ids} == {1, 2, 3, 5, 6, 7, 9, 12, 14, 16, 17, 18, 19}
    for number in ids:
        assert f'href="/line?path=memory/a.md&amp;line={number}"' in html


def test_a_line_that_cannot_be_counted_has_no_number() -> None:
    assert re.findall(r'id="L(\d+)"', render_file(file("`a\nb`\nc\n\nd"))) == ["1", "5"]


def test_the_corpus_of_markdown_keeps_its_words(shared: Path) -> None:
    """Every word of each example is in the text, or in an attribute."""
    with gzip.open(next(Path(shared, "corpora/commonmark").glob("*.jsonl.gz")), "rt", encoding="utf-8") as lines:
        examples = [json.loads(line) for line in lines]
    for one in examples:
        html = render_file(file(one["markdown"].removesuffix("\n")))
        check_safe(html)
        ids = re.findall(r'id="L(\d+)"', html)
        assert len(ids) == len(set(ids)), one["markdown"]


def test_trusted_lines_are_markup_and_all_others_are_marked_text() -> None:
    text = "- **bold** one\n- **bold** two\n# **bold** three"
    html = render_file(file(text, records=[record(1), record(2, "untrusted"), record(3, "unknown")]))
    assert html.count("<strong>bold</strong>") == 1
    assert "- **bold** two" in Elements(html).text
    assert "# **bold** three" in Elements(html).text
    assert re.findall(r'<span class="mark">(\w+)</span>', html) == ["untrusted", "unknown"]
    hidden = render_file(file("(forgotten)", hidden=[1]))
    assert '<span class="mark">forgotten</span>' in hidden


def test_scopes_are_shown_with_their_lines() -> None:
    html = render_file(file("- one\n- two", records=[record(1, scope="heron"), record(2)]))
    assert html.count("heron") == 1
    assert html.index("heron") < html.index("one")


def test_annotations_are_folded_into_the_number_of_their_line() -> None:
    html = render_file(file("- Sails. <!-- id: 7f3k9q · origin: tool -->"))
    assert "7f3k9q" not in Elements(html).text
    assert 'title="id: 7f3k9q · origin: tool"' in html
    comment = render_file(file("<!-- what is\nneeded -->\nmore"))
    assert "<details><summary>Comment</summary>" in comment
    front = render_file(file("---\ntags: a\n---\n# T"))
    assert front.startswith("<details><summary>Front matter</summary>")
    assert 'id="L3"' in front
    assert '<h2><a class="line" id="L4"' in front


def test_links_lead_to_the_web_or_to_files_of_the_notebook() -> None:
    def link(target: str) -> str:
        _line, (_tag, attributes) = Elements(render_file(file(f"[x]({target})"))).elements[-2:]
        return attributes.get("href", "")

    assert link("https://a.example/b?c=d&e") == "https://a.example/b?c=d&e"
    assert link("b%20c.md") == "/file?path=memory/b%20c.md"
    assert link("../bank/d.md#L7") == "/file?path=bank/d.md#L7"
    assert link("/MEMORY.md") == "/file?path=MEMORY.md"
    assert link("#L3") == "#L3"
    for target in ("../../etc/passwd", "//evil.example", "mailto:a@b.c", "#today", "ftp://a.example", "https:a"):
        assert link(target) == "", target
    assert Elements(render_file(file("[[Ada L & co|Ada]]"))).elements[-1] == (
        "a",
        {"href": "/entity?name=Ada%20L%20%26%20co"},
    )


def test_headings_stand_below_the_title_of_the_page_and_leave_no_level_out() -> None:
    html = render_file(file("### deep\n# top\n###### deepest\n## next\n#### more"))
    assert re.findall(r"<h(\d)", html) == ["2", "2", "3", "3", "4"]


def test_the_line_that_was_asked_for_is_marked() -> None:
    assert render_file(file("a\n\nb"), 3).count('class="line here" id="L3"') == 1
