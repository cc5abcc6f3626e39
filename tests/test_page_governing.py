"""Review, audit and forget as a browser without JavaScript uses them: by links and forms alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from commonplace import Memory
from commonplace.serve.page.rendering import list_difference
from tests.support.page_forms import PageBrowser

NOW = "2025-11-30T09:00"
EVIL = "<script>alert(1)</script>"


@pytest.fixture
def memory(tmp_path: Path) -> Memory:
    """A notebook with a conflict and two doubts in its queue."""
    (tmp_path / "memory").mkdir()
    memory = Memory.open(tmp_path)
    known = memory.retain("The staging DB runs on port 6431.", now="2025-11-24T09:00").record
    said = memory.capture("The staging DB moved to port 6432.", actor="agent", now="2025-11-28T10:00")
    assert known is not None
    queue_of(memory).write_text(
        "# Pending\n\n## Conflicts\n"
        f"- tool, staging DB: The staging DB moved to port 6432. (why: contradicts) [against {known.id}]"
        f" <!-- id: conflict1 · origin: unknown · from: {said.id} -->\n"
        "\n## Doubts\n"
        f"- person, Ana: Ana lives in Bern {EVIL} (why: not sure) <!-- id: doubt001 · origin: untrusted -->\n"
        "- person, Bob: Bob sails (why: not sure) <!-- id: doubt002 -->\n",
        encoding="utf-8",
    )
    return memory


@pytest.fixture
def browser(memory: Memory) -> PageBrowser:
    return PageBrowser(memory, NOW)


def queue_of(memory: Memory) -> Path:
    return Path(memory.root, "memory/pending.md")


def markdown(memory: Memory) -> dict[str, bytes]:
    """The files with something in them."""
    paths = [path for path in Path(memory.root).rglob("*.md") if path.read_bytes().strip()]
    return {str(path): path.read_bytes() for path in paths}


# Review.


def test_an_item_is_shown_with_its_evidence_and_both_sides_of_a_conflict_with_their_dates(browser: PageBrowser) -> None:
    browser.open("/review")
    assert "3 waiting for you" in browser.words
    new, known = browser.words.index("2025-11-28 10:00"), browser.words.index("2025-11-24")
    assert browser.words.index("The staging DB moved") < new < browser.words.index("runs on port 6431") < known
    assert "Why it waits: contradicts" in browser.words
    assert "untrusted" in browser.words
    assert EVIL not in browser.html
    assert EVIL in browser.words


def test_what_is_approved_is_undone_from_the_notice(browser: PageBrowser, memory: Memory) -> None:
    before = markdown(memory)
    browser.open("/review")
    browser.press("Approve", 0)
    assert browser.address.startswith("/review?")
    assert "1 item was approved, now in memory/semantic/" in browser.words
    assert [item.id for item in memory.pending()] == ["doubt001", "doubt002"]
    browser.press("Undo")
    assert "It was undone" in browser.words or "2 writes were undone" in browser.words
    assert markdown(memory) == before


def test_both_hold_if_that_is_chosen(browser: PageBrowser, memory: Memory) -> None:
    browser.open("/review")
    browser.press("Keep both")
    assert "approved beside what it contradicts" in browser.words
    texts = [hit.record.text for hit in memory.recall("staging DB port", evidence="none", now=NOW).hits]
    assert {text[:25] for text in texts} >= {"The staging DB runs on po", "The staging DB moved to p"}


def test_an_item_is_rejected_and_edited_in_place(browser: PageBrowser, memory: Memory) -> None:
    browser.open("/review")
    browser.press("Reject", 1)
    assert "1 item was rejected." in browser.words
    browser.press("Save", 1, text="Bob swims")
    assert "The words were changed" in browser.words
    assert [item.text for item in memory.pending()][1:] == ["Bob swims"]
    browser.press("Undo")
    assert [item.text for item in memory.pending()][1:] == ["Bob sails"]


def test_several_items_are_decided_at_once_and_undone_at_once(browser: PageBrowser, memory: Memory) -> None:
    before = markdown(memory)
    browser.open("/review")
    browser.press("Approve chosen", item=["doubt001", "doubt002"])
    assert "2 items were approved" in browser.words
    assert [item.id for item in memory.pending()] == ["conflict1"]
    browser.press("Undo")
    assert "4 writes were undone" in browser.words
    assert markdown(memory) == before
    browser.press("Reject chosen", item=["doubt001", "nothing", "doubt002"])
    assert "2 items were rejected" in browser.words
    assert "Not decided: nothing: no pending item" in browser.words


def test_a_decision_that_cannot_be_made_says_why(browser: PageBrowser, memory: Memory) -> None:
    browser.open("/review")
    queue_of(memory).write_text("# Pending\n", encoding="utf-8")
    browser.press("Approve", 1)
    assert browser.status == 404
    assert "no pending item 'doubt001'" in browser.words
    browser.open("/review")
    assert "Nothing waits for you." in browser.words


def test_nothing_is_done_without_a_chosen_item(browser: PageBrowser, memory: Memory) -> None:
    before = markdown(memory)
    browser.open("/review")
    browser.press("Approve chosen")
    assert "No item was chosen" in browser.words
    browser.press("Approve", 0, deed="undo")
    assert (browser.status, "there is no decision 'undo'" in browser.words) == (400, True)
    assert markdown(memory) == before


def test_a_queue_of_a_thousand_is_shown_page_by_page(browser: PageBrowser, memory: Memory) -> None:
    words = "lives in Bern and works at the lake, as she said in the train on Monday morning " * 20
    lines = (f"- person, Ana{n}: Ana{n} {words}(why: not sure) <!-- id: aaaa{n:04d} -->\n" for n in range(1_000))
    queue_of(memory).write_text(f"# Pending\n\n## Doubts\n{''.join(lines)}", encoding="utf-8")
    seen = []
    for number in range(1, 41):
        page = browser.open(f"/review?page={number}")
        assert len(page.encode()) < 150_000
        seen += [item["id"] for item in browser.read_json(f"/review.json?page={number}")["items"]]
    assert seen == [f"aaaa{n:04d}" for n in range(1_000)]
    browser.open("/review?page=41")
    assert "Page 40 of 40" in browser.words
    for odd in ("0", "-1", "x", "9" * 40):
        assert "aaaa0000" in browser.open(f"/review?page={odd}")
    browser.open("/review?page=40")
    browser.press("Reject", 24)
    assert browser.parameters["page"] == "40"


# Audit.


def test_a_write_is_listed_with_who_made_it_what_it_is_based_on_and_its_difference(
    browser: PageBrowser, memory: Memory
) -> None:
    memory.approve("conflict1", now="2025-11-29T10:00")
    browser.open("/audit")
    assert "2025-11-29 10:00" in browser.words
    assert "by review" in browser.words
    assert "Based on" in browser.words
    assert "<del>" in browser.html
    assert "− - tool, staging DB: The staging DB moved to port 6432." in browser.words
    written = browser.read_json("/audit.json")["groups"][0]
    assert {one["path"] for one in written} >= {"memory/pending.md"}


def test_a_write_is_undone_from_the_list_and_marked(browser: PageBrowser, memory: Memory) -> None:
    before = markdown(memory)
    memory.log("Called Ana.", now="2025-11-29T12:00")
    browser.open("/audit")
    browser.press("Undo", 0)
    assert "It was undone." in browser.words
    assert browser.address.startswith("/audit?")
    assert " undone " in browser.words
    assert markdown(memory) == before


def test_the_writes_of_one_minute_are_undone_together(browser: PageBrowser, memory: Memory) -> None:
    before = markdown(memory)
    memory.capture("We use pnpm, not npm, in this repo.", session="s", now="2025-11-29T09:00")
    memory.capture("My accountant is Mara Keller, her office is in Bern.", session="s", now="2025-11-29T09:01")
    memory.consolidate(apply=True, now="2025-11-29T12:00")
    count = len([one for one in memory.audit(at_most=99) if one.ts == "2025-11-29T12:00"])
    assert count > 1
    browser.open("/audit")
    browser.press(f"Undo these {count}")
    assert f"{count} writes were undone" in browser.words
    assert markdown(memory) == before


def test_a_write_whose_lines_were_edited_is_not_undone_and_shows_what_is_there(
    browser: PageBrowser, memory: Memory
) -> None:
    memory.log("Called Ana.", now="2025-11-29T12:00")
    path = Path(memory.root, "memory/2025-11-29.md")
    path.write_text(path.read_text().replace("Called Ana", "Called Anna"), encoding="utf-8")
    browser.open("/audit")
    browser.press("Undo", 0)
    assert browser.status == 409
    assert "edited since then" in browser.words
    assert "Called Anna" in browser.words


def test_many_and_long_writes_are_listed_page_by_page(browser: PageBrowser, memory: Memory) -> None:
    for number in range(45):
        memory.log(f"Called {number}. {'Long ' * 300}", now=f"2025-11-29T12:{number:02}")
    shown = []
    for number in (1, 2, 3):
        assert len(browser.open(f"/audit?page={number}").encode()) < 150_000
        shown += [one["change"] for group in browser.read_json(f"/audit.json?page={number}")["groups"] for one in group]
    assert shown[:45] == [one.change_id for one in memory.audit(at_most=45)]
    browser.open("/audit?page=9")
    assert "Nothing was written earlier." in browser.words


def test_a_difference_has_every_line_that_differs_and_no_other() -> None:
    assert list_difference("a\n---\nb\u2028c", "a\n++x <!-- id: 1 -->\nb\u2028c") == [
        ("-", "---", ""),
        ("+", "++x", "<!-- id: 1 -->"),
    ]
    assert list_difference("a\n", "a\n") == []


# Receipts.


def test_a_receipt_says_what_was_packed_and_left_out_and_why(browser: PageBrowser, memory: Memory) -> None:
    pack = memory.pack("which port does the staging DB use?", reader="mon-1", now="2025-11-29T12:00")
    browser.open("/audit/receipts")
    assert "question not kept" in browser.words
    assert "mon-1" in browser.words
    browser.open(f"/audit/receipt?id={pack.receipt_id}")
    assert "The staging DB runs on port 6431." in browser.words
    shown = browser.read_json(f"/audit/receipt.json?id={pack.receipt_id}")
    assert [one["id"] for one in shown["packed"]] == [one.record_id for one in pack.items]
    browser.open("/audit/receipt?id=r-none")
    assert browser.status == 404


def test_a_pack_is_made_again_and_what_differs_is_named(browser: PageBrowser, memory: Memory) -> None:
    question = "which port does the staging DB use?"
    memory.pack(question, now="2025-11-29T12:00")
    browser.open("/audit/receipt?id=last")
    browser.press("Make this pack again", q=question)
    assert "The same pack from the same files and settings." in browser.words
    path = Path(memory.root, "memory/2025-11-24.md")
    path.write_text(path.read_text().replace("6431", "6433"), encoding="utf-8")
    browser.open("/audit/receipt?id=last")
    assert "is gone or hidden" in browser.words or "6433" in browser.words
    browser.press("Make this pack again", q=question)
    assert "Another pack" in browser.words
    assert "memory/2025-11-24.md" in browser.words
    browser.open("/audit/receipt?id=last")
    browser.press("Make this pack again", q="another question")
    assert (browser.status, "this is not its question" in browser.words) == (400, True)


def test_receipts_are_listed_page_by_page(browser: PageBrowser, memory: Memory) -> None:
    times = [f"2025-11-{day}T{hour}:00" for day in (27, 28) for hour in ("03", "02") for _again in range(35)]
    made = [memory.pack("port?", now=time).receipt_id for time in times]  # the clock goes back, ids repeat
    seen, address = [], "/audit/receipts"
    while address:
        page = browser.read_json(address.replace("receipts", "receipts.json", 1))
        seen += [one["id"] for one in page["receipts"]]
        older = page["older"]
        address = f"/audit/receipts?until={older['until']}&skip={older['skip']}" if older else ""
    assert seen == made[::-1]
    assert "/audit/receipts?until=2025-11-28&skip=50" in browser.open("/audit/receipts").replace("&amp;", "&")


# Forget.


def test_what_would_be_forgotten_is_shown_first_then_hidden_and_shown_again(
    browser: PageBrowser, memory: Memory
) -> None:
    browser.open("/audit/forget")
    assert "Nothing was hidden or erased." in browser.words
    browser.press("Show what would go", query="staging")
    assert "The staging DB runs on port 6431." in browser.words
    assert memory.recall("staging port", now=NOW).hits
    browser.press("Hide")
    assert "are hidden from every answer" in browser.words
    assert not memory.recall("staging port", evidence="none", now=NOW).hits
    browser.press("Show again")
    assert "shown again" in browser.words
    assert memory.recall("staging port", evidence="none", now=NOW).hits
    browser.open("/audit/forget?query=staging")
    browser.press("Hide")
    browser.press("Undo")
    assert memory.recall("staging port", evidence="none", now=NOW).hits


def test_erasing_shows_the_files_first_and_a_manifest_afterwards(browser: PageBrowser, memory: Memory) -> None:
    browser.open("/audit/forget?query=staging")
    browser.press("Show what erasing would change", query="staging")
    assert "memory/2025-11-24.md its lines go" in browser.words
    assert "cannot be undone" in browser.words
    assert b"6431" in b"".join(markdown(memory).values())
    browser.press("Erase for good")
    assert "Erased for good" in browser.words
    assert "Nothing of it was left in" in browser.words
    assert ".memory/forgotten/" in browser.words
    assert b"6431" not in b"".join(markdown(memory).values())


def test_what_is_to_be_forgotten_may_be_decided_later_in_the_queue(browser: PageBrowser, memory: Memory) -> None:
    browser.open("/audit/forget?query=staging")
    browser.press("Decide later, in Review")
    assert browser.address.startswith("/review")
    assert "to forget" in browser.words
    browser.press("Hide it", 0)
    assert memory.forgettings()


def test_a_wish_for_nothing_and_a_wrong_one_are_answered_in_words(browser: PageBrowser) -> None:
    browser.open("/audit/forget?query=xyzzyxyzzy")
    assert "Nothing fits." in browser.words
    browser.open("/audit/forget?references=nowhere.md")
    assert browser.status == 404
    browser.open("/audit/forget?since=whenever")
    assert browser.status == 400


# The notice.


def test_the_way_back_stays_on_the_page(browser: PageBrowser, memory: Memory) -> None:
    for elsewhere in (
        "https://evil.example/x",
        "//evil.example/x",
        "////evil.example",
        "javascript:alert(1)",
        "/\\evil.example",
        "",
    ):
        memory.log("Called Ana.", now="2025-11-29T12:00")
        browser.open("/audit")
        browser.press("Undo", 0, back=elsewhere)
        assert browser.status in (200, 404)
        assert browser.address[:1] == "/", elsewhere
        assert browser.address[1:2] not in ("/", "\\"), elsewhere


def test_what_a_notice_says_is_text(browser: PageBrowser) -> None:
    browser.open(f"/review?notice={EVIL}&undo={EVIL}")
    assert EVIL not in browser.html
    assert 'aria-live="polite"' in browser.html
