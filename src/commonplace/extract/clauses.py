"""Split English statements into clauses with their subjects, and parse the verb group of each."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal

from msgspec import Struct

from commonplace.extract.claims import ClaimDraft, Statement
from commonplace.extract.languages import english_cues as cues
from commonplace.extract.languages import load_grammar
from commonplace.extract.languages.english_verbs import ADVERBS, AUXILIARIES, VAGUE, base_form, verb_list
from commonplace.lazy import lazy_pattern

Tense = Literal["present", "past", "perfect", "progressive", "ongoing", "future", "modal", "copula", "passive", "was"]

_HAVE_FORMS = frozenset(("have", "has", "'ve", "had"))
_BE_FORMS = frozenset(("am", "is", "are", "'m", "'re", "'s", "be", "been", "being"))
_PAST_BE_FORMS = frozenset(("was", "were"))
_WILL_FORMS = frozenset(("will", "'ll", "gonna"))
_OBJECTS_OF_HAVE = (  # what an object begins with
    "a", "an", "the", "my", "two", "three", "to", "some", "no", "our", "another", "lunch", "dinner", "surgery",
)  # fmt: skip
_UNCONTRACTED = {"wo": "will", "ca": "can"}  # what is left of won't and can't
_MODALS = frozenset(("would", "could", "should", "might", "may", "must", "shall", "'d", "can", "cannot"))
_VERB_WORD = lazy_pattern(r"'(?:m|re|ve|ll|d|s)\b|[^\W_][\w-]*(?:n't\b|'t\b)?|[$€£\"#@(*/`]")
_GOT_PASSIVE = lazy_pattern(
    lambda: rf" (?:just |recently |finally )?({'|'.join(sorted(verb_list('passive') - {'involved', 'asked'}))})\b"
)
_FOLLOWING_ING = lazy_pattern(r" ([a-z]+ing)\b")


class VerbGroup(Struct, frozen=True):
    """`rest_start` is where the rest begins after the verb; a copula has its complement as rest and `be` as base."""

    tense: Tense
    base: str
    word: str
    negated: bool
    adverbs: tuple[str, ...]
    start: int
    rest_start: int


def parse_verb_group(low: str, start: int) -> VerbGroup | None:
    """The verb group that begins at a place of a clause in lower case; None if no verb is there."""
    auxiliaries: list[str] = []
    adverbs: list[str] = []
    for match in _VERB_WORD.finditer(low, start):
        word = match[0]
        if word in ADVERBS:
            adverbs.append(word)
        elif word in AUXILIARIES and not _is_main_verb(low, match):
            auxiliaries.append(word)
        elif not word[-1].isalpha():
            return _copula_group(auxiliaries, adverbs, match.start()) if auxiliaries else None
        else:
            return _classify_verb_group(low, match, auxiliaries, adverbs)
    return None


def count_content_words(rest: str) -> int:
    """The number of content words in an object."""
    if cues.cue_regex("pronoun").match(rest):
        return 0
    words = [word for word in _VERB_WORD.findall(rest[:120]) if word not in VAGUE and word not in ADVERBS]
    return sum(len(word) > 2 or word.isdigit() for word in words)


def _is_main_verb(low: str, match: re.Match[str]) -> bool:
    """Whether have, has, had, do or did is the verb itself: a noun follows it, not a participle."""
    word = match[0]
    if word not in ("have", "has", "had", "do", "did"):
        return False
    after = next((m[0] for m in _VERB_WORD.finditer(low, match.end()) if m[0] not in ADVERBS), "")
    if word in ("do", "did"):
        return after in ("a", "an", "the", "my", "some", "our", "two", "three", "another", "it")
    if after in _OBJECTS_OF_HAVE:
        return True
    form = base_form(after)[1]
    return after != "been" and not (form in ("past", "participle") and after not in ("left", "cut", "hurt"))


class _VerbPhrase(Struct, frozen=True):
    """The position of the main verb, and the auxiliaries and adverbs before it."""

    low: str
    match: re.Match[str]
    auxiliaries: frozenset[str]
    adverbs: tuple[str, ...]
    negated: bool

    @property
    def word(self) -> str:
        return self.match[0]

    def group(self, tense: Tense, base: str = "", rest_start: int = 0) -> VerbGroup:
        """The verb group; without a base that of the word, without a place the end of the word."""
        base, rest_start = base or base_form(self.word)[0], rest_start or self.match.end()
        return VerbGroup(tense, base, self.word, self.negated, self.adverbs, self.match.start(), rest_start)

    def be_group(self, tense: Tense) -> VerbGroup:
        """A form of be whose complement begins here."""
        return VerbGroup(tense, "be", self.word, self.negated, self.adverbs, self.match.start(), self.match.start())


def _classify_verb_group(
    low: str, match: re.Match[str], auxiliaries: list[str], adverbs: list[str]
) -> VerbGroup | None:
    negated = any(word.endswith("n't") or word == "cannot" for word in auxiliaries)
    heads = frozenset(_UNCONTRACTED.get(word, word) for word in (word.removesuffix("n't") for word in auxiliaries))
    phrase = _VerbPhrase(low, match, heads, tuple(adverbs), negated or not {"not", "never"}.isdisjoint(adverbs))
    if "'d" in heads and match[0] == "been":
        return None
    if heads & _MODALS and not heads & _WILL_FORMS:
        return phrase.group("modal")
    if heads & _WILL_FORMS:
        return _future_group(phrase)
    intent = cues.cue_regex("intent").match(low, match.start())
    if intent and (heads & (_BE_FORMS | _PAST_BE_FORMS | _HAVE_FORMS) or not heads):
        past = heads & _PAST_BE_FORMS or intent["lead"].startswith("used")
        return phrase.group("was" if past else "future", base_form(intent["verb"])[0], intent.end())
    if heads & _HAVE_FORMS:
        return _perfect_group(phrase)
    if heads & (_PAST_BE_FORMS | _BE_FORMS):
        return _be_group(phrase, is_past=bool(heads & _PAST_BE_FORMS))
    return _finite_group(phrase)


def _future_group(phrase: _VerbPhrase) -> VerbGroup:
    """`will do`, `will be doing`."""
    later = _FOLLOWING_ING.match(phrase.low, phrase.match.end()) if phrase.word == "be" else None
    return phrase.group("future", base_form(later[1])[0], later.end()) if later else phrase.group("future")


def _perfect_group(phrase: _VerbPhrase) -> VerbGroup | None:
    form = base_form(phrase.word)[1]
    if "been" not in phrase.auxiliaries:
        return phrase.group("perfect") if form in ("past", "participle") else None
    if form == "ing":
        return phrase.group("ongoing")
    return phrase.group("passive") if phrase.word in verb_list("passive") else phrase.be_group("perfect")


def _be_group(phrase: _VerbPhrase, *, is_past: bool) -> VerbGroup:
    if base_form(phrase.word)[1] == "ing":
        return phrase.group("was" if is_past else "progressive")
    if phrase.word in verb_list("passive"):
        return phrase.group("passive")
    return phrase.be_group("was" if is_past else "copula")


def _finite_group(phrase: _VerbPhrase) -> VerbGroup:
    got = _GOT_PASSIVE.match(phrase.low, phrase.match.end()) if phrase.word == "got" else None
    if got:
        return VerbGroup(
            "passive", base_form(got[1])[0], got[1], phrase.negated, phrase.adverbs, phrase.match.start(), got.end()
        )
    return phrase.group("past" if "did" in phrase.auxiliaries or base_form(phrase.word)[1] == "past" else "present")


def _copula_group(auxiliaries: list[str], adverbs: list[str], start: int) -> VerbGroup | None:
    if not set(auxiliaries) & (_BE_FORMS | {"isn't", "aren't"}):
        return None
    negated = "not" in adverbs or any(aux.endswith("n't") for aux in auxiliaries)
    return VerbGroup("copula", "be", "", negated, tuple(adverbs), start, start)


_SUBJECT = lazy_pattern(lambda: cues.expand_english_lists(cues.BOUNDARY + cues.FRONT + cues.SUBJECT))
_RELATION = lazy_pattern(lambda: cues.expand_english_lists(cues.RELATIONS))
_ABSTRACT_SUFFIXES = ("ing", "tion", "ment", "ness", "ity", "ism", "ies", "ful", "able", "ly")


class Clause(Struct, frozen=True):
    """A subject and its verb in a statement: `start` where the clause begins, fronted words included, `end` where it
    ends; `who` is `I`, `we` or `person`, whose name (or relation to the speaker) is `name`."""

    start: int
    end: int
    who: str
    name: str
    verb: VerbGroup


def split_clauses(statement: Statement, speaker: str) -> Iterator[Clause]:
    """The clauses of a statement that state something: none behind if, whether, wish and the like."""
    known = ""  # the last one named, whom `she` can mean
    starts = [
        match
        for match in _subject_matches(statement)
        if not cues.cue_regex("blocked").search(statement.low[: match.start("sub")][-80:])
    ]
    for number, match in enumerate(starts):
        end = starts[number + 1].start() if number + 1 < len(starts) else len(statement.text)
        verb = parse_verb_group(statement.low, match.end())
        if verb is None or verb.start >= end or not _has_subject(match, speaker, known):
            continue
        name = known if match["pro"] else _subject_name(match)
        known = name or known
        tail = cues.cue_regex("dangling").search(statement.low, 0, end)
        end = tail.start() if tail and tail.start() > verb.rest_start else end
        start = match.start("front") if match["front"] else match.start("sub")
        who = "I" if match["i"] or match["drop"] is not None else "we" if match["we"] else "person"
        yield Clause(start, end, who, name, verb)


def draft_relations(statement: Statement, speaker: str) -> Iterator[ClaimDraft]:
    """Relations that are stated with a name: `my sister Ana`, `Ana is my sister`, `my boss is called Ingrid`."""
    for match in _RELATION.finditer(statement.text):
        groups = {key.rstrip("234567"): word for key, word in match.groupdict().items() if word}
        name = re.sub(r"['’]s?$", "", groups["name"].strip())
        if not is_no_name(name):
            over = cues.cue_regex("over").search(match[0])  # a `former manager` manages no more
            relation = (f"{over[0].lower()} " if over else "") + groups["rel"].lower()
            yield ClaimDraft("relation", "person", *match.span(), groups.get("of", speaker), relation, name, 0.9)


def is_no_name(name: str) -> bool:
    """Whether the text in the place of a name is only the first word of the sentence: a stop word, a gerund, an
    abstract noun."""
    first = re.split(r"[\s'’]", name.strip(), maxsplit=1)[0].lower()
    return first in cues.NOT_NAMES or (" " not in name and len(first) > 5 and first.endswith(_ABSTRACT_SUFFIXES))


def _subject_matches(statement: Statement) -> Iterator[re.Match[str]]:
    """The matches of subjects; an omitted subject takes the place of the verb that would otherwise be read as a
    name."""
    dropped = -1
    for match in _SUBJECT.finditer(statement.text):
        if match.start("sub") != dropped:
            yield match
        dropped = match.start("sub") if match["drop"] is not None else -1


def _has_subject(match: re.Match[str], speaker: str, antecedent: str) -> bool:
    """Whether the subject is somebody: a left-out one only at the head of what a named speaker says."""
    if match["drop"] is not None:
        return bool(speaker) and match.start("sub") == 0
    if match["pro"]:
        return bool(antecedent)
    front = match["front"]
    if front and "," not in front and len(front.split()) > 2 and not cues.cue_regex("dated").search(front.lower()):
        return False
    return not match["name"] or not is_no_name(match["name"])


def _subject_name(match: re.Match[str]) -> str:
    name = match["name"] or match["rel"] or match["life"] or match["two"] or ""
    return re.sub(rf"^{load_grammar('en').words['rel']},? (?=[A-Z])", "", name)
