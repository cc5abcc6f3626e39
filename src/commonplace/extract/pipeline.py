"""Extract claims from a text, step by step."""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec import structs

from commonplace.extract import state_claims
from commonplace.extract.claims import Claim, ClaimDraft, Statement
from commonplace.extract.classifier import classify_draft
from commonplace.extract.clause_claims import draft_from_clause
from commonplace.extract.clauses import draft_relations, split_clauses
from commonplace.extract.languages.english_cues import cue_regex
from commonplace.extract.rendering import UtteranceContext, render_claim
from commonplace.extract.rules import apply_rules, category_by_words, draft_named_relations, is_noise
from commonplace.extract.statements import choose_rule_language, is_question, split_statements

_LESSON_SEPARATORS = " .!?;。！？；\n\t"
_CORRECTION_SIGN = re.compile(
    r"\b(?:nicht|pas|no|is called|called|heisst|statt|instead|plutôt|spelled|rather than)\b|(?:, |is |'m "
    r")not (?!just|only|even|right|alone|what|so|too|that)(?:an? |the |on |in |at )?\w+"
)
_SMALL_TALK_TYPES = ("event", "attribute", "commitment", "preference", "decision")
_TYPES_IN_QUESTIONS = ("remember",)  # what a question may ask


def extract_claims(text: str, *, speaker: str = "", now: str = "", language: str = "auto") -> tuple[Claim, ...]:
    """The claims of a text in the order of their spans, none where it says nothing worth keeping.

    `speaker` is the name behind `I`; without it the first person stays and such claims have no entity. `now` (ISO date
    or minute) is the clock for `last month`; without it no date is resolved. `language` is one of en de fr es zh ja, or
    `auto`; a text in another language is read as English. No text raises.
    """
    if not text or text.isspace():
        return ()
    name = language if language != "auto" else choose_rule_language(text)
    utterance = UtteranceContext(speaker, now, name)
    found = [
        render_claim(draft, statement, utterance)
        for statement in split_statements(text, name)
        for draft in draft_certain_claims(statement, speaker, name)
    ]
    found.sort(key=lambda claim: claim.span)
    return tuple(_merge_lessons(found, text))


def _merge_lessons(claims: list[Claim], text: str) -> Iterator[Claim]:
    """Merge lessons of neighbouring sentences into one: the error in the first, its fix in the next."""
    kept: Claim | None = None
    for claim in claims:
        if (
            kept
            and kept.category == claim.category == "lesson"
            and not text[kept.span[1] : claim.span[0]].strip(_LESSON_SEPARATORS)
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


def draft_certain_claims(statement: Statement, speaker: str, language: str) -> list[ClaimDraft]:
    """The certain claims of a statement: the one that the rules read, under its likeliest category, else the one that
    its words alone indicate.

    What a named person says in a conversation must be read: there chat outweighs what is worth keeping.
    """
    read: list[ClaimDraft | None] = [*draft_claims(statement, speaker, language)]
    if not read and not speaker and may_hold_claim(statement, language):
        read.append(None)
    kept = (classify_draft(draft, statement, speaker, language) for draft in read)
    return _drop_repeated_drafts([draft for draft in kept if draft is not None])


def may_hold_claim(statement: Statement, language: str) -> bool:
    """Whether a statement that no rule reads may say something: it neither asks nor supposes nor quotes."""
    return not is_question(statement) and not is_noise(statement, language)


def draft_claims(statement: Statement, speaker: str, language: str) -> list[ClaimDraft]:
    """The drafts of a statement: from a rule for the whole statement, else from its clauses one by one; relations are
    added."""
    if is_noise(statement, language):
        return []
    question = is_question(statement)
    if question and language == "en" and statement.low.startswith("remember"):
        return []  # it asks who remembers
    ruled = apply_rules(statement, speaker, language, only_types=_TYPES_IN_QUESTIONS if question else ())
    drafts: list[ClaimDraft] = []
    if (
        ruled is not None
        and ruled.claim_type == "correction"
        and not ruled.corrects
        and not _names_correct_value(statement.text[ruled.start : ruled.end])
    ):
        ruled = None
    if ruled is not None:
        ruled = ruled if ruled.category else _fill_framed_content(ruled, statement, speaker, language)
        drafts.append(
            _fill_triple(ruled, statement, speaker) if language == "en" and ruled.claim_type == "attribute" else ruled
        )
    if language == "en" and not question:
        drafts += _draft_english_claims(statement, ruled, speaker)
    elif not question:
        drafts += draft_named_relations(statement, speaker, language)
    if language == "en" and speaker:
        drafts = [
            draft
            for draft in drafts
            if draft.claim_type not in _SMALL_TALK_TYPES
            or not cue_regex("chat").search(statement.low, draft.start, draft.end)  # of their days, no lasting object
        ]
    return _drop_repeated_drafts(drafts)


def _fill_triple(rule_draft: ClaimDraft, statement: Statement, speaker: str) -> ClaimDraft:
    """An attribute, with the triple that the clause or the form of the statement expresses, if any."""
    heard = next(
        (
            draft
            for clause in split_clauses(statement, speaker)
            if (draft := draft_from_clause(statement, clause, speaker))
        ),
        None,
    )
    if (
        heard is not None
        and heard.start == rule_draft.start
        and (heard.claim_type, heard.category) == ("preference", "person")
    ):
        return heard
    if heard is not None and heard.start == rule_draft.start and heard.claim_type == "attribute":
        triple = (heard.entity, heard.attribute, heard.value)
    elif rule_draft.entity == speaker != "":
        return rule_draft
    else:
        triple = state_claims.parse_triple(statement)
    if not all(triple):
        return rule_draft
    return structs.replace(rule_draft, entity=triple[0], attribute=triple[1], value=triple[2])


def _draft_english_claims(statement: Statement, rule_draft: ClaimDraft | None, speaker: str) -> Iterator[ClaimDraft]:
    """The clauses beside what a rule took (a preference or opinion leaves room for them), and relations."""
    drafts: list[ClaimDraft] = []
    if rule_draft is None or rule_draft.claim_type in ("preference", "opinion"):
        drafts = [
            draft
            for clause in split_clauses(statement, speaker)
            if (draft := draft_from_clause(statement, clause, speaker))
        ]
        if rule_draft is not None:
            drafts = [draft for draft in drafts if draft.start >= rule_draft.end]
    yield from drafts
    yield from draft_relations(statement, speaker)


def _names_correct_value(text: str) -> bool:
    """Whether a correction names what is right: a figure, a name, or what it is not; `no, it's fine` does not."""
    return (
        any(char.isdigit() or char > "\u2e80" for char in text)
        or any(word[:1].isupper() for word in text.split()[1:] if len(word) > 1 and word[:2] not in ("I'", "I’"))
        or bool(_CORRECTION_SIGN.search(text))
    )


def _fill_framed_content(rule_draft: ClaimDraft, statement: Statement, speaker: str, language: str) -> ClaimDraft:
    """A draft that frames something (remember, correction) with the category and triple of what it frames."""
    inner = Statement(
        statement.text[rule_draft.start : rule_draft.end],
        statement.low[rule_draft.start : rule_draft.end],
        statement.start + rule_draft.start,
    )
    found = apply_rules(inner, speaker, language, except_types=("remember", "correction"))
    if found is None and language == "en":
        found = next(_draft_english_claims(inner, None, speaker), None)
    category = found.category if found is not None else category_by_words(inner, language)
    if rule_draft.claim_type == "remember" and category in ("tool", "event", "project"):
        category = "fact"
    triple = (found.entity, found.attribute, found.value) if found else ("", "", "")
    return ClaimDraft(
        rule_draft.claim_type,
        category,
        rule_draft.start,
        rule_draft.end,
        *triple,
        rule_draft.confidence,
        rule_draft.corrects,
    )


def _drop_repeated_drafts(drafts: list[ClaimDraft]) -> list[ClaimDraft]:
    """Without repeats: of neighbours in one statement with the same sort and entity, one that covers both."""
    merged: list[ClaimDraft] = []
    for draft in sorted(drafts, key=lambda draft: (draft.claim_type == "relation", draft.start)):
        if draft.claim_type != "relation" and any(
            one.category == draft.category and one.claim_type == draft.claim_type for one in merged
        ):
            continue
        if draft.claim_type == "relation" and any(
            one.claim_type == "relation" and one.value == draft.value for one in merged
        ):
            continue
        merged.append(draft)
    return merged
