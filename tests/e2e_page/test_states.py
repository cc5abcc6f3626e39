"""What a person sees while an answer takes long, and that a form is sent once."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from e2e_page.browsing import Tab

OpenPage = Callable[..., "Tab"]
pytestmark = pytest.mark.e2e


def test_what_takes_long_is_shown_as_busy_until_it_is_there(open_page: OpenPage) -> None:
    tab = open_page("sample")
    page, held = tab.page, list[Any]()
    page.route("**/files", lambda route: held.append(route))
    page.get_by_role("link", name="Files").click()
    page.locator('body[aria-busy="true"]').wait_for()
    seen = tab.evaluate("getComputedStyle(document.querySelector('header'), '::after').content")
    assert "Loading" in seen
    held[0].continue_()
    page.get_by_role("heading", name="Files").wait_for()
    page.locator('body:not([aria-busy="true"])').wait_for()
    assert tab.complaints == []


def test_a_button_that_is_pressed_twice_sends_its_form_once(open_own_page: OpenPage) -> None:
    tab = open_own_page("sample")
    page, held = tab.page, list[Any]()
    tab.go("/file?path=MEMORY.md&line=7")
    tab.go("/line?path=MEMORY.md&line=7")
    page.route("**/line", lambda route: held.append(route) if route.request.method == "POST" else route.continue_())
    page.locator("#text").fill("- Tea, not coffee.")
    save = page.get_by_role("button", name="Save")
    for _ in range(3):
        save.click()
    assert tab.evaluate("document.activeElement.textContent") == "Save"
    page.locator('body[aria-busy="true"]').wait_for()
    assert len(held) == 1
    held[0].continue_()
    page.get_by_text("Saved").first.wait_for()
    assert len(held) == 1
    page.get_by_role("button", name="Undo").first.click()
    page.get_by_text("It was undone").wait_for()
    assert tab.complaints == []


@pytest.mark.parametrize("zone", ["Pacific/Kiritimati", "Pacific/Pago_Pago", "Africa/Cairo"])
def test_plots_have_the_days_of_the_notebook_wherever_the_browser_is(open_page: OpenPage, zone: str) -> None:
    tab = open_page("sample", timezone_id=zone, locale="en-GB")
    page = tab.page
    tab.go("/today?day=2025-04-26")  # in Cairo the clock left out the midnight before
    page.locator(".plot canvas").wait_for()
    box = page.locator(".plot .u-over").bounding_box()
    assert box
    for share, day in ((0.99, "26/04/2025"), (0.95, "25/04/2025")):
        page.mouse.move(box["x"] + share * box["width"], box["y"] + 20)
        page.locator(".u-legend .u-value").first.get_by_text(day).wait_for(timeout=5_000)
