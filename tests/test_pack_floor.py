"""What is relevant enough for an automatic pack: a floor below the best hit, and no questions, requests and small talk."""

from __future__ import annotations

import argparse
from pathlib import Path

import pytest
from msgspec import structs

from bench.acceptance import flood, week
from commonplace import Memory
from commonplace.model import Hit, Hits, Query, Reason
from commonplace.retrieval.pack import PackOptions, PackSpec, preview_pack
from commonplace.retrieval.pack.build import build_pack
from commonplace.retrieval.pack.selection import comparable_relevance
from commonplace.truth import classify_speech_act
from tests.support.packs import NOW, a_record, words

WEEK = Path(__file__).parents[1] / "bench" / "acceptance" / "data" / "week_dev"


@pytest.mark.parametrize(
    ("act", "messages"),
    [
        ("question", ("Which port does staging use?", "what does NATS stand for anyway", "so where were we")),
        ("question", ("wie viel kostet der Umzug", "¿Cuál es el puerto?", "quel est le port de staging")),
        ("question", ("端口是多少", "ポートは何番ですか", "haha ok. And when is it?")),
        ("request", ("run the tests", "ok, now fix the typo in the README", "can you open the logs?")),
        ("request", ("führ bitte die Tests aus", "Montre-moi les logs", "ejecuta los tests")),
        (
            "request",
            ("write a short summary of this week", "show me what we did"),
        ),
        ("question", ("remind me what the film list was",)),
        ("request", ("帮我运行测试", "テストを実行してください")),
        ("noise", ("thx", "hm ok, brb, kids", "haha no way", "ok danke", "👍", "and now coffee")),
        ("", ("Staging listens on port 8443.", "Open issues are tracked in Linear.", "ok, it is in Kyoto")),
        ("", ("Never deploy on Fridays", "can you always use metric units?", "always run the tests before a push")),
        ("", ("do that, slow tests only at night", "open the door, the key is below the blue mat")),
        ("", ("Could you remind me to pay Sara on Friday?", "Can you move the dentist to Thursday?")),
        ("", ("The certificate expires on 2 December, can you renew it?", "Is it? The port is 8443.")),
        ("", ("what's a good present? it's for my mum, she loves orchids", "draft an email to Selma at Orbit GmbH")),
        (
            "",
            ("siempre usa pnpm", "Utilise toujours pnpm", "以后总是用中文回答", "これからは必ず日本語で答えてください"),
        ),
        (
            "",
            (
                "I met Mark and Sarah, my neighbours, a month ago on a trip "
                + "to the sea " * 10
                + "and do you know them?",
            ),
        ),
    ],
)
def test_a_message_states_something_or_only_asks_or_requests_or_is_noise(act: str, messages: tuple[str, ...]) -> None:
    assert {text: classify_speech_act(text) for text in messages} == dict.fromkeys(messages, act)


def test_questions_requests_and_noise_enter_no_automatic_pack(memory: Memory) -> None:
    memory.capture("Which port does staging use?", session="s1")
    memory.capture("show me the port of staging", session="s2")
    memory.capture("haha staging port lol", session="s3")
    memory.capture("Staging uses the port 8443.", session="s4")
    assert [item.text for item in memory.pack("port of staging", automatic=True).items if "8443" not in item.text] == []
    explicit = memory.pack("port of staging").text
    assert "Which port" in explicit
    assert "show me" in explicit
    asked = memory.pack("what did I ask about the port of staging", automatic=True).text
    assert "Which port" in asked
    assert "lol" not in asked
    assert "Which port" not in memory.pack("port of staging", evidence="stated").text
    assert memory.dump() == memory.workspace.dump_rebuilt_index()


def test_what_people_ask_one_another_is_told_like_the_rest(memory: Memory) -> None:
    memory.capture("Did you take the ferry to Banff?", detail={"speaker": "Evan"})
    assert "ferry" in memory.pack("ferry to Banff", automatic=True).text


def test_a_question_is_shown_before_the_reply_of_somebody_else_and_not_before_ones_own_line(memory: Memory) -> None:
    for asker, is_shown in (("Ada", True), ("", False)):
        memory.capture(
            "And the boat?", session=f"s{asker}", ts="2025-11-03T09:00", detail={"speaker": asker} if asker else {}
        )
        memory.capture(f"Blue as the sea of {asker or 'Rome'}.", session=f"s{asker}", ts="2025-11-03T09:01")
        text = memory.pack(f"sea of {asker or 'Rome'}", automatic=True).text
        assert ("And the boat?" in text) is is_shown


def reasons(**parts: float) -> tuple[Reason, ...]:
    return tuple(Reason(name.replace("_x", "×"), value) for name, value in parts.items())


def packed(*hits: Hit, **options: object) -> tuple[list[str], list[str]]:
    """The ids of the lines of a pack, and the reasons against the others."""
    asked = Hits(Query(text="green tea", now=NOW), hits)
    pack, considered = build_pack(asked, (), budget_tokens=1_000, options=PackOptions(count_tokens=words, **options))
    return [item.record_id for item in pack.items], [one.reason for one in considered if not one.included]


def test_a_hit_below_the_floor_stays_out_and_the_receipt_says_so() -> None:
    hits = [Hit(a_record(name, f"The {name} tea is green."), score) for name, score in (("a", 2.0), ("b", 0.9))]
    assert packed(*hits, floor=0.5) == (["a"], ["below the floor"])
    assert packed(*hits, floor=0.4) == (["a", "b"], [])
    refused = Hit(a_record("c", "The tea is red.", trust="untrusted"), 9.0)
    assert packed(refused, *hits, floor=0.4)[0] == ["a", "b"]  # measured by the best that may enter


def test_a_newer_value_is_shown_above_the_older_one_whatever_its_score() -> None:
    newer = Hit(a_record("n", "The tea costs 5 euros."), 0.1, day="2025-11-03")
    older = Hit(a_record("o", "The tea costs 4 euros."), 2.0, day="2025-10-03", earlier_than="n")
    assert packed(older, newer, floor=0.5)[0] == ["n", "o"]


def test_a_record_takes_the_place_of_the_capture_all_of_which_it_says() -> None:
    record = a_record("r", "Owner: the tea is green.", sources=("c",))
    capture = Hit(a_record("c", "The tea is green.", path=".memory/c.jsonl", actor="owner", form="capture"), 1.0)
    find = {"find_retelling": lambda hit: record if hit.record.id == "c" else None}
    assert packed(capture, **find)[0] == ["r"]
    assert packed(capture)[0] == ["c"]


def test_the_record_of_a_capture_is_found_where_it_has_every_word(memory: Memory) -> None:
    memory.capture("We use the port 8443 for staging.", ts="2025-11-03T09:00", session="s")
    memory.consolidate(apply=True, now="2025-11-03T20:00")
    text = memory.pack("which port do we use for staging", automatic=True, now="2025-11-05T09:00").text
    assert "8443" in text
    assert "(evidence)" not in text


def test_time_and_context_count_less_beside_the_floor_and_no_part_more_than_the_words_at_their_best() -> None:
    record = a_record("a", "tea")
    assert comparable_relevance(
        Hit(record, 3.0, reasons(lexical=1.0, time=1.0, near=1.0, length_x=1.5))
    ) == pytest.approx(1.8)
    assert comparable_relevance(Hit(record, 300.0, reasons(lexical=1.0, close=200.0))) == 2.0
    assert comparable_relevance(Hit(record, 0.7)) == 0.7


def test_the_floor_grows_with_the_confidence(memory: Memory) -> None:
    memory.capture("The ferry to Piran leaves at nine, and the harbour is quiet then.", session="s1")
    memory.capture("The ferry to Trieste was late.", session="s2")
    settings = structs.replace(memory.workspace.settings, pack_floor_percent=60)
    query = "when does the ferry to Piran leave the harbour"
    hits = memory.recall(query)
    for confidence, count in ((1.0, 1), (0.05, 2)):
        spec = PackSpec(settings, 1_000, automatic=True)
        surer = structs.replace(hits, confidence=confidence)
        assert len(preview_pack(memory.workspace.open_index(), surer, spec)[0].items) == count


def test_a_word_of_time_brings_nothing_that_has_nothing_else_of_the_question(memory: Memory) -> None:
    for number, text in enumerate(("The cat slept on the sofa.", "Peter bought apples.", "We decided to use NATS.")):
        memory.capture(text, ts=f"2025-11-0{number + 3}T09:00", session=str(number))
    text = memory.pack("why did we decide to use NATS in November?", automatic=True, now="2025-12-05T09:00").text
    assert "NATS" in text
    assert "apples" not in text
    assert "apples" in memory.pack("what happened in November?", automatic=True, now="2025-12-05T09:00").text


def test_a_time_alone_lists_what_is_important_first_and_no_heading_that_is_a_date(memory: Memory) -> None:
    path = Path(memory.root) / "memory" / "2025-11-03.md"
    path.parent.mkdir(exist_ok=True)
    grades = {
        "Rain.": 0.2,
        "The lease of the flat in Porto ended.": 0.9,
        "Ana bought a very long rope for the old boat.": 0.5,
    }
    lines = "".join(f"- W {text} <!-- importance: {grade} -->\n" for text, grade in grades.items())
    path.write_text(f"# 2025-11-03\n\n## Retain\n\n{lines}\n## Monday, 3 November\n")
    memory.capture("The sea was rough, and the ferry to the island was late again.", ts="2025-11-03T09:00")
    hits = memory.recall("last month", now="2025-12-05T09:00").hits
    assert [hit.record.text.split()[:2] for hit in hits] == [
        ["The", "lease"],
        ["Ana", "bought"],
        ["Rain."],
        ["The", "sea"],
    ]


def test_of_a_long_time_the_most_important_are_read(memory: Memory) -> None:
    path = Path(memory.root) / "memory" / "2025-11-03.md"
    path.parent.mkdir(exist_ok=True)
    lines = "".join(f"- W Number {n} was drawn. <!-- importance: {0.9 if n == 7 else 0.3} -->\n" for n in range(300))
    path.write_text(f"## Retain\n\n{lines}")
    assert memory.recall("last month", k=1, now="2025-12-05T09:00").hits[0].record.text == "Number 7 was drawn."


def test_a_week_of_messages_leaves_few_lines_and_every_answer() -> None:
    figures = week.measure(argparse.Namespace(data=WEEK))
    assert len(figures["answered"]) == figures["questions"] == 24
    assert figures["noise"] <= 0.55 * figures["lines"]


def test_questions_asked_again_do_not_take_the_place_of_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(flood, "ROUNDS", 1)
    figures = flood.measure(argparse.Namespace())["round 1"]
    assert figures["first"] >= flood.LEAST_FIRST
    assert figures["own"] == 0
