"""Extractive summaries: the sentences of an interaction that say most, in the words in which they were said."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from itertools import islice

from msgspec import Struct

from commonplace import text
from commonplace.consolidate.drafts import LONGEST_REPORT, OWNER, Draft
from commonplace.consolidate.importance import grade
from commonplace.consolidate.noise import is_acknowledgement, is_chore, is_passing, width
from commonplace.consolidate.units import Unit
from commonplace.facts.clarity import is_unclear
from commonplace.model import Capture
from commonplace.sync.taints import spans

MOST_DETAILS = 10
LEAST_COLUMNS, MOST_COLUMNS = 24, 400
SHARED = 0.3  # worth that it has at most for speaking of what the whole interaction speaks of
MOST_SUMMARY = 240
QUESTIONS = ("?", "？", "؟")

IsOwn = Callable[[Capture, str], bool]


class Said(Struct, frozen=True):
    """A sentence as it was said, in which capture, what it is worth, and who said it."""

    capture: Capture
    sentence: str
    worth: float
    speaker: str = ""


def salient(unit: Unit, drafts: Iterable[Draft], is_own: IsOwn, owner: str = OWNER) -> tuple[Said, ...]:
    """The sentences on which what is kept rests, in order, each once, at most ten: those that say most.

    Nothing of what strangers, tools and echoes say. `is_own` tells whether a sentence is no stranger's; `owner`
    is the name of who speaks where nobody is named.
    """
    quotes: dict[str, list[str]] = {}
    for draft in drafts:
        for source in draft.sources:
            quotes.setdefault(source, []).append(text.one_line(draft.quote))
    heard = [capture for capture in unit.captures if _counts(capture)]
    common = _common(sentence for capture in heard for sentence in _sentences(capture))
    found: dict[str, Said] = {}
    for capture in heard:
        kept, speaker = quotes.get(capture.id, ()), _speaker(capture, owner)
        for sentence in _told(capture, speaker) if kept else ():
            if any(quote in sentence or sentence in quote for quote in kept):
                said = Said(capture, sentence, _worth(sentence, common), speaker)
                found.setdefault(text.fold(sentence), said)
    order = sorted(found, key=lambda key: -found[key].worth)
    best = set(islice((key for key in order if is_own(found[key].capture, found[key].sentence)), MOST_DETAILS))
    return tuple(one for key, one in found.items() if key in best)


def summary_of(said: tuple[Said, ...]) -> tuple[str, tuple[Said, ...]]:
    """The one or two sentences that say most, in order, with their speakers; and which they are."""
    best = sorted(range(len(said)), key=lambda at: -said[at].worth)[:2]
    both = tuple(said[at] for at in sorted(best))
    whole = " ".join(f"{one.speaker}: {one.sentence}" for one in both)
    if len(whole) <= MOST_SUMMARY:
        return whole, both
    first = said[best[0]]
    only = f"{first.speaker}: {first.sentence}"
    cut = only if len(only) <= MOST_SUMMARY else only[: MOST_SUMMARY - 1].rpartition(" ")[0] + "…"
    return cut, (first,)


def _speaker(capture: Capture, owner: str) -> str:
    named = text.one_line(str(capture.detail.get("speaker") or ""))
    return named or capture.agent or "Agent" if capture.actor == "agent" else named or owner


def _counts(capture: Capture) -> bool:
    trusted = capture.origin in ("trusted", "unknown") and capture.actor in ("owner", "agent")
    is_essay = capture.actor == "agent" and len(capture.text) > LONGEST_REPORT
    return trusted and not is_essay and capture.type == "message" and not capture.detail.get("echo")


def _sentences(capture: Capture) -> Iterator[str]:
    for sentence in text.sentences(capture.text):
        said = text.one_line(sentence)
        if LEAST_COLUMNS <= width(said) <= MOST_COLUMNS:
            yield said


def _told(capture: Capture, speaker: str) -> Iterator[str]:
    """The sentences that may be told, each with the one before it where it is not clear by itself."""
    quoted = " ".join(capture.text[start:end] for start, end in spans(capture.detail.get("quoted")))
    before = ""
    for sentence in map(text.one_line, text.sentences(capture.text)):
        said = f"{before} {sentence}".strip() if is_unclear(sentence, (speaker,)) else sentence
        before = "" if is_acknowledgement(sentence) else sentence
        if LEAST_COLUMNS <= width(said) <= MOST_COLUMNS and sentence not in quoted and _is_told(said, speaker):
            yield said


def _is_told(said: str, speaker: str) -> bool:
    if said.endswith(QUESTIONS) or is_acknowledgement(said):
        return False
    return not (is_chore(said) or is_passing(said) or is_unclear(said, (speaker,)))


def _worth(said: str, common: dict[str, float]) -> float:
    own = text.language(said)
    words = {word for word in text.tokens(said, own) if not text.is_stop(word, own)}
    shared = sum(common.get(word, 0.0) for word in words) / max(len(words), 1)
    graded = grade(said, category="note", entities=(), language=own).score
    return round(graded + SHARED * min(shared, 1.0), 4)


def _common(sentences: Iterable[str]) -> dict[str, float]:
    """How much each word is what the interaction is about: 0 for a word said once, up to 1."""
    counts: Counter[str] = Counter()
    for sentence in sentences:
        own = text.language(sentence)
        counts.update({word for word in text.tokens(sentence, own) if not text.is_stop(word, own)})
    most = math.log(max(counts.values(), default=1)) or 1.0
    return {word: math.log(count) / most for word, count in counts.items() if count > 1}
