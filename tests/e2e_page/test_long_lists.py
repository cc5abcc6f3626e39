"""Long lists in a real browser: a file of 10,000 lines, a name in 3,000 lines, a queue of 1,000 items."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from e2e_page.browsing import Tab

OpenPage = Callable[..., "Tab"]
MAX_BYTES = 150_000
PATH = "log.md"
pytestmark = pytest.mark.e2e


def write(tab: Tab, path: str, text: str) -> None:
    tab.served.folder.joinpath(path).write_text(text, encoding="utf-8")


def wait_for_notice(tab: Tab, words: str) -> None:
    tab.page.locator("#notice").get_by_text(words).wait_for()


def test_a_file_of_ten_thousand_lines_is_read_and_edited_anywhere(open_own_page: OpenPage) -> None:
    tab = open_own_page()
    page = tab.page
    write(tab, PATH, "# Log\n\n## Retain\n\n" + "".join(f"- W @Rob: Saw heron {n}.\n" for n in range(4, 10_000)))
    tab.go(f"/files?contains={PATH}")
    page.get_by_role("link", name="Log").click()
    page.get_by_text("lines 1 to 200 of 10,000 lines").wait_for()
    page.get_by_text("too long to be edited as a whole").wait_for()
    page.get_by_role("link", name="Lines after").first.click()
    page.get_by_text("lines 201 to 400 of 10,000 lines").wait_for()
    page.get_by_label("Line", exact=True).fill("7777")
    page.get_by_label("Line", exact=True).press("Enter")
    page.locator("#L7777.here").wait_for()
    tab.go("/today")
    tab.go(f"/file?path={PATH}#L9000")
    page.locator("#L9000").wait_for()
    assert tab.evaluate("document.getElementById('L9000').getBoundingClientRect().top < innerHeight")
    page.locator("#L9000").click()
    page.locator("#text").fill("- W @Rob: Saw none.")
    page.locator("#text").press("Tab")
    page.keyboard.press("Enter")
    wait_for_notice(tab, "Saved")
    assert page.locator(".line.here").text_content() == "9000"
    lines = tab.served.folder.joinpath(PATH).read_text("utf-8").split("\n")
    assert (lines[8_999], len(lines)) == ("- W @Rob: Saw none.", 10_001)
    page.get_by_role("link", name="Edit these lines").click()
    page.locator("#text").wait_for()
    assert page.locator("#text").input_value().split("\n")[-1] == "- W @Rob: Saw none."
    page.get_by_role("link", name="History").click()
    page.get_by_text("− - W @Rob: Saw heron 8999.").wait_for()
    page.get_by_role("button", name="Undo the write of").click()
    wait_for_notice(tab, "It was undone")
    assert tab.served.folder.joinpath(PATH).read_text("utf-8").split("\n")[8_999] == "- W @Rob: Saw heron 8999."
    assert tab.complaints == []


def test_a_name_in_three_thousand_lines_is_read_page_by_page(open_own_page: OpenPage) -> None:
    tab = open_own_page()
    page = tab.page
    write(tab, PATH, "# Log\n\n## Retain\n\n" + "".join(f"- W @Rob: Saw heron {n}.\n" for n in range(3_000)))
    assert len(tab.go("/entity?name=Rob").body()) < MAX_BYTES
    page.get_by_text("2,700 older lines were not read").wait_for()
    page.get_by_role("link", name="Read older lines too").click()
    page.get_by_text("2,400 older lines were not read").wait_for()
    page.get_by_role("link", name="Page 2").click()
    page.get_by_text("Page 2", exact=True).wait_for()
    answer = tab.go("/entity?name=Rob&page=60")
    assert (answer.status, page.locator("article.record").count()) == (200, 50)
    assert page.get_by_role("link", name="Page 61").count() == 0
    assert tab.complaints == []


def test_a_queue_of_a_thousand_is_decided_page_by_page(open_own_page: OpenPage) -> None:
    tab = open_own_page("empty")
    page = tab.page
    items = (f"- person, Ana{n}: Ana{n} sails (why: not sure) <!-- id: doubt{n:04d} -->\n" for n in range(1_000))
    tab.served.folder.joinpath("memory").mkdir(exist_ok=True)
    write(tab, "memory/pending.md", f"# Pending\n\n## Doubts\n{''.join(items)}")
    assert len(tab.go("/review").body()) < MAX_BYTES
    page.get_by_text("Page 1 of 40").wait_for()
    page.get_by_role("link", name="Page 2").click()
    page.get_by_text("Page 2 of 40").wait_for()
    for key in ("j", "x", "j", "x", "j", "x"):
        page.keyboard.press(key)
    assert page.locator("[name=item]:checked").count() == 3
    page.get_by_role("button", name="Approve chosen").press("Enter")
    wait_for_notice(tab, "3 items were approved")
    assert "page=2" in page.url
    page.get_by_text("997 waiting for you").wait_for()
    page.keyboard.press("j")
    page.keyboard.press("r")
    wait_for_notice(tab, "1 item was rejected")
    page.keyboard.press("u")
    wait_for_notice(tab, "It was undone")
    page.get_by_text("997 waiting for you").wait_for()
    tab.go("/review?page=40")
    assert page.locator("[data-item]").count() == 22
    assert tab.complaints == []
