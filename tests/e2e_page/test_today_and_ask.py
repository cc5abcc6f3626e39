"""Today and Ask in a real browser: the live feed, the plot and its table, hits, filters, packs, by keyboard and without
JavaScript."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

from bench.running_daemon import running, runtime

if TYPE_CHECKING:
    from e2e_page.browsing import Tab

OpenPage = Callable[..., "Tab"]
QUESTION = "who is allergic to walnut?"
pytestmark = pytest.mark.e2e


def test_what_is_kept_elsewhere_shows_up_and_the_focus_stays(open_own_page: OpenPage) -> None:
    tab = open_own_page("empty")
    page = tab.page
    page.get_by_text("As a table").focus()
    tab.served.daemon.ask("retain", text="W @Ana: Sails <b>boldly</b>.")
    page.get_by_text("Sails <b>boldly</b>.").wait_for(timeout=10_000)
    assert tab.evaluate("document.activeElement.textContent") == "As a table"
    assert page.locator(".plot canvas").count() == 1
    assert tab.complaints == []


def test_the_plot_says_what_its_table_says_and_leads_to_its_days(open_page: OpenPage) -> None:
    page = open_page("sample").page
    page.locator(".plot canvas").wait_for()
    assert page.locator("table[data-plot] tbody tr").count() == 30
    box = page.locator(".plot .u-over").bounding_box()
    assert box
    page.mouse.move(box["x"] + box["width"] - 4, box["y"] + 20)
    page.mouse.click(box["x"] + box["width"] - 4, box["y"] + 20)
    page.wait_for_url("**/today?day=*")
    page.get_by_text("As a table").press("Enter")
    page.locator("table[data-plot] tbody tr a").first.press("Enter")
    page.wait_for_url("**/today?day=2025-10-*")
    assert page.locator(".plot canvas").count() == 1


def test_a_question_is_asked_by_keyboard_alone(open_page: OpenPage) -> None:
    tab = open_page("sample")
    page = tab.page
    page.locator("#search").focus()
    page.keyboard.type(QUESTION)
    page.keyboard.press("Enter")
    page.get_by_text("Found by the words").first.wait_for()
    assert "q=who+is+allergic+to+walnut" in page.url
    page.get_by_role("link", name="Pack").press("Enter")
    page.locator("#budget").focus()
    for _ in range(4):
        page.keyboard.press("ArrowLeft")
    page.wait_for_url("**budget=1000*")
    page.get_by_text("of 1,000 tokens").wait_for()
    assert tab.evaluate("document.activeElement.id") == "budget"
    assert "kind=" not in page.url  # what is empty is not sent
    page.get_by_role("link", name="Why not?").press("Enter")
    page.locator("#line").fill("bank/world.md#L8")
    page.keyboard.press("Enter")
    page.get_by_text("It is shown, at rank").wait_for()
    search = page.locator("#search")
    assert search.input_value() == page.locator("#question").input_value() != ""
    page.get_by_role("link", name="Files").click()
    page.get_by_role("heading", name="Files").wait_for()
    assert search.input_value() == ""
    search.fill("another")
    page.get_by_role("link", name="Health").click()
    page.get_by_role("heading", name="Health").wait_for()
    assert search.input_value() == ""
    assert tab.complaints == []


def test_everything_works_without_javascript(open_page: OpenPage) -> None:
    page = open_page("sample", java_script_enabled=False).page
    page.locator("#search").fill(QUESTION)
    page.keyboard.press("Enter")
    page.wait_for_url("**/ask?q=*")
    assert page.locator("ol.hits > li").count() == 10
    page.get_by_role("link", name="Page 2").click()
    assert page.locator("ol.hits").get_attribute("start") == "11"
    page.get_by_text("Filters").click()
    page.get_by_label("Kind").select_option("opinion")
    page.get_by_role("button", name="Ask").click()
    assert page.locator("ol.hits > li").count() > 0
    page.get_by_role("link", name="Pack").click()
    page.locator("#question").fill(QUESTION)
    page.get_by_role("button", name="Pack").click()
    assert page.get_by_role("heading", name="In the pack").count() == 1


# Playwright shows every tab at all times; so a tab is told that nobody sees it.
HIDEABLE = "Object.defineProperty(document, 'hidden', {get: () => window.isHidden ?? false})"
SEEN = "event => { window.isHidden = false; (event === 'pageshow' ? window : document).dispatchEvent(new PageTransitionEvent(event, {persisted: true})) }"
HIDDEN = "() => { window.isHidden = true; document.dispatchEvent(new Event('visibilitychange')) }"


def test_tabs_that_nobody_sees_take_no_connection_and_catch_up_when_they_are_seen(open_own_page: OpenPage) -> None:
    """A browser opens six connections to a host, and each feed that is open keeps one."""
    tab = open_own_page("empty")
    tab.context.add_init_script(HIDEABLE)
    tab.page.close()
    pages = [tab.context.new_page() for _ in range(7)]
    for page in pages:
        page.goto(f"{tab.base}/today", timeout=10_000)
        page.evaluate(HIDDEN)
    tab.context.new_page().goto(f"{tab.base}/files", timeout=10_000)
    tab.served.daemon.ask("retain", text="W @Ana: Sails boldly.")
    for page, event in zip(pages, ("visibilitychange", "pageshow"), strict=False):  # the latter: back from its cache
        assert page.get_by_text("Sails boldly.").count() == 0
        page.evaluate(SEEN, event)
        page.get_by_text("Sails boldly.").wait_for(timeout=10_000)
    tab.served.daemon.ask("retain", text="W @Ana: Rows, too.")
    pages[0].get_by_text("Rows, too.").wait_for(timeout=10_000)


def test_a_page_outlives_its_daemon_with_all_that_was_written_into_it(open_own_page: OpenPage) -> None:
    tab = open_own_page()
    folder, today, editor = tab.served.folder, tab.page, tab.context.new_page()
    folder.joinpath("note.md").write_text("- Old words.\n", encoding="utf-8")
    editor.goto(f"{tab.base}/line?path=note.md&line=1")
    editor.locator("#text").fill("- New words.")
    assert tab.served.daemon.stop() == 0
    today.get_by_text("The daemon does not answer").wait_for()
    editor.get_by_role("button", name="Save").click()
    editor.get_by_text("The daemon does not answer").wait_for()
    with runtime() as place, running(folder, place) as daemon:
        link = daemon.get("/page/link").json["link"]
        assert link.startswith(tab.base)  # at the same port
        today.get_by_text("does not know this browser").wait_for()
        editor.get_by_text("does not know this browser").wait_for()
        tab.context.new_page().goto(link)
        editor.get_by_text("What you sent did not arrive").wait_for()
        editor.get_by_role("button", name="Save").click()
        editor.locator("#notice").get_by_text("Saved").wait_for()
        today.locator("#offline").wait_for(state="detached")
        today.get_by_text("New words.").first.wait_for()  # the feed goes on
    assert folder.joinpath("note.md").read_text(encoding="utf-8") == "- New words.\n"


def test_a_form_of_before_a_restart_keeps_its_words(open_own_page: OpenPage) -> None:
    """Its token is too old, and the page that says so does not take its place."""
    tab = open_own_page()
    tab.go("/line?path=MEMORY.md&line=7")
    tab.page.locator("#text").fill("- Mine.")
    for field in tab.page.locator("input[name=token]").all():
        field.evaluate("field => { field.value = 'old' }")
    tab.page.get_by_role("button", name="Save").click()
    tab.page.get_by_text("What you sent did not arrive").wait_for()
    assert tab.page.locator("#text").input_value() == "- Mine."
    tab.page.get_by_role("button", name="Save").click()
    tab.page.locator("#notice").get_by_text("Saved").wait_for()
