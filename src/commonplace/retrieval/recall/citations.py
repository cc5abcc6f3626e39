"""Citations that survive edits: an anchor made from the words of a line, and the line that it resolves to."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from math import inf
from typing import Literal
from zlib import crc32

from msgspec import Struct

from commonplace.errors import BadArgument, NotFound
from commonplace.index import Index
from commonplace.lazy import lazy_pattern
from commonplace.model import View
from commonplace.storage.files import text_digest
from commonplace.storage.workspace import ID_ALPHABET, encode_characters, normalize_id_text, strip_annotation

ANCHOR_DIGEST_CHARS = 5  # characters, of all words
ANCHOR_SKETCH_WORDS = 24  # words at the beginning that have a character each
# Fibonacci hashing (Knuth, TAOCP 3, 6.4): the checksums of 0 and 4 are too alike.
HASH_MULTIPLIER, HASH_MASK = 0x9E3779B1, 0xFFFFFFFF
# How alike a line must be (of the sketches, and in how many words of 5 bits each) so many lines from the cited number.
SimilarityLimits = tuple[tuple[float, float, int], ...]
SAME_LINE, SAME_FILE, ELSEWHERE = (0.5, 1), (0.6, 2), (0.75, 6)  # `Port: 8080` is now `Port: 8443`
LIMITS: SimilarityLimits = ((0, *SAME_LINE), (inf, *SAME_FILE))
LIMITS_ELSEWHERE: SimilarityLimits = ((inf, *ELSEWHERE),)
LIMITS_RENAMED: SimilarityLimits = ((0, *SAME_FILE), (inf, *ELSEWHERE))  # in other files when the cited one is gone
# Words: so few of them in unrelated files, such as `Open: none`, are no proof that the line went there.
SHORT_LINE_WORDS = 5
MAX_SUGGESTIONS = 3  # other places
MAX_LINE_DIGITS = 18  # of two line numbers

CitationStatus = Literal["same", "moved", "changed"]
ReadFile = Callable[[str], bytes]
# What stands before the words of a line: quotes, list marks, numbers, heading marks, an empty box
_LINE_MARKER = lazy_pattern(r"^(?:\s+|>|(?:[-*+]|#{1,6}|\d{1,9}[.)])(?=\s|$)|\[ \](?=\s))+")
# Punctuation of scripts that write no blank behind it
_UNSPACED_PUNCTUATION = lazy_pattern("[、。，．！？；：「」『』（）【】《》・।॥…—–]")

_CITATION = lazy_pattern(
    r"(?P<path>.+)#L(?P<first>\d{1,9})(?:-L?(?P<last>\d{1,9}))?~"
    rf"(?P<anchor>[{ID_ALPHABET}]{{{ANCHOR_DIGEST_CHARS + 1},{ANCHOR_DIGEST_CHARS + ANCHOR_SKETCH_WORDS}}})",
    re.DOTALL,
)
# A character of a script without blanks, or a run of others
_UNSPACED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_UNSPACED_CHARACTER = lazy_pattern(f"[{_UNSPACED}]|[^{_UNSPACED}]+")
_EDGE_PUNCTUATION = "\"'`*_.,;:!?()[]{}|…“”„‘’‚«»‹›–—"  # what may stand around a word and is none of it


class AnchoredCitation(Struct, frozen=True):
    """The parts of an anchored citation: `path#L12~anchor` or `path#L12-L15~anchor`."""

    path: str
    first_line: int
    last_line: int
    anchor: str


class ResolvedCitation(View, frozen=True):
    """The lines that a citation means today.

    `status` is `same` (where it says), `moved` (the same words at another place) or `changed` (the most similar line:
    it was edited, or it is gone and this one is like it). `note` says so in words; `difference` is then old and new
    text as in `port [-8080-]{+8443+}`, with `…` for old words that nobody has any more; `also` are other places that
    could be meant.
    """

    status: CitationStatus = "same"
    note: str = ""
    difference: str = ""
    also: tuple[str, ...] = ()


class LineRange(Struct, frozen=True):
    """Lines of a file with their words."""

    path: str
    first_line: int
    last_line: int
    words: tuple[str, ...]

    @property
    def citation(self) -> str:
        """The place as printed, without an anchor."""
        return f"{self.path}#L{self.first_line}" + (f"-L{self.last_line}" if self.last_line > self.first_line else "")


def parse_citation(reference: str) -> AnchoredCitation | None:
    """The parts of an anchored citation; None for any other reference."""
    match = _CITATION.fullmatch(reference)
    if match is None:
        return None
    first = int(match["first"])
    return AnchoredCitation(match["path"], first, int(match["last"] or first), match["anchor"])


def parse_line_reference(reference: str) -> tuple[str, int, int]:
    """Path, first and last line of `PATH#L12` or `PATH#L12-L15`; of a mere path the lines are 0. Raises BadArgument."""
    path, _, lines = reference.rpartition("#L")
    if not path:
        return reference, 0, 0
    first, _, last = lines.partition("-")
    last = last.removeprefix("L") or first
    if not (first.isdecimal() and last.isdecimal() and len(first + last) <= MAX_LINE_DIGITS):
        raise BadArgument(f"cannot read the lines of {reference!r}", hint="say PATH#L12 or PATH#L12-L15")
    return path, int(first), int(last)


def format_citation(view: View) -> str:
    """The citation of some lines, without an anchor."""
    return f"{view.path}#L{view.line_start}" + (f"-L{view.line_end}" if view.line_end > view.line_start else "")


def format_anchored_citation(view: View) -> str:
    """The citation of some lines with their anchor; without one where they hold no word."""
    words = normalized_words(view.text.split("\n"))
    return f"{format_citation(view)}~{compute_anchor(words)}" if words else format_citation(view)


def compute_anchor(words: tuple[str, ...]) -> str:
    """25 bits of the digest of all words, then 5 bits of each of the first 24, enough to find what was edited."""
    number = int.from_bytes(bytes.fromhex(text_digest(" ".join(words))))
    return encode_characters(number, ANCHOR_DIGEST_CHARS) + sketch_words(words)


def sketch_words(words: tuple[str, ...]) -> str:
    """A character for each of the first words."""
    checksums = [crc32(word.encode("utf-8", "surrogatepass")) for word in words[:ANCHOR_SKETCH_WORDS]]
    return "".join([ID_ALPHABET[(checksum * HASH_MULTIPLIER & HASH_MASK) >> 27] for checksum in checksums])


def normalized_words(lines: Iterable[str]) -> tuple[str, ...]:
    """The words of lines, in order and in lower case, without annotations, list marks, quotes and punctuation; `-5` is
    not `5`, and `3.5` is not `35`."""
    return tuple([word for line in lines for word, _written in _normalize_line_words(line)])


def resolve_citation(
    index: Index, read: ReadFile, reference: str, earlier_lines: Callable[[str], Iterable[str]]
) -> ResolvedCitation:
    """The lines that an anchored citation means, without the records on them. Raises NotFound if they are gone.

    Looked for in this order: the line itself; the same words in its file, in the file that the ledger says it became,
    in any other; a line like it. `earlier_lines` are lines that once stood in a file, as far as anybody still has them.
    """
    cited = parse_citation(reference)
    if cited is None:
        raise NotFound("anchored citation", reference)
    own, became, others = _group_files_by_origin(index, cited.path)
    same = _find_exact_ranges(index, read, own, cited)
    if same:
        return _resolve_same_words(cited, read, same, [])
    like = _find_similar_ranges(_line_ranges_of_files(index, read, [*own, *became], cited), cited, LIMITS)
    copies = _find_exact_ranges(index, read, others, cited)
    is_proof = len(cited.anchor) - ANCHOR_DIGEST_CHARS > SHORT_LINE_WORDS or (len(copies) == 1 and not like)
    same = _find_exact_ranges(index, read, became, cited) or (copies if is_proof else [])
    if same:
        return _resolve_same_words(cited, read, same, like)
    limits = LIMITS_ELSEWHERE if own or became else LIMITS_RENAMED
    similar = like or _find_similar_ranges(_line_ranges_of_files(index, read, others, cited), cited, limits)
    if not similar:
        near = _line_ranges_of_files(index, read, [*own, *became], cited)
        close = sorted((-_sketch_similarity(one, cited)[0], _distance_key(one, cited), one.citation) for one in near)
        alike = [citation for less, _far, citation in close if -less >= SAME_LINE[0]]
        suggestions = [place.citation for place in copies] or alike
        raise NotFound("line with the words of", reference, tuple(suggestions[:MAX_SUGGESTIONS]))
    return _resolve_changed_words(cited, read, similar, earlier_lines)


def _group_files_by_origin(index: Index, path: str) -> tuple[list[str], list[str], list[str]]:
    """The file itself, the files that it may have become by the ledger's moves, and all others."""
    files, origin = index.files(), index.origin_of(path)
    own = [path] if path in files else []
    became = [other for other, file_row in files.items() if other != path and file_row.origin == origin]
    return own, sorted(became), sorted(set(files).difference(own, became))


def _line_ranges_of_files(
    index: Index, read: ReadFile, paths: Iterable[str], cited: AnchoredCitation
) -> Iterator[LineRange]:
    """As many lines together as are cited, from each line on; and the lines of each record, if those are others."""
    size = cited.last_line - cited.first_line + 1
    for path in paths:
        lines = [normalized_words([line]) for line in _read_file_lines(read, path)]
        ends, whole = {(first, first + size) for first in range(len(lines) - size + 1)}, set[tuple[int, int]]()
        if size > 1 or path == cited.path:
            sources = [row.record.source for row in index.fetch(index.rows_of_file(path)).values()]
            whole = {(one.line_start - 1, one.line_end) for one in sources}  # code with its fences, which are no words
        for first, end in sorted(ends | whole):
            block = lines[first:end]
            if block and ((block[0] and block[-1]) or first + 1 == cited.first_line or (first, end) in whole):
                yield LineRange(path, first + 1, end, block[0] if len(block) == 1 else sum(block, ()))


def _read_file_lines(read: ReadFile, path: str) -> list[str]:
    return read(path).decode("utf-8-sig", "replace").removesuffix("\n").split("\n")


def _find_exact_ranges(index: Index, read: ReadFile, paths: Iterable[str], cited: AnchoredCitation) -> list[LineRange]:
    """The places with the very words, nearest first."""
    sketch = cited.anchor[ANCHOR_DIGEST_CHARS:]
    exact = [
        one
        for one in _line_ranges_of_files(index, read, paths, cited)
        if sketch_words(one.words) == sketch and compute_anchor(one.words) == cited.anchor
    ]
    return sorted(exact, key=lambda one: _distance_key(one, cited))


def _distance_key(line_range: LineRange, cited: AnchoredCitation) -> tuple[bool, int, str, int]:
    path, first_line = line_range.path, line_range.first_line
    return path != cited.path, abs(first_line - cited.first_line), path, first_line


def _resolve_same_words(
    cited: AnchoredCitation, read: ReadFile, exact_ranges: list[LineRange], similar_ranges: list[LineRange]
) -> ResolvedCitation:
    """The same words elsewhere; `similar_ranges` are lines that it may have become, if the others are copies."""
    best, others = exact_ranges[0], [place.citation for place in exact_ranges[1:]]
    if (best.path, best.first_line) == (cited.path, cited.first_line):
        return _resolved_view(read, best, "same")
    note = f"the same words are now at {best.citation}"
    if others:
        note += f", and at {len(others)} other place{'s' * (len(others) > 1)}"
    edited = [place.citation for place in similar_ranges if place.path == cited.path][:1]
    if edited and best.path != cited.path:
        note += f"; {edited[0]} is like them"
    return _resolved_view(read, best, "moved", note, also=(*edited, *others)[:MAX_SUGGESTIONS])


def _find_similar_ranges(
    line_ranges: Iterable[LineRange], cited: AnchoredCitation, limits: SimilarityLimits
) -> list[LineRange]:
    """The places whose words are like the cited ones, most similar first, then nearest."""
    similar = []
    for line_range in line_ranges:
        similarity, shared = _sketch_similarity(line_range, cited)
        distance = abs(line_range.first_line - cited.first_line)
        least, fewest = next((least, fewest) for reach, least, fewest in limits if distance <= reach)
        if similarity >= least and shared >= fewest:
            similar.append((-similarity, _distance_key(line_range, cited), line_range))
    return [line_range for _similarity, _distance, line_range in sorted(similar, key=lambda one: one[:2])]


def _sketch_similarity(line_range: LineRange, cited: AnchoredCitation) -> tuple[float, int]:
    """Twice the words that both sketches have in the same order, over the words of both; and how many these are."""
    from rapidfuzz.distance import LCSseq

    old, new = cited.anchor[ANCHOR_DIGEST_CHARS:], sketch_words(line_range.words)
    shared = int(LCSseq.similarity(old, new))
    return 2 * shared / (len(old) + len(new)), shared


def _resolve_changed_words(
    cited: AnchoredCitation,
    read: ReadFile,
    similar_ranges: list[LineRange],
    earlier_lines: Callable[[str], Iterable[str]],
) -> ResolvedCitation:
    best = similar_ranges[0]
    earlier = (text for text in earlier_lines(cited.path) if compute_anchor(normalized_words([text])) == cited.anchor)
    lines = _read_file_lines(read, best.path)[best.first_line - 1 : best.last_line]
    new = [pair for line in lines for pair in _normalize_line_words(line)]
    where = "it" if (best.path, best.first_line) == (cited.path, cited.first_line) else best.citation
    note = f"the words of this line changed, or it was deleted; {where} is the most similar line"
    if where == "it":
        note = "the words of this line changed since it was cited"
    also = tuple(place.citation for place in similar_ranges[1 : 1 + MAX_SUGGESTIONS])
    return _resolved_view(
        read, best, "changed", note, difference=_render_word_difference(cited, next(earlier, ""), new), also=also
    )


def _render_word_difference(cited: AnchoredCitation, old_text: str, new_words: list[tuple[str, str]]) -> str:
    """The difference of old and new words as one text; if the old ones are lost, as far as the anchor says."""
    from difflib import SequenceMatcher

    before = list(_normalize_line_words(old_text)) or [(letter, "…") for letter in cited.anchor[ANCHOR_DIGEST_CHARS:]]
    words = tuple(word for word, _written in new_words)
    compared = words if old_text else tuple(sketch_words(words))
    steps = SequenceMatcher(None, [word for word, _written in before], compared, autojunk=False).get_opcodes()
    parts = [_render_edit_step(tag, before[start:end], new_words[first:last]) for tag, start, end, first, last in steps]
    behind = "" if old_text else " ".join(written for _word, written in new_words[ANCHOR_SKETCH_WORDS:])
    if not old_text and all(tag == "equal" for tag, *_places in steps):
        where = f"behind the first {ANCHOR_SKETCH_WORDS} words"
        return where if behind else "a word that the anchor cannot tell from the new one"
    return " ".join(part for part in (*parts, behind) if part)


def _render_edit_step(tag: str, old_words: list[tuple[str, str]], new_words: list[tuple[str, str]]) -> str:
    before, after = (" ".join(written for _word, written in pairs) for pairs in (old_words, new_words))
    if tag == "equal":
        return after
    return (f"[-{before}-]" if before else "") + (f"{{+{after}+}}" if after else "")


def _resolved_view(
    read: ReadFile,
    line_range: LineRange,
    status: CitationStatus,
    note: str = "",
    *,
    difference: str = "",
    also: tuple[str, ...] = (),
) -> ResolvedCitation:
    text = "\n".join(_read_file_lines(read, line_range.path)[line_range.first_line - 1 : line_range.last_line])
    return ResolvedCitation(
        line_range.path, line_range.first_line, line_range.last_line, text, (), status, note, difference, also
    )


def _normalize_line_words(line: str) -> Iterator[tuple[str, str]]:
    """Each word of a line as it is compared and as it is written."""
    text = _LINE_MARKER.sub("", strip_annotation(line.rstrip()).replace("|", " "))
    if not text.isascii():
        text = _UNSPACED_PUNCTUATION.sub(" ", normalize_id_text(text))
    for written in text.split():
        word = written.casefold().strip(_EDGE_PUNCTUATION)
        if word.isascii():
            if word.strip("-"):  # no dash, and no rule of a table
                yield word, written
            continue
        for part in _UNSPACED_CHARACTER.findall(word.replace("’", "'")):
            yield part, part if len(part) < len(word) else written
