"""Read one clause: find its cues and guards, and type what has weight in it."""

from __future__ import annotations

from itertools import accumulate
from typing import Literal

from commonplace.lazy import lazy_pattern
from commonplace.truth.change_words import (
    GONE,
    NO_CONTENT,
    NO_LABELS,
    ChangeFinder,
    ChangeWords,
    Phrase,
    labels_of,
)
from commonplace.truth.signatures import SIGNATURE_MASK, Guard, SlotType, Statement, Token, hash_key
from commonplace.truth.vocabulary import LineContext

GUARDS: tuple[Guard, ...] = ("role play", "hypothesis", "wish", "report", "past", "passing", "question")  # in order
POSSESSIVES = ("'s", "的", "の")
FIRST_PERSON = "i"  # the name of who speaks, where nobody knows it


class ClauseReader:
    """Reads a clause, from whose phrases it removes what opens it; `entity` is who or what it is about by its mark."""

    def __init__(self, phrases: list[Phrase], words: ChangeWords, context: LineContext, entity: str) -> None:
        self._phrases, self._words, self._language = phrases, words, words.language
        self._names, self._speaker, self._is_talk = context.names, context.speaker, context.is_talk
        changes = ChangeFinder(phrases, words)
        self.has_cue, self.given_up = changes.has_cue, tuple(changes.given_up)
        self.is_negated = self.is_retraction = self.is_additive = self.is_event = self.is_past = False
        self.guard: Guard = ""
        self._tokens: list[Token] = []
        self._copula_at = self._subject_end = -1  # tokens before the last copula; the last phrase of the subject
        self._has_auxiliary = False
        self._lead = self._article = ""
        self._has_entity = bool(entity)
        if entity:
            self._add(Phrase(entity, entity, 0, 0), self._names.resolve(entity), "name")

    def read(self) -> Statement:
        """The statement of the clause without its text, key and signatures."""
        at = 0
        while at < len(self._phrases):
            at = self._read_phrase(at)
        tokens, has_subject = tuple(self._tokens), self._has_entity or self._subject_end >= 0
        sums = accumulate((token.key for token in tokens), lambda total, key: (total + key) & SIGNATURE_MASK, initial=0)
        return Statement(
            "",
            self._language,
            tokens[0].stem if has_subject else "",
            tokens=tokens,
            sums=tuple(sums),
            copula_at=self._copula_at,
            has_subject=has_subject,
            has_cue=self.has_cue,
            given_up=self.given_up,
            guard=self.guard,
            is_retraction=self.is_retraction and not self.given_up,
            is_negated=self.is_negated,
            is_additive=self.is_additive,
            is_event=self.is_event,
            is_past=(self.is_past or self.is_event) and not self.has_cue,
            is_talk=self._is_talk,
        )

    def _read_phrase(self, at: int) -> int:
        """Read what stands at a position, and return the next position."""
        phrase = self._phrases[at]
        labels = phrase.labels
        if not labels and phrase.text == phrase.low and phrase.low not in self._words.numbers:  # the commonest
            return at + 1 if self._words.is_light(phrase.low) else self._read_word(at)
        if labels is GONE:
            return at + 1
        if self._begins_name(at):
            return self._read_name(at)
        if "number" in labels or phrase.low in self._words.numbers or labels & _CALENDAR:
            if self._is_date(at):
                return self._read_date(at)
            if not labels & _CALENDAR:
                return self._read_number(at)
        if "harmless" in labels:
            self.is_additive |= "additive" in labels
        elif not labels or labels <= _CONTENT_LABELS:
            if not self._words.is_light(phrase.low):
                return self._read_word(at)
        elif not labels <= _WEIGHTLESS_LABELS:
            return self._read_labelled(at, phrase, labels)
        return at + 1

    def _read_labelled(self, at: int, phrase: Phrase, labels: frozenset[str]) -> int:
        self._note_labels(at, labels)
        if "first person" in labels:
            self._name_subject(at, at + 1, self._speaker or FIRST_PERSON)
        elif "alternate" in labels and not self._labels(at + 1) & NO_CONTENT and at + 1 < len(self._phrases):
            after = self._phrases[at + 1]
            if "weekday" not in after.labels:  # every Friday is Friday
                self._add(_join(self._phrases[at : at + 2]), f"{phrase.low} {self._words.stem(after.low)}", "date")
                return at + 2
        elif (
            "person" in labels
            and len(self._tokens) == 1
            and self._subject_end >= at - 1 - (self._phrases[at - 1].low in POSSESSIVES)
        ):
            self._rename_subject(f"{self._tokens[0].stem} {self._words.stem(phrase.low)}", at)
            return at + 1
        if "preposition" in labels:
            self._lead = self._words.contractions.get(phrase.low, phrase.low)
            self._article = "definite" if self._lead != phrase.low else ""
        elif labels & _ARTICLES:
            self._article = "definite" if "definite" in labels else "indefinite"
        elif labels & _VERBS and not self._words.is_light(phrase.low):
            return self._read_word(at)
        return at + 1

    def _note_labels(self, at: int, labels: frozenset[str]) -> None:
        """Note what makes the clause no assertion, copulas, tenses, cues and negations; names were read before."""
        if not self.guard and not labels.isdisjoint(GUARDS):
            self.guard = next((guard for guard in GUARDS if guard in labels and (guard != "question" or not at)), "")
        if labels & _COPULAS:
            self._copula_at = len(self._tokens)
        self._has_auxiliary |= bool(labels & _AUXILIARIES)
        self.is_past |= "past copula" in labels
        self.is_event |= "past form" in labels and not (self._has_auxiliary or self._lead or self._article)
        self.has_cue |= "now" in labels
        self.is_additive |= "additive" in labels
        is_negation = "negation" in labels
        if "retraction" in labels or ("any more" in labels and any("negation" in one.labels for one in self._phrases)):
            self.is_retraction = self.has_cue = is_negation = True
        self.is_negated |= is_negation

    def _read_word(self, at: int) -> int:
        phrase = self._phrases[at]
        self.is_event |= self._is_past_verb(phrase.low)
        stem = self._words.stem(phrase.low)
        is_first = not self._tokens and self._subject_end < 0 and not self._lead
        if is_first and not self._words.is_spaced and self._labels(at + 1) & _BEHIND_SUBJECTS:
            return self._name_subject(at, at + 1, self._names.resolve(stem))
        self._add(phrase, stem, "word")
        return at + 1

    def _is_past_verb(self, low: str) -> bool:
        """Whether a regular verb is in the past: `walked` behind the subject, `hat … bezahlt`."""
        if self._language == "en":
            is_behind_noun = 0 < len(self._tokens) < 4 and not self._lead and not self._article
            return low.endswith("ed") and is_behind_noun and not self._has_auxiliary
        is_participle = low.startswith(("ge", "be", "ver")) and low.endswith(("t", "en"))
        return self._language == "de" and self._has_auxiliary and is_participle

    def _add(self, phrase: Phrase, stem: str, kind: SlotType | Literal[""], *, unit: str = "") -> None:
        self._tokens.append(Token(phrase.text, stem, kind, self._lead, self._article, unit, hash_key(stem)))
        self._lead = self._article = ""

    def _labels(self, at: int) -> frozenset[str]:
        return self._phrases[at].labels if at < len(self._phrases) else NO_LABELS

    def _is_adjacent(self, at: int) -> bool:
        """Whether only a blank or a full stop is before a position."""
        before = self._phrases[at - 1]
        return self._phrases[at].start - before.end <= 2 and "mark" not in before.labels

    def _begins_name(self, at: int) -> bool:
        """Whether a name begins: a unit of capitalised words, with what links them."""
        phrase = self._phrases[at]
        if not phrase.text[0].isupper():
            is_bare = not phrase.labels and phrase.text[0].isalpha()
            return is_bare and phrase.text != phrase.low and self._words.is_spaced
        if not self._words.is_spaced:
            return phrase.text.isascii()
        if phrase.labels & _PERSONAL or " " in phrase.low:
            return False
        if at == 0:  # it is no word of grammar, and no verb with a preposition behind it
            is_light, after = self._words.is_light(phrase.low), self._labels(1)
            if self._tokens or not phrase.labels <= _NAME_LABELS or (not phrase.labels and is_light):
                return False
            is_name = self._is_name_part(1) and self._language != "de"
            return is_name or not (is_light or ("preposition" in after and "of" not in after))
        if self._language == "de":  # all nouns have capitals
            return "title" in phrase.labels and self._is_name_part(at + 1)
        return not phrase.labels & _CALENDAR or not self._is_date(at)

    def _is_name_part(self, at: int) -> bool:
        if at >= len(self._phrases):
            return False
        phrase = self._phrases[at]
        return phrase.text[0].isupper() and not phrase.labels & _NO_NAME_PART and self._is_adjacent(at)

    def _read_name(self, at: int) -> int:
        end = self._name_end(at)
        name = _join(self._phrases[at:end])
        resolved = self._names.resolve(name.text)
        if not self._tokens and not self._lead and not self._article:
            return self._name_subject(at, end, resolved)
        if not self._name_joined(at, end, resolved):
            self._add(name, resolved, "name")
        return end

    def _name_end(self, at: int) -> int:
        end = at + 1
        if self._language == "de" and at and "title" not in self._phrases[at].labels:
            return end
        while end < len(self._phrases):
            link = end
            while link < end + 2 and "name link" in self._labels(link) and self._is_adjacent(link):
                link += 1
            if not self._is_name_part(link):
                break
            end = link + 1
        has_number = "number" in self._labels(end) and self._is_adjacent(end) and self._language != "de"
        return end + 1 if has_number and (end + 1 == len(self._phrases) or self._labels(end + 1)) else end

    def _name_subject(self, at: int, end: int, name: str) -> int:
        """Take a name, or who speaks, as the subject or a part of it; returns the end."""
        if not self._tokens:
            self._add(_join(self._phrases[at:end]), name, "name")
            self._subject_end = end - 1
        else:
            self._name_joined(at, end, name)
        return end

    def _name_joined(self, at: int, end: int, name: str) -> bool:
        """Whether a name continues a list that is the subject, `Tom, Lena and I`; then it is part of the subject."""
        if len(self._tokens) != 1 or self._subject_end < 0 or self._copula_at >= 0:
            return False
        between = self._phrases[self._subject_end + 1 : at]
        if not between or not all(phrase.labels & _JOINERS for phrase in between):
            return False
        self._rename_subject("+".join(sorted((*self._tokens[0].stem.split("+"), name))), end - 1)
        return True

    def _rename_subject(self, stem: str, end: int) -> None:
        self._tokens[0] = Token(self._tokens[0].text, stem, "name", key=hash_key(stem))
        self._subject_end = end
        self._lead = self._article = ""

    def _read_number(self, at: int) -> int:
        """Read a number with its unit, which may be the next word."""
        phrase = self._phrases[at]
        value = self._words.number(phrase)
        unit = value.strip("0123456789.,:/-").strip()
        after = self._phrases[at + 1] if at + 1 < len(self._phrases) else None
        if unit or after is None or not after.labels <= _UNIT_LABELS or not self._is_adjacent(at + 1):
            self._add(phrase, value, "number", unit=unit)
            return at + 1
        unit = self._words.stem(after.low)
        self._add(phrase, value, "number", unit=unit)
        self._add(after, unit, "")
        return at + 2

    def _is_date(self, at: int) -> bool:
        """Whether a weekday, a month or a number is one: a month next to a number or behind a preposition."""
        labels = self._phrases[at].labels
        if "month" in labels:
            before = self._phrases[at - 1].labels if at else NO_LABELS
            is_led = bool(before & _DATE_LEADS) and not self._is_name_part(at + 1)
            return is_led or "number" in before or "number" in self._labels(at + 1)
        return "weekday" in labels or ("month" in self._labels(at + 1) and len(self._phrases[at].low) <= 4)

    def _read_date(self, at: int) -> int:
        end = at + 1
        while self._labels(end) & _DATE_PARTS and self._is_adjacent(end):
            end += 1
        parts = sorted(_DATE_ENDINGS.sub("", phrase.low) for phrase in self._phrases[at:end])
        self._add(_join(self._phrases[at:end]), " ".join(parts), "date")
        return end


def _join(phrases: list[Phrase]) -> Phrase:
    text = " ".join(phrase.text for phrase in phrases)
    return Phrase(text, text.lower(), phrases[0].start, phrases[-1].end)


_DATE_ENDINGS = lazy_pattern(r"(?<=\d)(?:st|nd|rd|th)$|\.$|(?<=day)s$|(?<=tag)s$")
_UNIT_LABELS = labels_of("split person title opening correction instead")
_WEIGHTLESS_LABELS = labels_of("mark soft auxiliary and to from of title but name_link")
_CONTENT_LABELS = labels_of("split title month weekday ambiguous opening correction changed name_link instead")
_VERBS = labels_of("past_form person split past_auxiliary")
_ARTICLES, _COPULAS = labels_of("definite indefinite"), labels_of("copula change")
_AUXILIARIES = labels_of("copula past_auxiliary")
_NAME_LABELS = labels_of("month weekday ambiguous title person auxiliary report name_link")
_PERSONAL, _NO_NAME_PART = labels_of("first_person mark"), labels_of("first_person mark weekday")
_BEHIND_SUBJECTS = labels_of("preposition copula split auxiliary now first_person retraction changed")
_JOINERS, _CALENDAR = labels_of("mark and"), labels_of("month weekday")
_DATE_LEADS, _DATE_PARTS = labels_of("preposition to"), labels_of("number month")
