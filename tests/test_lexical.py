"""The lexical lane reads what can be among the best and little more, and finds the very same as if it read all."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable
from itertools import accumulate
from pathlib import Path

import pytest

from commonplace import Memory
from commonplace.index import AllOf, Filter, Index, TokenQuery
from commonplace.index import repeated_token_marker as held_again
from commonplace.language.text import QueryTerm
from commonplace.retrieval.recall import lexical
from commonplace.retrieval.recall.score_bounds import (
    IndexedTerm,
    LengthNorm,
    ScoreBounds,
)
from tests.support.counting import sql_steps
from tests.support.indexes import bm25, made, read_by, rows


def spoken(chance: random.Random, words: int, lines: int) -> list[str]:
    """Lines of words that are the commoner the lower their number is."""
    weights = list(accumulate(1 / rank for rank in range(3, words + 3)))
    names = [f"w{number}" for number in range(words)]
    return [" ".join(chance.choices(names, cum_weights=weights, k=chance.randint(4, 30))) for _ in range(lines)]


def index_of(folder: Path, lines: Iterable[str], above: str = "") -> Index:
    """An index of one file, which holds these lines."""
    return made(folder, {"a.md": above + "".join(f"- {line}\n" for line in lines)})


def terms_of(*numbers: int) -> tuple[QueryTerm, ...]:
    return tuple(QueryTerm(f"w{number}", (f"w{number}",)) for number in numbers)


def asked_by(index: Index, monkeypatch: pytest.MonkeyPatch) -> list[TokenQuery]:
    """What the full text is asked for from here on."""
    asked: list[TokenQuery] = []
    matching = index.matching_rows

    def noted(wanted: TokenQuery, at_most: int = -1) -> list[int]:
        asked.append(wanted)
        return matching(wanted, at_most)

    monkeypatch.setattr(index, "matching_rows", noted)
    return asked


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_the_best_by_many_words_are_those_of_bm25_over_every_line(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    titles = [f"# w{chance.randrange(40)} w{chance.randrange(40)}\n\n" for _ in range(12)]
    lines = spoken(chance, 400, 2400)
    files = {f"{n}.md": title + "".join(f"- {line}\n" for line in lines[n::12]) for n, title in enumerate(titles)}
    index = made(tmp_path, files)
    held = [(row, Counter(row.tokens.split()), Counter(row.context.split())) for row in rows(index)]
    for size in (2, 4, 7, 9, 14, 45):
        terms = terms_of(*chance.sample(range(90), size))
        if size % 2:
            terms = (
                *terms[1:],
                QueryTerm("some", ("w1", "w2", "w3")),
                QueryTerm("any", tuple(f"w{n}" for n in range(4, 11))),
            )
        expected = bm25(held, terms)
        ordered = sorted(expected.values(), reverse=True)
        for k, share in ((10, 0.0), (100, 0.0), (100, 0.4)):
            least = max(ordered[k - 1], share * ordered[0]) - 1e-9
            answer = lexical.search_bm25(
                index,
                lexical.Bm25Scorer(index, terms),
                Filter(),
                lexical.SearchLimits(k=k, enough_matches=9, min_share=share),
            )
            assert answer == pytest.approx({row: score for row, score in expected.items() if score >= least}, abs=1e-9)


@pytest.mark.slow
def test_of_many_common_words_hardly_more_lines_are_read_than_are_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = spoken(random.Random(6), 400, 6000)
    index = index_of(tmp_path, lines)
    terms = terms_of(12, 15, 18, 25, 31, 40, 44, 60)
    holding = {row for term in terms for row in index.matching_rows(term.forms[0])}
    read = read_by(index, monkeypatch)
    assert len(lexical.search_bm25(index, lexical.Bm25Scorer(index, terms), Filter(), lexical.SearchLimits(k=50))) >= 50
    assert len(holding) > 2500
    assert len(read) < 800


@pytest.mark.slow
def test_few_bars_are_asked_for_where_a_question_has_several_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = spoken(random.Random(7), 400, 6000)
    index = index_of(tmp_path, lines)
    asked = asked_by(index, monkeypatch)
    for numbers in ((12, 15, 18, 25, 31, 40, 44, 60), (5, 9, 70, 99, 140, 200, 220), (2, 3, 4, 6, 8, 10, 13)):
        lexical.search_bm25(index, lexical.Bm25Scorer(index, terms_of(*numbers)), Filter(), lexical.SearchLimits(k=100))
    assert len(asked) <= 12, "four times each"


@pytest.mark.slow
def test_the_very_best_tell_first_what_is_not_even_looked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    numbers = range(30, 36)
    whole = " ".join(f"w{number}" for number in numbers)
    index = index_of(tmp_path, [*spoken(random.Random(8), 300, 4000), *[whole] * 3])
    read = read_by(index, monkeypatch)
    answer = lexical.search_bm25(
        index,
        lexical.Bm25Scorer(index, terms_of(*numbers)),
        Filter(),
        lexical.SearchLimits(k=100, enough_matches=3, min_share=0.75),
    )
    assert {kept.record.text for kept in index.fetch(answer).values()} == {whole}
    assert len(read) < 40


@pytest.mark.slow
def test_lines_that_hold_less_than_was_looked_for_before_are_passed_over_for_their_length(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    padding = [" ".join(f"x{number}" for number in range(length)) for length in range(60)]
    lines = [f"rare often {padding[at]}" for at in range(20)] + [f"rare {padding[at % 60]}" for at in range(1500)]
    lines += [f"often {padding[at % 60]}" for at in range(3000)]
    index = index_of(tmp_path, lines)
    read = read_by(index, monkeypatch)
    terms = (QueryTerm("rare", ("rare",)), QueryTerm("often", ("often",)))
    assert len(lexical.search_bm25(index, lexical.Bm25Scorer(index, terms), Filter(), lexical.SearchLimits(k=60))) < 100
    assert len(read) < 350


@pytest.mark.slow
def test_whatever_reaches_a_bar_holds_what_is_looked_for_and_is_not_too_long() -> None:
    chance = random.Random(11)
    norm = LengthNorm(0.36, 0.01)
    for _ in range(400):
        bounds = [
            chance.choice((0.3, 1.0, 3.0, 6.0, 9.0)) * chance.uniform(0.8, 1.2) for _ in range(chance.randint(1, 9))
        ]
        words = [some_word(f"w{place}", chance.choice((1, 1, 2, 6)), bound) for place, bound in enumerate(bounds)]
        gains = ScoreBounds(words, norm)
        need, below = chance.uniform(0.1, 0.8) * gains.total_bound, chance.uniform(0.5, 1.0) * gains.total_bound
        reaching, again = gains.query_reaching(need), gains.query_repeated(need)
        most = gains.bound_by_length(need, below)
        for _ in range(30):
            held = Counter(chance.choices([form for word in words for form in word.forms], k=chance.randint(1, 12)))
            tokens = {*held, *(held_again(form) for form, count in held.items() if count > 1)}
            counts = [sum(held[form] for form in word.forms) for word in words]
            length = max(sum(counts), chance.randint(1, 60))
            score, gained = bm25_of(words, counts, norm.at_length(length)), gained_by(words, counts, norm)
            assert gained < need or (reaching is not None and holds(tokens, reaching))
            if need <= gained <= below and not (again is not None and holds(tokens, again)):
                assert score <= most(length)


def some_word(name: str, forms: int, bound: float) -> IndexedTerm:
    stored = tuple(f"{name}{form}" for form in range(forms))
    return IndexedTerm(stored, stored, 10, 1.0, bound / (lexical.K1 + 1), bound)


def bm25_of(words: list[IndexedTerm], counts: list[int], norm: float) -> float:
    return sum(word.max_gain * count / (count + norm) for word, count in zip(words, counts, strict=True) if count)


def gained_by(words: list[IndexedTerm], counts: list[int], norm: LengthNorm) -> float:
    """What a record gains as short as can be, if it holds without end what it holds again."""
    shortest = 1 + norm.at_length(1)
    return sum(
        word.max_gain if count > 1 else word.max_gain / shortest
        for word, count in zip(words, counts, strict=True)
        if count
    )


def holds(tokens: set[str], wanted: TokenQuery) -> bool:
    if isinstance(wanted, str):
        return wanted in tokens
    return (all if isinstance(wanted, AllOf) else any)(holds(tokens, part) for part in wanted.parts)


def test_a_record_gains_the_less_the_longer_it_is_but_of_light_words_as_much() -> None:
    words = [
        IndexedTerm((name,), (name,), 10, 1.0, bound, bound) for name, bound in (("a", 10.0), ("b", 8.0), ("c", 1.0))
    ]
    norm = LengthNorm(0.36, 0.01)
    gains = ScoreBounds(words, norm)
    shortest = 1 + norm.at_length(1)
    scores = gains.bound_by_length(threshold=12.0, upper_bound=gains.total_bound)
    assert scores(1) == pytest.approx(18 / shortest + 1, abs=1e-5)
    assert scores(64) == pytest.approx(18 / (1 + norm.at_length(64)) + 1, abs=1e-5)
    assert gains.bound_by_length(threshold=7.0, upper_bound=18 / shortest - 1e-6)(1) < 18 / shortest, (
        "whoever holds both is known"
    )


def test_what_no_record_can_reach_is_not_looked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    index = index_of(tmp_path, [*["w1 rare"] * 3, *["w2 common"] * 40, *["w3 other"] * lexical.MAX_SCORED_DIRECTLY])
    asked = asked_by(index, monkeypatch)
    assert (
        len(
            lexical.search_bm25(index, lexical.Bm25Scorer(index, terms_of(1, 2)), Filter(), lexical.SearchLimits(k=100))
        )
        == 43
    )
    assert len(asked) == 7, "no bar is asked for below what one word gains"


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2])
def test_lengths_are_those_of_the_records_however_odd_their_texts(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    signs = (
        "abc def ",
        "'\"&$%!?.,;:-_@/+#*()[]{}<>=|~^`\\ ",
        "äßçñå ",
        "日本語中文 ",
        "กขค ",
        "한국어 ",
        "🙂👍\u200d\u0301 ",
    )
    lines = ["tea " * 127, "tea " * 128, "tea " * 3000]
    for _ in range(600):
        alphabet = "".join(chance.choices((*signs, "0123456789.,- ", "\t\u00a0\u2028\x7f", "абв "), k=3))
        lines.append("x " + "".join(chance.choices(alphabet, k=chance.choice((3, 20, 400)))))
    index = index_of(tmp_path, map(str.strip, lines))
    expected = sorted((row.token_count, row.row_id) for row in rows(index))
    ordered, lengths = index.sort_by_length(row for _length, row in reversed(expected))
    assert list(zip(lengths, ordered, strict=True)) == expected
    assert {1, 127, 128, 3000} <= set(lengths)


def test_of_rows_near_each_other_it_is_known_which_hold_a_word_without_reading_all_that_do(tmp_path: Path) -> None:
    index = index_of(tmp_path, [f"tea {'often' if n % 3 else 'seldom'}" for n in range(4000)])
    often: set[int] = set()
    whole = sql_steps(index, lambda: often.update(index.matching_rows("often")))
    near = set(range(2000, 2100))
    assert index.select_matching_rows("often", near) == often & near
    assert index.select_matching_rows("often", set()) == index.select_matching_rows("zebra", near) == set()
    assert sql_steps(index, lambda: index.select_matching_rows("often", near)) < whole / 10


def test_captures_stand_apart_from_the_records_and_are_looked_for_apart(tmp_path: Path) -> None:
    with Memory.open(tmp_path) as memory:
        for number in range(40):
            memory.capture(f"The boat number {number} is green.")
        memory.retain("The boat is blue.")
        index = memory.workspace.open_index()
        holding = set(index.matching_rows("boat"))
        assert index.select_matching_rows("boat", holding) == holding
        assert len(holding) == 41
        two = {min(holding), max(holding)}
        alone = sql_steps(index, lambda: index.select_matching_rows("boat", {max(holding)}))
        assert sql_steps(index, lambda: index.select_matching_rows("boat", two)) < 3 * alone


def test_of_very_many_favoured_rows_those_with_rare_words_are_found_without_reading_every_word(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = [f"tea {'zebra' if n % 500 == 7 else 'milk'}" for n in range(4000)]
    index = index_of(tmp_path, lines)
    asked = asked_by(index, monkeypatch)
    terms = (QueryTerm("tea", ("tea",)), QueryTerm("zebra", ("zebra",)))
    answer = lexical.search_bm25_among(
        index, lexical.Bm25Scorer(index, terms), Filter(), {row.row_id for row in rows(index)[1000:2500]}
    )
    assert {kept.record.text for kept in index.fetch(answer).values()} == {"tea zebra"}
    assert len(answer) == 3
    assert asked == []


@pytest.mark.parametrize("many", [5, 20])
def test_words_are_counted_in_one_order_whatever_the_run_so_that_sums_of_scores_are_the_same(
    tmp_path: Path, many: int
) -> None:
    index = index_of(tmp_path, [" ".join(f"w{number}" for number in range(30))])
    measure = lexical.Bm25Scorer(index, terms_of(*range(many)))
    measure.score_rows(index, [row.row_id for row in rows(index)], Filter())
    (line,) = measure.scores
    assert measure.term_counts == [{line: 1}] * many
    norm = measure.length_norm.at_length(30)
    assert measure.scores[line] == list(accumulate(word.max_gain / (1 + norm) for word in measure.terms))[-1]
