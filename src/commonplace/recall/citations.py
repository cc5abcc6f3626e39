"""Citations that last: an anchor made of a line's words finds the line again after edits, moves and renames."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from typing import Literal
from zlib import crc32

from msgspec import Struct

from commonplace.errors import NotFound
from commonplace.index import Index
from commonplace.model import View
from commonplace.workspace.annotations import without_annotation
from commonplace.workspace.ids import ALPHABET, digest, folded

DIGEST = 5  # characters, of all words
SKETCH = 24  # words at the beginning that have a character each
MIX, MOST = 0x9E3779B1, 0xFFFFFFFF  # Fibonacci hashing (Knuth, TAOCP 3, 6.4): the checksums of 0 and 4 are too alike
ALIKE = 0.6  # of the sketches, in the file that is cited or its new place: below it no line is taken for the cited one
ALIKE_ELSEWHERE = 0.75  # in any other file
FEWEST, FEWEST_ELSEWHERE = 3, 6  # words that must be the same, 5 bits each
CLOSE, FEWEST_CLOSE = 2, 2  # lines around the one that is cited
FEWEST_RENAMED = 3  # on a line of the same number in another file, when the cited file is gone
KEPT = 0.5  # alike on the very line, one word at least: `Port: 8080` became `Port: 8443`
SHORT = 5  # words: so few of them in unrelated files, such as `Open: none`, are no proof that the line went there
NEAR = 0.4  # worth naming when the line is gone
MOST_NAMED = 3  # other places

Status = Literal["same", "moved", "changed"]
Read = Callable[[str], bytes]


class Cited(Struct, frozen=True):
    """What an anchored citation says: `path#L12~anchor` or `path#L12-L15~anchor`."""

    path: str
    first: int
    last: int
    anchor: str


class Resolved(View, frozen=True):
    """The lines that a citation means today.

    `status` is `same` (where it says), `moved` (the same words at another place) or `changed` (the most alike line: it
    was edited, or it is gone and this one is like it). `note` says so in words; `difference` is then old and new text
    as in `port [-8080-]{+8443+}`, with `…` for old words that nobody has any more; `also` are other places that could
    be meant.
    """

    status: Status = "same"
    note: str = ""
    difference: str = ""
    also: tuple[str, ...] = ()


class Place(Struct, frozen=True):
    """Lines of a file with their words."""

    path: str
    first: int
    last: int
    words: tuple[str, ...]

    @property
    def citation(self) -> str:
        """The place as printed, without an anchor."""
        return f"{self.path}#L{self.first}" + (f"-L{self.last}" if self.last > self.first else "")


def parse(reference: str) -> Cited | None:
    """The parts of an anchored citation; None for any other reference."""
    found = _pattern().fullmatch(reference)
    if found is None:
        return None
    first = int(found["first"])
    return Cited(found["path"], first, int(found["last"] or first), found["anchor"])


def citation(view: View) -> str:
    """The citation of some lines, without an anchor."""
    return f"{view.path}#L{view.line_start}" + (f"-L{view.line_end}" if view.line_end > view.line_start else "")


def anchored(view: View) -> str:
    """The citation of some lines with their anchor; without one where they hold no word."""
    words = words_of(view.text.split("\n"))
    return f"{citation(view)}~{anchor(words)}" if words else citation(view)


def anchor(words: tuple[str, ...]) -> str:
    """25 bits of the digest of all words, then 5 bits of each of the first 24: enough to tell what was edited."""
    number = int(digest(" ".join(words).encode("utf-8", "surrogatepass")), 16)
    return "".join(ALPHABET[number >> 5 * place & 31] for place in range(DIGEST)) + sketch(words)


def sketch(words: tuple[str, ...]) -> str:
    """A character for each of the first words."""
    return "".join(
        [ALPHABET[(crc32(word.encode("utf-8", "surrogatepass")) * MIX & MOST) >> 27] for word in words[:SKETCH]]
    )


def words_of(lines: Iterable[str]) -> tuple[str, ...]:
    """The words of lines, in order: without annotations, list marks, quotes and punctuation, and in one case.

    A sign or a point within a word or a number stays: `-5` is not `5`, and `3.5` not `35`.
    """
    return tuple([word for line in lines for word, _written in _words(line)])


def resolve(index: Index, read: Read, reference: str, earlier: Callable[[str], Iterable[str]]) -> Resolved:
    """The lines that an anchored citation means, without the records on them. Raises NotFound if they are gone.

    Looked for in this order: the line itself; the same words in its file, in the file that the ledger says it became,
    in any other; a line like it in the file or what it became, in any other. `earlier` are lines that once stood in
    a file, as far as anybody still has them: the old words of a difference.
    """
    cited = parse(reference)
    if cited is None:
        raise NotFound("anchored citation", reference)
    own, became, others = _groups(index, cited.path)
    same = _exact(index, read, own, cited)
    if same:
        return _same(cited, read, same, [])
    like = _alike(_all(index, read, [*own, *became], cited), cited, _bars)
    copies = _exact(index, read, others, cited)
    is_proof = len(cited.anchor) - DIGEST > SHORT or (len(copies) == 1 and not like)
    same = _exact(index, read, became, cited) or (copies if is_proof else [])
    if same:
        return _same(cited, read, same, like)
    alike = like or _alike(_all(index, read, others, cited), cited, _bars_elsewhere if own or became else _bars_renamed)
    if not alike:
        near = tuple(place.citation for place in copies[:MOST_NAMED])
        near = near or _near(_all(index, read, [*own, *became], cited), cited)
        raise NotFound("line with the words of", reference, near)
    return _changed(cited, read, alike, earlier)


def _groups(index: Index, path: str) -> tuple[list[str], list[str], list[str]]:
    """The file itself, the files that it may have become by the ledger's moves, and all others."""
    known, home = index.files(), index.origin(path)
    own = [path] if path in known else []
    became = [other for other, row in known.items() if other != path and row.origin == home]
    return own, sorted(became), sorted(set(known).difference(own, became))


def _all(index: Index, read: Read, paths: Iterable[str], cited: Cited) -> Iterator[Place]:
    for path in paths:
        yield from _places(index, read, path, cited)


def _places(index: Index, read: Read, path: str, cited: Cited) -> Iterator[Place]:
    """As many lines together as are cited, from each line on; and the lines of each record, if those are others."""
    lines = [tuple([word for word, _written in _words(line)]) for line in _lines(read, path)]
    size = cited.last - cited.first + 1
    ends, whole = {(first, first + size) for first in range(len(lines) - size + 1)}, set[tuple[int, int]]()
    if size > 1 or path == cited.path:
        sources = [row.record.source for row in index.fetch(index.rows_of(path)).values()]
        whole = {(one.line_start - 1, one.line_end) for one in sources}  # code with its fences, which are no words
    for first, end in sorted(ends | whole):
        block = lines[first:end]
        if block and ((block[0] and block[-1]) or first + 1 == cited.first or (first, end) in whole):
            yield Place(path, first + 1, end, block[0] if len(block) == 1 else sum(block, ()))


def _lines(read: Read, path: str) -> list[str]:
    return read(path).decode("utf-8-sig", "replace").removesuffix("\n").split("\n")


def _exact(index: Index, read: Read, paths: Iterable[str], cited: Cited) -> list[Place]:
    """The places with the very words, nearest first."""
    drawn = cited.anchor[DIGEST:]
    places = [place for place in _all(index, read, paths, cited) if sketch(place.words) == drawn]
    return sorted((one for one in places if anchor(one.words) == cited.anchor), key=lambda one: _far(one, cited))


def _far(place: Place, cited: Cited) -> tuple[bool, int, str, int]:
    return place.path != cited.path, abs(place.first - cited.first), place.path, place.first


def _same(cited: Cited, read: Read, same: list[Place], like: list[Place]) -> Resolved:
    """The words as they stand; `like` are lines that the cited one may have become, if these are but a copy."""
    best, others = same[0], [place.citation for place in same[1:]]
    if (best.path, best.first) == (cited.path, cited.first):
        return _view(read, best, "same")
    note = f"the same words stand at {best.citation} now"
    if others:
        note += f", and at {len(others)} other place{'s' * (len(others) > 1)}"
    edited = [place.citation for place in like if place.path == cited.path][:1]
    if edited and best.path != cited.path:
        note += f"; {edited[0]} is like them"
    return _view(read, best, "moved", note, also=(*edited, *others)[:MOST_NAMED])


def _alike(places: Iterable[Place], cited: Cited, bars: Callable[[int], tuple[float, int]]) -> list[Place]:
    """The places whose words are like the cited ones, most alike first, then nearest.

    `bars` says how alike a line must be, and in how many words, this far from the number of the cited one.
    """
    found = []
    for place in places:
        alike, shared = _likeness(place, cited)
        bar, fewest = bars(abs(place.first - cited.first))
        if alike >= bar and shared >= fewest:
            found.append((-alike, _far(place, cited), place))
    return [place for _alike, _far, place in sorted(found, key=lambda one: one[:2])]


def _bars(distance: int) -> tuple[float, int]:
    if not distance:
        return KEPT, 1
    return ALIKE, FEWEST_CLOSE if distance <= CLOSE else FEWEST


def _bars_elsewhere(_distance: int) -> tuple[float, int]:
    return ALIKE_ELSEWHERE, FEWEST_ELSEWHERE


def _bars_renamed(distance: int) -> tuple[float, int]:
    return (ALIKE, FEWEST_RENAMED) if not distance else (ALIKE_ELSEWHERE, FEWEST_ELSEWHERE)


def _likeness(place: Place, cited: Cited) -> tuple[float, int]:
    """Twice the words that both sketches have in the same order, over the words of both; and how many these are."""
    from rapidfuzz.distance import LCSseq

    old, new = cited.anchor[DIGEST:], sketch(place.words)
    shared = int(LCSseq.similarity(old, new))
    return 2 * shared / (len(old) + len(new)), shared


def _changed(cited: Cited, read: Read, alike: list[Place], earlier: Callable[[str], Iterable[str]]) -> Resolved:
    best = alike[0]
    old = next((text for text in earlier(cited.path) if anchor(words_of([text])) == cited.anchor), "")
    new = [pair for line in _lines(read, best.path)[best.first - 1 : best.last] for pair in _words(line)]
    where = "it" if (best.path, best.first) == (cited.path, cited.first) else best.citation
    note = f"the words of this line changed, or it is gone; {where} is most like it"
    if where == "it":
        note = "the words of this line changed since it was cited"
    also = tuple(place.citation for place in alike[1 : 1 + MOST_NAMED])
    return _view(read, best, "changed", note, difference=_difference(cited, old, new), also=also)


def _difference(cited: Cited, old: str, new: list[tuple[str, str]]) -> str:
    """Old and new words as one text; where the old ones are lost, as far as the anchor tells."""
    from difflib import SequenceMatcher

    before = list(_words(old)) or [(letter, "…") for letter in cited.anchor[DIGEST:]]
    drawn = [word for word, _written in new] if old else list(sketch(tuple(word for word, _written in new)))
    steps = SequenceMatcher(None, [word for word, _written in before], drawn, autojunk=False).get_opcodes()
    parts = [_step(tag, before[start:end], new[first:last]) for tag, start, end, first, last in steps]
    behind = "" if old else " ".join(written for _word, written in new[SKETCH:])
    if not old and all(tag == "equal" for tag, *_places in steps):
        return f"behind the first {SKETCH} words" if behind else "a word that the anchor cannot tell from the new one"
    return " ".join(part for part in (*parts, behind) if part)


def _step(tag: str, old: list[tuple[str, str]], new: list[tuple[str, str]]) -> str:
    before, after = (" ".join(written for _word, written in pairs) for pairs in (old, new))
    if tag == "equal":
        return after
    return (f"[-{before}-]" if before else "") + (f"{{+{after}+}}" if after else "")


def _near(places: Iterable[Place], cited: Cited) -> tuple[str, ...]:
    close = sorted((-_likeness(place, cited)[0], _far(place, cited), place.citation) for place in places)
    return tuple(citation for alike, _far, citation in close[:MOST_NAMED] if -alike >= NEAR)


def _view(
    read: Read, place: Place, status: Status, note: str = "", *, difference: str = "", also: tuple[str, ...] = ()
) -> Resolved:
    text = "\n".join(_lines(read, place.path)[place.first - 1 : place.last])
    return Resolved(place.path, place.first, place.last, text, (), status, note, difference, also)


def _words(line: str) -> Iterator[tuple[str, str]]:
    """Each word of a line as it is compared and as it is written."""
    text = _mark().sub("", without_annotation(line.rstrip()).replace("|", " "))
    if not text.isascii():
        text = _pause().sub(" ", folded(text))
    for written in text.split():
        word = written.casefold().strip(_EDGES)
        if word.isascii():
            if word.strip("-"):  # no dash, and no rule of a table
                yield word, written
            continue
        for part in _character().findall(word.replace("’", "'")):
            yield part, part if len(part) < len(word) else written


_EDGES = "\"'`*_.,;:!?()[]{}|…“”„‘’‚«»‹›–—"  # what may stand around a word and is none of it


@cache
def _pattern() -> re.Pattern[str]:
    lines = r"#L(?P<first>\d{1,9})(?:-L?(?P<last>\d{1,9}))?"
    return re.compile(rf"(?P<path>.+){lines}~(?P<anchor>[{ALPHABET}]{{{DIGEST + 1},{DIGEST + SKETCH}}})", re.DOTALL)


@cache
def _mark() -> re.Pattern[str]:
    """What stands before the words of a line: quotes, list marks, numbers, heading marks, an empty box."""
    return re.compile(r"^(?:\s+|>|(?:[-*+]|#{1,6}|\d{1,9}[.)])(?=\s|$)|\[ \](?=\s))+")


@cache
def _pause() -> re.Pattern[str]:
    """Punctuation of scripts that write no blank behind it."""
    return re.compile("[、。，．！？；：「」『』（）【】《》・।॥…—–]")


@cache
def _character() -> re.Pattern[str]:
    """A character of a script without blanks, or a run of others."""
    alone = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
    return re.compile(f"[{alone}]|[^{alone}]+")
