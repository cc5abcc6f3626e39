"""The token estimate against counts that two real vocabularies gave (js-tiktoken 1.0: o200k_base, cl100k_base)."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bench.tokens.counted import pool
from bench.tokens.own import own
from commonplace.language.tokens import (
    CACHED_PIECE_COSTS,
    UNICODE_BLOCKS,
    WEIGHTS,
    _piece_cost_cache,
    count_tokens,
    extract_piece_features,
    load_tokenizer,
)

# (text, tokens of o200k_base, tokens of cl100k_base); the weights were not fitted to these
COUNTED = (
    ("Peter moved to Lisbon in March because the new job pays better and the winters are mild.", 18, 18),
    (
        "We decided to keep the backups on the old server until the migration is finished; Alice will check them every Friday and report anything odd in the weekly call.",
        31,
        31,
    ),
    (
        "Wir haben beschlossen, die Rechnung erst nach der Lieferung zu bezahlen, weil das letzte Paket beschädigt war.",
        21,
        30,
    ),
    (
        "Nous avons réservé une petite maison près de la mer pour les vacances d'été, mais le train n'est pas encore payé.",
        25,
        30,
    ),
    ("Мы решили перенести встречу на четверг, потому что Анна заболела и не сможет приехать раньше.", 23, 43),
    ("我们决定下个月搬到杭州，因为那里的房租便宜，而且离父母家更近。", 22, 43),
    ("来週の会議は水曜日の午後三時に変更になりましたので、資料を火曜日までに送ってください。", 28, 43),
    ("다음 주 회의는 수요일 오후로 바뀌었으니 자료를 화요일까지 보내 주세요.", 24, 36),
    ("เราตัดสินใจย้ายไปเชียงใหม่ในเดือนหน้าเพราะค่าเช่าถูกกว่าและอากาศดี", 26, 59),
    ("قررنا تأجيل الاجتماع إلى يوم الخميس لأن المدير مسافر ولن يعود قبل ذلك.", 17, 50),
    ("हमने बैठक को गुरुवार तक टालने का फैसला किया क्योंकि निदेशक यात्रा पर हैं।", 20, 72),
    ("Αποφασίσαμε να μεταφέρουμε τη συνάντηση στην Πέμπτη, γιατί η Μαρία είναι άρρωστη.", 30, 73),
    (
        'def mean(values: list[float]) -> float:\n    if not values:\n        raise ValueError("no values")\n    return sum(values) / len(values)\n',
        33,
        31,
    ),
    (
        "const total = items.filter((item) => item.price > 0).map((item) => item.price * 1.19).reduce((a, b) => a + b, 0);",
        42,
        42,
    ),
    (
        '{"id": "7f3k9q", "kind": "world", "entities": ["Peter", "Lisbon"], "confidence": 0.95, "valid": {"from": "2025-11-27", "to": null}}',
        54,
        55,
    ),
    (
        "## Retain\n\n- W @Peter: In Marrakech (Nov 27 - Dec 1, 2025) for Andy's birthday. <!-- id: 7f3k9q -->\n- B @Alice: Prefers tea, **never** coffee after 4 pm.\n",
        58,
        60,
    ),
    (
        "| host | port | owner |\n|---|---|---|\n| db-1.internal | 5432 | Alice |\n| cache-2.internal | 6379 | Bob |\n",
        38,
        38,
    ),
    ("commit 9f2c1e7ab04d5c6f8e3b21a7709cd4f1e6a8b350 sha256:0d1f9c3b7a5e2486c9d0b1e3f4a59687", 64, 64),
    (
        "See https://docs.example.com/guides/getting-started?lang=en&page=2#install for the details of version 2.14.3.",
        33,
        33,
    ),
    ("Great news 🎉 the demo worked 👍🏽 and everybody was happy 😀😀 about it ✨", 20, 24),
)

WORDS = st.text("aAbeioqxzß中かกнд9 .,'-\n\t#=🎉", max_size=40)


@pytest.mark.parametrize(("text", "o200k", "cl100k"), COUNTED, ids=[row[0][:24] for row in COUNTED])
def test_the_estimate_lies_about_the_dearer_vocabulary(text: str, o200k: int, cl100k: int) -> None:
    dearer = max(o200k, cl100k)
    assert 0.95 * dearer <= count_tokens(text) <= 1.35 * dearer


def test_over_all_texts_the_estimate_is_above_and_near() -> None:
    dearer = sum(max(o200k, cl100k) for _, o200k, cl100k in COUNTED)
    assert dearer <= sum(count_tokens(text) for text, _, _ in COUNTED) <= 1.15 * dearer


def test_one_in_twenty_counted_texts_at_most_is_under() -> None:
    assert sum(count_tokens(text) < max(o200k, cl100k) for text, o200k, cl100k in COUNTED) <= len(COUNTED) // 20


def test_nothing_costs_nothing_and_anything_costs_something() -> None:
    assert count_tokens("") == 0
    assert all(count_tokens(chr(code)) >= 1 for code in (*range(256), 0x4E00, 0xD800, 0x10FFFF))


COUNTS = Path(__file__).parent / "data" / "token_counts.json"  # written by `python -m bench.tokens count`


def errors(texts: list[str], counts: list[list[int]]) -> list[float]:
    """By how much each estimate lies above the dearer vocabulary, as a share of its count."""
    return sorted(count_tokens(text) / max(pair) - 1 for text, pair in zip(texts, counts, strict=True))


def is_calibrated(found: list[float]) -> bool:
    """Under on one text in a hundred at most, over by 15 % at most in nineteen of twenty."""
    return sum(error < 0 for error in found) <= len(found) / 100 and found[int(0.95 * len(found))] <= 0.15


def test_texts_in_ten_scripts_that_no_weight_was_fitted_to_are_told_within_the_promise() -> None:
    counts = json.loads(COUNTS.read_text("utf-8"))
    found = {script: errors(texts, counts[f"test {script}"]) for script, texts in own("test").items()}
    assert len(found) == 10
    assert is_calibrated(sorted(error for some in found.values() for error in some))
    assert all(sum(error < 0 for error in some) <= 0.08 * len(some) for some in found.values())
    assert all(some[len(some) // 2] <= 0.12 for some in found.values())


def test_chats_are_told_within_the_promise(shared: Path) -> None:
    counts = json.loads(COUNTS.read_text("utf-8"))["lme_pool"]
    assert is_calibrated(errors(pool(shared / "bench" / "lme_pool" / "corpus.jsonl.gz"), counts))


def test_a_vocabulary_counts_where_one_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Encoder:
        @staticmethod
        def from_file(path: str) -> Encoder:
            assert path.endswith("tokenizer.json")
            return Encoder()

        def encode(self, text: str, add_special_tokens: bool) -> SimpleNamespace:
            return SimpleNamespace(ids=text.split() + ["<s>"] * add_special_tokens)

    path = tmp_path / "tokenizer.json"
    path.write_text("{}")
    monkeypatch.setitem(sys.modules, "tokenizers", SimpleNamespace(Tokenizer=Encoder))
    counter, why_not = load_tokenizer(str(path))
    assert (counter("three words here \ud800"), why_not) == (4, "")
    (tmp_path / "second.json").write_text("{}")
    monkeypatch.setitem(sys.modules, "tokenizers", None)
    for name, reason in (("second.json", "needs the package"), ("absent.json", "there is no file")):
        counter, why_not = load_tokenizer(str(tmp_path / name))
        assert counter("two words") == count_tokens("two words")
        assert reason in why_not
    assert load_tokenizer("")[1] == ""


@pytest.mark.slow
@given(st.text(), st.text())
@settings(max_examples=300, deadline=None)
def test_joined_texts_cost_between_the_dearer_and_the_sum(a: str, b: str) -> None:
    assert max(count_tokens(a), count_tokens(b)) <= count_tokens(a + b) <= count_tokens(a) + count_tokens(b) + 2


@pytest.mark.slow
@given(WORDS, WORDS)
@settings(max_examples=600, deadline=None)
def test_joined_words_cost_between_the_dearer_and_the_sum(a: str, b: str) -> None:
    assert max(count_tokens(a), count_tokens(b)) <= count_tokens(a + b) <= count_tokens(a) + count_tokens(b) + 2


@given(st.text(min_size=1), st.integers(1, 30))
@settings(max_examples=100, deadline=None)
def test_the_count_grows_with_repetition(text: str, times: int) -> None:
    assert count_tokens(text) <= count_tokens(text * times) <= (count_tokens(text) + 2) * times


def test_every_cut_of_real_text_keeps_the_order(shared: Path) -> None:
    with gzip.open(shared / "bench" / "lme_pool" / "corpus.jsonl.gz", "rt") as rows:
        texts = [json.loads(row)["text"][:400] for row, _ in zip(rows, range(60), strict=False)]
    for text in texts:
        whole = count_tokens(text)
        for at in range(0, len(text), 7):
            left, right = count_tokens(text[:at]), count_tokens(text[at:])
            assert max(left, right) <= whole <= left + right + 2


def test_known_words_are_cheaper_than_unknown_ones_of_the_same_length() -> None:
    assert count_tokens("international") < count_tokens("intzrnqtioxal")
    assert count_tokens("这是我们的") < count_tokens("鼉鼊鼋鼌鼍")
    assert count_tokens("다시") < count_tokens("뷁쀍")


def test_a_long_unknown_word_costs_more_and_a_rule_does_not() -> None:
    assert dict(extract_piece_features(" zqxjkvq"))["break.more"] == 2
    assert count_tokens("-" * 80) <= 8
    assert dict(extract_piece_features("A" * 30))["capitals"] == dict(extract_piece_features("A" * 9))["capitals"]
    assert "word.quoted" in dict(extract_piece_features("(will"))
    assert "word.quoted" not in dict(extract_piece_features("'ll"))


def test_every_weight_is_in_use() -> None:
    seen = {"root"} | {name for _, name in UNICODE_BLOCKS}
    for piece in (
        " Wordsquizqxj",
        "(ÉCoLEăế",
        "AQXZJKQ",
        "12",
        "--==!!!!!!!!!!!!!!",
        "..\n",
        "  \n",
        "中",
        "鼉",
        "가",
        "뷁",
        "д",
        "ґ",
    ):
        seen |= {name for name, amount in extract_piece_features(piece) if amount}
    assert seen == set(WEIGHTS)
    assert all(weight > 0 for weight in WEIGHTS.values())


def test_blocks_are_in_order() -> None:
    assert [start for start, _ in UNICODE_BLOCKS] == sorted({start for start, _ in UNICODE_BLOCKS})


def test_the_memory_of_pieces_is_bounded() -> None:
    for at in range(0, CACHED_PIECE_COSTS + 2000, 1000):
        count_tokens(" ".join("w" + "".join(chr(97 + int(digit)) for digit in str(n)) for n in range(at, at + 1000)))
    assert len(_piece_cost_cache()) <= CACHED_PIECE_COSTS


@pytest.mark.slow
def test_hostile_text_takes_linear_time() -> None:
    """A quadratic pattern would need minutes here."""
    for unit in ("a", "A", "aB", " ", "\n", "=", "=-", "'", "'s", "中", "é", "9", "\t ", " \n", "🎉", "\x00"):
        count_tokens(unit * (100_000 // len(unit)))


@pytest.mark.slow
def test_a_thousand_characters_take_less_than_the_promised_time(shared: Path) -> None:
    with gzip.open(shared / "bench" / "lme_pool" / "corpus.jsonl.gz", "rt") as rows:
        texts = [json.loads(row)["text"] for row in rows]
    count_tokens(texts[0])
    start = time.process_time()
    for text in texts:
        count_tokens(text)
    spent = (time.process_time() - start) / sum(map(len, texts)) * 1000
    assert spent < 450e-6  # measured 70 µs; promised 150; three times that for a busy machine


def test_import_reads_no_table_and_compiles_no_pattern() -> None:
    program = (
        "import re, sys; made = []; compile = re.compile; "
        "re.compile = lambda *a, **k: made.append(a) or compile(*a, **k); import commonplace.language.tokens; "
        "from commonplace.language import tokens;"
        "print(len(made), tokens._load_fragment_bits.cache_info().currsize)"
    )
    env = {"PYTHONPATH": ":".join(sys.path)}
    out = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, env=env)
    assert out.stdout.split() == ["0", "0"]
