"""Find the sentences of a message that may be worth a line: gates, then cues, then the score of the selector."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal

from msgspec import Struct

from commonplace.extract import statements
from commonplace.extract.features import SentencePosition, is_about_speaker, sentence_features
from commonplace.extract.languages import ClaimType
from commonplace.extract.rules import MUST_NOT_EAT, Cue, find_cue, is_noise, is_standing_statement
from commonplace.extract.selector import score_sentence
from commonplace.language.text import split_sentences
from commonplace.model import Category

CUE_TYPES: tuple[ClaimType, ...] = ("remember", "preference", "decision", "relation")  # what must never be missed
HEALTH_FEATURE = "label health"  # a mistake about allergies or medicine does harm
MIN_CUE_SCORE = -3.0  # in log odds; what is so unlike a line is none, whatever its form
CUE_SCORE = 1.5  # in log odds, of a sentence whose form says what it is
NO_CUE = Cue("attribute", "")
MANY_SENTENCES, PASTE_SENTENCES, MIN_OWN_SHARE = 12, 5, 1 / 3
MAX_SENTENCES = 60  # of a message, that are looked at


class Candidate(Struct, frozen=True):
    """A sentence that may be worth a line, by its span in the message; without a cue it is an `attribute` without a
    category. `is_cue` if its form alone says that it must not be missed; `name` is the person whom it introduces;
    `score` is in log odds."""

    span: tuple[int, int]
    claim_type: ClaimType = "attribute"
    category: Category | Literal[""] = ""
    attribute: str = ""
    name: str = ""
    is_cue: bool = False
    score: float = 0.0


def find_candidates(message: str, *, to_agent: bool) -> list[Candidate]:
    """The sentences of a message that state something, in order; of what was pasted only what somebody asks to
    remember, and of what gives an agent a role none."""
    if not message or message.isspace() or statements.is_role_prompt(message):
        return []
    language, spans = statements.choose_rule_language(message), sentence_spans(message)[:MAX_SENTENCES]
    sentences = [message[slice(*span)] for span in spans]
    spoken = [statements.read_statement(sentence, language) for sentence in sentences]
    is_paste = is_pasted(sentences, lambda at: _find_cue(spoken[at], language) is not None)
    found = []
    for number, statement in enumerate(spoken):
        if statement is None:
            continue
        is_open = not (is_paste or statements.is_question(statement) or is_noise(statement, language))
        if not (is_open or _find_cue(statement, language, "remember")):
            continue
        position = SentencePosition(number, len(spans), len(message), to_agent)
        features = sentence_features(sentences[number], position)
        score = score_sentence(features)
        may_be_cue = score >= MIN_CUE_SCORE
        cue = (_find_cue(statement, language) if may_be_cue else None) or NO_CUE
        is_cue = may_be_cue and (HEALTH_FEATURE in dict(features) or cue.claim_type in CUE_TYPES)
        score += CUE_SCORE * (cue is not NO_CUE)
        found.append(Candidate(spans[number], cue.claim_type, cue.category, cue.attribute, cue.name, is_cue, score))
    return found


def sentence_spans(message: str) -> list[tuple[int, int]]:
    """The spans of the sentences of a message without the blanks around them; code and quotations are left out."""
    spans, start = [], 0
    for sentence in split_sentences(statements.blank_out_markup(message)):
        bare = sentence.strip()
        if bare:
            first = start + len(sentence) - len(sentence.lstrip())
            spans.append((first, first + len(bare)))
        start += len(sentence)
    return spans


def is_pasted(sentences: Sequence[str], has_cue: Callable[[int], bool]) -> bool:
    """Whether sentences were pasted: very many, or many of which few are about the speaker or have a cue."""
    if len(sentences) < PASTE_SENTENCES:
        return False
    own = (is_about_speaker(sentence) or has_cue(at) for at, sentence in enumerate(sentences))
    return len(sentences) >= MANY_SENTENCES or sum(own) < MIN_OWN_SHARE * len(sentences)


def _find_cue(
    statement: statements.Statement | None, language: str, claim_type: ClaimType | Literal[""] = ""
) -> Cue | None:
    """The cue of a statement, or that for claims of a type; of instructions only one for all later requests is."""
    if statement is None or statements.is_question(statement):
        return None
    cue = find_cue(statement, language, claim_type)
    is_final = cue is not None and (cue.claim_type in ("remember", "relation") or cue.attribute in MUST_NOT_EAT)
    if claim_type or is_final:
        return cue
    if is_standing_statement(statement, language):
        return Cue("preference", "preference", "instruction")
    return None if cue is not None and cue.attribute == "instruction" else cue
