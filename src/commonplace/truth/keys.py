"""Read the key and the value of a statement from the aliases of the registry, in any of its forms."""

from __future__ import annotations

from msgspec import Struct

from commonplace.extract.key_registry import WORD_PATTERN, KeyPhrase, KeyRegistry, Words, fold_word, packaged_registry
from commonplace.language.text import fold_name, is_stop_word, name_key
from commonplace.lazy import lazy_pattern
from commonplace.truth.vocabulary import LineContext, resolve_subject

MAX_WORDS = 6  # of a subject or a value
MAX_UNSPACED_CHARS = 16  # of these in a script without spaces
_FIRST_UNSPACED, _FIRST_HAN = "\u3040", "\u3400"
_LABEL_PATTERN = lazy_pattern(
    r'\s*(?:[-*+]\s+)?(?:[WBS]\s+)?(@?)[*"]*([^:：*"]{1,60}?)[*"]*\s*[:：](?=\D)[*"]*\s*(?=\S)'
)
_POSSESSIVES = frozenset(("'s", "'", "的", "の"))
_TOPIC_PARTICLES = frozenset("はが")
_NUMBER_INSIDE = lazy_pattern(r"\d[.,'’]\d")  # the sign between thousands, or before a fraction
_VALUE_ENDINGS = (("で", "す"), ("だ",), ("了",))
_JOINING_WORDS = frozenset(("of", "de", "la", "le", "von", "van", "der", "the", "&", "del", "du"))


class KeyedValue(Struct, frozen=True, gc=False):
    """The subject of a statement, folded and resolved, its key, and the value as it is written."""

    subject: str
    key: str
    value: str


def read_key(text: str, context: LineContext, subject: str = "") -> KeyedValue | None:
    """The key and value that a statement or a line `Key: value` gives its subject; None if the registry names none.
    `subject` is meant where the text names nobody."""
    registry = context.registry or packaged_registry()
    entity = context.entities[0] if len(context.entities) == 1 else ""
    speaker = context.speaker or entity
    label = _LABEL_PATTERN.match(text)
    name, title = label[2] if label else "", context.heading[-1] if context.heading else ""
    key = registry.nouns.get(fold_name(name), "")
    if label and key and registry.cardinality(key) != "unknown":
        value = text[label.end() :].strip().rstrip(".。*")
        return _resolve(subject or entity or title, key, value, context=context, speaker=speaker)
    sentence = _Sentence(text, label.end() if label else 0, context.language, registry)
    if not label:
        return _read_sentence(sentence, context, (subject or entity, entity, speaker))
    heading = fold_name(title)  # which may name a key, in the singular or the plural
    key = registry.nouns.get(heading) or registry.nouns.get(heading.removesuffix("s"), "")
    if label[1] or name_key(name) in map(name_key, context.entities):
        subject = entity = speaker = name.replace("-", " ") if label[1] else name
    elif not key:
        return None
    keyed = _read_sentence(sentence, context, (subject, entity, speaker))
    if not keyed and key:
        keyed = _resolve(name, key, sentence.slice(*sentence.value(0, key)), context=context, speaker=speaker)
    return keyed


def _resolve(subject: str, key: str, value: str, *, context: LineContext, speaker: str) -> KeyedValue | None:
    resolved = resolve_subject(subject, speaker, context.names)
    return KeyedValue(resolved, key, value) if resolved and value else None


class _Sentence:
    """The words of a text, folded, with their characters; words that change neither key nor value are left out."""

    def __init__(self, text: str, start: int, language: str, registry: KeyRegistry) -> None:
        self.text, self.language, self.tables, self.registry = text, language, registry.tables, registry
        matches = [*WORD_PATTERN.finditer(text, start)]
        self.words = [fold_word(match[0]) for match in matches]
        self.spans = [match.span() for match in matches]
        is_passed_over = not registry.passed_over.keys().isdisjoint(self.words)
        for position in range(len(matches) - 1, -1, -1) if is_passed_over else ():
            for skipped in registry.passed_over.get(self.words[position] if position < len(self.words) else "", ()):
                first = position + 1 - len(skipped)
                if tuple(self.words[max(first, 0) : position + 1]) == skipped:
                    del self.words[first : position + 1], self.spans[first : position + 1]
                    break

    def slice(self, start: int, end: int) -> str:
        """The characters of some words."""
        return self.text[self.spans[start][0] : self.spans[end - 1][1]] if start < end else ""

    def is_sign(self, position: int) -> bool:
        """Whether there is no word at a position."""
        return position >= len(self.words) or not self.words[position][0].isalnum()

    def is_capital(self, position: int) -> bool:
        """Whether a word is written like a name: not in lower-case letters only."""
        if self.is_sign(position):
            return False
        return not (self.text[self.spans[position][0]].islower() and self.words[position].replace(" ", "").isalpha())

    def is_light(self, position: int) -> bool:
        """Whether a word is a function word, which neither a subject nor a value contains."""
        word = self.words[position]
        return word < _FIRST_UNSPACED and (is_stop_word(word, self.language) or is_stop_word(word, "en"))

    def subject(self, end: int, start: int = 0) -> str | None:
        """The subject in the words from `start` to `end`; empty if there are no words, None if they are no subject."""
        words, tables = self.words, self.tables
        first = end
        while first > start and (words[first - 1][0].isalnum() or words[first - 1] in _POSSESSIVES):
            first -= 1
        if first == end:
            return None if first > start else ""
        while first < end and (words[first] in tables.articles or words[first] in tables.genitives):
            first += 1
        if end - first > (MAX_UNSPACED_CHARS if words[end - 1] >= _FIRST_UNSPACED else MAX_WORDS):
            return None
        inner = first + (first < end and (words[first] in tables.first_person or words[first] in tables.second_person))
        is_open = any(self.is_light(n) and words[n] not in _JOINING_WORDS | _POSSESSIVES for n in range(inner, end))
        return None if is_open else self.slice(first, end)

    def value(self, start: int, key: str, *, as_name: bool = False) -> tuple[int, int]:
        """The words of the value of a key that begins at a position; (0, 0) if there is none. With `as_name` one that
        is a name has to be written like one."""
        words, tables = self.words, self.tables
        declared = self.registry.definition(key)
        kind = declared.kind if declared else "word"
        while start < len(words) and (words[start] in tables.leading or words[start] in tables.articles):
            start += 1
        start += kind == "number" and self.is_sign(start)  # a sign of currency
        form = kind if kind != "name" or as_name else "word"
        end = start
        while end < len(words) and end - start < MAX_UNSPACED_CHARS and self._continues(start, end, form):
            end += 1
        fits = {"number": any(map(str.isdigit, self.slice(start, end)))}
        fits["name"] = any(map(self.is_capital, range(start, end)))
        return (start, end) if end > start and fits.get(kind, True) else (0, 0)

    def _continues(self, start: int, position: int, form: str) -> bool:
        """Whether the word at a position belongs to the value that begins at `start`."""
        word, is_first = self.words[position], position == start
        if word >= _FIRST_UNSPACED:
            is_ending = any(_starts(self.words, ending, position) for ending in _VALUE_ENDINGS)
            return not is_ending and (form != "number" or word >= _FIRST_HAN)
        if self.is_sign(position):
            if not is_first and _NUMBER_INSIDE.search(self.slice(position - 1, min(position + 2, len(self.words)))):
                return True
            return form == "date" and word in "./-" and not is_first and not self.is_sign(position + 1)
        if form == "number":
            after_digit = not is_first and self.words[position - 1][-1].isdigit()
            return word[0].isdigit() or word[-1].isdigit() or (after_digit and not self.is_light(position))
        if word in _JOINING_WORDS:
            return not is_first and (self.is_capital(position + 1) or form == "date")
        if form == "name":
            return self.is_capital(position)
        is_weighty = form == "date" or self.is_capital(position) or not self.is_light(position)
        return position - start < MAX_WORDS and is_weighty


Reading = tuple[str, int, int]  # the subject as written, and the words of the value


def _read_sentence(sentence: _Sentence, context: LineContext, who: tuple[str, str, str]) -> KeyedValue | None:
    """The key of the first alias that has a subject and a value; `who` are subject, entity and speaker of the line."""
    subject, entity, speaker = who
    tables = sentence.tables
    for position, word in enumerate(sentence.words):
        for phrase in sentence.registry.phrases_by_word.get(word, ()):
            if not _starts(sentence.words, phrase.before or phrase.after, position):
                continue
            if reading := (_match_noun if phrase.is_noun else _match_phrase)(sentence, position, phrase):
                holder, start, end = _with_holder_first(reading[0], tables.genitives), *reading[1:]
                thing = holder[:1].islower() and fold_word(holder.partition(" ")[0]) not in tables.first_person
                is_other = thing and name_key(holder) != name_key(entity)
                written = f"{entity}'s {holder}" if is_other and entity else holder or subject
                return _resolve(written, phrase.key, sentence.slice(start, end), context=context, speaker=speaker)
    return None


def _with_holder_first(subject: str, genitives: frozenset[str]) -> str:
    """`Zed's admin console` for `admin console of Zed`; other subjects as they are."""
    words = subject.split()
    end = next((at for at, word in enumerate(words) if at and fold_word(word) in genitives), len(words))
    start = next((at for at in range(end, len(words)) if fold_word(words[at]) not in genitives), len(words))
    if not words[start:] or not subject[0].islower() or words[start][0].islower():
        return subject
    return f"{' '.join(words[start:])}'s {' '.join(words[:end])}"


def _match_phrase(sentence: _Sentence, position: int, key_phrase: KeyPhrase) -> Reading | None:
    """The reading of a phrase that begins at a position: `lives in …`, `nach … gezogen`, `… に住んでいます`."""
    words, start = sentence.words, position + len(key_phrase.before)
    if not key_phrase.before:  # the value stands before it, behind the subject and a particle
        end = position
        topic = next((n for n in range(position - 1, 0, -1) if words[n] in _TOPIC_PARTICLES), -1)
        start = next((n + 1 for n in range(position - 1, topic, -1) if sentence.is_sign(n)), topic + 1)
        holder = sentence.subject(topic) if topic > 0 else ""
    else:
        first, end = sentence.value(start, key_phrase.key, as_name=True)
        if key_phrase.ends and start != first:
            return None
        if key_phrase.after:
            ends = range(start + 1, min(start + MAX_UNSPACED_CHARS, len(words)))
            end = next((n for n in ends if _starts(words, key_phrase.after, n)), 0)
        start = start if key_phrase.after else first
        holder = "I" if key_phrase.is_first_person else sentence.subject(position)
    is_whole = not key_phrase.ends or sentence.is_sign(end + len(key_phrase.after))
    return (holder, start, end) if holder is not None and start < end and is_whole else None


def _match_noun(sentence: _Sentence, position: int, key_phrase: KeyPhrase) -> Reading | None:
    """The reading of a noun at a position: `X's port is …`, `the X port is …`, `the port of X is …`."""
    words, tables, after = sentence.words, sentence.tables, position + len(key_phrase.before)
    if after + 1 >= len(words):
        return None
    copula, holder = after, sentence.subject(position - (words[position - 1] in _POSSESSIVES if position else 0))
    if words[after] not in tables.copulas:
        ends = range(after + 2, min(after + MAX_UNSPACED_CHARS, len(words)))
        copula = next((n for n in ends if words[n] in tables.copulas), 0)
        if words[after] not in tables.genitives or holder or not copula:
            return None
        holder = sentence.subject(copula, after + 1)
    elif sentence.language == "de" and holder and holder.isalpha() and holder[0].isupper():
        holder = holder.removesuffix("s")  # Lenas Geburtstag
    start, end = sentence.value(copula + 1, key_phrase.key)
    return (holder, start, end) if end and holder is not None else None


def _starts(words: list[str], phrase: Words, position: int) -> bool:
    return words[position] == phrase[0] and tuple(words[position : position + len(phrase)]) == phrase
