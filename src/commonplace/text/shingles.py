"""What two texts share word for word: hashed runs of four words, where they stand, and what of a text is an echo."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import accumulate

from msgspec import Struct

from commonplace.text.folding import casefolded, drop_marks, strip_accents
from commonplace.text.frames import FOOT, HEAD, RECALLED
from commonplace.text.memo import Memo
from commonplace.text.scripts import BOPOMOFO, CLUSTERED, HAN, KANA, RUNS_FROM, WORD_SIGNS

SIZE = 4  # words of a shingle; shorter lines are one as they are
SHARE = 0.3  # of the shingles of a text: from here on it is taken from where they stand
LEAST = 2  # shingles, where there are as many: one run of four words is said by many
ECHO = 0.8  # of the words of a text: a text that says hardly anything else is an echo
BITS = 47  # of a shingle: it fits into six bytes of a database
PAIR, CLUSTERS = 2, 6  # characters that weigh as much as a word, where words are written without spaces

MEMO_WORDS = 4_096
MASK = (1 << BITS) - 1

# Accents and invisible characters, with which a word goes on.
_MARKS = (
    "\u0300-\u036f\u0483-\u0489\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u064b-\u065f\u0670"
    "\u06d6-\u06dc\u06df-\u06e8\u06ea-\u06ed\u20d0-\u20ff\ufe20-\ufe2f\u00ad\u034f\u061c\u180e\u200b-\u200f"
    "\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff\U000e0000-\U000e007f"
)

Span = tuple[int, int]  # characters of a text, the second one not included


class Windows(Struct, frozen=True):
    """The shingles of a text with the characters they stand on: `fours` in order; `shorts`, which are whole lines."""

    fours: tuple[tuple[int, int, int], ...]  # shingle, start, end
    shorts: tuple[tuple[int, int, int], ...]

    @property
    def shingles(self) -> tuple[int, ...]:
        """Each shingle once."""
        return tuple(dict.fromkeys(shingle for shingle, _start, _end in (*self.fours, *self.shorts)))


def shingles(text: str) -> tuple[int, ...]:
    """The shingles of a text, each once: every run of four words, and each line of just three.

    A text of fewer than four words is one shingle, one without words has none. Case, accents, punctuation and line
    breaks make no difference. Equal in every process. (Broder, On the resemblance and containment of documents, 1997.)
    """
    said: list[int] = []
    short: list[int] = []
    for line in text.split("\n"):
        words = list(map(_numbers().__getitem__, _words(line)))
        if len(words) == SIZE - 1:
            short.append(_short(words))
        said += words
    if len(said) < SIZE:
        return (_short(said),) if said else ()
    return tuple(dict.fromkeys([*_fours(said), *short]))


def windows(text: str) -> Windows:
    """The same, each as often as it stands there, with its place."""
    numbers: list[int] = []
    places: list[Span] = []
    shorts: list[tuple[int, int, int]] = []
    offset = 0
    for line in text.split("\n"):
        words = list(map(_numbers().__getitem__, _words(line)))
        spans = [(start + offset, end + offset) for start, end in _places(line)]
        if len(words) == SIZE - 1:
            shorts.append((_short(words), spans[0][0], spans[-1][1]))
        numbers += words
        places += spans
        offset += len(line) + 1
    if len(numbers) < SIZE:
        return Windows((), ((_short(numbers), places[0][0], places[-1][1]),) if numbers else ())
    ends = places[SIZE - 1 :]
    fours = tuple((four, start, end) for four, (start, _), (_, end) in zip(_fours(numbers), places, ends, strict=False))
    return Windows(fours, tuple(shorts))


def unquoted(text: str, quoted: Sequence[Span]) -> tuple[int, ...]:
    """The shingles of a text, less those that stand nowhere but within one of its quoted stretches."""
    if not quoted:
        return shingles(text)
    found = windows(text)
    ordered = sorted(quoted)
    starts = [start for start, _ in ordered]
    furthest = [0, *accumulate((end for _, end in ordered), max)]  # end of any stretch that starts so far on the left
    own = (
        shingle for shingle, start, end in (*found.fours, *found.shorts) if furthest[bisect_right(starts, start)] < end
    )
    return tuple(dict.fromkeys(own))


def stretches(found: Windows, stands: Mapping[int, bool], least: int = 1) -> tuple[Span, ...]:
    """The stretches of a text that stand elsewhere, in order, each of at least `least` shingles in a row.

    `stands` has the shingles that do; those that are all of what stands there (true) need no neighbour. Stretches may
    overlap by a few words where what stands between their ends does not.
    """
    runs: list[tuple[int, int, int]] = []  # start, end, shingles in a row
    before = False
    for shingle, start, end in found.fours:
        whole = stands.get(shingle)
        if whole is not None:
            first, _, length = runs.pop() if before else (start, end, 0)
            runs.append((first, end, length + (least if whole else 1)))
        before = whole is not None
    runs += [(start, end, least) for shingle, start, end in found.shorts if shingle in stands]
    return tuple(sorted((start, end) for start, end, length in runs if length >= least))


def is_taken(own: Sequence[int], shared: int) -> bool:
    """Whether a text that shares so many of its own shingles was taken from where they stand."""
    return shared > 0 and shared >= max(SHARE * len(own), min(LEAST, len(own)))


def is_echo(text: str, quoted: Sequence[Span]) -> bool:
    """Whether a text says hardly anything but what its quoted stretches say.

    The frame of a pack counts for nothing. A line that cites a record, as those of packs do, is quoted whole if half of
    it is: a title, a date and a speaker stand before the text.
    """
    inside = bytearray(len(text))
    for start, end in quoted:
        inside[start:end] = b"\1" * (min(end, len(text)) - start)
    words = echoed = offset = 0
    for line in text.split("\n"):
        bare = _frame().sub(lambda match: " " * len(match[0]), line)
        said = [inside[offset + start] for start, _ in _places(bare)]
        cited = bool(_citation().search(line)) and (len(said) < SIZE or 2 * sum(said) >= len(said))
        words += len(said)
        echoed += len(said) if cited else sum(said)
        offset += len(line) + 1
    return words > 0 and echoed >= ECHO * words


def _fours(numbers: list[int]) -> list[int]:
    """Weights of which no two sets have the same sum, so that the order of words counts."""
    runs = zip(numbers, numbers[1:], numbers[2:], numbers[3:], strict=False)
    return [(a + 3 * b + 9 * c + 27 * d) & MASK for a, b, c, d in runs]


def _short(numbers: list[int]) -> int:
    """A text of fewer words, which is equal to none of four."""
    a, b, c = (*numbers, 0, 0)[:3]
    return (81 * a + 243 * b + 729 * c) & MASK


def _words(line: str) -> list[str]:
    """The words as written; of scripts without spaces a few characters from each on."""
    if line.isascii():
        return _ascii().findall(line)
    found = _any().findall(line)
    if max(line) < RUNS_FROM:
        return found
    return [word[start:end] for word in found for start, end in _units(word)]


def _places(line: str) -> list[Span]:
    """Where the words stand, in the same order."""
    if line.isascii():
        return [match.span() for match in _ascii().finditer(line)]
    return [
        (match.start() + start, match.start() + end)
        for match in _any().finditer(line)
        for start, end in _units(match[0])
    ]


def _units(word: str) -> Iterator[Span]:
    run = _run().match(word)
    if not run:
        yield 0, len(word)
        return
    size = CLUSTERS if run["clustered"] else PAIR
    for start in range(max(1, len(word) - size + 1)):
        yield start, min(start + size, len(word))


def _number(word: str) -> int:
    folded = strip_accents(drop_marks(casefolded(word)))
    return int.from_bytes(_blake2b()(folded.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "big")


@cache
def _numbers() -> Memo[int]:
    return Memo(_number, MEMO_WORDS)


@cache
def _blake2b() -> type:
    from hashlib import blake2b  # loads OpenSSL, which a recall over unchanged files need not pay for

    return blake2b


@cache
def _ascii() -> re.Pattern[str]:
    return re.compile("[A-Za-z0-9]+")


@cache
def _any() -> re.Pattern[str]:
    """Letters and digits with the marks they bear, or a run of a script without spaces."""
    letters = f"[^\\W_{HAN}{KANA}{BOPOMOFO}{CLUSTERED}]+"
    marks = f"[{_MARKS}{WORD_SIGNS}]+"
    return re.compile(f"[{HAN}{KANA}{BOPOMOFO}]+|[{CLUSTERED}]+|{letters}(?:{marks}(?:{letters})?)*")


@cache
def _run() -> re.Pattern[str]:
    return re.compile(f"(?P<clustered>[{CLUSTERED}])|[{HAN}{KANA}{BOPOMOFO}]")


@cache
def _citation() -> re.Pattern[str]:
    return re.compile(r"\[[^\[\]\n]{0,300}#L\d{1,9}(?:-L\d{1,9})?(?:~\w{1,20})?\]")


@cache
def _frame() -> re.Pattern[str]:
    """What a pack puts around the text of a record: its frame, marks before a line, the citation behind it."""
    date = r"\d{4}-\d\d-\d\d"
    marks = rf"{date}(?:\.\.{date})?|evidence|opinion(?:, c=[\d.]{{1,6}})?|unverified|untrusted|quarantined"
    around = "|".join(map(re.escape, (HEAD, FOOT, RECALLED)))
    heading = rf"^\s*##? (?:[^\s›]+\.\w+\b[^\n]*|[^\n]*\({date}(?:\.\.{date})?\)\s*$)"
    return re.compile(rf"{around}|{heading}|^\s*[-*] (?:\((?:{marks})\) )+|{_citation().pattern}")
