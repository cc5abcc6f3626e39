"""The gate: what is worth keeping, what is said twice, and whether it can be found again."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import structs

from commonplace.language.text import tokenize
from commonplace.language.text.phrase_matcher import (
    SPACED_WORD_LISTS,
    WORD_LIST_LANGUAGES,
    likely_languages,
    load_labelled_phrases,
    match_labels,
    split_units,
)
from commonplace.language.word_data import load_word_table
from commonplace.storage.tombstones import read_tombstones
from commonplace.truth import column_width
from commonplace.upkeep.consolidate import findability
from commonplace.upkeep.consolidate.claim_record import ClaimRecord
from commonplace.upkeep.consolidate.duplicates import (
    BlockedTexts,
    PackedLine,
    echo_digests,
    is_redundant,
    sentence_similarity,
)
from commonplace.upkeep.consolidate.findability import (
    MAX_FINDABLE_RANK,
    MAX_QUESTIONS,
    content_words,
    findability_warning,
    make_questions,
    rank_in_hits,
)
from commonplace.upkeep.consolidate.gate import (
    BASE_SCORE,
    FEATURE_WEIGHTS,
    GATE_REASON_SENTENCES,
    grade_importance,
    importance_features,
    judge_claim,
)
from tests.support.tombstones import leave_tombstones

KEY = b"a key of this workspace"
NOTHING = BlockedTexts()


def packed(*texts: str, key: bytes = KEY) -> BlockedTexts:
    """What was packed once, and must not be learned again."""
    return BlockedTexts({digest: [PackedLine()] for text in texts for digest in echo_digests(text, key)}, key=key)


def said(text: str, **known: object) -> ClaimRecord:
    return ClaimRecord(text=text, **({"id": "c1", "category": "note", "trust": "trusted"} | known))


def kept_already(text: str, category: str = "note", trust: str = "trusted") -> ClaimRecord:
    return ClaimRecord(id="r1", text=text, category=category, trust=trust)


def reason(text: str, near: tuple[ClaimRecord, ...] = (), guards: BlockedTexts = NOTHING, **known: object) -> str:
    """Why a claim is not kept; `kept` if it is."""
    return judge_claim(said(text, similar=near, **known), guards).reason or "kept"


def features(text: str, category: str = "note", entities: tuple[str, ...] = (), language: str = "en") -> set[str]:
    return set(importance_features(text, category, entities, language))


# What says nothing lasting.


@pytest.mark.parametrize("text", ["Ana", "Tea: 3", "short one", "我住柏林", "猫が好き"])
def test_what_takes_less_than_ten_columns_is_too_short(text: str) -> None:
    assert reason(text) == "too-short"


def test_a_chinese_character_counts_as_two_columns() -> None:
    assert (column_width("abc"), column_width("我住在柏林"), column_width("cafe\u0301"), column_width(" a \n b ")) == (
        3,
        10,
        4,
        3,
    )
    assert reason("我住在柏林") == "kept"


NOISE = [
    "ok thanks a lot!", "Sounds good, thank you", "haha haha haha", "👍👍👍👍👍👍👍", "... --- ...", "no problem at all, thanks",
    "Thanks, you're welcome", "merci beaucoup !", "D'accord, très bien", "vielen dank, sehr gut", "alles klar, danke dir",
    "muchas gracias, perfecto", "buenos días, ¿qué tal?", "好的，谢谢你，明白了", "ありがとうございます、了解しました", "supercalifragilistic",
    "HEARTBEAT_OK", "test test test", "Good morning, how are you?",
]  # fmt: skip


@pytest.mark.parametrize("text", NOISE)
def test_acknowledgements_are_noise_in_every_language(text: str) -> None:
    assert reason(text) == "noise"


@pytest.mark.parametrize(
    "text",
    [
        "ok, the port is 6432", "Thanks, my sister is Ana", "yes, I live in Rome", "danke, ich wohne in Wien", "merci, j'habite à Lyon",
        "好的，我住在上海", "no sugar for Ana", "ok 3 eggs please", "Good night trains leave Vienna",
    ],
)  # fmt: skip
def test_a_fact_behind_an_acknowledgement_is_no_noise(text: str) -> None:
    assert reason(text) == "kept"


def test_a_name_beside_a_greeting_is_noise_only_if_it_is_known_to_be_one() -> None:
    assert reason("Thanks, Ana!", entities=("Ana",)) == "noise"
    assert reason("Thanks, Ana!") == "kept"


@pytest.mark.parametrize(
    "text",
    [
        "need to fix the flaky test", "TODO: rename the module", "il faut relancer le build", "on doit corriger ça",
        "ich muss noch einkaufen", "hay que limpiar la cocina", "待办：修复测试用例", "テストを直さなきゃ、やること", "I should clean the kitchen",
    ],
)  # fmt: skip
def test_a_chore_without_reason_is_left_out(text: str) -> None:
    assert reason(text) == "chore"


@pytest.mark.parametrize(
    "text",
    [
        "need to pin numpy because 2.0 breaks us", "il faut relancer, sinon tout casse", "need to send the form by 3 March",
        "ich muss noch warten, weil Lea kommt", "hay que esperar porque llueve", "we always need to run the linter",
        "need to rename the module in the package of the old importer and in its tests",
        "Backups must be encrypted", "My wife: I have to call her",
    ],
)  # fmt: skip
def test_a_chore_with_reason_deadline_rule_or_length_stays(text: str) -> None:
    assert reason(text) == "kept"


@pytest.mark.parametrize(
    "text",
    [
        "The deploy is in progress", "Not yet, the build is red", "le build est en cours", "läuft gerade auf dem Server",
        "todavía no está la prueba", "测试正在运行，请稍等", "テストを実行中です、待って", "Let me look at the file", "next step: the parser",
    ],
)  # fmt: skip
def test_a_passing_state_is_left_out(text: str) -> None:
    assert reason(text) == "passing"


@pytest.mark.parametrize(
    "text",
    [
        "Never deploy while a migration is in progress", "At the moment I live with my sister",
        "The deploy is in progress and it takes the whole cluster of the north down",
    ],
)  # fmt: skip
def test_a_rule_or_a_fact_or_length_outweighs_the_words_of_a_passing_state(text: str) -> None:
    assert reason(text) == "kept"


@pytest.mark.parametrize("text", ["Let's stick with polling for now", "you need to install the other package"])
@pytest.mark.parametrize("category", ["decision", "lesson", "preference", "person", "procedure"])
def test_what_is_known_to_last_is_no_chore_and_no_passing_state(text: str, category: str) -> None:
    assert reason(text, category=category) == "kept"
    assert reason(text) == "chore"


def test_words_are_whole_words() -> None:
    """`todo` in a mastodon and `ok` in a book are nothing, nor is `sk-` in a task a secret."""
    assert reason("Ana keeps a mastodon tooth at home") == "kept"
    assert "ack" not in match_labels("The book about Tokyo", "en")
    assert grade_importance("The policymaker ruled", category="note", entities=(), language="en") == BASE_SCORE


def test_lists_of_languages_are_not_mixed() -> None:
    """`car` gives a reason in French and is washed in English."""
    assert reason("need to wash the car") == "chore"
    assert "explanation" in match_labels("il faut partir car il pleut")
    assert "preference" not in match_labels("The mag is on the table")
    assert "preference" in match_labels("Er mag den Tee")
    assert likely_languages("xyz") == WORD_LIST_LANGUAGES


@pytest.mark.parametrize("text", ["ok", "Ana", "need to fix the test", "in progress now", "thanks a lot!"])
def test_what_somebody_asked_to_have_remembered_passes_length_noise_and_transience(text: str) -> None:
    assert reason(text) != "kept"
    assert reason(text, claim_type="remember") == "kept"


# The guards.

GIVEN_OUT = "Ana's birthday is 4 May and she likes plum cake from the bakery in Graz."
REMEMBERED = packed(GIVEN_OUT)


@pytest.mark.parametrize("actor", ["owner", "agent", "tool"])
@pytest.mark.parametrize(
    "text",
    [
        GIVEN_OUT,
        "I recall that " + GIVEN_OUT.lower(),
        "According to my notes: " + GIVEN_OUT,
        "Ana's birthday is 4 May.",
    ],
)
def test_what_a_pack_gave_out_is_not_learned_again(text: str, actor: str) -> None:
    assert reason(text, guards=REMEMBERED, actor=actor) == "echo"


@pytest.mark.parametrize("actor", ["owner", "agent"])
@pytest.mark.parametrize(
    "text",
    [
        "Ana's birthday is 5 May and she likes plum cake from the bakery in Graz.",
        "Ana's birthday is not 4 May and she likes plum cake from the bakery in Graz.",
        "Ana broke her leg skiing last week in the mountains of Tyrol.",
    ],
)
def test_a_correction_of_what_a_pack_gave_out_is_news(text: str, actor: str) -> None:
    assert reason(text, guards=REMEMBERED, actor=actor) == "kept"


def test_only_an_agent_may_not_learn_from_its_own_retelling() -> None:
    retold = "Ana's birthday is 4 May and she likes plum cake very dearly indeed."
    assert reason(retold, guards=REMEMBERED, actor="agent") == "echo"
    assert reason(retold, guards=REMEMBERED, actor="owner") == "kept"
    assert (
        reason("Ana's birthday is 4 May and Ben likes it", guards=REMEMBERED, actor="agent", entities=("Ben",))
        == "kept"
    )


def test_a_hundred_rounds_of_pack_and_echo_keep_nothing() -> None:
    given_out: list[str] = []
    kept = []
    text = "The staging database listens on port 6432 behind the proxy."
    for _ in range(100):
        given_out.append(text)
        text = "As noted earlier, the staging database listens on port 6432 behind the proxy."
        kept.append(reason(text, guards=packed(*given_out), actor="agent") == "kept")
    assert not any(kept)


def test_echoes_are_known_in_scripts_without_spaces() -> None:
    guards = packed("小王的生日是五月四日，他喜欢喝绿茶")
    assert reason("小王的生日是五月四日", guards=guards) == "echo"
    assert reason("小李的妹妹在上海工作了三年", guards=guards) == "kept"


FORGOTTEN = "Ben lost his job at the harbour. He told nobody in the village about it."


def forgotten(folder: Path, *texts: str) -> BlockedTexts:
    leave_tombstones(str(folder), "dev", texts, "2026-11")
    return BlockedTexts(tombstones=read_tombstones(str(folder)))


@pytest.mark.parametrize("text", [FORGOTTEN, "BEN LOST HIS JOB AT THE HARBOUR!", FORGOTTEN + " Sad."])
@pytest.mark.parametrize("claim_type", ["remember", "event"])
def test_what_was_forgotten_stays_forgotten_even_on_request(tmp_path: Path, text: str, claim_type: str) -> None:
    guards = forgotten(tmp_path, FORGOTTEN)
    assert reason(text, guards=guards, claim_type=claim_type) == "forgotten"
    assert reason("Ben found a job at the airport.", guards=guards) == "kept"


def test_a_negation_of_what_was_forgotten_is_another_text(tmp_path: Path) -> None:
    guards = forgotten(tmp_path, "Ben visits the harbour on Sundays")
    assert reason("Ben does not visit the harbour on Sundays", guards=guards) == "kept"


def test_digests_hold_no_text_and_hang_on_the_key() -> None:
    assert not any("ben" in digest for digest in echo_digests(FORGOTTEN, KEY))
    assert echo_digests(FORGOTTEN, KEY).isdisjoint(echo_digests(FORGOTTEN, b"another key"))


def test_no_tombstone_is_a_commonplace(tmp_path: Path) -> None:
    guards = forgotten(tmp_path, "Thank you. The code of the door is 1234.")
    assert reason("Thank you.", guards=guards, claim_type="remember") == "kept"


# Duplicates.

SAME = [
    ("note", "Ana's birthday is on 4 May", "Ana's birthday is 4 May."),
    ("note", "ANA'S BIRTHDAY IS 4 MAY", "Ana's birthday is 4 May."),
    ("note", "The backup runs every night at 2:30 on the NAS", "The backup really runs every night at 2:30 on the NAS."),
    ("preference", "Likes dark mode in all editors", "Prefers dark mode in all editors"),
    ("preference", "I prefer tea", "I prefer green tea"),
    ("preference", "Prefiero respuestas cortas", "Prefiero las respuestas cortas."),
    ("preference", "我喜欢喝绿茶", "我很喜欢喝绿茶。"),
    ("preference", "I really prefer short answers with code", "I prefer short answers with code."),
]  # fmt: skip


@pytest.mark.parametrize(("category", "new", "old"), SAME)
def test_what_a_record_says_already_is_a_duplicate(category: str, new: str, old: str) -> None:
    judged = judge_claim(said(new, category=category, similar=(kept_already(old, category),)), NOTHING)
    assert (judged.reason, judged.duplicate_of) == ("duplicate", "r1")


DIFFERENT = [
    ("The staging DB moved to port 6432.", "The staging DB moved to port 6433."),
    ("The meeting about the garden is on 4 May at the office", "The meeting about the garden is on 5 May at the office"),
    ("The pool moved from port 5432 to port 6432", "The pool moved from port 6432 to port 5432"),
    ("The garden plan of Peter was signed in Rome last spring", "The garden plan of Carla was signed in Rome last spring"),
    ("Peter told Ana about the plan for the garden", "Ana told Peter about the plan for the garden"),
    ("Ana prefers tea", "Ben prefers tea"),
    ("I prefer red wine", "I prefer white wine"),
    ("I prefer tea over coffee", "I prefer coffee over tea"),
    ("I like tea in the morning", "I don't like tea in the morning"),
    ("Only Ana has the key to the cellar", "Ana has the key to the cellar"),
    ("The alarm is on", "The alarm is off"),
    ("My sister lives in Rome", "Your sister lives in Rome"),
    ("Trains run from Berlin to Paris", "Trains run to Berlin from Paris"),
    ("Deploy before the review of the team", "Deploy after the review of the team"),
    ("I prefer green tea", "I prefer tea"),
    ("the importer calls the parser twice", "the parser calls the importer twice"),
    ("The backup of the old photos runs on the machine in the cellar", "The backup of the old photos runs on the machine in the attic"),
    ("小王喜欢喝茶", "小李喜欢喝茶"),
    ("Meine Schwester mag Kaffee", "Deine Schwester mag Kaffee"),
    ("J'aime le vin rouge", "Je n'aime pas le vin rouge"),
]  # fmt: skip


@pytest.mark.parametrize(("new", "old"), DIFFERENT)
@pytest.mark.parametrize("category", ["preference", "note"])
def test_different_facts_in_the_same_words_are_not_merged(category: str, new: str, old: str) -> None:
    assert reason(new, (kept_already(old, category),), category=category) == "kept"
    assert reason(old, (kept_already(new, category),), category=category) in (
        "kept",
        "duplicate",
    )


def test_a_guard_of_meaning_and_not_the_threshold_keeps_some_of_them_apart() -> None:
    """The negative control: by similarity alone these would be one."""
    alike = [pair for pair in DIFFERENT if sentence_similarity(*pair) >= 0.85]
    preferences = [pair for pair in DIFFERENT if sentence_similarity(*pair) >= 0.60]
    assert len(alike) >= 6
    assert len(preferences) >= 14


@pytest.mark.parametrize(("new", "old"), DIFFERENT)
def test_each_different_pair_says_something_new(new: str, old: str) -> None:
    assert not is_redundant(said(new), kept_already(old))


def test_whom_a_sentence_is_about_counts_even_if_it_only_says_she() -> None:
    near = kept_already("Ana: she likes plum cake", "preference")
    assert reason("Ben: likes plum cake", (near,), category="preference", entities=("Ben",)) == "kept"
    she = said("She likes plum cake from Graz", id="r1", category="preference", entities=("Ana",))
    assert reason(she.text, (she,), category="preference", entities=("Ana",)) == "duplicate"
    lower = kept_already("likes plum cake from Graz now", "preference")
    assert reason("likes plum cake from Graz", (lower,), category="preference", entities=("Ben",)) == "kept"
    of_ben = said(lower.text, id="r1", category="preference", entities=("Ben",))
    assert reason("likes plum cake from Graz", (of_ben,), category="preference", entities=("Ben",)) == "duplicate"
    named = kept_already("She likes plum cake from Graz, said Ana", "preference")
    assert reason("She likes plum cake from Graz", (named,), category="preference", entities=("Ana",)) == "duplicate"


def test_preferences_are_alike_from_060_on_and_all_else_from_085_on() -> None:
    new, old = "I really prefer short answers with code", "I prefer short answers with code."
    assert 0.60 <= sentence_similarity(new, old) < 0.85
    assert reason(new, (kept_already(old, "preference"),), category="preference") == "duplicate"
    assert reason(new, (kept_already(old, "note"),), category="preference") == "kept"
    assert reason(new, (kept_already(old, "preference"),), category="note") == "kept"


def test_the_same_first_eight_words_are_a_duplicate_from_060_on_if_nothing_is_new() -> None:
    start = "The backup of the photos runs every night"
    whole = start + " on the machine in the cellar"
    assert 0.60 <= sentence_similarity(start, whole) < 0.85
    assert reason(start, (kept_already(whole),)) == "duplicate"
    assert reason("Now " + start, (kept_already(whole),)) == "kept"
    assert reason(start + " on the machine in the attic", (kept_already(whole),)) == "kept"
    longer = (
        whole + " and is copied to the bank, the office, the harbour and to the island of the old lighthouse keeper"
    )
    assert sentence_similarity(start, longer) < 0.60
    assert reason(start, (kept_already(longer),)) == "kept"


@pytest.mark.parametrize("trust", ["untrusted", "unknown", "quarantined"])
def test_what_a_stranger_said_first_does_not_keep_the_owners_word_out(trust: str) -> None:
    text = "Ana's birthday is 4 May."
    assert reason(text, (kept_already(text, trust=trust),)) == "kept"
    assert reason(text, (kept_already(text),), trust=trust) == "duplicate"


def test_the_duplicate_named_is_the_most_alike() -> None:
    near = (
        said("I prefer green tea", id="far", category="preference"),
        said("I prefer tea!", id="same", category="preference"),
    )
    claim = said("I prefer tea", category="preference", similar=near)
    assert judge_claim(claim, NOTHING).duplicate_of == "same"


def test_similarity_is_the_share_of_words_in_common() -> None:
    assert sentence_similarity("Ana likes tea", "Ana likes tee") == 1 / 3  # `likes` is a function word
    assert sentence_similarity("Ana likes the tea", "ana liked tea") == 1.0
    assert sentence_similarity("Port 8", "port　８") == 1.0


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=60), st.text(max_size=60))
def test_similarity_is_symmetric_enough_and_within_bounds(a: str, b: str) -> None:
    assert 0.0 <= sentence_similarity(a, b) <= 1.0
    assert sentence_similarity(a, a) == 1.0


@pytest.mark.slow
def test_long_texts_are_compared_in_bounded_time_and_never_merged_by_their_beginning() -> None:
    long = "word after word " * 7_000
    assert reason(long + "one", (kept_already(long + "two"),)) == "kept"
    assert reason(long, (kept_already(long),)) == "duplicate"


# Importance.

GRADED = {
    "must_remember": [
        "My daughter Mia was born on 12 June 2021.", "I get hives from peanuts, I'm severely allergic.", "Never push straight to the main branch.",
        "The team decided to drop Redis in favour of Postgres because of the outages.", "My father takes insulin twice a day.",
        "Our wedding anniversary is the 9th of September.", "From now on always write commit messages in English.", "We agreed on Hetzner as the provider.",
        "Je ne mange jamais de porc, c'est une règle.", "Ma femme est enceinte de jumeaux.", "L'anniversaire de Luc est le 3 mars.",
        "Mein Bruder Jonas ist gegen Penicillin allergisch.", "Wir haben beschlossen, ab Januar auf Kubernetes zu verzichten.",
        "El cumpleaños de Marta es el 14 de febrero.", "Hemos decidido usar Kafka porque escala mejor.", "Mi hijo es celíaco.",
        "我女儿的生日是六月十二日。", "我们决定采用PostgreSQL。", "母は糖尿病です。", "絶対に金曜日にデプロイしないでください。",
    ],
    "nice_to_have": [
        "The printer's address is 192.168.1.40.", "Carla plays the cello in an orchestra.", "I enjoy hiking in the Dolomites.", "The invoice came to 1,240 dollars.",
        "Nadia works for the city library.", "The crash was caused by a full disk.", "The design document is at https://example.org/design.",
        "Tom's flight to Oslo leaves on 8 November.", "Paul aime bien la randonnée.", "Le serveur écoute sur le port 8443.", "Nadia travaille à la mairie.",
        "Lea spielt gern Schach.", "Die Miete beträgt 950 Euro.", "Jonas arbeitet bei der Bahn.", "A Marta le gusta el jazz.", "Pablo trabaja en un banco.",
        "小李喜欢爬山。", "他在上海工作。", "田中さんは大阪に住んでいます。", "彼はジャズが好きです。",
    ],
    "ignore": [
        "Great, that looks good to me!", "I am looking into the failing test right now.", "Done, pushed the branch.", "Could you have a look at this?",
        "lol that is hilarious", "It is raining outside.", "The terminal window is open.", "Running the linter again.",
        "Super, merci pour ton aide !", "Je regarde ça tout de suite.", "Tu peux relancer le script ?", "Ich schaue mir das gleich an.",
        "Danke, das passt so.", "Kannst du das nochmal öffnen?", "Vale, gracias por todo.", "Estoy revisando el archivo ahora mismo.",
        "好的，我马上看看。", "你能再试一次吗？", "了解しました、確認します。", "もう一度お願いできますか？",
    ],
}  # fmt: skip


def test_sixty_labelled_sentences_are_graded_in_order() -> None:
    """Labelled by hand before the grader was run on them, and never tuned on."""
    assert sum(map(len, GRADED.values())) == 60
    scores = {
        label: [grade_importance(text, category="note", entities=(), language="auto") for text in texts]
        for label, texts in GRADED.items()
    }
    pairs = [
        (higher, lower)
        for above, below in (("must_remember", "nice_to_have"), ("nice_to_have", "ignore"), ("must_remember", "ignore"))
        for higher, lower in itertools.product(scores[above], scores[below])
    ]
    in_order = sum(higher > lower for higher, lower in pairs) / len(pairs)
    assert in_order >= 0.90, f"{in_order:.3f}"


# For each feature: a sentence without it, the same with it.
FEATURES = {
    "rule": ("lights burn at night", "lights never burn at night", "note"),
    "health": ("the soup holds celery", "the vegan soup holds celery", "note"),
    "decision": ("a blue roof", "a decided blue roof", "note"),
    "preference": ("a blue roof", "likes a blue roof", "note"),
    "lesson": ("the disk was full", "the root cause: the disk was full", "note"),
    "life": ("a blue roof", "lives under a blue roof", "note"),
    "identifier": ("the page is up", "the page https://a.example is up", "note"),
    "money": ("a blue roof of 7", "rent: a blue roof of 7", "note"),
    "relation": ("a blue roof", "mother: a blue roof", "note"),
    "name": ("a blue roof", "a blue roof, Carla", "note"),
    "date": ("a blue roof", "a blue roof on 4 May", "note"),
    "modal": ("windows close at six", "windows must close at six", "note"),
    "reason": ("a blue roof", "because a blue roof", "note"),
    "question": ("a blue roof", "a blue roof?", "note"),
    "transience": ("a blue roof", "a blue roof in progress", "note"),
    "progress": ("a blue roof", "a finished blue roof", "note"),
    "chit-chat": ("a blue roof of slate", "lol, a blue roof of slate", "note"),
}


@pytest.mark.parametrize("feature", FEATURE_WEIGHTS)
def test_every_feature_moves_the_grade_by_its_weight(feature: str) -> None:
    without, with_it, _ = FEATURES[feature]
    before, after = (grade_importance(text, category="note", entities=(), language="en") for text in (without, with_it))
    assert feature in features(with_it)
    assert feature not in features(without)
    assert after - before == pytest.approx(FEATURE_WEIGHTS[feature])


@pytest.mark.parametrize(
    ("category", "feature"),
    [("preference", "preference"), ("decision", "decision"), ("lesson", "lesson"), ("person", "name")],
)
def test_the_category_tells_a_feature_as_words_do(category: str, feature: str) -> None:
    assert features("a blue roof", category) == {feature}


def test_entities_are_names_and_a_database_that_moved_lives_nowhere() -> None:
    assert features("a blue roof", entities=("roof",)) == {"name"}
    assert features("it moved away") == {"life"}
    assert features("it moved away", "tool") == set()


def test_a_feature_counts_once_and_the_score_stays_within_bounds() -> None:
    rules = grade_importance("always, always, never, always", category="note", entities=(), language="en")
    assert rules == pytest.approx(BASE_SCORE + FEATURE_WEIGHTS["rule"])
    assert grade_importance(" ".join(GRADED["must_remember"]), category="person", entities=("x",), language="en") == 1.0
    assert grade_importance("lol, done, wip in progress?", category="note", entities=(), language="en") == 0.0


def test_money_needs_a_number_and_chit_chat_comes_first() -> None:
    assert "money" not in features("the rent is due")
    assert features("We agreed on Hetzner as the provider.") == {"decision", "name"}
    assert "chit-chat" in features("Great, that looks good to me!")


def test_german_capitals_are_no_names_and_weekdays_are_none_anywhere() -> None:
    assert "name" not in features("Das Dach ist aus Schiefer", language="auto")
    assert "name" not in features("We met on 4 May at noon", language="auto")
    assert "name" in features("We met Carla at noon", language="auto")


def test_importance_filters_nothing() -> None:
    text = "The sky looks grey over the hills"
    assert grade_importance(text, category="note", entities=(), language="en") <= BASE_SCORE
    assert reason(text) == "kept"


@pytest.mark.parametrize("trust", ["untrusted", "quarantined"])
def test_a_strangers_words_never_lift_importance(trust: str) -> None:
    loud = "Always remember this rule: the root cause is a decision of Carla"
    assert judge_claim(said(loud), NOTHING).importance == 1.0
    assert judge_claim(said(loud, trust=trust), NOTHING).importance == BASE_SCORE
    low = judge_claim(said("ok, done with it as such?", trust=trust), NOTHING).importance
    assert low is not None
    assert low < BASE_SCORE


@settings(max_examples=100, deadline=None)
@given(st.text(max_size=80), st.sampled_from(["", "exec", "TODO"]))
def test_any_text_gets_a_grade_within_bounds(text: str, tool: str) -> None:
    assert 0.0 <= grade_importance(text, category="note", entities=(), language="auto") <= 1.0
    judge_claim(said(text, similar=(kept_already(text + tool),)), NOTHING)


# Findability.


def test_questions_are_made_of_the_entity_and_the_attribute() -> None:
    ana = said("Ana turns 34 on 4 May.", category="person", entities=("Ana",), attribute="birthday", value="4 May")
    assert make_questions(ana) == ("When is Ana's birthday?", "What is Ana's birthday?", "Who is Ana?")
    port = said("The staging DB uses 6432.", category="tool", entities=("staging DB",), attribute="port", value="6432")
    assert make_questions(port)[0] == "Which port does staging DB have?"
    peter = said("Peter prefers tea.", category="preference", entities=("Peter",))
    assert make_questions(peter) == ("What does Peter like?", "What about Peter?")
    assert make_questions(said("I drink tea.", attribute="favourite_drink")) == ("What is my favourite drink?",)
    assert make_questions(said("The sky looks grey.")) == ()


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("Ana est née le 4 mai.", "C'est quand, anniversaire de Ana ?"),
        ("Ana ist am 4. Mai geboren und wohnt in der Stadt.", "Wann ist anniversaire von Ana?"),
        ("Ana nació el 4 de mayo.", "¿Cuándo es anniversaire de Ana?"),
        ("安娜五月四日出生。", "Ana的anniversaire是什么时候？"),
        ("アナは5月4日に生まれた。", "Anaのanniversaireはいつですか？"),
        ("Ana on syntynyt 4.5.", "When is Ana's anniversaire?"),
    ],
)
def test_questions_are_asked_in_the_language_of_the_line(text: str, first: str) -> None:
    born = said(text, entities=("Ana",), attribute="anniversaire", value="4 May")
    assert make_questions(born)[0] == first


ASKING = [
    "prefer",
    "like",
    "favourite",
    "use",
    "decided",
    "agreed",
    "planned",
    "coming",
    "happened",
    "wrong",
    "learn",
    "have",
    "date",
    "went",
]
ASKING += [
    "préfère",
    "aime",
    "goûts",
    "utilise",
    "décidé",
    "choix",
    "prévu",
    "bevorzugt",
    "mag",
    "entschieden",
    "geplant",
    "nutzt",
    "prefiere",
]
ASKING += [
    "gusta",
    "usa",
    "decidió",
    "acuerdo",
    "planes",
    "喜欢",
    "决定",
    "计划",
    "发生",
    "问题",
    "好き",
    "予定",
    "決め",
    "問題",
    "Oslo",
    "quiet",
]


@pytest.mark.slow
@settings(max_examples=200, deadline=None)
@given(
    st.lists(st.sampled_from(ASKING), max_size=12),
    st.sampled_from(["preference", "decision", "plan", "event", "person", "lesson", "procedure", "tool", "note"]),
    st.sampled_from(WORD_LIST_LANGUAGES),
    st.sampled_from(["", "port", "favourite_drink", "birthday"]),
)
def test_a_question_shares_no_word_of_meaning_with_its_line_but_what_it_asks_about(
    words: list[str], category: str, language: str, attribute: str
) -> None:
    text = " ".join(["Ana", *words])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(findability.text, "detect_language", lambda _text: language)
        asked = make_questions(said(text, category=category, entities=("Ana",), attribute=attribute, value="4 May"))
    assert 1 <= len(asked) <= MAX_QUESTIONS
    about = {"ana", *split_units(attribute.replace("_", " "))}
    line = set(tokenize(text, language))
    for question in asked:
        if language in ("zh", "ja"):
            for form in itertools.chain.from_iterable(load_word_table(language, "question_templates").values()):
                shown = (
                    form.partition("/")[0]
                    .replace("{entity}", "Ana")
                    .replace("{attribute}", attribute.replace("_", " "))
                )
                assert shown != question or not any(word in text for word in content_words(form, language))
        else:
            told = {word for word in content_words(question, language) if word not in about}
            assert line.isdisjoint(token for word in told for token in tokenize(word, language))


def test_there_is_always_a_form_that_gives_nothing_away() -> None:
    for language in WORD_LIST_LANGUAGES:
        forms = load_word_table(language, "question_templates")
        assert set(forms) == set(load_word_table("en", "question_templates"))
        assert content_words(forms["about"][0], language) == ()
        for kind in ("when", "what", "which", "attribute"):
            assert any(content_words(form, language) == () for form in forms[kind]), (language, kind)


def test_a_rank_counts_from_one_and_none_is_zero() -> None:
    assert [rank_in_hits(name, ("a", "b")) for name in "abc"] == [1, 2, 0]


def test_what_is_not_among_the_first_ten_is_a_warning() -> None:
    assert findability_warning(1, "Who is Ana?") == findability_warning(MAX_FINDABLE_RANK, "Who is Ana?") == ""
    assert findability_warning(MAX_FINDABLE_RANK + 1, "Who is Ana?", "bank/world.md#L3") == (
        "the line at bank/world.md#L3 is only at rank 11 for the question 'Who is Ana?'; add whom and what it is about to the line"
    )
    assert "is not found" in findability_warning(0, "Who is Ana?")


# Verdicts and lists.


def test_a_judged_claim_says_why_and_what_it_repeats() -> None:
    claim = said("Ana's birthday is 4 May.", similar=(kept_already("Ana's birthday is 4 May"),))
    judged = judge_claim(claim, NOTHING)
    assert (judged.reason, judged.duplicate_of, judged.importance) == ("duplicate", "r1", 0.9)
    assert all(sentence and not sentence.endswith(".") for sentence in GATE_REASON_SENTENCES.values())


def test_reasons_come_in_the_order_of_the_gate(tmp_path: Path) -> None:
    """One text that every test but one would keep out is told by the first; taking that away, by the next."""
    near = (kept_already("ok thanks"),)
    guards = structs.replace(packed("ok thanks", key=b""), tombstones=forgotten(tmp_path, "ok thanks").tombstones)
    assert reason("ok thanks", near, guards) == "too-short"
    assert reason("ok thanks", near, guards, claim_type="remember") == "echo"
    assert reason("ok thanks", near, BlockedTexts(tombstones=guards.tombstones), claim_type="remember") == "forgotten"
    assert reason("ok thanks", near, claim_type="remember") == "duplicate"
    assert reason("ok thanks", claim_type="remember") == "kept"


def test_every_language_has_every_list_of_the_gate() -> None:
    needed = {label for label in load_word_table("en", "labelled_phrases") if not label.startswith("pole")}
    for language in WORD_LIST_LANGUAGES:
        assert needed <= set(load_word_table(language, "labelled_phrases")), language
        known = load_labelled_phrases((language,))
        assert all(1 <= len(phrase) <= 6 for phrase in known.phrases)
        assert all(len(beginning) >= 3 for beginning in known.beginnings)
        assert load_word_table(language, "deictic_words")["pointer"]
    for language in SPACED_WORD_LISTS:
        assert {"introducer", "preposition", "conjunction", "empty", "being", "awaited"} < set(
            load_word_table(language, "deictic_words")
        )
    assert {label for label in load_word_table("fr", "labelled_phrases") if label.startswith("pole person")} >= {
        "pole person 1",
        "pole person she",
    }
