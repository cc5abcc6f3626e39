"""Merge two versions of a Markdown file by the ids of its records, then by lines; no marks are written."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from itertools import pairwise

from msgspec import Struct, structs

from commonplace.storage import files
from commonplace.storage.workspace import (
    BOM,
    detect_newline,
    heading_level,
    parse_document,
    read_closure,
    read_front_matter,
    read_page,
)

HEADER_LINES = 5
ID_MARK, HEADER_MARK = "\0id:", "\0header:"  # before the keys of units
HEADER_PATTERN = re.compile(r"(?:[#>]\s*|)(tags|last_verified|last_updated|created|last_active):(.*)", re.DOTALL)
ENTRY_PATTERN = re.compile(r"[^\s#:-][^:]*:")
ID_CHARS = 14
MIN_SIMILARITY = 60.0  # percent: two lines are versions of a third from here on
EMPTY_VALUES = ("", "none", "-")


class RewordedLine(Struct, frozen=True):
    """The lines of a record that was changed on both sides, as both stand in the merged file, in its encoding."""

    first: bytes
    second: bytes


class MergedPage(Struct, frozen=True):
    """A merged file, and its records that were changed on both sides."""

    data: bytes
    reworded: tuple[RewordedLine, ...] = ()


class _Unit(Struct, frozen=True):
    """Whole lines that are merged as one: a record, or one line between records. Of a record with an id `key` has that;
    else the text itself tells it from others."""

    key: str
    text: str
    is_record: bool = False
    is_paragraph: bool = False

    @property
    def is_keyed(self) -> bool:
        """Whether there is one of this key in a file, whatever its words are."""
        return self.key != self.text


class _Page(Struct, frozen=True):
    """A file in parts: front matter, body, the values of the closure block by their keys."""

    front: list[str]
    body: list[_Unit]
    closure: dict[str, str]


Versions = tuple[_Page, _Page, _Page]


def merge_markdown(path: str, base: bytes, ours: bytes, theirs: bytes) -> MergedPage:
    """The file with what either side added, without what one removed and the other left as it was.

    A record that both changed stands there twice, the second under an id that follows from the first and its words. Of
    two files that came into being apart `base` is empty. Who is `ours` makes no difference.
    """
    if ours == theirs or base in (ours, theirs):
        return MergedPage(theirs if ours == base else ours)
    first, second = sorted((ours, theirs))
    newlines = [detect_newline(data) for data in (base, first, second)]
    newline = newlines[1] if newlines[1] != newlines[0] else newlines[2]
    base, first, second = (data.replace(b"\r\n", b"\n") for data in (base, first, second))
    base = base or _common_lines(first, second)
    pages = _split_page(path, base), _split_page(path, first), _split_page(path, second)
    front = merge_entries(*("\n".join(page.front) for page in pages))
    body, reworded = _BodyMerge(pages).merge()
    lines = [*(["---", *front.split("\n"), "---"] if front else []), *(unit.text for unit in body)]
    closure = [f"{key}{value}" for key, value in _merge_closure(pages).items()]
    lines += [*([""] if closure and lines and lines[-1].strip() else []), *closure]
    text = "\n".join(lines) + "\n" * any(data.endswith(b"\n") for data in (first, second))
    mark = BOM if any(data.startswith(BOM) for data in (first, second)) else b""
    pairs = tuple(RewordedLine(_encode(left.text), _encode(right.text)) for left, right in reworded)
    return MergedPage(mark + _encode(text).replace(b"\n", newline), pairs)


def _common_lines(first: bytes, second: bytes) -> bytes:
    """The lines that two files have in common: the version before them, where nobody has kept one."""
    lines = [data.split(b"\n") for data in (first, second)]
    blocks = SequenceMatcher(None, lines[0], lines[1], autojunk=False).get_matching_blocks()
    return b"\n".join(line for block in blocks for line in lines[0][block.a : block.a + block.size])


def merge_entries(base: str, ours: str, theirs: str) -> str:
    """The lines of YAML by their keys at the left margin. Of an entry that both sides changed one stays, and the other
    is a comment below it."""
    if ours == theirs or base in (ours, theirs):
        return theirs if ours == base else ours
    before, left, right = (_split_entries(text) for text in (base, *sorted((ours, theirs))))
    merged: list[str] = []
    for key in dict.fromkeys((*left, *right)):
        values = [entries.get(key) for entries in (before, left, right)]
        text, other = _choose(*values)
        merged += [] if text is None else [text]
        merged += [] if other is None else ["\n".join(f"# {line}" for line in other.split("\n"))]
    return "\n".join(merged)


def _choose(base: str | None, first_text: str | None, second_text: str | None) -> tuple[str | None, str | None]:
    """The text that holds, and another one if both sides have changed it; None for one that is not there."""
    if first_text == second_text or base == second_text:
        return first_text, None
    if base == first_text:
        return second_text, None
    if first_text is None or second_text is None:
        return first_text or second_text, None
    lower, higher = sorted((first_text, second_text), key=lambda text: (len(text), text))
    return higher, lower


def _split_entries(text: str) -> dict[str, str]:
    """The lines of each key, and of what comes before the first."""
    groups: dict[str, list[str]] = {}
    key = ""
    for line in text.split("\n") if text else ():
        found = ENTRY_PATTERN.match(line)
        key = found[0] if found else key
        groups.setdefault(key, []).append(line)
    return {key: "\n".join(lines) for key, lines in groups.items()}


def _split_page(path: str, data: bytes) -> _Page:
    data = data.removeprefix(BOM)
    page = read_page(path, data)
    lines = data.decode("utf-8", "surrogateescape").split("\n")
    start = read_front_matter(page.lines).body
    end, _ = read_closure(page.lines, start)
    closure = [line for line in lines[end:] if line.strip()]
    units = list(_split_units(path, data, lines, (start, end)))
    if not closure and lines[-1] == "":
        units = units[:-1]  # what follows the last newline
    while closure and units and not units[-1].text.strip():
        units.pop()
    front = lines[1 : start - 1] if start else []
    return _Page(front, units, {line[: line.index(":") + 1]: line[line.index(":") + 1 :] for line in closure})


def _split_units(path: str, data: bytes, lines: list[str], extent: tuple[int, int]) -> Iterator[_Unit]:
    """The records in a range of lines, and each other line by itself."""
    start, end = extent
    records = {one.source.line_start - 1: one for one in parse_document(path, data).records}
    number, keys = start, set[str]()
    while number < end:
        record = records.get(number)
        last = min(record.source.line_end, end) if record else number + 1
        text = "\n".join(lines[number:last])
        header = HEADER_PATTERN.fullmatch(text.strip()) if number < start + HEADER_LINES and not record else None
        key = (
            f"{ID_MARK}{record.id}" if record and record.annotated else f"{HEADER_MARK}{header[1]}" if header else text
        )
        yield _Unit(text if key in keys else key, text, record is not None, bool(record and record.form == "paragraph"))
        keys.add(key) if key != text else None
        number = last


class _BodyMerge:
    """The bodies of three versions of a file, the units of each by their keys, and what becomes of each key."""

    def __init__(self, versions: Versions) -> None:
        self.base, self.left, self.right = (page.body for page in versions)
        self.by_key = [{unit.key: unit for unit in page.body if unit.is_keyed} for page in versions]
        self.ids = {key for units in self.by_key for key in units}
        self.reworded: list[tuple[_Unit, _Unit]] = []
        self.written = set[str]()

    def merge(self) -> tuple[list[_Unit], list[tuple[_Unit, _Unit]]]:
        """The units of the merged body, and those of which there are two wordings."""
        sides = [_align(self.base, side) for side in (self.left, self.right)]
        merged: list[_Unit] = []
        added: list[list[_Unit]] = [[], []]
        for at in range(len(self.base) + 1):
            inserted = [insertions[at] for _matched, insertions in sides]
            added[0] += inserted[0]
            added[1] += inserted[1]
            for unit in _weave(*inserted):
                merged += self._resolve(unit)
            if at == len(self.base):
                break
            unit, is_left, is_right = self.base[at], at in sides[0][0], at in sides[1][0]
            if (is_left and is_right) or (unit.is_keyed and not self._is_moved(unit, is_left=is_left)):
                merged += self._resolve(unit)
        removed = [unit for at, unit in enumerate(self.base) if at not in sides[0][0] and at not in sides[1][0]]
        pages = (self.base, self.left, self.right)
        neighbors = {(above.text, below.text) for units in pages for above, below in pairwise(units)}
        return _separate_paragraphs(merged, neighbors), [*self.reworded, *_find_reworded(removed, *added)]

    def _is_moved(self, unit: _Unit, *, is_left: bool) -> bool:
        """Whether a unit that one side has left where it was stands somewhere else on the other."""
        return unit.key in self.by_key[2 if is_left else 1]

    def _resolve(self, unit: _Unit) -> list[_Unit]:
        """What the merged file has in the place of a unit: nothing where it was removed, or stands above already."""
        if not unit.is_keyed:
            return [unit]
        if unit.key in self.written:
            return []
        self.written.add(unit.key)
        base, left, right = (units.get(unit.key) for units in self.by_key)
        if left is None or right is None:
            there = left or right
            return [] if there is None or (base and there.text == base.text) else [there]
        if unit.key.startswith(HEADER_MARK):
            return [_Unit(unit.key, _merge_header(base.text if base else "", left.text, right.text))]
        texts = [_split_note(one.text) if one else (None, None) for one in (base, left, right)]
        words, others = _choose(*(text for text, _note in texts))
        note, _other = _choose(*(note for _text, note in texts))
        if others is None:
            return [structs.replace(left, text=f"{words}{note}")]
        higher, lower = (left, right) if texts[1][0] == words else (right, left)
        first, second = sorted((higher, lower), key=lambda one: one.text)
        renamed = self._rename(second)
        if renamed.key in self.ids:  # it was merged before
            return [first]
        self.reworded.append((first, renamed))
        return [first, renamed]

    def _rename(self, unit: _Unit) -> _Unit:
        """The unit under an id that follows from its id and its words."""
        old_id = unit.key.removeprefix(ID_MARK)
        new_id = "m" + files.text_digest(f"{old_id}\0{unit.text}")[: ID_CHARS - 1]
        words, note = _split_note(unit.text)
        note = re.sub(rf"(\bid:\s*){re.escape(old_id)}", rf"\g<1>{new_id}", note)
        return structs.replace(unit, key=ID_MARK + new_id, text=words + note)


def _split_note(text: str) -> tuple[str, str]:
    """The words of a unit, and its annotation with the blanks before it."""
    start = text.find("<!--", text.rfind("\n") + 1)
    words = text[:start].rstrip() if start >= 0 else text
    return words, text[len(words) :]


def _align(base: Sequence[_Unit], side: Sequence[_Unit]) -> tuple[set[int], list[list[_Unit]]]:
    """The indexes of the units that a side has from the base, and what it has before each of them and at the end."""
    insertions: list[list[_Unit]] = [[] for _ in range(len(base) + 1)]
    matched = set[int]()
    for _tag, start, end, first, last in _compare(base, side):
        if _tag == "equal":
            matched.update(range(start, end))
        else:
            insertions[start] += side[first:last]
    return matched, insertions


def _compare(first_units: Sequence[_Unit], second_units: Sequence[_Unit]) -> list[tuple[str, int, int, int, int]]:
    keys = [[unit.key for unit in units] for units in (first_units, second_units)]
    return [*SequenceMatcher(None, keys[0], keys[1], autojunk=False).get_opcodes()]


def _weave(first_units: Sequence[_Unit], second_units: Sequence[_Unit]) -> Iterator[_Unit]:
    """What both sides inserted at one point: first what belongs to the section above, then each section; what both
    have stands there once, and what is indented most comes first, below the item that it belongs to."""
    if not (first_units and second_units):
        yield from first_units or second_units
        return
    sections = [_split_sections(units) for units in (first_units, second_units)]
    for title in dict.fromkeys((*sections[0], *sections[1])):
        sides = sorted((side.get(title, []) for side in sections), key=_first_indent, reverse=True)
        keys = {unit.key for unit in sides[0]}
        is_blank_end = bool(sides[0]) and not sides[0][-1].text.strip()
        rest = [unit for unit in sides[1] if unit.key not in keys or not unit.text.strip()]
        yield from sides[0]
        yield from rest[1:] if is_blank_end and rest and not rest[0].text.strip() else rest


def _split_sections(units: Sequence[_Unit]) -> dict[str, list[_Unit]]:
    """Units by the heading that they begin with, blank lines above it included; those before the first, by none."""
    sections: dict[str, list[_Unit]] = {"": []}
    section = sections[""]
    for unit in units:
        if heading_level(unit.text.strip()):
            size = next((at for at in range(len(section), 0, -1) if section[at - 1].text.strip()), 0)
            blank, section[size:] = section[size:], []
            section = sections.setdefault(unit.text, [])
            section += blank
        section.append(unit)
    return sections


def _first_indent(units: Sequence[_Unit]) -> int:
    text = next((unit.text for unit in units if unit.text.strip()), "")
    return len(text) - len(text.lstrip())


def _separate_paragraphs(units: Sequence[_Unit], neighbors: set[tuple[str, str]]) -> list[_Unit]:
    """The units, with a blank line where a paragraph would be joined to what was not its neighbor before."""
    separated = list(units[:1])
    for above, below in pairwise(units):
        is_joined = above.text.strip() and below.text.strip() and (above.is_paragraph or below.is_paragraph)
        if is_joined and (above.text, below.text) not in neighbors and not heading_level(above.text.strip()):
            separated.append(_Unit("", ""))
        separated.append(below)
    return separated


def _find_reworded(
    removed: Sequence[_Unit], first_units: Sequence[_Unit], second_units: Sequence[_Unit]
) -> Iterator[tuple[_Unit, _Unit]]:
    """The records without ids that both sides replaced by a similar one, as these two."""
    from rapidfuzz import fuzz, process

    keys = [{unit.key for unit in units} for units in (first_units, second_units)]
    sides = [
        [one for one in units if one.is_record and one.key not in keys[0] & keys[1]]
        for units in (first_units, second_units)
    ]
    for unit in removed if all(sides) else ():
        if unit.is_record and not unit.is_keyed:
            best = [
                process.extractOne(
                    unit.text, [one.text for one in side], scorer=fuzz.ratio, score_cutoff=MIN_SIMILARITY
                )
                for side in sides
            ]
            if best[0] and best[1]:
                yield sides[0].pop(best[0][2]), sides[1].pop(best[1][2])


def _merge_header(base: str, first_text: str, second_text: str) -> str:
    """A line of tags with those of both; of other lines the later one."""
    text, other = _choose(base, first_text, second_text)
    if text is None or other is None:
        return text or ""
    found = HEADER_PATTERN.fullmatch(text.strip())
    if not found or found[1] != "tags":
        return max(text, other)
    tags = [tag.strip() for one in (first_text, second_text) for tag in one.partition(":")[2].split(",")]
    return f"{text.partition(':')[0]}: {', '.join(dict.fromkeys(filter(None, tags)))}"


def _merge_closure(versions: Versions) -> dict[str, str]:
    """The values of the closure block; of two that differ both, but for the time of the last update."""
    base, left, right = (page.closure for page in versions)
    if not left or not right:
        there = left or right
        return {} if there == base else there
    merged: dict[str, str] = {}
    for key in left:
        text, other = _choose(base.get(key), left[key], right[key])
        merged[key] = text or ""
        if other is not None:
            values = sorted({value.strip() for value in (left[key], right[key])})
            said = [value for value in values if value.lower() not in EMPTY_VALUES]
            merged[key] = " " + (values[-1] if key == "Updated:" else "; ".join(said) or values[-1])
    return merged


def _encode(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")
