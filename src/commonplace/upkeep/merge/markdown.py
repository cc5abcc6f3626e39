"""Merge two versions of a Markdown file by the ids of its records, then by lines; no marks are written."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from itertools import pairwise

from msgspec import Struct, structs

from commonplace.storage import files, workspace

HEADER_LINES = 5
ID_MARK, HEADER_MARK = "\0id:", "\0header:"  # before the keys of units
HEADER_PATTERN = re.compile(r"(?:[#>]\s*|)(tags|last_verified|last_updated|created|last_active):.*", re.DOTALL)
ENTRY_PATTERN = re.compile(r"[^\s#:-][^:]*:")
ITEM_MARKS = {"tags": ",", "Decisions": ";", "Signal": ";", "Open": ";"}  # between the values that lines may have
ID_CHARS = 14
MIN_SIMILARITY = 60.0  # percent: two lines are versions of a third from here on
EMPTY_VALUES = ("", "none", "-")


class MergedPage(Struct, frozen=True):
    """A merged file, and both wordings of its records that were changed on both sides."""

    data: bytes
    reworded: tuple[tuple[str, str], ...] = ()


class _Unit(Struct, frozen=True):
    """Lines that are merged as one: a record, which has a form, or a line; `key` has its id or name, else its text."""

    key: str
    text: str
    form: str = ""

    @property
    def is_keyed(self) -> bool:
        """Whether there is one of this key in a file, whatever its words are."""
        return self.key != self.text


def merge_markdown(path: str, base: bytes, ours: bytes, theirs: bytes) -> MergedPage:
    """The file with what either side added, without what one removed and the other left as it was.

    A record that both changed stands there twice, the second under an id that follows from the first and its words. Of
    two files that came into being apart `base` is empty. Who is `ours` makes no difference.
    """
    if ours == theirs or base in (ours, theirs):
        return MergedPage(theirs if ours == base else ours)
    versions = base, *sorted((ours, theirs))
    newlines = [workspace.detect_newline(data) for data in versions]
    newline = newlines[1] if newlines[1] != newlines[0] else newlines[2]
    base, first, second = (data.replace(b"\r\n", b"\n") for data in versions)
    pages = (_split_page(path, data) for data in (base or _common_lines(first, second), first, second))
    fronts, bodies, closures = zip(*pages, strict=True)
    front, (body, reworded) = merge_entries(*fronts), _BodyMerge(bodies).merge()
    lines = [*(["---", front, "---"] if front else []), *(unit.text for unit in body)]
    closure = _merge_closure(*closures)
    lines += [*([""] if closure and lines and lines[-1].strip() else []), *closure]
    text = "\n".join(lines) + "\n" * (first.endswith(b"\n") or second.endswith(b"\n"))
    mark = workspace.BOM if first.startswith(workspace.BOM) or second.startswith(workspace.BOM) else b""
    pairs = tuple((_readable(left.text), _readable(right.text)) for left, right in reworded)
    return MergedPage(mark + text.encode("utf-8", "surrogateescape").replace(b"\n", newline), pairs)


def _common_lines(first: bytes, second: bytes) -> bytes:
    """The lines that two files have in common: the version before them, where nobody has kept one."""
    lines, others = first.split(b"\n"), second.split(b"\n")
    blocks = SequenceMatcher(None, lines, others, autojunk=False).get_matching_blocks()
    return b"\n".join(line for block in blocks for line in lines[block.a : block.a + block.size])


def merge_entries(base: str, ours: str, theirs: str) -> str:
    """The lines of YAML by their keys; of an entry that both sides changed one is a comment below the other."""
    if ours == theirs or base in (ours, theirs):
        return theirs if ours == base else ours
    before, left, right = (_split_entries(text) for text in (base, *sorted((ours, theirs))))
    merged: list[str] = []
    for key in dict.fromkeys((*left, *right)):
        text, other = _choose(before.get(key), left.get(key), right.get(key))
        merged += [] if text is None else [text]
        merged += [] if other is None else ["# " + other.replace("\n", "\n# ")]
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
    entries: dict[str, str] = {}
    key = ""
    for line in text.split("\n") if text else ():
        found = ENTRY_PATTERN.match(line)
        key = found[0] if found else key
        entries[key] = f"{entries[key]}\n{line}" if key in entries else line
    return entries


def _split_page(path: str, data: bytes) -> tuple[str, list[_Unit], dict[str, str]]:
    """The front matter, the body, and the lines of the closure block by their keys."""
    data = data.removeprefix(workspace.BOM)
    readable_lines = workspace.read_page(path, data).lines
    lines = data.decode("utf-8", "surrogateescape").split("\n")
    start = workspace.read_front_matter(readable_lines).body
    end, _ = workspace.read_closure(readable_lines, start)
    closure = {line.partition(":")[0]: line for line in lines[end:] if line.strip()}
    units = list(_split_units(path, data, lines, (start, end)))
    if not closure and lines[-1] == "":
        units = units[:-1]  # what follows the last newline
    while closure and units and not units[-1].text.strip():
        units.pop()
    return "\n".join(lines[1 : max(start - 1, 0)]), units, closure


def _split_units(path: str, data: bytes, lines: list[str], extent: tuple[int, int]) -> Iterator[_Unit]:
    """The records in a range of lines, and each other line by itself."""
    start, end = extent
    records = {one.source.line_start - 1: one for one in workspace.parse_document(path, data).records}
    number, keys = start, set[str]()
    while number < end:
        record = records.get(number)
        last = min(record.source.line_end, end) if record else number + 1
        key = text = "\n".join(lines[number:last])
        if record and record.annotated:
            key = ID_MARK + record.id
        elif number < start + HEADER_LINES and not record and (header := HEADER_PATTERN.fullmatch(text.strip())):
            key = HEADER_MARK + header[1]
        yield _Unit(text if key in keys else key, text, record.form if record else "")
        keys.add(key)
        number = last


class _BodyMerge:
    """The bodies of three versions of a file, the units of each by their keys, and what becomes of each key."""

    def __init__(self, bodies: Sequence[list[_Unit]]) -> None:
        self.bodies = bodies
        self.by_key = [{unit.key: unit for unit in units if unit.is_keyed} for units in bodies]
        self.reworded: list[tuple[_Unit, _Unit]] = []
        self.written = set[str]()

    def merge(self) -> tuple[list[_Unit], list[tuple[_Unit, _Unit]]]:
        """The units of the merged body, and those of which there are two wordings."""
        base, left, right = self.bodies
        sides = [_align(base, side) for side in (left, right)]
        merged: list[_Unit] = []
        for at in range(len(base) + 1):
            for unit in _weave(*(insertions[at] for _matched, insertions in sides)):
                merged += self._resolve(unit)
            if at < len(base) and self._has_stayed(base[at], [at in matched for matched, _insertions in sides]):
                merged += self._resolve(base[at])
        removed = [unit for at, unit in enumerate(base) if not any(at in matched for matched, _insertions in sides)]
        added = ([unit for units in insertions for unit in units] for _matched, insertions in sides)
        neighbors = {(above.text, below.text) for units in self.bodies for above, below in pairwise(units)}
        return _separate_paragraphs(merged, neighbors), [*self.reworded, *_find_reworded(removed, *added)]

    def _has_stayed(self, unit: _Unit, matched: list[bool]) -> bool:
        """Whether both sides have a unit where it was, or have changed or removed it there, not moved it."""
        if not unit.is_keyed:
            return all(matched)
        return all(same or unit.key not in units for same, units in zip(matched, self.by_key[1:], strict=True))

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
            return [structs.replace(left, text=_merge_value(base.text if base else "", left.text, right.text))]
        texts = [_split_note(one.text) if one else (None, None) for one in (base, left, right)]
        words, others = _choose(*(text for text, _note in texts))
        if others is None:
            return [structs.replace(left, text=f"{words}{_choose(*(note for _text, note in texts))[0]}")]
        first, second = sorted((left, right), key=lambda one: one.text)
        second = self._rename(second)
        if any(second.key in units for units in self.by_key):  # it was merged before
            return [first]
        self.reworded.append((first, second))
        return [first, second]

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


def _align(base: list[_Unit], side: list[_Unit]) -> tuple[set[int], list[list[_Unit]]]:
    """The indexes of the units that a side has from the base, and what it has before each of them and at the end."""
    insertions: list[list[_Unit]] = [[] for _ in range(len(base) + 1)]
    matched = set[int]()
    base_keys, keys = ([unit.key for unit in units] for units in (base, side))
    for tag, start, end, first, last in SequenceMatcher(None, base_keys, keys, autojunk=False).get_opcodes():
        if tag == "equal":
            matched.update(range(start, end))
        else:
            insertions[start] += side[first:last]
    return matched, insertions


def _weave(first_units: list[_Unit], second_units: list[_Unit]) -> Iterator[_Unit]:
    """What both sides inserted at one point: first what belongs to the section above, then each section; what both
    have stands there once, and what is indented most comes first, below the item that it belongs to."""
    if not (first_units and second_units):
        yield from first_units or second_units
        return
    sections = [_split_sections(units) for units in (first_units, second_units)]
    for title in dict.fromkeys((*sections[0], *sections[1])):
        upper, lower = sorted((side.get(title, []) for side in sections), key=_first_indent, reverse=True)
        keys = {unit.key for unit in upper}
        rest = [unit for unit in lower if unit.key not in keys or not unit.text.strip()]
        is_blank_twice = upper and rest and not (upper[-1].text.strip() or rest[0].text.strip())
        yield from (*upper, *rest[bool(is_blank_twice) :])


def _split_sections(units: list[_Unit]) -> dict[str, list[_Unit]]:
    """Units by the heading that they begin with, blank lines above it included; those before the first, by none."""
    section: list[_Unit] = []
    sections = {"": section}
    for unit in units:
        if workspace.heading_level(unit.text.strip()):
            size = next((at for at in range(len(section), 0, -1) if section[at - 1].text.strip()), 0)
            blank, section[size:] = section[size:], []
            section = sections.setdefault(unit.text, [])
            section += blank
        section.append(unit)
    return sections


def _first_indent(units: list[_Unit]) -> int:
    return next((len(unit.text) - len(unit.text.lstrip()) for unit in units if unit.text.strip()), 0)


def _separate_paragraphs(units: list[_Unit], neighbors: set[tuple[str, str]]) -> list[_Unit]:
    """The units, with a blank line where a paragraph would be joined to what was not its neighbor before."""
    separated = units[:1]
    for above, below in pairwise(units):
        is_joined = above.text.strip() and below.text.strip() and "paragraph" in (above.form, below.form)
        if is_joined and (above.text, below.text) not in neighbors and not workspace.heading_level(above.text.strip()):
            separated.append(_Unit("", ""))
        separated.append(below)
    return separated


def _find_reworded(
    removed: list[_Unit], first_units: list[_Unit], second_units: list[_Unit]
) -> Iterator[tuple[_Unit, _Unit]]:
    """The records without ids that both sides replaced by a similar one, as these two."""
    from rapidfuzz import fuzz, process

    common = {unit.key for unit in first_units} & {unit.key for unit in second_units}
    sides = [[one for one in units if one.form and one.key not in common] for units in (first_units, second_units)]
    for unit in (unit for unit in removed if unit.form and not unit.is_keyed):
        texts = ([one.text for one in side] for side in sides)
        best = [process.extractOne(unit.text, one, scorer=fuzz.ratio, score_cutoff=MIN_SIMILARITY) for one in texts]
        if best[0] and best[1]:
            yield sides[0].pop(best[0][2]), sides[1].pop(best[1][2])


def _merge_closure(base: dict[str, str], left: dict[str, str], right: dict[str, str]) -> list[str]:
    """The lines of the closure block."""
    if not left or not right:
        there = left or right
        return [] if there == base else [*there.values()]
    return [_merge_value(base.get(key, ""), left[key], right[key]) for key in left]


def _merge_value(base: str, first_text: str, second_text: str) -> str:
    """A line `key: value`: of tags, and the like, with the values of both; of others the later one."""
    text, other = _choose(base, first_text, second_text)
    if text is None or other is None:
        return text or ""
    lines = sorted((text, other))
    key = lines[0].partition(":")[0]
    mark = ITEM_MARKS.get(key.lstrip("#> "))
    if not mark:
        return lines[1]
    items = (item.strip() for line in lines for item in line.partition(":")[2].split(mark))
    return f"{key}: {f'{mark} '.join(dict.fromkeys(one for one in items if one.lower() not in EMPTY_VALUES)) or 'none'}"


def _readable(text: str) -> str:
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
