"""Every action of the page, by mouse, by keyboard alone and, where it is called for, without JavaScript.

The table has the steps of each action; at the end each page is searched for what nobody has used.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from e2e_page.runtime import what_is_missing

if not what_is_missing():
    from playwright.sync_api import Error, expect

if TYPE_CHECKING:
    from playwright.sync_api import Locator

    from e2e_page.browsing import Tab

OpenPage = Callable[..., "Tab"]
WAIT_MS = 30_000
MOST_TABS = 200  # until the keyboard must have come to something
BY_HAND = ("mouse", "keyboard")
EVERY = (*BY_HAND, "no scripts")
ROOM = "What humidity must room 3 have once the heating is on?"  # the question of the receipt of the sample
MOUSE, KEYBOARD = ("mouse",), ("keyboard",)
QUEUE = (
    "# Pending\n\n## Conflicts\n- tool, staging DB: The staging DB moved to port 6432. (why: contradicts)"
    " [against {known}] <!-- id: conflict1 · origin: unknown · from: {said} -->\n\n## Doubts\n"
    "- person, Bob: Bob sails (why: not sure) <!-- id: doubt000 · from: {said}, {more} -->\n"
)
DOUBT = "- person, Ana{0}: Ana{0} lives in Bern (why: not sure) <!-- id: doubt{0:03} · origin: untrusted -->\n"
# What a control does, whatever the notebook has: where a link leads, which field of which form, which fold of which page.
USE = r"""control => {
    const room = address => new URL(address, location).pathname.split("/")[1];
    if (control.matches("a")) return control.rel ? `${control.rel} of ${room(location)}` : `link ${new URL(control.href).pathname}`;
    if (control.matches("summary")) return `fold ${control.textContent.replace(/[\d:].*/s, "").trim() || control.closest("section")?.ariaLabelledByElements[0].id || "more"}`;
    const form = control.form ? `${control.form.method} ${room(control.form.action)}` : "";
    return `${control.localName} ${form} ${control.name || control.id} ${control.matches("button") ? control.value : ""}`;
}"""
# How often Tab must be pressed, if it goes through the page from its beginning to its end.
DISTANCE = """control => {
    const all = [...document.querySelectorAll("a[href], button, input, select, textarea, summary")].filter(
        one => one.checkVisibility() && one.type !== "hidden");
    const active = document.activeElement;
    const isBefore = one => one === active || active.compareDocumentPosition(one) & Node.DOCUMENT_POSITION_PRECEDING;
    return all.indexOf(control) - (active === document.body ? -1 : all.findLastIndex(isBefore));
}"""
CAN_BE_CLICKED = """new Promise(done => requestAnimationFrame(() => requestAnimationFrame(
    () => done(document.querySelector(".clickable, .u-over:hover") !== null))))"""
CONTROLS = (
    "a[href^='/'], a[href^='?'], a[href^='#']:not(.skip), button, input:not([type=hidden]), select, textarea, summary"
)


class Action(NamedTuple):
    """What is done at an address: steps of a verb and a name, with what is written or chosen behind a colon."""

    address: str
    steps: str
    hands: tuple[str, ...] = BY_HAND


# What changes the queue or a file is undone in the same row.
ACTIONS = (
    # Everywhere.
    Action("/today", "link Skip to the content; focus #main", KEYBOARD),  # it is seen when Tab comes to it
    Action("/today", "link Ask; page Ask; link Review; page Review; link Files; page Files; link Entities; page Entities"),
    Action("/files", "link Audit; page Audit; link Health; page Health; link Today; page Today"),
    Action("/health", "search Search the notebook: where is the key; enter; page Ask; at ol.hits li", EVERY),
    Action("/today", "fold Keys; see these keys; tick Use these keys; tick Use these keys"),
    Action("/today", "key ?; see these keys; key /; focus #search", KEYBOARD),
    # Today.
    Action("/today?day=2025-11-30", "link 32 waiting for you; page Review"),
    Action("/today", "link Decide about all 32; page Review"),
    Action("/today", "fold As a table; link 2025-11-02; page Sunday, 2 November 2025", EVERY),
    Action("/today", "click .plot .u-over; at h1 time", MOUSE),  # its table is in the row before
    Action("/today", "prev; page Saturday, 29 November 2025; next; page Today", EVERY),
    Action("/today", "next; see Page 2; prev; see Page 1"),
    Action("/today?day=2025-11-20", "link memory/2025-11-20.md#L; page memory/2025-11-20.md"),
    # Ask.
    Action("/ask", "field Question: who is allergic to walnut?; button Ask; at ol.hits li", EVERY),
    Action("/ask?q=walnut", "fold Filters; choose Kind: opinion; button Ask; see Filters: kind opinion", EVERY),
    Action("/ask?q=walnut", "fold Filters; choose Category: preference; choose Search in: captures; button Ask; see category preference"),
    Action("/ask?q=Runa", "fold Filters; field Names: Kaya; field Since: 2025-11-01; field Until: 2025-11-30; enter; see until 2025-11-30"),
    Action("/ask?q=Runa", "fold Filters; field Project: x; tick Also what was replaced; tick Every project; button Ask; see history, all"),
    Action("/ask?q=walnut", "fold Score; see Part Value"),
    Action("/ask?q=Runa", "next; see Page 2; prev; see Page 1", EVERY),
    Action("/ask?q=walnut", "link A line that you expected is missing?; page Why not?"),
    Action("/ask?q=walnut", "link Pack; page Pack; link Why not?; page Why not?; link Hits; page Ask", EVERY),
    Action("/ask/pack", "field Question: walnut; button Pack; see In the pack", EVERY),
    Action("/ask/pack?q=walnut", "slide Budget; see of 0 tokens"),
    Action("/ask/pack?q=walnut", "fold Score; see Part Value"),
    Action("/ask/pack?q=walnut", "fold 9 more; at details[open] article"),
    Action("/ask/pack?q=walnut", "tick As a host would get it; see standing; fold As the agent reads it; see <memory"),
    Action("/ask/why-not?q=walnut", "field Line: MEMORY.md#L9; button Explain; see It is shown, at rank", EVERY),
    # Review.
    Action("/review", "button Approve; see 1 item was approved; button Undo; see undone", EVERY),
    Action("/review", "button Keep both; see approved beside; button Undo; see undone", EVERY),
    Action("/review", "button Reject; see 1 item was rejected; button Undo; see undone", EVERY),
    Action("/review", "fold Edit; field New words: Port 6432 it is; button Save; see words were changed; button Undo; see undone", EVERY),
    Action("/review", "tick choose; button Approve chosen; see 1 item was approved; button Undo; see undone", EVERY),
    Action("/review", "tick choose; button Reject chosen; see 1 item was rejected; button Undo; see undone", EVERY),
    Action("/review", "button Approve chosen; see No item was chosen"),
    Action("/review", "tick choose all of this page; see 25 chosen; tick choose all of this page"),
    Action("/review", "key j; key a; see was approved; key u; see undone", KEYBOARD),
    Action("/review", "key j; key b; see approved beside; key u; see undone", KEYBOARD),
    Action("/review", "key j; key j; key k; key r; see was rejected; key u; see undone", KEYBOARD),
    Action("/review", "key j; key e; focus textarea; key Escape; focus #item-conflict1", KEYBOARD),
    Action("/review", "fold Based on 2 captures; see Bob keeps a boat"),
    Action("/review", "next; see Page 2 of 2; prev; see Page 1 of 2", EVERY),
    # Files.
    Action("/files", "field Path or title: long; button Show; link Long; page long.md", EVERY),
    Action("/files", "next; see Page 2; prev; see Page 1"),
    Action("/file?path=long.md", "link Line 3; page Line 3"),
    Action("/file?path=long.md", "next; see lines 201 to 400; prev; see lines 1 to 200", EVERY),
    Action("/file?path=long.md", "field Line: 700; button Go; at #L700.here", EVERY),
    Action("/file?path=note.md", "link History; page History; link note.md; page note.md; link Tapline; page Tapline"),
    Action("/file?path=note.md", "link Edit the file; field Text: Gone.; button Save; see Saved; button Undo; see undone", EVERY),
    Action("/line?path=note.md&line=1", "field Text: Mine.; button Save; see Saved; button Undo; see undone", EVERY),
    Action("/line?path=MEMORY.md&line=9", "link what else was in it; page Receipt"),
    Action("/history?path=memory/2025-11-30.md", "button Undo the write of 2025-11-30 09:00; see undone", EVERY),
    Action("/history?path=memory/2025-11-30.md", "next; see Page 2; prev; see Page 1"),
    Action("/file?path=bank/entities/Tapline.md", "fold Front matter; see aliases:"),
    # Entities.
    Action("/entities", "field First letters: Tap; button Show; link Tapline; page Tapline", EVERY),
    Action("/entities", "next; see Page 2; prev; see Page 1"),
    Action("/entity?name=Tapline", "click .graph canvas; leave Tapline", MOUSE),  # its list is in the row after
    Action("/entity?name=Tapline", "link Runa; page Runa", EVERY),
    Action("/entity?name=Mara", "field As of: 2025-02-01; button Show; see Facts as of 2025-02-01", EVERY),
    Action("/entity?name=Mara", "fold Earlier, or later; see Berlin"),
    Action("/entity?name=Runa", "next; see Page 2; prev; see Page 1"),
    # Audit.
    Action("/audit", "link Receipts; page Receipts; link Forget; page Forget; link Writes; page Audit"),
    Action("/audit", "next; see Page 2; prev; see Page 1", EVERY),
    Action("/audit", "button Undo the write to memory/2025-11-30.md; see undone", EVERY),
    Action("/audit", "key j; key u; see undone", KEYBOARD),
    Action("/audit/receipts", "next; link Newest; link 2025-11-30; page Receipt", EVERY),
    Action("/audit/receipts", "key j; key o; page Receipt", KEYBOARD),
    Action("/audit/receipt?id=last", "fold Score; see found by; next; see Page 2; prev; see Page 1"),
    Action("/audit/receipt?id=last", f"field The question, word for word: {ROOM}; button Make this pack again; page Replay", EVERY),
    Action("/audit/forget", "field Words: walnut; button Show what would go; button Hide; see hidden from; button Undo; see shown again", EVERY),
    Action("/audit/forget", "field Words: kestrel; enter; button Show what erasing would change; button Erase for good; see Erased; fold What was done; see tombstones", EVERY),
    Action("/audit/forget", "field Words: osprey; enter; button Hide; see hidden from; button Show again; see undone"),
    Action("/audit/forget", "field Words: heron; enter; button Decide later; page Review; see wait for your decision"),
    Action("/audit/forget", "field A person: Nobody; field A session: s; field A project: p; field From: 2025-11-01; field Up to: 2025-11-02; enter; see Nothing has what you named"),
    Action("/audit/forget", "field Ids, lines or files: MEMORY.md#L9; enter; see is allergic"),
    Action("/audit/replay?id=last&q=other", "link All receipts; page Receipts"),
    Action("/audit/receipt?id=last", "fold more; at details[open] article"),
    Action("/audit/forget?query=key", "fold Name something else; at details[open]"),
    Action("/line?path=MEMORY.md&line=9", "fold Ids; at details[open]"),
    Action("/ask/pack?q=walnut&budget=0", "fold more; at details[open] article"),
    Action("/today?day=2025-11-30", "link obs:; page What was said"),
    # Health.
    Action("/health", "button Run the checks; see What was checked", EVERY),
    Action("/health", "button Look at the hosts; see installed in no host"),
    Action("/health", "fold lines and captures; see In all; fold in the middle; see Slowest; fold All others; see which is the default"),
)  # fmt: skip


def prepare(tab: Tab) -> None:
    """What the table speaks of: a queue of two pages, many writes, receipts, files and names."""
    folder, ask = tab.served.folder, tab.served.daemon.ask
    known = ask("retain", text="W The staging DB runs on port 6431.").json["record"]["id"]
    said, more = (
        ask("capture", text=one, actor="agent").json["capture"] for one in ("The DB moved.", "Bob keeps a boat.")
    )
    queue = QUEUE.format(known=known, said=said, more=more) + "".join(DOUBT.format(n) for n in range(1, 31))
    folder.joinpath("memory/pending.md").write_text(queue, encoding="utf-8")
    for number in range(60):
        ask("log", text=f"Called the plumber, {number}.")
        ask("pack", text="the key", receipt=True)
        names = " ".join(f"[[Name{number}-{other}]]" for other in range(4))
        folder.joinpath(f"notes/{number}.md").write_text(f"- {names}\n", "utf-8")
    folder.joinpath("long.md").write_text("# Long\n\n" + "".join(f"- Gull {n}.\n" for n in range(1_000)), "utf-8")
    folder.joinpath("birds.md").write_text("- A kestrel.\n- A heron.\n- An osprey.\n", "utf-8")
    folder.joinpath("note.md").write_text("- See [[Tapline]].\n", "utf-8")
    folder.joinpath("mara.md").write_text(
        "## Retain\n\n- W @Mara: Mara's city is Berlin. <!-- valid: 2025-01-01..2025-03-01 -->\n", "utf-8"
    )


class Driver:
    """Takes the steps of an action by one hand, and keeps what it used."""

    def __init__(self, tab: Tab, hand: str) -> None:
        self.tab, self.page, self.hand = tab, tab.page, hand
        self.used: set[str] = set()

    def take(self, step: str) -> None:
        """One step; an error of Playwright or AssertionError where it cannot be taken, or does not show what it ought
        to."""
        verb, _, rest = step.partition(" ")
        name, _, words = rest.partition(": ") if verb in ("field", "search", "choose") else (rest, "", "")
        if verb in ("link", "button"):
            self.press(self.find(verb, name))
        elif verb == "tick":
            self.press(self.find("checkbox", name), "Space")
        elif verb in ("next", "prev"):
            self.press(self.page.locator(f"a[rel={verb}]").last)
        elif verb == "fold":
            self.press(self.page.locator("summary", has_text=name).first)
        elif verb in ("field", "search"):
            self.write(self.find("textbox" if verb == "field" else "searchbox", name), words)
        elif verb == "choose":
            self.choose(self.find("combobox", name), words)
        elif verb == "slide":
            self.slide(self.find("slider", name))
        elif verb == "click":
            self.click_picture(self.page.locator(name))
        elif verb in ("key", "enter"):
            self.page.keyboard.press(name or "Enter")
        else:
            self.look(verb, name)

    def look(self, verb: str, name: str) -> None:
        """Wait for what is to be there."""
        if verb in ("at", "focus"):
            self.page.locator(name + (":focus" if verb == "focus" else "")).first.wait_for(timeout=WAIT_MS)
        elif verb == "page":
            self.page.locator("h1", has_text=name).wait_for(timeout=WAIT_MS)
        elif verb == "leave":
            expect(self.page.locator("h1")).not_to_have_text(name, timeout=WAIT_MS)
        else:
            expect(self.page.locator("body")).to_contain_text(name, use_inner_text=True, timeout=WAIT_MS)

    def find(self, role: Any, name: str) -> Locator:
        """The first control that has exactly this name, or else one that has it as a part."""
        similar = self.page.get_by_role(role, name=name)
        similar.first.wait_for(timeout=WAIT_MS)
        exact = self.page.get_by_role(role, name=name, exact=True)
        return exact.first if exact.count() else similar.first

    def press(self, control: Locator, key: str = "Enter") -> None:
        """A click, or a key on it."""
        if self.come_to(control):
            self.page.keyboard.press(key)
        else:
            control.click(timeout=WAIT_MS)

    def write(self, field: Locator, words: str) -> None:
        """Words in place of those that were there."""
        if not self.come_to(field):
            field.click(timeout=WAIT_MS)
        self.page.keyboard.press("Control+a")
        self.page.keyboard.type(words)

    def choose(self, field: Locator, words: str) -> None:
        """One of a list, which the system of the browser shows and no mouse of ours can reach."""
        if self.come_to(field):
            self.page.keyboard.type(words)
        else:
            field.select_option(words)

    def slide(self, field: Locator) -> None:
        """To the beginning."""
        if self.come_to(field):
            self.page.keyboard.press("Home")
        else:
            field.click(position={"x": 1, "y": 5}, timeout=WAIT_MS)

    def click_picture(self, picture: Locator) -> None:
        """The first thing on the way from the middle of a plot or graph to the right that can be clicked."""
        picture.wait_for(timeout=WAIT_MS)
        box = picture.bounding_box()
        assert box
        places = range(int(box["width"] / 2) + 50, int(box["width"]), 5)
        for x in (*places, *places, *places):  # it knows only after a while what is where
            self.page.mouse.move(box["x"] + x, box["y"] + box["height"] / 2)
            if self.page.evaluate(CAN_BE_CLICKED):
                break
        self.page.mouse.down()
        self.page.mouse.up()

    def come_to(self, control: Locator) -> bool:
        """Whether Tab alone came to it, for the hand that has no mouse."""
        control.wait_for(state="attached", timeout=WAIT_MS)
        self.used.add(control.evaluate(USE))
        if self.hand != "keyboard":
            return False
        distance = control.evaluate(DISTANCE)
        for _ in range(abs(distance)):
            self.page.keyboard.press("Tab" if distance > 0 else "Shift+Tab")
        for _ in range(MOST_TABS):  # where the browser began elsewhere
            if control.evaluate("control => control === document.activeElement"):
                return True
            self.page.keyboard.press("Tab")
        raise AssertionError(f"Tab does not come to {control}")


@pytest.mark.e2e
@pytest.mark.parametrize("hand", EVERY)
def test_every_action_is_taken_by(open_own_page: OpenPage, hand: str) -> None:
    tab = open_own_page(java_script_enabled=hand != "no scripts")
    prepare(tab)
    driver, failures = Driver(tab, hand), []
    for action in ACTIONS:
        if hand not in action.hands:
            continue
        tab.go(action.address)
        for step in action.steps.split("; "):
            try:
                driver.take(step)
            except (Error, AssertionError) as error:
                failures.append(f"{action.address}: {action.steps}\n  at {step!r}: {str(error)[:300]}")
                break
    assert not failures, "\n".join(failures)
    assert tab.complaints == []
    if hand != "no scripts":
        assert list_unused(tab, driver.used) == {}


def list_unused(tab: Tab, used: set[str]) -> dict[str, str]:
    """What the pages offer that nobody has used, each with an address at which it is."""
    offered: dict[str, str] = {}
    for address in dict.fromkeys([*tab.served.addresses(), *(action.address for action in ACTIONS)]):
        tab.go(address)
        found = tab.evaluate(f"selector => [...document.querySelectorAll(selector)].map({USE})", CONTROLS)
        offered |= dict.fromkeys(found, address)
    return {use: address for use, address in offered.items() if use not in used}
