"""Names to file names: whatever the text, the result is a plain name that no system treats specially."""

from __future__ import annotations

import gzip
import json
import re
from pathlib import Path
from unicodedata import normalize

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from commonplace.storage.workspace.paths import slugify, slugify_distinct

SHAPE = re.compile(r"[a-z0-9][a-z0-9._-]{0,79}")
RESERVED = re.compile(r"(con|prn|aux|nul|com[0-9]|lpt[0-9])(\..*)?")


def is_plain(name: str) -> bool:
    return bool(SHAPE.fullmatch(name)) and not RESERVED.fullmatch(name) and ".." not in name and name[-1] not in "._-"


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("Kaya Denning", "kaya-denning"),
        ("Tapline 2.0 — the plan!", "tapline-2.0-the-plan"),
        ("The_Castle", "the_castle"),
        ("Ærøskøbing Straße", "aeroskobing-strasse"),
        ("Łukasz Żółć", "lukasz-zolc"),
        ("İstanbul ısı", "istanbul-isi"),
        ("ﬁne ＦＵＬＬ №", "fine-full-no"),
        ("  C++  ", "c"),
        ("...hidden..", "hidden"),
        ("../../etc/passwd", "etc-passwd"),
        ("a\\b/c:d", "a-b-c-d"),
        ("CON", "n-con"),
        ("nul.txt", "n-nul.txt"),
        ("COM¹", "n-com1"),
        ("console", "console"),
    ],
)
def test_names_become_plain_names(name: str, expected: str) -> None:
    assert slugify(name) == expected


@pytest.mark.parametrize("name", ["東京", "Анна", "กิน", "🎉", "", ".", "..", "/", "-", "\0", "\ud800", " "])
def test_what_has_no_latin_letters_gets_a_hash(name: str) -> None:
    assert re.fullmatch(r"n-[0-9a-f]{8}", slugify(name))


def test_letters_that_are_lost_are_stood_for_by_a_hash() -> None:
    assert re.fullmatch(r"tokyo-[0-9a-f]{8}", slugify("Tokyo 東京"))
    assert (
        len({slugify(name) for name in ("Tokyo 東京", "Tokyo 京都", "Tokyo", "กิน", "กัน", "Tokyo 🎉", "Анна", "Аня")})
        == 8
    )


def test_long_names_are_cut_and_told_apart() -> None:
    first, second = slugify("x" * 100), slugify("x" * 99 + "y")
    assert first != second
    assert len(first) == 80
    assert slugify("x" * 80) == "x" * 80
    assert len(slugify("Ana " * 30)) <= 80


def test_spellings_of_one_name_meet() -> None:
    for name in ("Ångström", "東京タワー", "Ｔｏｋｙｏ 東京", "Żółć"):
        spellings = {form(name) for form in (str.upper, str.lower, lambda text: normalize("NFD", text))}
        assert {slugify(spelling) for spelling in spellings} == {slugify(name)}


def test_names_that_meet_can_be_told_apart() -> None:
    assert slugify("C++") == slugify("C#") == "c"
    assert slugify_distinct("C++") != slugify_distinct("C#")
    assert slugify_distinct("C++") == slugify_distinct("C++")
    assert slugify_distinct("Ana") != slugify_distinct("ana")


@pytest.mark.slow
@settings(max_examples=500, deadline=None)
@example("con.")
@example("aux" + "x" * 90)
@example("a" * 71 + ".." + "b" * 20)
@example("nul" + "." * 80 + "x")
@given(st.text() | st.text("conulptaxm1.-_ é", max_size=90))
def test_every_slug_is_plain_and_stays_itself(name: str) -> None:
    made = slugify(name)
    assert is_plain(made)
    assert slugify(made) == made
    assert is_plain(slugify_distinct(name))


def test_no_hostile_name_is_more_than_a_name(shared: Path) -> None:
    for path in ("traversal/payloads", "blns/blns"):
        with gzip.open(shared / f"corpora/{path}.jsonl.gz", "rt") as rows:
            names = [row["text"] if "text" in row else json.dumps(row) for row in map(json.loads, rows)]
        assert len(names) > 100
        for name in names:
            assert is_plain(slugify(name))
            assert slugify(slugify(name)) == slugify(name)
