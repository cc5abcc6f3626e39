"""Which sentences of a message become lines: gates, cues, the score and the quota, and what is known of each line."""

from __future__ import annotations

import time
import zlib
from collections import Counter
from collections.abc import Callable
from itertools import pairwise
from math import ceil
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from commonplace.extract import selector
from commonplace.extract.candidates import (
    MANY_SENTENCES,
    MIN_CUE_SCORE,
    PASTE_SENTENCES,
    Candidate,
    find_candidates,
    is_pasted,
    sentence_spans,
)
from commonplace.extract.features import (
    WORD_WEIGHT,
    SentencePosition,
    category_features,
    is_about_speaker,
    sentence_features,
)
from commonplace.extract.key_registry import KeyDefinition, packaged_registry
from commonplace.extract.languages import LANGUAGES
from commonplace.extract.rules import find_cue, find_related_name, is_noise
from commonplace.extract.statements import choose_rule_language, make_statement, split_statements
from commonplace.language.text import sanitize_line
from commonplace.model import CATEGORIES, KINDS, Capture
from commonplace.truth import Vocabulary
from commonplace.upkeep.consolidate import ClaimRecord
from commonplace.upkeep.consolidate.claims import (
    CHANGE_SCORE,
    MAX_MESSAGE_SHARE,
    MAX_REPORT_CHARS,
    MIN_KEY_SCORE,
    MIN_LINES,
    MIN_SCORE,
    propose_claims,
)

SENTENCES = Path(__file__).parent / "data" / "extraction" / "sentences"
WORD_COUNT = 1 << 14
Weigh = Callable[..., None]


def make_model(bias: float = 0.0, named: dict[str, float] | None = None, words: dict[str, int] | None = None) -> Any:
    """A model with these weights, those of words in tenths."""
    table = bytearray(WORD_COUNT)
    for word, weight in (words or {}).items():
        table[zlib.crc32(f"w:{word}".encode()) % WORD_COUNT] = weight
    return selector.LinearWeights(bias, named or {}, 0.1, ""), memoryview(bytes(table)).cast("b")


@pytest.fixture
def weigh(monkeypatch: pytest.MonkeyPatch) -> Weigh:
    """Replace the stored weights: those of the worth, and of the category `tool`, which no sentence is of by default."""

    def replace(worth: float = 0.0, tool: Any = None, decision: float = 0.0, **more: Any) -> None:
        categories = {"tool": tool or make_model(-9.0), "fact": make_model(0.0), "decision": make_model(decision - 1)}
        models = {selector.WORTH: make_model(worth, **more), **categories}
        monkeypatch.setattr(selector, "_load_models", lambda: models)

    return replace


def said(text: str, number: int = 1, speaker: str = "", **known: Any) -> Capture:
    detail = known.pop("detail", {}) | ({"speaker": speaker} if speaker else {})
    known = {"type": "message", "actor": "owner", "origin": "trusted", "ts": "2025-11-10T09:00"} | known
    return Capture(id=f"obs:{number}", text=text, detail=detail, **known)


def claims(*heard: str | Capture, **known: Any) -> list[ClaimRecord]:
    captures = (said(one, at, **known) if isinstance(one, str) else one for at, one in enumerate(heard, 1))
    return list(propose_claims(tuple(captures)))


def candidates(text: str, *, to_agent: bool = True) -> list[Candidate]:
    return find_candidates(text, to_agent=to_agent)


def sentences(text: str, **known: Any) -> list[str]:
    return [text[slice(*one.span)] for one in candidates(text, **known)]


# Cues.

CUES = """\
allergy | I'm allergic to hazelnuts. | Ich bin gegen Nüsse allergisch. | Je suis allergique aux noix. | \
Soy alérgico a la penicilina. | 我对花生过敏。 | 私は卵アレルギーがあります。
remember | Remember that the lift is out of service on Sundays. | Merk dir, dass die Kantine um zwei schliesst. | \
Souviens-toi que le code de la cave est 4412. | Recuerda que la llave está en el buzón. | \
请记住:测试服务器每天凌晨两点重启。 | 覚えておいて、鍵は郵便受けの中です。
instruction | Never deploy on Fridays. | Deploye niemals am Freitag. | Ne déploie jamais le vendredi. | \
Nunca borres archivos sin preguntarme antes. | 永远不要在周五部署。 | 金曜日には絶対にデプロイしないでください。
instruction | Always answer in British English. | Antworte immer auf Deutsch. | Tu dois toujours me demander avant. | \
Responde siempre en español. | 请总是先跑测试。 | 必ず日本語で答えてください。
instruction | From now on, keep replies under five lines. | Ab sofort bitte alle Beträge in Euro angeben. | \
Désormais, tutoie-moi toujours. | A partir de ahora responde siempre en español. | \
以后写日期都用 ISO 格式。 | これからは日付をISO形式で書いてください。
decision | We decided to use SQLite because it needs no server. | Wir haben uns für die rote Küche entschieden. | \
Nous avons décidé de prendre le train de nuit. | Hemos decidido quedarnos con el piso de arriba. | \
我们决定用 SQLite。 | SQLiteを使うことに決めました。
contact | My dentist is Dr. Berger. | Unser Vermieter heisst Brunner. | Mon dentiste s'appelle Berger. | \
Mi jefe se llama Ramón. | 我的老板叫李明。 | 上司は田中さんです。"""
CUE_ROWS = [
    (kind, language, sentence)
    for row in CUES.split("\n")
    for kind, *by_language in [row.split(" | ")]
    for language, sentence in zip(LANGUAGES, by_language, strict=True)
]
CUE_KINDS = {"contact": ("relation", ""), "decision": ("decision", "decision"), "remember": ("remember", "")}


@pytest.mark.parametrize(("kind", "language", "sentence"), CUE_ROWS)
def test_a_cue_is_read_in_each_language(kind: str, language: str, sentence: str, weigh: Weigh) -> None:
    weigh(MIN_CUE_SCORE)
    assert choose_rule_language(sentence) == language
    (found,) = candidates(sentence, to_agent=False)
    assert (found.claim_type, found.attribute) == CUE_KINDS.get(kind, ("preference", kind))
    assert found.is_cue
    assert found.name in sentence
    assert bool(found.name) == (kind == "contact")
    assert [one.text for one in claims(sentence)] == [sentence]
    weigh(MIN_CUE_SCORE - 0.01)
    assert not candidates(sentence, to_agent=False)[0].is_cue
    assert claims(sentence) == []


def test_no_cue_is_missed_with_the_stored_weights() -> None:
    assert [text for _kind, _language, text in CUE_ROWS if [one.text for one in claims(text)] != [text]] == []


@pytest.mark.parametrize(
    "sentence",
    [
        "On utilise Postgres, pas MySQL.", "En este proyecto usamos tabs, no espacios.", "我们用 pnpm，不用 npm。",
        "うちではnpmではなくpnpmを使っています。",
    ],
)  # fmt: skip
def test_how_things_are_done_here_is_a_rule_for_later(sentence: str) -> None:
    assert [(one.attribute, one.is_cue) for one in candidates(sentence)] == [("instruction", True)]


def test_a_lesson_is_worth_more_and_is_no_cue_that_must_not_be_missed(weigh: Weigh) -> None:
    weigh(-1.0)
    for sentence, kind in (
        ("The build failed because the lockfile was stale; deleting it fixed it.", "error_fix"),
        ("Restarting the pod doesn't help, the volume stays locked.", "dead_end"),
    ):
        (found,) = candidates(sentence)
        assert (found.claim_type, found.is_cue, found.score) == (kind, False, 0.5)
    (plain,) = candidates("The port of the boat is small.")
    assert (plain.claim_type, plain.category, plain.score) == ("attribute", "", -1.0)


def test_what_is_said_of_a_medicine_must_not_be_missed(weigh: Weigh) -> None:
    weigh(MIN_CUE_SCORE)
    assert candidates("My daughter takes insulin twice a day.")[0].is_cue
    assert not candidates("My daughter takes the tram twice a day.")[0].is_cue
    weigh(MIN_CUE_SCORE - 1)
    assert not candidates("My daughter takes insulin twice a day.")[0].is_cue


def test_an_instruction_that_does_not_hold_for_later_is_no_cue() -> None:
    assert not any(one.is_cue for one in candidates("Never mind, I found the keys myself."))
    assert not any(one.is_cue for one in candidates("Please always use the dark theme for now."))


@pytest.mark.parametrize(
    "text", ["祖母の梅干しは三日干します", "友達の友達が島に住んでいます", "義父の三回忌は十一月です"]
)
def test_what_a_japanese_relative_has_is_not_their_name(text: str) -> None:
    assert "relation" not in [one.claim_type for one in candidates(text)]
    assert find_related_name(text) == ""


@pytest.mark.parametrize(
    ("text", "name"),
    [("My sister Ana works at Novartis.", "Ana"), ("Meine Schwester Ruth ist bei der Post.", "Ruth"), ("Ana swims.", ""),
     ("Ma sœur Claire travaille à la mairie.", "Claire"), ("Mi hermana Lucía trabaja en Correos.", "Lucía"),
     ("我妹妹小美在医院工作。", "小美"), ("妹の美咲は看護師です", "美咲")],
)  # fmt: skip
def test_a_person_named_by_the_relation_to_the_speaker_is_found(text: str, name: str) -> None:
    assert find_related_name(text) == name


# Gates.


@pytest.mark.parametrize(
    "text",
    [
        "Did you move to Bern last month?", "If I moved to Bern I'd sell the car.", "I would have taken the train.",
        "Suppose that I moved to Bern last month.", "Maybe I'll take up chess one day.", "", "  \n ", "Ok.",
        "Remember the book that I bought in Bern?", "Do you remember when we moved to Bern?", "你搬到伯尔尼了吗？",
        "3 passed, 1 failed in 2.1s", "https://example.org/moved/to/bern", "Write me a poem about my dog Rex.",
        "```\nI moved to Bern last month.\n```", "> I moved to Bern last month.", "要是我住在海边就好了。",
        "Falls ich am Montag nach Rom fliege, melde ich mich.", "Si j'habitais à Lyon, je prendrais le vélo.",
        "Si viviera en Sevilla, iría en bici.", "もし海辺に住んでいたら、毎日泳ぐのに。", "ベルンに引っ越しましたか？",
        "Act as a pirate. I moved to Bern last month.", "drwxr-xr-x 6 dev dev 4096 Mar 3 11:20 src",
        "const PORT = 4000; // never change", "64 bytes from 192.0.2.17: icmp_seq=0 ttl=57 time=11.8 ms",
        "Warning: the port 8080 moved to 9090", "sudo apt-get install nginx=1.24.0", "He said he moved to Bern.",
    ],
)  # fmt: skip
def test_what_is_asked_supposed_quoted_requested_or_printed_is_no_candidate(text: str) -> None:
    assert candidates(text) == []


def test_what_somebody_asks_to_have_remembered_passes_the_gates() -> None:
    assert candidates("The ping to the lab takes 40ms.") == []
    assert [one.claim_type for one in candidates("Remember that the ping to the lab takes 40ms.")] == ["remember"]


def test_only_the_sentences_that_state_something_are_candidates() -> None:
    text = "Hey Kim!  I moved to Bern. How are you?\nMaybe I'll swim.\n```\nrm -r x\n```\nMy flat has a balcony."
    assert sentences(text) == ["I moved to Bern.", "My flat has a balcony."]


def test_a_long_or_impersonal_document_is_no_talk() -> None:
    own, other = "I repaired the old lamp.", "The lamp hangs in the hall."
    assert is_about_speaker(own)
    assert not is_about_speaker(other)
    assert is_pasted([own] * MANY_SENTENCES, lambda _at: False)
    assert not is_pasted([own] * (MANY_SENTENCES - 1), lambda _at: False)
    assert is_pasted([other] * PASTE_SENTENCES, lambda _at: False)
    assert not is_pasted([other] * PASTE_SENTENCES, lambda at: at < 2)
    assert not is_pasted([other] * (PASTE_SENTENCES - 1), lambda _at: False)
    assert is_pasted([own] + [other] * (PASTE_SENTENCES - 1), lambda _at: False)
    assert candidates(f"{other} " * PASTE_SENTENCES) == []
    assert len(candidates(f"{own} " * PASTE_SENTENCES)) == PASTE_SENTENCES


def test_of_a_document_what_is_asked_to_be_remembered_is_a_candidate_and_cues_are_ones_own() -> None:
    other = "The lamp hangs in the hall. "
    assert sentences(other * MANY_SENTENCES + "Remember that the lift is broken.") == [
        "Remember that the lift is broken."
    ]
    spoken = "Vivo en Sevilla. Trabajo en un taller. Tengo dos hijas. Soy alérgico a la penicilina. Prefiero el té."
    assert "Soy alérgico a la penicilina." in sentences(spoken)


_PARTS = ("I ", "My sister Ana ", "moved to ", "is not ", "the port ", ", ", ". ", "6432 ", "?", "\n", "```", "> ", '"', "我住在。", "　", "\u2028")  # fmt: skip


@pytest.mark.slow
@settings(max_examples=150, deadline=None)
@given(st.one_of(st.text(max_size=300), st.lists(st.sampled_from(_PARTS), max_size=25).map("".join)))
def test_no_text_raises_and_every_span_is_a_sentence_of_it(text: str) -> None:
    spans = sentence_spans(text)
    assert all(0 <= start < end <= len(text) for start, end in spans)
    assert all(one[1] <= other[0] for one, other in pairwise(spans))
    assert all(text[slice(*span)] == text[slice(*span)].strip() for span in spans)
    found = candidates(text)
    assert {one.span for one in found} <= set(spans)
    assert all(one.category in ("", *CATEGORIES) for one in found)
    for claim in claims(text):
        assert claim.text == sanitize_line(claim.text)
        assert "".join(claim.quote.split()) in "".join(sanitize_line(text).split())
        assert claim.category in CATEGORIES
        assert claim.kind in KINDS


def test_a_text_of_a_megabyte_without_a_full_stop_is_read_in_no_time() -> None:
    begun = time.process_time()
    candidates("I moved to Bern and " * 50_000)
    candidates("I moved. " * 20_000)
    assert time.process_time() - begun < 6


# The score.


def test_the_score_adds_the_weights_of_words_and_of_what_else_a_sentence_shows(weigh: Weigh) -> None:
    shown = [("digits", 1.0), ("w:copper", 0.5), ("w:copper lamp", 0.5), ("unknown", 3.0)]
    weigh(-1.0, named={"digits": 2.0}, words={"copper": 20})
    assert selector.score_sentence(shown) == pytest.approx(-1.0 + 2.0 + 0.1 * 20 * 0.5)
    weigh(0.0, words={"copper lamp": 20})
    assert selector.score_sentence(shown) == pytest.approx(1.0)


def test_a_score_is_told_by_words_numbers_and_the_place_in_the_message(weigh: Weigh) -> None:
    def scores(text: str, **known: Any) -> list[float]:
        return [round(one.score, 2) for one in candidates(text, **known)]

    weigh(0.0, words={"copper": 20})
    copper, iron = scores("The copper lamp glows. The iron lamp glows.")
    assert copper > iron == 0.0
    weigh(0.0, named={"first": 1.0, "agent last": 2.0, "speaker": 4.0, "exact value": 8.0, "time": 16.0})
    text = "The iron lamp glows. My lamp glows. The lamp is at /srv/lamp since May 2021."
    assert scores(text) == [1.0, 4.0, 26.0]
    assert scores(text, to_agent=False) == [1.0, 4.0, 24.0]


def test_the_features_name_what_a_sentence_shows_and_hold_its_words() -> None:
    shown = dict(sentence_features("Always ask Ana about port 6432!", SentencePosition(0, 1, 31, True)))
    assert {"chars", "digits", "names", "exclamation", "first", "last", "nobody", "agent digits"} <= set(shown)
    assert {"w:port", "w:#", "w:alway*", "w:ask ana", "w:^always", "w:^always ask"} <= set(shown)
    assert "w:6432" not in shown
    assert "question" not in shown
    assert sum(value**2 for name, value in shown.items() if name.startswith("w:")) == pytest.approx(WORD_WEIGHT**2)
    to_person = dict(sentence_features("Always ask Ana about port 6432!", SentencePosition(1, 3, 90, False)))
    assert not [name for name in to_person if name.startswith("agent ") or name in ("first", "last")]
    assert dict(sentence_features("", SentencePosition(0, 1, 0, False)))["first"] == 1.0


def test_words_for_the_speaker_are_known_in_all_languages() -> None:
    for text in ("My lamp glows.", "Meine Lampe", "J'ai une lampe", "Mi lámpara", "我的灯", "私のランプ"):
        assert is_about_speaker(text), text
    assert not is_about_speaker("The lamp of iron")


def test_the_category_of_a_sentence_without_a_cue_is_the_likeliest_of_what_an_agent_is_told(weigh: Weigh) -> None:
    weigh(5.0, tool=make_model(0.1), decision=0.0)
    text, decided = "The iron lamp glows in the hall.", "We decided to use SQLite because it needs no server."
    assert [one.category for one in candidates(f"{text} {decided}")] == ["", "decision"]
    assert [one.category for one in claims(f"{text} {decided}")] == ["tool", "decision"]
    assert [one.category for one in claims(text, speaker="Peter")] == ["fact"]
    weigh(5.0, tool=make_model(0.1), decision=-2.0)
    assert [one.category for one in claims(decided)] == ["tool"]
    weigh(5.0, tool=make_model(-0.1))
    assert [one.category for one in claims(text)] == ["fact"]


def test_the_features_of_a_category_are_forms_of_values_and_parts_of_words_but_no_place_in_a_message() -> None:
    shown = dict(category_features("Since Tuesday the backups of the server are in /srv/backups on 10.0.0.7:8443."))
    assert {"has path", "has address", "has port", "w:server", "w:+ ser", "w:+rver"} <= set(shown)
    assert not {"first", "message chars", "sentences", "agent digits", "has mail"} & set(shown)


@pytest.mark.parametrize(
    ("text", "category"),
    [
        ("Please never phone my customers, only write to them.", "preference"),
        ("in our shop nobody gets a discount, that is how we do it", "preference"),
        ("bei uns wird samstags nicht geliefert", "preference"),
        ("my cousin's doctor is Mrs Vandermeer, she is in on mondays", "person"),
        ("Herr Kowalczyk kümmert sich bei uns um die Lohnabrechnung", "person"),
        ("the metrics server is at metrics.orchard.test, port 9321", "tool"),
        ("las copias de seguridad están en /mnt/copias", "tool"),
        ("プロジェクトの予算は300万円で、完成は9月です", "project"),
        ("Project Lapwing has a budget of 40,000 and ends in June", "project"),
        ("tomorrow at four the piano tuner comes", "fact"),
        ("gestern ist uns der Keller vollgelaufen", "fact"),
        ("昨天晚上我们去听了音乐会", "fact"),
    ],
)
def test_the_stored_weights_tell_the_file_of_a_sentence(text: str, category: str) -> None:
    assert selector.find_category(category_features(text)) == category


def test_the_stored_weights_prefer_what_lasts() -> None:
    lasting, passing = candidates("My passport number is X4471902. Haha, that was so funny!")
    assert lasting.score > 0 > passing.score


def test_sentences_of_other_languages_are_kept_if_they_state_something() -> None:
    kept, seen = Counter[bool](), Counter[bool]()
    for path in sorted(SENTENCES.glob("*.txt")):
        for row in path.read_text("utf-8").strip().split("\n"):
            stated, text = (row.partition(" | ")[0] != "none"), row.partition(" | ")[2]
            seen[stated] += 1
            kept[stated] += bool(claims(text))
    assert kept[False] <= 0.05 * seen[False]
    assert kept[True] >= seen[True] / 3


# How many of an interaction are kept.

METALS = ("iron", "copper", "zinc", "brass", "steel", "silver", "gold", "tin")
PLAIN = [f"The {metal} lamp hangs in the hall." for metal in METALS] * 9


def test_a_sentence_below_the_floor_is_kept_only_for_its_cue(weigh: Weigh) -> None:
    heard = (PLAIN[0], "Remember that the lift is broken.")
    weigh(MIN_SCORE - 0.01)
    assert [one.text for one in claims(*heard)] == [heard[1]]
    weigh(MIN_SCORE)
    assert [one.text for one in claims(*heard)] == [*heard]


def test_a_short_value_of_a_key_needs_less_score(weigh: Weigh) -> None:
    keyed, long = "I live in Bern.", "I live in Bern, above the old bakery, opposite the school with the clock."
    weigh(MIN_KEY_SCORE)
    assert [one.text for one in claims(keyed, long, PLAIN[0])] == [keyed]
    weigh(MIN_KEY_SCORE - 0.01)
    assert claims(keyed) == []


@pytest.mark.parametrize(
    "change",
    [
        "The lamp hangs at the door, not in the hall.", "Nein, die Lampe hängt nicht im Flur, sondern im Keller.",
        "Non, la lampe est au salon, pas au grenier.", "La lámpara cuelga en la cocina en vez de en el pasillo.",
        "灯挂在厨房里，不是走廊。", "ランプは廊下ではなく台所にあります。",
    ],
)  # fmt: skip
def test_what_gives_up_a_value_for_another_needs_less_score(change: str, weigh: Weigh) -> None:
    weigh(MIN_SCORE - CHANGE_SCORE)
    assert [one.text for one in claims(change, PLAIN[0], f"If only! {change[:-1]}?")] == [change]
    weigh(MIN_SCORE - CHANGE_SCORE - 0.01)
    assert claims(change) == []


def test_of_the_others_the_best_are_kept_up_to_a_share_of_the_messages_and_in_order(weigh: Weigh) -> None:
    worth = dict(zip(METALS, (40, 10, 80, 20, 70, 30, 60, 50), strict=True))
    weigh(MIN_SCORE, words=worth)
    least = sorted(worth.values())[-MIN_LINES]
    best = [one.text.split()[1] for one in claims(*PLAIN[:8])]
    assert best == [metal for metal in METALS if worth[metal] >= least]
    assert len(claims(*PLAIN[: MIN_LINES + 1])) == MIN_LINES
    enough = ceil((MIN_LINES + 1) / MAX_MESSAGE_SHARE)
    assert len(claims(*PLAIN[: enough - 1])) == MIN_LINES
    assert len(claims(*PLAIN[:enough])) == MIN_LINES + 1
    tools = [said("done", 50 + at, actor="tool") for at in range(20)]
    assert len(claims(*PLAIN[:8], *tools)) == MIN_LINES


def test_cues_take_no_room_from_the_others(weigh: Weigh) -> None:
    weigh(MIN_SCORE)
    cues = [f"Remember that locker {at} is broken." for at in range(4)]
    kept = claims(*cues, *PLAIN[: MIN_LINES + 1])
    assert [one.text for one in kept] == cues + PLAIN[:MIN_LINES]
    assert [one.confidence for one in kept] == [0.9] * 4 + [0.8] * MIN_LINES


# Whose words claim something.


@pytest.mark.parametrize(
    ("text", "counts"),
    [
        ("The build failed because the lockfile was stale; deleting it fixed it.", 1), ("I'm allergic to nuts.", 0),
        ("Restarting the pod doesn't help, the volume stays locked.", 1), ("Remember that the lift is broken.", 0),
        ("We decided to use SQLite because nobody wants to run a server.", 1), ("The server hums in the cellar.", 0),
        ("The staging server listens on port 6432.", 1), ("The staging server listens on port ninety.", 0),
    ],
)  # fmt: skip
def test_agents_report_fixes_dead_ends_decisions_and_settings_in_short_messages(
    text: str, counts: int, weigh: Weigh
) -> None:
    weigh(5.0)
    assert len(claims(text)) == 1
    assert len(claims(text, actor="agent")) == counts
    assert claims(f"{text} I {'really ' * (MAX_REPORT_CHARS // 7)}checked that.", actor="agent") == []


def test_what_a_setting_is_follows_the_keys_of_the_notebook(weigh: Weigh) -> None:
    weigh(5.0)
    many = packaged_registry().with_keys({"port": KeyDefinition("many", "number")})
    heard = (said("The staging server listens on port 6432.", actor="agent"),)
    assert len(list(propose_claims(heard))) == 1
    assert not list(propose_claims(heard, vocabulary=Vocabulary(registry=many)))


@pytest.mark.parametrize(
    ("counts", "known"),
    [
        (1, {}), (0, {"detail": {"echo": True}}), (0, {"actor": "system"}), (0, {"actor": "tool"}),
        (0, {"origin": "untrusted"}), (0, {"origin": "quarantined"}), (0, {"detail": {"quoted": [[0, 25]]}}),
        (1, {"detail": {"quoted": [[0, 9]]}}), (1, {"detail": {"quoted": [[9, 25]]}}),
    ],
)  # fmt: skip
def test_echoes_strangers_tools_and_quotations_claim_nothing(counts: int, known: dict[str, Any], weigh: Weigh) -> None:
    weigh(5.0)
    assert len(claims("I moved to Trieste today.", **known)) == counts
    assert len(claims("Remember my locker is 14.", **known)) == counts


# A line, and what is known of it.


def test_a_line_is_the_sentence_as_it_was_said_and_rests_on_its_capture(weigh: Weigh) -> None:
    weigh(5.0)
    text = "Hey Kim!  By the way, I moved to  Trieste last month. Remember that my locker is 14!"
    heard = said(text, speaker="Peter", scope="boat", session="s1")
    moved, asked = claims(heard)[-2:]
    assert (moved.text, asked.text) == (
        "By the way, I moved to Trieste last month.",
        "Remember that my locker is 14!",
    )
    assert (moved.sources, moved.scope, moved.session, moved.speaker) == (("obs:1",), "boat", "s1", "Peter")
    assert (moved.trust, moved.actor, moved.time[:16]) == ("trusted", "owner", "2025-11-10T09:00")
    assert moved.quote == moved.sentence == moved.text
    assert len({one.id for one in claims(heard)}) == len(claims(heard))
    assert [one.id for one in claims(heard)] == [one.id for one in claims(heard)]
    assert {one.id for one in claims(heard)}.isdisjoint(one.id for one in claims(text, "x", text)[-2:])


# The rules and the registry of keys.


def test_a_rule_reads_names_as_written_and_all_else_in_lower_case() -> None:
    assert find_cue(make_statement("MY DENTIST IS Dr. Berger.", 0), "en") is None
    found = find_cue(make_statement("My dentist is Dr. Berger", 0), "en")
    assert found is not None
    assert found.name == "Dr. Berger"
    assert find_cue(make_statement("WE DECIDED TO USE SQLITE", 0), "en") is not None
    assert is_noise(make_statement("MAYBE I'LL SWIM", 0), "en")


def test_what_is_said_of_a_secret_does_not_depend_on_the_end_of_its_placeholder() -> None:
    text = "The token for the staging server is ⟦secret:github-pat:{}⟧"
    (low,) = {one.low for end in ("1705", "aabb", "dead") for one in split_statements(text.format(end), "en")}
    assert low.endswith(":0000⟧")


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("fr", "Finalement on part sur Django plutôt que Symfony"), ("de", "Verbindung zum Server getrennt"),
        ("de", "Mein Bruder wohnt übrigens gar nicht mehr in Kiel, sondern in Flensburg"), ("es", "Dentista jueves"),
        ("es", "Inés Corral es nuestra nueva directora de obra."),
        ("en", 'He said "put me down for two tickets" but he says that every year'), ("zh", "redis 端口 6390"),
        ("en", "The port on the server is 6432"), ("ja", "Redis 7.2.4 (standalone) 待受ポート 6390、maxmemory 2gb"),
    ],
)  # fmt: skip
def test_a_short_text_is_read_in_its_language(language: str, text: str) -> None:
    assert choose_rule_language(text) == language


@pytest.mark.parametrize(
    "attribute", ["birthday", "port", "lives_in", "employer", "status", "version", "Date of birth"]
)
def test_some_attributes_hold_one_value(attribute: str) -> None:
    assert packaged_registry().cardinality(packaged_registry().find(attribute)) == "one"


@pytest.mark.parametrize("attribute", ["likes", "owns", "knows", "pet", "friend", "something else"])
def test_others_hold_many(attribute: str) -> None:
    assert packaged_registry().cardinality(packaged_registry().find(attribute) or attribute) != "one"
