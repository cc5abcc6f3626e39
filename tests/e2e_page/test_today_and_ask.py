"""Today and Ask in a real browser: the live feed, the plot and its table, hits, filters, packs, by keyboard and without
JavaScript."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

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
    page.wait_for_url("**budget=800*")
    page.get_by_text("of 800 tokens").wait_for()
    assert tab.evaluate("document.activeElement.id") == "budget"
    assert "kind=" not in page.url  # what is empty is not sent
    page.get_by_role("link", name="Why not?").press("Enter")
    page.locator("#line").fill("bank/world.md#L8")
    page.keyboard.press("Enter")
    page.get_by_text("It is shown, at rank").wait_for()
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


def test_a_page_says_that_the_daemon_is_gone(open_own_page: OpenPage) -> None:
    tab = open_own_page("empty")
    tab.page.locator("#today").wait_for()
    tab.served.daemon.process.terminate()
    tab.page.get_by_text("The daemon does not answer").wait_for(timeout=10_000)
