"""A pack spends its tokens where they tell most: lines of one file share a heading, worth goes before rank."""

from __future__ import annotations

import pytest
from msgspec import structs

from commonplace.model import Hit, Hits, Pack, Query, Record, Source
from commonplace.retrieval.pack import PackOptions, build_pack, lines
from commonplace.retrieval.pack.draft import PlacedLine, SectionLayout
from commonplace.retrieval.pack.lines import (
    PackLine,
    QueryTokens,
    frame_lines,
    make_pack_line,
    shorter_forms,
    tokenize_query,
)
from commonplace.retrieval.pack.selection import LineOffer, choose_offers
from tests.support.packs import ESSAY, NOW, words

LOG = "memory/2025-11-27.md"
JOURNAL = ".memory/journal/captures-desk-2025-11.jsonl"


def said(line: int, text: str, path: str = LOG, **more: object) -> Record:
    heading = ("2025-11-27", "Session 1, 2025-11-27") if path == LOG else ()
    shape = {"form": "dialogue", "speaker": "Ana", "heading": heading, "time": "2025-11-27T10:00"} | more
    return Record(f"{path}:{line}", text, Source(path, line, line, line * 100, line * 100 + 90, "d"), **shape)


def packed(
    *scored: tuple[float, Record],
    query: str = "boat sails",
    budget: int = 1200,
    core: tuple[Record, ...] = (),
    count=words,
) -> Pack:
    found = Hits(Query(text=query, now=NOW), tuple(Hit(record, score) for score, record in scored))
    return build_pack(found, core, budget_tokens=budget, options=PackOptions(count_tokens=count, max_items=60))[0]


def rows(pack: Pack) -> list[str]:
    return pack.text.split("\n")[1:-1]


# Laid out by source.


def test_lines_of_one_file_share_a_heading_and_each_cites_its_place() -> None:
    pack = packed((1.0, said(9, "The boat has new sails.")), (0.9, said(4, "The old sails tore in March.")))
    assert rows(pack) == [
        f"# {LOG} › Session 1",
        "- Ana: The old sails tore in March. [#L4]",
        "- Ana: The boat has new sails. [#L9]",
    ]
    assert [item.citation for item in pack.items] == [f"{LOG}#L4", f"{LOG}#L9"]
    assert [item.text for item in pack.items] == rows(pack)[1:]


def test_a_single_line_of_a_file_cites_it_whole() -> None:
    assert rows(packed((1.0, said(9, "The boat has new sails.")))) == [
        f"- Session 1 › Ana: The boat has new sails. [{LOG}#L9]"
    ]


def test_a_heading_is_made_only_where_it_saves_tokens() -> None:
    apart = packed((1.0, said(9, "New sails.", "a", time="")), (0.9, said(4, "Old boat.", "a", time="")))
    assert rows(apart) == ["- Ana: Old boat. [a#L4]", "- Ana: New sails. [a#L9]"]


def test_files_come_in_the_order_of_their_best_lines() -> None:
    pack = packed(
        (1.0, said(9, "The boat is white.", "notes/long/path.md")),
        (0.9, said(3, "The sails are blue.")),
        (0.8, said(2, "The boat has two sails.", "notes/long/path.md")),
        (0.7, said(1, "She sails on Sundays.")),
    )
    assert [item.citation for item in pack.items] == [
        "notes/long/path.md#L2",
        "notes/long/path.md#L9",
        f"{LOG}#L1",
        f"{LOG}#L3",
    ]


def test_lines_of_one_day_stand_below_it_and_a_single_one_keeps_its_date() -> None:
    pack = packed(
        (1.0, said(9, "The boat is white.", JOURNAL, actor="owner")),
        (0.9, said(3, "The sails are blue.", JOURNAL, actor="owner", time="2025-11-03T10:00")),
        (0.8, said(12, "The mast is new.", JOURNAL, actor="owner")),
    )
    assert rows(pack) == [
        f"# {JOURNAL} (evidence)",
        "- (2025-11-03) Ana: The sails are blue. [#L3]",
        "## (2025-11-27)",
        "- Ana: The boat is white. [#L9]",
        "- Ana: The mast is new. [#L12]",
    ]


def test_lines_of_one_day_alone_need_one_heading() -> None:
    pack = packed(
        *((1.0 - n / 10, said(n, f"Boat number {n} is white.", JOURNAL, actor="owner")) for n in (1, 2)),
    )
    assert rows(pack)[0] == f"# {JOURNAL} (2025-11-27) (evidence)"


def test_trust_and_opinion_are_told_on_each_line() -> None:
    found = Hits(
        Query(text="boat", now=NOW),
        tuple(Hit(said(n, f"Boat {n} is white.", trust="untrusted", kind="opinion"), 1 / n) for n in (1, 2)),
    )
    pack, _ = build_pack(found, (), budget_tokens=500, options=PackOptions(count_tokens=words, automatic=False))
    assert all("(opinion) (from Ana) Boat" in item.text for item in pack.items)
    assert len(rows(pack)) == 3


def test_the_core_is_laid_out_by_itself() -> None:
    core = tuple(said(n, f"Rule {n}: call her Ana.", "notes/of/the/MEMORY.md", heading=("Who",)) for n in (1, 2))
    more = said(7, "The boat is in the notes too.", "notes/of/the/MEMORY.md", heading=("Who",))
    alone, both = packed(core=core), packed((1.0, more), core=core)
    assert rows(both)[:3] == rows(alone)
    assert both.items[2].text.endswith("[notes/of/the/MEMORY.md#L7]")


def test_a_title_does_not_repeat_the_date_of_its_path() -> None:
    other = said(1, "The boat is white.", "memory/log.md", heading=("Session 1, 2025-11-27",))
    assert rows(packed((1.0, other))) == [
        "- Session 1, 2025-11-27 › Ana: The boat is white. [memory/log.md#L1]",
    ]


# Worth for the cost.


def long(line: int, about: str) -> Record:
    return said(line, f"The {about} " + "and so it went on and on without an end " * 8, f"notes/{line}.md", heading=())


def short(line: int, about: str) -> Record:
    return said(line, f"The {about} is here.", f"notes/{line}.md", heading=())


def test_of_two_lines_nearly_as_good_the_shorter_goes_first() -> None:
    scored = ((1.0, short(1, "boat")), (0.62, long(2, "sails")), (0.6, short(3, "mast")), (0.58, short(4, "deck")))
    pack = packed(*scored, budget=words(frame_lines(())) + 75)
    assert [item.record_id[6] for item in pack.items if item.layer == "L2"] == ["1", "3", "4"]


def test_the_best_hit_comes_first_whatever_it_costs() -> None:
    pack = packed((1.0, long(1, "boat")), (0.99, short(2, "sails")), budget=words(frame_lines(())) + 110)
    assert pack.items[0].record_id == "notes/1.md:1"


def test_a_much_better_line_goes_before_a_shorter_one() -> None:
    pack = packed((1.0, short(1, "boat")), (0.9, long(2, "sails")), (0.2, short(3, "mast")), budget=160)
    assert [item.record_id[6] for item in pack.items] == ["1", "2"]


def test_a_line_with_words_that_no_line_has_yet_is_worth_more() -> None:
    order: list[int] = []

    def take(offer: LineOffer) -> bool:
        order.append(offer.hit_position)
        return True

    asked = frozenset({"boat", "sails"})
    offers = [LineOffer(0, "a", 1.0, frozenset({"boat"})), LineOffer(1, "b", 0.5, frozenset({"boat"}))]
    choose_offers([*offers, LineOffer(2, "c", 0.45, frozenset({"sails"}))], asked, lambda _: 20, take)
    assert order == [0, 2, 1]


def test_a_line_is_worth_less_once_another_has_its_words() -> None:
    order: list[int] = []
    boat = frozenset({"boat"})
    offers = [
        LineOffer(0, "a", 1.0),
        LineOffer(1, "b", 0.5, boat),
        LineOffer(2, "c", 0.45, boat),
        LineOffer(3, "d", 0.5),
    ]
    choose_offers(offers, boat, lambda _: 20, lambda offer: not order.append(offer.hit_position))
    assert order == [0, 1, 3, 2]


def test_what_a_line_costs_is_asked_again_only_when_another_of_its_source_is_taken() -> None:
    order: list[int] = []
    asked: list[int] = []

    def cost(offer: LineOffer) -> int:
        asked.append(offer.hit_position)
        return 20 if offer.hit_position < 3 else 5 if 1 in order else 100

    offers = [LineOffer(0, "a", 1.0), LineOffer(1, "b", 0.5), LineOffer(2, "c", 0.4), LineOffer(3, "b", 0.3)]
    choose_offers(offers, frozenset(), cost, lambda offer: not order.append(offer.hit_position))
    assert order == [0, 1, 3, 2]
    assert (asked.count(2), asked.count(3)) == (1, 2)


def test_a_form_taken_brings_its_fuller_form_into_the_choice() -> None:
    order: list[str] = []

    def take(offer: LineOffer) -> bool:
        order.append(offer.body)
        return offer.body != "other"

    rest = LineOffer(0, "a", 0.2, body="whole")
    offers = [
        LineOffer(0, "a", 0.8, body="gist", longer_form=rest),
        LineOffer(1, "b", 0.5, body="other", longer_form=rest),
    ]
    choose_offers(offers, frozenset(), lambda _: 20, take)
    assert order == ["gist", "other", "whole"]


def test_a_short_line_does_not_beat_a_better_one_by_its_shortness_alone() -> None:
    order: list[int] = []
    offers = [LineOffer(0, "a", 1.0), LineOffer(1, "b", 0.2), LineOffer(2, "c", 0.6)]
    choose_offers(
        offers,
        frozenset(),
        lambda one: 5 if one.hit_position == 1 else 40,
        lambda one: not order.append(one.hit_position),
    )
    assert order == [0, 2, 1]


def in_order(*offers: LineOffer) -> list[int]:
    order: list[int] = []
    choose_offers(offers, frozenset(), lambda _: 20, lambda offer: not order.append(offer.hit_position))
    return order


def test_what_was_kept_of_a_capture_that_is_told_comes_after_what_is_new() -> None:
    capture = frozenset({"capture"})
    offers = (
        LineOffer(0, "a", 1.0, capture_ids=capture),
        LineOffer(1, "b", 0.8, capture_ids=capture),
        LineOffer(2, "c", 0.2),
    )
    assert in_order(*offers) == [0, 2, 1]
    assert in_order(LineOffer(3, "d", 1.0), offers[0], offers[1], offers[2]) == [3, 0, 2, 1]


def test_what_rests_on_a_capture_that_is_not_told_too_is_new() -> None:
    both = LineOffer(1, "b", 0.5, capture_ids=frozenset({"capture", "another"}))
    assert in_order(LineOffer(0, "a", 1.0, capture_ids=frozenset({"capture"})), both, LineOffer(2, "c", 0.2)) == [
        0,
        1,
        2,
    ]


def test_a_capture_leaves_its_room_to_others_where_what_was_kept_of_it_is_shown() -> None:
    capture = said(1, "I say the boat is white and the mast is new.", JOURNAL, actor="owner")
    kept = said(7, "Ana's boat is white; its mast is new.", "notes/boat.md", heading=(), sources=(capture.id,))
    other = said(2, "The sails of the other boat are blue.", "notes/other.md", heading=())
    pack = packed((1.0, kept), (0.9, capture), (0.6, other), budget=words(frame_lines(())) + 76)
    assert [item.record_id for item in pack.items] == [kept.id, other.id]


# The gist of a line.


def essay(line: int) -> Record:
    text = ESSAY.text.replace("Peter", f"Peter{line}")
    return structs.replace(ESSAY, id=f"essay{line}", text=text, source=Source(f"n/{line}.md", 1, 1, 0, 9, "d"))


def test_where_room_is_short_long_lines_give_their_gist_so_that_more_come_in() -> None:
    records = [essay(line) for line in range(1, 6)]
    scored = [(1 - line / 50, record) for line, record in enumerate(records)]
    asked = "passport riad"
    tight = packed(*scored, query=asked, budget=words(frame_lines(())) + 150)
    assert "L1" in {item.layer for item in tight.items}
    assert len(tight.items) == 4
    assert all("had left his passport in the riad" in item.text for item in tight.items)
    whole = packed(*scored, query=asked, budget=1200)
    assert {item.layer for item in whole.items} == {"L2"}


def forms(text: str, query: str) -> tuple[str, ...]:
    return shorter_forms(
        make_pack_line(Hit(said(1, text), 0.0), PackOptions(count_tokens=words)), tokenize_query(query)
    )


def test_questions_and_exclamations_are_left_out_first() -> None:
    text = "Wow! What was it? The harbour master closed the northern gate at dawn on Monday. It was late, and few knew."
    assert forms(text, "zebra") == (
        "… The harbour master closed the northern gate at dawn on Monday. …",
        "… The harbour master closed the northern gate at dawn on Monday. It was late, and few knew.",
    )


def test_a_question_with_words_that_are_looked_for_stays() -> None:
    text = "What did you think of the zebra? The harbour master closed the northern gate. The guard was asleep again."
    assert forms(text, "zebra")[0].startswith("What did you think of the zebra?")


def test_of_a_short_text_and_of_one_piece_nothing_is_left_out() -> None:
    assert forms("Wow! The gate is closed.", "zebra") == ()
    assert forms("The harbour master closed the northern gate on Monday, and nobody knew why", "zebra") == ()


def test_the_gist_of_a_long_text_is_bounded() -> None:
    (gist,) = forms("The harbour master closed the northern gate. " * 300, "zebra")
    assert 800 <= len(gist) < 900


# No room is left over.


def test_what_the_whole_costs_less_than_its_lines_is_filled() -> None:
    def thrifty(text: str) -> int:
        return len(text.split()) + 8  # eight for each text: forty lines by themselves cost forty times as much

    scored = [(1 - n / 50, said(n, f"Boat number {n} is white.", f"{n}.md", time="", heading=())) for n in range(40)]
    pack = packed(*scored, budget=150, count=thrifty)
    assert len(pack.items) > 12  # eight without
    assert pack.tokens <= 150


def test_a_line_shown_in_part_grows_into_the_room_that_is_left() -> None:
    pack = packed((1.0, essay(1)), (0.9, short(2, "boat")), query="passport", budget=600)
    assert {item.layer for item in pack.items} == {"L2"}
    room = words(frame_lines(())) + 52
    partly = packed((1.0, essay(1)), query="passport", budget=room)
    assert partly.items[0].layer == "L1"
    assert partly.tokens > room - 12


def test_lines_for_which_there_is_no_room_are_not_taken_apart_again(monkeypatch: pytest.MonkeyPatch) -> None:
    taken_apart: list[str] = []

    def counted(line: PackLine, wanted: QueryTokens) -> tuple[str, ...]:
        taken_apart.append(line.path)
        return shorter_forms(line, wanted)

    monkeypatch.setattr("commonplace.retrieval.pack.selection.shorter_forms", counted)
    scored = [(1 - n / 50, essay(n)) for n in range(40)]
    pack = packed(*scored, query="passport riad", budget=words(frame_lines(())) + 150)
    assert 0 < len(pack.items) < 10
    assert len(taken_apart) < 50


def test_a_line_is_taken_apart_and_priced_once_while_a_pack_is_filled(monkeypatch: pytest.MonkeyPatch) -> None:
    taken_apart: list[str] = []
    priced: list[tuple[str, str]] = []
    split, price = lines.split_sentences, SectionLayout._compute_added_cost

    def counted_split(text: str) -> list[str]:
        taken_apart.append(text)
        return split(text)

    def counted_price(layout: SectionLayout, placed_line: PlacedLine) -> int:
        priced.append((placed_line.key, placed_line.body))
        return price(layout, placed_line)

    monkeypatch.setattr(lines, "split_sentences", counted_split)
    monkeypatch.setattr(SectionLayout, "_compute_added_cost", counted_price)
    scored = [(1 - n / 50, said(n, f"A tale of boat {n}. " * 6, f"{n}.md")) for n in range(40)]
    pack = packed(*scored, query="boat", budget=words(frame_lines(())) + 150)
    assert 0 < len(pack.items) < 10
    assert len(taken_apart) == len(set(taken_apart))
    assert len(priced) == len(set(priced))  # each is in a file of its own
