"""Read the statements of a line: its subject, its key and value, its cues of change, and what makes it no assertion."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct
from msgspec.structs import replace

from commonplace.extract.key_registry import packaged_registry
from commonplace.extract.statements import choose_rule_language
from commonplace.language.text import ends_in_question_mark, split_sentences
from commonplace.lazy import lazy_pattern
from commonplace.truth.change_words import ChangeWords, Phrase, change_words_of
from commonplace.truth.clauses import ClauseReader
from commonplace.truth.keys import read_key
from commonplace.truth.signatures import MAX_SIGNATURES, Guard, Statement, key_signature, make_signatures
from commonplace.truth.vocabulary import LineContext

MAX_WORDS = 40  # of a line that has signatures
MAX_SENTENCES = 3
MAX_READ_CHARS = 20_000  # of a line; what comes behind them states nothing
MIN_CLAUSE_WORDS = 3
# `W @Zed: `, where the line is about Zed; of `W @Zed listens` only the letter and the sign are marks
_MARK = lazy_pattern(r"\s*(?:[A-Z]\d?(?:\([^)]*\))? +)?@(?:(?P<name>[^:,;.!?]{1,60}):\s*)?")
_INITIALS = lazy_pattern(r"\b(?:[A-Z]\.){2,} $")
_ASIDE = lazy_pattern(r"\s*[(（\[【][^()（）\[\]【】]*[)）\]】][.。]?\s*")  # `(2022-06-27, for Lisa)`: states nothing
_QUOTATION = lazy_pattern(
    r"[\"“„«»][^\"”“„«»]*\s[^\"”“„«»]*\s[^\"”“„«»]+[\"”“«»]|[「『“《][^」』”》]{7,}[」』”》]|^\s*>"
)


def read_statements(text: str, line_context: LineContext) -> tuple[Statement, ...]:
    """The statements of a line in order, one a sentence; in talk one a clause."""
    text = text[:MAX_READ_CHARS]
    names, marked = line_context.names, _MARK.match(text)
    start, entity = (marked.end(), marked["name"] or "") if marked else (0, "")
    context = replace(
        line_context,
        language=line_context.language or choose_rule_language(text),
        speaker=names.resolve(entity or names.speaker_name(line_context.speaker)),
    )
    passage = _Passage(text, context, change_words_of(context.language), entity)
    statements, is_play = list[Statement](), False
    sentences: list[str] = []
    for sentence in split_sentences(text[start:] if start else text):
        if sentences and _INITIALS.search(sentences[-1]):  # "Arsenal F.C. Academy"
            sentences[-1] += sentence
        else:
            sentences.append(sentence)
    for sentence in sentences:
        for statement in () if _ASIDE.fullmatch(sentence) else _read_sentence(sentence, start, passage):
            is_play |= statement.guard == "role play" and context.is_talk
            statements.append(replace(statement, guard="role play", signatures=()) if is_play else statement)
        start += len(sentence)
    is_long = len(sentences) > MAX_SENTENCES or text.count(" ") >= MAX_WORDS
    return tuple(replace(one, signatures=()) for one in statements) if is_long else tuple(statements)


class _Passage(Struct, frozen=True):
    """A line that is read, with the words of its language and who it is about by its mark."""

    text: str
    context: LineContext
    words: ChangeWords
    entity: str


def _read_sentence(sentence: str, start: int, passage: _Passage) -> Iterator[Statement]:
    is_talk, words = passage.context.is_talk, passage.words
    guard: Guard = "quotation" if _QUOTATION.search(sentence) else ""
    is_question = ends_in_question_mark(sentence)
    if is_question and not (is_talk and "," in sentence):
        guard = guard or "question"
    parts = _clauses(words.phrases(sentence, start), is_talk)
    for n, phrases in enumerate(parts):
        if is_question and n == len(parts) - 1:  # what comes before the last clause of a question may be told
            guard = guard or "question"
        clause = ClauseReader(phrases, words, passage.context, "" if n else passage.entity).read()
        guard = guard or (clause.guard if clause.guard in _LASTING_GUARDS else "")
        if clause.tokens and phrases:
            span = phrases[0].start, phrases[-1].end  # the openings are cut off
            yield _complete(clause, span, guard or clause.guard, passage)


_LASTING_GUARDS = ("hypothesis", "wish", "report", "role play", "question")


def _clauses(phrases: list[Phrase], is_talk: bool) -> list[list[Phrase]]:
    """The phrases of each clause; a clause of few words belongs to the next, what is contrasted to the one before."""
    parts: list[list[Phrase]] = [[]]
    for at, phrase in enumerate(phrases):
        mark = phrase.text.strip() if "mark" in phrase.labels else ""
        is_long = min(len(parts[-1]), len(phrases) - at - 1) >= MIN_CLAUSE_WORDS
        is_end = is_talk and mark not in ("", "(", ")") and is_long and not phrases[at + 1].labels & _CONTRASTS
        if is_end or mark in (";", "；"):
            parts.append([])
        else:
            parts[-1].append(phrase)
    return [part for part in parts if part]


_CONTRASTS = frozenset(("negation", "but", "instead", "retraction"))


def _complete(clause: Statement, span: tuple[int, int], guard: Guard, passage: _Passage) -> Statement:
    """The statement of a clause with its text and, if it asserts something, its key, value and signatures."""
    text, registry = passage.text[slice(*span)], passage.context.registry or packaged_registry()
    if guard:
        return replace(clause, text=text, guard=guard)
    signatures = make_signatures(clause)
    start = 0 if passage.entity else span[0]
    keyed = None if clause.is_negated else read_key(passage.text[start : span[1]], passage.context, passage.entity)
    if keyed and registry.cardinality(keyed.key) != "unknown":
        signatures = (key_signature(keyed.subject, keyed.key), *signatures)
        is_single = registry.cardinality(keyed.key) == "one"
        clause = replace(clause, subject=keyed.subject, key=keyed.key, value=keyed.value, is_single_valued=is_single)
    return replace(clause, text=text, signatures=signatures[:MAX_SIGNATURES])
