"""Why a line is not among the hits: for each stage of recall what happened to it, and where it was lost."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Literal

from msgspec import Struct, structs

from commonplace.errors import BadArgument, NotFound, OutsideWorkspace
from commonplace.index import Index, Row
from commonplace.model import Hit, Query, Reason, Record
from commonplace.recall import Worked, once, work
from commonplace.recall.blocking import blocking
from commonplace.recall.surfacing import Change, surfacing
from commonplace.recall.understand import Understood, understand
from commonplace.recall.vectors import Vectors
from commonplace.text import Term, fold, one_line
from commonplace.workspace.sweep import SKIPPED

DEEPER = (100, 1_000)  # how many hits to ask for until the line is among those that are scored
MOST_DIGITS = 18  # of two line numbers
WORDS_TOLD = 12  # of a line that shares none
ALIKE = 0.6  # how alike the nearest word must be to be named, as difflib measures it
NO_LANES = (
    "length",
    "speaks",
    "asks",
    "addresses",
    "absent",
    "by_agent",
    "holds",
    "retells",
    "stands",
)  # strengths that find nothing by themselves
LONGEST = 80  # characters of a line that are told

StageName = Literal["index", "filter", "words", "lanes", "told", "rank", "pack"]
Read = Callable[[str], bytes]


class Beside(Struct, frozen=True):
    """The hit that a line is compared with: that which tells it already, or the last that was shown."""

    record_id: str
    citation: str
    rank: int
    score: float
    reasons: tuple[Reason, ...] = ()


class Stage(Struct, frozen=True):
    """What one stage did with the line. `passed` is false where the line was lost, or lost a chance.

    `filter` names the filter, `choices` the argument of recall that lets the line through; `reasons` are strengths or
    the parts of the score; `beside` is the hit to compare with.
    """

    name: StageName
    passed: bool
    says: str
    filter: str = ""
    choices: dict[str, Any] = {}
    reasons: tuple[Reason, ...] = ()
    beside: Beside | None = None


class WhyNot(Struct, frozen=True):
    """The whole explanation: stages in order and the changes that were tried and show the line, the smallest first."""

    query: str
    reference: str
    record: Record | None
    stages: tuple[Stage, ...]
    rank: int = 0  # among the hits, 0 if it is not there
    changes: tuple[Change, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def lost_at(self) -> str:
        """The first stage that the line did not pass; empty where it is shown."""
        return "" if self.rank else next((stage.name for stage in self.stages if not stage.passed), "")


def why_not(
    index: Index,
    query: Query,
    reference: str,
    *,
    read: Read,
    languages: tuple[str, ...] = ("en",),
    vectors: Vectors | None = None,
) -> WhyNot:
    """What happened to the line at `PATH#L12`, or to the record or capture of an id. Reads only.

    A line that a filter stops is followed on as if it were let through. Raises BadArgument.
    """
    with index.snapshot():
        asked = understand(index, query, languages)
        record, says = _located(index, read, reference)
        found = Stage("index", record is not None, says)
        if record is None:
            return WhyNot(query.text, reference, None, (found,), notes=asked.notes)
        row = index.row_of(record.id)
        blocks = blocking(index, query, row, asked)
        opened = structs.replace(query, **{name: value for one in blocks for name, value in one.choices.items()})
        filters = [Stage("filter", False, one.says, one.name, one.choices) for one in blocks]
        means = partial(work, languages=languages, vectors=vectors)
        course = _Course(index, opened, row, means)
        stages = (found, *(filters or [Stage("filter", True, "every filter lets it through")]), *course.stages())
        shown = 0 if blocks else course.shown
        notes = tuple(dict.fromkeys((*asked.notes, *course.first.asked.notes)))
        if shown:
            return WhyNot(query.text, reference, record, stages, shown, (), notes)
        changes = surfacing(index, query, record, opened=opened, rank=course.rank, languages=languages, vectors=vectors)
        return WhyNot(query.text, reference, record, stages, shown, changes, notes)


class _Course:
    """A line's way through a recall whose filters let it through; repeated at greater depth until it is scored."""

    def __init__(self, index: Index, query: Query, row: int, worked: Callable[[Index, Query], Worked]) -> None:
        self.index, self.query, self.row = index, query, row
        self.kept = index.fetch([row])[row]
        self.first = self.worked = worked(index, query)
        for deeper in DEEPER:
            if row in self.worked.rows or deeper <= query.k:
                continue
            self.worked = worked(index, structs.replace(query, k=deeper))
        self.ranked = once(self.worked.scored, self.worked.rows)
        self.rank = next((place for place, (other, _hit) in enumerate(self.ranked, 1) if other == row), 0)
        self.shown = self.rank if self.worked is self.first and self.rank <= query.k else 0

    def stages(self) -> list[Stage]:
        """From the words to the rank; what follows the stage at which nothing is left is not told."""
        stages = [_words(self.index, self.worked.asked, self.kept), self._lanes()]
        if not stages[-1].passed:
            return stages
        mine = self._scored()
        told = [self._told(mine)] if mine else []
        return [*stages, *told, *([] if told and not told[0].passed else [self._ranked(mine)])]

    def _lanes(self) -> Stage:
        found = self.worked.found.get(self.row)
        if found is None:
            return Stage("lanes", False, _unfound(self.worked, self.kept))
        told = structs.asdict(found)
        strengths = tuple(Reason(n, round(v, 6)) for n, v in told.items() if v and n not in NO_LANES)
        names = ", ".join(f"{one.name} {one.value:.3f}" for one in strengths)
        if not strengths:
            return Stage("lanes", False, "no lane says anything of it")
        return Stage("lanes", True, f"found by {names}", reasons=strengths)

    def _told(self, mine: Hit) -> Stage:
        """Whether a better hit has the same source and says the same already."""
        sources = _sources(mine.record)
        for place, (_row, hit) in enumerate(() if self.rank else self.ranked, 1):
            if sources & _sources(hit.record):
                said = "tells the same of the same source" if hit.record.is_evidence else "was made of the same source"
                return Stage(
                    "told",
                    False,
                    f"hit {place}, {hit.record.source.citation}, {said} and is better: {_short(hit.record.text)}",
                    reasons=mine.reasons,
                    beside=_beside(place, hit),
                )
        return Stage("told", True, "no better hit tells it already")

    def _ranked(self, mine: Hit | None) -> Stage:
        k, scored = self.query.k, len(self.worked.rows)
        if mine is None:
            weak = "its score is 0" if self.row in self.worked.rows else f"{scored} that were found are stronger"
            return Stage("rank", False, weak)
        says = f"rank {self.rank} with {mine.score:.3f}; k is {k}"
        if self.shown:
            return Stage("rank", True, says, reasons=mine.reasons)
        shown = once(self.first.scored, self.first.rows)[:k]
        beside = _beside(len(shown), shown[-1][1]) if shown else None
        return Stage("rank", False, says, reasons=mine.reasons, beside=beside)

    def _scored(self) -> Hit | None:
        return next((hit for row, hit in self.worked.scored if row == self.row), None)


def _beside(rank: int, hit: Hit) -> Beside:
    return Beside(hit.record.id, hit.record.source.citation, rank, hit.score, hit.reasons)


def _words(index: Index, asked: Understood, kept: Row) -> Stage:
    """Which words of the question stand in the line, which do not, and what comes nearest to those."""
    if not asked.terms:
        return Stage(
            "words", True, "the question has no words to look for: only names, times or what sort is asked for"
        )
    inside, above = set(kept.tokens.split()), set(kept.context.split())
    own = _standing(asked.terms, inside)
    titled = {word: how for word, how in _standing(asked.terms, above).items() if word not in own}
    asked_for = [term for term in reversed(asked.terms) if not term.of]
    missing = {term.word: term for term in asked_for if term.word not in own and term.word not in titled}
    written = _written(kept.record)
    parts = [f"shares {', '.join(own.values())}"] if own else ["shares no stem with the question"]
    parts += [f"in the titles above it: {', '.join(titled.values())}"] if titled else []
    lacking = [_missing(index, term, written) for term in reversed(missing.values())]
    parts += [f"not in the line: {', '.join(lacking)}"] if lacking else []
    parts += [] if own or titled else [f"the line's words: {', '.join(written[:WORDS_TOLD])}"]
    return Stage("words", bool(own or titled), "; ".join(parts))


def _standing(terms: tuple[Term, ...], tokens: set[str]) -> dict[str, str]:
    """The words of the question that stand among the tokens, each with what it was read as where it occurs nowhere."""
    first: dict[str, Term] = {}
    for term in terms:
        first.setdefault(term.word, term)
    found: dict[str, str] = {}
    for term in terms:
        if forms := tokens.intersection(term.forms):
            as_is = term == first[term.word] and not term.of
            found.setdefault(term.word, term.word if as_is else f"{term.word} (read as {', '.join(sorted(forms))})")
    return found


def _missing(index: Index, term: Term, written: list[str]) -> str:
    import difflib

    near = difflib.get_close_matches(fold(term.word), written, 1, ALIKE)
    notes = [f"nearest: {near[0]}"] if near else []
    notes += [] if any(map(index.frequency, term.forms)) else ["in no record at all"]
    return term.word + (f" ({'; '.join(notes)})" if notes else "")


def _written(record: Record) -> list[str]:
    """The words of a line as written, folded, each once, without signs at their edges."""
    words = (word.strip(".,;:!?\"'()[]{}<>*-_~`@#|") for word in fold(one_line(record.text)).split(" "))
    return list(dict.fromkeys(word for word in words if word))


def _unfound(worked: Worked, kept: Row) -> str:
    tokens = {*kept.tokens.split(), *kept.context.split()}
    if any(tokens.intersection(term.forms) for term in worked.asked.terms):
        return (
            f"no lane found it: {len(worked.matches)} records match better by their words, and nothing else favours it"
        )
    return "no lane found it: not by words, names, times, its sort, nor what was said around it"


def _sources(record: Record) -> set[str]:
    return {record.id} if record.is_evidence else set(record.sources)


def _short(text: str) -> str:
    said = one_line(text).strip()
    return said if len(said) <= LONGEST else f"{said[: LONGEST - 1]}…"


def _located(index: Index, read: Read, reference: str) -> tuple[Record | None, str]:
    """The record that is meant, and which it is; without one, why there is none."""
    found = index.find(reference)
    if found is not None:
        return found, _named(found)
    path, line = _place(index, reference)
    records = [row.record for row in index.fetch(index.rows_of(path)).values()]
    whole = next((one for one in index.problems() if one.path == path and not one.line), None)
    if not records and whole is not None:
        return None, f"not indexed: {path}: {whole.message}"
    if not records and path not in index.stamps():
        return None, _unindexed(index, read, path)
    if not line:
        raise BadArgument(f"{path!r} is a whole file", hint="name a line of it: PATH#L12")
    here = [one for one in records if one.source.line_start <= line <= one.source.line_end]
    here.sort(key=lambda one: (one.source.line_end - one.source.line_start, one.source.byte_start, one.id))
    return (here[0], _named(here[0])) if here else (None, _bare(read, path, line, records))


def _named(record: Record) -> str:
    what = "capture" if record.is_evidence else "record"
    return f"{what} {record.id}, {record.source.citation}: {_short(record.text)}"


def _place(index: Index, reference: str) -> tuple[str, int]:
    """Path and line; a line of 0 is none."""
    path, _, lines = reference.rpartition("#L")
    if not path or reference in index.stamps():
        return reference, 0
    first = lines.partition("-")[0]
    if not (first.isascii() and first.isdecimal() and len(first) <= MOST_DIGITS and int(first)):
        raise BadArgument(f"cannot read the line of {reference!r}", hint="say PATH#L12")
    return path, int(first)


def _unindexed(index: Index, read: Read, path: str) -> str:
    """Why a file is not in the index, or that there is none."""
    import difflib

    try:
        read(path)
    except NotFound:
        near = difflib.get_close_matches(path, [*index.stamps()], 2)
        return f"not indexed: no record and no file is called {path}" + (
            f"; did you mean {' or '.join(near)}?" if near else ""
        )
    except OutsideWorkspace as error:
        return f"not indexed: {error.message}"
    return f"not indexed: {path} is passed over: {_skipped(path)}"


def _skipped(path: str) -> str:
    parts = path.split("/")
    hidden = next((part for part in parts if part.startswith(".")), "")
    if hidden:
        return f"names that begin with a dot, like {hidden}, are not read"
    folder = next((part for part in parts if part in SKIPPED), "")
    if folder:
        return f"what lies in {folder} is not read"
    if not path.lower().endswith(".md"):
        return "only names that end in .md are read"
    return "the setting `ignore` names it, or it is newer than the index (`commonplace sync`)"


def _bare(read: Read, path: str, line: int, records: list[Record]) -> str:
    """Why there is no record on a line of a file that is indexed."""
    lines = read(path).decode("utf-8", "replace").removesuffix("\n").split("\n")
    if line > len(lines):
        return f"no such line: {path} has {len(lines)}"
    says = _short(lines[line - 1])
    what = f"line {line} is no record: {says!r}" if says else f"line {line} is empty"
    near = min(records, key=lambda one: (abs(one.source.line_start - line), one.source.line_start), default=None)
    return f"{what}; the nearest is at {near.source.citation}" if near else f"{what}; {path} holds no record at all"
