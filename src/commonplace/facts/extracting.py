"""Extract claims: statements, rules and readers in order, then written out with spans, names and dates."""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec import structs

from commonplace.facts import things
from commonplace.facts.attributes import single_valued
from commonplace.facts.clauses import clauses, relations
from commonplace.facts.cues import cue
from commonplace.facts.filing import filed
from commonplace.facts.nouns import Claim, Draft, Statement
from commonplace.facts.rules import by_rule, category_by_words, is_noise, named_relations
from commonplace.facts.spoken import spoken
from commonplace.facts.statements import is_question, statements
from commonplace.facts.telling import read
from commonplace.facts.weighing import ranked, weighed
from commonplace.facts.writing import Told, written
from commonplace.model import Category

_STEPS = re.compile(
    r"\b(?:has to|have to|must|needs? to|should) .*\bbefore (?:you|\w+ing)\b|\bby \w+ing\b|\bto (?:open|start|"
    r"reset|unlock|enable|disable) (?:it|the)\b"
)
_BETWEEN = " .!?;。！？；\n\t"
_TOLD = re.compile(
    r"\b(?:nicht|pas|no|is called|called|heisst|statt|instead|plutôt|spelled|rather than)\b|(?:, |is |'m "
    r")not (?!just|only|even|right|alone|what|so|too|that)(?:an? |the |on |in |at )?\w+"
)
_CHATTED = ("event", "attribute", "commitment", "preference", "decision")
_ASKED = ("remember",)  # what a question may ask


def extract(
    text: str, *, speaker: str = "", now: str = "", language: str = "auto", doubtful: bool = False
) -> tuple[Claim, ...]:
    """The claims of a text in the order of their spans, none where it says nothing worth keeping.

    `speaker` is the name behind `I`; without it the first person stays and such claims have no entity. `now` (ISO
    date or minute) is the clock for `last month`; without it no date is resolved. `language` is one of en de fr es zh
    ja, or `auto`; a text in another language is read as English. With `doubtful`, what the rules read is given as
    they file it, sure or not. No text raises.
    """
    if not text or text.isspace():
        return ()
    name = language if language != "auto" else spoken(text)
    told, decide = Told(speaker, now, name), drafts if doubtful else settled
    found = [written(draft, said, told) for said in statements(text, name) for draft in decide(said, speaker, name)]
    found.sort(key=lambda claim: claim.span)
    return tuple(_one_lesson(found, text))


def _one_lesson(found: list[Claim], text: str) -> Iterator[Claim]:
    """Lessons told in neighbouring sentences are one: the error in the first, its fix in the next."""
    kept: Claim | None = None
    for claim in found:
        if (
            kept
            and kept.category == claim.category == "lesson"
            and not text[kept.span[1] : claim.span[0]].strip(_BETWEEN)
        ):
            joint = text[kept.span[1] : claim.span[0]] + text[claim.span[0] : claim.span[1]]
            kept = structs.replace(
                kept, span=(kept.span[0], claim.span[1]), text=kept.text + joint, value=claim.value or kept.value
            )
            continue
        if kept:
            yield kept
        kept = claim
    if kept:
        yield kept


def settled(said: Statement, speaker: str, language: str) -> list[Draft]:
    """What one statement says for sure: what is read, under its likeliest category, else what its words alone tell.

    What a named person says in a conversation must be read: there chat outweighs what is worth keeping.
    """
    read: list[Draft | None] = [*drafts(said, speaker, language)]
    if not read and not speaker and may_say(said, language):
        read.append(None)
    kept = (filed(draft, said, speaker, language) for draft in read)
    return _apart([draft for draft in kept if draft is not None])


def may_say(said: Statement, language: str) -> bool:
    """Whether a statement that no rule reads may say something: it neither asks nor supposes nor quotes."""
    return not is_question(said) and not is_noise(said, language)


def drafts(said: Statement, speaker: str, language: str) -> list[Draft]:
    """What one statement says: a rule for the whole first, else its clauses one by one; relations beside both."""
    if is_noise(said, language):
        return []
    question = is_question(said)
    if question and language == "en" and said.low.startswith("remember"):
        return []  # it asks who remembers
    ruled = by_rule(said, speaker, language, only=_ASKED if question else ())
    found: list[Draft] = []
    if (
        ruled is not None
        and ruled.sort == "correction"
        and not ruled.corrects
        and not _puts_right(said.text[ruled.start : ruled.end])
    ):
        ruled = None
    if ruled is not None:
        ruled = ruled if ruled.category else _with_content(ruled, said, speaker, language)
        found.append(_told_of(ruled, said, speaker) if language == "en" and ruled.sort == "attribute" else ruled)
    if language == "en" and not question:
        found += _english(said, ruled, speaker)
    elif not question:
        found += named_relations(said, speaker, language)
    if language == "en" and speaker:
        found = [draft for draft in found if draft.sort not in _CHATTED or not _is_chat(said, draft)]
    return _apart(found)


def _is_chat(said: Statement, draft: Draft) -> bool:
    """Whether what a named person says of their days lacks a lasting object."""
    return cue("chat").search(said.low, draft.start, draft.end) is not None


def _told_of(ruled: Draft, said: Statement, speaker: str) -> Draft:
    """An attribute with the triple that the clause or the shape of the statement tells, if one does."""
    heard = next((draft for clause in clauses(said, speaker) if (draft := read(said, clause, speaker))), None)
    if heard is not None and heard.start == ruled.start and (heard.sort, heard.category) == ("preference", "person"):
        return heard
    if heard is not None and heard.start == ruled.start and heard.sort == "attribute":
        triple = (heard.entity, heard.attribute, heard.value)
    elif ruled.entity == speaker != "":
        return ruled
    else:
        triple = things.triple(said)
    if not all(triple):
        return ruled
    return structs.replace(ruled, entity=triple[0], attribute=triple[1], value=triple[2])


def _english(said: Statement, ruled: Draft | None, speaker: str) -> Iterator[Draft]:
    """The clauses beside what a rule took (a preference or opinion leaves room for them), relations, things."""
    found: list[Draft] = []
    if ruled is None or ruled.sort in ("preference", "opinion"):
        found = [draft for clause in clauses(said, speaker) if (draft := read(said, clause, speaker))]
        if ruled is not None:
            found = [draft for draft in found if draft.start >= ruled.end]
    yield from found
    related = list(relations(said, speaker))
    if ruled is None and not found and not related and (state := _state(said, speaker)):
        yield state
    yield from related


def _state(said: Statement, speaker: str) -> Draft | None:
    """What no clause tells: the state of a thing, of the category that most speaks for; else the statement as it is."""
    state, heavy = things.thing(said), weighed(said, speaker)
    if state is None or heavy is None:
        return (
            heavy if state is None else state if single_valued(state.attribute) and state.category == "tool" else None
        )
    return structs.replace(state, category=heavy.category, sort=heavy.sort)


def _puts_right(text: str) -> bool:
    """Whether a correction names what is right: a figure, a name, or what it is not; `no, it's fine` does not."""
    return (
        any(char.isdigit() or char > "\u2e80" for char in text)
        or any(word[:1].isupper() for word in text.split()[1:] if len(word) > 1 and word[:2] not in ("I'", "I’"))
        or bool(_TOLD.search(text))
    )


def _with_content(ruled: Draft, said: Statement, speaker: str, language: str) -> Draft:
    """A draft that frames something (remember, correction) with the category and triple of what it frames."""
    inner = Statement(said.text[ruled.start : ruled.end], said.low[ruled.start : ruled.end], said.start + ruled.start)
    found = by_rule(inner, speaker, language, but=("remember", "correction"))
    if found is None and language == "en":
        found = next(_english(inner, None, speaker), None)
    category: Category = category_by_words(inner, language)
    if found is not None:
        category = found.category
    elif language == "en":
        (category, most), (_, second) = ranked(inner.low)[:2]
        known = things.category_of("", "", inner.low, inner.text)
        if (
            known != "fact"
            or most < 4
            or most - second < 2
            or category in ("event", "lesson", "decision", "tool", "project")
        ):
            category = known
    if language == "en" and category in ("fact", "tool", "plan") and _STEPS.search(inner.low):
        category = "procedure"
    if ruled.sort == "remember" and category in ("tool", "event", "project"):
        category = "fact"
    triple = (found.entity, found.attribute, found.value) if found else ("", "", "")
    return Draft(ruled.sort, category, ruled.start, ruled.end, *triple, ruled.confidence, ruled.corrects)


def _apart(found: list[Draft]) -> list[Draft]:
    """Without repeats: of neighbours in one statement with the same sort and entity, one that covers both."""
    merged: list[Draft] = []
    for draft in sorted(found, key=lambda draft: (draft.sort == "relation", draft.start)):
        if draft.sort != "relation" and any(
            one.category == draft.category and one.sort == draft.sort for one in merged
        ):
            continue
        if draft.sort == "relation" and any(one.sort == "relation" and one.value == draft.value for one in merged):
            continue
        merged.append(draft)
    return merged
