"""Tombstones: salted digests by which a text that was forgotten is known again, wherever it comes back from."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Annotated

from msgspec import Meta, Struct, structs

from commonplace.errors import NotFound, OutsideWorkspace
from commonplace.language.text import fold_name, split_sentences, split_units
from commonplace.lazy import lazy_pattern
from commonplace.model import Problem
from commonplace.shapes import Json
from commonplace.storage import files, journal

TOMBSTONE_FOLDER = ".memory"
FORGOTTEN_PLACEHOLDER = "[forgotten]"
SALT_BYTES, DIGEST_BYTES = 16, 8
GRAM_WORDS = 4
MIN_GRAM_TEXT_WORDS = 6  # a shorter text has one digest of all its words
MIN_INEXACT_GRAMS, INEXACT_SHARE = 20, 0.9  # from so many grams on this share of them is enough
MIN_ENDING_WORDS = 4  # of a sentence that is looked for by itself: `Thank you.` removes no text that contains it
MAX_FORGOTTEN_SHARE = 0.5  # of the words of a text: from here on all of it is forgotten
_CLAUSE_MARK_PATTERN = lazy_pattern("[:：,，]")


class _Line(Struct, frozen=True):
    """A line of a file: the salt of those that follow, or the digest of a text, or of each of its grams in order."""

    salt: Annotated[str, Meta(pattern="^[0-9a-f]{32}$")] = ""
    whole: str = ""
    grams: tuple[str, ...] = ()


class _Tombstone(Struct, frozen=True):
    """A tombstone: its digests in the order of the text, one of all of it or of each gram, and its `path#L12`."""

    citation: str
    digests: tuple[str, ...]
    is_whole: bool


class _SaltedTombstones(Struct, frozen=True):
    """The tombstones of one file under one salt, and the numbers of those that have a digest."""

    path: str
    salt: str
    tombstones: list[_Tombstone]
    numbers_by_digest: dict[str, list[int]]

    def add(self, tombstone: _Tombstone) -> None:
        for digest in set(tombstone.digests):
            self.numbers_by_digest.setdefault(digest, []).append(len(self.tombstones))
        self.tombstones.append(tombstone)

    def matching(self, words: Sequence[str]) -> Iterator[tuple[_Tombstone, list[str]]]:
        """The tombstones that a text has, with the digests of the text."""
        own = _digest_words(words, self.salt)
        own_set = set(own)
        counts = Counter(number for digest in own_set for number in self.numbers_by_digest.get(digest, ()))
        for number, shared in counts.items():
            tombstone = self.tombstones[number]
            there = set(tombstone.digests)
            if tombstone.is_whole == _is_short(words) and (
                _is_contained(tombstone.digests, own_set, shared) or _is_contained(own, there, shared)
            ):
                yield tombstone, own


class Tombstones(Struct, frozen=True):
    """All tombstones of a workspace, false if there are none; whether one is of a short text, the lines that were set
    aside, and a fingerprint of the files."""

    groups: tuple[_SaltedTombstones, ...] = ()
    has_short: bool = False
    problems: tuple[Problem, ...] = ()
    fingerprint: str = ""

    def __bool__(self) -> bool:
        return any(group.tombstones for group in self.groups)

    def find(self, text: str) -> str | None:
        """The citation of the tombstone of a text that was forgotten, contains a forgotten one, or is a part of it."""
        if not self:
            return None
        found = self._find_words(_split_words(text))
        if found is None and self.has_short:
            found = next((place for words in _short_endings(text) if (place := self._find_words(words))), None)
        return found

    def mask(self, text: str) -> str | None:
        """The text, with a placeholder for each sentence that was forgotten; None where half of its words or more are
        of such sentences, or where what is left still has a tombstone."""
        if self.find(text) is None:
            return text
        sentences = split_sentences(text)
        words = [_split_words(sentence) for sentence in sentences]
        covered = self._covered_words([word for own in words for word in own])
        end = forgotten = 0
        parts = list[str]()
        for sentence, own in zip(sentences, words, strict=True):
            start, end = end, end + len(own)
            share = sum(at in covered for at in range(start, end))
            if own and (2 * share > len(own) or self.find(sentence) is not None):
                forgotten += len(own)
                bare = sentence.rstrip()
                sentence = FORGOTTEN_PLACEHOLDER + sentence[len(bare) :]
            parts.append(sentence)
        masked = "".join(parts)
        return masked if forgotten < MAX_FORGOTTEN_SHARE * end and self.find(masked) is None else None

    def _find_words(self, words: Sequence[str]) -> str | None:
        matches = (match for group in self.groups for match in group.matching(words)) if words else ()
        return next((tombstone.citation for tombstone, _own in matches), None)

    def _covered_words(self, words: Sequence[str]) -> set[int]:
        """The positions of the words that a text has in common with its tombstones."""
        covered = set[int]()
        for group in self.groups:
            for tombstone, own in group.matching(words):
                there = set(tombstone.digests)
                for start, digest in enumerate(own):
                    if digest in there:
                        covered.update(range(start, start + GRAM_WORDS))
        return covered


def _is_contained(digests: Sequence[str], gram_digests: set[str], shared: int) -> bool:
    """Whether digests, in the order of their text, are in another text: all, or of many most, with the ends."""
    size = len(set(digests))
    if size < MIN_INEXACT_GRAMS:
        return shared == size
    return shared >= INEXACT_SHARE * size and digests[0] in gram_digests and digests[-1] in gram_digests


def _split_words(text: str) -> list[str]:
    return split_units(fold_name(text))


def _short_endings(text: str) -> Iterator[list[str]]:
    """The words of each sentence of a text, and of its ends behind a colon or a comma (`10:05 Peter: …`), if short."""
    for sentence in split_sentences(text):
        words: list[str] = []
        for part in reversed(_CLAUSE_MARK_PATTERN.split(sentence)):
            words = [*_split_words(part), *words]
            if not _is_short(words):
                break
            if len(words) >= MIN_ENDING_WORDS:
                yield words


def _is_short(words: Sequence[str]) -> bool:
    return len(words) < MIN_GRAM_TEXT_WORDS


def _digest_words(words: Sequence[str], salt: str) -> list[str]:
    """The digests (hex) of the runs of four words of a text; of a short text, one of all its words."""
    from hashlib import blake2b  # loads OpenSSL, which whoever has forgotten nothing need not pay for

    keyed = blake2b(key=bytes.fromhex(salt), digest_size=DIGEST_BYTES)
    size = len(words) if _is_short(words) else GRAM_WORDS
    digests: list[str] = []
    for start in range(len(words) - size + 1):
        gram = keyed.copy()
        gram.update(" ".join(words[start : start + size]).encode("utf-8", "surrogatepass"))
        digests.append(gram.hexdigest())
    return digests


# files


def random_salt() -> str:
    """A salt (hex) that nobody knows."""
    return files.random_hex(SALT_BYTES)


def find_salt(root: str, device: str) -> str:
    """The salt (hex) of the tombstones of this device; a new one where there are none."""
    path, groups = _file_path(device), read_tombstones(root).groups
    return next((group.salt for group in reversed(groups) if group.path == path), "") or random_salt()


def encode_tombstones(texts: Sequence[str], salt: str, month: str) -> list[Json]:
    """A line for each of the texts that has words, each once; `month` is `YYYY-MM`."""
    lines: list[Json] = []
    for words in {tuple(_split_words(text)): None for text in texts}:
        if words:
            grams = _digest_words(words, salt)
            lines.append({"v": 1, "ts": month, **({"whole": grams[0]} if _is_short(words) else {"grams": grams})})
    return lines


def decode_tombstones(salt: str, payloads: Sequence[Json]) -> Tombstones:
    """The tombstones of lines as `encode_tombstones` makes them."""
    return _parse_files({"": b"\n".join(map(journal.encode_journal_line, ({"salt": salt}, *payloads)))})


def append_tombstones(root: str, device: str, salt: str, payloads: Sequence[Json]) -> None:
    """Append lines that were made with a salt, except those that are there. Raises BadArgument, LockBusy."""
    journal.require_device_name(device)
    path, salt_line = _file_path(device), journal.encode_journal_line({"v": 1, "salt": salt})
    with files.hold_workspace_lock(root, f"tombstones-{device}"):
        present = (files.read_file_if_exists(root, path) or b"").split(b"\n")
        new = [line for line in map(journal.encode_journal_line, payloads) if line not in present]
        if new:
            last_salt = next((line for line in reversed(present) if b'"salt"' in line), b"")
            files.append_lines(root, path, new if salt_line == last_salt else [salt_line, *new])


def _file_path(device: str) -> str:
    return f"{TOMBSTONE_FOLDER}/tombstones-{device}.jsonl"


def read_tombstones(root: str) -> Tombstones:
    """The tombstones of all devices; read again only when one of their files has changed."""
    names = files.list_file_sizes(root, TOMBSTONE_FOLDER)
    paths = [f"{TOMBSTONE_FOLDER}/{name}" for name in names if name.startswith("tombstones-") and name[-6:] == ".jsonl"]
    return _read_files(root, tuple((path, files.file_stamp(root, path)) for path in paths)) if paths else Tombstones()


@lru_cache(maxsize=4)
def _read_files(root: str, stamps: tuple[tuple[str, tuple[int, ...]], ...]) -> Tombstones:
    data_by_path: dict[str, bytes] = {}
    problems: list[Problem] = []
    for path, _stamp in stamps:
        try:
            data_by_path[path] = files.read_file(root, path)
        except (NotFound, OutsideWorkspace) as error:
            problems.append(Problem("unreadable", error.message, path, hint=error.hint))
    read = _parse_files(data_by_path)
    return structs.replace(read, problems=(*problems, *read.problems))


def _parse_files(data_by_path: Mapping[str, bytes]) -> Tombstones:
    groups: list[_SaltedTombstones] = []
    problems: list[Problem] = []
    for path, data in data_by_path.items():
        group: _SaltedTombstones | None = None
        for number, raw_line in enumerate(data.split(b"\n"), 1):
            line = journal.decode_with_checksum(raw_line, _Line)
            digests = line and ((line.whole,) if line.whole else line.grams)
            if line and line.salt:
                group = _SaltedTombstones(path, line.salt, [], {})
                groups.append(group)
            elif line and digests and group:
                group.add(_Tombstone(f"{path}#L{number}", digests, bool(line.whole)))
            elif raw_line:
                why = "its checksum does not match, it has no digests, or no line with a salt is before it"
                hint = "restore the line, or forget the text again"
                problems.append(Problem("bad-line", f"this tombstone is set aside: {why}", path, number, hint))
    has_short = any(tombstone.is_whole for group in groups for tombstone in group.tombstones)
    fingerprint = files.text_digest("\n".join(map(files.content_digest, data_by_path.values())))
    return Tombstones(tuple(groups), has_short, tuple(problems), fingerprint)
