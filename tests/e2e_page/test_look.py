"""How the pages look: lines that can be read, tables on a phone, plots, print, and what a person asked the system for."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

from e2e_page.runtime import what_is_missing

if TYPE_CHECKING:
    from playwright.sync_api import Route

    from e2e_page.browsing import Tab

NARROW = 360
if not what_is_missing():
    from e2e_page.browsing import NARROW

OpenPage = Callable[..., "Tab"]
HITS = "/ask?q=who+is+allergic+to+walnut%3F"
MEASURE = 720  # pixels, some 85 letters
LIBRARY = "**/static/uPlot.iife.min.js"
CROWDED = """() => [...document.querySelectorAll("main table")].filter((table) => table.checkVisibility() &&
    [...table.rows].some((row) => row.cells.length > 3 && getComputedStyle(row).display === "table-row" &&
        row.parentElement.tagName === "TBODY")).length"""
# A table of one day, drawn again.
ONE_DAY = """() => {
    const row = document.querySelector("section[aria-labelledby=recall] tbody tr");
    row.parentElement.replaceChildren(row);
    for (const cell of [...row.cells].slice(1)) cell.textContent = "9";
    document.dispatchEvent(new Event("htmx:after:settle"));
}"""
# What is painted low in the middle of a plot.
MIDDLE = """() => {
    const figure = document.querySelector("section[aria-labelledby=recall] .plot");
    const [over, canvas] = [figure.querySelector(".u-over"), figure.querySelector("canvas")];
    const place = over.getBoundingClientRect(), ground = canvas.getBoundingClientRect();
    const at = [place.left - ground.left + place.width / 2, place.bottom - ground.top - 4];
    return [...canvas.getContext("2d").getImageData(at[0] * devicePixelRatio, at[1] * devicePixelRatio, 1, 1).data];
}"""
BECOMES = f"""async (wanted) => {{
    for (let frames = 0; frames < 300; frames += 1) {{
        if (String(({MIDDLE})()) === wanted) return true;
        await new Promise(requestAnimationFrame);
    }}
    return false;
}}"""
pytestmark = pytest.mark.e2e


def test_lines_are_not_longer_than_can_be_followed(open_page: OpenPage) -> None:
    tab = open_page("sample")
    for address in (HITS, "/entity?name=Runa", "/file?path=MEMORY.md"):
        tab.go(address)
        widths = tab.evaluate("[...document.querySelectorAll('.text, .lines')].map(one => one.clientWidth)")
        assert widths
        assert max(widths) <= MEASURE, address


def test_on_a_phone_the_search_stands_behind_the_last_page_and_tables_become_rows(open_page: OpenPage) -> None:
    tab = open_page("sample", width=NARROW)
    for address in tab.served.addresses():
        tab.go(address)
        assert tab.evaluate(CROWDED) == 0, address
    search, last = (tab.page.locator(f"header {one}").bounding_box() for one in ("#search", "nav a:last-of-type"))
    assert search
    assert last
    assert search["y"] < last["y"] + last["height"]


def test_a_plot_keeps_its_room_while_its_library_loads(open_page: OpenPage) -> None:
    page = open_page("sample").page
    held: list[Route] = []
    page.route(LIBRARY, lambda route: held.append(route))
    page.goto(page.url, wait_until="commit")
    box = page.locator(".plot").bounding_box()
    assert box
    assert held
    held[0].continue_()
    page.locator(".plot canvas").wait_for()
    drawn = page.locator(".plot").bounding_box()
    assert drawn
    assert abs(drawn["height"] - box["height"]) < 8


def test_a_plot_of_one_day_has_it_in_the_middle_in_the_colours_of_the_theme(open_page: OpenPage) -> None:
    tab = open_page("sample")
    tab.go("/health")
    tab.page.locator("section[aria-labelledby=recall] canvas").wait_for()
    tab.evaluate(ONE_DAY)
    assert tab.evaluate(BECOMES, "27,92,79,255")
    tab.page.emulate_media(color_scheme="dark")
    assert tab.evaluate(BECOMES, "127,209,189,255")


def test_a_plot_has_a_legend_without_figures_until_it_is_pointed_at(open_page: OpenPage) -> None:
    page = open_page("sample").page
    page.locator(".plot canvas").wait_for()
    assert page.locator(".plot .u-legend").inner_text().split() == ["KeptCame", "in"]
    page.locator(".plot .u-over").hover()
    page.get_by_text("2025", exact=False).and_(page.locator(".u-value")).wait_for()


def test_what_is_printed_is_the_notebook_and_not_its_controls(open_page: OpenPage) -> None:
    tab = open_page("sample", scheme="dark")
    tab.go(HITS)
    tab.page.emulate_media(media="print")
    assert tab.page.locator(".text").first.is_visible()
    assert tab.page.locator("header, form, footer, .views").locator("visible=true").count() == 0
    assert tab.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"


def test_nothing_moves_for_who_wants_no_motion_and_quiet_words_are_plain_for_who_wants_contrast(
    open_page: OpenPage,
) -> None:
    tab = open_page("sample")
    tab.page.emulate_media(reduced_motion="reduce", contrast="more")
    tab.go(HITS)
    moving = """[...document.querySelectorAll('*')].filter(one => [getComputedStyle(one).transitionDuration,
        getComputedStyle(one).animationDuration].some(time => parseFloat(time) > 0)).length"""
    assert tab.evaluate(moving) == 0
    colour = "getComputedStyle(document.querySelector('{}')).color"
    assert tab.evaluate(colour.format(".source")) == tab.evaluate(colour.format("body"))
    tab.page.emulate_media(reduced_motion="no-preference", contrast="no-preference")
    assert tab.evaluate(moving) > 0
    assert tab.evaluate(colour.format(".source")) != tab.evaluate(colour.format("body"))
