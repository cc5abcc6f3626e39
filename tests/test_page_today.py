"""Today: what came in and was kept on a day, what waits, what is new since the last visit, and the plot's table."""

from __future__ import annotations

import re

import pytest

from commonplace import Memory
from tests.support.page import MAX_PAGE_BYTES, Visitor, write_note


@pytest.fixture
def visitor(memory: Memory) -> Visitor:
    return Visitor(memory, "2025-11-27T18:00")


def test_an_empty_notebook_says_so(visitor: Visitor) -> None:
    page = visitor.get("/today")
    assert page.status == 200
    assert "This notebook is empty." in page.words
    assert "Nothing was kept on this day." in page.words
    assert page.header("set-cookie").endswith("HttpOnly; Max-Age=31622400; Path=/today; SameSite=strict")


def test_a_day_shows_what_came_in_and_what_was_kept(memory: Memory, visitor: Visitor) -> None:
    memory.capture("We met on the pier.", session="s1", now="2025-11-27T09:00")
    memory.retain("W @Ana: Sails on Sundays.", scope="club", now="2025-11-27T10:00")
    memory.retain("W @Ana: Lives in Bern.", now="2025-11-26T10:00")
    page = visitor.get("/today")
    assert "<h1>Today</h1>" in page.html
    assert re.search(r"Kept 1 @Ana: Sails on Sundays\. .* club Came in 1 We met on the pier\.", page.words)
    assert "Lives in Bern" not in page.words
    assert "2025-11-27 kept at 10:00" in page.words
    assert "2025-11-27 09:00" in page.words  # a capture has the minute already
    assert page.words.count("kept at") == 1
    assert "The day before, 2025-11-26" in page.words
    before = visitor.get("/today?day=2025-11-26")
    assert "Wednesday, 26 November 2025" in before.words
    assert "Lives in Bern" in before.words
    table = page.html[page.html.index("<table data-plot") : page.html.index("</table>")]
    assert table.count("<tr>") == 31
    cells = re.findall(r'day=2025-11-2[67]">(.*?)</a></th>' + r'<td class="number">(\d+)</td>' * 2, table)
    assert cells == [("2025-11-26", "0", "1"), ("2025-11-27", "1", "1")]


def test_a_quiet_day_shows_the_last_one_with_anything(memory: Memory, visitor: Visitor) -> None:
    memory.retain("W @Ana: Lives in Bern.", now="2025-10-01T10:00")
    page = visitor.get("/today")
    assert "this is the last day with anything" in page.words
    assert "Wednesday, 1 October 2025" in page.words
    assert "Lives in Bern" in page.words
    assert visitor.get("/today.json").json["day"] == "2025-10-01"


def test_what_is_new_since_the_last_visit_comes_by_importance(memory: Memory, visitor: Visitor) -> None:
    memory.retain("W @Ana: Lives in Bern.", now="2025-11-26T10:00")
    visitor.now = "2025-11-26T12:00"
    assert "New since" not in visitor.get("/today").words
    memory.retain("W @Ana: Likes tea.", importance=0.2, now="2025-11-27T09:00")
    memory.retain("W @Ana: Is allergic to nuts.", importance=0.9, now="2025-11-27T08:00")
    visitor.now = "2025-11-27T18:00"
    told = visitor.get("/today").words
    assert "New since 2025-11-26 12:00 2 lines were kept. @Ana: Is allergic to nuts." in told
    visitor.now = "2025-11-27T18:20"
    assert "New since 2025-11-26 12:00" in visitor.get("/today").words  # the same visit
    visitor.now = "2025-11-27T21:00"
    assert "Nothing was kept since your last visit, 2025-11-27 18:20." in visitor.get("/today").words


@pytest.mark.parametrize("cookie", ["", "x", "/2025-99-99T00:00", "2025-11-26T10:00/2025-11-26T99:00", "%27--"])
def test_a_cookie_that_says_nothing_is_no_visit(visitor: Visitor, cookie: str) -> None:
    visitor.get("/today")
    (name,) = [one for one in visitor.cookies if one.endswith("-visits")]
    visitor.cookies[name] = cookie
    assert visitor.get("/today").status == 200
    assert visitor.cookies[name] == "/2025-11-27T18:00"


def test_what_waits_is_named_and_counted(memory: Memory, visitor: Visitor) -> None:
    lines = "".join(
        f"- person, Ana: Ana has {n} boats (why: not sure: 0.50) <!-- id: aaaaaa{n} -->\n" for n in range(2, 7)
    )
    write_note(memory, "memory/pending.md", f"# Pending\n\n## Doubts\n{lines}")
    page = visitor.get("/today")
    assert "5 waiting for you" in page.words
    assert re.search(r'<a [^>]*href="/review#item-aaaaaa2">Ana has 2 boats</a>', page.html)
    assert 'id="item-aaaaaa2"' in visitor.get("/review").html
    assert "Ana has 6 boats" not in page.words
    assert "Decide about all 5" in page.words


def test_what_waits_is_not_kept_and_an_approved_line_is_kept_once(memory: Memory, visitor: Visitor) -> None:
    memory.capture("From: a guest. The room is fine.", actor="tool", session="s", now="2025-11-27T09:00")
    memory.retain("The spare key hangs behind the calendar.", actor="agent", session="s", now="2025-11-27T09:05")
    memory.retain("Ana sails on Sundays.", now="2025-11-27T09:06")
    for kept in (2, 2):
        page = visitor.get("/today")
        assert f"Kept {kept}" in page.words
        assert "why:" not in page.words
        table = page.html[page.html.index("<table data-plot") : page.html.index("</table>")]
        assert re.findall(r"11-27</a></th><td[^>]*>(\d+)</td><td[^>]*>(\d+)</td>", table) == [("1", str(kept))]
        for item in memory.pending():
            memory.approve(item.id, now="2025-11-27T10:00")


def test_a_day_of_many_lines_comes_page_by_page(memory: Memory, visitor: Visitor) -> None:
    lines = "".join(f"- W @Ana: Sails on day {n}. {'x' * 500}\n" for n in range(60))
    write_note(memory, "memory/2025-11-27.md", f"## Retain\n{lines}")
    pages = [visitor.get(f"/today?page={page}") for page in (1, 2, 3)]
    found = [number for page in pages for number in re.findall(r"Sails on day (\d+)\.", page.words)]
    assert sorted(map(int, found)) == list(range(60))
    assert [len(page.body) < MAX_PAGE_BYTES for page in pages] == [True, True, True]
    assert 'rel="next" href="/today?page=2"' in pages[0].html
    assert "There is no more." in visitor.get("/today?page=9").words
    assert visitor.get("/today?page=x").status == 200


def test_a_day_that_is_none_is_told_in_words(visitor: Visitor) -> None:
    page = visitor.get("/today?day=purple")
    assert page.status == 400
    assert "cannot read 'purple' as a time" in page.words


def test_untrusted_text_is_marked_text(memory: Memory, visitor: Visitor) -> None:
    memory.capture("<script>alert(1)</script>", actor="tool", session="s", now="2025-11-27T09:00")
    page = visitor.get("/today")
    assert "&lt;script&gt;alert(1)" in page.html
    assert ">untrusted</span>" in page.html


def test_the_feed_says_nothing_until_something_changes(visitor: Visitor) -> None:
    told = visitor.get("/feed")
    assert (told.header("content-type"), told.body) == ("text/event-stream; charset=utf-8", b"retry: 2000\n\n")
    assert visitor.asked == []
