"""Read one clause: cut off its openings, find its cues, its guards and the value given up, and type what is left."""

from __future__ import annotations

from collections.abc import Callable
from itertools import accumulate
from typing import Literal

from msgspec import Struct

from commonplace.language.text import fold_name
from commonplace.lazy import lazy_pattern
from commonplace.truth.change_words import GONE, NO_CONTENT, NO_LABELS, ChangeWords, Phrase, labels_of
from commonplace.truth.changes import find_changes
from commonplace.truth.tokens import SIGNATURE_MASK, Frame, SlotType, Token, hash_key

Guard = Literal["", "question", "quotation", "hypothesis", "wish", "role play", "report", "past", "passing"]
GUARDS: tuple[Guard, ...] = ("role play", "hypothesis", "wish", "report", "past", "passing", "question")
FIRST_PERSON = "i"  # the key of who speaks, where nobody knows the name

Resolver = Callable[[str], str]


class Clause(Struct, frozen=True, gc=False):
    """What was read of a clause; the fields are those of a statement."""

    frame: Frame
    has_cue: bool = False
    is_retraction: bool = False
    is_negated: bool = False
    is_additive: bool = False
    is_event: bool = False
    given_up: tuple[str, ...] = ()
    guard: Guard = ""


class ClauseReader:
    """Reads one clause from its phrases, from left to right."""

    def __init__(self, phrases: list[Phrase], words: ChangeWords, resolve: Resolver, speaker: str) -> None:
        self.phrases, self.words, self.resolve, self.speaker = phrases, words, resolve, speaker
        self.tokens: list[Token] = []
        self.copula_at = -1
        self.has_cue = self.is_negated = self.is_retraction = self.is_additive = self.has_auxiliary = False
        self.has_verb_of_past = False
        self.guard: Guard = ""
        self.given_up: tuple[str, ...] = ()
        self.lead = self.article = ""
        self.subject_end = -1  # the place of the last phrase of the subject

    def read(self, entity: str = "") -> Clause:
        """The clause; `entity` is who or what it is about by its mark."""
        self.has_cue, self.given_up = find_changes(self.phrases, self.words)
        if entity:
            self._add(Phrase(entity, entity, 0, 0), entity, "name")
        at = 0
        while at < len(self.phrases):
            at = self._read_item(at)
        has_subject = bool(self.tokens) and (bool(entity) or self.subject_end >= 0)
        if self.is_retraction and self.given_up:
            self.is_retraction = False
        sums = accumulate((token.key for token in self.tokens), _add_keys, initial=0)
        return Clause(
            Frame(tuple(self.tokens), tuple(sums), self.copula_at, has_subject),
            self.has_cue,
            self.is_retraction,
            self.is_negated,
            self.is_additive,
            self.has_verb_of_past and not self.has_cue,
            self.given_up,
            self.guard,
        )

    def _read_item(self, at: int) -> int:
        """Read the phrase, and return the place of the next one."""
        phrase = self.phrases[at]
        labels = phrase.labels
        if labels is GONE:
            return at + 1
        if self._begins_name(at):
            return self._read_name(at)
        if "number" in labels or phrase.low in self.words.numbers:
            return self._read_number(at)
        if ("month" in labels or "weekday" in labels) and self._is_date(at):
            return self._read_date(at)
        if not labels or labels <= _WEIGHTLESS_LABELS:
            if not labels and not self.words.is_light(phrase.low):
                self._read_word(phrase)
            return at + 1
        return self._read_labelled(at, phrase, labels)

    def _read_labelled(self, at: int, phrase: Phrase, labels: frozenset[str]) -> int:
        if "harmless" in labels:
            self.is_additive |= "additive" in labels
            return at + 1
        self._note_guard(at, phrase, labels)
        if self._note_cues(labels):
            return at + 1
        if "first person" in labels:
            self._read_first_person(at, phrase)
            return at + 1
        if "alternate" in labels and at + 1 < len(self.phrases) and not self.phrases[at + 1].labels & NO_CONTENT:
            return self._read_alternate(at)
        if "person" in labels and len(self.tokens) == 1 and self.subject_end == at - 1 - self._is_possessed(at):
            stem = f"{self.tokens[0].stem}'s {self.words.stem(phrase.low)}"
            self._rename_subject(stem, phrase, at)
            return at + 1
        return self._read_grammar(at, phrase, labels)

    def _note_guard(self, at: int, phrase: Phrase, labels: frozenset[str]) -> None:
        """Note what makes the clause no assertion; capitalised words inside it are names, which do not."""
        if self.guard or labels.isdisjoint(GUARDS):
            return
        if at == 0 or phrase.text[0].islower() or not self.words.is_spaced:
            guards = [guard for guard in GUARDS if guard in labels and (guard != "question" or at == 0)]
            self.guard = guards[0] if guards else ""

    def _note_cues(self, labels: frozenset[str]) -> bool:
        """Note copulas, cues and negations; whether that was all that the phrase says."""
        if "change" in labels or "copula" in labels:
            self.copula_at = len(self.tokens)
        self.has_auxiliary |= "copula" in labels or "past auxiliary" in labels
        self.has_cue |= "now" in labels
        self.is_additive |= "additive" in labels
        if "retraction" in labels or ("any more" in labels and self._is_negated_clause()):
            self.is_retraction = self.has_cue = self.is_negated = True
            return True
        self.is_negated |= "negation" in labels
        return "negation" in labels

    def _read_first_person(self, at: int, phrase: Phrase) -> None:
        if not self.tokens:
            self._add(phrase, self.speaker or FIRST_PERSON, "name")
            self.subject_end = at
        elif self._joins_subject(at):
            self._join_subject(self.speaker or FIRST_PERSON, phrase, at)
        if "definite" in phrase.labels:
            self.article = "definite"

    def _read_alternate(self, at: int) -> int:
        """Read `every other week` as one date; `every Friday` is Friday."""
        phrase, after = self.phrases[at : at + 2]
        if "weekday" in after.labels:
            return at + 1
        stem = f"{phrase.low} {self.words.stem(after.low)}"
        self._add(_joined([phrase, after]), stem, "date")
        return at + 2

    def _read_grammar(self, at: int, phrase: Phrase, labels: frozenset[str]) -> int:
        if "preposition" in labels:
            self.lead, self.article = phrase.low, ""
        elif "definite" in labels or "indefinite" in labels:
            self.article = "definite" if "definite" in labels else "indefinite"
        elif "past form" in labels or labels <= _CONTENT_LABELS:
            self.has_verb_of_past |= "past form" in labels and not self.has_auxiliary
            if not self.words.is_light(phrase.low):
                self._read_word(phrase)
        return at + 1

    def _is_possessed(self, at: int) -> bool:
        return self.phrases[at - 1].low in ("'s", "的", "の")

    def _is_negated_clause(self) -> bool:
        return self.is_negated or any("negation" in phrase.labels for phrase in self.phrases)

    def _read_word(self, phrase: Phrase) -> None:
        stem = self.words.stem(phrase.low)
        self.has_verb_of_past |= self._is_past_verb(phrase.low)
        if not self.words.is_spaced and not self.tokens and self.subject_end < 0 and not self.lead:
            after = self._next_labels(phrase)
            if after & _TOPICS:
                self._add(phrase, self.resolve(stem), "name")
                self.subject_end = self.phrases.index(phrase)
                return
        self._add(phrase, stem, "word")

    def _next_labels(self, phrase: Phrase) -> frozenset[str]:
        at = self.phrases.index(phrase) + 1
        return self.phrases[at].labels if at < len(self.phrases) else NO_LABELS

    def _is_past_verb(self, low: str) -> bool:
        """Whether a regular verb is in the past: `walked` behind the subject, `hat … bezahlt`."""
        if self.words.language == "en":
            return low.endswith("ed") and 0 < len(self.tokens) < 4 and not self.has_auxiliary
        return (
            self.words.language == "de"
            and self.has_auxiliary
            and low.startswith(_PARTICIPLES)
            and low.endswith(("t", "en"))
        )

    def _add(self, phrase: Phrase, stem: str, kind: SlotType | Literal[""], *, unit: str = "") -> None:
        span = phrase.start, phrase.end
        self.tokens.append(Token(phrase.text, stem, kind, self.lead, self.article, unit, hash_key(stem), span))
        self.lead = self.article = ""

    # names

    def _begins_name(self, at: int) -> bool:
        phrase = self.phrases[at]
        first = phrase.text[0]
        if not first.isupper():
            return phrase.text != phrase.low and not phrase.labels and phrase.text[0].isalpha() and self.words.is_spaced
        if not self.words.is_spaced:
            return phrase.text.isascii()
        if phrase.labels & _PERSONAL or " " in phrase.low:
            return False
        before = self._before(at)
        if before is None:  # the first word may be any word
            return not self.tokens and self._begins_with_name(phrase, at)
        if self.words.language == "de":
            return False
        return not ("month" in phrase.labels or "weekday" in phrase.labels) or not self._is_date(at)

    def _begins_with_name(self, phrase: Phrase, at: int) -> bool:
        """Whether the first word is a name: it is no word of grammar, and no verb with a preposition behind it."""
        if phrase.labels & _GRAMMAR or (self.words.is_light(phrase.low) and self.words.language == "de"):
            return False
        if self._is_name_part(at + 1) and self.words.language != "de":
            return True
        after = self.phrases[at + 1].labels if at + 1 < len(self.phrases) else NO_LABELS
        return not self.words.is_light(phrase.low) and not ("preposition" in after and "of" not in after)

    def _before(self, at: int) -> Phrase | None:
        return self.phrases[at - 1] if at else None

    def _is_name_part(self, at: int) -> bool:
        if at >= len(self.phrases):
            return False
        phrase = self.phrases[at]
        return phrase.text[0].isupper() and not phrase.labels & _PERSONAL and self._is_adjacent(at)

    def _is_adjacent(self, at: int) -> bool:
        gap = self.phrases[at].start - self.phrases[at - 1].end
        return gap <= 2 and "mark" not in self.phrases[at - 1].labels

    def _read_name(self, at: int) -> int:
        phrases = self.phrases
        end = at + 1
        limit = len(phrases)
        is_german_middle = self.words.language == "de" and at > 0
        while end < limit and not is_german_middle:
            if self._is_name_part(end) and "weekday" not in phrases[end].labels:
                end += 1
            else:
                link = end
                while (
                    link < limit and link < end + 2 and "name link" in phrases[link].labels and self._is_adjacent(link)
                ):
                    link += 1
                if link == end or not self._is_name_part(link):
                    break
                end = link + 1
        if end < limit and "number" in phrases[end].labels and self._is_adjacent(end) and self.words.language != "de":
            after = phrases[end + 1] if end + 1 < limit else None
            if after is None or after.labels:
                end += 1
        name = _joined(phrases[at:end])
        folded = fold_name(name.text)
        resolved = self.resolve(folded)
        is_first = not self.tokens and not self.lead and not self.article
        if not is_first and self._joins_subject(at):
            self._join_subject(resolved, phrases[at], end - 1)
            return end
        if end - at == 1 and resolved == folded and not is_first and self.words.language == "de":
            resolved = self.words.stem(name.low)
        self._add(name, resolved, "name")
        if is_first:
            self.subject_end = end - 1
        return end

    def _joins_subject(self, at: int) -> bool:
        """Whether what stands here continues a list of names that is the subject: `Tom, Lena and I`."""
        if len(self.tokens) != 1 or self.subject_end < 0 or self.copula_at >= 0:
            return False
        between = self.phrases[self.subject_end + 1 : at]
        return bool(between) and all(phrase.labels & _JOINERS for phrase in between)

    def _join_subject(self, name: str, phrase: Phrase, end: int) -> None:
        self._rename_subject("+".join(sorted((*self.tokens[0].stem.split("+"), name))), phrase, end)

    def _rename_subject(self, stem: str, last: Phrase, end: int) -> None:
        """Make the first token one that ends with `last`, the phrase at the place `end`."""
        span = self.tokens[0].span[0], last.end
        self.tokens[0] = Token(self.tokens[0].text, stem, "name", key=hash_key(stem), span=span)
        self.subject_end = end
        self.lead = self.article = ""

    # numbers and dates

    def _read_number(self, at: int) -> int:
        phrases = self.phrases
        phrase = phrases[at]
        if self._is_date(at):
            return self._read_date(at)
        value = self.words.number(phrase)
        unit = value.lstrip("0123456789.,:/-").strip() or value[:1].strip("0123456789")
        after = phrases[at + 1] if at + 1 < len(phrases) else None
        takes_next = not unit and after is not None and not after.labels & _NO_UNIT and self._is_adjacent(at + 1)
        takes_next = takes_next and after is not None and not (self.words.is_spaced and after.text[0].isdigit())
        if not takes_next or after is None:
            self._add(phrase, value, "number", unit=unit)
            return at + 1
        unit = self.words.stem(after.low)
        self._add(phrase, value, "number", unit=unit)
        self._add(after, unit, "")
        return at + 2

    def _is_date(self, at: int) -> bool:
        """Whether a month, weekday or number is one: a month next to a number or behind a preposition."""
        phrases = self.phrases
        labels = phrases[at].labels
        if "weekday" in labels:
            return True
        near = [phrases[n] for n in (at - 1, at + 1) if 0 <= n < len(phrases)]
        if "month" in labels:
            if any("number" in phrase.labels for phrase in near):
                return True
            before = self._before(at)
            return before is not None and bool(before.labels & _DATE_LEADS) and not self._is_name_part(at + 1)
        return at + 1 < len(phrases) and "month" in phrases[at + 1].labels and len(phrases[at].low.rstrip(".")) <= 4

    def _read_date(self, at: int) -> int:
        phrases = self.phrases
        end = at + 1
        while end < len(phrases) and phrases[end].labels & _DATE_PARTS and self._is_adjacent(end):
            if "number" in phrases[end].labels and not phrases[end].low[0].isdigit():
                break
            end += 1
        parts = sorted(_DATE_ENDINGS.sub("", phrase.low) for phrase in phrases[at:end])
        self._add(_joined(phrases[at:end]), " ".join(parts), "date")
        return end


def _add_keys(total: int, key: int) -> int:
    return (total + key) & SIGNATURE_MASK


def _joined(phrases: list[Phrase]) -> Phrase:
    text = " ".join(phrase.text for phrase in phrases)
    return Phrase(text, text.lower(), phrases[0].start, phrases[-1].end)


_DATE_ENDINGS = lazy_pattern(r"(?<=\d)(?:st|nd|rd|th)$|\.$|(?<=day)s$|(?<=tag)s$")
_PARTICIPLES = ("ge", "be", "ver")
_NO_UNIT = NO_CONTENT | labels_of("number but now soft changed month weekday additive instead")
_WEIGHTLESS_LABELS = labels_of("mark soft auxiliary and to from of title but name_link")
_CONTENT_LABELS = labels_of(
    "split person title month weekday ambiguous opening correction changed past_auxiliary name_link instead"
)
_GRAMMAR = labels_of("definite indefinite preposition copula and negation instead")
_PERSONAL = labels_of("first_person mark")
_TOPICS = labels_of("preposition copula split auxiliary now first_person retraction changed")
_JOINERS = labels_of("mark and")
_DATE_LEADS = labels_of("preposition to")
_DATE_PARTS = labels_of("number month")
