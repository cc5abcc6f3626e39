"""Review, audit and forget in a real browser: by keys alone, by mouse, and without JavaScript."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from e2e_page.browsing import Tab

OpenPage = Callable[..., "Tab"]
FOCUSED = "document.activeElement.closest('[data-item]')?.id ?? document.activeElement.id"
DOUBTS = "".join(
    f"- person, Ana{n}: Ana{n} lives in Bern (why: not sure) <!-- id: doubt00{n} · origin: untrusted -->\n"
    for n in range(5)
)


def fill(tab: Tab) -> Tab:
    """A queue of five doubts, and one line that was written just now."""
    daemon = tab.served.daemon
    daemon.ask("log", text="Called the plumber.")
    tab.served.folder.joinpath("memory/pending.md").write_text(f"# Pending\n\n## Doubts\n{DOUBTS}", encoding="utf-8")
    return tab


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
    assert tab.page.locator("input:checked").count() == 2
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
