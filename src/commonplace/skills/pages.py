"""Procedures as sections of `memory/procedural/<topic>.md`: read, add, and change only lines that are still ours."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from itertools import count, pairwise

from msgspec import Struct

from commonplace import files
from commonplace.capture import text_key
from commonplace.errors import NotFound, OutsideWorkspace
from commonplace.model import Problem, Record
from commonplace.workspace import parse
from commonplace.workspace.edits import append_under, remove_lines, replace_lines
from commonplace.workspace.render import one_line, render_annotation

FOLDER = "memory/procedural"
MOST_BYTES = 4_000_000
MOST_GOTCHAS = 10
_NUMBERED = re.compile(rb"\s*\d+[.)]\s")

Own = frozenset[tuple[str, str]]  # (record id, key of its text) of every line that we wrote


class Procedure(Struct, frozen=True):
    """A procedure as it stands in Markdown, edited or not; `records` are the ids of its lines, the goal's first."""

    id: str
    goal: str
    steps: tuple[str, ...]
    scope: str = ""
    path: str = ""
    title: str = ""
    source: str = ""  # the capture in which the goal was named
    step_ids: tuple[str, ...] = ()
    gotchas: tuple[str, ...] = ()
    records: tuple[str, ...] = ()


class Gotcha(Struct, frozen=True):
    """A warning for a procedure."""

    id: str
    procedure: str
    text: str


class Revision(Struct):
    """What is to be done to one page: sections to add, steps to reword by record id, warnings to add."""

    path: str
    added: dict[str, Procedure] = {}
    reworded: dict[str, str] = {}
    gotchas: list[Gotcha] = []

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to be done."""
        return not (self.added or self.reworded or self.gotchas)


def read_pages(root: str, known: Iterable[str]) -> tuple[tuple[Procedure, ...], tuple[Problem, ...]]:
    """The procedures of these ids in the pages, and the pages that cannot be read."""
    wanted = set(known)
    found: list[Procedure] = []
    problems: list[Problem] = []
    for name in files.sizes(root, FOLDER) if wanted else ():
        path = f"{FOLDER}/{name}"
        if not name.endswith(".md"):
            continue
        try:
            found += procedures_in(path, files.read(root, path, MOST_BYTES), wanted)
        except (NotFound, OutsideWorkspace) as error:
            problems.append(Problem("unreadable", error.message, path))
    return tuple(found), tuple(problems)


def procedures_in(path: str, data: bytes, wanted: Iterable[str]) -> list[Procedure]:
    """The procedures of these ids in one page: the goal's line, and the numbered and other items below its heading."""
    records = parse(path, data).records
    ids = set(wanted)
    goals = [at for at, record in enumerate(records) if record.id in ids and record.form == "item"]
    found = []
    for at, following in pairwise([*goals, len(records)]):
        section = [one for one in records[at + 1 : following] if one.form == "item" and _below(one, records[at])]
        found.append(_procedure(path, data, records[at], section))
    return found


def revise(data: bytes, revision: Revision, own: Own, scopes: Mapping[str, str]) -> bytes:
    """The page after a revision. What a person changed since we wrote it is left as it is."""
    data = data or f"# {revision.path.rpartition('/')[2].removesuffix('.md').capitalize()}\n".encode()
    warnings = {one.procedure: _warnings(revision, one.procedure, scopes) for one in revision.gotchas}
    data = _reworded(data, revision, own)
    data = _warned(data, revision.path, warnings)
    data = _added(data, revision, warnings)
    return _without_oldest(data, revision.path, warnings, own)


def step_id(procedure: str, number: int) -> str:
    """The id of a step's line."""
    return f"{procedure}-{number}"


def gotcha_id(procedure: str, text: str) -> str:
    """The id of a warning's line: the same for the same failure and remedy."""
    return f"{procedure}-g{files.digest(text.encode('utf-8', 'surrogatepass'))[:8]}"


def code(step: str) -> str:
    """A step as a code span."""
    ticks = "`" * (max((len(run) for run in re.findall("`+", step)), default=0) + 1)
    pad = " " if step[:1] == "`" or step[-1:] == "`" else ""
    return f"{ticks}{pad}{one_line(step)}{pad}{ticks}"


def uncode(text: str) -> str:
    """What stands in the code span of a line; the whole line where there is none."""
    span = re.fullmatch(r"(`+)(.+?)\1", text.strip())
    return span[2].strip() if span else text.strip()


def _below(record: Record, goal: Record) -> bool:
    return record.heading[: len(goal.heading)] == goal.heading


def _procedure(path: str, data: bytes, goal: Record, section: list[Record]) -> Procedure:
    steps = [one for one in section if _NUMBERED.match(data, one.source.byte_start)]
    others = [one for one in section if one not in steps]
    return Procedure(
        id=goal.id,
        goal=goal.text.removeprefix("Goal:").strip(),
        steps=tuple(uncode(step.text) for step in steps),
        scope=goal.scope,
        path=path,
        title=goal.heading[-1] if goal.heading else "",
        step_ids=tuple(step.id for step in steps),
        gotchas=tuple(other.text for other in others),
        records=(goal.id, *(one.id for one in section)),
    )


def _warnings(revision: Revision, procedure: str, scopes: Mapping[str, str]) -> dict[str, str]:
    """The newest warnings for a procedure, id to line."""
    mine = [one for one in revision.gotchas if one.procedure == procedure][-MOST_GOTCHAS:]
    scope = scopes.get(procedure, "")
    return {one.id: f"- {one_line(one.text)} {_annotation(one.id, scope)}" for one in mine}


def _reworded(data: bytes, revision: Revision, own: Own) -> bytes:
    """Other wordings of steps whose lines still say what we wrote; what else is on a line stays."""
    records = parse(revision.path, data).records if revision.reworded else ()
    for record in reversed(records):  # from the end, so that the places before stay where they are
        text = revision.reworded.get(record.id)
        if text is None or (record.id, text_key(record.text)) not in own:
            continue
        line = data[record.source.byte_start : record.source.byte_end].decode("utf-8", "surrogateescape")
        data = replace_lines(data, record.source, line.replace(record.text, code(text), 1))
    return data


def _warned(data: bytes, path: str, warnings: Mapping[str, Mapping[str, str]]) -> bytes:
    """Warnings below procedures that are there."""
    records = parse(path, data).records if warnings else ()
    there = {record.id for record in records}
    headings = {record.id: record.heading[-1] for record in records if record.id in warnings and record.heading}
    for procedure, heading in headings.items():
        lines = [line for name, line in warnings[procedure].items() if name not in there]
        data = append_under(data, heading, "\n".join(lines)) if lines else data
    return data


def _added(data: bytes, revision: Revision, warnings: Mapping[str, Mapping[str, str]]) -> bytes:
    """New procedures at the end, each below a heading of its own."""
    records = parse(revision.path, data).records if revision.added else ()
    there = {record.id for record in records}
    titles = {record.heading[-1].casefold() for record in records if record.heading}
    titles |= {record.text.casefold() for record in records if record.form == "heading"}
    sections: list[str] = []
    for procedure in revision.added.values():
        if procedure.id in there:
            continue
        title = _title(procedure.title, titles)
        titles.add(title.casefold())
        sections.append("\n".join([title, *_section(procedure), *warnings.get(procedure.id, {}).values()]))
    if not sections:
        return data
    first, _newline, rest = "\n\n## ".join(sections).partition("\n")
    return append_under(data, first, rest)


def _title(wanted: str, taken: set[str]) -> str:
    if wanted.casefold() not in taken:
        return wanted
    return next(name for n in count(2) if (name := f"{wanted} ({n})").casefold() not in taken)


def _section(procedure: Procedure) -> list[str]:
    goal = f"- Goal: {one_line(procedure.goal)} {_annotation(procedure.id, procedure.scope, procedure.source)}"
    steps = [
        f"{number}. {code(step)} {_annotation(step_id(procedure.id, number), procedure.scope)}"
        for number, step in enumerate(procedure.steps, 1)
    ]
    return [goal, "", *steps]


def _annotation(record_id: str, scope: str, source: str = "") -> str:
    return render_annotation({"id": record_id, "from": (source,) if source else (), "project": scope})


def _without_oldest(data: bytes, path: str, warnings: Iterable[str], own: Own) -> bytes:
    """At most ten warnings a procedure: the oldest that are ours and unchanged make room."""
    found: dict[str, list[Record]] = {f"{procedure}-g": [] for procedure in warnings}
    for record in parse(path, data).records if found else ():
        name, mark, _digest = record.id.partition("-g")
        found.get(name + mark, []).append(record)
    gone = [one for mine in found.values() for one in _oldest(mine, own)]
    for record in sorted(gone, key=lambda one: -one.source.byte_start):
        data = remove_lines(data, record.source)
    return data


def _oldest(warnings: list[Record], own: Own) -> list[Record]:
    ours = [one for one in warnings if (one.id, text_key(one.text)) in own]
    return ours[: max(0, len(warnings) - MOST_GOTCHAS)]
