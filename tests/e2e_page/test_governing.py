"""Review, audit and forget in a real browser: by keys alone, by mouse, and without JavaScript."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from e2e_page.browsing import Tab

OpenPage = Callable[..., "Tab"]
FOCUSED = "document.activeElement.closest('[data-item]')?.id ?? document.activeElement.id"
DOUBT = "- person, Ana{0}: Ana{0} lives in Bern (why: not sure) <!-- id: doubt{0:03} · origin: untrusted -->\n"
MAX_SWAP_MS = 200


def fill(tab: Tab) -> Tab:
    """A queue of five doubts, and one line that was written just now."""
    daemon = tab.served.daemon
    daemon.ask("log", text="Called the plumber.")
    write_queue(tab, 5)
    return tab


def write_queue(tab: Tab, count: int) -> None:
    doubts = "".join(map(DOUBT.format, range(count)))
    tab.served.folder.joinpath("memory/pending.md").write_text(f"# Pending\n\n## Doubts\n{doubts}", encoding="utf-8")


def waiting(tab: Tab) -> list[str]:
    return [item["id"] for item in tab.served.daemon.ask("pending").json["items"]]


def texts(tab: Tab) -> list[str]:
    return [item["text"] for item in tab.served.daemon.ask("pending").json["items"]]


def press(tab: Tab, *keys: str) -> None:
    for key in keys:
        tab.page.keyboard.press(key)


def wait_for_notice(tab: Tab, words: str) -> None:
    tab.page.locator("#notice").get_by_text(words).wait_for()


@pytest.mark.slow
def test_the_queue_is_decided_edited_and_taken_back_by_keys_alone(open_own_page: OpenPage) -> None:
    tab = fill(open_own_page())
    tab.go("/review")
    press(tab, "j", "j", "k", "j")
    assert tab.evaluate(FOCUSED) == "item-doubt001"
    press(tab, "a")
    wait_for_notice(tab, "1 item was approved")
    assert tab.evaluate(FOCUSED) == "item-doubt002"  # what took its place
    press(tab, "r")
    wait_for_notice(tab, "1 item was rejected")
    assert waiting(tab) == ["doubt000", "doubt003", "doubt004"]
    press(tab, "u")
    wait_for_notice(tab, "It was undone")
    assert waiting(tab) == ["doubt000", "doubt002", "doubt003", "doubt004"]
    press(tab, "k", "k", "e", "End")
    tab.page.keyboard.type(" now")
    press(tab, "Tab", "Enter")
    wait_for_notice(tab, "The words were changed")
    assert texts(tab)[0] == "Ana0 lives in Bern now"
    press(tab, "u")
    wait_for_notice(tab, "It was undone")
    assert texts(tab)[0] == "Ana0 lives in Bern"
    press(tab, "?")
    assert tab.page.locator("#keys dl").is_visible()
    press(tab, "/")
    assert tab.evaluate("document.activeElement.id") == "search"
    press(tab, "a", "j")  # in a field they are letters
    assert len(waiting(tab)) == 4
    assert tab.complaints == []


@pytest.mark.slow
def test_several_items_are_chosen_and_decided_by_mouse_and_by_keys(open_own_page: OpenPage) -> None:
    tab = fill(open_own_page())
    tab.go("/review")
    tab.page.locator("#item-doubt001").get_by_label("choose").check()
    tab.page.locator("#item-doubt003").get_by_label("choose").check()
    tab.page.get_by_role("button", name="Approve chosen").click()
    wait_for_notice(tab, "2 items were approved")
    assert waiting(tab) == ["doubt000", "doubt002", "doubt004"]
    tab.page.get_by_role("button", name="Undo").click()
    wait_for_notice(tab, "4 writes were undone")
    assert len(waiting(tab)) == 5
    press(tab, "j", "x", "j", "x")
    assert tab.page.locator("[name=item]:checked").count() == 2
    tab.page.get_by_role("button", name="Reject chosen").focus()
    press(tab, "Enter")
    wait_for_notice(tab, "2 items were rejected")
    assert len(waiting(tab)) == 3
    assert tab.complaints == []


@pytest.mark.slow
@pytest.mark.parametrize("options", [{}, {"java_script_enabled": False}], ids=["with JavaScript", "without"])
def test_every_action_is_there_by_mouse(open_own_page: OpenPage, options: dict[str, Any]) -> None:
    tab = fill(open_own_page(**options))
    page = tab.page
    tab.go("/review")
    page.locator("#item-doubt000").get_by_role("button", name="Approve").click()
    wait_for_notice(tab, "1 item was approved")
    page.locator("#item-doubt001").get_by_text("Edit").click()
    page.locator("#item-doubt001").get_by_label("New words").fill("Ana1 swims")
    page.locator("#item-doubt001").get_by_role("button", name="Save").click()
    wait_for_notice(tab, "The words were changed")
    page.locator("#notice").get_by_role("button", name="Undo").click()
    wait_for_notice(tab, "It was undone")
    assert texts(tab)[0] == "Ana1 lives in Bern"
    page.get_by_role("link", name="Audit").click()
    page.get_by_role("button", name="Undo the write to memory/2025-11-30.md").click()
    wait_for_notice(tab, "It was undone")
    assert not tab.served.folder.joinpath("memory/2025-11-30.md").exists()  # it had nothing else
    receipt = tab.served.daemon.ask("pack", text="the key", receipt=True).json["receipt"]
    page.get_by_role("link", name="Receipts").click()
    page.locator(f'tbody a[href$="{receipt}"]').first.click()
    page.get_by_label("The question, word for word").fill("the key")
    page.get_by_role("button", name="Make this pack again").click()
    page.get_by_role("heading", name="What became of its lines").wait_for()
    page.get_by_role("link", name="Forget").click()
    page.get_by_label("Words").fill("walnut")
    page.get_by_role("button", name="Show what would go").click()
    page.get_by_role("button", name="Hide").click()
    wait_for_notice(tab, "hidden from every answer")
    assert "walnut" not in str(tab.served.daemon.ask("recall", text="walnut", evidence="none").json["hits"])
    page.locator("#notice").get_by_role("button", name="Undo").click()
    page.get_by_text("shown again").wait_for()
    assert "walnut" in str(tab.served.daemon.ask("recall", text="walnut", evidence="none").json["hits"])
    assert tab.complaints == []


@pytest.mark.slow
def test_receipts_are_opened_and_writes_are_undone_by_keys(open_own_page: OpenPage) -> None:
    tab = fill(open_own_page())
    tab.go("/audit/receipts")
    press(tab, "j", "o")
    tab.page.get_by_role("heading", name="What was packed").wait_for()
    tab.go("/audit")
    press(tab, "j", "u")
    wait_for_notice(tab, "It was undone")
    assert tab.complaints == []


@pytest.mark.slow
def test_letters_act_neither_with_modifiers_nor_when_held_nor_when_switched_off(open_own_page: OpenPage) -> None:
    """WCAG 2.1.4: the switch is found by Tab alone, and what it says lasts."""
    tab = fill(open_own_page())
    tab.go("/review")
    for modifier in ("Control", "Alt", "Meta"):
        press(tab, "j", f"{modifier}+x")
    tab.page.keyboard.down("x")
    for _ in range(3):
        tab.page.keyboard.down("x")  # held, it comes again and again
    tab.page.keyboard.up("x")
    assert tab.page.locator("[name=item]:checked").count() == 1
    press(tab, "?")
    assert tab.page.locator("#keys dl").is_visible()
    press(tab, "Tab", "Space")
    press(tab, "x", "?")
    tab.go("/review")
    press(tab, "j", "x", "?")
    assert not tab.page.locator("#keys dl").is_visible()
    assert tab.page.locator("[name=item]:checked").count() == 0
    tab.page.locator("#keys summary").press("Enter")
    press(tab, "Tab", "Space", "?", "j")
    assert tab.evaluate(FOCUSED) == "item-doubt000"
    assert len(waiting(tab)) == 5


@pytest.mark.slow
def test_the_focus_goes_where_the_work_goes_on(open_own_page: OpenPage) -> None:
    """To the item that took the place of one that was decided, and to the beginning of a page that is new."""
    tab = fill(open_own_page())
    for number in range(25):
        tab.served.daemon.ask("log", text=f"Heron {number}.")
    tab.go("/review")
    tab.page.locator("#item-doubt001 [data-key=a]").press("Enter")  # without the letter
    wait_for_notice(tab, "1 item was approved")
    assert tab.evaluate(FOCUSED) == "item-doubt002"
    tab.page.locator("#item-doubt004 [data-key=r]").press("Enter")
    wait_for_notice(tab, "1 item was rejected")
    assert tab.evaluate(FOCUSED) == "item-doubt003"  # the last one now
    tab.page.locator("#item-doubt003 [data-key=e]").press("Enter")
    press(tab, "Tab", "End", "!", "Tab", "Enter")
    wait_for_notice(tab, "The words were changed")
    assert tab.evaluate(FOCUSED) == "item-doubt003"
    assert tab.page.locator("#notice").get_attribute("aria-live") == "polite"
    for link, heading in (("Audit", "Audit"), ("Page 2", "Audit"), ("Receipts", "Receipts"), ("Ask", "Ask")):
        tab.page.get_by_role("link", name=link, exact=True).press("Enter")
        tab.page.locator(f"main:focus[aria-label={heading}]").wait_for()
        assert tab.evaluate("scrollY") == 0
    press(tab, "Tab")
    assert tab.evaluate(FOCUSED) == "question"
    tab.page.keyboard.type("Heron")
    press(tab, "Enter")
    tab.page.get_by_label("Hits").wait_for()
    assert tab.evaluate(FOCUSED) == "question"  # a form goes on where it was
    assert tab.complaints == []


MEASURE = """() => {
    window.times = [];
    let began = 0;
    document.addEventListener("htmx:before:swap", () => { began = performance.now(); });
    document.addEventListener("htmx:after:settle", () => requestAnimationFrame(() => times.push(performance.now() - began)));
    for (const one of document.querySelectorAll("[data-item]")) one.isOld = true;
}"""


@pytest.mark.slow
def test_a_queue_of_a_thousand_is_as_quick_as_a_short_one(open_own_page: OpenPage) -> None:
    """A decision takes one item out of the page and puts one in, and draws no other anew."""
    tab = open_own_page("empty")
    tab.served.folder.joinpath("memory").mkdir()
    write_queue(tab, 1_000)
    tab.go("/review?page=20")
    tab.evaluate(MEASURE)
    for left in (999, 998, 997):
        press(tab, "j", "r")
        tab.page.get_by_text(f"{left} waiting for you").wait_for()
    tab.page.wait_for_function("times.length === 3")
    assert tab.evaluate("[...document.querySelectorAll('[data-item]')].filter(one => one.isOld).length") == 22
    assert min(tab.evaluate("times")) < MAX_SWAP_MS
    for box in tab.page.get_by_label("choose").all():
        box.check()
    tab.page.get_by_role("button", name="Reject chosen").click()
    wait_for_notice(tab, "25 items were rejected")
    tab.page.get_by_text("972 waiting for you").wait_for()
    press(tab, "u")
    wait_for_notice(tab, "25 writes were undone")
    tab.page.get_by_text("997 waiting for you").wait_for()
    assert tab.complaints == []


@pytest.mark.slow
def test_letters_decide_about_all_that_are_chosen(open_own_page: OpenPage) -> None:
    tab = fill(open_own_page())
    tab.go("/review")
    press(tab, "j", "x", "j", "x", "j")
    tab.page.get_by_text("2 chosen: a approves and r rejects them").wait_for()
    press(tab, "r")
    wait_for_notice(tab, "2 items were rejected")
    assert waiting(tab) == ["doubt002", "doubt003", "doubt004"]
    assert tab.evaluate(FOCUSED) in ("item-doubt002", "item-doubt004")
    assert tab.page.locator("#chosen").text_content() == ""
    tab.page.get_by_label("choose all of this page").check()
    assert tab.page.locator("[name=item]:checked").count() == 3
    press(tab, "a")
    wait_for_notice(tab, "3 items were approved")
    assert waiting(tab) == []
    assert tab.complaints == []


@pytest.mark.slow
def test_the_keys_are_shown_in_sight_and_escape_goes_back(open_own_page: OpenPage) -> None:
    tab = fill(open_own_page())
    for number in range(30):
        tab.served.daemon.ask("log", text=f"Heron {number}.")
    tab.go("/audit")
    press(tab, "j", "j", "?")
    focused, at = "document.activeElement.closest('[data-item]')?.ariaLabel", tab.evaluate("scrollY")
    assert tab.page.locator("#keys dl").evaluate("one => one.getBoundingClientRect().bottom <= innerHeight")
    press(tab, "Escape")
    assert not tab.page.locator("#keys dl").is_visible()
    assert (tab.evaluate(focused), tab.evaluate("scrollY")) == ("memory/2025-11-30.md", at)
    told = {}
    for address in ("/today", "/audit"):
        tab.go(address)
        press(tab, "?")
        told[address] = [one.text_content() for one in tab.page.locator("#keys dt:visible").all()]
    assert told == {"/today": ["/", "?"], "/audit": ["j", "k", "u", "/", "?"]}


WATCH_PLOTS = """(() => { let made; window.plots = []; Object.defineProperty(window, "uPlot", { set: (found) => {
    made = new Proxy(found, { construct: (kind, given) => { plots.push(new kind(...given)); return plots.at(-1); } });
}, get: () => made }); })()"""
PLOTS = "plots.map(({ scales: { x, y }, series }) => ({ x: [x.min, x.max], low: y.min, labels: series.map(one => one.label) }))"


@pytest.mark.slow
def test_plots_end_today_and_begin_where_their_numbers_do(open_own_page: OpenPage) -> None:
    tab = open_own_page()
    for day in ("2025-07-01", "2025-11-20"):
        tab.served.daemon.ask("pack", text="tea", now=f"{day}T09:00")
    tab.context.add_init_script(WATCH_PLOTS)
    tab.go("/health")
    tab.page.locator(".plot canvas").nth(1).wait_for()
    growth, recall = tab.evaluate(PLOTS)
    assert growth["low"] > 100
    assert recall["low"] == 0
    ends = [date.fromtimestamp(one).isoformat() for one in recall["x"]]
    assert ends == ["2025-06-30", "2025-11-30"]
    assert recall["labels"] == ["Day", "Median, ms", "Slowest, ms"]  # the line is drawn over the bars


def find_child(pid: int) -> int:
    """The newest process that a process has started, once there is one."""
    for _ in range(100_000):
        for children in Path(f"/proc/{pid}/task").glob("*/children"):
            if started := children.read_text().split():
                return int(started[-1])
    raise AssertionError(f"process {pid} starts no other")


@pytest.mark.slow
def test_agents_are_answered_while_a_check_goes_on(open_own_page: OpenPage) -> None:
    """The checks of a large notebook take half a minute, and a daemon has one worker."""
    tab = open_own_page()
    tab.go("/health")
    tab.page.get_by_role("button", name="Run the checks").click(no_wait_after=True)
    child = find_child(tab.served.daemon.process.pid)
    os.kill(child, signal.SIGSTOP)
    assert tab.served.daemon.ask("recall", text="walnut").json["hits"]
    assert tab.page.get_by_text("What was checked").count() == 0
    os.kill(child, signal.SIGCONT)
    tab.page.get_by_text("What was checked: files").wait_for()
    assert tab.complaints == []
