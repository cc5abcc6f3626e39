"""A file of golden questions: parse the questions with their expected answers, and rank these in the hits of recall."""

from __future__ import annotations

import re
from collections.abc import Callable
from hashlib import blake2b
from typing import Literal, assert_never

from msgspec import Struct, structs

from commonplace.errors import BadArgument
from commonplace.language.text import fold_name
from commonplace.lazy import lazy_pattern
from commonplace.model import Hit, Problem, is_cited_as
from commonplace.retrieval.recall import parse_citation
from commonplace.storage.config import parse_minute

MAX_K = 1_000_000
MAX_BULLET_CHARS = 4000  # characters of a bullet
QUOTATION_MARKS = {'"': '"', "“": "”", "„": "“", "«": "»"}
QUESTION_SETTINGS = ("k", "scope", "now")
ANY_SCOPE = "*"

TargetKind = Literal["citation", "anchored", "id", "text"]
RankChange = Literal["new", "same", "better", "worse", "lost", "found again"]
_QUESTION_HEADING = lazy_pattern(r"(#{2,6})\s+(.*)")
_QUESTION_BULLET = lazy_pattern(r"(?:[-*+]|[0-9]{1,9}[.)])\s+(.*)")
_CITED_LINES = lazy_pattern(r"([^#]+\.(?:md|jsonl))(?:#L([0-9]{1,9})(?:-L?([0-9]{1,9}))?)?", re.IGNORECASE)
_LINKED_TARGET = lazy_pattern(r"\[[^\]]*\]\(([^)]+)\)")


class AnswerTarget(Struct, frozen=True):
    """An expected answer: lines of a file (0 for any), an anchored citation, the id of a record, or words in it."""

    kind: TargetKind
    value: str
    first_line: int = 0
    last_line: int = 0


class Expectation(Struct, frozen=True):
    """One bullet: its text and line, and the targets of which any one is enough."""

    text: str
    line: int
    targets: tuple[AnswerTarget, ...]


class Question(Struct, frozen=True):
    """A question and the expectations that its hits must meet; `k`, `scope` and `now` are empty where not given."""

    text: str
    line: int
    expected: tuple[Expectation, ...]
    k: int = 0
    scope: str = ""
    now: str = ""

    @property
    def key(self) -> str:
        """The digest by which it is remembered, without its text."""
        identity = "\0".join((self.text, self.scope, self.now))
        return blake2b(identity.encode("utf-8", "surrogatepass"), digest_size=12).hexdigest()


class GoldenQuestions(Struct, frozen=True):
    """The questions of a file, in order, and the problems in it."""

    questions: tuple[Question, ...]
    problems: tuple[Problem, ...]


class QuestionResult(Struct, frozen=True):
    """The result of a question: the best rank of each expectation, 0 for one that no hit meets; `rank` is the worst, 0
    if one is missing among the first `k`, `before` the remembered one, None for a new question."""

    question: Question
    k: int
    ranks: tuple[int, ...]
    rank: int
    before: int | None = None
    verdict: RankChange | Literal[""] = ""


def parse_golden_questions(path: str, data: bytes) -> GoldenQuestions:
    """Parse a file of questions: a `##` heading or a bullet `Q: …`, below it bullets with the expected answers: a
    citation, an id or words in quotation marks, or several with `or` between them; or a setting `k:`, `scope:`, `now:`.
    Settings above the first question hold for all. Everything else is a remark."""
    reading = _GoldenParser(path)
    for number, line in _number_visible_lines(data.decode("utf-8", "replace")):
        heading = _QUESTION_HEADING.fullmatch(line)
        bullet = None if heading else _QUESTION_BULLET.fullmatch(line)
        if heading:
            bare = heading[2].rstrip("#")  # the hash of `C#` stays
            text = bare if not bare or bare[-1].isspace() else heading[2]
            reading.open_question(text, number, len(heading[1]))
        elif bullet and bullet[1][:2].lower() == "q:":
            reading.open_question(bullet[1][2:], number, 0)
        elif bullet:
            reading.add_bullet(bullet[1], number)
    return reading.finish()


def resolve_anchors(question: Question, resolve: Callable[[str], AnswerTarget]) -> Question:
    """The question with anchored citations resolved to the lines that they refer to today."""
    expected = [
        structs.replace(one, targets=tuple([resolve(w.value) if w.kind == "anchored" else w for w in one.targets]))
        for one in question.expected
    ]
    return structs.replace(question, expected=tuple(expected))


def rank_expectations(question: Question, hits: tuple[Hit, ...], k: int) -> QuestionResult:
    """The rank of each expectation in the hits, which may be more than `k`."""
    texts = [fold_name(hit.record.text) for hit in hits]
    numbered = [(rank, hit, text) for rank, (hit, text) in enumerate(zip(hits, texts, strict=True), 1)]
    ranks = tuple(
        next((rank for rank, hit, text in numbered if any(_is_answered_by(hit, text, one) for one in it.targets)), 0)
        for it in question.expected
    )
    return QuestionResult(question, k, ranks, max(ranks) if all(0 < rank <= k for rank in ranks) else 0)


def compare_ranks(rank: int, previous_rank: int | None) -> RankChange:
    """Compare the rank of a question with the remembered one; None is a new question, 0 a missing answer."""
    if previous_rank is None or rank == previous_rank:
        return "new" if previous_rank is None else "same"
    if not rank or not previous_rank:
        return "found again" if rank else "lost"
    return "better" if rank < previous_rank else "worse"


class _QuestionDraft(Struct):
    """A question that is being read; the settings above the first question are those of an empty one."""

    text: str = ""
    line: int = 0
    level: int = 0
    expected: list[Expectation] = []
    settings: dict[str, str] = {}
    has_error: bool = False


class _GoldenParser:
    """The state of reading one file of questions."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.problems: list[Problem] = []
        self.questions: list[Question] = []
        self.line_by_key: dict[str, int] = {}
        self.current = self.preface = _QuestionDraft()

    def add_problem(self, message: str, line_number: int, hint: str = "") -> None:
        self.problems.append(Problem("bad-question", message, self.path, line_number, hint))
        self.current.has_error = True

    def open_question(self, text: str, line_number: int, level: int) -> None:
        """Begin the next question; a heading with nothing below it but finer ones is the title of a group."""
        current = self.current
        above = current.level and not current.expected and not current.settings
        if not (above and (level == 0 or level > current.level)):
            self.close_question()
        self.current = _QuestionDraft(" ".join(text.strip("* ").split()), line_number, level)

    def add_bullet(self, text: str, line_number: int) -> None:
        """Add a setting or something that must be found."""
        name, colon, value = text.partition(":")
        name, value = name.strip().lower(), value.strip()
        if colon and name in QUESTION_SETTINGS:
            if error := _setting_error(name, value):
                self.add_problem(error, line_number)
            else:
                self.current.settings[name] = parse_minute(value) if name == "now" else value
        elif self.current is not self.preface:  # above the first question it is a remark
            targets = _parse_bullet_targets(text)
            if isinstance(targets, str):
                hint = 'say memory/2025-11-27.md#L12, an id, or "words" in quotation marks'
                self.add_problem(targets, line_number, hint)
            else:
                self.current.expected.append(Expectation(text, line_number, targets))

    def close_question(self) -> None:
        """Add the current question if all of it could be read."""
        draft = self.current
        if draft is self.preface or draft.has_error:
            return
        chosen = {**self.preface.settings, **draft.settings}
        k, scope, now = int(chosen.get("k", 0)), chosen.get("scope", ""), chosen.get("now", "")
        question = Question(draft.text, draft.line, tuple(draft.expected), k, scope, now)
        if not draft.text:
            self.add_problem("there is no question here", draft.line)
        elif not draft.expected:
            self.add_problem("nothing says what this question must find", draft.line, "write bullets below it")
        elif (first := self.line_by_key.setdefault(question.key, draft.line)) != draft.line:
            self.add_problem(f"this is asked on line {first} already", draft.line, "keep one of the two")
        else:
            self.questions.append(question)

    def finish(self) -> GoldenQuestions:
        """All of it, once the last line is read."""
        self.close_question()
        if not self.questions and not self.problems:
            self.add_problem("this file asks nothing", 0, "write `## a question?` and below it `- path.md#L12`")
        return GoldenQuestions(tuple(self.questions), tuple(sorted(self.problems, key=lambda problem: problem.line)))


def _number_visible_lines(text: str) -> list[tuple[int, str]]:
    """The numbered lines outside front matter, code fences and comments."""
    visible: list[tuple[int, str]] = []
    closing = ""
    for number, line in enumerate(text.replace("\r\n", "\n").removeprefix("\ufeff").split("\n"), 1):
        body = line.strip()
        if closing:
            closing = "" if closing in (body if closing == "-->" else [body]) else closing
        elif number == 1 and body == "---":
            closing = "---"
        elif body.startswith(("```", "~~~")):
            closing = body[: len(body) - len(body.lstrip(body[0]))]
        elif body.startswith("<!--"):
            closing = "" if "-->" in body else "-->"
        else:
            visible.append((number, body.partition("<!--")[0].rstrip()))
    return visible


def _setting_error(name: str, value: str) -> str:
    """What is wrong with the value of a setting; empty if nothing is."""
    if name == "k" and not (value.isdecimal() and len(value) <= len(str(MAX_K)) and 1 <= int(value) <= MAX_K):
        return f"`k` must be a whole number from 1 on, not {value!r}"
    if name == "now":
        try:
            parse_minute(value)
        except BadArgument as error:
            return error.message
    return "" if value else f"`{name}:` says nothing"


def _parse_bullet_targets(text: str) -> tuple[AnswerTarget, ...] | str:
    """The targets of a bullet, or what is wrong with it."""
    if len(text) > MAX_BULLET_CHARS:
        return f"this bullet has more than {MAX_BULLET_CHARS} characters"
    targets: list[AnswerTarget] = []
    rest = text.strip()
    while True:
        closing = QUOTATION_MARKS.get(rest[:1], "")
        end = rest.find(closing, 1) + 1 if closing else 0
        part, separator, behind = (rest[:end], "", rest[end:]) if end else rest.partition(" or ")
        target = _parse_target(part.strip())
        if isinstance(target, str):
            return target
        targets.append(target)
        rest = f"or {behind.strip()}" if separator else behind.strip()
        if not rest:
            return tuple(targets)
        word, _, after = rest.partition(" ")
        if word.lower() != "or" or not after.strip():
            return f"between two things that would answer stands `or`, not {rest[:40]!r}"
        rest = after.strip()


def _parse_target(part: str) -> AnswerTarget | str:
    if part[:1] in QUOTATION_MARKS:
        words = fold_name(part[1:-1])
        is_closed = len(part) > 1 and part[-1] == QUOTATION_MARKS[part[0]]
        is_right = words and is_closed
        return AnswerTarget("text", words) if is_right else f"these words are empty or not closed: {part[:40]!r}"
    linked = _LINKED_TARGET.fullmatch(part)
    name = (linked[1] if linked else part).strip("`[]<> ")
    if parse_citation(name):
        return AnswerTarget("anchored", name)
    cited = _CITED_LINES.fullmatch(name)
    if cited:
        first = int(cited[2] or 0)
        last = int(cited[3] or first)
        return AnswerTarget("citation", cited[1], first, last) if last >= first else f"{name!r} ends before it begins"
    if not name or " " in name or "#" in name:
        return f"{part[:60]!r} is neither a citation nor an id nor words in quotation marks"
    return AnswerTarget("id", name)


def _is_answered_by(hit: Hit, text: str, target: AnswerTarget) -> bool:
    source = hit.record.source
    match target.kind:
        case "text":
            return target.value in text
        case "id":
            return is_cited_as(hit.record.id, target.value)
        case "citation" | "anchored":
            first, last = target.first_line, target.last_line
            overlaps = not first or (source.line_start <= last and source.line_end >= first)
            return source.path == target.value and overlaps
        case _:
            assert_never(target.kind)
