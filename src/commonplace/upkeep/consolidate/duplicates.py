"""Whether a sentence only repeats a record, what a pack gave out, or what was forgotten on request."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache, lru_cache
from itertools import groupby

from msgspec import Struct

from commonplace.language import text as words_of
from commonplace.language.text import detect_language, is_stop_word, split_sentences, tokenize
from commonplace.language.text.phrase_matcher import FIRST_EAST_ASIAN_CHAR, match_labels, match_phrases, split_units
from commonplace.model import TRUSTS, Category
from commonplace.upkeep.consolidate.candidates import BlockedDigests, ClaimCandidate, SimilarRecord

DUPLICATE_FROM = 0.85
PREFERENCE_DUPLICATE_FROM = 0.65  # a preference is said again in more ways than a fact
SAME_START_FROM = 0.60  # enough where the first words are the same
SAME_START_WORDS = 8  # words
LEVENSHTEIN_SHARE, KEYWORDS_SHARE = 0.6, 0.4
MAX_COMPARED_CHARS = 2_000  # characters whose spelling is compared
SYNONYM_LABELS = ("preference", "decision")  # words of these lists stand for each other


class SentenceContent(Struct, frozen=True):
    """What a sentence says: its words that carry meaning in order (the stem, the word), and what must not differ."""

    stemmed_words: tuple[tuple[str, str], ...]
    numbers: tuple[str, ...]
    strict_labels: tuple[str, ...]
    polarity: dict[str, tuple[str, ...]]
    has_order: bool


def sentence_similarity(a: str, b: str) -> float:
    """0.6 Levenshtein similarity + 0.4 Jaccard of keywords, 0..1 (Memoria's formula); 1 for equal sentences.

    Case, width and blanks aside. Keywords are stems of more than two letters that are no function words, numbers,
    and pairs of characters in scripts without spaces.
    """
    left, right = words_of.fold_name(a)[:MAX_COMPARED_CHARS], words_of.fold_name(b)[:MAX_COMPARED_CHARS]
    if left == right:
        return 1.0
    from rapidfuzz.distance import Levenshtein

    spelled = Levenshtein.normalized_similarity(left, right)
    own = words_of.detect_language(a)
    ours, theirs = _extract_keywords(left, own), _extract_keywords(right, own)
    if not ours and not theirs:
        return spelled
    return LEVENSHTEIN_SHARE * spelled + KEYWORDS_SHARE * words_of.jaccard_similarity(tuple(ours), tuple(theirs))


def find_redundant_with(candidate: ClaimCandidate, similar_records: Sequence[SimilarRecord]) -> tuple[str, float]:
    """The record that says the same, empty if none does, and the highest similarity to any.

    Only a record that is trusted at least as much counts: what strangers said first must not keep the owner's own
    word out.
    """
    best = 0.0
    found: tuple[str, float] = ("", 0.0)
    for one in similar_records:
        alike = sentence_similarity(candidate.text, one.text)
        best = max(best, alike)
        trusted = TRUSTS.index(one.trust) >= TRUSTS.index(candidate.trust)
        if trusted and alike > found[1] and _is_similar_enough(candidate, one, alike) and is_redundant(candidate, one):
            found = (one.id, alike)
    return found[0], best


def required_terms(text: str) -> frozenset[str]:
    """The stems and numbers without which no record says what a text says, as `says_nothing_new` has it; a word that
    another may stand for is none of them."""
    own = words_of.detect_language(text)
    said = _analyze_sentence(text, own)
    stems = (stem for stem, word in said.stemmed_words if match_labels(word).isdisjoint(SYNONYM_LABELS))
    return frozenset((*stems, *(_first_stem(number, own) for number in said.numbers)))


def duplicate_threshold(a: Category, b: Category) -> float:
    """From which similarity on two sentences of these categories may be one."""
    return PREFERENCE_DUPLICATE_FROM if a == b == "preference" else DUPLICATE_FROM


def is_redundant(candidate: ClaimCandidate, similar: SimilarRecord) -> bool:
    """Whether a candidate holds nothing that the record does not: no other number, date, name or negation on either
    side, and no word with a meaning of its own that the record lacks."""
    if words_of.fold_name(candidate.text) == words_of.fold_name(similar.text):
        return _has_same_entities(candidate, similar)
    own = candidate.language if candidate.language != "auto" else words_of.detect_language(candidate.text)
    new_content, old_content = _analyze_sentence(candidate.text, own), _analyze_sentence(similar.text, own)
    if (
        (new_content.numbers, new_content.strict_labels) != (old_content.numbers, old_content.strict_labels)
        or _is_opposed(new_content, old_content)
        or not _is_content_contained(new_content, old_content)
    ):
        return False
    names = _extract_name_stems(candidate.text, similar.text, own)
    unsaid = {_first_stem(word, own) for name in candidate.entities for word in split_units(name)}.difference(names)
    known = _extract_name_stems(similar.text, candidate.text, own)  # what the candidate calls `she`, it does name
    return names == tuple(name for name in known if name not in unsaid) and _has_same_entities(candidate, similar)


def _is_similar_enough(candidate: ClaimCandidate, similar: SimilarRecord, score: float) -> bool:
    if score >= duplicate_threshold(candidate.category, similar.category):
        return True
    ours, theirs = split_units(candidate.text)[:SAME_START_WORDS], split_units(similar.text)[:SAME_START_WORDS]
    return score >= SAME_START_FROM and len(ours) == SAME_START_WORDS and ours == theirs


def _has_same_entities(candidate: ClaimCandidate, similar: SimilarRecord) -> bool:
    """Whether the record names whom the candidate is about, in its text or among its entities."""
    known = {word for text in (similar.text, *similar.entities) for word in split_units(text)}
    return all(known.issuperset(split_units(name)) for name in candidate.entities)


def _is_content_contained(new_content: SentenceContent, old_content: SentenceContent) -> bool:
    stems = {stem for stem, _ in old_content.stemmed_words}
    words = [word for _, word in old_content.stemmed_words]
    if not all(stem in stems or _has_synonym(word, words) for stem, word in new_content.stemmed_words):
        return False
    if not (new_content.has_order or old_content.has_order):
        return True
    both = stems.intersection(stem for stem, _ in new_content.stemmed_words)
    return [s for s, _ in new_content.stemmed_words if s in both] == [
        s for s, _ in old_content.stemmed_words if s in both
    ]


def _is_opposed(new_content: SentenceContent, old_content: SentenceContent) -> bool:
    """Whether both take a side in a group of opposites (on, off; I, she; before, after), and not the same."""
    return any(
        group in old_content.polarity and sides != old_content.polarity[group]
        for group, sides in new_content.polarity.items()
    )


def _has_synonym(word: str, words: Sequence[str]) -> bool:
    kinds = match_labels(word).intersection(SYNONYM_LABELS)
    return any(kinds & match_labels(other) for other in words) if kinds else False


@lru_cache(1024)
def _analyze_sentence(text: str, language_code: str) -> SentenceContent:
    words = split_units(text)
    found = match_phrases(text, language_code)
    idle = {at for m in found if m.label == "light" or m.label.startswith("strict") for at in range(m.start, m.end)}
    content = tuple(
        (_first_stem(word, language_code), word)
        for at, word in enumerate(words)
        if at not in idle and _is_meaningful_word(word, language_code)
    )
    return SentenceContent(
        content,
        tuple(word for word in words if any(map(str.isdigit, word))),
        tuple(mark.label for mark in found if mark.label.startswith("strict")),
        _polarity_by_group([m.label for m in found]),
        any(mark.label == "order" for mark in found),
    )


def _polarity_by_group(mark_labels: Sequence[str]) -> dict[str, tuple[str, ...]]:
    sides = [tuple(label.split(" ")[1:]) for label in mark_labels if label.startswith("pole ")]
    groups = dict.fromkeys(group for group, _ in sides)
    return {g: tuple(side for side, _ in groupby(s for group, s in sides if group == g)) for g in groups}


def _extract_name_stems(text: str, other_text: str, language_code: str) -> tuple[str, ...]:
    """The words in capitals that the other text has not in small letters, in order. The first of a sentence is no name
    if it is a word of the lists, a function word, or stands in the other text."""
    small = {word for word in words_of.sanitize_line(other_text).split() if word.islower()}
    lowered = {unit for word in small for unit in split_units(word)}
    elsewhere = set(split_units(other_text))
    named: list[str] = []
    first = True
    for chunk in text.split():
        for word in split_units(chunk) if chunk.lstrip("\"'([{«„“¿¡*_-")[:1].isupper() else ():
            idle = word in lowered or is_function_or_listed_word(word, language_code) or (first and word in elsewhere)
            if not idle and word.isalpha() and word < FIRST_EAST_ASIAN_CHAR:
                named.append(_first_stem(word, language_code))
        first = chunk.endswith((".", "!", "?", ":", ";"))
    return tuple(named)


def is_function_or_listed_word(word: str, language_code: str) -> bool:
    """Whether a word is a function word, or one of the gate's lists."""
    return words_of.is_stop_word(word, language_code) or bool(match_labels(word, language_code))


def _is_meaningful_word(word: str, language_code: str) -> bool:
    """Whether a word means something by itself: no function word, no number (these are compared as they stand)."""
    if any(map(str.isdigit, word)):
        return False
    return word >= FIRST_EAST_ASIAN_CHAR or (len(word) > 1 and not words_of.is_stop_word(word, language_code))


def _first_stem(word: str, language_code: str) -> str:
    return (words_of.tokenize(word, language_code) or [word])[0]


@lru_cache(4096)
def _extract_keywords(folded: str, language_code: str) -> frozenset[str]:
    kept: set[str] = set()
    for chunk in folded.split():
        if not words_of.is_stop_word(chunk.strip(".,;:!?\"'()"), language_code):
            kept.update(token for token in words_of.tokenize(chunk, language_code) if _is_keyword(token))
    return frozenset(kept)


def _is_keyword(token: str) -> bool:
    return len(token) > 2 or token.isdigit() or (len(token) == 2 and token >= FIRST_EAST_ASIAN_CHAR)


SHINGLE_WORDS = 4  # words, or characters of scripts without spaces
MIN_AGENT_ECHO_SHARE = 0.6  # an agent that puts what it was given into other words still says nothing new
MIN_TOMBSTONE_WORDS = 4  # a shorter sentence (`Thank you.`) is no tombstone of its own
_SIGNIFICANT_LABELS = ("strict", "pole switch", "pole when", "pole height", "pole amount", "pole whole", "pole with")
_FRAMING_WORDS = """
    recall recalled remembered remember memory memories notes noted note according mentioned said saved stored earlier
    previously know known see find found entry record line mémoire souviens noté rappel erinnerung notiert merke
    gespeichert recuerdo memoria anotado guardado"""


def echo_digests(line: str, key: bytes = b"") -> frozenset[str]:
    """The digests of a line that a pack gave out: one for every four words that follow each other."""
    return frozenset(_keyed_digest(shingle, key) for shingle in _word_shingles(split_units(line)))


def tombstone_digests(text: str, key: bytes) -> frozenset[str]:
    """The digests of a text that was forgotten, and of each of its sentences.

    Each is known as its words in order, and as the set of its words that carry meaning, so that other stops, case
    or word order do not bring it back.
    """
    wholes = (text, *(part for part in split_sentences(text) if len(split_units(part)) >= MIN_TOMBSTONE_WORDS))
    return frozenset(digest for whole in wholes for digest in _digest_word_forms(whole, key))


def is_forgotten(text: str, blocked: BlockedDigests) -> bool:
    """Whether a text, or a sentence of it, was forgotten."""
    return bool(blocked.tombstones) and not blocked.tombstones.isdisjoint(tombstone_digests(text, blocked.key))


def is_recall_echo(candidate: ClaimCandidate, blocked: BlockedDigests) -> bool:
    """Whether a candidate only says again what packs gave out.

    A word is known if it stands in four words that were given out in this order. What the candidate adds must be
    function words, or words for telling where one has it from; of an agent's own words it may be up to two fifths.
    It is never a number, a name, a negation or a word with an opposite.
    """
    words = split_units(candidate.text)
    known = _mark_recalled_words(words, blocked)
    if not any(known):
        return False
    own = detect_language(candidate.text) if candidate.language == "auto" else candidate.language
    if not all(known[at] for at in _significant_positions(candidate, words, own)):
        return False
    if candidate.actor == "agent" and sum(known) >= MIN_AGENT_ECHO_SHARE * len(words):
        return True
    fresh = (word for word, seen in zip(words, known, strict=True) if not seen)
    return all(is_stop_word(word, own) or word in _framing_word_set() for word in fresh)


def _mark_recalled_words(words: Sequence[str], blocked: BlockedDigests) -> list[bool]:
    known = [False] * len(words)
    size = min(SHINGLE_WORDS, len(words))
    for start, shingle in enumerate(_word_shingles(words) if blocked.recalled else ()):
        if _keyed_digest(shingle, blocked.key) in blocked.recalled:
            known[start : start + size] = [True] * size
    return known


def _significant_positions(candidate: ClaimCandidate, words: Sequence[str], language_code: str) -> set[int]:
    """The places of numbers, names, negations and words with an opposite."""
    names = {word for name in candidate.entities for word in split_units(name)}
    places = {at for at, word in enumerate(words) if any(map(str.isdigit, word)) or word in names}
    for mark in match_phrases(candidate.text, language_code):
        if mark.label.startswith(_SIGNIFICANT_LABELS):
            places.update(range(mark.start, mark.end))
    return places


def _word_shingles(words: Sequence[str]) -> list[str]:
    """Every four neighbours; a shorter text as it is."""
    size = min(SHINGLE_WORDS, len(words))
    return [" ".join(words[at : at + size]) for at in range(len(words) - size + 1)] if words else []


def _digest_word_forms(text: str, key: bytes) -> Iterable[str]:
    words = split_units(text)
    yield _keyed_digest("said " + " ".join(words), key)
    own = detect_language(text)
    strict = {at for m in match_phrases(text, own) if m.label.startswith("strict") for at in range(m.start, m.end)}
    meant = {
        stem
        for at, word in enumerate(words)
        if at in strict or not is_stop_word(word, own)
        for stem in tokenize(word, own)
    }
    if len(meant) >= SHINGLE_WORDS - 1 and not any(stem >= FIRST_EAST_ASIAN_CHAR for stem in meant):
        yield _keyed_digest("meant " + " ".join(sorted(meant)), key)


@cache
def _framing_word_set() -> frozenset[str]:
    return frozenset(_FRAMING_WORDS.split())


def _keyed_digest(text: str, key: bytes) -> str:
    from hashlib import blake2b

    return blake2b(text.encode("utf-8", "surrogatepass"), key=key[:64], digest_size=12).hexdigest()
