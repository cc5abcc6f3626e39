"""What is kept of texts already seen: no more than was said, and what comes often stays."""

from __future__ import annotations

from commonplace.language.text.tokenizer import MAX_CACHED_CHARS, TextCache


class Made:
    """Makes something of a text, and counts how often."""

    def __init__(self) -> None:
        self.of: list[str] = []

    def __call__(self, text: str) -> int:
        self.of.append(text)
        return len(text)


def test_what_was_asked_for_is_made_once() -> None:
    made = Made()
    memo = TextCache(made, 10)
    assert [memo["tea"], memo["tea"], memo["kettle"]] == [3, 3, 6]
    assert made.of == ["tea", "kettle"]


def test_it_holds_no_more_than_it_may_however_much_is_asked_for() -> None:
    memo = TextCache(Made(), 10)
    for number in range(1_000):
        assert memo[f"w{number}"] == len(f"w{number}")
        assert len(memo) <= 5
        assert len(memo._previous) <= 5


def test_what_comes_often_stays_and_what_came_long_ago_goes() -> None:
    made = Made()
    memo = TextCache(made, 10)
    for number in range(100):
        assert (memo["often"], memo[f"w{number}"]) == (5, len(f"w{number}"))
    assert made.of.count("often") == 1
    assert memo["w0"] == 2
    assert made.of.count("w0") == 2


def test_a_long_text_is_not_kept() -> None:
    made = Made()
    memo = TextCache(made, 10)
    long = "x" * (MAX_CACHED_CHARS + 1)
    assert [memo[long], memo[long]] == [MAX_CACHED_CHARS + 1] * 2
    assert made.of == [long, long]
