"""Extractive summaries: the sentences of an interaction that say most, in the words in which they were said."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator

from msgspec import Struct

from commonplace import text
from commonplace.consolidate.drafts import Draft
from commonplace.consolidate.importance import grade
from commonplace.consolidate.noise import is_acknowledgement, is_chore, is_passing, width
from commonplace.consolidate.units import Unit
from commonplace.model import Capture

MOST_DETAILS = 10
LEAST_COLUMNS, MOST_COLUMNS = 24, 400
LEAST_WORTH = 0.5  # of a sentence on which nothing rests that is kept
CLAIMED = 0.5  # worth that it has for being the source of something kept
SHARED = 0.3  # worth that it has at most for speaking of what the whole interaction speaks of
MOST_SUMMARY = 240
QUESTIONS = ("?", "？", "؟")


class Said(Struct, frozen=True):
    """A sentence as it was said, in which capture, and what it is worth."""

    capture: Capture
    sentence: str
    worth: float

    @property
    def speaker(self) -> str:
        """Who said it, by name where that is known."""
        named = str(self.capture.detail.get("speaker") or "")
        return named or {"owner": "Owner", "agent": "Agent"}.get(self.capture.actor, "Tool")


def salient(unit: Unit, drafts: Iterable[Draft]) -> tuple[Said, ...]:
    """The sentences worth keeping, in order; none of what strangers, tools and echoes say."""
    claimed = {source: True for draft in drafts for source in draft.sources}
    spoken = [(capture, sentence) for capture in unit.captures if _counts(capture) for sentence in _sentences(capture)]
    common = _common(sentence for _capture, sentence in spoken)
    found = [Said(capture, said, _worth(said, capture.id in claimed, common)) for capture, said in spoken]
    best = sorted((one for one in found if one.worth >= LEAST_WORTH), key=lambda one: -one.worth)[:MOST_DETAILS]
    return tuple(one for one in found if one in best)


def summary_of(said: tuple[Said, ...]) -> tuple[str, tuple[Said, ...]]:
    """The one or two sentences that say most, in order, with their speakers; and which they are."""
    best = sorted(said, key=lambda one: -one.worth)[:2]
    both = tuple(one for one in said if one in best)
    whole = " ".join(f"{one.speaker}: {one.sentence}" for one in both)
    if len(whole) <= MOST_SUMMARY:
        return whole, both
    first = f"{best[0].speaker}: {best[0].sentence}"
    cut = first if len(first) <= MOST_SUMMARY else first[: MOST_SUMMARY - 1].rpartition(" ")[0] + "…"
    return cut, (best[0],)


def _counts(capture: Capture) -> bool:
    trusted = capture.origin in ("trusted", "unknown") and capture.actor in ("owner", "agent")
    return trusted and capture.type == "message" and not capture.detail.get("echo")


def _sentences(capture: Capture) -> Iterator[str]:
    quoted = " ".join(capture.text[start:end] for start, end in capture.detail.get("quoted") or ())
    for sentence in text.sentences(capture.text):
        said = text.one_line(sentence)
        columns = width(said)
        if not LEAST_COLUMNS <= columns <= MOST_COLUMNS or said.endswith(QUESTIONS) or said in quoted:
            continue
        if not (is_acknowledgement(said) or is_chore(said) or is_passing(said)):
            yield said


def _worth(said: str, claimed: bool, common: dict[str, float]) -> float:
    own = text.language(said)
    words = {word for word in text.tokens(said, own) if not text.is_stop(word, own)}
    shared = sum(common.get(word, 0.0) for word in words) / max(len(words), 1)
    graded = grade(said, category="note", entities=(), language=own).score
    return round(graded + (CLAIMED if claimed else 0.0) + SHARED * min(shared, 1.0), 4)


def _common(sentences: Iterable[str]) -> dict[str, float]:
    """How much each word is what the interaction is about: 0 for a word said once, up to 1."""
    counts: Counter[str] = Counter()
    for sentence in sentences:
        own = text.language(sentence)
        counts.update({word for word in text.tokens(sentence, own) if not text.is_stop(word, own)})
    most = math.log(max(counts.values(), default=1)) or 1.0
    return {word: math.log(count) / most for word, count in counts.items() if count > 1}
