"""What a text says: claims with exact spans, nothing asked, supposed or quoted; keys to compare records by."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bench import extraction
from bench.extraction import extract_doubtful
from commonplace.extract import Claim, extract_claims, packaged_registry
from commonplace.extract.languages import LANGUAGES
from commonplace.extract.rules import grammar_rules
from commonplace.model import CATEGORIES, KINDS

NOW = "2025-11-27T09:40"
LABELLED = Path(__file__).parent / "data/extraction"
WORST_PRECISION, WORST_RECALL = 0.92, 0.60
WORST_FILED = 0.80  # of the claims that are in the labelled category too


def claims(text: str, speaker: str = "Peter", *, doubtful: bool = False) -> list[Claim]:
    return list((extract_doubtful if doubtful else extract_claims)(text, speaker=speaker, now=NOW))


def told(text: str) -> list[tuple[str, str]]:
    """What the rules read, sure or not."""
    return [(claim.claim_type, claim.category) for claim in claims(text, doubtful=True)]


@pytest.mark.parametrize(
    ("text", "sort", "category"),
    [
        ("Remember that the freight lift is out of service on Sundays.", "remember", "fact"),
        ("I'm allergic to hazelnuts.", "preference", "preference"),
        ("From now on please answer in British spelling.", "preference", "preference"),
        ("My favourite band is Sigur Ros.", "preference", "preference"),
        ("My boss hates long emails.", "preference", "person"),
        ("We decided to use SQLite because nobody wants to run a server.", "decision", "decision"),
        ("No, the meeting is on Wednesday.", "correction", "plan"),
        ("The port is 6543, not 5432.", "correction", "tool"),
        ("I'll send you the slides by Friday.", "commitment", "plan"),
        ("The invoice is due on the 15th.", "commitment", "plan"),
        ("My cousin Theo plays the cello.", "relation", "person"),
        ("The staging DB moved to port 6432.", "attribute", "tool"),
        ("Ana's birthday is on 4 May.", "attribute", "person"),
        ("I work at the town library.", "attribute", "fact"),
        ("To reset the router, hold the button for ten seconds.", "attribute", "procedure"),
        ("I moved to Bern last month.", "event", "event"),
        ("We adopted a greyhound named Pixel.", "event", "event"),
        ("The build failed because the lockfile was stale; deleting it fixed it.", "error_fix", "lesson"),
        ("Restarting the pod doesn't help, the volume stays locked.", "dead_end", "lesson"),
        ("I think Rust is overkill for this.", "opinion", "preference"),
    ],
)
def test_english_says_each_sort_of_thing(text: str, sort: str, category: str) -> None:
    assert (sort, category) in told(text)


@pytest.mark.parametrize(
    ("text", "sort"),
    [
        ("Ich bin gegen Nüsse allergisch.", "preference"),
        ("Wir haben uns für die rote Küche entschieden.", "decision"),
        ("Nein, der Termin ist am Dienstag, nicht am Montag.", "correction"),
        ("Meine Schwester Ruth arbeitet bei der Post.", "relation"),
        ("J'ai déménagé à Lille le mois dernier.", "event"),
        ("Redémarrer n'a rien changé.", "dead_end"),
        ("Je t'envoie le devis avant vendredi.", "commitment"),
        ("El error era por permisos; los cambié y ya funciona.", "error_fix"),
        ("Creo que Java es demasiado pesado.", "opinion"),
        ("Vivo en Sevilla con mi pareja.", "attribute"),
        ("请记住:测试服务器每天凌晨两点重启。", "remember"),
        ("我对花生过敏。", "preference"),
        ("来週の水曜までに原稿を送ります。", "commitment"),
        ("テストサーバーのポートは9000です。", "attribute"),
    ],
)
def test_other_languages_say_them_too(text: str, sort: str) -> None:
    assert sort in [claim.claim_type for claim in claims(text, doubtful=True)]


@pytest.mark.parametrize(
    "text",
    [
        "Did you move to Bern last month?",
        "If I moved to Bern I'd sell the car.",
        "I would have taken the train.",
        "Suppose that I moved to Bern last month.",
        "I nearly bought a house in May.",
        "Falls ich am Montag nach Rom fliege, melde ich mich.",
        "Maybe I'll take up chess one day.",
        "I'm tired today.",
        "I have a question about the invoice.",
        "Thanks, that's great!",
        'The README says "always run make fmt before committing".',
        "You don't have to remember this, it's only for this one request.",
        "Remember the book that I bought in Bern?",
        "Do you remember when we moved to Bern?",
        "I haven't moved to Bern.",
        "Rename this file to port.py.",
        "3 passed, 1 failed in 2.1s",
        "https://example.org/moved/to/bern",
        "```\nI moved to Bern last month.\n```",
        "> I moved to Bern last month.",
        'She wrote: "Hello Ana. I moved to Bern last month. Love, Kim"',
        "Wenn ich in Bern wohnte, würde ich laufen.",
        "Si j'habitais à Lyon, je prendrais le vélo.",
        "要是我住在海边就好了。",
    ],
)
def test_what_is_asked_supposed_denied_or_quoted_is_no_claim(text: str) -> None:
    assert claims(text) == []


def test_the_span_is_the_exact_stretch_of_the_source() -> None:
    text = "Hey Kim! By the way, I moved to Bern last month. How are you?"
    (claim,) = claims(text)
    assert text[slice(*claim.span)] == "I moved to Bern last month"


def test_the_first_person_becomes_the_speaker_and_stays_without_one() -> None:
    first = claims("I've moved to Bern and I'm allergic to nuts.", doubtful=True)[0]
    assert first.text.startswith("Peter has moved to Bern")
    assert claims("I always book aisle seats.", doubtful=True)[0].text == "Peter always books aisle seats."
    assert claims("My sister Ana lives in Bern.")[0].text == "Peter's sister is Ana."
    (unnamed,) = extract_claims("I moved to Bern in May.")
    assert unnamed.text == "I moved to Bern in May."
    assert unnamed.entity == ""


def test_we_is_never_rewritten_to_one_person() -> None:
    assert claims("We decided to use SQLite.")[0].text == "Peter: We decided to use SQLite."


@pytest.mark.parametrize(
    "text",
    [
        "Samantha and I have moved to Bern.",
        "Last month I moved to Bern and wow, was I tired of boxes.",
        "We've sold the van.",
    ],
)
def test_what_would_read_wrongly_in_the_third_person_stays_as_it_was_said(text: str) -> None:
    assert all(claim.text.startswith("Peter: ") for claim in claims(text))


def test_a_stretch_that_still_holds_has_its_first_day() -> None:
    (claim,) = claims("I've lived in Bern since March 2021.")
    assert claim.valid_from == "2021-03-01"
    assert claim.valid_to == ""


def test_a_birthday_is_an_attribute_and_no_stretch_of_time() -> None:
    (claim,) = claims("Ana's birthday is on 4 May.")
    assert claim.text == "Ana's birthday is on 4 May."
    assert (claim.entity, claim.attribute, claim.valid_from, claim.valid_to) == ("Ana", "birthday", "", "")


@pytest.mark.parametrize(
    ("told_so", "not_so", "category"),
    [
        ("db host -> 10.0.0.5 now", "db host -> which one?", "tool"),
        ("Grafana lives at http://mon.example.org:3001.", "Grafana lives rent-free in my head.", "tool"),
        ("The Curlew migration is two thirds done.", "The migration is fun.", "project"),
        ("Whenever a customer writes in Polish, the ticket goes to Iga.", "Whenever I hear it, I smile.", "procedure"),
        ("Swapping the driver changes nothing, packets still drop.", "Swapping stories is fun.", "lesson"),
        ("The export died on empty rows; filtering them cured it.", "It wasn't easy, but I did it!", "lesson"),
        ("The team voted for two-week sprints.", "Nothing has been decided yet, they'll meet again.", "decision"),
        ("Count me in for bringing the paella on the 22nd!", "Count me out!", "plan"),
        ("The tax return must be at the office by 31 July.", "The game must be amazing!", "plan"),
        ("Anselm prefers calls over emails.", "Sounds like fun!", "person"),
        ("No emojis in commit messages.", "No problem, always here for you.", "preference"),
        ("My blood group is O negative.", "My head is spinning.", "fact"),
    ],
)
def test_a_family_of_sentences_and_its_neighbour_that_says_nothing(told_so: str, not_so: str, category: str) -> None:
    assert category in [claim.category for claim in extract_doubtful(told_so)]
    assert extract_claims(not_so) == ()


def test_an_unnamed_speaker_needs_no_pattern_where_enough_speaks_for_a_category() -> None:
    text = "Our canteen serves the best lunch of the building."
    assert [claim.category for claim in extract_claims(text)] == ["fact"]
    assert extract_claims(text, speaker="Peter") == ()


def test_a_relative_date_keeps_its_words_and_gets_its_day() -> None:
    (claim,) = claims("I moved to Bern last month.")
    assert claim.text == "Peter moved to Bern last month (2025-10-01 – 2025-10-31)."
    assert (claim.valid_from, claim.valid_to) == ("", "")
    (plan,) = claims("I'll send you the slides on Tuesday.")
    assert "(2025-12-02)" in plan.text


@pytest.mark.parametrize(
    ("said", "claimed"),
    [
        ("I met Anna at Christmas.", "Peter met Anna at Christmas (2024-12-24 – 2024-12-26)."),
        ("I always cook a goose at Christmas.", "Peter always cooks a goose at Christmas."),
        ("We got married in the nineties in Rome.", "Peter: We got married in the nineties in Rome."),
    ],
)
def test_a_decade_and_a_feast_of_every_year_get_no_days(said: str, claimed: str) -> None:
    (claim,) = extract_claims(said, speaker="Peter", now="2025-11-30T09:00")
    assert claim.text == claimed


def test_a_date_that_cannot_be_resolved_is_left_alone() -> None:
    (claim,) = extract_claims("I moved to Bern last month.", speaker="Peter", now="some day")
    assert claim.text == "Peter moved to Bern last month."


def test_a_dead_end_never_reads_as_something_that_works() -> None:
    (claim,) = claims("Tried bumping the heap to 8 GB, no difference.")
    assert claim.text.startswith("Did not work: ")


def test_an_error_and_its_fix_in_two_sentences_are_one_lesson() -> None:
    text = "The segfault was due to mixing two libraries. Rebuilding everything with gcc 13 solved it."
    (claim,) = claims(text)
    assert text[slice(*claim.span)] == text.rstrip(".")


def test_a_named_relative_makes_a_relation_beside_what_is_said_of_them() -> None:
    relation, work = claims("My sister Ana works at Novartis.")
    assert (relation.entity, relation.attribute, relation.value) == ("Peter", "sister", "Ana")
    assert (work.entity, work.attribute) == ("Ana", "employer")


def test_a_correction_names_what_it_puts_right() -> None:
    assert claims("The port is 6543, not 5432.")[0].corrects == "5432"
    assert claims("No, it's fine, don't worry about it.") == []


@pytest.mark.slow
@settings(max_examples=150, deadline=None)
@given(st.text(max_size=300), st.sampled_from(("auto", *LANGUAGES)))
def test_no_text_raises_and_every_claim_lies_within_it(text: str, language: str) -> None:
    for claim in extract_claims(text, speaker="Peter", now=NOW, language=language):
        start, end = claim.span
        assert 0 <= start < end <= len(text)
        assert claim.category in CATEGORIES
        assert claim.kind in KINDS


_PARTS = (
    "I ",
    "we ",
    "my sister Ana ",
    "moved to ",
    "is not ",
    "because ",
    "the port ",
    ", ",
    ". ",
    "6432 ",
    "decided ",
)


@pytest.mark.slow
@settings(max_examples=150, deadline=None)
@given(st.lists(st.sampled_from(_PARTS), max_size=25).map("".join))
def test_claims_quote_their_source(text: str) -> None:
    for claim in extract_claims(text):
        assert claim.text.removeprefix("Did not work: ") in text or claim.category == "lesson"


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_rule_of_every_language_is_linear(language: str) -> None:
    hostile = (
        "a, " * 200,
        "i " * 300,
        "the " * 150,
        "不" * 600,
        "error " * 100,
        "-" * 600,
        "my not is " * 60,
        "was " * 150,
    )
    for text in hostile:
        for rule in grammar_rules(language):
            begun = time.process_time()
            rule.pattern.match(text[:600])
            assert time.process_time() - begun < 0.1, (rule.claim_type, rule.pattern.pattern[:60], text[:10])


def test_a_text_of_a_megabyte_without_a_full_stop_is_read_in_no_time() -> None:
    begun = time.process_time()
    extract_claims("I moved to Bern and " * 50_000, speaker="Peter")
    assert time.process_time() - begun < 2


def test_what_is_said_of_a_secret_does_not_depend_on_the_end_of_its_placeholder() -> None:
    said = "The token for the staging server is ⟦secret:github-pat:{}⟧"
    for end in ("1705", "aabb", "dead", "cafe"):
        assert [(one.entity, one.attribute) for one in claims(said.format(end), doubtful=True)] == [
            ("staging server", "token")
        ], end


def test_a_relative_of_somebody_else_is_theirs() -> None:
    (claim,) = claims("Kim's sister Ana works at Novartis.")
    assert claim.text == "Kim's sister is Ana."
    assert claim.entities == ("Ana", "Kim")


@pytest.mark.parametrize(
    "attribute", ["birthday", "port", "lives_in", "employer", "status", "version", "Date of birth"]
)
def test_some_attributes_hold_one_value(attribute: str) -> None:
    assert packaged_registry().cardinality(packaged_registry().find(attribute)) == "one"


@pytest.mark.parametrize("attribute", ["likes", "owns", "knows", "pet", "friend", "something else"])
def test_others_hold_many(attribute: str) -> None:
    assert packaged_registry().cardinality(packaged_registry().find(attribute) or attribute) != "one"


@pytest.mark.slow
@pytest.mark.parametrize("half", ["dev", "heldout"])
def test_extraction_keeps_its_figures_on_labelled_sentences(half: str) -> None:
    path = LABELLED / f"{half}.jsonl"
    if not path.is_file():
        pytest.skip(f"no {half} half here")
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n") if line.strip()]
    counts = sum((extraction.tally(row) for row in rows), start=extraction.tally(rows[0] | {"text": "", "gold": []}))
    assert counts["found"] >= WORST_PRECISION * counts["claims"]
    assert counts["hit"] >= WORST_RECALL * counts["gold"]
    assert counts["right"] >= WORST_FILED * counts["claims"]


def test_the_i_of_an_abbreviation_is_nobody() -> None:
    told = claims("I moved to Bern (i.e. the old town) last month.", doubtful=True)
    assert told
    assert all("i.e." in claim.text for claim in told if "old town" in claim.text)
    assert all("Peter.e" not in claim.text for claim in told)
