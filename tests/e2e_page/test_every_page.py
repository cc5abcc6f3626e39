"""What holds of every page: accessible in both themes, usable on a phone, a quiet console, few sizes and colours."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

import pytest

from e2e_page.runtime import what_is_missing

if not what_is_missing():
    from e2e_page.browsing import NARROW, NOTEBOOKS, SCHEMES, WIDE, Tab
else:  # each test says why it is skipped
    NARROW, WIDE, SCHEMES, NOTEBOOKS = 360, 1_200, ("light", "dark"), ("sample", "empty", "large")

OpenPage = Callable[..., "Tab"]
TYPE_SIZES, SPACING_STEPS, COLOURS = 5, 6, 12  # at most, over all pages; colours of both themes
MAX_BYTES = 150_000
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
AXE = """async (tags) => (await axe.run(document, {runOnly: tags})).violations.map(
    one => one.id + ": " + one.nodes.map(node => node.target + " " + node.failureSummary).slice(0, 3).join(" | "))"""
# Of everything that is seen. Sides of 1 px to 2 px are lines, not space; what is hidden from the eye has a trick's size.
STYLES = """() => {
    const found = {sizes: new Set(), spaces: new Set(), colours: new Set()};
    const sides = ["Top", "Right", "Bottom", "Left"];
    for (const one of document.querySelectorAll("body, body *")) {
        const style = getComputedStyle(one), box = one.getBoundingClientRect();
        if (!one.checkVisibility({visibilityProperty: true}) || box.width <= 1 || box.height <= 1) continue;
        const own = [...one.childNodes].some(node => node.nodeType === 3 && node.data.trim());
        const typed = own || ["INPUT", "SELECT", "TEXTAREA"].includes(one.tagName);
        const inSvg = one.closest("svg, canvas") !== null;
        if (typed && !inSvg) { found.sizes.add(style.fontSize); found.colours.add(style.color); }
        if (inSvg) continue;
        for (const side of sides) {
            for (const kind of ["padding", "margin"]) {
                const auto = kind === "margin" && one === document.body;
                if (!auto && !["UL", "OL"].includes(one.tagName)) found.spaces.add(style[kind + side]);
            }
            if (parseFloat(style["border" + side + "Width"])) found.colours.add(style["border" + side + "Color"]);
        }
        if (style.display.endsWith("flex") || style.display.endsWith("grid")) {
            found.spaces.add(style.rowGap); found.spaces.add(style.columnGap);
        }
        found.colours.add(style.backgroundColor);
    }
    return Object.fromEntries(Object.entries(found).map(([name, values]) => [name, [...values]]));
}"""


def look_at(tab: Any, axe: str) -> list[str]:
    """What is wrong at every address of the table, at one width and in one theme."""
    wrong: list[str] = []
    for address in tab.served.addresses():
        tab.complaints.clear()
        answer = tab.go(address)
        if answer.status >= (400 if "?" in address and "nowhere" not in address else 500):
            wrong.append(f"{address}: {answer.status}")
        if len(answer.body()) > MAX_BYTES:
            wrong.append(f"{address}: {len(answer.body())} bytes")
        if tab.evaluate("document.documentElement.scrollWidth > innerWidth"):
            wrong.append(f"{address}: scrolls sideways")
        if axe:
            tab.page.evaluate(axe)
            wrong += [f"{address}: {violation}" for violation in tab.evaluate(AXE, RULES)]
        wrong += [f"{address}: {complaint}" for complaint in tab.complaints]
    return wrong


@pytest.mark.slow
def test_the_pages_of_the_sample_notebook_are_accessible_and_quiet(open_page: OpenPage, axe: str) -> None:
    """The fast part: in one theme and at the width of a phone."""
    assert look_at(open_page("sample", width=NARROW), axe) == []


@pytest.mark.e2e
@pytest.mark.parametrize("notebook", NOTEBOOKS)
@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("width", [WIDE, NARROW])
def test_every_page_is_accessible_and_quiet(
    open_page: OpenPage, axe: str, notebook: str, scheme: str, width: int
) -> None:
    assert look_at(open_page(notebook, scheme=scheme, width=width), axe) == []


@pytest.mark.e2e
@pytest.mark.parametrize("notebook", NOTEBOOKS)
def test_every_page_is_there_without_javascript(open_page: OpenPage, notebook: str) -> None:
    tab = open_page(notebook, java_script_enabled=False)
    for address in tab.served.addresses():
        answer = tab.go(address)
        assert answer.status < 500
        assert tab.page.locator("h1").count() == 1, address
        assert tab.page.locator("main").inner_text().strip(), address
    assert tab.complaints == []


@pytest.mark.slow
def test_pages_have_few_sizes_of_type_steps_of_space_and_colours(open_page: OpenPage) -> None:
    """Read from the computed styles of everything that is seen, on every page in both themes."""
    found: dict[str, Counter[str]] = {"sizes": Counter(), "spaces": Counter(), "colours": Counter()}
    for scheme in SCHEMES:
        tab = open_page("sample", scheme=scheme)
        for address in tab.served.addresses():
            tab.go(address)
            for kind, values in tab.evaluate(STYLES).items():
                found[kind].update(f"{value}" for value in values)
    spaces = {
        value for value in found["spaces"] if value not in ("0px", "normal", "auto") and not value.startswith("-")
    }
    colours = {value for value in found["colours"] if value != "rgba(0, 0, 0, 0)"}
    assert len(found["sizes"]) <= TYPE_SIZES, found["sizes"]
    assert len(spaces) <= SPACING_STEPS, spaces
    assert len(colours) <= COLOURS, colours


@pytest.mark.slow
def test_a_link_opens_one_browser_and_only_once(open_page: OpenPage) -> None:
    tab = open_page("sample")
    link = tab.served.link()
    answer = tab.page.goto(link)
    assert (answer.status, tab.page.url) == (200, f"{tab.base}/today")
    again = tab.page.goto(link)
    assert (again.status, "used already" in tab.page.content()) == (401, True)
    tab.context.clear_cookies()
    assert tab.go("/today").status == 401


@pytest.mark.slow
def test_forms_of_our_own_page_are_taken_and_those_of_other_sites_are_not(open_page: OpenPage) -> None:
    """As the browser itself sends them: with `Origin`, with what it fetches, with the cookie where it does."""
    tab = open_page("sample")
    tab.go("/today")
    with tab.page.expect_navigation():
        tab.page.evaluate(SEND_FORM, f"{tab.base}/no-form")
    assert "There is no such page" in tab.page.content()  # it came past the doors
    # the cookie goes to the second of them too: ports do not count
    others = ("http://evil.example:8099/", "http://127.0.0.1:8099/")
    for other in others:
        tab.context.route(other, lambda route: route.fulfill(body="<title>evil</title>", content_type="text/html"))
    for elsewhere in ("data:text/html,<title>evil</title>", "about:blank", *others):
        tab.page.goto(elsewhere)
        with tab.page.expect_navigation():
            tab.page.evaluate(SEND_FORM, f"{tab.base}/no-form")
        assert "another site" in tab.page.content(), elsewhere
        tab.page.goto(elsewhere)
        with tab.page.expect_navigation():
            tab.page.evaluate("address => { location = address; }", f"{tab.base}/today")
        assert "another site" in tab.page.content(), elsewhere


SEND_FORM = """address => {
    const form = document.createElement("form");
    form.method = "post"; form.action = address;
    document.body.append(form); form.submit();
}"""


@pytest.mark.slow
def test_a_name_that_leads_to_this_machine_opens_nothing(open_page: OpenPage) -> None:
    """DNS rebinding: for the browser the page is then one of the other site, whose scripts may read it."""
    tab = open_page("sample")
    rebound = tab.base.replace("127.0.0.1", "evil.example")
    for address in ("/today", "/today.json", "/static/style.css", urlsplit(tab.served.link()).path):
        answer = tab.page.goto(rebound + address)
        assert (answer.status, "Kept" in answer.text()) == (421, False), address
    answers = tab.evaluate(
        """async () => [(await fetch("/today")).status,
            (await fetch("/undo", {method: "POST", body: new URLSearchParams({token: "x"})})).status]"""
    )
    assert answers == [421, 421]
    assert tab.go("/today").status == 200


@pytest.mark.slow
def test_no_page_is_shown_in_a_frame_and_no_script_in_a_page_runs(open_page: OpenPage) -> None:
    tab = open_page("sample")
    tab.go("/today")
    told = tab.evaluate(
        """async () => {
            const script = document.createElement("script");
            script.textContent = "document.title = 'ran'";
            document.body.append(script);
            const button = document.createElement("button");
            button.setAttribute("onclick", "document.title = 'ran'");
            document.body.append(button); button.click();
            const frame = document.createElement("iframe");
            frame.src = "/today"; document.body.append(frame);
            await new Promise(loaded => { frame.onload = loaded; });
            let inside = "";
            try { inside = frame.contentDocument?.body?.innerText ?? ""; } catch { inside = ""; }
            return [document.title, inside];
        }"""
    )
    assert told[0] != "ran"
    assert "Kept" not in told[1]
    assert any("Content Security Policy" in complaint for complaint in tab.complaints)
