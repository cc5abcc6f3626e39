"""Files and entities in a real browser: a line is edited by mouse, by keys and without scripts, and no edit is lost."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from e2e_page.browsing import Tab

OpenPage = Callable[..., "Tab"]
PATH = "memory/2025-11-21.md"


def note(tab: Tab) -> str:
    return tab.served.folder.joinpath(PATH).read_text("utf-8")


@pytest.mark.slow
def test_a_line_is_edited_by_mouse_and_put_back(open_own_page: OpenPage) -> None:
    tab = open_own_page()
    before = note(tab)
    tab.go("/files?contains=2025-11-21")
    tab.page.click(f"a[href='/file?path={PATH}']")
    tab.page.click("#L5")
    tab.page.fill("#text", "Friday summary at five.")
    tab.page.click("button.primary")
    tab.page.locator("#notice").get_by_text("Saved").wait_for()
    assert note(tab) == before.replace(before.split("\n")[4], "Friday summary at five.")
    assert tab.page.locator(".line.here").text_content() == "5"
    tab.page.locator("#notice").get_by_text("Undo").click()
    tab.page.locator("#notice").get_by_text("It was undone").wait_for()
    assert note(tab) == before
    assert tab.complaints == []


@pytest.mark.e2e
def test_a_line_is_edited_by_keys_alone(open_own_page: OpenPage) -> None:
    tab = open_own_page()
    tab.go(f"/line?path={PATH}&line=5")
    tab.page.locator("#text").focus()
    for key in ("Control+End", "!", "Tab", "Enter"):
        tab.page.keyboard.press(key)
    tab.page.locator("#notice").get_by_text("Saved").wait_for()
    assert note(tab).split("\n")[4].endswith("!")


@pytest.mark.e2e
@pytest.mark.parametrize("has_scripts", [True, False])
def test_both_versions_are_shown_when_an_editor_was_faster(open_own_page: OpenPage, has_scripts: bool) -> None:
    tab = open_own_page(java_script_enabled=has_scripts)
    tab.go(f"/line?path={PATH}&line=5")
    theirs = note(tab).replace("Friday", "FRIDAY")
    tab.served.folder.joinpath(PATH).write_text(theirs, encoding="utf-8")
    tab.page.fill("#text", "mine")
    tab.page.click("button.primary")
    tab.page.get_by_text("Somebody else changed the file").wait_for()
    assert note(tab) == theirs
    for _again in range(2):
        shown = tab.page.locator(".version").all_text_contents()
        assert (shown, tab.page.input_value("#text")) == ([theirs.split("\n")[4]], "mine")
        answer = tab.page.reload()
        assert answer is not None
        assert answer.status == 200
    tab.page.click("button.primary")
    tab.page.locator("#notice").get_by_text("Saved").wait_for()
    assert note(tab).split("\n")[4] == "mine"


def save_in_place(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8")


def save_by_renaming(path: Path, text: str) -> None:
    """As vim does: the old file becomes the backup, and a new one takes its place."""
    backup = path.with_name(f"{path.name}~")
    path.rename(backup)
    path.write_text(text, encoding="utf-8")
    backup.unlink()


@pytest.mark.e2e
@pytest.mark.parametrize("save", [save_in_place, save_by_renaming])
@pytest.mark.parametrize("has_scripts", [True, False])
def test_nothing_is_lost_when_an_editor_was_faster(
    open_own_page: OpenPage, has_scripts: bool, save: Callable[[Path, str], None]
) -> None:
    """Not even twice: each time both versions are shown, and the file is the editor's until a person has seen it."""
    tab = open_own_page(java_script_enabled=has_scripts)
    path, before = tab.served.folder / PATH, note(tab)
    tab.go(f"/line?path={PATH}&line=5")
    tab.page.fill("#text", "mine")
    for word in ("FRIDAY", "Saturday"):
        theirs = before.replace("Friday", word)
        save(path, theirs)
        tab.page.click("button.primary")
        tab.page.locator(".version", has_text=word).first.wait_for()
        assert note(tab) == theirs
        shown = tab.page.locator(".version").first.text_content()
        assert (shown, tab.page.locator("#text").input_value()) == (theirs.split("\n")[4], "mine")
    tab.page.click("button.primary")
    tab.page.locator("#notice").get_by_text("Saved").wait_for()
    assert note(tab) == theirs.replace(theirs.split("\n")[4], "mine")
    tab.page.locator("#notice").get_by_role("button", name="Undo").click()
    tab.page.locator("#notice").get_by_text("It was undone").wait_for()
    assert note(tab) == theirs


@pytest.mark.e2e
def test_words_outlive_a_file_that_is_gone_and_an_item_that_is_gone(open_own_page: OpenPage) -> None:
    tab = open_own_page()
    queue = tab.served.folder / "memory/pending.md"
    queue.write_text(
        "# Pending\n\n## Doubts\n- person, anna: anna sails (why: not sure) <!-- id: anna01 -->\n", "utf-8"
    )
    tab.go(f"/line?path={PATH}&line=5")
    tab.page.fill("#text", "mine")
    tab.served.folder.joinpath(PATH).unlink()
    tab.page.click("button.primary")
    tab.page.get_by_text("The file is gone").wait_for()
    tab.page.reload()
    assert tab.page.locator(".version").text_content() == "mine"
    tab.go("/review")
    tab.page.locator("#item-anna01 summary").click()
    words = tab.page.locator("#item-anna01 textarea")
    words.fill("anna rows")
    queue.unlink()
    tab.page.locator("#item-anna01 form:has(textarea) button").first.click()
    tab.page.locator("#offline").wait_for()
    assert "No pending item 'anna01'" in tab.page.locator("#offline").inner_text()
    assert words.input_value() == "anna rows"


@pytest.mark.e2e
def test_what_an_editor_saves_beside_a_decision_stays(open_own_page: OpenPage) -> None:
    tab = open_own_page()
    queue = tab.served.folder / "memory/pending.md"
    doubt = "- person, {0}: {0} sails (why: not sure) <!-- id: {0} -->\n"
    queue.write_text("# Pending\n\n## Doubts\n" + "".join(map(doubt.format, ("anna01", "berta1"))), encoding="utf-8")
    tab.go("/review")
    save_by_renaming(queue, queue.read_text("utf-8").replace("berta1 sails", "berta1 rows") + doubt.format("clara1"))
    tab.page.locator("#item-anna01").get_by_role("button", name="Approve").click()
    tab.page.locator("#notice").get_by_text("1 item was approved").wait_for()
    assert [one["text"] for one in tab.served.daemon.ask("pending").json["items"]] == ["berta1 rows", "clara1 sails"]


@pytest.mark.e2e
def test_a_citation_leads_to_its_line_in_a_long_file(open_own_page: OpenPage) -> None:
    tab = open_own_page()
    lines = "".join(f"- Heron {number}.\n" for number in range(1_000))
    tab.served.folder.joinpath("long.md").write_text(f"# Long\n\n{lines}", encoding="utf-8")
    tab.go("/file?path=long.md#L700")
    tab.page.locator("#L700").wait_for()
    assert "line=700" in tab.page.url
    assert tab.evaluate("document.getElementById('L700').getBoundingClientRect().top < innerHeight")


@pytest.mark.slow
def test_the_names_beside_one_are_drawn_from_their_list(open_page: OpenPage) -> None:
    tab = open_page()
    tab.go("/entity?name=Tapline")
    tab.page.locator(".graph canvas").wait_for()
    assert tab.page.locator("#names li").count() > 5
    first = tab.page.locator("#names a").first
    name = first.inner_text()
    first.click()
    tab.page.locator(f'.graph[data-name="{name}"] canvas').wait_for()
    assert tab.page.locator(".graph canvas").count() == 1
    assert tab.complaints == []
