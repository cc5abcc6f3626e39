"""Recall and packs show what holds now first, and the values before it with their days."""

from __future__ import annotations

from pathlib import Path

import pytest

from commonplace import Memory
from commonplace.model import Hit, PackItem
from commonplace.shapes import hits_json, pack_json
from tests.support.schemas import validator

pytestmark = pytest.mark.usefixtures("surroundings", "calm")

NOW = "2026-11-20T09:00"
MARCH, NOVEMBER = "2026-03-10", "2026-11-03"


def write(memory: Memory, day: str, *lines: str) -> None:
    path = Path(memory.root, f"memory/{day}.md")
    path.parent.mkdir(exist_ok=True)
    path.write_text("## Notes\n" + "".join(f"- {line}\n" for line in lines), encoding="utf-8")


def hits(memory: Memory, question: str, now: str = NOW) -> tuple[Hit, ...]:
    found = memory.recall(question, now=now)
    validator("commonplace.hits.v1").validate(hits_json(found))
    return found.hits


def packed(memory: Memory, question: str, budget_tokens: int = 1_000) -> tuple[PackItem, ...]:
    pack = memory.pack(question, now=NOW, budget_tokens=budget_tokens)
    validator("commonplace.pack.v1").validate(pack_json(pack))
    return pack.items


def test_the_current_line_carries_the_value_that_it_replaced(memory: Memory) -> None:
    write(memory, MARCH, "The port of Zed is 7443.")
    write(memory, NOVEMBER, "The port of Zed is now 9443, not 7443.")
    [hit] = hits(memory, "which port does Zed have?")
    old = memory.recall("port Zed 7443", now=NOW, history=True, until="2026-04").hits[0].record
    assert [(one.value, one.day, one.id) for one in hit.earlier] == [("7443", NOVEMBER, old.id)]
    [item] = packed(memory, "which port does Zed have?")
    assert "not 7443. (earlier: 7443, until 3 November) [" in item.text
    assert pack_json(memory.pack("port of Zed", now=NOW))["items"][0]["earlier"] == [
        {"value": "7443", "until": NOVEMBER, "id": old.id}
    ]


TWINS = "The lawn club of Ana is associated with the sport of {}"


def test_twins_exchange_their_places_and_a_pack_has_the_newer_above_both_with_their_days(memory: Memory) -> None:
    write(memory, MARCH, TWINS.format("boules") + ".", "Zed has a pond.")
    write(memory, NOVEMBER, TWINS.format("croquet") + ".")
    question = "which sport like boules is the lawn club of Ana associated with?"
    newer, older, *_others = hits(memory, question)
    assert ("croquet" in newer.record.text, "boules" in older.record.text) == (True, True)
    assert older.score > newer.score, "the older one matches better"
    assert (older.earlier_than, older.day, newer.day) == (newer.record.id, MARCH, NOVEMBER)
    above, below, *_rest = packed(memory, question)
    assert (above.record_id, below.record_id, below.earlier_than) == (newer.record.id, older.record.id, above.record_id)
    assert f"- ({NOVEMBER}) " in above.text
    assert f"- ({MARCH}, earlier) " in below.text


def test_of_twins_in_one_file_the_newer_stands_above_the_older(memory: Memory) -> None:
    write(memory, MARCH, TWINS.format("boules") + ".", "The pond is wet.", TWINS.format("croquet") + ".")
    items = packed(memory, "which sport is the lawn club of Ana associated with?")
    texts = [item.text for item in items]
    newer = next(number for number, text in enumerate(texts) if "croquet" in text)
    older = next(number for number, text in enumerate(texts) if "boules" in text)
    assert newer < older
    assert items[older].earlier_than == items[newer].record_id


def test_a_pack_without_room_for_the_newer_leaves_the_older_out(memory: Memory) -> None:
    write(memory, MARCH, TWINS.format("boules") + ".")
    write(memory, NOVEMBER, TWINS.format("croquet") + ".")
    for budget in range(30, 120, 5):
        items = packed(memory, "which sport is the lawn club of Ana associated with?", budget)
        assert not any("boules" in item.text and "croquet" not in items[0].text for item in items)
    (newer,) = [hit.record for hit in hits(memory, "sport of Ana") if "croquet" in hit.record.text]
    conflict = Path(memory.root, newer.source.path)
    text = conflict.read_text(encoding="utf-8")
    conflict.write_text(f"{text}\n<<<<<<< ours\n- A.\n=======\n- B.\n>>>>>>> theirs\n", encoding="utf-8")
    assert not any(
        "boules" in item.text for item in packed(memory, "which sport is the lawn club of Ana associated with?")
    )
    reasons = [entry.reason for entry in memory.receipt("last").considered]
    assert any(reason.startswith("older than ") for reason in reasons)


def test_a_less_trusted_line_stands_above_nothing(memory: Memory) -> None:
    write(memory, MARCH, TWINS.format("boules") + ".")
    write(memory, NOVEMBER, TWINS.format("croquet") + ". <!-- origin: untrusted -->")
    first, *_others = hits(memory, "which sport like boules is the lawn club of Ana associated with?")
    assert ("boules" in first.record.text, first.earlier_than, first.later) == (True, "", None)
    items = packed(memory, "which sport is the lawn club of Ana associated with?")
    assert {item.earlier_than for item in items} == {""}


def test_a_capture_whose_lines_are_replaced_is_marked_and_stands_below_the_current_one(memory: Memory) -> None:
    said = memory.capture("I think the port of Zed is 7443 by the way, and you asked me.", ts=f"{MARCH}T09:00", now=NOW)
    write(memory, MARCH, f"The port of Zed is 7443. <!-- from: {said.id} -->")
    write(memory, NOVEMBER, "The port of Zed is now 9443, not 7443.")
    question = "which port 7443 do you think that Zed has, by the way?"
    current, capture = hits(memory, question)
    assert (current.earlier[0].value, capture.record.id) == ("7443", said.id)
    assert (capture.earlier_than, capture.later is not None) == (current.record.id, True)
    assert [item.earlier_than for item in packed(memory, question)] in (["", current.record.id], [""])


def test_a_line_that_ended_today_and_its_capture_are_marked_so_today(memory: Memory) -> None:
    said = memory.capture("So the lawn is closed, they tell me.", ts=f"{MARCH}T09:00", now=NOW)
    write(memory, MARCH, f"The lawn is closed. <!-- valid: 2026-03-10..2026-11-20 · from: {said.id} -->")
    assert {hit.until for hit in hits(memory, "lawn")} == {"2026-11-20"}
    assert {hit.until for hit in hits(memory, "lawn", now="2026-11-19T09:00")} == {""}
    assert "until 2026-11-20" in packed(memory, "is the lawn closed, do they tell?")[0].text.replace("..", " until ")


@pytest.mark.parametrize(
    ("text", "until"),
    [
        ("Noted, the lawn is closed until 30 June.", "2026-06-30"),
        ("The lawn is closed from 20 March through 30 June.", "2026-06-30"),
        ("Der Rasen, the lawn, ist bis Ende Juni gesperrt.", "2026-06-30"),
        ("The lawn is closed until 31 December.", ""),
        ("The lawn was closed from 1 to 7 March.", ""),
        ("The lawn is closed until 30 June. The key to the lawn is at the desk.", ""),
        ("the lawn is closed until 30 June. the key to the lawn is at the desk", ""),
        ("The lawn is open from 1 May, and closed until then.", ""),
    ],
)
@pytest.mark.parametrize("actor", ["agent", "tool", "owner"])
def test_one_sentence_that_says_until_when_is_marked_once_that_is_over(
    memory: Memory, text: str, until: str, actor: str
) -> None:
    memory.capture(text, ts=f"{MARCH}T09:00", now=NOW, actor=actor)
    assert [hit.until for hit in hits(memory, "lawn")] == [until]
    assert all(("(until 2026-06-30)" in item.text) == bool(until) for item in packed(memory, "is the lawn closed?"))
    assert [hit.until for hit in hits(memory, "lawn", now=f"{MARCH}T10:00")] == [""]


@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("where does Mara live?", "Basel"),
        ("where did Mara live before?", "Chur"),
        ("where did Mara live in June?", "Chur"),
        ("where did Mara live in March?", "Bern"),
        ("where did Mara live initially?", "Bern"),
        ("wo hat Mara früher gewohnt, in Basel?", "Chur"),
        ("Где раньше жила Mara? lives", "Chur"),
        ("Var bodde Mara tidigare, och när? lives", "Chur"),
        ("Mara 以前住在哪里？lives", "Chur"),
        ("Maraは最初どこに住んでいましたか？lives", "Bern"),
    ],
)
def test_a_question_about_the_past_has_the_value_of_that_time_first(memory: Memory, question: str, first: str) -> None:
    write(memory, MARCH, "Mara lives in Bern.")
    write(memory, "2026-05-01", "Mara lives in Chur now.")
    write(memory, NOVEMBER, "Mara lives in Basel now.")
    assert first in hits(memory, question)[0].record.text


def say(memory: Memory, *texts: str, speaker: str = "") -> None:
    for month, text in enumerate(texts, 1):
        detail = {"speaker": speaker} if speaker else {}
        memory.capture(text, ts=f"2026-{month:02d}-10T09:00", now=NOW, session=f"s{month}", detail=detail)


FITBIT = "I have been wearing my Fitbit for {} now, and I am wondering about a bigger strap for it."


def test_in_talk_the_newer_number_of_the_unit_that_is_asked_for_is_lifted_above_the_older(memory: Memory) -> None:
    say(memory, f"{FITBIT.format('six months')} My Fitbit counts steps.", "A walk.", FITBIT.format("9 months"))
    newer, older, *_others = hits(memory, "how long have I been wearing my Fitbit that counts steps?")
    assert ("9 months" in newer.record.text, "six months" in older.record.text) == (True, True)
    assert older.later is not None
    assert (older.later.value, older.later.day, older.later.id) == ("9 months", "2026-03-10", newer.record.id)
    assert older.earlier_than == ""
    assert "(later: 9 months, 10 March)" in memory.pack("how long have I been wearing my Fitbit?", now=NOW).text


@pytest.mark.parametrize(
    ("question", "one", "other"),
    [
        ("what do I wear, a Fitbit?", "six months", "9 months"),
        ("how long have I been wearing my Fitbit?", "six months", "6 months"),
        ("how long have I been wearing my Fitbit?", "six months", "two straps"),
        ("how long had I been wearing my Fitbit before?", "six months", "9 months"),
    ],
)
def test_in_talk_nothing_else_is_lifted(memory: Memory, question: str, one: str, other: str) -> None:
    say(memory, FITBIT.format(one), "A walk.", FITBIT.format(other))
    assert [hit.later for hit in hits(memory, question)[:2]] == [None, None]


def test_in_talk_numbers_of_two_speakers_are_two_things(memory: Memory) -> None:
    say(memory, FITBIT.format("six months"), speaker="Ana")
    say(memory, "A walk.", FITBIT.format("9 months"), speaker="Ben")
    assert {hit.later for hit in hits(memory, "how long was the Fitbit worn?")} == {None}


def test_lines_that_were_made_of_talk_are_no_twins(memory: Memory) -> None:
    first = memory.capture("So we did sport with the lawn club today, and then it rained.", now=NOW)
    write(memory, MARCH, TWINS.format("boules") + f". <!-- from: {first.id} -->")
    write(memory, NOVEMBER, TWINS.format("croquet") + f". <!-- from: {first.id} -->")
    assert {hit.earlier_than for hit in hits(memory, "which sport like boules has the lawn club?")} == {""}


def test_a_capture_is_not_older_than_the_record_that_was_made_of_it(memory: Memory) -> None:
    for day, sport in ((MARCH, "boules"), (NOVEMBER, "croquet")):
        said = memory.capture(f"{TWINS.format(sport)}.", ts=f"{day}T09:00", now=NOW, session=day)
        write(memory, day, f"{TWINS.format(sport)}. <!-- from: {said.id} -->")
    newer, older = hits(memory, "which sport is the lawn club of Ana associated with?")
    assert ("croquet" in newer.record.text, newer.earlier_than, newer.later) == (True, "", None)
    assert older.earlier_than in (newer.record.id, *newer.sources)
    above, below = packed(memory, "which sport is the lawn club of Ana associated with?")[:2]
    assert below.earlier_than == above.record_id


def consolidate(memory: Memory, sentence: str, older: str, newer: str) -> None:
    for day, value in ((MARCH, older), (NOVEMBER, newer)):
        memory.capture(sentence.format(value), ts=f"{day}T09:00", session=day, now=NOW)
        memory.consolidate(apply=True, now=NOW)


def test_lines_made_of_captures_hold_from_when_these_were_said(memory: Memory) -> None:
    consolidate(memory, "The team decided to use {} for the weekly report.", "Excel", "Numbers")
    question = "what did the team decide to use for the weekly report?"
    assert ["Numbers" in hit.record.text for hit in hits(memory, question)] == [True, False]
    [hit] = memory.recall(question, now=NOW, as_of="2026-05-15").hits
    assert (hit.record.text, hit.record.time) == ("The team decided to use Excel for the weekly report.", MARCH)


def test_a_line_made_of_a_capture_shows_the_earlier_value_once(memory: Memory) -> None:
    consolidate(memory, "The admin console of Zed listens on port {}.", "7443", "9443")
    question = "which port does the admin console of Zed listen on?"
    [hit] = hits(memory, question)
    assert [(one.value, one.day) for one in hit.earlier] == [("7443", NOVEMBER)]
    [ended] = memory.pack(question, now=NOW, as_of="2026-05-15").items
    assert "- (2026-03-10, until 2026-11-03) ~~The admin console of Zed" in ended.text
    past = memory.pack("which port did the admin console of Zed listen on before?", now=NOW).items
    assert [("7443" in item.text.partition(" (")[0], item.part) for item in past][1:] == [(False, "recall")]


def test_an_earlier_value_is_marked_as_such_and_not_as_a_contradiction(memory: Memory) -> None:
    consolidate(memory, "Ernst Heinkel is a citizen of {}.", "Germany", "France")
    newer, older = packed(memory, "what is the country of citizenship of Ernst Heinkel?")
    assert (newer.earlier_than, older.earlier_than, older.part) == ("", newer.record_id, "recall")


@pytest.mark.parametrize("undone", ["7443", "9443"])
def test_undo_restores_a_line_that_consolidation_struck_out(memory: Memory, undone: str) -> None:
    consolidate(memory, "The admin console of Zed listens on port {}.", "7443", "9443")
    question = "which port does the admin console of Zed listen on?"
    [current] = hits(memory, question)
    memory.undo(current.earlier[0].id if undone == "7443" else current.record.id, now=NOW)
    page = Path(memory.root, "memory/semantic/infrastructure.md").read_text(encoding="utf-8")
    above, _, history = page.partition("## History")
    assert [line.partition(" <!--")[0] for line in above.split("## Zed\n")[1].splitlines() if line] == [
        "- The admin console of Zed listens on port 9443.",
        "- The admin console of Zed listens on port 7443.",
    ]
    assert ("~~" in history, "valid: .." in above) == (False, False)
    newer, older = packed(memory, question)
    assert (older.earlier_than, "its source changed" in older.text) == (newer.record_id, False)
    assert memory.dump() == memory.workspace.dump_rebuilt_index()
    assert not any(problem.code == "source-changed" for problem in memory.check().problems)


def test_what_replaced_a_line_is_found_by_the_words_of_that_line(memory: Memory) -> None:
    memory.retain("I live in Ulm.", now=f"{MARCH}T09:00")
    memory.retain("I moved to Bremen.", now=f"{NOVEMBER}T09:00")
    (hit,) = hits(memory, "where do I live?")
    assert (hit.record.text, [one.value for one in hit.earlier]) == ("I moved to Bremen.", ["Ulm"])
    for question in ("where did I live before?", "where did I live first?"):
        assert hits(memory, question)[0].record.text == "I live in Ulm."
