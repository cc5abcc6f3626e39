"""The bundled sample notebook keeps the format, and its questions cite lines that hold their answers."""

from __future__ import annotations

import json
import re
from collections import Counter
from datetime import date
from pathlib import Path

import pytest
import yaml

import commonplace

DATA = Path(commonplace.__file__).parent / "data"
SAMPLE = DATA / "sample"
QUESTIONS = json.loads((DATA / "sample_questions.json").read_text(encoding="utf-8"))
FILES = sorted(SAMPLE.rglob("*.md"))
DAYS = sorted(SAMPLE.glob("memory/20*.md"))
WARM = sorted([*SAMPLE.glob("memory/semantic/*.md"), *SAMPLE.glob("memory/procedural/*.md")])
ASKED_KINDS = {"fact", "entity", "time", "opinion", "procedure", "decision"}
CLOSURE = ("Updated: ", "Decisions: ", "Signal: ", "Open: ")
DIALOGUE = re.compile(r"- \d\d:\d\d \w+: \S")
RETAIN = re.compile(r'- (?:[WBS]|O\(c=(?:0\.\d+|1\.0)\))(?: @(?:[\w-]+|"[^"]+"))*: \S')
ANNOTATION = re.compile(r"<!-- (.+?) -->")
FIELD = re.compile(r"(?:id|importance|valid|origin|from|trigger|project): \S")


def lines(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").rstrip("\n").split("\n")


def name(path: Path) -> str:
    return path.relative_to(SAMPLE).as_posix()


def annotations() -> list[tuple[str, str, str]]:
    found = []
    for path in FILES:
        for number, line in enumerate(lines(path), 1):
            for comment in ANNOTATION.findall(line):
                found += [(f"{name(path)}#L{number}", *part.split(": ", 1)) for part in comment.split(" · ")]
    return found


def front_matter(path: Path) -> dict[str, object]:
    return yaml.safe_load(path.read_text(encoding="utf-8").split("---\n")[1])


@pytest.mark.parametrize("asked", QUESTIONS, ids=lambda asked: asked["question"])
def test_every_expected_line_exists_and_holds_the_answer(asked: dict[str, object]) -> None:
    for citation in asked["expect"]:
        path, number = citation.split("#L")
        assert asked["contains"] in lines(SAMPLE / path)[int(number) - 1], citation


def test_each_kind_is_asked_and_has_exactly_one_question_in_other_words() -> None:
    assert {asked["kind"] for asked in QUESTIONS} == ASKED_KINDS
    assert Counter(asked["kind"] for asked in QUESTIONS if asked.get("hard")) == dict.fromkeys(ASKED_KINDS, 1)
    assert all(asked["expect"] and asked["now"] == "2025-11-30T09:00" for asked in QUESTIONS)


def test_questions_with_a_scope_name_one_that_the_sample_has() -> None:
    scopes = {value for _, key, value in annotations() if key == "project"}
    assert scopes == {"tapline", "gurdy-17"}
    assert {asked["scope"] for asked in QUESTIONS if "scope" in asked} == scopes


def test_daily_logs_cover_sixty_days_and_close_with_four_lines() -> None:
    assert len(DAYS) == 45
    assert (DAYS[0].stem, DAYS[-1].stem) == ("2025-10-01", "2025-11-29")
    for path in DAYS:
        day = date.fromisoformat(path.stem)
        assert lines(path)[0] == f"# {day.isoformat()} {day:%A}"
        closing = lines(path)[-4:]
        assert [line.startswith(start) for line, start in zip(closing, CLOSURE, strict=True)] == [True] * 4, path
        assert closing[0] == f"Updated: {path.stem}"


def test_daily_logs_hold_only_well_formed_retain_and_dialogue_lines() -> None:
    for path in DAYS:
        heading = ""
        for line in lines(path):
            heading = line if line.startswith("#") else heading
            if not line.startswith("- "):
                continue
            shape = RETAIN if heading == "## Retain" else DIALOGUE
            assert shape.match(line), f"{name(path)}: {line}"
            assert heading == "## Retain" or heading.endswith(path.stem), f"{name(path)}: {heading}"


def test_the_core_has_its_four_header_lines_and_fits_sixty() -> None:
    core = lines(SAMPLE / "MEMORY.md")
    assert core[0] == "# Agent Memory"
    assert [line.split(":")[0] for line in core[1:4]] == ["#tags", "last_verified", "last_updated"]
    assert len(core) <= 60


def test_warm_files_have_tags_on_line_two_and_a_date_on_line_three() -> None:
    assert len(WARM) == 7
    for path in WARM:
        assert lines(path)[1].startswith("#tags: "), path
        assert re.fullmatch(r"> last_verified: 2025-11-\d\d", lines(path)[2]), path


def test_episodes_have_all_their_front_matter_and_their_sources_exist() -> None:
    episodes = sorted(SAMPLE.glob("memory/episodes/*.md"))
    assert len(episodes) == 4
    for path in episodes:
        front = front_matter(path)
        assert list(front) == ["timestamp", "tags", "summary", "participants", "confidence", "source"]
        assert f"{front['timestamp']:%Y-%m-%d_%H-%M-%S}" == path.name[:19]
        assert (SAMPLE / str(front["source"])).is_file()
        assert "**Details:**" in lines(path)


def test_annotations_use_known_fields_and_name_ids_that_exist_once() -> None:
    parts = annotations()
    ids = Counter(value for _, key, value in parts if key == "id")
    assert ids
    assert set(ids.values()) == {1}
    for place, key, value in parts:
        assert FIELD.match(f"{key}: {value}"), place
        assert key != "from" or value in ids, place
        assert key != "valid" or len([date.fromisoformat(day) for day in value.split("..")]) == 2, place


def test_links_lead_to_files_and_wiki_links_to_pages_or_aliases() -> None:
    pages = {path.stem for path in FILES}
    for path in SAMPLE.glob("bank/entities/*.md"):
        pages |= set(front_matter(path)["aliases"])
    for path in FILES:
        text = path.read_text(encoding="utf-8")
        assert set(re.findall(r"\[\[([^\]]+)\]\]", text)) <= pages, path
        for target in re.findall(r"\]\(([^)]+)\)", text):
            assert (path.parent / target).is_file(), f"{name(path)}: {target}"


def test_the_sample_is_small_clean_and_speaks_four_languages() -> None:
    whole = "".join(path.read_text(encoding="utf-8") for path in FILES)
    assert 50_000 <= len(whole.encode()) <= 80_000
    assert not re.search(r"[ \t]$|\r|\t", whole, re.MULTILINE)
    assert all(word in whole for word in ("Das Dach wird gemacht", "l'épicéa des Vosges", "ありがとうございます"))
    assert not re.search(r"[\w.]+@[\w-]+\.\w|\b\d{1,3}(?:\.\d{1,3}){3}\b|[A-Za-z0-9_+/-]{40,}", whole)


def test_every_markdown_file_ends_with_one_newline() -> None:
    for path in FILES:
        assert re.search(r"[^\n]\n\Z", path.read_text(encoding="utf-8")), path
