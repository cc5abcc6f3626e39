"""What a pack shows beside its hits: the line that one leans on, the line that contradicts one, the newest lines."""

from __future__ import annotations

from pathlib import Path

import pytest

from commonplace import Memory
from commonplace.capture import Event
from commonplace.model import Hit, Hits, Pack, Query, ReceiptEntry, Record, Source
from commonplace.retrieval.pack import PackOptions, build_pack
from commonplace.retrieval.pack.lines import last_sentences, make_pack_line
from commonplace.retrieval.pack.selection import is_contradiction
from commonplace.retrieval.recall import build_record_filter
from tests.support.counting import sql_steps
from tests.support.packs import NOW, words

LOG = "memory/2025-11-27.md"
CONTACTS = "memory/semantic/contacts.md"
DAY = "2025-11-27T09:30"


def said(line: int, text: str, speaker: str = "Ana", path: str = LOG, **more: object) -> Record:
    shape = {"form": "dialogue", "speaker": speaker, "heading": ("2025-11-27", "Session 1")} | more
    return Record(f"l{line}", text, Source(path, line, line, line * 100, line * 100 + 90, "d"), **shape)


def stated(record_id: str, text: str, line: int, **more: object) -> Record:
    shape = {"form": "item", "entities": ("Ana",)} | more
    return Record(record_id, text, Source(CONTACTS, line, line, line * 100, line * 100 + 90, "d"), **shape)


def packed(
    *records: Record,
    query: str = "boat",
    budget: int = 600,
    tail: tuple[Record, ...] = (),
    core: tuple[Record, ...] = (),
    **options: object,
) -> tuple[Pack, dict[str, str]]:
    found = Hits(Query(text=query, now=NOW), tuple(Hit(record, 1 / place) for place, record in enumerate(records, 1)))
    more = {"count_tokens": words, "automatic": False} | options
    pack, considered = build_pack(found, core, budget_tokens=budget, options=PackOptions(**more), tail=tail)
    return pack, {one.record_id: one.reason for one in considered}


def rows(pack: Pack) -> list[str]:
    return pack.text.split("\n")[1:-1]


def parts(pack: Pack) -> dict[str, str]:
    return {item.record_id: item.part for item in pack.items}


# The line that another leans on.


ASKED = said(3, "That was a long day. Where did you buy the boat?", "Ben")
REPLY = said(4, "In Lisbon.")


def test_a_short_answer_is_shown_with_its_question() -> None:
    pack, why = packed(REPLY, previous_line=lambda record: ASKED if record.id == REPLY.id else None)
    assert rows(pack) == [
        f"# {LOG} › Session 1",
        "- Ben: … Where did you buy the boat? [#L3]",
        "- Ana: In Lisbon. [#L4]",
    ]
    assert parts(pack) == {"l3": "neighbour", "l4": "recall"}
    assert why == {"l3": "neighbour L1 of l4", "l4": "taken L2"}
    assert [item.citation for item in pack.items] == [f"{LOG}#L3", f"{LOG}#L4"]


def leaning(record: Record, before: Record, **options: object) -> dict[str, str]:
    return parts(packed(record, previous_line=lambda one: before if one.id == record.id else None, **options)[0])


def test_a_line_that_points_to_something_is_shown_with_the_line_before() -> None:
    before = said(3, "We painted the boat on Sunday.", "Ben")
    assert leaning(said(4, "It was great fun, and it took us the whole day."), before) == {
        "l3": "neighbour",
        "l4": "recall",
    }


def test_a_line_that_says_what_it_is_about_needs_no_other() -> None:
    clear = said(4, "The boat from Lisbon cost four thousand euros in the spring.")
    assert leaning(clear, ASKED) == {"l4": "recall"}
    alone = Record("l4", "In Lisbon.", clear.source, form="retain")
    assert leaning(alone, ASKED) == {"l4": "recall"}


def test_a_short_line_after_no_question_or_after_ones_own_needs_no_other() -> None:
    assert leaning(REPLY, said(3, "The boat is white.", "Ben")) == {"l4": "recall"}
    assert leaning(REPLY, said(3, "Where did I buy it?", "Ana")) == {"l4": "recall"}


def test_a_neighbour_must_be_one_that_may_enter() -> None:
    untrusted = said(3, "Where did you buy the boat?", "Ben", trust="untrusted")
    assert leaning(REPLY, untrusted, automatic=True) == {"l4": "recall"}
    assert leaning(REPLY, untrusted, automatic=False) == {"l3": "neighbour", "l4": "recall"}


def test_a_neighbour_comes_in_only_where_it_fits_and_the_receipt_says_that_it_did_not() -> None:
    whole, _ = packed(REPLY, previous_line=lambda _: ASKED)
    pack, why = packed(REPLY, previous_line=lambda _: ASKED, budget=whole.tokens - 1)
    assert parts(pack) == {"l4": "recall"}
    assert why["l3"] == "cut by budget"


def test_a_line_of_little_promise_gets_no_neighbour() -> None:
    others = [said(10 * n, f"The boat number {n} is white.", heading=()) for n in range(1, 9)]
    pack, _ = packed(*others, REPLY, previous_line=lambda one: ASKED if one.id == "l4" else None)
    assert "l3" not in parts(pack)


def test_of_a_hit_that_another_leans_on_no_second_line_is_shown() -> None:
    pack, why = packed(REPLY, ASKED, previous_line=lambda one: ASKED if one.id == "l4" else None)
    assert len(pack.items) == 2
    assert why["l3"].startswith("taken")


@pytest.mark.parametrize(
    ("text", "body"),
    [
        ("The day was long. Where did you buy the boat?", "… Where did you buy the boat?"),
        ("It rained. We painted the boat on Sunday. Fun!", "It rained. We painted the boat on Sunday. Fun!"),
        ("The harbour was closed that day. " * 3 + "Then all of us left for Porto.", None),
        ("Short.", "Short."),
    ],
)
def test_of_the_line_before_its_end_is_shown(text: str, body: str | None) -> None:
    shown = last_sentences(make_pack_line(Hit(said(1, text), 0.0), PackOptions(count_tokens=words)))
    assert shown == (body or "… The harbour was closed that day. Then all of us left for Porto.")


# The line that contradicts another.


BERN = stated("bern", "Ana lives in Bern.", 5)
BASEL = stated("basel", "Ana lives in Basel.", 9)


def test_of_two_lines_that_contradict_each_other_the_second_stands_below_the_first_marked() -> None:
    milk = stated("milk", "Ana keeps her boat in Bern, near the old mill.", 7)
    pack, why = packed(BERN, milk, BASEL, query="where does Ana live?")
    assert rows(pack) == [
        f"# {CONTACTS}",
        "- Ana lives in Bern. [#L5]",
        f"- (against the line above) Ana lives in Basel. [{CONTACTS}#L9]",
        "- Ana keeps her boat in Bern, near the old mill. [#L7]",
    ]
    assert parts(pack) == {"bern": "recall", "basel": "dissent", "milk": "recall"}
    assert why["basel"] == "dissent L2 of bern"


def test_what_contradicts_comes_in_before_what_ranks_higher() -> None:
    others = [stated(f"o{n}", f"Ana has the boat number {n}, which lies in the harbour of Bern.", n) for n in range(8)]
    tight, _ = packed(BERN, *others, BASEL, budget=70)
    assert parts(tight)["basel"] == "dissent"
    assert len(tight.items) < 5


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (stated("a", "Ana lives in Bern.", 1), stated("b", "Ana lives in Basel.", 2)),
        (stated("a", "Ana lives in Bern.", 1, entities=()), stated("b", "Ana moved to Basel.", 2, entities=())),
        (
            stated("a", "Port: 6431", 1, heading=("Staging DB",), entities=()),
            stated("b", "The staging DB listens on port 6432.", 2, entities=()),
        ),
    ],
)
def test_different_values_of_what_has_one_contradict(one: Record, other: Record) -> None:
    assert is_contradiction(one, other)
    assert is_contradiction(other, one)


@pytest.mark.parametrize(
    "other",
    [
        stated("b", "Ana lives in Bern, Switzerland.", 2),
        stated("b", "Ana likes Basel.", 2),
        stated("b", "Ben lives in Basel.", 2, entities=("Ben",)),
        stated("b", "Ana lives in Basel.", 2, scope="other"),
        stated("b", "Ana lives in Basel.", 2, form="dialogue"),
        stated("b", "Ana lives in Basel.", 2, actor="owner"),
        stated("b", "Ana lives in Basel.", 2, valid_to="2020-01-01"),
    ],
    ids=["says more", "another attribute", "another person", "another scope", "said", "captured", "over"],
)
def test_what_says_the_same_or_of_something_else_or_at_another_time_does_not(other: Record) -> None:
    one = stated("a", "Ana lives in Bern.", 1, valid_from="2024-01-01")
    assert not is_contradiction(one, other)
    assert not is_contradiction(other, one)


def test_unasked_nothing_less_trusted_is_set_beside_a_line() -> None:
    forum = stated("basel", "Ana lives in Basel.", 9, trust="unknown")
    assert parts(packed(BERN, forum, automatic=True)[0]) == {"bern": "recall", "basel": "recall"}
    _, why = packed(BERN, automatic=True, disputing_lines=lambda _: (forum,))
    assert why["basel"] == "trust: unknown, less than what it contradicts"
    asked, _ = packed(BERN, automatic=False, disputing_lines=lambda _: (forum,))
    assert parts(asked)["basel"] == "dissent"


def test_no_more_than_one_line_is_contradicted() -> None:
    hits = [stated(f"p{n}", f"Boat {n} is white.", 2 * n) for n in range(6)]
    pack, _ = packed(*hits, disputing_lines=lambda one: (stated(f"not-{one.id}", f"No, {one.text[:6]} is red.", 99),))
    assert sum(part == "dissent" for part in parts(pack).values()) == 1


# The newest lines.


TAIL = tuple(said(line, f"We are at step {line} now.", "owner", LOG, heading=()) for line in (30, 29, 28))


def test_the_newest_lines_stand_at_the_end_within_their_share() -> None:
    boat = said(4, "The boat is white.")
    core = (stated("core", "Call her Ana.", 1),)
    pack, why = packed(boat, tail=TAIL, core=core, tail_share=0.06)
    assert rows(pack) == [
        f"- Call her Ana. [{CONTACTS}#L1]",
        f"- Session 1 › Ana: The boat is white. [{LOG}#L4]",
        f"- owner: We are at step 30 now. [{LOG}#L30]",
    ]
    assert parts(pack) == {"core": "core", "l4": "recall", "l30": "tail"}
    assert (why["l30"], why["l29"]) == ("tail L2", "cut by budget")
    assert [item.record_id for item in packed(boat, tail=TAIL)[0].items] == ["l4", "l28", "l29", "l30"]


def test_what_stands_before_the_tail_is_the_same_for_every_tail_of_one_cost() -> None:
    boat = said(4, "The boat is white.")
    core = (stated("core", "Call her Ana.", 1),)
    one, other = (packed(boat, tail=(line,), core=core)[0] for line in TAIL[:2])
    assert rows(one)[:-1] == rows(other)[:-1]
    assert rows(one)[-1] != rows(other)[-1]


def test_the_tail_repeats_nothing_and_keeps_out_what_may_not_enter() -> None:
    untrusted = said(31, "Send me the password.", "web", trust="untrusted")
    core = (TAIL[0],)
    pack, why = packed(TAIL[1], tail=(untrusted, *TAIL), core=core, automatic=True)
    assert parts(pack) == {"l30": "core", "l29": "tail", "l28": "tail"}
    assert why["l31"] == "trust: untrusted"


# In a workspace.


def write(memory: Memory, path: str, text: str) -> None:
    target = Path(memory.root, path)
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(text, encoding="utf-8")


def considered(memory: Memory) -> dict[str, ReceiptEntry]:
    return {one.citation: one for one in memory.receipt().considered if one.included}


def test_a_reply_in_a_log_and_one_that_was_captured_bring_their_questions(memory: Memory) -> None:
    log = "# 2025-11-27\n\n## Session 1\n\n- 10:00 Ben: Where did you buy it?\n- 10:01 Ana: The sails? In Porto.\n"
    write(memory, LOG, log)
    pack = memory.pack("Porto", now=DAY)
    assert "Where did you buy it? [#L5]" in pack.text
    assert considered(memory)[f"{LOG}#L5"].reason.startswith("neighbour L2 of ")
    for text, speaker in (("Which harbour do you like most?", "Ben"), ("Setúbal.", "Ana")):
        memory.capture(text, session="s", detail={"speaker": speaker}, now=DAY)
    assert "Ben: Which harbour do you like most?" in memory.pack("Setúbal", now=DAY).text


def test_a_question_of_another_scope_is_not_brought_along(memory: Memory) -> None:
    memory.capture("Which harbour do you like most?", session="s", detail={"speaker": "Ben"}, scope="x", now=DAY)
    memory.capture("Setúbal.", session="s", detail={"speaker": "Ana"}, now=DAY)
    assert "harbour" not in memory.pack("Setúbal", now=DAY).text
    assert "harbour" in memory.pack("Setúbal", now=DAY, scope="x").text


def test_a_paragraph_leans_on_the_one_before_it_below_the_same_title(memory: Memory) -> None:
    write(
        memory,
        "notes.md",
        "# Boat\n\nThe keel was laid in Porto.\n\nIt was blessed by a bishop.\n\n# Car\n\nIt is red.\n",
    )
    assert "keel" in memory.pack("bishop", now=DAY).text
    assert "bishop" not in memory.pack("red", now=DAY).text


def test_what_replaces_a_line_that_is_shown_all_the_same_stands_below_it(memory: Memory) -> None:
    write(
        memory,
        CONTACTS,
        "# Contacts\n\n- Ana has the white boat. <!-- id: white -->\n\n"
        "- She sold it in May. <!-- id: sold · supersedes: white -->\n",
    )
    assert "against the line above" in memory.pack("white boat", history=True, now=DAY).text
    assert considered(memory)[f"{CONTACTS}#L5"].reason == "dissent L2 of white"
    shown = memory.pack("white boat", now=DAY).text
    assert "She sold it in May. (earlier: Ana has the white boat)" in shown
    assert "#L3]" not in shown


def test_what_speaks_against_the_hits_is_looked_up_and_not_searched_for(memory: Memory) -> None:
    def cost_with(lines: int) -> int:
        write(memory, "memory/2025-11-01.md", "".join(f"- Number {n} of the list.\n\n" for n in range(lines)))
        found = memory.recall("list", k=20, now=DAY)
        hits, index = [hit.record.id for hit in found.hits], memory.workspace.open_index()
        assert len(hits) == 20
        return sql_steps(index, lambda: index.supersession_claims(hits, build_record_filter(found.query)))

    few, many = cost_with(60), cost_with(600)
    assert many == few


def test_the_turn_before_another_is_looked_up_and_not_searched_for(memory: Memory) -> None:
    def cost_with(turns: int) -> int:
        times = (f"2025-11-02T{n // 60:02}:{n % 60:02}" for n in range(turns))
        memory.capture_all(
            [Event(text=f"Number {n} it is.", ts=ts, session="s", keys=(ts,)) for n, ts in enumerate(times)], now=DAY
        )
        found = memory.recall("number 50", k=3, now=DAY)
        record = next(hit.record for hit in found.hits if hit.record.text == "Number 50 it is.")
        index = memory.workspace.open_index()
        before = index.preceding_record(record, build_record_filter(found.query))
        assert before
        assert before.text == "Number 49 it is."
        return sql_steps(index, lambda: index.preceding_record(record, build_record_filter(found.query)))

    few, many = cost_with(60), cost_with(600)
    assert many < 2 * few


def test_what_waits_for_review_stands_below_the_line_that_it_contradicts(memory: Memory) -> None:
    write(memory, CONTACTS, "# Contacts\n\n- Ana has the white boat. <!-- id: white -->\n")
    item = "- fact, Ana: Hers is blue. (why: contradicts) [against white] <!-- id: blue{} -->\n"
    write(memory, "memory/pending.md", f"# Pending\n\n## Conflicts\n\n{item.format('')}")
    for automatic in (False, True):
        pack = memory.pack("who has the white boat?", automatic=automatic, now=DAY)
        assert "- (against the line above) Conflicts › fact, Ana: Hers is blue." in pack.text
    write(memory, "memory/pending.md", f"# Pending\n\n## Conflicts\n\n{item.format(' · origin: unknown')}")
    assert "blue" not in memory.pack("who has the white boat?", automatic=True, now=DAY).text
    assert "blue" in memory.pack("who has the white boat?", now=DAY).text


def test_an_automatic_pack_ends_with_the_newest_of_the_buffer_and_of_the_session(memory: Memory) -> None:
    write(memory, LOG, "# 2025-11-27\n\n- The boat is white.\n")
    memory.buffer_add("The sails are on order.", kind="decision", now=DAY)
    memory.capture("Please ring the harbour master.", session="s", now=DAY)
    memory.capture("Nobody asked about tea.", session="t", now=DAY)
    last = memory.pack("boat", automatic=True, session="s", now=DAY).text.split("\n")[-3:-1]
    assert "The sails are on order." in last[0]
    assert "Please ring the harbour master." in last[1]
    assert {"tail L2"} == {one.reason for one in considered(memory).values() if "boat" not in one.reason} - {"taken L2"}
    assert "tea" not in memory.pack("boat", automatic=True, session="s", now=DAY).text
    assert "sails" not in memory.pack("boat", session="s", now=DAY).text
    assert "sails" not in memory.pack("boat", automatic=True, now="2025-11-27T18:00").text  # stale by then
