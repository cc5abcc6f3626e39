"""What can be understood by itself, what is taken along so that it can, and what is only conversation."""

from __future__ import annotations

from typing import get_args

import pytest

from commonplace.extract import Claim, ClaimType, KeyDefinition, extract_claims, packaged_registry
from commonplace.extract.clarity import informative_words, is_unclear
from commonplace.model import Capture
from commonplace.upkeep.consolidate import claims as claims_module
from commonplace.upkeep.consolidate.chatter import classify_chatter, has_first_person_singular, is_about_speaker
from commonplace.upkeep.consolidate.claim_record import ClaimRecord
from commonplace.upkeep.consolidate.claims import (
    LONG_TURN_CHARS,
    SHORT_TURN_CHARS,
    TURN_EDGE_CHARS,
    expand_passage,
    propose_claims,
    sentence_at,
    sentence_spans_at,
)
from commonplace.upkeep.consolidate.duplicates import BlockedTexts
from commonplace.upkeep.consolidate.episodes import Interaction, select_salient_sentences, summarize_sentences
from commonplace.upkeep.consolidate.gate import judge_claim

PETER = ("Peter",)
SORTS = get_args(ClaimType)


def hears(text: str, **known: object) -> Capture:
    known = {"type": "message", "actor": "owner", "origin": "trusted", "detail": {"speaker": "Peter"}} | known
    return Capture(id="obs:1", ts="2025-11-10T09:00", text=text, **known)


def lines(text: str, **known: object) -> list[str]:
    return [draft.text for draft in propose_claims(hears(text, **known))]


def verdict(text: str, sort: str = "event", **known: object) -> str:
    known = {"id": "c1", "category": "event", "trust": "trusted", "speaker": "Peter"} | known
    return judge_claim(ClaimRecord(text=text, claim_type=sort, **known), BlockedTexts()).reason or "kept"


# What points at nothing.


@pytest.mark.parametrize(
    "text",
    [
        "Peter has played it for ten weeks.", "They moved the meeting to the small room.", "Peter loves the calm it brings.",
        "Peter: I'm amazed at how they carve the wood.", "This is on the shelf in the cellar.", "Peter bought one for the hallway.",
        "Peter never went back to that.", "She left the keys with the porter.", "Peter hummed this song all day.",
        "Peter enjoys listening to then during the commute.", "Peter had moved by then.",
        "Il est resté dans la cave.", "Er steht im Keller neben der Tür.", "Ella vive en la casa de arriba.", "它放在地下室的架子上。",
        "それは地下室の棚にあります。", "Peter is somewhere.", "Peter's old neighbours hummed this song.", "That is broken in the cellar.",
        "That lamp broke in the cellar.", "Peter cooks for her sister.", "Peter's sister wanted one.",
        "Peter wanted that, loudly in the garden.", "Peter ordered one too.", "This 4 euro lamp broke.",
        "It creaks badly. When the rain comes, the roof leaks.",
        "It creaks in the evening wind and the whole roof moves if a door slams.", "Peter paints fences with it.",
        "Peter loves the calm and order it brings.", 'With "Up" it rained all day.', "Often I saw them at dusk.",
        "Repaint it, the hinges rust.", "Peter: 它放在地下室的架子上。", "Nice. This Monster leaks.", "It’s on the shelf in the cellar.",
    ],
)  # fmt: skip
def test_a_pronoun_before_anything_it_could_point_to_is_unclear(text: str) -> None:
    assert is_unclear(text, PETER)
    assert verdict(text) == "unclear"


@pytest.mark.parametrize(
    "text",
    [
        "Peter bought a violin and plays it daily.", "Lisbon was cold, and it rained.", "The porter has the keys, she lives below.",
        "Peter read \"Dune\" and loved it.", "It's important to water the fern.", "It rains in Bergen.", "It's Ana's turn to cook.",
        "This is Ana, the plumber.", "Peter keeps one of the old maps.", "Peter realized that the roof leaks.",
        "There are 3 keys for the shed.", "Il faut graisser la porte.", "Es gibt im Keller zwei Türen.",
        "Die Pumpe steht im Keller, sie tropft.", "La reunión es el lunes en la casa.", "地下室的钥匙在它的盒子里。",
        "Peter has a violin, it creaks.", "With Ana it rained hard.", "Peter came in, their lamp glows.",
        "It was really important to water the ferns.", "It's Ana's turn.", "Peter's uncle came in, it rained.",
        "Peter sells jam and bread here always.", "Peter sells bread of rye it leavens slowly.", "It's 7040, not 7004.",
        'On "Duneland" it rained.', "Heron: This boat leaks badly.", "Peter then moved to the brewery.",
    ],
)  # fmt: skip
def test_a_pronoun_behind_a_name_a_noun_or_a_figure_is_clear(text: str) -> None:
    assert not is_unclear(text, PETER)


def test_times_fillers_and_the_speaker_tell_nothing() -> None:
    assert informative_words("Peter is really starting next month (2025-12-01 – 2025-12-31).", PETER) == []
    assert informative_words("Peter is really starting next month at the brewery.", PETER) == ["brewery"]
    assert is_unclear("Peter is starting next month.", PETER)
    assert not is_unclear("Peter is starting at the brewery next month.", PETER)
    assert informative_words("Rosa waters ferns", ()) == ["rosa", "waters", "ferns"]
    assert informative_words("庭の鍵 (2025-12-01)") == ["庭", "の", "鍵"]
    assert informative_words("Peter swims on Friday.", PETER) == ["swims"]
    assert informative_words("Weber waters ferns", ("Peter Weber",)) == ["waters", "ferns"]


@pytest.mark.parametrize("word", ["ox", "she'd", "others", "every", "without", "although", "lately", "from"])
def test_short_words_and_those_that_point_or_join_tell_nothing(word: str) -> None:
    assert informative_words(f"Rosa waters ferns {word}") == ["rosa", "waters", "ferns"]


def test_whom_a_candidate_is_known_to_be_about_stands_for_the_pronoun() -> None:
    assert verdict("She left the keys with the porter.", entities=("Ana",)) == "kept"
    assert verdict("She left the keys with the porter.", entities=("Peter",)) == "unclear"


# What is taken along.


def test_an_unclear_claim_brings_the_sentence_before_it() -> None:
    said = "My uncle Leo gave me his violin. I started playing it last year."
    assert lines(said)[-1] == f"Peter: {said} (2024-01-01 – 2024-12-31)"
    alone = "Peter started playing it last year (2024-01-01 – 2024-12-31)."
    assert lines("Thanks a lot! I started playing it last year.") == [alone]
    assert verdict(alone) == "unclear"


def test_the_sentence_before_may_be_a_question_and_the_last_may_not() -> None:
    before, after = "Do you know the violin of my uncle Leo? ", "I started playing it last year."
    said = before + after
    (claim,) = extract_claims(after, speaker="Peter", now="2025-11-10")
    moved = type(claim)(
        **{name: getattr(claim, name) for name in claim.__struct_fields__} | {"span": (len(before), len(said))}
    )
    assert expand_passage(said, moved, "Peter").text == f"Peter: {said} (2024-01-01 – 2024-12-31)"
    asked = said.replace("year.", "year?")
    assert expand_passage(asked, moved, "Peter").text == claim.text


def test_a_subordinate_clause_brings_its_sentence_and_keeps_its_date() -> None:
    said = "I track my runs with a new watch from Garmin, which I bought on February 15th."
    kept = lines(said)[-1]
    assert kept.startswith("Peter: I track my runs with a new watch from Garmin, which I bought on February 15th.")
    assert kept.endswith("(2025-02-15)")


def test_a_clear_claim_stays_as_it_is() -> None:
    assert lines("Oh, by the way, I moved to Trieste last month. It rains a lot.") == [
        "Peter moved to Trieste last month (2025-10-01 – 2025-10-31)."
    ]


def taken(said: str, quote: str, sort: str = "attribute", speaker: str = "Peter", **known: object) -> str:
    """The words of the line that a claim makes, which are its own or those of what was said around it."""
    start = said.index(quote)
    span = (start, start + len(quote))
    return expand_passage(said, Claim(sort, "fact", "world", quote, span, **known), speaker).text


@pytest.mark.parametrize(
    ("said", "quote"),
    [
        ("I sold the old boat, which Rosa repainted in May.", "Rosa repainted in May"),
        ("Rosa moved to Split because of the harbour.", "Rosa moved to Split because"),
        ("Rosa gave Ana, my neighbour, a few cuttings.", "Rosa gave Ana, my neighbour"),
    ],
)
def test_what_is_cut_off_brings_its_sentence(said: str, quote: str) -> None:
    assert taken(said, quote) == f"Peter: {said}"
    assert taken(said, quote, speaker="") == said
    assert taken(said + " " + "Rosa moors at the harbour. " * 20, quote) == f"Peter: {said}"
    long = said[:-1] + " and moors at the harbour" * 20
    assert taken(long, quote) == quote


@pytest.mark.parametrize(
    ("said", "quote"),
    [
        ("Rosa knows what the old shed is for.", "Rosa knows what the old shed is for"),
        ("Rosa painted the old shed and\nAna swims.", "Rosa painted the old shed and"),
        ("Rosa gave the neighbour of Ana seven cuttings, a pot and a spade.", "Rosa gave the neighbour of Ana seven cuttings"),
        ("Which shed? Rosa painted the old one because of Ana？", "Rosa painted the old one because"),
    ],
)  # fmt: skip
def test_what_is_whole_or_asks_brings_nothing(said: str, quote: str) -> None:
    assert taken(said, quote) == quote


def test_an_event_told_in_too_few_words_brings_its_sentence() -> None:
    said = "Rosa swam to some lighthouse rocks."
    assert taken(said, "Rosa swam", "event") == f"Peter: {said}"
    assert taken(said, "Rosa swam", "attribute") == "Rosa swam"
    assert taken("Rosa swam to the rocks.", "Rosa swam", "event") == "Rosa swam"
    assert taken("Rosa swam home wearing red boots.", "Rosa swam home wearing", "event") == "Rosa swam home wearing"


def test_what_is_about_somebody_known_or_has_a_form_of_its_own_stays_as_it_is() -> None:
    said = "Ana found the keys. They lay below the old pot."
    quote = "They lay below the old pot."
    assert taken(said, quote) == f"Peter: {said}"
    assert taken(said, quote, entity="Keys") == quote
    assert taken(said, quote, entities=("Keys",)) == quote
    assert taken(said, quote, entity="Peter") == f"Peter: {said}"
    for sort in ("relation", "dead_end", "remember"):
        assert taken(said, quote, sort) == quote


def test_a_stretch_may_lie_in_several_sentences_or_in_none() -> None:
    said = "We met in Rome. It was warm."
    assert sentence_spans_at(said, (3, len(said))) == [(0, len(said))]
    assert sentence_spans_at(said, (90, 99)) == []


def test_the_sentences_around_a_stretch_are_found_by_their_places() -> None:
    said = "Hello! We met in Rome. It was warm."
    at = said.index("It was")
    assert [said[start:end] for start, end in sentence_spans_at(said, (at, len(said)))] == [
        "It was warm.",
        "We met in Rome. It was warm.",
    ]
    assert [said[start:end] for start, end in sentence_spans_at(said, (7, 10))] == ["We met in Rome. "]
    assert sentence_at(said, (9, 12)) == "We met in Rome."


# What is only conversation.


@pytest.mark.parametrize(
    ("sort", "text", "kind"),
    [
        ("remember", "It's good to know that the old bridges are being repaired.", "reaction"),
        ("event", "I didn't know that the abbey burned down.", "reaction"),
        ("opinion", "I think a rota is a great idea.", "reaction"),
        ("opinion", "I think the second paragraph reads better.", "reaction"),
        ("opinion", "I think Tuesday afternoon could work well.", "reaction"),
        ("opinion", "I think Malta and Corfu are interesting options.", "reaction"),
        ("preference", "I like the template!", "reaction"),
        ("opinion", "I think you'll sleep better there.", "reaction"),
        ("preference", "I love the idea of a garden party.", "reaction"),
        ("event", "I've got a funny story.", "announcement"),
        ("event", "I've got great news for you.", "announcement"),
        ("preference", "I love your truly bold idea.", "reaction"),
        ("preference", "Please rephrase the answer without jargon.", "steering"),
        ("correction", "I meant the other river in the north.", "steering"),
        ("opinion", "Nothing beats a long walk with friends.", "truism"),
        ("opinion", "I believe people forget how to listen.", "truism"),
        ("error_fix", "Lesson learned - check the seal!", "truism"),
        ("opinion", "Ich denke, Geduld ist wichtig.", "truism"),
        ("opinion", "Patience matters.", "truism"),
        ("opinion", "Patience is a help. Haste is a ruin.", "truism"),
        ("attribute", "The new stadium is amazing.", "truism"),
        ("opinion", "Je pense que c'est une bonne idée.", "reaction"),
        ("preference", "Me encanta la idea de la fiesta.", "reaction"),
    ],
)  # fmt: skip
def test_chatter_is_told_by_its_kind(sort: str, text: str, kind: str) -> None:
    said = ClaimRecord(id="c1", text=text, category="fact", trust="trusted", claim_type=sort, speaker="Peter")
    assert classify_chatter(said) == kind


@pytest.mark.parametrize(
    ("sort", "text"),
    [
        ("event", "I've got good news: the roof is done and the keys are with Ana."),
        ("opinion", "I think the ferry from Split is better than the bus."),
        ("opinion", "I think a leather strap would be a great choice for my sister."),
        ("opinion", "I think Postgres is better than MySQL for this."),
        ("preference", "From now on, always keep your reply under five lines."),
        ("preference", "I love the old harbour in the evening."),
        ("event", "My dentist says sugar is the best way to ruin my teeth."),
        ("preference", "Prefiero el té sin azúcar."),
        ("preference", "I love the evenings at the old harbour where my sister sells ideas."),
        ("preference", "I'd rather have short replies in the evening."),
        ("event", "Ana presented the new idea in Rome."),
        ("event", "The concert in the new stadium was amazing."),
        ("attribute", "The stadium holds nine thousand people."),
        ("attribute", "Our garden is amazing."),
        ("preference", "Ideas bloom for me in the garden."),
        ("opinion", "I think 12 is enough."),
        ("opinion", 'They say "measure twice" helps.'),
        ("opinion", "Ich denke, 12 ist genug."),
        ("opinion", "Ich denke, „immer klingeln“ ist genug."),
        ("opinion", "今日の散歩はよかった。"),
        ("opinion", "このはさみは切れないと思う。"),
    ],
)
def test_what_tells_of_somebody_or_something_is_no_chatter(sort: str, text: str) -> None:
    said = ClaimRecord(id="c1", text=text, category="fact", trust="trusted", claim_type=sort, speaker="Peter")
    assert classify_chatter(said) is None


def test_chatter_is_told_by_the_whole_sentence() -> None:
    def told(sort: str, text: str, sentence: str) -> str | None:
        known = {"id": "c1", "category": "fact", "trust": "trusted", "speaker": "Peter"}
        return classify_chatter(ClaimRecord(text=text, claim_type=sort, sentence=sentence, **known))

    bridges = "the old bridges are repaired."
    assert told("event", bridges, f"I didn't know that {bridges}") == "reaction"
    assert told("attribute", "the garden is amazing", "I know that the garden is amazing.") is None
    assert told("attribute", "the garden is amazing", "They know that the garden is amazing.") == "truism"


def test_a_reaction_is_not_kept_even_if_it_looks_like_a_request_to_remember() -> None:
    text = "It's good to know that the old bridges are being repaired."
    assert verdict("the old bridges are being repaired.", "remember", sentence=text) == "reaction"
    assert verdict("they keep the key at the bakery", "remember") == "kept"


# Whose text it is.

FILLER = "The museum of the town shows boats, nets and sails of the last two centuries on three floors. "


def test_in_a_long_message_only_what_speaks_of_somebody_is_kept() -> None:
    about = "The staging DB was built by the harbour office."
    own = "I moved to Trieste last month."
    pasted = FILLER * (SHORT_TURN_CHARS // len(FILLER) + 1)
    assert lines(own + " " + pasted)
    assert not lines(pasted + about + " " + pasted)
    assert any("Trieste" in line for line in lines(pasted + own))


def test_in_a_very_long_message_the_we_of_a_company_is_not_ours() -> None:
    pasted = FILLER * (LONG_TURN_CHARS // len(FILLER) + 1)
    assert not lines(pasted + "We moved to Trieste last month. " + pasted)
    assert any("Trieste" in line for line in lines(pasted + "I moved to Trieste last month. " + pasted))
    assert has_first_person_singular("I moved.")
    assert not has_first_person_singular("Starting next year (i.e. in April) it is measured.")


def test_people_ask_to_remember_at_the_ends_of_a_long_message() -> None:
    asked, pasted = "Remember that the spare key is at the bakery. ", FILLER * (SHORT_TURN_CHARS // len(FILLER) + 1)
    assert len(pasted) > TURN_EDGE_CHARS
    assert lines(asked + pasted)
    assert lines(pasted + asked)
    assert not lines(pasted + asked + pasted)


def test_who_is_spoken_of_is_told_by_the_verb_in_some_languages() -> None:
    assert is_about_speaker("I keep bees.")
    assert is_about_speaker("We keep bees.")
    assert not is_about_speaker("The abbey keeps bees.")
    assert is_about_speaker("Prefiero el té sin azúcar.")
    assert is_about_speaker("ミツバチを飼っています。")
    assert is_about_speaker("每天早上喝茶。")
    assert has_first_person_singular("Prefiero el té sin azúcar.")


# Who may claim what.

LONG = "The port of the staging DB is 6432 now. "


def claims(monkeypatch: pytest.MonkeyPatch, text: str, actor: str = "owner", **claimed: object) -> int:
    """How many drafts a text gives in which one thing is claimed, by its first 20 characters."""
    known = {
        "claim_type": "attribute",
        "category": "fact",
        "kind": "world",
        "text": text[:20],
        "span": (0, 20),
    } | claimed
    monkeypatch.setattr(claims_module, "extract_claims", lambda _text, **_said: (Claim(**known),))
    return len(list(propose_claims(hears(text, actor=actor))))


@pytest.mark.parametrize("sort", SORTS)
def test_agents_report_what_they_did_and_found_out(sort: str, monkeypatch: pytest.MonkeyPatch) -> None:
    found_out = sort in ("error_fix", "dead_end", "decision")
    assert claims(monkeypatch, LONG, "agent", claim_type=sort) == found_out
    setting = {"category": "tool", "attribute": "port", "value": "6432"}
    assert claims(monkeypatch, LONG, "agent", claim_type=sort, **setting) == (
        found_out or sort in ("attribute", "correction")
    )
    assert claims(monkeypatch, LONG * 20, "agent", claim_type=sort, **setting) == 0


@pytest.mark.parametrize("sort", SORTS)
def test_in_a_long_turn_some_things_need_no_person(sort: str, monkeypatch: pytest.MonkeyPatch) -> None:
    wanted = sort in ("error_fix", "dead_end", "decision", "relation", "remember")
    assert claims(monkeypatch, LONG, claim_type=sort) == 1
    assert claims(monkeypatch, LONG * 10, claim_type=sort) == wanted
    assert claims(monkeypatch, "My port is 6432 now. " * 20, claim_type=sort) == 1


def test_a_setting_is_one_value_of_a_tool_or_project_that_is_no_word(monkeypatch: pytest.MonkeyPatch) -> None:
    port = {"attribute": "port", "value": "6432"}
    for category in ("tool", "project"):
        assert claims(monkeypatch, LONG * 10, category=category, **port) == 1
    assert claims(monkeypatch, LONG * 10, category="fact", **port) == 0
    assert claims(monkeypatch, LONG * 10, category="tool", attribute="likes", value="6432") == 0
    assert claims(monkeypatch, LONG * 10, category="tool", attribute="port", value="open") == 0


def test_what_a_setting_is_follows_the_keys_of_the_notebook(monkeypatch: pytest.MonkeyPatch) -> None:
    claim = Claim("attribute", "tool", "world", "x", (0, 1), entity="Staging DB", attribute="port", value="6432")
    monkeypatch.setattr(claims_module, "extract_claims", lambda _text, **_said: (claim,))
    many = packaged_registry().with_keys({"port": KeyDefinition("many", "number")})
    capture = hears(LONG * 10)
    assert len(list(propose_claims(capture))) == 1
    assert not list(propose_claims(capture, registry=many))


@pytest.mark.parametrize(
    ("counts", "known"),
    [
        (1, {}),
        (0, {"detail": {"echo": True}}),
        (0, {"actor": "system"}),
        (0, {"origin": "untrusted"}),
        (0, {"origin": "quarantined"}),
        (0, {"detail": {"quoted": [[0, 24]]}}),
        (1, {"detail": {"quoted": [[0, 9]]}}),
        (1, {"detail": {"quoted": [[9, 24]]}}),
    ],
)
def test_echoes_strangers_and_quotations_claim_nothing(counts: int, known: dict[str, object]) -> None:
    assert len(lines("I moved to Trieste today", **known)) == counts


def test_blank_claims_make_no_line(monkeypatch: pytest.MonkeyPatch) -> None:
    assert claims(monkeypatch, " " * 20 + LONG) == 0


def test_who_speaks_is_named_or_the_owner() -> None:
    assert [one.speaker for one in propose_claims(hears("I moved to Trieste."), "Ana")] == ["Peter"]
    assert [one.speaker for one in propose_claims(hears("I moved to Trieste.", detail={}), "Ana")] == ["Ana"]
    found_out = "The staging DB listens on port 6432."
    assert [one.speaker for one in propose_claims(hears(found_out, actor="agent", detail={}), "Ana")] == [""]


def test_a_company_may_say_i_elsewhere_in_a_very_long_message() -> None:
    pasted = FILLER * (LONG_TURN_CHARS // len(FILLER) + 1)
    assert not any("Trieste" in line for line in lines(f"I rest. {pasted}We moved to Trieste last month. {pasted}"))


def test_a_draft_holds_what_its_claim_and_its_capture_say(monkeypatch: pytest.MonkeyPatch) -> None:
    told = {"entity": "Ana", "attribute": "port", "value": "6432", "confidence": 0.5}
    told |= {"valid_from": "2025-11-01", "valid_to": "2025-11-30"}
    known = {"claim_type": "remember", "category": "fact", "kind": "world", "text": "keep 6432", "span": (9, 18)}
    claim = Claim(**known, **told)
    others = ({"span": (9, 17)}, {"category": "tool"}, {"attribute": "host"}, {"text": "keep it"})
    made = (claim, *(Claim(**(known | told | other)) for other in others))
    monkeypatch.setattr(claims_module, "extract_claims", lambda _text, **_said: made)
    first, *rest = propose_claims(hears("Remember keep 6432 now. It rains.", scope="boat", session="s1"))
    assert {name: getattr(first, name) for name in told} == told
    assert (first.scope, first.session, first.entities, first.speaker) == ("boat", "s1", ("Ana",), "Peter")
    assert (first.sentence, first.quote) == ("Remember keep 6432 now.", "keep 6432")
    assert len({first.id, *(one.id for one in rest)}) == len(made)
    assert (first.claim_type, first.trust, first.actor) == ("remember", "trusted", "owner")


# Summaries.


def test_a_summary_tells_no_sentence_that_cannot_be_understood() -> None:
    capture = hears("My uncle Leo gave me his violin. I started playing it last year.")
    proposed = list(propose_claims(capture))
    told = select_salient_sentences(Interaction("", "", (capture,)), proposed, lambda _capture, _sentence: True)
    assert all(not is_unclear(one.sentence, PETER) for one in told)
    assert summarize_sentences(told)[0].startswith("Peter: My uncle Leo")
