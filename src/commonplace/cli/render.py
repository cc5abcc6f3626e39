"""Values as lines for a person: memory text on one line each, styled only on a terminal."""

from __future__ import annotations

import os
from collections.abc import Iterator

from commonplace.cli.streams import BOLD, DIM, PLAIN, is_terminal, working_folder
from commonplace.language.text import sanitize_line
from commonplace.model import Change, Hit, Problem, Reason, Record, View
from commonplace.retrieval import pack
from commonplace.storage.settings import Environment


class TerminalStyle:
    """Emphasis for a terminal; nothing if the output is read by a program or NO_COLOR is set."""

    def __init__(self, environment: Environment) -> None:
        self._is_enabled = is_terminal() and not environment.no_color

    def bold(self, text: str) -> str:
        """The text, bold."""
        return f"{BOLD}{text}{PLAIN}" if self._is_enabled else text

    def dim(self, text: str) -> str:
        """The text, dimmed."""
        return f"{DIM}{text}{PLAIN}" if self._is_enabled else text


def display_path(path: str) -> str:
    """The path as a person would write it: relative if it is in the working folder."""
    here = working_folder()
    return os.path.relpath(path, here) if f"{path}/".startswith(f"{here}/") else path


def pluralize(number: int, noun: str) -> str:
    """`1 problem`, `2 problems`."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


def hit_lines(number: int, hit: Hit, style: TerminalStyle, *, is_match: bool = True) -> list[str]:
    """A hit as three lines: where and how well, what, why; if it is no match, nothing in the question found it."""
    head = f"{number}. {sanitize_line(hit.record.source.citation)}"
    labels = _record_labels(hit.record) + ([f"(rank by the rules: {hit.rules_rank})"] if hit.rules_rank else [])
    labels += [] if is_match else ["(not confident)"]
    marks = " ".join(labels)
    return [
        f"{style.bold(head)}  {hit.score:.3f}{'  ' + marks if marks else ''}",
        f"   {_marked_text(hit.record, hit.record.source.citation)}",
        style.dim(f"   {reasons_line(hit.reasons) if is_match else 'nothing in the question found it'}"),
    ]


def reasons_line(reasons: tuple[Reason, ...]) -> str:
    """The parts of a score: summands first, then factors, so that a person can redo the sum."""
    summands = [f"{r.name} {r.value:.3f}" for r in reasons if not r.name.endswith("×")]
    factors = [f"{r.name}{r.value:.3f}" for r in reasons if r.name.endswith("×")]
    return " · ".join((" + ".join(summands), *factors))


def record_line(record: Record, style: TerminalStyle) -> str:
    """A record on one line, with its time, its text and its citation."""
    time = f"{record.time.replace('T', ' ')}  " if record.time else ""
    marks = " ".join(_record_labels(record))
    cited = style.dim(f"[{sanitize_line(record.source.citation)}]")
    return f"{time}{_marked_text(record, time)}{' ' + marks if marks else ''} {cited}"


def _marked_text(record: Record, shown: str) -> str:
    return sanitize_line(pack.record_prefix(record, shown) + record.text)


def view_lines(view: View) -> Iterator[str]:
    """The numbered lines of a file."""
    return (f"{number:>5}  {line}" for number, line in enumerate(view.text.split("\n"), view.line_start))


def change_line(change: Change) -> str:
    """`modified  memory/2025-11-27.md`"""
    moved = f"{sanitize_line(change.path_before)} → " if change.path_before else ""
    return f"{change.kind:<9} {moved}{sanitize_line(change.path)}"


def problem_line(problem: Problem) -> str:
    """`memory/a.md:3: bad-confidence: … (hint)`"""
    where = sanitize_line(problem.path) + (f":{problem.line}" if problem.line else "")
    hint = f" ({sanitize_line(problem.hint)})" if problem.hint else ""
    return f"{where}: {problem.code}: {sanitize_line(problem.message)}{hint}"


def _record_labels(record: Record) -> list[str]:
    is_cited = bool(record.source.short_id)
    marks = ["(evidence)" if is_cited else f"(evidence, {sanitize_line(record.id)})"] if record.is_evidence else []
    if record.opinion_mark:
        marks.append(f"({record.opinion_mark})")
    if record.sources:
        marks.append(f"(from: {', '.join(sanitize_line(source) for source in record.sources)})")
    if record.superseded_by:
        marks.append("(superseded)")
    return marks
