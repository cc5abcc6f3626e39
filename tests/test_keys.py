"""The key of a statement is read from the aliases of the registry, and its subject is resolved."""

from __future__ import annotations

from pathlib import Path

import pytest

from commonplace import Memory
from commonplace.extract.key_registry import KeyDefinition, packaged_registry
from commonplace.model import Record
from commonplace.sync import relations
from commonplace.truth import LineContext, Vocabulary
from commonplace.truth.keys import read_key
from commonplace.truth.vocabulary import NameTable, build_name_table, resolve_subject

NAMES = build_name_table("Mara", [("Mara", ["Mimi", "Mara Keller"]), ("Ana", ["Annie"]), ("Anna", ["Annie"])])


def key_of(text: str, subject: str = "", **around: object) -> tuple[str, str, str] | None:
    keyed = read_key(text, LineContext(**({"language": "en", "names": NAMES} | around)), subject)  # type: ignore[arg-type]
    return keyed and (keyed.subject, keyed.key, keyed.value)


@pytest.mark.parametrize(
    ("text", "around"),
    [
        ("Mara lives in Bern.", {}),
        ("@Mara: I live in Bern.", {"entities": ("Mara",)}),
        ("Mara: Bern", {"heading": ("People", "Homes")}),
        ("I live in Bern.", {"speaker": "Mara"}),
        ("I live in Bern.", {"speaker": "owner"}),
        ("You live in Bern.", {"speaker": "assistant"}),
        ("Mimi lives in Bern with Tom.", {}),
        ("Mara has moved to Bern.", {}),
        ("Mara's home is Bern.", {}),
        ("The home of Mara is Bern.", {}),
        ("- Home: Bern", {"heading": ("Mara",)}),
        ("Home: Bern", {"entities": ("Mara",)}),
        ("Lives in Bern.", {"entities": ("Mara",)}),
        ("Mara wohnt jetzt in Bern.", {"language": "de"}),
        ("Ich bin nach Bern gezogen.", {"language": "de", "speaker": "Mara"}),
        ("J'habite à Bern.", {"language": "fr", "speaker": "Mara"}),
        ("Vivo en Bern.", {"language": "es", "speaker": "Mara"}),
        ("我搬到Bern了。", {"language": "zh", "speaker": "Mara"}),
        ("私はBernに住んでいます。", {"language": "ja", "speaker": "Mara"}),
    ],
)
def test_every_form_of_a_home_has_one_key(text: str, around: dict[str, object]) -> None:
    assert key_of(text, **around) == ("mara", "lives_in", "Bern")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The staging DB listens on port 6432.", ("staging db", "port", "6432")),
        ("The port of the staging DB is 6432 now.", ("staging db", "port", "6432")),
        ("The staging DB port is 6432.", ("staging db", "port", "6432")),
        ("The budget of the roof is 12,000 euros.", ("roof", "budget", "12,000 euros")),
        ("The budget of the roof is 1.200,50 euros, as he said.", ("roof", "budget", "1.200,50 euros")),
        ("The budget of the roof is 12'000.", ("roof", "budget", "12'000")),
        ("Yes, Lena's phone number is 0421 5550112.", ("lena", "phone", "0421 5550112")),
        ("Mara's e-mail is mara@example.org.", ("mara", "email", "mara@example.org")),
        ("The wiki is hosted at db1.example.org now.", ("wiki", "host", "db1.example.org")),
        ("Mara's sister lives in Ulm.", ("mara sister", "lives_in", "Ulm")),
        ("Kofi works as a backend developer at Bosch.", ("kofi", "occupation", "backend developer")),
    ],
)
def test_subject_key_and_value_are_separated(text: str, expected: tuple[str, str, str]) -> None:
    assert key_of(text) == expected


def test_a_thing_on_the_line_of_an_entity_is_that_entitys() -> None:
    assert key_of("@Zed: the editor server uses port 7443.", entities=("Zed",)) == ("zed editor server", "port", "7443")


def test_a_thing_of_a_name_is_the_thing_that_the_name_has() -> None:
    expected = ("zed admin console", "port", "7443")
    for text, entities in (
        ("The admin console of Zed listens on port 7443.", ()),
        ("The admin console of Zed listens on port 7443.", ("Zed",)),
        ("Zed's admin console listens on port 7443.", ()),
        ("The admin console listens on port 7443.", ("Zed",)),
    ):
        assert key_of(text, entities=entities) == expected, (text, entities)


@pytest.mark.parametrize(
    "text",
    [
        "The port is not 6432.",
        "Mara used to live in Ulm.",
        "Mara does not live in Ulm.",
        "If Mara lives in Bern, fine.",
        "Priya, Jonas and I work at the food bank.",
        "Mara moved to the Premier Inn at the airport.",
        "Mara moved to Ulm for two nights.",
        "I would like to live near Bern.",
        "My sister is vegan.",
        "The river is long.",
        "Note: buy milk",
        "Mara:",
    ],
)
def test_what_states_no_value_of_a_key_has_none(text: str) -> None:
    assert key_of(text, speaker="Tom", heading=("Ideas",)) is None


def test_a_subject_is_resolved_by_speaker_name_and_alias_only() -> None:
    for subject, speaker, expected in (
        ("I", "Tom", "tom"),
        ("My sister", "Tom", "tom sister"),
        ("我", "Tom", "tom"),
        ("you", "agent", "mara"),
        ("you", "Tom", "you"),
        ("I", "", "mara"),
        ("Mimi's sister", "", "mara sister"),
        ("The staging DB", "Tom", "staging db"),
        ("she", "Tom", "she"),
        ("Annie", "", "annie"),  # an alias of two
    ):
        assert resolve_subject(subject, speaker, NAMES) == expected, subject
    assert resolve_subject("I", "", NameTable()) == "i"
    assert NAMES.names_of("Mimi") == {"mara", "mimi", "mara keller"}


def test_an_alias_may_be_what_the_owner_calls_somebody() -> None:
    names = build_name_table("Mara", [("Lena", ["Leni", "my daughter"])])
    for subject in ("My daughter", "my daughter Lena", "My daughter Leni", "Leni"):
        assert resolve_subject(subject, "", names) == "lena", subject
    assert resolve_subject("My daughter Ada", "", names) == "mara daughter ada"
    assert resolve_subject("My daughter", "Tom", names) == "tom daughter"


def test_an_alias_of_an_alias_is_the_name_at_the_end() -> None:
    names = build_name_table("", [("Mara", ["Mimi"]), ("Mara Keller", ["Mara"])])
    assert names.resolve("Mimi") == names.resolve("Mara") == "mara keller"
    names = build_name_table("", [("C", ["A"]), ("B", ["C"]), ("C", ["B"])])
    assert names.resolve("A") == names.resolve("B") == names.resolve("C") == "b"


def test_cardinality_is_that_of_the_registry_or_unknown() -> None:
    registry = packaged_registry()
    for key, cardinality in (
        ("lives_in", "one"),
        ("staging_port", "one"),
        ("favorite_color", "one"),
        ("speaks", "many"),
        ("child", "many"),
        ("citizen", "many"),
        ("works_in", "many"),
        ("mood", "unknown"),
        ("old_home", "unknown"),
    ):
        assert registry.cardinality(key) == cardinality, key


def test_keys_that_are_added_replace_those_of_the_same_name_and_their_aliases_those_of_others() -> None:
    gate = KeyDefinition("one", "word", aliases={"en": ("gate", "leaves from …", "home")})
    registry = packaged_registry().with_keys({"gate": gate, "speaks": KeyDefinition("one", "name")})
    assert key_of("The night train leaves from Altona.", registry=registry) == ("night train", "gate", "Altona")
    assert (registry.cardinality("speaks"), registry.find("home"), registry.find("port")) == ("one", "gate", "port")


def test_lines_and_captures_are_read_again_when_names_or_keys_change(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[tuple[str, str, str]] = []

    def spy(record: Record, vocabulary: Vocabulary) -> tuple[()]:
        names, registry = vocabulary.names, vocabulary.registry
        read.append((record.text, names.resolve("mimi"), registry.cardinality("mood") if registry else ""))
        return ()

    monkeypatch.setattr(relations, "read_record_statements", spy)
    (tmp_path / "memory").mkdir()
    (tmp_path / "bank/entities").mkdir(parents=True)

    def lines_read() -> set[tuple[str, str, str]]:
        read.clear()
        with Memory.open(tmp_path) as memory:
            memory.recall("Bern")
        return set(read)

    with Memory.open(tmp_path) as memory:
        memory.capture("Mimi has a cold.", ts="2026-01-05T08:00")
    (tmp_path / "a.md").write_text("Mimi lives in Bern.\n", encoding="utf-8")  # a first capture may index all there is
    texts = {"Mimi lives in Bern.", "Mimi has a cold."}
    assert lines_read() == {(text, "mimi", "unknown") for text in texts}
    assert lines_read() == set()
    (tmp_path / "memory/aliases.yaml").write_text("Mara: [Mimi]\n", encoding="utf-8")
    assert lines_read() == {(text, "mara", "unknown") for text in texts}
    (tmp_path / "memory/predicates.yaml").write_text("mood: {values: one}\n", encoding="utf-8")
    assert lines_read() == {(text, "mara", "one") for text in texts}
    (tmp_path / "memory/aliases.yaml").unlink()
    (tmp_path / "bank/entities/Mara-Keller.md").write_text("---\naliases: [Mimi]\n---\n", encoding="utf-8")
    assert lines_read() == {(text, "mara keller", "one") for text in texts}
    (tmp_path / "a.md").write_text("Mimi is here.\n", encoding="utf-8")
    assert lines_read() == {("Mimi is here.", "mara keller", "one")}  # the names are those of the index


def test_check_lists_what_cannot_be_read_of_names_and_keys(tmp_path: Path) -> None:
    (tmp_path / "memory").mkdir()
    (tmp_path / "memory/predicates.yaml").write_text("mood: {values: several}\n", encoding="utf-8")
    with Memory.open(tmp_path) as memory:
        (problem,) = memory.check().problems
        assert (problem.code, problem.path, problem.line) == ("bad-vocabulary", "memory/predicates.yaml", 1)
        (tmp_path / "memory/predicates.yaml").write_text("mood: {values: many}\n", encoding="utf-8")
        assert memory.check().problems == ()


def test_what_is_wrong_in_them_is_said_in_full(tmp_path: Path) -> None:
    (tmp_path / "memory").mkdir()
    (tmp_path / "memory/aliases.yaml").write_text("Lena: [Leni]\nAda: {a: b}\nMagdalena: [leni]\n", encoding="utf-8")
    keys = "gate:\n  kind: colour\nspeaks: many\ndesk: {size: 3}\n"
    (tmp_path / "memory/predicates.yaml").write_text(keys, encoding="utf-8")
    with Memory.open(tmp_path) as memory:
        assert [(one.line, one.message) for one in memory.check().problems] == [
            (2, "the aliases of 'Ada' must be a list"),
            (3, "'leni' is an alias of 'Lena' and 'Magdalena', so of neither"),
            (1, "`kind` of the key 'gate' must be number or date or name or word, not 'colour'"),
            (3, "the key 'speaks' has none of the fields `values`, `kind` and `aliases`"),
            (4, "`size` of the key 'desk' is no field of a key"),
        ]
