"""What was forgotten stays forgotten, by whichever way it comes back, until its tombstone is removed."""

from __future__ import annotations

from pathlib import Path

import pytest

from commonplace.storage.tombstones import append_tombstones, read_tombstones

MONTH = "2026-11"
TOMBSTONES = ".memory/tombstones-dev.jsonl"

# By language: a sentence, the same with another value, a longer text with the sentence, another sentence.
SENTENCES = {
    "en": (
        "My accountant is Mara Keller, her office is in Bern.",
        "My accountant is Mara Keller, her office is in Basel.",
        "We met at noon and had lunch at the lake. {} After that we went home by train, as it rained all day.",
        "The plumber comes on Friday to repair the boiler in the cellar.",
    ),
    "de": (
        "Meine Steuerberaterin heißt Mara Keller, ihr Büro ist in Bern.",
        "Meine Steuerberaterin heißt Mara Keller, ihr Büro ist in Basel.",
        "Wir trafen uns mittags und aßen am See zu Mittag. {} Danach fuhren wir mit dem Zug heim, weil es regnete.",
        "Der Klempner kommt am Freitag und repariert den Boiler im Keller.",
    ),
    "zh": (
        "我的会计是马拉·凯勒，她的办公室在伯尔尼。",
        "我的会计是马拉·凯勒，她的办公室在巴塞尔。",
        "我们中午见面，在湖边一起吃了午饭。{}之后我们坐火车回家了，因为下雨下了一整天，非常冷。",
        "水管工星期五来修理地下室里的锅炉。",
    ),
    "ja": (
        "私の会計士はマラ・ケラーで、事務所はベルンにあります。",
        "私の会計士はマラ・ケラーで、事務所はバーゼルにあります。",
        "私たちは正午に会って、湖のほとりで昼食を食べました。{}その後は雨が降っていたので電車で家に帰りました。",
        "金曜日に配管工が地下室のボイラーを修理しに来ます。",
    ),
}
LANGUAGES = pytest.mark.parametrize("language", sorted(SENTENCES))


@LANGUAGES
def test_a_text_is_known_again_whole_in_a_longer_text_and_in_part(tmp_path: Path, language: str) -> None:
    sentence, changed, longer, other = SENTENCES[language]
    (location,) = append_tombstones(str(tmp_path), "dev", [sentence], MONTH)
    tombstones = read_tombstones(str(tmp_path))
    assert location.citation == f"{TOMBSTONES}#L2"
    part = sentence.partition(" ")[2] or sentence[2:]
    for text in (sentence, sentence.upper(), longer.format(sentence), part):
        assert tombstones.find(text) == location, text
    for text in (changed, longer.format(changed), longer.format(other), other, ""):
        assert tombstones.find(text) is None, text


@LANGUAGES
def test_a_forgotten_sentence_of_a_long_text_is_masked_and_of_a_short_one_all_goes(
    tmp_path: Path, language: str
) -> None:
    sentence, changed, longer, other = SENTENCES[language]
    append_tombstones(str(tmp_path), "dev", [sentence], MONTH)
    tombstones = read_tombstones(str(tmp_path))
    assert tombstones.mask(longer.format(sentence)) == longer.format("[forgotten]")
    assert tombstones.mask(longer.format(changed)) == longer.format(changed)
    assert tombstones.mask(sentence) is None
    assert tombstones.mask(sentence + other[:4]) is None


def test_what_is_left_of_several_forgotten_sentences_is_masked_too(tmp_path: Path) -> None:
    forgotten = "Ben lost his job at the old harbour. He told nobody in the village. She knows."
    append_tombstones(str(tmp_path), "dev", [forgotten], MONTH)
    story = "It was a cold winter, and the snow lay deep. {} In spring all of us moved to the city by the sea, at last."
    masked = read_tombstones(str(tmp_path)).mask(story.format(forgotten))
    assert masked == story.format("[forgotten] [forgotten] [forgotten]")


def test_a_short_text_is_known_only_as_a_whole_or_as_a_sentence(tmp_path: Path) -> None:
    append_tombstones(str(tmp_path), "dev", ["Door code is 4711", "Thank you."], MONTH)
    tombstones = read_tombstones(str(tmp_path))
    for text in ("door code is 4711!", "Come in. Door code is 4711. Take care.", "Thank you"):
        assert tombstones.find(text), text
    for text in ("door code is 4712", "The door code is 4711 today", "Thank you. I come at noon."):
        assert tombstones.find(text) is None, text


def test_of_a_long_text_a_tenth_may_differ_but_not_its_ends(tmp_path: Path) -> None:
    words = [f"word{number}" for number in range(60)]
    append_tombstones(str(tmp_path), "dev", [" ".join(words)], MONTH)
    find = read_tombstones(str(tmp_path)).find
    assert find(" ".join([*words[:30], "other", *words[31:]]))
    assert not find(" ".join([*words[:20], "other", *words[21:40], "other", *words[41:]]))
    assert not find(" ".join([*words[:-1], "other"]))
    assert find(" ".join(words[10:50]))
    assert not find(" ".join([*words[10:30], "other"]))


def test_a_text_gets_one_tombstone_and_no_text_of_it_is_kept(tmp_path: Path) -> None:
    root, (sentence, changed, _longer, other) = str(tmp_path), SENTENCES["en"]
    first = append_tombstones(root, "dev", [sentence, sentence.lower(), "  "], MONTH)
    assert len(first) == 1
    assert (
        append_tombstones(root, "dev", [sentence], MONTH) == append_tombstones(root, "phone", [sentence], MONTH) == ()
    )
    later = append_tombstones(root, "dev", [other, "Door code is 4711"], MONTH)
    assert [location.line for location in later] == [3, 4]
    phone = append_tombstones(root, "phone", [changed], MONTH)
    assert read_tombstones(root).find(changed) == phone[0]
    lines = (tmp_path / TOMBSTONES).read_text().splitlines()
    assert len(lines) == 4
    assert not {"mara", "Mara", "Keller", "Bern", "4711"} & set("".join(lines).replace('"', " ").split())
    salts = {(tmp_path / name).read_text().splitlines()[0] for name in (TOMBSTONES, TOMBSTONES.replace("dev", "phone"))}
    assert len(salts) == 2


def test_a_damaged_line_is_set_aside_and_the_others_hold(tmp_path: Path) -> None:
    root, (sentence, _changed, _longer, other) = str(tmp_path), SENTENCES["en"]
    append_tombstones(root, "dev", [sentence, other], MONTH)
    path = tmp_path / TOMBSTONES
    head, first, second = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(head + first.replace(b"2026-11", b"2026-10") + b"\n" + second)
    tombstones = read_tombstones(root)
    assert [(problem.path, problem.line) for problem in tombstones.problems] == [(TOMBSTONES, 2)]
    assert (tombstones.find(sentence), tombstones.find(other)) == (None, tombstones.find(other.upper()))
    path.write_bytes(head.replace(b"salt", b"gone") + first + second[:-9])
    assert {problem.line for problem in read_tombstones(root).problems} == {1, 2, 3}
    (location,) = append_tombstones(root, "dev", [sentence], MONTH)  # under a new salt
    assert read_tombstones(root).find(sentence) == location
    assert path.read_bytes().splitlines()[location.line - 1].endswith(b"}")
