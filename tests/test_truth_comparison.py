"""Two statements are compared: one slot that differs, cues of change, and what asserts nothing."""

from __future__ import annotations

import pytest

from commonplace.truth import Comparison, LineContext, Verdict, compare_statements, read_statements

ORDER: tuple[Verdict, ...] = ("replaces", "conflicts", "twins", "enriches", "same", "independent")


def compare(old: str, new: str, language: str = "en", *, is_talk: bool = False) -> Comparison:
    """The strongest relation between the statements of two lines; twins and replacements share a signature."""
    context = LineContext(language=language, speaker="Mara", is_talk=is_talk)
    pairs = [(n, o) for n in read_statements(new, context) for o in read_statements(old, context)]
    results = [(ORDER.index(c.verdict), n, o, c) for n, o in pairs for c in [compare_statements(n, o)]]
    _, first, second, best = min(results, key=lambda row: row[0])
    if best.verdict in ("twins", "replaces") and not is_talk:
        assert set(first.signatures) & set(second.signatures)
    return best


@pytest.mark.parametrize(
    ("old", "new", "language"),
    [
        ("The staging database listens on port 5433.", "No, the staging database listens on 6543.", "en"),
        ("The reporting service is on 5433.", "The reporting service is on 6543 now, not 5433.", "en"),
        ("The dashboards read from DuckDB.", "The dashboards read from Postgres instead of DuckDB.", "en"),
        ("The retry limit is 3.", "The retry limit was raised from 3 to 5.", "en"),
        ("Omar drives a Polo.", "Omar doesn't drive a Polo any more.", "en"),
        ("Hope Brenner works at Allianz.", "Hope Brenner works at Siemens now.", "en"),
        ("Die Sicherung startet um 2 Uhr.", "Merk dir, dass die Sicherung um 4 Uhr startet.", "de"),
        ("Claire travaille chez Renault.", "Claire travaille maintenant chez Airbus.", "fr"),
        ("Los informes usan DuckDB.", "Los informes usan Postgres en lugar de DuckDB.", "es"),
        ("测试数据库的端口是5433。", "不对，测试数据库的端口是6543。", "zh"),
        ("佐藤さんはソニーで働いています。", "佐藤さんは今は任天堂で働いています。", "ja"),
        ("医生叫王平。", "其实，医生叫王萍。", "zh"),
        ("Das Passwort liegt im Tresor.", "Nein, das Passwort liegt in der Schublade.", "de"),
        ("Das Sommerfest ist am 4. Juli.", "Das Sommerfest wurde auf den 11. Juli verschoben.", "de"),
        ("我在博世工作。", "我不再在博世工作了。", "zh"),
        ("Trabajo en Bosch.", "Ya no trabajo en Bosch.", "es"),
        ("The project uses npm.", "The project switched from npm to pnpm.", "en"),
        ("The staging database runs on port 6431.", "The staging database moved to port 6432.", "en"),
        ("The staging database moved to port 6432.", "The staging database listens on port 6433 now.", "en"),
    ],
)
def test_a_cue_of_change_makes_a_replacement_of_one_slot_that_differs(old: str, new: str, language: str) -> None:
    assert compare(old, new, language).verdict == "replaces"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("The front door is painted green.", "The front door is painted blue."),
        ("Kofi's sport is rugby.", "Kofi's sport is rugby union."),
        ("Nadia's sport is association football.", "Nadia's sport is football."),
        ("The head of support is Priya Rao.", "The head of support is Jonas Thiele."),
        ("The cleaner comes on Tuesdays.", "The cleaner comes on Fridays."),
        ("Our company produces cans of tuna.", "Our company produces bags of rice."),
    ],
)
def test_one_slot_that_differs_without_a_cue_makes_twins(old: str, new: str) -> None:
    assert compare(old, new).verdict == "twins"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("The staging database listens on 5433.", "Does the staging database listen on 6543 now?"),
        ("The API gateway runs on port 8080.", "The API gateway used to run on port 9090."),
        ("Maybe the gym closes at 23.", "The gym closes at 22 now."),
        ("I am vegetarian.", "My sister is vegan now."),
        ("I work at Bosch.", "Priya, Jonas and I work at the food bank now."),
        ("@Lena: works at Siemens.", "@Omar: works at Airbus now."),
        ("We use Postgres for billing.", "We use Redis for queues."),  # what follows the slots differs
        ("Our team runs Postgres for billing.", "Our team runs Redis for queues."),
        ("The old neighbour smokes.", "The old neighbour drinks."),
        ("Priya uses Firefox for work.", "Priya uses slippers for work."),  # one name, one word
        ("Paul joue du violon.", "Paul joue aux échecs."),  # the preposition differs
        ("The board member repairs the piano.", "The board member repairs chess."),  # the article differs
        ("The head of state in France is Tom.", "The head of state in Spain is Tom."),  # a copula behind the slot
        ("Mara lives in Ulm.", "Mara drives from Ulm to Bremen every Monday."),
        ("The lamp is green.", "The lamp was blue."),  # what is over is not newer
        ("Kofi lives in Accra.", "Kofi lived in Kumasi in 2015."),
        ("The team meeting is on Tuesday.", "The team meeting is on level 3."),
    ],
)
def test_lines_of_two_things_are_independent(old: str, new: str) -> None:
    language = "fr" if "joue" in old else "en"
    assert compare(old, new, language).verdict == "independent"


@pytest.mark.parametrize(
    ("old", "new", "language"),
    [
        ("The team is in Berlin.", "The team is in good shape now.", "en"),  # a name and words
        ("Lena likes coffee.", "Actually, Lena likes tea.", "en"),  # a key of many values
        ("Tom is allergic to nuts.", "Remember that Tom is allergic to cats.", "en"),
        ("The corner shop sells bread.", "The corner shop now sells cheese too.", "en"),  # one more
        ("Mara paid 200 euros for the tyres.", "Actually, Mara paid 500 euros for the tyres.", "en"),  # an event
    ],
)
def test_a_cue_orders_and_does_not_end_what_it_cannot(old: str, new: str, language: str) -> None:
    assert compare(old, new, language).verdict == "twins"


def test_the_spans_that_differ_are_told_with_their_type() -> None:
    compared = compare("The proxy runs on port 8080.", "The proxy now runs on port 8081.")
    assert (compared.old_span, compared.new_span, compared.reason) == ("8080", "8081", "key:port")
    compared = compare("The head of support is Priya Rao.", "The head of support is Jonas Thiele.")
    assert (compared.old_span, compared.new_span, compared.reason) == ("Priya Rao", "Jonas Thiele", "slot:name")
    compared = compare("The choir meets on Mondays.", "The choir meets every Friday now.")
    assert (compared.old_span, compared.new_span, compared.reason) == ("Mondays", "Friday", "slot:date")


def test_a_key_of_one_value_replaces_without_a_cue_and_however_it_is_said() -> None:
    for old in ("Mara lives in Bern.", "@Mara: I live in Bern.", "I live in Bern."):
        assert compare(old, "Mara has moved to Basel.").verdict == "replaces"
        assert compare(old, "Mara lives in Basel.").reason == "key:lives_in"
        assert compare(old, "Mara lives in Bern.").verdict == "same"


@pytest.mark.parametrize(
    ("old", "new", "verdict"),
    [
        ("Mara plays chess.", "Mara no longer plays chess.", "replaces"),
        ("Mara plays the piano.", "Mara no longer plays chess.", "independent"),
        ("Mara plays the piano.", "Mara plays the flute instead of the piano.", "replaces"),
        ("Mara plays chess.", "Mara plays the flute instead of the piano.", "twins"),
        ("Mara plays the piano.", "Mara plays the flute now.", "twins"),
        ("Mara plays the piano.", "Mara lives in Bern now.", "independent"),
        ("Mara lives in Bern.", "Mara plays the piano now.", "independent"),
    ],
)
def test_of_many_values_only_the_one_that_is_given_up_ends(old: str, new: str, verdict: Verdict) -> None:
    assert compare(old, new).verdict == verdict


def test_a_number_may_stand_in_another_order_and_behind_another_noun() -> None:
    assert compare("Die Sicherung startet um 2 Uhr.", "Um 4 Uhr startet die Sicherung.", "de").verdict == "twins"
    assert compare("The probe reports on channel 5433.", "The probe reports on 6543.").verdict == "twins"
    assert compare("Mara ate 3 apples.", "Mara bought 5 apples.").verdict == "independent"


@pytest.mark.parametrize(
    ("old", "new", "verdict"),
    [
        ("My commute takes 35 minutes by bus.", "my commute now takes 55 minutes by bus.", "replaces"),
        ("My commute takes 35 minutes by bus.", "my commute takes 55 minutes by bus.", "twins"),  # no cue
        ("My gym in the old town closes at 22.", "My gym in the old town now closes at 23.", "independent"),  # no unit
        (
            "My commute takes 35 minutes by bus.",
            "Now listen to me carefully: my commute takes 55 minutes by bus.",
            "twins",
        ),
        ("I live in Leipzig.", "I moved to Halle.", "twins"),
        ("I work at Bosch.", "I no longer work at Bosch.", "twins"),
        ("I take 50 mg of iron every morning.", "I take 75 mg of iron every morning now, not 50 mg.", "replaces"),
        ("My rent in the old town is 700 euros.", "My rent in the old town is 800 dollars now.", "independent"),
        ("My rent in the old town is 700 euros.", "My rent in the old town is 800 euros now too.", "twins"),
        ("I have 3 apples.", "I buy 5 apples now.", "independent"),
        ("The dashboards read from DuckDB.", "The dashboards read from Postgres instead of DuckDB.", "twins"),
        ("Mein Weg dauert 30 Minuten.", "Seit Mai dauert mein Weg nicht mehr 30, sondern 50 Minuten.", "replaces"),
        ("Tom reads books with Lena.", "Tom never reads books.", "independent"),
    ],
)
def test_in_talk_only_a_number_with_its_unit_and_a_cue_in_one_clause_ends_a_line(
    old: str, new: str, verdict: Verdict
) -> None:
    assert compare(old, new, "de" if "Weg" in old else "en", is_talk=True).verdict == verdict


def test_a_retraction_ends_a_line_and_a_bare_contradiction_is_a_conflict() -> None:
    assert compare("I work at Bosch in the lab.", "I no longer work at Bosch.").reason == "retraction"
    assert compare("Omar drives a Polo.", "Omar doesn't drive a Polo.").verdict == "conflicts"
    assert compare("Omar drives a Polo.", "Omar doesn't drive a Golf any more.").verdict == "independent"
    assert compare("Tom works at Bosch.", "My sister no longer works at Bosch.").verdict == "independent"


def test_of_two_values_that_do_not_hold_none_is_the_newer_one() -> None:
    assert compare("Mara no longer plays the piano.", "Mara no longer works at Zeiss.").verdict == "independent"
    assert compare("Omar doesn't eat meat.", "Omar doesn't eat fish now.").verdict == "independent"


def test_the_value_given_up_is_looked_for_in_a_line_that_shares_the_rest() -> None:
    new = "The dashboards read from Postgres instead of DuckDB."
    assert compare("The dashboards read from DuckDB.", new).reason == "given up"
    assert compare("The nightly reports export to DuckDB.", new).verdict == "independent"
    raised = compare("Die Miete liegt bei 800 Euro.", "Die Miete wurde von 800 auf 850 Euro erhöht.", "de")
    assert (raised.reason, raised.old_span, raised.new_span) == ("given up", "800", "850")


def test_the_same_content_is_the_same_and_more_of_it_enriches() -> None:
    assert compare("The proxy runs on port 8080.", "By the way, the proxy is running on port 8080!").verdict == "same"
    fuller = "The staging proxy runs in the cellar behind nginx."
    assert compare("The staging proxy runs in the cellar.", fuller).verdict == "enriches"
    assert compare(fuller, "The staging proxy runs in the cellar.").verdict == "independent"
    assert compare("Tom sings.", "Tom sings in a choir.").verdict == "independent"  # too little to tell
    assert compare("The staging proxy runs in the cellar.", f"{fuller[:-1]} on 3 cores.").verdict == "independent"
    assert compare("The staging proxy runs in the cellar.", f"Now {fuller}").verdict == "independent"
    assert compare("Jonas plays the cello.", "Jonas plays not only the cello but also the viola.").verdict == "enriches"


def test_another_name_and_another_predicate_are_two_differences() -> None:
    port, theme = "The admin console of Zed listens on port 9443.", "The admin console of Wim has a dark theme."
    assert compare(theme, port).verdict == compare(port, theme).verdict == "independent"
    assert compare("The author of the report is Ana Lee.", "The author of the report is Bo Chen.").reason == "slot:name"


@pytest.mark.parametrize(
    ("old", "new", "language"),
    [
        ("The alarm is on.", "The alarm is off.", "en"),
        ("Only Ana has the key to the cellar.", "Ana has the key to the cellar.", "en"),
        ("Deploy before the review of the team.", "Deploy after the review of the team.", "en"),
        ("Der Alarm ist an.", "Der Alarm ist aus.", "de"),
        ("I prefer tea over coffee.", "I prefer coffee over tea.", "en"),
        ("The importer calls the parser twice.", "The parser calls the importer twice.", "en"),
        ("The key is in the drawer.", "The key is behind the drawer.", "en"),
        ("The meeting is at noon.", "The meeting is after noon.", "en"),
        ("Zed has 2 cats and 3 dogs.", "Zed has 3 cats and 2 dogs.", "en"),
    ],
)
def test_the_same_words_on_another_side_or_arranged_otherwise_say_something_else(
    old: str, new: str, language: str
) -> None:
    assert compare(old, new, language).verdict not in ("same", "enriches")


def test_a_date_may_stand_elsewhere_in_the_same_sentence() -> None:
    assert compare("On 4 May the garden opens.", "The garden opens on 4 May.").verdict == "same"
    assert compare("Mara works at Bosch.", "Mara works for Bosch.").verdict == "same"
