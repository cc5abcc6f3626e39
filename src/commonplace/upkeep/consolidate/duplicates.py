"""Whether a sentence only repeats a record, the output of a pack, or what was forgotten on request."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache

from msgspec import Struct

from commonplace.language.text import (
    FIRST_EAST_ASIAN_CHAR,
    detect_language,
    fold_name,
    is_stop_word,
    jaccard_similarity,
    match_labels,
    match_phrases,
    sanitize_line,
    split_units,
    tokenize,
)
from commonplace.storage.tombstones import Tombstones
from commonplace.truth import content_tokens, is_worded_alike
from commonplace.upkeep.consolidate.claim_record import ClaimRecord

DUPLICATE_FROM = 0.85
CLOSE_DUPLICATE_FROM = 0.60  # enough for preferences, which are repeated in more ways, and after the same first words
SAME_START_WORDS = 8  # words
SYNONYM_LABELS = ("preference", "decision")  # words of these lists count as synonyms


SentenceContent = tuple[tuple[tuple[str, str], ...], tuple[str, ...]]  # words with a meaning (stem, word), and numbers


def sentence_similarity(text: str, other_text: str) -> float:
    """The Jaccard similarity of the words of two sentences, 0..1, without function words; 1 for equal sentences."""
    if fold_name(text) == fold_name(other_text):
        return 1.0
    return jaccard_similarity(content_tokens(text), content_tokens(other_text))


def find_duplicate(claim: ClaimRecord, similar: Iterable[ClaimRecord]) -> str:
    """The id of the most similar record that repeats the claim; empty if none does. Only a record that is trusted at
    least as much counts: a stranger's sentence must not keep out the owner's own."""
    best, duplicate = 0.0, ""
    for other in similar:
        score = sentence_similarity(claim.text, other.text) if other.trust_rank >= claim.trust_rank else 0.0
        ours, theirs = (split_units(one.text)[:SAME_START_WORDS] for one in (claim, other))
        is_close = claim.category == other.category == "preference" or (
            len(ours) == SAME_START_WORDS and ours == theirs
        )
        least = CLOSE_DUPLICATE_FROM if is_close else DUPLICATE_FROM
        if score > best and score >= least and is_redundant(claim, other):
            best, duplicate = score, other.id
    return duplicate


def required_terms(text: str) -> frozenset[str]:
    """The stems and numbers that every repetition of a text must have; words with synonyms are left out."""
    own = detect_language(text)
    words, numbers = _analyze_sentence(text, own)
    stems = (stem for stem, word in words if match_labels(word).isdisjoint(SYNONYM_LABELS))
    return frozenset((*stems, *(_first_stem(number, own) for number in numbers)))


def is_redundant(claim: ClaimRecord, other: ClaimRecord) -> bool:
    """Whether a claim adds nothing to a record, which names everybody that it is about: no number, date, name or
    negation differs on either side, and every word with a meaning of its own is in the record, in the same order."""
    named = {word for text in (other.text, *other.entities) for word in split_units(text)}
    if not all(named.issuperset(split_units(name)) for name in claim.entities):
        return False
    if fold_name(claim.text) == fold_name(other.text):
        return True
    own = detect_language(claim.text)
    (words, numbers), (old_words, old_numbers) = (_analyze_sentence(one.text, own) for one in (claim, other))
    if numbers != old_numbers or not is_worded_alike(claim.text, other.text, own):
        return False
    stems, old_stems = ([stem for stem, _word in one] for one in (words, old_words))
    new_words = [word for stem, word in words if stem not in old_stems]
    synonyms = frozenset().union(*(match_labels(word) for _stem, word in old_words)).intersection(SYNONYM_LABELS)
    if any(synonyms.isdisjoint(match_labels(word)) for word in new_words):
        return False
    if [stem for stem in stems if stem in old_stems] != [stem for stem in old_stems if stem in stems]:
        return False
    names = _extract_name_stems(claim.text, other.text, own)
    entity_stems = {_first_stem(word, own) for name in claim.entities for word in split_units(name)}
    implied = entity_stems.difference(names)  # named by the claim's entities, where its text has a pronoun
    return names == [one for one in _extract_name_stems(other.text, claim.text, own) if one not in implied]


@lru_cache(1024)
def _analyze_sentence(text: str, language_code: str) -> SentenceContent:
    words = split_units(text)
    marks = match_phrases(text, language_code)
    idle = {at for m in marks if m.label == "light" or m.label.startswith("strict") for at in range(m.start, m.end)}
    numbers = tuple(word for word in words if any(map(str.isdigit, word)))  # they are compared as they stand
    content = tuple(
        (_first_stem(word, language_code), word)
        for at, word in enumerate(words)
        if at not in idle
        and word not in numbers
        and (word >= FIRST_EAST_ASIAN_CHAR or (len(word) > 1 and not is_stop_word(word, language_code)))
    )
    return content, numbers


def _extract_name_stems(text: str, other_text: str, language_code: str) -> list[str]:
    """The stems of capitalised words that the other text does not have in lower case, in order. The first word of a
    sentence is not a name if it is a function word, in the gate's lists, or in the other text."""
    lowered = {unit for word in sanitize_line(other_text).split() if word.islower() for unit in split_units(word)}
    elsewhere = set(split_units(other_text))
    stems: list[str] = []
    first = True
    for chunk in text.split():
        for word in split_units(chunk) if chunk.lstrip("\"'([{«„“¿¡*_-")[:1].isupper() else ():
            is_listed = is_stop_word(word, language_code) or bool(match_labels(word, language_code))
            idle = word in lowered or is_listed or (first and word in elsewhere)
            if not idle and word.isalpha() and word < FIRST_EAST_ASIAN_CHAR:
                stems.append(_first_stem(word, language_code))
        first = chunk.endswith((".", "!", "?", ":", ";"))
    return stems


def _first_stem(word: str, language_code: str) -> str:
    return (tokenize(word, language_code) or [word])[0]


SHINGLE_WORDS = 4  # words, or characters of scripts without spaces
MIN_AGENT_ECHO_SHARE = 0.6  # an agent that paraphrases what it was given still says nothing new
_SIGNIFICANT_LABELS = ("strict", "pole switch", "pole when", "pole height", "pole amount", "pole whole", "pole with")
_FRAMING_WORDS = """
    recall recalled remembered remember memory memories notes noted note according mentioned said saved stored earlier
    previously know known see find found entry record line mémoire souviens noté rappel erinnerung notiert merke
    gespeichert recuerdo memoria anotado guardado"""


class PackedLine(Struct, frozen=True):
    """A line of a pack: when it was first packed, its record and sources, and whether it still holds."""

    first_packed: str = ""
    source_ids: frozenset[str] = frozenset()
    is_current: bool = True

    def blocks(self, claim: ClaimRecord) -> bool:
        """Whether a claim may repeat the line: it was packed before the claim was said, and does not rest on it. A line
        that no longer holds blocks an agent only: the owner may say that it holds again."""
        is_before = self.first_packed <= claim.time and self.source_ids.isdisjoint(claim.sources)
        return is_before and (self.is_current or claim.actor == "agent")


class BlockedTexts(Struct, frozen=True):
    """What must not be learned again: the lines of recent packs by their `echo_digests`, whose `key` is that of the
    workspace, and the texts that were forgotten."""

    packed_by_digest: dict[str, list[PackedLine]] = {}
    tombstones: Tombstones = Tombstones()
    key: bytes = b""


def echo_digests(line: str, key: bytes = b"") -> frozenset[str]:
    """The digests of a line of a pack: one for every four consecutive words."""
    return frozenset(_keyed_digest(shingle, key) for shingle in _word_shingles(split_units(line)))


def is_recall_echo(claim: ClaimRecord, blocked: BlockedTexts) -> bool:
    """Whether a claim only repeats recent packs: its words are of four consecutive ones of a pack, or function words or
    words of reporting (`noted`); of an agent's up to two fifths may be others. No number, name, negation or word with
    an opposite may be new."""
    words = split_units(claim.text)
    recalled = [False] * len(words)
    size = min(SHINGLE_WORDS, len(words))
    for start, shingle in enumerate(_word_shingles(words) if blocked.packed_by_digest else ()):
        if any(line.blocks(claim) for line in blocked.packed_by_digest.get(_keyed_digest(shingle, blocked.key), ())):
            recalled[start : start + size] = [True] * size
    if not any(recalled):
        return False
    own, names = detect_language(claim.text), {word for name in claim.entities for word in split_units(name)}
    significant = {at for at, word in enumerate(words) if any(map(str.isdigit, word)) or word in names}
    for mark in match_phrases(claim.text, own):
        significant |= set(range(mark.start, mark.end) if mark.label.startswith(_SIGNIFICANT_LABELS) else ())
    if not all(recalled[at] for at in significant):
        return False
    if claim.actor == "agent" and sum(recalled) >= MIN_AGENT_ECHO_SHARE * len(words):
        return True
    fresh = (word for word, seen in zip(words, recalled, strict=True) if not seen)
    framing_words = _FRAMING_WORDS.split()
    return all(is_stop_word(word, own) or word in framing_words for word in fresh)


def _word_shingles(words: Sequence[str]) -> list[str]:
    """Return every four consecutive words; a shorter text as a whole."""
    size = min(SHINGLE_WORDS, len(words))
    return [" ".join(words[at : at + size]) for at in range(len(words) - size + 1)] if words else []


def _keyed_digest(text: str, key: bytes) -> str:
    from hashlib import blake2b

    return blake2b(text.encode("utf-8", "surrogatepass"), key=key[:64], digest_size=12).hexdigest()
