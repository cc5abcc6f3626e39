"""What was forgotten stays forgotten, by whichever way it comes back, until its tombstone is removed."""

from __future__ import annotations

import io
import json
import re
import shutil
from pathlib import Path

import pytest

from commonplace import Memory
from commonplace.capture import CaptureResult
from commonplace.errors import BadArgument
from commonplace.storage.tombstones import read_tombstones
from tests.support.tombstones import leave_tombstones

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
    (location,) = leave_tombstones(str(tmp_path), "dev", [sentence], MONTH)
    tombstones = read_tombstones(str(tmp_path))
    assert location == f"{TOMBSTONES}#L2"
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
    leave_tombstones(str(tmp_path), "dev", [sentence], MONTH)
    tombstones = read_tombstones(str(tmp_path))
    assert tombstones.mask(longer.format(sentence)) == longer.format("[forgotten]")
    assert tombstones.mask(longer.format(changed)) == longer.format(changed)
    assert tombstones.mask(sentence) is None
    assert tombstones.mask(sentence + other[:4]) is None


def test_what_is_left_of_several_forgotten_sentences_is_masked_too(tmp_path: Path) -> None:
    forgotten = "Ben lost his job at the old harbour. He told nobody in the village. She knows."
    leave_tombstones(str(tmp_path), "dev", [forgotten], MONTH)
    story = "It was a cold winter, and the snow lay deep. {} In spring all of us moved to the city by the sea, at last."
    masked = read_tombstones(str(tmp_path)).mask(story.format(forgotten))
    assert masked == story.format("[forgotten] [forgotten] [forgotten]")


def test_a_short_text_is_known_only_as_a_whole_or_as_a_sentence(tmp_path: Path) -> None:
    leave_tombstones(str(tmp_path), "dev", ["Door code is 4711", "Thank you."], MONTH)
    tombstones = read_tombstones(str(tmp_path))
    for text in ("door code is 4711!", "Come in. Door code is 4711. Take care.", "Ana: door code is 4711", "Thank you"):
        assert tombstones.find(text), text
    for text in ("door code is 4712", "The door code is 4711 today", "Thank you. I come at noon."):
        assert tombstones.find(text) is None, text


def test_of_a_long_text_a_tenth_may_differ_but_not_its_ends(tmp_path: Path) -> None:
    words = [f"word{number}" for number in range(60)]
    leave_tombstones(str(tmp_path), "dev", [" ".join(words)], MONTH)
    find = read_tombstones(str(tmp_path)).find
    assert find(" ".join([*words[:30], "other", *words[31:]]))
    assert not find(" ".join([*words[:20], "other", *words[21:40], "other", *words[41:]]))
    assert not find(" ".join([*words[:-1], "other"]))
    assert find(" ".join(words[10:50]))
    assert not find(" ".join([*words[10:30], "other"]))


def test_a_text_gets_one_tombstone_and_no_text_of_it_is_kept(tmp_path: Path) -> None:
    root, (sentence, changed, _longer, other) = str(tmp_path), SENTENCES["en"]
    first = leave_tombstones(root, "dev", [sentence, sentence.lower(), "  "], MONTH)
    assert len(first) == 1
    assert leave_tombstones(root, "dev", [sentence], MONTH) == ()
    later = leave_tombstones(root, "dev", [other, "Door code is 4711"], MONTH)
    assert later == (f"{TOMBSTONES}#L3", f"{TOMBSTONES}#L4")
    phone = leave_tombstones(root, "phone", [changed], MONTH)
    assert read_tombstones(root).find(changed) == phone[0]
    lines = (tmp_path / TOMBSTONES).read_text().splitlines()
    assert len(lines) == 4
    assert not {"mara", "Mara", "Keller", "Bern", "4711"} & set("".join(lines).replace('"', " ").split())
    salts = {(tmp_path / name).read_text().splitlines()[0] for name in (TOMBSTONES, TOMBSTONES.replace("dev", "phone"))}
    assert len(salts) == 2


def test_a_damaged_line_is_set_aside_and_the_others_hold(tmp_path: Path) -> None:
    root, (sentence, _changed, _longer, other) = str(tmp_path), SENTENCES["en"]
    leave_tombstones(root, "dev", [sentence, other], MONTH)
    path = tmp_path / TOMBSTONES
    head, first, second = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(head + first.replace(b"2026-11", b"2026-10") + b"\n" + second)
    tombstones = read_tombstones(root)
    assert [(problem.path, problem.line) for problem in tombstones.problems] == [(TOMBSTONES, 2)]
    assert (tombstones.find(sentence), tombstones.find(other)) == (None, tombstones.find(other.upper()))
    path.write_bytes(head.replace(b"salt", b"gone") + first + second[:-9])
    assert {problem.line for problem in read_tombstones(root).problems} == {1, 2, 3}
    (location,) = leave_tombstones(root, "dev", [sentence], MONTH)  # under a new salt
    assert read_tombstones(root).find(sentence) == location
    assert path.read_bytes().splitlines()[int(location.partition("#L")[2]) - 1].endswith(b"}")


# The ways back: what is captured, what is read in, what is retained, what is learned.

NOW, LATER = "2026-11-05T10:00", "2026-11-09T10:00"


@pytest.fixture
def memory(tmp_path: Path) -> Memory:
    (tmp_path / "notes").mkdir()
    return Memory.open(tmp_path / "notes")


def bury(memory: Memory, *texts: str) -> str:
    """Leave a tombstone of each text; returns where the last one is."""
    return leave_tombstones(memory.root, "dev", texts, MONTH)[-1]


def stored(memory: Memory, question: str) -> list[str]:
    """The texts that a question finds, and those of every journal and Markdown file."""
    files = [path for path in Path(memory.root).rglob("*") if path.suffix in (".md", ".jsonl")]
    hits = memory.recall(question, now=LATER, all_scopes=True, evidence="auto").hits
    return [hit.record.text for hit in hits] + [path.read_text() for path in files]


@LANGUAGES
def test_an_event_that_was_forgotten_is_not_captured_and_a_longer_one_without_the_sentence(
    memory: Memory, language: str
) -> None:
    sentence, changed, longer, other = SENTENCES[language]
    bury(memory, sentence)
    assert memory.capture(sentence, now=NOW) == CaptureResult("forgotten")
    assert memory.capture(other, detail={"arguments": {"body": [sentence]}}, now=NOW).outcome == "forgotten"
    assert memory.capture(longer.format(sentence), now=NOW).outcome == "captured"
    assert memory.capture(longer.format(other), detail={"note": longer.format(sentence)}, now=NOW).id
    assert memory.capture(changed, now=NOW).outcome == "captured"
    assert not [text for text in stored(memory, sentence) if sentence in text]
    assert sum(text.count(longer.format("[forgotten]")) for text in stored(memory, changed)) >= 2
    assert [text for text in stored(memory, changed) if changed in text]


def test_the_artifact_of_a_long_event_has_no_forgotten_sentence(memory: Memory) -> None:
    sentence, _changed, longer, other = SENTENCES["en"]
    bury(memory, sentence)
    assert memory.capture(f"{other} {'Filler line of a log. ' * 500} {longer.format(sentence)}", now=NOW).id
    (artifact,) = Path(memory.root, ".memory/artifacts").iterdir()
    assert longer.format("[forgotten]") in artifact.read_text()


@LANGUAGES
def test_a_transcript_is_ingested_without_what_was_forgotten(memory: Memory, language: str) -> None:
    sentence, changed, longer, other = SENTENCES[language]
    bury(memory, sentence)
    texts = [sentence, changed, longer.format(sentence), other, sentence]
    lines = [
        json.dumps({"text": text, "actor": "owner", "ts": f"2026-11-01T10:0{at}"}) for at, text in enumerate(texts)
    ]
    done = memory.ingest(io.BytesIO("\n".join(lines).encode()), format="jsonl", name="talk.jsonl", now=NOW)
    assert (done.captured, done.forgotten, done.skipped, done.known) == (3, 2, 0, 0)
    done = memory.ingest(io.BytesIO("\n".join(lines).encode()), format="jsonl", name="talk.jsonl", now=NOW)
    assert (done.captured, done.forgotten, done.skipped, done.known) == (0, 2, 0, 3)
    assert not [text for text in stored(memory, sentence) if sentence in text]


@LANGUAGES
def test_another_memory_is_imported_without_what_was_forgotten(memory: Memory, tmp_path: Path, language: str) -> None:
    sentence, changed, _longer, _other = SENTENCES[language]
    bury(memory, sentence)
    memories = [{"id": str(at), "memory": text, "user_id": "me"} for at, text in enumerate((sentence, changed))]
    (tmp_path / "mem0.json").write_text(json.dumps({"results": memories}), encoding="utf-8")
    for apply in (False, True):
        done = memory.import_from(str(tmp_path / "mem0.json"), system="mem0", mine=True, apply=apply, now=NOW)
        assert (done.ingest_result.captured, done.ingest_result.forgotten) == (1, 1), done
    assert not [text for text in stored(memory, sentence) if sentence in text]


@LANGUAGES
@pytest.mark.parametrize("verb", ["retain", "log"])
def test_a_sentence_that_was_forgotten_is_refused_until_its_line_is_removed(
    memory: Memory, language: str, verb: str
) -> None:
    sentence, changed, _longer, _other = SENTENCES[language]
    location = bury(memory, sentence)
    keep = getattr(memory, verb)
    with pytest.raises(BadArgument, match=re.escape(location)) as refused:
        keep(f"W @Mara: {sentence}" if verb == "retain" else sentence, now=NOW)
    assert (refused.value.path, refused.value.line) == (TOMBSTONES, int(location.partition("#L")[2]))
    assert "remove that line" in refused.value.hint
    assert not list(Path(memory.root).rglob("*.md"))
    assert keep(changed, now=NOW).record
    remove_line(memory, location)
    assert keep(sentence, now=NOW).record


def test_a_short_sentence_is_refused_behind_its_prefix_too(memory: Memory) -> None:
    bury(memory, "Door code is 4711")
    with pytest.raises(BadArgument):
        memory.retain("W @House: Door code is 4711.", now=NOW)


@LANGUAGES
def test_consolidation_makes_no_line_of_what_was_forgotten(memory: Memory, language: str) -> None:
    sentence, _changed, _longer, other = SENTENCES[language]
    memory.capture(sentence, now=NOW, session="s")
    memory.capture(other, now=NOW, session="s")
    bury(memory, sentence)
    memory.consolidate(apply=True, now=LATER)
    assert not [path for path in Path(memory.root).rglob("*.md") if sentence.rstrip("。.") in path.read_text()]


def test_a_sentence_that_is_part_of_a_forgotten_text_is_not_learned_and_in_no_episode(memory: Memory) -> None:
    sentence, other = "The tattoo on my shoulder is a small grey heron.", "My sister Ana is allergic to peanuts."
    bury(memory, f"{sentence[:-1]} that I got in Lisbon after the long summer of 2019.")
    assert memory.capture(f"{sentence} {other}", now=NOW, session="s").outcome == "captured"
    memory.consolidate(apply=True, now=LATER)
    pages = "".join(path.read_text() for path in Path(memory.root).rglob("*.md"))
    assert "tattoo" not in pages
    assert pages.count("peanuts") > 1  # a line, and an episode


def test_an_agent_that_is_asked_to_consolidate_is_shown_nothing_that_was_forgotten(memory: Memory) -> None:
    sentence, _changed, _longer, other = SENTENCES["en"]
    for text in (sentence, other):
        memory.capture(text, now=NOW, session="s")
    bury(memory, sentence)
    assert [turn.text for turn in memory.order(now=LATER).turns] == [other]


def remove_line(memory: Memory, location: str) -> None:
    name, number = location.split("#L")
    path = Path(memory.root, name)
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[: int(number) - 1] + lines[int(number) :]))


# What stands in the files all the same: a line by hand, a journal of another device, a backup.


@pytest.fixture
def elsewhere(tmp_path: Path) -> Memory:
    """Another copy of the notebook, on which the same was said."""
    (tmp_path / "phone").mkdir()
    (tmp_path / "phone/commonplace.toml").write_text('device = "phone"\n')
    return Memory.open(tmp_path / "phone")


def found(memory: Memory, question: str) -> list[str]:
    return [hit.record.text for hit in memory.recall(question, now=LATER, all_scopes=True, k=50).hits]


def assert_like_rebuild(memory: Memory) -> None:
    incremental = memory.dump()
    memory.rebuild()
    assert memory.dump() == incremental


def places(memory: Memory) -> list[tuple[str, int]]:
    problems = memory.check().problems
    assert not {"index-drift", "stale-citation", "bad-line"} & {problem.code for problem in problems}, problems
    return [(problem.path, problem.line) for problem in problems if problem.code == "forgotten"]


@LANGUAGES
def test_a_line_that_is_written_again_by_hand_is_in_no_answer_and_is_reported(memory: Memory, language: str) -> None:
    sentence, changed, longer, other = SENTENCES[language]
    location = bury(memory, sentence)
    page = f"# Notes\n\n- {other}\n- {sentence}\n- {changed}\n\n{longer.format(sentence)}\n\n## {sentence}\n\n"
    Path(memory.root, "notes.md").write_text(f"{page}{longer.format(other)}\n", encoding="utf-8")
    assert not [text for text in found(memory, sentence) if sentence in text]
    assert not [line for line in memory.dump() if sentence in line]
    assert {other, changed} <= {*found(memory, changed), *found(memory, other)}
    assert sentence not in memory.pack(sentence, now=LATER).text
    assert_like_rebuild(memory)
    assert places(memory) == [("notes.md", 4), ("notes.md", 7), ("notes.md", 9)]
    remove_line(memory, location)
    assert sentence in found(memory, sentence)
    assert_like_rebuild(memory)
    assert not places(memory)


@LANGUAGES
def test_the_journal_of_another_device_brings_nothing_back(memory: Memory, elsewhere: Memory, language: str) -> None:
    sentence, changed, _longer, other = SENTENCES[language]
    elsewhere.ingest(io.BytesIO(json.dumps({"text": sentence, "actor": "owner", "id": "1"}).encode()), format="jsonl")
    elsewhere.capture(changed, now=NOW, session="s")
    elsewhere.capture(other, now=NOW, session="s", detail={"note": sentence})
    (journal,) = Path(elsewhere.root, ".memory/journal").glob("captures-*")
    memory.capture(changed, now=NOW)
    location = bury(memory, sentence)
    Path(memory.root, ".memory/journal", journal.name).write_bytes(journal.read_bytes())
    assert changed in found(memory, sentence)
    assert not {sentence, other} & set(found(memory, sentence))
    assert not [line for line in memory.dump() if sentence in line]
    assert_like_rebuild(memory)
    assert places(memory) == [(f".memory/journal/{journal.name}", line) for line in (1, 3)]
    memory.consolidate(apply=True, now=LATER)
    assert not [path for path in Path(memory.root).rglob("*.md") if sentence.rstrip("。.") in path.read_text()]
    remove_line(memory, location)
    assert {sentence, other} <= {*found(memory, sentence), *found(memory, other)}
    assert_like_rebuild(memory)


def test_tombstones_that_arrive_from_another_device_hide_what_is_there(memory: Memory, elsewhere: Memory) -> None:
    texts = [f"The secret number {number} of the safe is {number * 7919} since last May." for number in range(40)]
    for text in texts:
        memory.capture(text, now=NOW)
    Path(memory.root, "notes.md").write_text("".join(f"- {text}\n" for text in texts))
    assert len(found(memory, "secret number of the safe")) > 1
    bury(elsewhere, *texts)
    arrived = Path(elsewhere.root, TOMBSTONES).read_bytes()
    Path(memory.root, TOMBSTONES.replace("dev", "phone")).write_bytes(arrived)
    assert not found(memory, "secret number of the safe")  # and no suspicious loss
    assert_like_rebuild(memory)
    assert len(places(memory)) == 80


def test_what_is_forgotten_is_known_so_that_its_source_does_not_bring_it_again(
    memory: Memory, elsewhere: Memory
) -> None:
    sentence, changed, _longer, _other = SENTENCES["en"]
    line = json.dumps({"text": sentence, "actor": "owner", "id": "1"}).encode()
    elsewhere.ingest(io.BytesIO(line), format="jsonl", now=NOW)
    (journal,) = Path(elsewhere.root, ".memory/journal").glob("captures-*")
    memory.capture(changed, now=NOW)
    bury(memory, sentence)
    Path(memory.root, ".memory/journal", journal.name).write_bytes(journal.read_bytes())
    done = memory.ingest(io.BytesIO(line), format="jsonl", now=NOW)
    assert (done.known, done.forgotten) == (1, 0)
    capture_id = json.loads(journal.read_bytes())["id"]
    Path(memory.root, "notes.md").write_text(f"- She has moved. <!-- from: {capture_id} -->\n")
    assert [problem.code for problem in memory.check().problems if problem.path == "notes.md"] == []


def test_a_damaged_tombstone_is_a_problem_of_the_check(memory: Memory) -> None:
    location = bury(memory, SENTENCES["en"][0])
    path = Path(memory.root, location.partition("#")[0])
    path.write_bytes(path.read_bytes().replace(b"2026-11", b"2026-12"))
    assert [(one.code, one.path, one.line) for one in memory.check().problems] == [
        ("bad-line", TOMBSTONES, int(location.partition("#L")[2]))
    ]


def test_a_capture_whose_artifact_has_a_forgotten_sentence_is_not_indexed(memory: Memory, elsewhere: Memory) -> None:
    sentence, _changed, _longer, other = SENTENCES["en"]
    filler = "Filler line of a log. " * 500
    elsewhere.capture(f"{other} {filler} {sentence} {filler} {other}", now=NOW)
    bury(memory, sentence)
    shutil.copytree(Path(elsewhere.root, ".memory/artifacts"), Path(memory.root, ".memory/artifacts"))
    (journal,) = Path(elsewhere.root, ".memory/journal").glob("captures-*")
    Path(memory.root, ".memory/journal").mkdir()
    Path(memory.root, ".memory/journal", journal.name).write_bytes(journal.read_bytes())
    assert sentence not in journal.read_text()
    assert not found(memory, other)
    assert places(memory) == [(f".memory/journal/{journal.name}", 1)]
