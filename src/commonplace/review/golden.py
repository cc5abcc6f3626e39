"""Golden questions: a person's own file of questions and what must answer them, read and held against recall."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from hashlib import blake2b
from typing import Literal

from msgspec import Struct, structs

from commonplace.config import minute
from commonplace.errors import BadArgument
from commonplace.model import Hit, Problem
from commonplace.recall.citations import parse
from commonplace.text import fold

MOST_K = 1_000_000
MOST_WRITTEN = 4000  # characters of a bullet
QUOTES = {'"': '"', "“": "”", "„": "“", "«": "»"}
OPTIONS = ("k", "scope", "now")
ANY_SCOPE = "*"

Sort = Literal["citation", "anchored", "id", "text"]
Verdict = Literal["new", "same", "better", "worse", "lost", "found again"]


class Wanted(Struct, frozen=True):
    """One thing that answers: lines of a file (0 for any line), an anchored citation of lines, the id of a record, or
    words that it holds."""

    sort: Sort
    value: str
    first: int = 0
    last: int = 0


class Expected(Struct, frozen=True):
    """One bullet: as it was written, on which line, and the things of which any one will do."""

    written: str
    line: int
    wanted: tuple[Wanted, ...]


class Question(Struct, frozen=True):
    """A question and everything that must be among its hits; `k`, `scope` and `now` are empty where not given."""

    text: str
    line: int
    expected: tuple[Expected, ...]
    k: int = 0
    scope: str = ""
    now: str = ""

    @property
    def key(self) -> str:
        """What tells it from other questions; holds no text."""
        asked = "\0".join((self.text, self.scope, self.now))
        return blake2b(asked.encode("utf-8", "surrogatepass"), digest_size=12).hexdigest()


class Golden(Struct, frozen=True):
    """The questions of a file, in order, and what could not be read."""

    questions: tuple[Question, ...]
    problems: tuple[Problem, ...]


class Judged(Struct, frozen=True):
    """A question held against its hits: the best rank at which each expectation was met, 0 for never.

    `rank` is the worst of them, 0 if one is missing among the first `k`; `before` is the remembered one, None for a
    question that was not; `verdict` is empty where nothing was ever remembered.
    """

    question: Question
    k: int
    ranks: tuple[int, ...]
    rank: int
    before: int | None = None
    verdict: Verdict | Literal[""] = ""


def read_golden(path: str, data: bytes) -> Golden:
    """Read a file of questions: a `##` heading or a bullet `Q: …`, below it bullets of what must be found.

    A bullet is a citation, an id or words in quotation marks, or several with `or` between them; or a setting `k:`,
    `scope:`, `now:`. Settings above the first question hold for all. Everything else is a person's own remark.
    """
    reading = _Reading(path)
    for number, line in _lines(data.decode("utf-8", "replace")):
        heading = _heading().fullmatch(line)
        bullet = None if heading else _bullet().fullmatch(line)
        if heading:
            reading.open(_title(heading[2]), number, len(heading[1]))
        elif bullet and bullet[1][:2].lower() == "q:":
            reading.open(bullet[1][2:], number, 0)
        elif bullet:
            reading.add(bullet[1], number)
    return reading.golden()


def placed(question: Question, place: Callable[[str], Wanted]) -> Question:
    """The question with what anchored citations mean today; `place` says it."""
    today = [
        structs.replace(one, wanted=tuple([place(w.value) if w.sort == "anchored" else w for w in one.wanted]))
        for one in question.expected
    ]
    return structs.replace(question, expected=tuple(today))


def judge(question: Question, hits: tuple[Hit, ...], k: int) -> Judged:
    """The rank of each expectation among the hits and those below them; found is what stands among the first `k`."""
    texts = [fold(hit.record.text) for hit in hits]
    ranks = tuple(_rank(expected, hits, texts) for expected in question.expected)
    found = all(0 < rank <= k for rank in ranks)
    return Judged(question, k, ranks, max(ranks) if found else 0)


def verdict(rank: int, before: int | None) -> Verdict:
    """What became of a question since its rank was remembered; None is one that was not, 0 is missing."""
    if before is None:
        return "new"
    if rank == before:
        return "same"
    if not rank:
        return "lost"
    if not before:
        return "found again"
    return "better" if rank < before else "worse"


class _Draft:
    """A question that is being read."""

    def __init__(self, text: str, line: int, level: int) -> None:
        self.text, self.line, self.level = " ".join(text.split()), line, level
        self.expected: list[Expected] = []
        self.settings: dict[str, str] = {}
        self.is_spoiled = False


class _Reading:
    """What was read so far of one file."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.problems: list[Problem] = []
        self.questions: list[Question] = []
        self.asked: dict[str, int] = {}  # the line of each by its key
        self.current = self.preface = _Draft("", 0, 0)

    def report(self, message: str, line: int, hint: str = "") -> None:
        self.problems.append(Problem("bad-question", message, self.path, line, hint))

    def open(self, text: str, line: int, level: int) -> None:
        """The next question; a heading with nothing below it but finer ones is the title of a group."""
        current = self.current
        above = current.level and not current.expected and not current.settings
        if not (above and (level == 0 or level > current.level)):
            self.close()
        self.current = _Draft(text.strip("* "), line, level)

    def add(self, text: str, line: int) -> None:
        """A bullet: a setting or something that must be found."""
        name, colon, value = text.partition(":")
        if colon and name.strip().lower() in OPTIONS:
            self._set(name.strip().lower(), value.strip(), line)
            return
        if self.current is self.preface:
            return  # a remark above the first question
        read = _wanted(text)
        if isinstance(read, str):
            self.report(read, line, 'say memory/2025-11-27.md#L12, an id, or "words" in quotation marks')
            self.current.is_spoiled = True
        else:
            self.current.expected.append(Expected(text, line, read))

    def _set(self, name: str, value: str, line: int) -> None:
        wrong = _wrong(name, value)
        if wrong:
            self.report(wrong, line)
            self.current.is_spoiled = True
        elif name == "now":
            self.current.settings[name] = minute(value)
        else:
            self.current.settings[name] = value

    def close(self) -> None:
        """Keep the current question if it can be asked; one of which a part cannot be read is not half asked."""
        draft = self.current
        if draft is self.preface or draft.is_spoiled:
            return
        if not draft.text:
            self.report("there is no question here", draft.line)
        elif not draft.expected:
            self.report("nothing says what this question must find", draft.line, "write bullets below it")
        else:
            self._keep(draft)

    def _keep(self, draft: _Draft) -> None:
        chosen = {**self.preface.settings, **draft.settings}
        k, scope, now = int(chosen.get("k", 0)), chosen.get("scope", ""), chosen.get("now", "")
        question = Question(draft.text, draft.line, tuple(draft.expected), k, scope, now)
        first = self.asked.setdefault(question.key, draft.line)
        if first != draft.line:
            self.report(f"this is asked on line {first} already", draft.line, "keep one of the two")
        else:
            self.questions.append(question)

    def golden(self) -> Golden:
        """All of it, once the last line is read."""
        self.close()
        if not self.questions and not self.problems:
            self.report("this file asks nothing", 0, "write `## a question?` and below it `- path.md#L12`")
        return Golden(tuple(self.questions), tuple(sorted(self.problems, key=lambda problem: problem.line)))


def _lines(text: str) -> list[tuple[int, str]]:
    """The numbered lines outside front matter, code fences and comments."""
    found: list[tuple[int, str]] = []
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
            found.append((number, body.partition("<!--")[0].rstrip()))
    return found


def _title(written: str) -> str:
    """A heading without the signs that may close it; those of `C#` stay."""
    bare = written.rstrip("#")
    return bare if not bare or bare[-1].isspace() else written


def _wrong(name: str, value: str) -> str:
    """What is wrong with the value of a setting; empty if nothing is."""
    if name == "k" and not (value.isdecimal() and len(value) <= len(str(MOST_K)) and 1 <= int(value) <= MOST_K):
        return f"`k` must be a whole number from 1 on, not {value!r}"
    if name == "now":
        try:
            minute(value)
        except BadArgument as error:
            return error.message
    return "" if value else f"`{name}:` says nothing"


def _wanted(text: str) -> tuple[Wanted, ...] | str:
    """The things of a bullet, any one of which will do, or what is wrong with it."""
    if len(text) > MOST_WRITTEN:
        return f"this bullet has more than {MOST_WRITTEN} characters"
    wanted: list[Wanted] = []
    rest = text.strip()
    while True:
        part, rest = _first_part(rest)
        one = _one(part)
        if isinstance(one, str):
            return one
        wanted.append(one)
        if not rest:
            return tuple(wanted)
        word, _, after = rest.partition(" ")
        if word.lower() != "or" or not after.strip():
            return f"between two things that would answer stands `or`, not {rest[:40]!r}"
        rest = after.strip()


def _first_part(text: str) -> tuple[str, str]:
    """The first thing of a bullet with its quotation marks, and what follows it."""
    closing = QUOTES.get(text[:1], "")
    end = text.find(closing, 1) + 1 if closing else 0
    if end:
        return text[:end], text[end:].strip()
    part, separator, rest = text.partition(" or ")
    return part.strip(), f"or {rest.strip()}" if separator else ""


def _one(part: str) -> Wanted | str:
    if part[:1] in QUOTES:
        words = fold(part[1:-1])
        closed = len(part) > 1 and part[-1] == QUOTES[part[0]]
        return Wanted("text", words) if words and closed else f"these words are empty or not closed: {part[:40]!r}"
    linked = _link().fullmatch(part)
    name = (linked[1] if linked else part).strip("`[]<> ")
    if parse(name):
        return Wanted("anchored", name)
    cited = _citation().fullmatch(name)
    if cited:
        first = int(cited[2] or 0)
        last = int(cited[3] or first)
        return Wanted("citation", cited[1], first, last) if last >= first else f"{name!r} ends before it begins"
    if not name or " " in name or "#" in name:
        return f"{part[:60]!r} is neither a citation nor an id nor words in quotation marks"
    return Wanted("id", name)


def _rank(expected: Expected, hits: tuple[Hit, ...], texts: list[str]) -> int:
    for rank, (hit, text) in enumerate(zip(hits, texts, strict=True), 1):
        if any(_answers(hit, text, one) for one in expected.wanted):
            return rank
    return 0


def _answers(hit: Hit, text: str, wanted: Wanted) -> bool:
    source = hit.record.source
    if wanted.sort == "text":
        return wanted.value in text
    if wanted.sort == "id":
        return hit.record.id == wanted.value
    overlaps = not wanted.first or (source.line_start <= wanted.last and source.line_end >= wanted.first)
    return source.path == wanted.value and overlaps


@cache
def _heading() -> re.Pattern[str]:
    return re.compile(r"(#{2,6})\s+(.*)")


@cache
def _bullet() -> re.Pattern[str]:
    return re.compile(r"(?:[-*+]|[0-9]{1,9}[.)])\s+(.*)")


@cache
def _citation() -> re.Pattern[str]:
    return re.compile(r"([^#]+\.(?:md|jsonl))(?:#L([0-9]{1,9})(?:-L?([0-9]{1,9}))?)?", re.IGNORECASE)


@cache
def _link() -> re.Pattern[str]:
    return re.compile(r"\[[^\]]*\]\(([^)]+)\)")
