"""Ask: hits with reasons in words, filters, packs with what was left out, and why a line is not found."""

from __future__ import annotations

import re
from html import unescape

import pytest

from commonplace import Memory
from tests.support.page import Visitor, write_note

NOW = "2025-11-30T09:00"


@pytest.fixture
def visitor(memory: Memory) -> Visitor:
    ferries = "".join(f"- W @Ana: The ferry number {n} leaves for the island at {n % 12} o'clock.\n" for n in range(40))
    write_note(memory, "memory/2025-11-20.md", f"## Retain\n{ferries}")
    write_note(
        memory,
        "memory/2025-11-21.md",
        "## Retain\n- O(c=0.8) @Ana: The ferry is too slow. #trip\n- W @Peter: Paints boats <b>red</b>.\n",
    )
    memory.retain("W @Ana: The tapline window repaired the bug.", scope="tapline", now="2025-11-25T09:00")
    return Visitor(memory, NOW)


def test_without_a_question_there_is_the_form_alone(visitor: Visitor) -> None:
    page = visitor.get("/ask")
    assert "A whole question finds more than single words." in page.words
    assert visitor.asked == []


def test_hits_say_in_words_what_found_them_and_fold_the_numbers_away(visitor: Visitor) -> None:
    page = visitor.get("/ask?q=who+paints+boats%3F")
    assert re.search(r"@Peter: Paints boats <b>red</b>\. .* Found by the words", page.words)
    numbers = page.html[page.html.index('<details class="score">') :]
    assert re.search(
        r"<summary>Score \d\.\d{3}</summary>.*<th scope=\"row\">found by the words <small>lexical</small>",
        numbers,
        re.DOTALL,
    )
    hit = visitor.get("/ask.json?q=who+paints+boats%3F").json["answer"]["hits"][0]
    assert "the words" in hit["found_by"]
    assert (
        "may hold the answer" in visitor.get("/ask?q=what+number+is+the+ferry+at+3%3F").words or hit["raised_by"] == []
    )


def test_hits_come_page_by_page_and_none_twice(visitor: Visitor) -> None:
    pages = [visitor.get(f"/ask?q=ferry+island&page={page}") for page in (1, 2, 3, 4, 5)]
    found = [number for page in pages for number in re.findall(r'"text">@Ana: The ferry number (\d+)', page.html)]
    assert len(found) == len(set(found)) == 40
    assert 'rel="next" href="/ask?q=ferry+island&amp;page=2"' in pages[0].html
    assert '<ol class="hits" start="11">' in pages[1].html


def test_what_answers_hardly_is_marked(visitor: Visitor) -> None:
    assert "not confident" in visitor.get("/ask?q=how+tall+is+the+purple+giraffe+of+Ana%3F").words
    assert "Nothing was found." in visitor.get("/ask?q=zzz").words


@pytest.mark.parametrize(
    ("address", "arguments"),
    [
        ("q=ferry&kind=opinion", {"kinds": ["opinion"]}),
        ("q=ferry&category=person&entity=Ana", {"categories": ["person"], "entities": ["Ana"]}),
        ("q=ferry&since=last+week&until=2025-11-30", {"since": "last week", "until": "2025-11-30"}),
        ("q=ferry&scope=tapline&evidence=only", {"scope": "tapline", "evidence": "only"}),
        ("q=ferry&history=1&all=1", {"history": True, "all_scopes": True}),
        ("q=ferry+tag%3Atrip", {"tags": ["trip"]}),
        ("q=ferry+kind%3Aopinion&kind=world", {"kinds": ["opinion", "world"]}),
        ("q=%22too+slow%22+ferry", {"phrases": ["too slow"], "text": '"too slow" ferry'}),
    ],
)
def test_filters_and_search_syntax_become_arguments(
    visitor: Visitor, address: str, arguments: dict[str, object]
) -> None:
    assert visitor.get(f"/ask?{address}").status == 200
    (asked,) = [given for name, given in visitor.asked if name == "recall"]
    assert {"text": "ferry", "k": 11, **arguments} == asked


def test_a_filter_alone_lists_what_it_lets_through(visitor: Visitor) -> None:
    page = visitor.get("/ask?kind=opinion")
    assert "The ferry is too slow." in page.words
    assert "Filters: kind opinion" in page.words
    numbers = [
        re.findall(r'"text">@Ana: The ferry number (\d+)', visitor.get(f"/ask?kind=world&page={n}").html)
        for n in (1, 2)
    ]
    assert [len(set(of_page)) for of_page in numbers] == [
        9,
        10,
    ]  # of more lines than a small notebook has, newest first
    assert not set(numbers[0]) & set(numbers[1])


def test_scopes_hold_and_are_shown(visitor: Visitor) -> None:
    assert "repaired the bug" not in visitor.get("/ask?q=tapline+window").words
    page = visitor.get("/ask?q=tapline+window&scope=tapline")
    assert '<span class="mark">tapline</span>' in page.html


def test_a_pack_says_what_it_holds_and_what_was_left_out_and_why(visitor: Visitor) -> None:
    page = visitor.get("/ask/pack?q=when+does+the+ferry+leave%3F&budget=150")
    assert re.search(r"In the pack \d .*of 150 tokens", page.words)
    left = page.words[page.words.index("Left out") :]
    assert "it does not fit into the budget" in left
    assert "The ferry number" in left
    assert '<input id="budget" name="budget" type="range" min="0" max="8000" step="50" value="150"' in page.html
    assert "Nothing was found that fits" in visitor.get("/ask/pack?q=ferry&budget=0").words
    assert visitor.get("/ask/pack?q=ferry&budget=lots").status == 400


def test_each_line_of_a_pack_and_left_out_has_its_words_its_link_and_why(visitor: Visitor) -> None:
    address = "/ask/pack?q=when+does+the+ferry+leave%3F&budget=150"
    shown, page = visitor.get(address.replace("?", ".json?", 1)).json, visitor.get(address)
    ((first, *_), (left, *_)), html = (shown["packed"], shown["left_out"]), unescape(page.html)
    heads = re.findall(r"<h3[^>]*>(.*?) <span", html)
    assert heads[0].startswith("Because it fits the question; it held before “@Ana: The ferry number")
    assert "Because it does not fit into the budget" in heads
    for one in (first, left):
        path, _, line = one["citation"].partition("#L")
        link = rf'href="/file\?path={path}&line={line}#L{line}"'
        assert re.search(rf"{re.escape(one['line']['text'])}</p>\s*<p class=\"source\">\s*<a {link}", html)
    assert "Found by the words" in page.words
    assert len(shown["left_out"]) > 10
    assert html.index(" more</summary>") < html.index(shown["left_out"][-1]["line"]["text"])


def test_a_pack_has_the_budget_of_the_settings_at_first(visitor: Visitor, memory: Memory) -> None:
    assert 'max="8000" step="50" value="1200"' in visitor.get("/ask/pack").html
    write_note(memory, "commonplace.toml", "[pack]\nbudget_tokens = 9600\n")
    assert 'max="9600" step="50" value="9600"' in visitor.get("/ask/pack?q=ferry").html
    assert dict(visitor.asked)["pack"]["budget_tokens"] == 9600


def test_a_pack_as_a_host_gets_it_is_automatic(visitor: Visitor) -> None:
    visitor.get("/ask/pack?q=ferry&automatic=1")
    assert dict(visitor.asked)["pack"]["automatic"] is True
    assert "its question" not in visitor.get("/ask/pack").words


def test_a_line_that_is_missing_is_explained_with_changes_that_can_be_tried(visitor: Visitor) -> None:
    page = visitor.get("/ask/why-not?q=tapline+window&line=memory/2025-11-25.md%23L4")
    assert "It is not shown, because a filter keeps it out." in page.words
    assert "with scope tapline , at rank 1" in page.words
    (address,) = re.findall(r'href="(/ask\?[^"]*scope=tapline)"', page.html)
    assert "tapline window repaired" in visitor.get(address.replace("&amp;", "&")).words


def test_a_change_of_words_and_of_budget_can_be_tried_too(visitor: Visitor) -> None:
    page = visitor.get("/ask/why-not?q=colourful+hulls&line=memory/2025-11-21.md%23L3")
    (address,) = re.findall(r'href="(/ask\?q=colourful\+hulls\+\w+)"', page.html)
    assert "Paints boats" in visitor.get(address).words
    packed = visitor.get("/ask/why-not?q=who+paints+boats&line=memory/2025-11-21.md%23L3&budget=10")
    (address,) = re.findall(r'href="(/ask/pack\?[^"]*budget=\d+)"', packed.html)
    assert "Paints boats" in visitor.get(address.replace("&amp;", "&")).words


def test_no_such_line_is_told(visitor: Visitor) -> None:
    assert "There is no such line" in visitor.get("/ask/why-not?q=ferry&line=memory/2025-11-21.md%23L99").words
    assert "shown, at rank 1" in visitor.get("/ask/why-not?q=who+paints+boats&line=memory/2025-11-21.md%23L3").words
    assert "Name a line that you expected" in visitor.get("/ask/why-not?q=ferry").words


def test_what_held_before_an_unknown_day_is_said_in_words(memory: Memory) -> None:
    write_note(memory, "memory/2025-11-21.md", "## Retain\n- W @Peter: Lives at Rosenweg 2.\n")
    hit = Visitor(memory, NOW).get("/ask.json?q=peter").json["answer"]["hits"][0]
    hit |= {"earlier": [{"value": "Rosenweg 19", "until": ""}], "later": {"value": "Rosenweg 2", "since": ""}}
    answer = {"query": "peter", "hits": [hit], "confident": True, "confidence": 1.0, "notes": []}
    words = Visitor(memory, NOW, recall=answer).get("/ask?q=peter").words
    assert "Before; until when is not known: Rosenweg 19" in words
    assert "Now, since when is not known: Rosenweg 2" in words
    hit |= {"earlier": [{"value": "Rosenweg 19", "until": "2025-03-01"}], "until": "2025-06-01"}
    page = Visitor(memory, NOW, recall=answer).get("/ask?q=peter")
    assert "Before, until 2025-03-01: Rosenweg 19" in page.words
    assert "earlier This held until 2025-06-01." in page.words
    assert '<a href="/line?path=memory/2025-11-21.md&amp;line=2">Correct</a>' in page.html
    assert f'<a href="/audit/forget?references={hit["id"]}">Forget…</a>' in page.html


def test_words_remembered_of_a_line_lead_to_a_choice_of_lines(visitor: Visitor, memory: Memory) -> None:
    memory.capture("The lighthouse keeper waters three geraniums.", session="s", now="2025-11-26T09:00")
    page = visitor.get("/ask/why-not?q=ferry&kind=opinion&line=paints+boats")
    assert "Which line do you mean? @Peter: Paints boats <b>red</b>." in page.words
    (address,) = re.findall(r'href="(/ask/why-not\?[^"]*L3)"', page.html)
    assert "It is not shown, because a filter keeps it out." in visitor.get(unescape(address)).words
    many = visitor.get("/ask/why-not?q=boats&line=ferry+island")
    assert 1 < len(re.findall(r'href="/ask/why-not\?q=boats&amp;line=', many.html)) <= 10
    captured = visitor.get("/ask/why-not?q=boats&line=geraniums+keeper")
    (address,) = re.findall(r'href="(/ask/why-not\?[^"]*line=[^"]*)"', captured.html)
    assert "Which" not in visitor.get(unescape(address)).words
    assert "capture" in visitor.shown.words
    assert "There is no such line" in visitor.get("/ask/why-not?q=ferry&line=zzz").words


def test_what_waits_for_a_decision_is_explained_by_its_own_words(visitor: Visitor, memory: Memory) -> None:
    item = "- person, Mirela: Mirela: birthday 15 March (why: contradicts 14 May) [against abc1] <!-- id: doubt001 -->"
    write_note(memory, "memory/pending.md", f"# Pending\n\n## Doubts\n\n{item}\n")
    assert "15 March" not in visitor.get("/ask?q=Mirela+birthday").words
    page = visitor.get("/ask/why-not?q=Mirela&line=birthday+15+March")
    assert "Which line do you mean? Mirela: birthday 15 March " in page.words
    (address,) = re.findall(r'href="(/ask/why-not\?[^"]*L5)"', page.html)
    page = visitor.get(unescape(address))
    assert "It is not shown, because it waits for your decision in Review." in page.words
    (address,) = re.findall(r'href="(/ask\?[^"]*)">among what waits for your decision</a>', page.html)
    page = visitor.get(unescape(address))
    assert "Mirela: birthday 15 March memory/pending.md#L5" in page.words
    assert '<a class="mark" href="/review">waits for your decision</a>' in page.html
    assert "14 May" not in visitor.get("/entity?name=Mirela").words


def test_why_not_says_what_each_stage_did_without_the_names_of_parts(visitor: Visitor) -> None:
    page = visitor.get("/ask/why-not?q=ferry+island&line=memory/2025-11-21.md%23L2")
    assert "It is not shown, because others fit the question better." in page.words
    assert "Found by the words." in page.words
    assert re.search(
        r"Rank no Rank \d+ with \d\.\d{3}; the first 10 are shown\. The last that is shown: hit 10", page.words
    )
