"""A citation with an anchor finds its line again after edits, moves and renames, and never a wrong one in silence."""

from __future__ import annotations

import json
import random
import re
import shutil
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

import commonplace
from commonplace import Memory
from commonplace.cli import main
from commonplace.errors import NotFound
from commonplace.retrieval.recall import citations
from commonplace.retrieval.recall.citations import ResolvedCitation, normalized_words, parse_citation
from tests.support.sample_size import sample_size
from tests.support.schemas import validator

SAMPLE = Path(commonplace.__file__).parent / "data" / "sample"
NOW = "2025-11-30T09:40"
SHARE = 0.95  # of the mutations after which the right line must be found
SEED = 20251121
ROUNDS = sample_size(
    full=8, sample=4
)  # in each of them every file of the sample has one line cited and one mutation done to it
SLACK = {"change_word_and_rename": 0.3, "change_word_and_insert_above": 0.2}  # two- and three-word lines are lost there


class Line:
    """A line of a file, the same object wherever it goes and whatever it says."""

    def __init__(self, text: str) -> None:
        self.text = text


Files = dict[str, list[Line]]
Mutation = Callable[[Files, str, Line, random.Random], None]


def insert_above(files: Files, path: str, it: Line, chance: random.Random) -> None:
    notes = [Line(f"- Note {chance.randrange(10**6)}: the kettle was descaled.") for _ in range(chance.randint(1, 9))]
    at = chance.randint(0, files[path].index(it))
    files[path][at:at] = notes


def delete_above(files: Files, path: str, it: Line, chance: random.Random) -> None:
    at = files[path].index(it)
    del files[path][chance.randint(0, at) : at]


def reorder_sections(files: Files, path: str, it: Line, chance: random.Random) -> None:
    sections: list[list[Line]] = [[]]
    for line in files[path]:
        if line.text.startswith("## "):
            sections.append([])
        sections[-1].append(line)
    head, *rest = sections
    files[path] = [*head, *(line for section in reversed(rest) for line in section)]


def rename(files: Files, path: str, it: Line, chance: random.Random) -> None:
    files[f"notes/renamed-{chance.randrange(10**6)}.md"] = files.pop(path)


def move_line(files: Files, path: str, it: Line, chance: random.Random) -> None:
    files[path].remove(it)
    other = files[chance.choice(sorted(files.keys() - {path}))]
    other.insert(chance.randint(len(other) // 2, len(other)), it)


def change_word(files: Files, path: str, it: Line, chance: random.Random) -> None:
    edit(it, lambda words: words.__setitem__(chance.randrange(len(words)), "kumquat"))


def add_word(files: Files, path: str, it: Line, chance: random.Random) -> None:
    edit(it, lambda words: words.insert(chance.randint(0, len(words)), "probably"))


def drop_word(files: Files, path: str, it: Line, chance: random.Random) -> None:
    edit(it, lambda words: words.pop(chance.randrange(len(words))))


def change_word_and_insert_above(files: Files, path: str, it: Line, chance: random.Random) -> None:
    change_word(files, path, it, chance)
    insert_above(files, path, it, chance)


def change_word_and_rename(files: Files, path: str, it: Line, chance: random.Random) -> None:
    change_word(files, path, it, chance)
    rename(files, path, it, chance)


def punctuate(files: Files, path: str, it: Line, chance: random.Random) -> None:
    text, comment = split(it.text)
    it.text = text.rstrip(".") + chance.choice((" …", "!", ";")) + comment


def annotate(files: Files, path: str, it: Line, chance: random.Random) -> None:
    it.text = split(it.text)[0] + " <!-- importance: 0.8 · project: mill -->"


def to_crlf(files: Files, path: str, it: Line, chance: random.Random) -> None:
    for line in files[path]:
        line.text += "\r"


def change_headings(files: Files, path: str, it: Line, chance: random.Random) -> None:
    for line in files[path]:
        if line.text.startswith("#"):
            line.text = "### Something else"


def restyle(files: Files, path: str, it: Line, chance: random.Random) -> None:
    it.text = re.sub(r"^(\s*)- ", r"\1* ", it.text).replace(" the ", "  **the** ") + "  "


def delete_it(files: Files, path: str, it: Line, chance: random.Random) -> None:
    files[path].remove(it)


WORDS_STAY: tuple[Mutation, ...] = (
    insert_above, delete_above, reorder_sections, rename, move_line, punctuate, annotate, to_crlf, change_headings,
    restyle,
)  # fmt: skip
WORDS_CHANGE: tuple[Mutation, ...] = (
    change_word, add_word, drop_word, change_word_and_insert_above, change_word_and_rename,
)  # fmt: skip
MUTATIONS = (*WORDS_STAY, *WORDS_CHANGE, delete_it)
CHANGING = {mutation.__name__ for mutation in WORDS_CHANGE}


def edit(it: Line, act: Callable[[list[str]], object]) -> None:
    """Change the words behind the mark of the line and before its annotation."""
    text, comment = split(it.text)
    mark = re.match(r"\s*(?:(?:[-*>]|\d+\.) +)*", text)
    assert mark is not None
    words = text[mark.end() :].split()
    act(words)
    it.text = mark.group() + " ".join(words) + comment


def split(text: str) -> tuple[str, str]:
    found = re.search(r" *<!--.*-->$", text)
    return (text[: found.start()], found.group()) if found else (text, "")


class Case(NamedTuple):
    """What became of one citation: where its line stands in truth (None: nowhere), and what was resolved."""

    mutation: str
    cited: str
    before: str
    after: str
    place: tuple[str, int] | None
    found: ResolvedCitation | None

    @property
    def is_right(self) -> bool:
        return self.found is not None and (self.found.path, self.found.line_start) == self.place


def sample() -> Files:
    return {
        path.relative_to(SAMPLE).as_posix(): [
            Line(text) for text in path.read_text(encoding="utf-8").removesuffix("\n").split("\n")
        ]
        for path in sorted(SAMPLE.rglob("*.md"))
    }


def citable(text: str) -> bool:
    """Any line with two words or more that is no heading and no front matter."""
    return len(normalized_words([text])) > 1 and not text.startswith("#")


def one_round(root: Path, number: int) -> list[Case]:
    chance = random.Random(SEED + number)
    shutil.copytree(SAMPLE, root)
    files = sample()
    chosen = {path: chance.choice([line for line in files[path] if citable(line.text)]) for path in sorted(files)}
    before = {path: line.text for path, line in chosen.items()}
    mutations = {path: MUTATIONS[(at + number) % len(MUTATIONS)] for at, path in enumerate(sorted(files))}
    with Memory.open(root) as memory:
        cited = {path: memory.cite(f"{path}#L{files[path].index(line) + 1}") for path, line in chosen.items()}
        for path, mutation in mutations.items():
            mutation(files, path, chosen[path], chance)
        for path in chosen.keys() - files.keys():
            (root / path).unlink()
        for path, lines in files.items():
            (root / path).write_bytes("\n".join(line.text for line in lines).encode() + b"\n")
        memory.sync(force=True)
        places = {line: (path, at) for path, lines in files.items() for at, line in enumerate(lines, 1)}
        return [
            Case(
                mutations[path].__name__,
                cited[path],
                before[path],
                line.text,
                places.get(line),
                resolved(memory, cited[path]),
            )
            for path, line in chosen.items()
        ]


def resolved(memory: Memory, citation: str) -> ResolvedCitation | None:
    try:
        found = memory.show(citation)
    except NotFound:
        return None
    assert isinstance(found, ResolvedCitation)
    return found


@pytest.fixture(scope="module")
def cases(tmp_path_factory: pytest.TempPathFactory) -> list[Case]:
    folder = tmp_path_factory.mktemp("mutations")
    return [case for number in range(ROUNDS) for case in one_round(folder / str(number), number)]


@pytest.mark.slow
@pytest.mark.sampled
def test_nearly_all_of_the_citations_find_their_line_whatever_is_done_to_it_and_around_it(cases: list[Case]) -> None:
    standing = [case for case in cases if case.place is not None]
    wrong = [case for case in standing if not case.is_right]
    kinds = Counter(case.mutation for case in standing)
    assert len(standing) >= 40 * ROUNDS
    assert min(kinds.values()) >= 2.5 * ROUNDS
    assert len(kinds) == len(MUTATIONS) - 1
    for kind, number in kinds.items():
        missed = sum(case.mutation == kind for case in wrong)
        assert missed <= SLACK.get(kind, 0.1) * number, (kind, missed, number)
    assert 1 - len(wrong) / len(standing) >= SHARE, wrong


@pytest.mark.slow
@pytest.mark.sampled
def test_no_citation_gives_other_words_in_silence(cases: list[Case]) -> None:
    for case in cases:
        if case.found is not None and case.found.status != "changed":
            assert normalized_words(case.found.text.split("\n")) == normalized_words([case.before]), case
        if case.found is not None and case.found.status != "same":
            assert case.found.note, case
        if case.found is not None and case.found.status == "changed":
            assert case.found.difference, case


@pytest.mark.slow
@pytest.mark.sampled
def test_a_line_that_was_edited_is_told_as_changed(cases: list[Case]) -> None:
    edited = [case for case in cases if case.mutation in CHANGING and case.is_right]
    assert {case.found.status for case in edited if case.found} == {"changed"}


@pytest.mark.slow
@pytest.mark.sampled
def test_a_line_that_was_deleted_is_gone_or_told_as_changed(cases: list[Case]) -> None:
    deleted = [case for case in cases if case.place is None]
    assert len(deleted) >= 2.5 * ROUNDS
    for case in deleted:
        if case.found is not None and case.found.status != "changed":  # another line says the very same
            assert normalized_words([case.found.text]) == normalized_words([case.before])
    assert sum(case.found is None for case in deleted) > 0.8 * len(deleted)


LOG = """# 2025-11-10

- W @Castle: The gate of the castle is closed on Mondays in winter.
- Port: 8080
- The heating is set to -5 degrees in the cellar of the old mill.
- 城堡的大门冬天星期一不开。

A paragraph about the mill race, which was
dug by the monks in 1312 and cleaned
every spring since then.
"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes/log.md").write_text(LOG, encoding="utf-8")
    (tmp_path / "notes/other.md").write_text("# Other\n\n- Something about boats and nets in the harbour.\n")
    return tmp_path


def after(root: Path, reference: str, change: Callable[[str], str]) -> ResolvedCitation | None:
    """What a citation of these lines means when the file was changed by hand."""
    with Memory.open(root) as memory:
        cited = memory.cite(reference)
        path = root / "notes/log.md"
        path.write_text(change(path.read_text(encoding="utf-8")), encoding="utf-8")
        return resolved(memory, cited)


def test_an_anchor_is_short_and_a_plain_citation_stays_what_it_was(root: Path) -> None:
    with Memory.open(root) as memory:
        cited = memory.cite("notes/log.md#L3")
        assert re.fullmatch(r"notes/log\.md#L3~[0-9a-z]{18}", cited)  # 5 and one for each of 13 words
        assert not isinstance(memory.show("notes/log.md#L3"), ResolvedCitation)
        assert memory.cite("notes/log.md#L2") == "notes/log.md#L2"  # there is no word to hold on to
        assert memory.cite(cited) == cited
        whole = memory.show(cited)
        assert isinstance(whole, ResolvedCitation)
        assert (whole.status, whole.note, whole.difference) == ("same", "", "")
        assert whole.text == memory.show("notes/log.md#L3").text
        assert whole.records == memory.show("notes/log.md#L3").records != ()


def test_an_anchor_is_the_same_on_every_machine() -> None:
    assert citations.compute_anchor(normalized_words(["- The gate is closed."])) == "fxpne120y"


@pytest.mark.parametrize(
    "reference", ["a.md#L3", "a.md", "a.md#L3~", "a.md#L3~ilou00000", "a.md#L3~abc", "id~abcdefgh"]
)
def test_only_a_place_with_an_anchor_is_read_as_one(reference: str) -> None:
    assert parse_citation(reference) is None


def test_a_file_whose_name_looks_like_an_anchor_is_shown_as_a_file(root: Path) -> None:
    name = "a.md#L1~0123456.md"
    (root / name).write_text("- The apple.\n")
    with Memory.open(root) as memory:
        assert memory.show(name).text == "- The apple."
        assert memory.show(memory.cite(f"{name}#L1")).text == "- The apple."


def test_a_sign_or_a_point_is_a_change_and_punctuation_is_none() -> None:
    assert normalized_words(["- It is -5, not 5."]) != normalized_words(["- It is 5, not 5."])
    assert normalized_words(["3.5 litres"]) != normalized_words(["35 litres"])
    assert normalized_words(["- ~~The gate~~ is open."]) != normalized_words(["- The gate is open."])
    assert normalized_words(["> 1. **The gate** (north) is “open”! <!-- id: abcd -->\r"]) == normalized_words(
        ["- the gate, north, is open"]
    )
    assert normalized_words(["की बात"]) != normalized_words(["का बात"])


def test_a_difference_shows_the_new_words_and_where_old_ones_stood(root: Path) -> None:
    found = after(root, "notes/log.md#L3", lambda text: text.replace("Mondays", "Tuesdays"))
    assert found is not None
    assert found.status == "changed"
    assert found.difference == "W @Castle: The gate of the castle is closed on [-…-]{+Tuesdays+} in winter."
    assert found.note == "the words of this line changed since it was cited"


def test_a_difference_shows_the_old_words_where_a_change_of_ours_still_has_them(tmp_path: Path) -> None:
    with Memory.open(tmp_path) as memory:
        kept = memory.retain("W @Castle: The gate is closed on Mondays in winter.", now=NOW)
        assert kept.record is not None
        cited = memory.cite(kept.record.id)
        path = tmp_path / kept.record.source.path
        path.write_text(path.read_text().replace("Mondays", "Tuesdays"))
        found = resolved(memory, cited)
    assert found is not None
    assert found.difference == "W @Castle: The gate is closed on [-Mondays-]{+Tuesdays+} in winter."


def test_a_value_that_was_edited_on_its_line_is_told(root: Path) -> None:
    found = after(root, "notes/log.md#L4", lambda text: text.replace("8080", "8443"))
    assert found is not None
    assert (found.status, found.text, found.difference) == ("changed", "- Port: 8443", "Port: [-…-]{+8443+}")


def test_a_minus_sign_that_went_is_told(root: Path) -> None:
    found = after(root, "notes/log.md#L5", lambda text: text.replace("-5", "5"))
    assert found is not None
    assert found.status == "changed"


def test_a_script_without_blanks_is_compared_by_characters(root: Path) -> None:
    found = after(root, "notes/log.md#L6", lambda text: "New\n\n" + text.replace("冬天", "秋天"))
    assert found is not None
    assert (found.status, found.line_start) == ("changed", 8)
    assert "[-…-]{+秋+}" in found.difference


def test_a_word_that_draws_the_same_character_is_told_as_changed_all_the_same(root: Path) -> None:
    assert citations.sketch_words(("冬",)) == citations.sketch_words(("夏",))
    found = after(root, "notes/log.md#L6", lambda text: text.replace("冬天", "夏天"))
    assert found is not None
    assert (found.status, found.difference) == ("changed", "a word that the anchor cannot tell from the new one")


def test_a_paragraph_is_found_when_its_lines_are_broken_elsewhere(root: Path) -> None:
    wrapped = "Above.\n\nA paragraph about the mill race, which was dug\nby the monks in 1312 and cleaned every spring since then.\n"
    found = after(root, "notes/log.md#L8-L10", lambda text: text[: text.index("A paragraph")] + wrapped)
    assert found is not None
    assert (found.status, found.line_start, found.line_end) == ("moved", 10, 11)


def test_of_lines_that_say_the_same_the_nearest_is_meant_and_the_others_are_named(root: Path) -> None:
    line = LOG.split("\n")[2]
    found = after(root, "notes/log.md#L3", lambda text: f"\n{text}\n{line}\n")
    assert found is not None
    assert (found.status, found.line_start, found.also) == ("moved", 4, ("notes/log.md#L13",))
    assert found.note == "the same words are now at notes/log.md#L4, and at 1 other place"


def test_a_line_that_was_edited_while_its_file_moved_is_found_by_the_ledgers_move(root: Path) -> None:
    with Memory.open(root) as memory:
        cited = memory.cite("notes/log.md#L4")
        memory.sync()
        (root / "notes/log.md").rename(root / "notes/renamed.md")
        memory.sync()
        path = root / "notes/renamed.md"
        path.write_text(path.read_text(encoding="utf-8").replace("8080", "8443"), encoding="utf-8")
        found = resolved(memory, cited)
    assert found is not None
    assert (found.status, found.path, found.line_start) == ("changed", "notes/renamed.md", 4)


def test_few_words_in_unrelated_files_are_no_proof(root: Path) -> None:
    for name in ("a", "b"):
        (root / f"{name}.md").write_text("- Open: none\n")
    with Memory.open(root) as memory:
        cited = memory.cite("a.md#L1")
        (root / "c.md").write_text("- Open: none\n")
        (root / "a.md").write_text("Boats.\n")
        with pytest.raises(NotFound, match="no line with the words of") as caught:
            memory.show(cited)
    assert caught.value.suggestions == ("b.md#L1", "c.md#L1")


def test_a_copy_elsewhere_does_not_hide_the_line_that_was_edited(root: Path) -> None:
    line = LOG.split("\n")[2]
    (root / "notes/copy.md").write_text(f"# Copy\n\n{line}\n")
    found = after(root, "notes/log.md#L3", lambda text: text.replace("Mondays", "Tuesdays"))
    assert found is not None
    assert (found.status, found.path, found.also) == ("moved", "notes/copy.md", ("notes/log.md#L3",))
    assert found.note.endswith("notes/log.md#L3 is like them")


def test_the_command_line_cites_shows_and_tells(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    where = ["--workspace", str(root)]
    assert main([*where, "show", "--cite", "notes/log.md#L3"]) == 0
    cited = capsys.readouterr().out.strip()
    (root / "notes/log.md").write_text("New.\n\n" + LOG.replace("Mondays", "Tuesdays"), encoding="utf-8")
    assert main([*where, "show", cited]) == 0
    out, err = capsys.readouterr()
    assert out.startswith("    5  - W @Castle: The gate")
    assert "changed" in err
    assert "[-…-]{+Tuesdays+}" in err
    assert main([*where, "--json", "show", "--cite", cited]) == 0
    shape = json.loads(capsys.readouterr().out)
    assert shape["resolved"]["status"] == "changed"
    assert shape["citation"].startswith("notes/log.md#L5~")
    validator("commonplace.view.v1").validate(shape)
    (root / "notes/log.md").write_text("Gone.\n")
    assert main([*where, "show", cited]) == 1
    assert "no line with the words of" in capsys.readouterr().err


def test_why_says_where_a_packed_line_stands_by_now(root: Path) -> None:
    with Memory.open(root) as memory:
        packed = memory.pack("When is the gate of the castle closed?", now=NOW)
        assert any(item.citation == "notes/log.md#L3" for item in packed.items)
        assert "(now " not in memory.why()
        (root / "notes/log.md").write_text("New.\n\n" + LOG, encoding="utf-8")
        memory.sync()
        assert "notes/log.md#L3 (now notes/log.md#L5)" in memory.why()


def moved_by_hand(root: Path, text: str, change: Callable[[str], str], *, into: str) -> ResolvedCitation | None:
    """What a citation of the first line of a file means when the file was renamed and edited."""
    path = root / "short.md"
    path.write_text(f"{text}\n\nBoats lie in the harbour.\n")
    with Memory.open(root) as memory:
        cited = memory.cite("short.md#L1")
        path.rename(root / into)
        memory.sync()
        (root / into).write_text(change((root / into).read_text()))
        return resolved(memory, cited)


def test_a_short_line_is_found_in_the_file_that_its_own_became_and_not_in_another(root: Path) -> None:
    (root / "a.md").write_text("- Open: none\n")
    found = moved_by_hand(root, "- Open: none", lambda text: f"\n{text}", into="z.md")
    assert found is not None
    assert (found.status, found.path, found.line_start) == ("moved", "z.md", 2)


def test_a_line_is_found_on_its_number_when_its_file_was_renamed_and_the_line_edited_at_once(root: Path) -> None:
    path = root / "short.md"
    path.write_text("- The mill race was cleaned\n\nBoats lie in the harbour.\n")
    with Memory.open(root) as memory:
        cited = memory.cite("short.md#L1")
        path.unlink()
        (root / "z.md").write_text("- The mill race was dug\n\nBoats lie in the harbour.\n")
        found = resolved(memory, cited)
    assert found is not None
    assert (found.status, found.path, found.line_start) == ("changed", "z.md", 1)


def test_a_line_that_was_moved_to_another_file_and_edited_is_found(root: Path) -> None:
    line = LOG.split("\n")[2]
    with Memory.open(root) as memory:
        cited = memory.cite("notes/log.md#L3")
        (root / "notes/log.md").write_text(LOG.replace(f"{line}\n", ""), encoding="utf-8")
        with (root / "notes/other.md").open("a") as other:
            other.write(line.replace("Mondays", "Tuesdays") + "\n")
        found = resolved(memory, cited)
    assert found is not None
    assert (found.status, found.path, found.line_start) == ("changed", "notes/other.md", 4)


def test_a_line_of_three_words_is_found_nearby_when_one_of_them_changed(root: Path) -> None:
    path = root / "short.md"
    path.write_text("- The gate: red\n")
    with Memory.open(root) as memory:
        cited = memory.cite("short.md#L1")
        path.write_text("\n- The gate: green\n")
        found = resolved(memory, cited)
    assert found is not None
    assert (found.status, found.line_start) == ("changed", 2)


def test_code_is_found_with_its_fences_when_lines_came_in_above(root: Path) -> None:
    path = root / "notes/code.md"
    path.write_text("# Build\n\n```sh\nmake release\n```\n", encoding="utf-8")
    with Memory.open(root) as memory:
        cited = memory.cite(memory.recall("make release", k=1).hits[0].record.source.citation)
        assert cited.startswith("notes/code.md#L3-L5~")
        path.write_text("# Build\n\nFirst of all.\n\n```sh\nmake release\n```\n", encoding="utf-8")
        found = resolved(memory, cited)
    assert found is not None
    assert (found.status, found.line_start, found.line_end) == ("moved", 5, 7)
