"""Choose the language of a text, split it into statements, and recognise questions, requests and code."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from msgspec import Struct

from commonplace.extract.languages import LANGUAGES, PatternFilter, load_grammar
from commonplace.language.text import detect_language as language_of
from commonplace.language.text import split_sentences, stop_words
from commonplace.language.word_data import load_all_words
from commonplace.lazy import lazy_pattern


class Statement(Struct, frozen=True):
    """A span of the source that may contain a claim: `text` is the source from `start`, `low` the same in lower case
    with plain apostrophes and without the ends of placeholders, character for character."""

    text: str
    low: str
    start: int


_POLITE = r"(?:please |pls |kindly |now |then |also |and |ok |okay |so |next ){0,6}"
_TEXT = (
    r"(?:poem|story|stories|essay|article|e-?mail|letter|posts?|blog|scripts?|pitch|song|lyrics|summary|paragraphs?|"
    r"speech|report|code|program|function|quer(?:y|ies)|lists?|tables?|outline|captions?|tweets?|headlines?|slogans?|"
    r"description|review|bio|cv|resume|prompts?|examples?|ideas|questions|options|names|titles|recipes?|dialogue|"
    r"chapter|scene|sentences?|playbook|ansible\w*|dockerfile|regex|template|sketch|joke|press release|newsletter|"
    r"itinerary|schedule|plan|proposal|statement|conversation|flowchart|diagram|guide|tutorial|quiz)"
)
_LASTS = (  # what is asked for good is a rule, and no request
    r"always|never|every|each|all (?:the|my|your|of)|whenever|when|any ?time|before|after|unless|until|from now on|"
    r"in (?:the )?future|going forward|by default|instead of|rather than|any day|remember|for good|per"
)
_ONCE = rf"(?!.*\b(?:{_LASTS})\b)"
_MAKE = r"(?:write|compose|draft|create|generate|make|design|build|give|produce|prepare|craft|come up with)"
_STATEMENT_VERB = (
    r"(?! (?:is|was|are|were|has|had|lives?|runs?|needs?|takes?|must|should|will)\b)"  # `draft plan is due`
)

# What asks for something once: `write me a poem`, `can you explain …`, `…, compose a sales pitch`.
_REQUEST = lazy_pattern(
    rf"^{_POLITE}{_ONCE}(?:"
    rf"{_MAKE} (?:me|us) (?:an?|some|the|\d+|two|three|five|ten|another)\b|"
    rf"{_MAKE} (?:an?|some|the|\d+|two|three|four|five|ten|another|more)? ?"
    rf"(?:[\w'-]+ ){{0,4}}{_TEXT}\b{_STATEMENT_VERB}|"
    r"(?:determine|identify|elaborate|summari[sz]e|rewrite|rephrase|paraphrase|translate|explain|describe|discuss|"
    r"analy[sz]e) (?:how|why|what|which|the|this|these|it|that|an?|your|my|in|on|to)\b|"
    r"(?:can|could|would|will) you (?:please |also |now |just )*(?!stop\b|not\b|avoid\b)(?:write|make|give|help|tell|"
    r"show|explain|create|suggest|do|find|list|provide|recommend|generate|rewrite|rephrase|come|summari[sz]e|"
    r"translate|recreate|describe|add|fix|look|elaborate|continue)\b"
    r")|"
    rf"^[^.]*, {_MAKE} (?:me |us )?an? (?:[\w'-]+ ){{0,3}}{_TEXT}\b(?! (?:for|to) (?:my|our|her|his))"
)

_SERVE = (  # what an assistant does; `your task is to water the plants` is said to a person
    r"(?:act|analy[sz]e|answer|assist|be (?:an?|my)|classify|code|compare|compose|convert|correct|create|critique|"
    r"debug|describe|design|determine|draft|edit|evaluate|explain|extract|find|generate|give|guide|help|identify|"
    r"implement|improve|interpret|list|make|output|paraphrase|play|predict|produce|proofread|provide|rate|read|rephrase|"
    r"reply|respond|review|rewrite|role-?play|score|simulate|solve|suggest|summari[sz]e|teach|tell|translate|write)"
)

# What casts the assistant in a role: what else is told there is part of the play.
_ROLE = (
    r"(?:^|[.!?:;,\n]\s*|\b(?:you|please|now|now on) (?:to |will |should |must |can |please )*)"
    r"(?:act|behave|respond|answer) as (?:if you (?:are|were)|an?|my|the|though you)\b|\bpretend (?:to be|you are|"
    r"you're|that you)\b|\bi want you to (?:act|be|play|pretend)\b|\b(?:stay|remain) in (?:your |the )?(?:role|"
    rf"character)\b|\byour (?:role (?:is|will be) to\b|(?:task|job) (?:is|will be) to {_SERVE}\b)|"
    r"\bi want you to be my\b|\byou (?:will|are going to) "
    r"(?:act|play|role-?play)\b|\bignore (?:all |any )?(?:the )?(?:previous|prior|earlier) (?:instructions|prompts)\b|"
    r"\byou are (?:now )?an? (?:ai|expert|experienced|professional|helpful|senior|world-class|highly|skilled|large "
    r"language model|chat ?bot|assistant)\b"
)
MIN_LANGUAGE_LEAD = 3  # hits by which a language must lead to be told by function words alone
MIN_CHARS_BY_FUNCTION_WORDS = 120  # characters of a text whose language can be told by its function words alone
_SPACED_LANGUAGES = ("en", "de", "fr", "es")  # an earlier one wins a tie
_WORD_EDGES = '.,;:!?¡¿()"«»„“”'
_LANGUAGE_LETTERS = {"de": "äöüß", "fr": "çèêàùœéî", "es": "ñ¿¡íóúáé"}
# The end of a placeholder of a secret, which depends on the key of the workspace and says nothing
_PLACEHOLDER_SUFFIX = lazy_pattern(r"(?<=:)[0-9a-f]{4}(?=⟧)")
_CODE_BLOCK = lazy_pattern(r"```[^`]*+(?:```|\Z)|^>[^\n]*", re.MULTILINE)
# A link, and no more before it than that it is one
_BARE_LINK = lazy_pattern(
    r"(?:(?:urls?|links?|sources?|images?|pictures?|videos?|references?|see|via|cf)\.?:? *)?https?://\S+"
)
# What such a line does not say: that it failed or must be done.
_NO_STATEMENT = (
    r"(?!.*\b(?:fix\w*|works?|worked|fails?|failed|help\w*|solve\w*|is|was|are|were|needs?|should|must|n't|runs|"
    r"takes|took|uses|hangs|happens|breaks)\b)"
)
_COMMAND = (
    r"(?:sudo|curl|wget|apt(?:-get)?|yum|dnf|brew|pip3?|npm|npx|yarn|docker|kubectl|helm|git|ssh|scp|rsync|chmod|"
    r"chown|mkdir|rm|cp|mv|cd|ls|cat|grep|sed|awk|tar|echo|export|source|systemctl|service|python3?|node|java|"
    r"make|bash|sh)"
)
_COMMAND_ARGUMENT = (
    r"(?:--?\w|https?:|[./~$]\S|install\b|update\b|upgrade\b|run\b|clone\b|apply\b|get\b|exec\b|build\b|pull\b|"
    r"push\b|commit\b|checkout\b|add\b|start\b|stop\b|restart\b|status\b|\S*\.(?:py|sh|js|json|ya?ml|txt|java)\b)"
)
# An assignment of what a call gives; a command whose next word is an option, a link, a path or its own verb.
_COMMAND_LINE = lazy_pattern(
    rf"[\w.\[\]'\"]+ ?(?:=|<-|:=|\+=) ?[\w.]+\(|"
    rf"(?:\$ )?{_NO_STATEMENT}(?:sudo )?{_COMMAND} (?:\w+ )?{_COMMAND_ARGUMENT}(?!.* \w+ed\b)"
)


def choose_rule_language(text: str) -> str:
    """Choose the language whose rules apply: for a short text, the one that most of its words and letters indicate."""
    name = language_of(text)
    if name in ("zh", "ja") or (name in LANGUAGES and len(text) > MIN_CHARS_BY_FUNCTION_WORDS):
        return name
    low = text.lower()
    if any("\u3040" <= char <= "\u30ff" for char in low):
        return "ja"  # between names and figures of another script
    words = [word.strip(_WORD_EDGES) for word in low.replace("’", "'").replace("'", "' ").split()]
    hits = {name: sum(map(stop_words(name).__contains__, words)) for name in _SPACED_LANGUAGES}
    if not low.isascii():
        for name, letters in _LANGUAGE_LETTERS.items():
            hits[name] += 2 * any(letter in low for letter in letters)
    first, second = sorted(hits.values(), reverse=True)[:2]
    if first - second < MIN_LANGUAGE_LEAD:
        for name in _SPACED_LANGUAGES:
            hits[name] += sum(map(_distinctive_words(name).__contains__, words))
    return max(_SPACED_LANGUAGES, key=hits.__getitem__)


@cache
def _distinctive_words(language: str) -> frozenset[str]:
    others = (name for name in _SPACED_LANGUAGES if name != language)
    return load_all_words(language).difference(*map(load_all_words, others))


MAX_SENTENCE_CHARS = 600  # characters of a sentence that are looked at
_PLAIN_APOSTROPHES = str.maketrans("’ʼ‘`´", "'''''")
_ASCII_PUNCTUATION = str.maketrans("，：；！？（）", ",:;!?()")
_QUESTIONS = ("?", "？", "؟")
_ENDS = " \t\n\r.!。！．…"


def split_statements(text: str, language: str) -> Iterator[Statement]:
    """The statements of a text in order, each without the interjections and greetings that open it."""
    blanked = blank_out_markup(text)
    at, quoted = 0, False
    for sentence in split_sentences(blanked):
        start, at = at, at + len(sentence)
        inside, quoted = quoted, quoted ^ (sentence.count('"') % 2 == 1) if "\n\n" not in sentence else False
        if inside or sentence.isspace():
            continue
        said = read_statement(text[start : start + len(sentence)], language, start)
        if said is not None:
            yield said


def read_statement(sentence: str, language: str, start: int = 0) -> Statement | None:
    """A sentence, which begins at `start` in its source, without what opens it; None for a few characters and code."""
    statement, grammar = make_statement(sentence[:MAX_SENTENCE_CHARS], start), load_grammar(language)
    for _ in range(4):  # openings come in rows: "Hey Ana! Oh well, by the way, …"
        match = re.match(grammar.words["lead"], statement.low)
        at = match.end() if match else 0
        statement = Statement(statement.text[at:], statement.low[at:], statement.start + at)
    is_code = statement.low.startswith((">", "```", "http", "$ "))
    return None if is_code or len(statement.low) < (8 if grammar.spaced else 4) else statement


def make_statement(text: str, start: int) -> Statement:
    """A span of the source as a statement, its outer blanks and full stop left out."""
    lead = len(text) - len(text.lstrip(" \t\n\r-*•"))
    kept = text[lead:].rstrip(_ENDS)
    low = kept.lower()
    if len(low) != len(kept):
        low = kept
    if "⟦" in low:
        low = _PLACEHOLDER_SUFFIX.sub("0000", low)
    return Statement(kept, low.translate(_PLAIN_APOSTROPHES).translate(_ASCII_PUNCTUATION), start + lead)


def blank_out_markup(text: str) -> str:
    """The text with fenced code, quoted lines and markup blanked out, character for character."""
    if "```" in text or "\n>" in text or text.startswith(">"):
        text = _CODE_BLOCK.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), text)
    return text


def is_question(statement: Statement) -> bool:
    """Whether the statement is a question."""
    return statement.low.endswith(_QUESTIONS) or statement.low.rstrip("\"') ").endswith("?")


def is_request(low: str, language: str) -> bool:
    """Whether a statement in lower case requests one text or answer: the things it names are requested, not stated."""
    return language == "en" and _REQUEST.search(low) is not None


def is_role_prompt(text: str) -> bool:
    """Whether a message gives an assistant a role to play; the people and things in the role are not facts."""
    low = text.lower().replace("’", "'")
    return bool(_role_filter().match(low)) and re.search(_ROLE, low) is not None


@cache
def _role_filter() -> PatternFilter:
    return PatternFilter([_ROLE])


def is_code_line(low: str) -> bool:
    """Whether a statement in lower case is a line of a program or of a shell, or nothing but a link."""
    return _COMMAND_LINE.match(low) is not None or _BARE_LINK.fullmatch(low) is not None
