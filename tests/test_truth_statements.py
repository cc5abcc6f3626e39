"""The statements of a line are read: who it is about, its cues, what it gives up, and what makes it no assertion."""

from __future__ import annotations

import pytest

from commonplace.truth import LineContext, Statement, read_statements
from commonplace.truth.vocabulary import NameTable


def read(text: str, language: str = "en", *, is_talk: bool = False, speaker: str = "Mara") -> Statement:
    """The last statement of a line."""
    names = NameTable("Mara", {"zed editor": "zed"})
    return read_statements(text, LineContext(language, speaker, is_talk=is_talk, names=names))[-1]


def stems(text: str, language: str = "en") -> list[str]:
    return [token.stem for token in read(text, language).tokens]


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("No, the proxy runs on port 8081.", "en"),
        ("Actually, the proxy runs on port 8081.", "en"),
        ("Correction: the proxy runs on port 8081.", "en"),
        ("Remember that the proxy runs on port 8081.", "en"),
        ("Nein, der Proxy läuft auf Port 8081.", "de"),
        ("Non, le serveur écoute sur le port 8081.", "fr"),
        ("No, el servidor usa el puerto 8081.", "es"),
        ("不对，服务器的端口是8081。", "zh"),
        ("いいえ、サーバーのポートは8081です。", "ja"),
    ],
)
def test_an_opening_that_corrects_is_cut_off_and_is_a_cue(text: str, language: str) -> None:
    statement = read(text, language)
    assert statement.has_cue
    assert not statement.is_negated
    assert not statement.text.startswith(text[:2])


def test_a_word_that_could_open_a_correction_needs_a_mark_behind_it() -> None:
    assert not read("No parking is allowed here.").has_cue
    assert read("No parking is allowed here.").is_negated


@pytest.mark.parametrize(
    ("text", "language", "subject"),
    [
        ("I sing in a choir.", "en", "mara"),
        ("My choir sings on Mondays.", "en", "mara"),
        ("Ich singe im Chor.", "de", "mara"),
        ("我的合唱团很好。", "zh", "mara"),
        ("My sister sings in a choir.", "en", "mara sister"),
        ("Meine Schwester singt im Chor.", "de", "mara schwest"),
        ("Tom's sister sings in a choir.", "en", "tom sister"),
        ("Tom, Lena and I sing in a choir.", "en", "lena+mara+tom"),
        ("Lena and Tom sing in a choir.", "en", "lena+tom"),
        ("@Zed: the window stays dark.", "en", "zed"),
        ("W @Zed: the window stays dark.", "en", "zed"),
        ("@Zed: I prefer dark windows.", "en", "zed"),
        ("B @Anna Weber sings in a choir", "en", "anna weber"),
        ("Zed Editor stays dark.", "en", "zed"),
        ("The window stays dark.", "en", ""),
        ("田中さんは歌を歌います。", "ja", "田中"),
    ],
)
def test_the_subject_is_who_a_line_is_about(text: str, language: str, subject: str) -> None:
    assert read(text, language).subject == subject


def test_a_name_is_one_unit_with_the_numbers_and_links_inside_it() -> None:
    assert stems("The author of A Wizard of Earthsea is Ursula K. Le Guin.") == [
        "author", "a wizard of earthsea", "ursula k le guin"
    ]  # fmt: skip
    assert stems("Arsenal F.C. Academy plays Shakugan no Shana.") == [
        "arsenal f c academy",
        "play",
        "shakugan no shana",
    ]
    assert stems("Priya's work phone is an iPhone 12.")[-1] == "iphone 12"
    assert stems("The office network uses VLAN 40 hours.")[-2:] == ["40", "hour"]  # a unit is behind it
    assert stems("Die Lehrerin heißt Frau Voss.", "de") == ["lehr", "frau voss"]


def test_a_month_is_a_date_beside_a_number_or_a_preposition_and_else_a_name() -> None:
    assert read("The lease ends on 3 May 2027.").tokens[-1].type == "date"
    assert read("The lease ends in May.").tokens[-1].type == "date"
    assert read("May answers the billing mails.").tokens[0].type == "name"
    assert stems("The lease ends on May 3.")[-1] == stems("The lease ends on 3rd May.")[-1]


def test_every_other_week_is_one_date_and_every_friday_is_friday() -> None:
    assert read("The bin is emptied every other week.").tokens[-1].stem == "every other week"
    assert stems("The choir meets every Friday.")[-1] == stems("The choir meets on Fridays.")[-1] == "friday"
    assert read("Der Chor probt jede zweite Woche.", "de").tokens[-1].type == "date"


def test_a_number_has_its_unit_as_a_word_a_sign_or_an_ending() -> None:
    units = {
        text: next(token.unit for token in read(text).tokens if token.type == "number")
        for text in ("It takes 35 minutes.", "It costs $40.", "It answers in 200ms.", "The gym closes at 22.")
    }
    assert list(units.values()) == ["minut", "$", "ms", ""]
    assert read("It has six doors.").tokens[0].stem == "6"


@pytest.mark.parametrize(
    ("text", "language", "guard"),
    [
        ("Does the gym close at 23 now?", "en", "question"),
        ('The old page says: "The gym now closes at 23."', "en", "quotation"),
        ("If the council agrees the gym closes at 23.", "en", "hypothesis"),
        ("I wish the gym closed at 23.", "en", "wish"),
        ("In the campaign the gym closes at 23.", "en", "role play"),
        ("Tom says the gym closes at 23.", "en", "report"),
        ("The gym used to close at 23.", "en", "past"),
        ("The gym closes at 23 this week.", "en", "passing"),
        ("Wenn der Rat zustimmt, schließt die Halle um 23 Uhr.", "de", "hypothesis"),
        ("Früher schloss die Halle um 23 Uhr.", "de", "past"),
        ("Avant, la piscine fermait à 23 heures.", "fr", "past"),
        ("Ojalá la piscina cierre a las 23.", "es", "wish"),
        ("王芳以前在联想上班。", "zh", "past"),
        ("もし値段が上がれば、家賃は9万円です。", "ja", "hypothesis"),
    ],
)
def test_a_guard_says_why_a_line_asserts_nothing_about_now(text: str, language: str, guard: str) -> None:
    statement = read(text, language)
    assert statement.guard == guard
    assert not statement.signatures


@pytest.mark.parametrize(
    "text",
    [
        "Hope Solo plays for the Reign.",
        "Hope Brenner works at Allianz.",
        "Omar's favourite song is Imagine.",
        "The goalkeeper's agent is Said Karimi.",
        "Omar's favourite song is Maybe.",
        "The university where Lou Reed was educated is Syracuse University.",
    ],
)
def test_names_are_no_guards(text: str) -> None:
    assert read(text).guard == ""


def test_the_first_word_is_no_name_where_it_is_a_word_of_grammar_or_a_cue() -> None:
    assert read("Maybe Tom lives in Ulm.").guard == "hypothesis"
    assert read("Now Tom sings.").subject == read("Will Tom sings.").subject[5:] == "tom"
    assert read("Vivo en Zaragoza.", "es").tokens[0].type == "word"
    assert read("Elena vive en Granada.", "es").subject == "elena"
    assert read("Das Sommerfest ist im Juli.", "de").subject == ""


def test_a_guard_of_a_message_holds_for_its_clause_and_role_play_for_the_rest() -> None:
    context = LineContext("en", "Mara", is_talk=True)
    told = read_statements("I pay 700 euros of rent now, do you think that is a lot?", context)
    assert [statement.guard for statement in told] == ["", "question"]
    played = read_statements("Let's play a game. I live on a ship now.", context)
    assert [statement.guard for statement in played] == ["role play", "role play"]
    assert [s.guard for s in read_statements("If it rains, the commute takes 50 minutes.", context)] == [
        "hypothesis"
    ] * 2


def test_a_message_is_read_clause_by_clause_and_a_written_line_sentence_by_sentence() -> None:
    text = "Since the bridge closed, my commute takes 55 minutes by bus"
    assert read(text, is_talk=True).text == "my commute takes 55 minutes by bus"
    assert read(text).text == text
    assert len(read_statements("Tom left Airbus; he started at Siemens.", LineContext("en"))) == 2
    contrast = read("The commute takes 55 minutes now, not 35 minutes any more", is_talk=True)
    assert contrast.given_up == ("35", "minut")


@pytest.mark.parametrize(
    ("text", "language", "given_up"),
    [
        ("The dashboards read from Postgres instead of DuckDB.", "en", ("duckdb",)),
        ("The service is on 6543 now, not 5433.", "en", ("5433",)),
        ("The invoice goes not to the Hamburg branch but to the Kiel branch.", "en", ("hamburg", "branch")),
        ("The CI no longer runs on Jenkins but on Woodpecker.", "en", ("jenkin",)),
        ("The limit was raised from 3 to 5.", "en", ("3",)),
        ("Die Auswertung nutzt Postgres statt DuckDB.", "de", ("duckdb",)),
        ("Der Lohn wurde von 14 auf 15 Euro erhöht.", "de", ("14",)),
        ("Les rapports utilisent Postgres au lieu de DuckDB.", "fr", ("duckdb",)),
        ("Los informes usan Postgres en lugar de DuckDB.", "es", ("duckdb",)),
        ("周会不是在星期二，而是在星期四。", "zh", ("星期二",)),
        ("レポートはDuckDBの代わりにPostgresを使います。", "ja", ("duckdb",)),
        ("Mara drives from Ulm to Bremen every Monday.", "en", ()),
        ("Mara reads instead of watching films.", "en", ()),
        ("Jonas plays not only the cello but also the viola.", "en", ()),
    ],
)
def test_a_line_can_name_the_value_that_is_over(text: str, language: str, given_up: tuple[str, ...]) -> None:
    statement = read(text, language)
    assert statement.given_up == given_up
    assert not {token.stem for token in statement.tokens if token.type != "word"}.intersection(given_up)


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("I no longer work at Bosch.", "en"),
        ("Omar doesn't drive a Polo any more.", "en"),
        ("Ich arbeite nicht mehr bei Bosch.", "de"),
        ("Je ne travaille plus chez Bosch.", "fr"),
        ("Ya no trabajo en Bosch.", "es"),
        ("我不再在博世工作了。", "zh"),
        ("私はもうボッシュで働いていません。", "ja"),
    ],
)
def test_a_retraction_is_a_negation_with_a_word_for_any_more(text: str, language: str) -> None:
    assert read(text, language).is_retraction
    assert not read("The room has no more than 20 seats.").is_retraction


def test_an_event_is_a_simple_past_and_neither_a_passive_nor_a_change() -> None:
    assert read("Mara paid 200 euros.").is_event
    assert read("Mara walked 12 km.").is_event
    assert read("Mara hat 200 Euro bezahlt.", "de").is_event
    assert not read("Chanel was founded by Coco Chanel.").is_event
    assert not read("Tom plays the position of designated hitter.").is_event
    assert not read("Mara has moved to Basel.").is_event


def test_the_key_of_the_registry_gives_subject_value_and_one_signature_to_each_way_of_saying_it() -> None:
    written, spoken = read("Mara lives in Bern."), read("@Mara: I live in Basel.")
    assert (written.subject, written.key, written.value) == ("mara", "lives_in", "Bern")
    assert written.is_single_valued
    assert written.signatures[0] == spoken.signatures[0]
    assert read("Mara no longer lives in Bern.").key == ""  # no value of it is said


def test_signatures_depend_on_the_line_alone_and_on_no_process() -> None:
    assert read("The old lamp is green.").signatures == (1421255199663672972,)
    assert read("The proxy runs on port 8080.").signatures
    assert all(0 < one < 2**63 for one in read("The proxy runs on port 8080.").signatures)


def test_long_lines_and_many_sentences_have_no_signatures() -> None:
    context = LineContext("en")
    long = "The proxy of the staging cluster runs on port 8080 " + "and so on " * 12
    assert not any(statement.signatures for statement in read_statements(long, context))
    assert not any(s.signatures for s in read_statements("The lamp is green. " * 4, context))
    assert any(s.signatures for s in read_statements("The lamp is green. " * 3, context))
    assert not read("Jonas sings.").signatures or len(read("Jonas sings.").signatures) == 1
    many = "The " + " ".join(f"lamp{n}" for n in range(36)) + " is green"
    assert len(read(many).signatures) <= 24


@pytest.mark.parametrize("aside", ["(2022-06-27 Preferences Happy)", "[checked by Lisa]", "（丽莎说的）"])
def test_a_sentence_in_brackets_states_nothing(aside: str) -> None:
    context = LineContext(language="en")
    line = "Lisa won first place in the art competition."
    assert read_statements(f"{line} {aside}", context) == read_statements(line, context)
    assert not read_statements(aside, context)
