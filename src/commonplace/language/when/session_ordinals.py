"""Parse sessions named by their order: `session 12`, `our first chat`, `sessions 3 through 5`, `2 sessions ago`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from itertools import takewhile
from operator import itemgetter

from msgspec import Struct

from commonplace.language.when import tokenizer
from commonplace.language.when.parser import PatternMatch, TokenizedText
from commonplace.language.when.rules import PatternNode, SlotValues, build_pattern_tree
from commonplace.language.word_data import load_session_words, load_time_words

PositionRanges = tuple[tuple[int, int], ...]
_SESSION_KINDS = ("session", "sessions", "occasion", "lastly")
_OUR_KIND, _OF_KIND, _VAGUE_KIND, _COMMA_KIND = (frozenset((kind,)) for kind in ("our", "of", "vague", "comma"))
_PARTNER_KIND, _TOPIC_KINDS = frozenset(("with",)), frozenset(("with", "concerning"))
_CLAUSE_KINDS = frozenset(("when", "we"))
_DETERMINER_KINDS = frozenset(("our", "the"))  # what may stand between a session and what governs it
VAGUE_WEAKNESS, POSSESSIVE_WEAKNESS = 1, 2  # of a word that says too little with `previous`, that needs `our`


class SessionRange(Struct, frozen=True):
    """Sessions by position: `first` to `last`, both included, counted from 1, or from the end: -1 is the last. `phrase`
    is `text[start:end]` of the text that names them."""

    first: int
    last: int
    start: int
    end: int
    phrase: str

    def indexes(self, count: int) -> range:
        """Return the positions, from 0 on, that are meant of this many sessions; empty if there are no such."""
        first, last = (place + count if place < 0 else place - 1 for place in (self.first, self.last))
        return range(max(first, 0), min(last + 1, count))


@cache
def session_triggers(*kinds: str) -> tokenizer.TriggerWords:
    """Return the session words of some kinds: by `say` one asks what was said (`tell`, `decide`)."""
    return tokenizer.collect_triggers(load_session_words(), frozenset(kinds))


def find_session_ranges(text: str) -> tuple[SessionRange, ...]:
    """Return the sessions that a text names by their order (`session 12`, `our first chat`, `2 sessions ago`)."""
    if not tokenizer.has_trigger(text, session_triggers(*_SESSION_KINDS)):
        return ()
    lexicon, patterns = _session_grammar()
    words = TokenizedText(text, lexicon)
    ranges: list[SessionRange] = []
    place = 0
    while place < len(words.tokens):
        readings = list(words.match_patterns(place, patterns)) if words.lexemes_at(place) else []
        matches = [one for one in readings if _is_session_in_context(words, place, one)] if readings else []
        if not matches:
            place += 1
            continue
        longest = max(matches, key=itemgetter(0))
        first = place
        while words.is_kind(first - 1, _DETERMINER_KINDS):
            first -= 1
        start, end = words.tokens[first].start, words.tokens[longest[0] - 1].end
        spans = _apply_preposition(words, first - 1, longest)
        ranges += [SessionRange(*span, start, end, text[start:end]) for span in spans]
        place = longest[0]
    return tuple(ranges)


@cache
def _session_grammar() -> tuple[tokenizer.TimeLexicon, PatternNode]:
    """The words for sessions, and those for times, for these count and order; and the patterns."""
    lexicon = tokenizer.build_lexicon(
        {**times, **{key: [*times.get(key, ()), *slots] for key, slots in sessions.items()}}
        for times, sessions in zip(load_time_words(), load_session_words(), strict=True)
    )
    return lexicon, build_pattern_tree(SESSION_RULES)


def _is_session_in_context(tokenized: TokenizedText, index: int, match: PatternMatch) -> bool:
    """Return whether the context permits it: not `our previous chat`, `the last chat about trains`, `the first session
    of June`, `session 12b`."""
    last, pattern, _values, (_languages, weak) = match
    if weak >= POSSESSIVE_WEAKNESS and not any(tokenized.is_kind(index - back, _OUR_KIND) for back in (1, 2)):
        return False
    if "shift" in pattern or "ord" in pattern or "past" in pattern:
        # A separate word for *of* counts; `session's` and `会话的` do not.
        is_of = tokenized.is_kind(last, _OF_KIND) and tokenized.text[tokenized.tokens[last - 1].end] == " "
        topic_kinds = _PARTNER_KIND if "shift" in pattern and _is_about_talk(tokenized, match) else _TOPIC_KINDS
        is_topic = tokenized.is_kind(last, topic_kinds) and any(one.word for one in tokenized.tokens[last + 1 :][:1])
        if is_of or is_topic:
            return False
    if ("occasion" in pattern or pattern == "lastly") and not _is_about_talk(tokenized, match):
        return False
    if weak >= VAGUE_WEAKNESS and any(tokenized.is_kind(at, _VAGUE_KIND) for at in range(index, last)):
        return False
    if last == len(tokenized.tokens):
        return True
    figure, after = tokenized.tokens[last - 1 : last + 1]
    return not (figure.word == "#" and after.word and after.start == figure.end)


def _is_about_talk(tokenized: TokenizedText, match: PatternMatch) -> bool:
    """Return whether who asks or is asked says something: in the clause that begins here, `the last time I was there`,
    or else in the whole text."""
    last, _pattern, _values, (languages, _weak) = match
    start = last + tokenized.is_kind(last, _COMMA_KIND)
    clause = takewhile(lambda one: one.word or "join" in one.entry.kinds, tokenized.tokens[start:])
    tokens = clause if tokenized.is_kind(start, _CLAUSE_KINDS) else tokenized.tokens
    kinds = {x.kind for token in tokens for x in token.entry.lexemes if x.languages & languages}
    return "say" in kinds and not kinds.isdisjoint(("we", "our"))


def _apply_preposition(tokenized: TokenizedText, before: int, match: PatternMatch) -> Iterator[tuple[int, int]]:
    """Yield the range of `since session 5`, `before our last chat`: from there to the last, from the first to there."""
    _end, pattern, values, (languages, _weak) = match
    governing = tokenized.lexemes_at(before) if before >= 0 else ()
    relations = {x.value for x in governing if x.kind == "rel" and x.languages & languages}
    for first, last in SESSION_RULES[pattern](values):
        spans = {
            "since": (first, -1),
            "until": (1, last),
            "before": (1, first - 1 if first != 1 else 0),
            "after": (last + 1 if last != -1 else 0, -1),
        }
        relation = next((name for name in spans if name in relations), "")
        begin, end = spans.get(relation, (first, last))
        if begin and end:
            yield begin, end


def _position_resolver(name: str) -> Callable[[SlotValues], PositionRanges]:
    def places(v: SlotValues) -> PositionRanges:
        place = int(v[name])
        return ((place, place),) if place else ()

    return places


def _resolve_position_range(slots: SlotValues) -> PositionRanges:
    """`Sessions 3 through 5`."""
    first, last = int(slots["first"]), int(slots["last"])
    return ((first, last),) if 0 < first < last else ()


def _resolve_two_positions(slots: SlotValues) -> PositionRanges:
    """`Sessions 3 and 5`."""
    return tuple((place, place) for place in (int(slots["first"]), int(slots["last"])) if place > 0)


def _resolve_sessions_ago(slots: SlotValues) -> PositionRanges:
    """`2 sessions ago`; 1 is the last."""
    count = int(slots["num"])
    return ((-count, -count),) if count else ()


def _resolve_shifted_session(slots: SlotValues) -> PositionRanges:
    """`The last`, `the one before last`; not this or the next."""
    place = int(slots.get("shift") or slots.get("lap") or -1)
    return ((place, place),) if place < 0 else ()


def _resolve_several_sessions(slots: SlotValues) -> PositionRanges:
    """`The last three`, `the first three`."""
    count = int(slots.get("num") or slots.get("few", "1-1").partition("-")[2])
    if not count or slots.get("shift", "-1") != "-1" or slots.get("ord", "1") not in ("1", "-1"):
        return ()
    return ((1, count),) if slots.get("ord") == "1" else ((-count, -1),)


_SESSION_PATTERNS: tuple[tuple[Callable[[SlotValues], PositionRanges], str], ...] = (
    (_position_resolver("num"), "session number? dot? num"),
    (_position_resolver("hashed"), "session hash hashed"),
    (_resolve_position_range, "sessions first:num to last:num | sessions first:num join last:num"),
    (_resolve_position_range, "session first:num to session last:num | between sessions first:num and last:num"),
    (_resolve_position_range, "between session first:num and session last:num"),
    (_resolve_two_positions, "sessions first:num and last:num"),
    (_resolve_position_range, "first:ord to the? last:ord session | first:ord to the? last:ord sessions"),
    (_resolve_position_range, "first:ord join last:ord sessions"),
    (_resolve_two_positions, "first:ord and the? last:ord session | first:ord and the? last:ord sessions"),
    (_position_resolver("ord"), "ord counter? of? session"),
    (_position_resolver("num"), "num dot session"),
    (_position_resolver("num"), "rank num counter? of? session | num counter of? session"),
    (_resolve_sessions_ago, "num session ago | num sessions ago | num counter session ago | num counter lap session"),
    (_resolve_sessions_ago, "agopre num session | agopre num sessions ago?"),
    (_resolve_shifted_session, "shift counter? of? session | session shift | past session | session past"),
    (_resolve_shifted_session, "lap counter? of? session | shift occasion | occasion shift | lastly"),
    (_resolve_several_sessions, "shift num sessions | num shift sessions | past num sessions | num past sessions"),
    (_resolve_several_sessions, "ord num sessions | num ord sessions | shift few sessions | past few sessions"),
)
SESSION_RULES = {pattern: resolver for resolver, patterns in _SESSION_PATTERNS for pattern in patterns.split(" | ")}
