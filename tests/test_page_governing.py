"""Review, audit and forget as a browser without JavaScript uses them: by links and forms alone."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from commonplace import Memory
from commonplace.serve.page.rendering import list_difference
from tests.support.page import MAX_PAGE_BYTES, Visitor, write_note

QUEUE = "memory/pending.md"
NOW, LATER = "2025-11-30T09:00", "2025-11-30T10:00"
EVIL = "<script>alert(1)</script>"


@pytest.fixture
def memory(memory: Memory) -> Memory:
    """A notebook with a conflict and two doubts in its queue."""
    known = memory.retain("The staging DB runs on port 6431.", now="2025-11-24T09:00").record
    said = memory.capture("The staging DB moved to port 6432.", actor="agent", now="2025-11-28T10:00")
    assert known is not None
    write_note(
        memory,
        QUEUE,
        "# Pending\n\n## Conflicts\n"
        f"- tool, staging DB: The staging DB moved to port 6432. (why: contradicts) [against {known.id}]"
        f" <!-- id: conflict1 · origin: unknown · from: {said.id} -->\n"
        "\n## Doubts\n"
        f"- person, Ana: Ana lives in Bern {EVIL} (why: not sure) <!-- id: doubt001 · origin: untrusted -->\n"
        "- person, Bob: Bob sails (why: not sure) <!-- id: doubt002 -->\n",
    )
    return memory


@pytest.fixture
def visitor(memory: Memory) -> Visitor:
    return Visitor(memory, NOW)


def markdown(memory: Memory) -> dict[str, bytes]:
    """The files with something in them."""
    paths = [path for path in Path(memory.root).rglob("*.md") if path.read_bytes().strip()]
    return {str(path): path.read_bytes() for path in paths}


# Review.


def test_an_item_is_shown_with_its_evidence_and_both_sides_of_a_conflict_with_their_dates(visitor: Visitor) -> None:
    visitor.get("/review")
    assert "3 waiting for you" in visitor.shown.words
    new, known = visitor.shown.words.index("2025-11-28 10:00"), visitor.shown.words.index("2025-11-24")
    assert (
        visitor.shown.words.index("The staging DB moved") < new < visitor.shown.words.index("runs on port 6431") < known
    )
    assert "Why it waits: contradicts" in visitor.shown.words
    assert "untrusted" in visitor.shown.words
    assert EVIL not in visitor.shown.html
    assert EVIL in visitor.shown.words


def test_a_known_line_that_is_gone_is_said_to_be(visitor: Visitor, memory: Memory) -> None:
    (known,) = (item.against[0] for item in memory.pending() if item.against)
    memory.undo(next(one.change_id for one in memory.audit() if f"id: {known}" in one.after))
    visitor.get("/review")
    assert "The line that it contradicted is gone." in visitor.shown.words
    assert "The staging DB moved" in visitor.shown.words


def test_what_is_approved_is_undone_from_the_notice(visitor: Visitor, memory: Memory) -> None:
    before = markdown(memory)
    visitor.get("/review")
    visitor.press("Approve", 0)
    assert visitor.shown.address.startswith("/review?")
    assert "1 item was approved, now in memory/semantic/infrastructure.md: “The staging DB moved" in visitor.shown.words
    assert [item.id for item in memory.pending()] == ["doubt001", "doubt002"]
    visitor.press("Undo")
    assert "It was undone" in visitor.shown.words or "2 writes were undone" in visitor.shown.words
    assert markdown(memory) == before


def test_both_hold_if_that_is_chosen(visitor: Visitor, memory: Memory) -> None:
    visitor.get("/review")
    visitor.press("Keep both")
    assert "approved beside what it contradicts" in visitor.shown.words
    texts = [hit.record.text for hit in memory.recall("staging DB port", evidence="none", now=NOW).hits]
    assert {text[:25] for text in texts} >= {"The staging DB runs on po", "The staging DB moved to p"}


def test_an_item_is_rejected_and_edited_in_place(visitor: Visitor, memory: Memory) -> None:
    visitor.get("/review")
    visitor.press("Reject", 1)
    assert "1 item was rejected: “Ana lives in Bern <script>" in visitor.shown.words
    visitor.press("Save", 1, text="Bob swims")
    assert "The words were changed" in visitor.shown.words
    assert [item.text for item in memory.pending()][1:] == ["Bob swims"]
    visitor.press("Undo")
    assert [item.text for item in memory.pending()][1:] == ["Bob sails"]


def test_several_items_are_decided_at_once_and_undone_at_once(visitor: Visitor, memory: Memory) -> None:
    before = markdown(memory)
    visitor.get("/review")
    visitor.press("Approve chosen", item=["doubt001", "doubt002"])
    assert "2 items were approved: “Ana lives in Bern" in visitor.shown.words
    assert "; “Bob sails”, now in memory/semantic/contacts.md." in visitor.shown.words
    assert [item.id for item in memory.pending()] == ["conflict1"]
    visitor.press("Undo")
    assert "4 writes were undone" in visitor.shown.words
    assert markdown(memory) == before
    visitor.press("Reject chosen", item=["doubt001", "nothing", "doubt002"])
    assert "2 items were rejected" in visitor.shown.words
    assert "Not decided: nothing: no pending item" in visitor.shown.words


def test_a_decision_that_cannot_be_made_says_why(visitor: Visitor, memory: Memory) -> None:
    visitor.get("/review")
    write_note(memory, QUEUE, "# Pending\n")
    visitor.press("Approve", 1)
    assert visitor.shown.status == 404
    assert "No pending item 'doubt001'" in visitor.shown.words
    visitor.get("/review")
    assert "Nothing waits for you." in visitor.shown.words


def test_nothing_is_done_without_a_chosen_item(visitor: Visitor, memory: Memory) -> None:
    before = markdown(memory)
    visitor.get("/review")
    visitor.press("Approve chosen")
    assert "No item was chosen" in visitor.shown.words
    visitor.press("Approve", 0, deed="undo")
    assert (visitor.shown.status, "There is no decision 'undo'" in visitor.shown.words) == (400, True)
    assert markdown(memory) == before


def test_a_queue_of_a_thousand_is_shown_page_by_page(visitor: Visitor, memory: Memory) -> None:
    words = "lives in Bern and works at the lake, as she said in the train on Monday morning " * 20
    lines = (f"- person, Ana{n}: Ana{n} {words}(why: not sure) <!-- id: aaaa{n:04d} -->\n" for n in range(1_000))
    write_note(memory, QUEUE, f"# Pending\n\n## Doubts\n{''.join(lines)}")
    seen = []
    for number in range(1, 41):
        page = visitor.get(f"/review?page={number}")
        assert len(page.body) < MAX_PAGE_BYTES
        seen += [item["id"] for item in visitor.get(f"/review.json?page={number}").json["items"]]
    assert seen == [f"aaaa{n:04d}" for n in range(1_000)]
    visitor.get("/review?page=41")
    assert "Page 40 of 40" in visitor.shown.words
    for odd in ("0", "-1", "x", "9" * 40):
        assert "aaaa0000" in visitor.get(f"/review?page={odd}").html
    visitor.get("/review?page=40")
    visitor.press("Reject", 24)
    assert visitor.shown.parameters["page"] == "40"


# Audit.


def test_a_write_is_listed_with_who_made_it_what_it_is_based_on_and_its_difference(
    visitor: Visitor, memory: Memory
) -> None:
    memory.approve("conflict1", now="2025-11-29T10:00")
    visitor.get("/audit")
    assert "2025-11-29 10:00" in visitor.shown.words
    assert "Approved, 2025-11-29 10:00" in visitor.shown.words
    assert "by you" in visitor.shown.words
    assert "Based on" in visitor.shown.words
    assert "<del>" in visitor.shown.html
    assert "− - tool, staging DB: The staging DB moved to port 6432." in visitor.shown.words
    written = visitor.get("/audit.json").json["groups"][0]["writes"]
    assert {one["path"] for one in written} >= {"memory/pending.md"}


def test_a_write_is_undone_from_the_list_and_marked(visitor: Visitor, memory: Memory) -> None:
    before = markdown(memory)
    memory.log("Called Ana.", now="2025-11-29T12:00")
    visitor.get("/audit")
    visitor.press("Undo", 0)
    assert "It was undone." in visitor.shown.words
    assert visitor.shown.address.startswith("/audit?")
    assert " undone " in visitor.shown.words
    assert markdown(memory) == before


def test_a_consolidation_is_one_entry_and_is_undone_as_a_whole(visitor: Visitor, memory: Memory) -> None:
    before = markdown(memory)
    memory.capture("We use pnpm, not npm, in this repo.", session="s", now="2025-11-29T09:00")
    memory.capture("My accountant is Mara Keller, her office is in Bern.", session="s", now="2025-11-29T09:01")
    memory.consolidate(apply=True, now="2025-11-29T12:00")
    memory.log("Called Ana.", now="2025-11-29T12:00")
    count = len([one for one in memory.audit(at_most=99) if one.act])
    assert count > 1
    visitor.get("/audit")
    assert "Consolidation, 2025-11-29 12:00 : 1 line kept, 1 episode" in visitor.shown.words
    assert "by consolidation" in visitor.shown.words
    visitor.press("Undo this consolidation")
    assert f"{count} writes were undone" in visitor.shown.words
    assert "Undo this consolidation" not in visitor.shown.words
    memory.undo(next(one.change_id for one in memory.audit(at_most=99) if not one.act))
    assert markdown(memory) == before


def test_an_act_is_not_cut_at_the_end_of_a_page_and_undone_marks_are_right_on_every_page(
    visitor: Visitor, memory: Memory
) -> None:
    write_note(memory, QUEUE, "".join(f"- note: Line {n} (why: x) <!-- id: aaaa{n:04d} -->\n" for n in range(20)))
    before = markdown(memory)
    memory.log("Called Ana.", now=NOW)
    for number in range(20):
        memory.approve(f"aaaa{number:04d}", now=NOW)  # two writes each; with the line of the log page 2 begins in one
    groups = [group for page in (1, 2) for group in visitor.get(f"/audit.json?page={page}").json["groups"]]
    assert [group["count"] for group in groups] == [2] * 20
    memory.log("Called Ben.", now=NOW)
    groups = [group for page in (1, 2, 3) for group in visitor.get(f"/audit.json?page={page}").json["groups"]]
    assert [group["count"] for group in groups if group["deed"]] == [2] * 20
    oldest = next(group for group in groups[::-1] if group["deed"])
    for change in oldest["open"]:
        memory.undo(change, now=LATER)
    for number in range(30):
        memory.log(f"Called {number}.", now=LATER)
    shown = [group for page in range(1, 6) for group in visitor.get(f"/audit.json?page={page}").json["groups"]]
    (again,) = (group for group in shown if group["writes"][0]["act"] == "approve owner aaaa0000")
    assert (again["open"], [one["undone"] for one in again["writes"]]) == ([], [True, True])
    visitor.post("/undo", change=" ".join(oldest["open"]), back="/audit")
    visitor.get(visitor.post("/undo", change=" ".join(oldest["open"]), back="/audit").header("location"))
    assert "Nothing was left to undo." in visitor.shown.words
    assert before


def test_a_write_whose_lines_were_edited_is_not_undone_and_shows_what_is_there(
    visitor: Visitor, memory: Memory
) -> None:
    memory.log("Called Ana.", now="2025-11-29T12:00")
    path = Path(memory.root, "memory/2025-11-29.md")
    path.write_text(path.read_text().replace("Called Ana", "Called Anna"), encoding="utf-8")
    visitor.get("/audit")
    visitor.press("Undo", 0)
    assert visitor.shown.status == 409
    assert "edited since then" in visitor.shown.words
    assert "Called Anna" in visitor.shown.words


def test_many_and_long_writes_are_listed_page_by_page(visitor: Visitor, memory: Memory) -> None:
    for number in range(45):
        memory.log(f"Called {number}. {'Long ' * 300}", now=f"2025-11-29T12:{number:02}")
    shown = []
    for number in (1, 2, 3):
        assert len(visitor.get(f"/audit?page={number}").body) < MAX_PAGE_BYTES
        shown += [
            one["change"]
            for group in visitor.get(f"/audit.json?page={number}").json["groups"]
            for one in group["writes"]
        ]
    assert shown[:45] == [one.change_id for one in memory.audit(at_most=45)]
    visitor.get("/audit?page=9")
    assert "Nothing was written earlier." in visitor.shown.words


def test_a_difference_has_every_line_that_differs_and_no_other() -> None:
    assert list_difference("a\n---\nb\u2028c", "a\n++x <!-- id: 1 -->\nb\u2028c") == [
        ("-", "---", ""),
        ("+", "++x", "<!-- id: 1 -->"),
    ]
    assert list_difference("a\n", "a\n") == []


# Receipts.


def test_a_receipt_says_what_was_packed_and_left_out_and_why(visitor: Visitor, memory: Memory) -> None:
    pack = memory.pack("which port does the staging DB use?", reader="mon-1", now="2025-11-29T12:00")
    visitor.get("/audit/receipts")
    first = memory.show(next(one.record_id for one in pack.items)).records[0]
    assert f"{first.text} first line that it found; the question is not kept" in visitor.shown.words
    assert "asked for mon-1" in visitor.shown.words
    visitor.get(f"/audit/receipt?id={pack.receipt_id}")
    assert "The staging DB runs on port 6431." in visitor.shown.words
    shown = visitor.get(f"/audit/receipt.json?id={pack.receipt_id}").json
    assert {one["id"] for one in shown["packed"]} == {one.record_id for one in pack.items}
    visitor.get("/audit/receipt?id=r-none")
    assert visitor.shown.status == 404


def test_a_receipt_names_another_line_by_its_words(visitor: Visitor, memory: Memory) -> None:
    memory.pack("which port does the staging DB use?", now="2025-11-29T12:00")
    shown = visitor.get("/audit/receipt.json?id=last").json
    (one, *_), twin = shown["packed"], {"schema": "", "considered": [], **shown["receipt"]}
    named = [{"id": one["id"], "text": one["line"]["text"]}]
    said = one | {"included": False, "reason": f"near-duplicate of {one['id']}", "named": named}
    gone = one | {"included": False, "id": "gone00", "reason": "superseded by gone00", "line": None}
    kept = Visitor(memory, why=twin | {"considered": [said, gone]}).get("/audit/receipt?id=last").words
    assert f"Because the pack says the same with “{one['line']['text']}”" in kept
    assert "Because it was replaced by gone00 1 This line is gone or hidden." in kept


def test_a_receipt_shows_the_words_that_were_packed_and_those_of_today(visitor: Visitor, memory: Memory) -> None:
    memory.pack("which port does the staging DB use?", now="2025-11-29T12:00")
    visitor.get("/line", path="memory/2025-11-24.md", line=4)
    text = dict(visitor.shown.parsed.forms[1].fields)["text"]
    visitor.press("Save", text=text.replace("6431", "6433"))
    told = visitor.get("/audit/receipt?id=last").words
    assert "The staging DB runs on port 6431. changed since Today: The staging DB runs on port 6433." in told
    Path(memory.root, ".memory/changes").rename(Path(memory.root, "apart"))
    told = visitor.get("/audit/receipt?id=last").words
    assert "changed since The words that were packed are not kept. Today: The staging DB runs on port 6433." in told


def test_a_receipt_shows_a_line_that_was_approved_where_it_stands_now(visitor: Visitor, memory: Memory) -> None:
    memory.retain("The heron DB runs on port 7001.", now="2025-11-26T09:00")
    memory.retain("The heron DB runs on port 7002.", actor="agent", now="2025-11-27T09:00")
    memory.pack("which port does the heron DB use?", now="2025-11-29T12:00")
    (item,) = (one for one in memory.pending() if "heron" in one.text)
    memory.approve(item.id, now=NOW)
    write_note(memory, "memory/2025-11-27.md", "More.\n\n" + Path(memory.root, "memory/2025-11-27.md").read_text())
    packed = visitor.get("/audit/receipt.json?id=last").json["packed"]
    (one,) = (one for one in packed if one["citation"] == "memory/2025-11-27.md#L4")
    line = one["line"]
    assert (line["text"], line["trust"], one["changed"]) == ("The heron DB runs on port 7002.", "trusted", False)
    assert line["id"] != one["id"]
    assert (
        "7002. memory/2025-11-27.md#L6 then at memory/2025-11-27.md#L4" in visitor.get("/audit/receipt?id=last").words
    )


def test_pages_of_packs_ask_for_the_words_of_all_their_lines_at_once(visitor: Visitor) -> None:
    visitor.get("/ask/pack?q=staging+DB")
    visitor.asked.clear()
    visitor.get("/audit/receipt?id=last")
    assert visitor.asked == [("why", {"receipt": "last", "words": True})]


def test_a_pack_is_made_again_and_what_differs_is_named(visitor: Visitor, memory: Memory) -> None:
    question = "which port does the staging DB use?"
    memory.pack(question, now="2025-11-29T12:00")
    visitor.get("/audit/receipt?id=last")
    visitor.press("Make this pack again", q=question)
    assert "The same pack from the same files and settings." in visitor.shown.words
    path = Path(memory.root, "memory/2025-11-24.md")
    path.write_text(path.read_text().replace("6431", "6433"), encoding="utf-8")
    visitor.get("/audit/receipt?id=last")
    assert "is gone or hidden" in visitor.shown.words or "6433" in visitor.shown.words
    visitor.press("Make this pack again", q=question)
    assert "Another pack" in visitor.shown.words
    assert "memory/2025-11-24.md" in visitor.shown.words
    visitor.get("/audit/receipt?id=last")
    visitor.press("Make this pack again", q="another question")
    assert (visitor.shown.status, "this is not its question" in visitor.shown.words) == (400, True)


def test_a_pack_that_differs_is_never_said_to_differ_in_nothing(visitor: Visitor, memory: Memory) -> None:
    question = "which port does the staging DB use?"
    memory.pack(question, now="2025-11-29T12:00")
    same = visitor.get("/audit/replay.json", id="last", q=question).json["replay"]
    cause = {"kind": "lane", "subject": "vector", "outcome": "found no line then"}
    for found, words in (
        (same, "Nothing: files, captures and settings are as they were."),
        (same | {"same_pack": False}, "still the pack differs, as below."),
        (same | {"same_pack": False, "causes": [cause]}, "search found by the meaning found no line then"),
    ):
        told = Visitor(memory, replay=found).get("/audit/replay?id=last").words
        assert words in told
        assert ("Nothing" in told) is found["same_pack"]


def test_receipts_are_listed_page_by_page(visitor: Visitor, memory: Memory) -> None:
    times = [f"2025-11-{day}T{hour}:00" for day in (27, 28) for hour in ("03", "02") for _again in range(35)]
    made = [memory.pack("port?", now=time).receipt_id for time in times]  # the clock goes back, ids repeat
    seen, address = [], "/audit/receipts"
    while address:
        page = visitor.get(address.replace("receipts", "receipts.json", 1)).json
        seen += [one["id"] for one in page["receipts"]]
        older = page["older"]
        address = f"/audit/receipts?until={older['until']}&skip={older['skip']}" if older else ""
    assert seen == made[::-1]
    assert "/audit/receipts?until=2025-11-28&skip=50" in visitor.get("/audit/receipts").html.replace("&amp;", "&")


# Forget.


def test_what_would_be_forgotten_is_shown_first_then_hidden_and_shown_again(visitor: Visitor, memory: Memory) -> None:
    visitor.get("/audit/forget")
    assert "Nothing was hidden or erased." in visitor.shown.words
    visitor.press("Show what would go", query="staging")
    assert "The staging DB runs on port 6431." in visitor.shown.words
    assert memory.recall("staging port", now=NOW).hits
    visitor.press("Hide")
    assert "are hidden from every answer" in visitor.shown.words
    assert not memory.recall("staging port", evidence="none", now=NOW).hits
    visitor.press("Show again")
    assert "shown again" in visitor.shown.words
    assert memory.recall("staging port", evidence="none", now=NOW).hits
    visitor.get("/audit/forget?query=staging")
    visitor.press("Hide")
    visitor.press("Undo")
    assert memory.recall("staging port", evidence="none", now=NOW).hits


def test_erasing_shows_the_files_first_and_a_manifest_afterwards(visitor: Visitor, memory: Memory) -> None:
    visitor.get("/audit/forget?query=staging")
    visitor.press("Show what erasing would change", query="staging")
    assert re.search(r"memory/2025-11-24\.md \d lines? goe?s? .*The staging DB runs on port 6431", visitor.shown.words)
    assert "cannot be undone" in visitor.shown.words
    assert b"6431" in b"".join(markdown(memory).values())
    visitor.press("Erase for good")
    assert "Erased for good" in visitor.shown.words
    assert "Nothing of it was left in" in visitor.shown.words
    assert ".memory/forgotten/" in visitor.shown.words
    assert b"6431" not in b"".join(markdown(memory).values())


def test_what_is_to_be_forgotten_may_be_decided_later_in_the_queue(visitor: Visitor, memory: Memory) -> None:
    visitor.get("/audit/forget?query=staging")
    visitor.press("Decide later, in Review")
    assert visitor.shown.address.startswith("/review")
    assert "to forget" in visitor.shown.words
    visitor.press("Hide it", 0)
    assert memory.forgettings()


def test_a_wish_for_nothing_and_a_wrong_one_are_answered_in_words(visitor: Visitor) -> None:
    visitor.get("/audit/forget?query=xyzzyxyzzy")
    assert "Nothing has what you named." in visitor.shown.words
    visitor.get("/audit/forget?references=nowhere.md")
    assert visitor.shown.status == 404
    visitor.get("/audit/forget?since=whenever")
    assert visitor.shown.status == 400


def test_the_preview_of_erasing_says_everything_that_is_done(visitor: Visitor, memory: Memory) -> None:
    """Lines that are hidden already too, and receipts; each file has as many lines less as was said."""
    write_note(memory, "memory/2025-11-25.md", "## Retain\n- W Ring 07615550199, never on Sundays.\n- W Ring Bob.\n")
    memory.pack("ring 0761 5550199", now=NOW)
    memory.forget(query="07615550199", apply=True, now=NOW)
    page = visitor.get("/audit/forget?query=07615550199&erase=1")
    assert "memory/2025-11-25.md 1 line goes" in page.words
    assert "never on Sundays" in page.words
    planned = memory.forget(query="07615550199", erase=True, now=NOW).files
    done = memory.forget(query="07615550199", erase=True, apply=True, now=NOW)
    assert done.manifest is not None
    assert [(one.path, one.lines) for one in planned] == [(one.path, one.lines) for one in done.manifest.changed]
    assert b"Sundays" not in b"".join(one.read_bytes() for one in Path(memory.root).rglob("*") if one.is_file())
    lines = (Path(memory.root) / "memory/2025-11-25.md").read_text().splitlines()
    assert lines == ["## Retain", "- W Ring Bob."]


def test_of_many_lines_that_go_the_first_are_shown(visitor: Visitor, memory: Memory) -> None:
    for day in range(1, 6):
        lines = "".join(f"- W Heron {day}-{number} {'was seen again ' * 20}.\n" for number in range(60))
        write_note(memory, f"memory/2025-10-0{day}.md", f"## Retain\n{lines}")
    page = visitor.get("/audit/forget?query=heron&erase=1")
    assert len(page.body) < MAX_PAGE_BYTES
    assert page.words.count("and 61 more") == 3
    assert page.words.count("Heron") == 98 + 50  # the lines of the table without two headings, and a page of records


def test_a_receipt_that_would_lose_its_text_is_named_before(visitor: Visitor, memory: Memory) -> None:
    memory.pack("staging port", now=NOW)
    assert "1 receipt loses its text and leaves the list" in visitor.get("/audit/forget?query=staging&erase=1").words


def test_lines_with_the_end_of_a_number_are_offered_and_not_taken(visitor: Visitor, memory: Memory) -> None:
    write_note(
        memory,
        "memory/2025-11-25.md",
        "## Retain\n- W Ring 07615550199.\n- W Not 555 0199 now.\n- W 95550199 is Bob's.\n",
    )
    page = visitor.get("/audit/forget?query=07615550199")
    assert re.search(r"Also similar .*Not 555 0199 now\. .*Forget this too", page.words)
    assert "Bob's" not in page.words
    visitor.press("Hide")
    assert memory.recall("not now", now=NOW).hits
    assert "Also similar" not in visitor.get("/audit/forget?query=staging").words


def test_the_result_of_a_wish_comes_before_its_form(visitor: Visitor) -> None:
    html = visitor.get("/audit/forget?query=staging").html
    assert html.index("What would be hidden") < html.index("Name something else") < html.index('name="entity"')


def test_what_is_hidden_is_erased_from_the_list_after_a_preview(visitor: Visitor, memory: Memory) -> None:
    hidden = memory.forget(query="staging", apply=True, now=NOW)
    visitor.get("/audit/forget?query=staging")
    assert "What is hidden already is not looked at here." in visitor.shown.words
    visitor.press("Show what erasing would change")
    assert "memory/2025-11-24.md" in visitor.shown.words
    page = visitor.get("/audit/forget")
    (link,) = [given["href"] for tag, given in page.parsed.elements if "erase=1" in given.get("href", "")]
    assert hidden.id in visitor.get(link.replace("%3A", ":")).address
    assert re.search(r"memory/2025-11-24\.md \d lines? goe?s? .*The staging DB runs on port 6431", visitor.shown.words)
    assert b"6431" in b"".join(markdown(memory).values())
    visitor.press("Erase for good")
    assert "Erased for good: what was hidden" in visitor.shown.words
    assert "Show again" not in visitor.shown.words
    assert b"6431" not in b"".join(markdown(memory).values())


def test_the_preview_of_erasing_counts_what_cannot_be_undone_any_more(visitor: Visitor, memory: Memory) -> None:
    page = visitor.get("/audit/forget?query=staging&erase=1")
    rows = page.words.count("the whole file goes, and the undo of that write")
    assert rows
    assert f"the undo of {rows} earlier write" in page.words
    assert re.search(r"\d bytes", page.words)


def test_a_hidden_item_is_not_offered_and_one_that_is_leads_to_where_it_is_shown_again(
    visitor: Visitor, memory: Memory
) -> None:
    visitor.get("/review")
    memory.forget(query="Bob", apply=True, now=NOW)
    assert visitor.press("Approve", 2).status == 400
    assert 'href="/audit/forget"' in visitor.shown.html
    assert "led:" not in visitor.shown.words
    assert "2 waiting for you" in visitor.get("/review").words
    for address in ("/review", "/today", "/file?path=memory/pending.md"):
        assert "Bob sails" not in visitor.get(address).words


# The notice.


def test_the_way_back_stays_on_the_page(visitor: Visitor, memory: Memory) -> None:
    for elsewhere in (
        "https://evil.example/x",
        "//evil.example/x",
        "////evil.example",
        "javascript:alert(1)",
        "/\\evil.example",
        "",
    ):
        memory.log("Called Ana.", now="2025-11-29T12:00")
        visitor.get("/audit")
        visitor.press("Undo", 0, back=elsewhere)
        assert visitor.shown.status in (200, 404)
        assert visitor.shown.address[:1] == "/", elsewhere
        assert visitor.shown.address[1:2] not in ("/", "\\"), elsewhere


def test_no_address_says_what_a_notice_tells(visitor: Visitor, memory: Memory) -> None:
    """Browsers keep addresses, and a link from elsewhere could tell a lie."""
    visitor.get(f"/review?notice=All+is+well&undo={EVIL}")
    assert "All is well" not in visitor.shown.words
    assert EVIL not in visitor.shown.html
    memory.log(f"Called Ana. {EVIL}", now="2025-11-29T12:00")
    visitor.get("/audit")
    visitor.press("Undo", 0)
    assert "undone" in visitor.shown.words
    assert "undone" not in visitor.shown.address
    visitor.get(visitor.shown.address)  # as after a reload
    assert "undone" in visitor.shown.words
