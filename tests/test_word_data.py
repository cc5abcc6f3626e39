"""The word data: every file fits its types, no file has an unknown table, and each is read once."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import msgspec
import pytest

import commonplace
from commonplace.extract import languages as extract_languages
from commonplace.extract.languages import PatternFilter, expand_word_lists, loosen_pattern
from commonplace.extract.statements import split_statements
from commonplace.language import word_data
from commonplace.language.word_data import LANGUAGES

FOLDER = Path(commonplace.__file__).parent / "data" / "languages"
SHARED: dict[str, Callable[[], object]] = {
    **{
        name: partial(word_data.load_word_table, "shared", name)
        for name in ("function_words", "standing_words", "large_number_words", "tool_words")
    },
    **{
        name: partial(word_data.load_shared_words, name)
        for name in ("first_person_words", "second_person_words", "number_words")
    },
    "abbreviations": partial(word_data.load_word_list, "shared", "abbreviations"),
}
TABLES: dict[str, Callable[[str], object]] = {
    **{
        name: partial(word_data.load_word_table, name=name)
        for name in (
            "word_forms",
            "question_cues",
            "labelled_phrases",
            "deictic_words",
            "question_templates",
            "change_words",
        )
    },
    **{
        name: partial(word_data.load_word_list, name=name)
        for name in ("light_words", "time_verbs", "character_variants", "question_words")
    },
    "hyponyms": word_data.load_hyponyms,
    "time_words": lambda language: word_data.load_time_words()[LANGUAGES.index(language)],
    "session_words": lambda language: word_data.load_session_words()[LANGUAGES.index(language)],
}
TEXTS = Path(__file__).parent / "data" / "extraction"
RULED = sorted(path.stem for path in (FOLDER / "claim_rules").iterdir())


def written(name: str) -> dict[str, object]:
    def without_repeats(pairs: list[tuple[str, object]]) -> dict[str, object]:
        assert len(dict(pairs)) == len(pairs), f"{name}: a key stands twice"
        return dict(pairs)

    tables: dict[str, object] = json.loads((FOLDER / f"{name}.json").read_bytes(), object_pairs_hook=without_repeats)
    return tables


def rule_patterns(language: str, about: str = "") -> Iterator[str]:
    """All patterns, or those of the rules about something, with their word lists."""
    grammar = extract_languages.load_grammar(language)
    rows = [row[-1] for row in grammar.rules if about in ("", row[2])]
    others = () if about else (*grammar.relations, *grammar.standing, *grammar.noise)
    return (expand_word_lists(pattern, language) for pattern in (*rows, *others))


def test_each_language_has_one_file_and_no_file_is_left_over() -> None:
    others = {"README.md", "shared.json", "claim_rules"}
    assert {path.name for path in FOLDER.iterdir()} == {*others, *(f"{language}.json" for language in LANGUAGES)}


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_file_has_known_tables_only_and_each_of_them_has_its_type(language: str) -> None:
    tables = written(language)
    assert set(tables) <= set(TABLES)
    assert {name for name, load in TABLES.items() if load(language)} == set(tables)


def test_the_shared_file_has_known_tables_only_and_each_of_them_has_its_type() -> None:
    assert set(written("shared")) == set(SHARED)
    assert all(load() for load in SHARED.values())


@pytest.mark.parametrize("language", RULED)
def test_claim_rules_have_known_tables_and_every_pattern_compiles(language: str) -> None:
    assert language in extract_languages.LANGUAGES
    assert set(written(f"claim_rules/{language}")) <= set(extract_languages.Grammar.__struct_fields__)
    grammar = extract_languages.load_grammar(language)
    assert {"remember", "preference", "decision", "relation", "error_fix", "dead_end"} == {
        row[0] for row in grammar.rules
    }
    assert {"instruction", "allergy"} <= {row[3] for row in grammar.rules}
    assert all("name" in compiled.groupindex for compiled in map(re.compile, rule_patterns(language, about="name")))
    for pattern in (
        *map(partial(expand_word_lists, language=language), grammar.words.values()),
        *rule_patterns(language),
    ):
        re.compile(pattern)


@pytest.mark.parametrize("language", RULED)
def test_claim_rules_use_every_word_list(language: str) -> None:
    grammar = extract_languages.load_grammar(language)
    rows = (row[-1] for row in grammar.rules)
    patterns = (*grammar.words.values(), *grammar.relations, *grammar.standing, *grammar.noise, *rows)
    used = {"lead", "passing", *re.findall(r"(?<!\?P)<([a-z]+)>", "".join(patterns))}
    assert set(grammar.words) == used


HOSTILE = (
    "a, " * 200, "i " * 300, "the " * 150, "不" * 600, "error " * 100, "-" * 600, "my not is " * 60, "was " * 150,
)  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("language", RULED)
def test_every_rule_of_every_language_is_linear(language: str) -> None:
    words = extract_languages.load_grammar(language).words
    for pattern in (*rule_patterns(language), words["lead"], words["passing"]):
        compiled = re.compile(pattern)
        for text in HOSTILE:
            begun = time.process_time()
            compiled.match(text[:600])
            assert time.process_time() - begun < 0.1, (pattern[:60], text[:10])


SENTENCES = {
    language: [
        statement.low
        for path in sorted(TEXTS.rglob("*.jsonl"))
        for line in path.read_text("utf-8").splitlines()
        if (row := json.loads(line))["lang"] == language
        for statement in split_statements(row["text"], language)
    ]
    for language in RULED
}


@pytest.mark.parametrize("language", RULED)
def test_no_pattern_that_fits_is_left_untried_and_few_are_tried(language: str) -> None:
    patterns = list(rule_patterns(language))
    compiled, pattern_filter = [*map(re.compile, patterns)], PatternFilter(patterns)
    tried = 0
    for text in SENTENCES[language]:
        numbers = pattern_filter.match(text)
        assert numbers == sorted(numbers)
        fitting = {number for number, pattern in enumerate(compiled) if pattern.search(text)}
        assert fitting <= set(numbers), (text, fitting.difference(numbers))
        tried += len(numbers)
    assert len(SENTENCES[language]) > 100
    assert tried < 0.2 * len(compiled) * len(SENTENCES[language])


def test_a_pattern_is_loosened_to_the_words_that_it_needs() -> None:
    assert loosen_pattern(r"(?!no\b(?:x|y))(?=.*a)b{2,3}(?<!c)[a-z]\(?[sz](?P<n>d)\{[)(]") == r"b*.\(?[sz](?P<n>d)\{."
    words = PatternFilter([r"(?:.{0,9}\b)?(?:always|never) .{3,}", r"\w+", r"(?!x).*\ballerg(?:y|ic)\b", "过敏"])
    assert words.match("we never eat") == [0, 1]
    assert words.match("Allergy, \ud800 my 过敏") == [1, 2, 3]


def test_the_claim_rules_of_a_language_are_read_alone_and_once(monkeypatch: pytest.MonkeyPatch) -> None:
    reads: list[str] = []
    read = word_data.read_language_data
    monkeypatch.setattr(extract_languages, "read_language_data", lambda name: reads.append(name) or read(name))
    extract_languages.load_grammar.cache_clear()
    for _ in range(2):
        extract_languages.load_grammar("de")
    assert reads == ["claim_rules/de"]


def test_a_claim_rule_of_an_unknown_type_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    file = b'{"words": {}, "relations": [], "rules": [["rumour", "", "", "", ["x"]]]}'
    monkeypatch.setattr(extract_languages, "read_language_data", {"claim_rules/de": file}.__getitem__)
    extract_languages.load_grammar.cache_clear()
    with pytest.raises(msgspec.ValidationError, match="rumour"):
        extract_languages.load_grammar("de")


def test_the_readme_explains_every_table() -> None:
    readme = (FOLDER / "README.md").read_text("utf-8")
    tables = (*SHARED, *TABLES, *extract_languages.Grammar.__struct_fields__)
    assert [name for name in tables if f"`{name}`" not in readme] == []


@pytest.mark.parametrize("path", sorted(FOLDER.rglob("*.json")), ids=lambda path: path.name)
def test_a_person_can_read_and_extend_a_file(path: Path) -> None:
    lines = path.read_text("utf-8").splitlines()
    assert max(map(len, lines)) < 400
    assert not [line for line in lines if re.search(r"(?<!\\)\\u|\S  ", line)]


def test_a_word_list_may_name_another() -> None:
    month = extract_languages.load_grammar("en").words["month"]
    assert "<month>" in extract_languages.load_grammar("en").words["day"]
    assert month in expand_word_lists("until <day>", "en")


def test_a_table_of_another_type_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(word_data, "read_language_data", {"en": b'{"light_words": "day week"}'}.__getitem__)
    word_data._language_tables.cache_clear()
    with pytest.raises(msgspec.ValidationError, match="array"):
        word_data.load_word_list("en", "light_words")
    word_data._language_tables.cache_clear()


def test_a_language_without_a_file_has_empty_tables() -> None:
    assert word_data.load_word_list("ko", "light_words") == []
    assert word_data.load_word_table("../languages/en", "labelled_phrases") == {}


def test_no_file_is_read_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    reads: list[str] = []
    read = word_data.read_language_data
    monkeypatch.setattr(word_data, "read_language_data", lambda name: reads.append(name) or read(name))
    for cached in vars(word_data).values():
        if hasattr(cached, "cache_clear"):
            cached.cache_clear()
    for load in SHARED.values():
        load()
    for language in LANGUAGES:
        for load_table in (*TABLES.values(), word_data.load_all_words):
            load_table(language)
    assert sorted(reads) == sorted(("shared", *LANGUAGES))
