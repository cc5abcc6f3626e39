"""Procedures: their titles, ids and similarity, and how they are read from and written to `memory/procedural`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence, Set
from functools import lru_cache
from itertools import chain, count, pairwise

from msgspec import Struct

from commonplace.capture import text_key
from commonplace.errors import NotFound, OutsideWorkspace
from commonplace.language.text import QueryTerm, jaccard_similarity, query_terms, sanitize_line, split_sentences
from commonplace.model import Problem, Source
from commonplace.storage import files, workspace
from commonplace.upkeep.skills.steps import normalize_step, step_command, word_list

MIN_SIMILARITY = 0.5
NAME_WEIGHT, GOAL_WEIGHT = 0.6, 0.4
MAX_GOAL_CHARS = 160  # characters
MAX_TITLE_CHARS = 60
MAX_NAME_WORDS = 5
MAX_COMPARED_PROCEDURES = 200  # procedures that one is compared with
CACHE_SIZE = 4096  # procedures and goals whose words are kept at hand
MIN_GOAL_WORDS = 2  # words with a meaning; `do it` names no goal

_COURTESIES = (
    r"^(?:\W*\b(?:hey|hi|hello|ok|okay|now|then|so|please|kindly|just|can you|could you|would you|will you|let's|lets"
    r"|i need you to|i want you to|we need to|i'd like you to|go ahead and|bitte|kannst du|s'il te plaît|por favor)\b)+"
)


def shape_id(steps: Iterable[str], scope: str) -> str:
    """The id of a sequence of steps whatever their values: 12 characters; each scope has its own."""
    return workspace.derive_id(" ; ".join(map(normalize_step, steps)), 0, f"procedure:{scope}")


def procedure_similarity(steps: Sequence[str], goal: str, other_steps: Sequence[str], other_goal: str) -> float:
    """The similarity of two procedures, 0..1: 0.6 for the words of their calls, 0.4 for the words of their goals."""
    name = jaccard_similarity(called_words(tuple(steps)), called_words(tuple(other_steps)))
    return NAME_WEIGHT * name + GOAL_WEIGHT * jaccard_similarity(content_stems(goal), content_stems(other_goal))


class ProcedureIndex:
    """Finds the most similar of many procedures by looking at those that share its rarest words."""

    def __init__(self) -> None:
        self._steps_and_goals: dict[str, tuple[tuple[str, ...], str]] = {}
        self._postings: dict[str, dict[str, None]] = {}

    def add(self, procedure_id: str, steps: Sequence[str], goal: str) -> None:
        """Know a procedure, or know it better."""
        self._steps_and_goals[procedure_id] = (tuple(steps), goal)
        for word in {*called_words(tuple(steps)), *content_stems(goal)}:
            self._postings.setdefault(word, {})[procedure_id] = None

    def find_most_similar(self, steps: Sequence[str], goal: str) -> str:
        """The id of the most similar procedure, of equal ones the first id; empty if none is similar enough."""
        met = [self._postings.get(word, {}) for word in {*called_words(tuple(steps)), *content_stems(goal)}]
        near: dict[str, None] = {}
        for posting in sorted(met, key=lambda one: (len(one), list(one)[:1])):
            near |= posting
            if len(near) >= MAX_COMPARED_PROCEDURES:
                break
        scored = (
            (-procedure_similarity(steps, goal, *self._steps_and_goals[name]), name)
            for name in list(near)[:MAX_COMPARED_PROCEDURES]
        )
        likeness, nearest = min(scored, default=(0.0, ""))
        return nearest if -likeness >= MIN_SIMILARITY else ""


@lru_cache(CACHE_SIZE)
def called_words(steps: tuple[str, ...]) -> tuple[str, ...]:
    """The words of what steps call: `npm publish`, `git push` are npm, publish, git, push."""
    return tuple(word for step in steps for word in re.findall(r"\w+", step_command(step).lower()))


@lru_cache(CACHE_SIZE)
def content_stems(text: str) -> tuple[str, ...]:
    """The words of a text that mean something, folded and stemmed; numbers and versions left out."""
    return tuple(term.forms[0] for term in content_terms(text))


def content_terms(text: str) -> list[QueryTerm]:
    """The words of a text that mean something, each with every form in which another text may hold it."""
    return [term for term in query_terms(text, ("en",)) if not any(char.isdigit() for char in term.word)]


def is_assent(text: str) -> bool:
    """Whether a message only tells the agent to continue."""
    said = re.findall(r"[\w'-]+", text.casefold())
    return len(said) <= 6 and all(word in word_list("assent") for word in said)


def extract_goal(text: str) -> str:
    """The goal that a message names: its first sentence with at least two words that mean something."""
    sentences = map(sanitize_line, split_sentences(text))
    goal = next((one for one in sentences if len(content_stems(one)) >= MIN_GOAL_WORDS), "")
    return truncate_at_word(goal or sanitize_line(text), MAX_GOAL_CHARS)


def render_goal_title(goal: str) -> str:
    """A goal as a heading, without the courtesies in front."""
    plain = re.sub(r"[#`*_<>\[\]|]", "", goal)
    bare = re.sub(_COURTESIES, "", plain, flags=re.IGNORECASE)
    title = truncate_at_word(bare.strip(" .,:;!?") or plain.strip(), MAX_TITLE_CHARS).strip(" .,:;!?")
    return title[:1].upper() + title[1:]


def skill_name_for_goal(goal: str) -> str:
    """The name of a skill for this goal: `publish-package-npm`."""
    return workspace.slugify(" ".join(_goal_words(goal)) or goal)


def goal_trigger(goal: str) -> str:
    """The words that call for this goal; the goal itself in a script that does not set blanks between words."""
    telling = _goal_words(goal)
    is_spaced = telling and set(re.findall(r"[\w'-]+", goal.casefold())).issuperset(telling)
    return " ".join(telling) if is_spaced else truncate_at_word(goal, MAX_TITLE_CHARS)


def choose_page_topic(steps: Sequence[str]) -> str:
    """The page that a procedure goes to: named after what is called most, the first of equals."""
    programs = [step_command(step).partition(" ")[0] for step in steps]
    most = max(programs, key=programs.count, default="")
    name = workspace.slugify(most) if re.search(r"\w", most) else "procedures"
    return f"on-{name}" if name.startswith("lessons") else name  # that name is another page's


def truncate_at_word(text: str, max_chars: int) -> str:
    """A text of at most this many characters, cut between words."""
    if len(text) <= max_chars:
        return text
    return text[: max_chars - 1].rsplit(" ", 1)[0].rstrip(" ,;:") + "…"


def _goal_words(goal: str) -> list[str]:
    return [term.word for term in content_terms(goal)][:MAX_NAME_WORDS]


PROCEDURES_FOLDER = "memory/procedural"
MAX_PAGE_BYTES = 4_000_000
MAX_GOTCHAS = 10
_NUMBERED_ITEM = re.compile(rb"\s*\d+[.)]\s")

OwnLines = Set[tuple[str, str]]  # (record id, key of its text) of every line that we wrote


class Procedure(Struct, frozen=True):
    """A procedure as it is in Markdown, edited or not; `record_ids` are the ids of its lines, the goal's first."""

    id: str
    goal: str
    steps: tuple[str, ...]
    scope: str = ""
    path: str = ""
    title: str = ""
    goal_capture_id: str = ""  # the capture in which the goal was named
    step_ids: tuple[str, ...] = ()
    record_ids: tuple[str, ...] = ()


class PageRevision(Struct):
    """The changes of a page: new sections, steps to reword by record id, warnings to add: lines by id, by procedure."""

    path: str
    new_procedures: dict[str, Procedure] = {}
    new_step_texts: dict[str, str] = {}
    gotchas: dict[str, dict[str, str]] = {}

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to be done."""
        return not (self.new_procedures or self.new_step_texts or self.gotchas)


def read_procedures(root: str, procedure_ids: Iterable[str]) -> tuple[tuple[Procedure, ...], tuple[Problem, ...]]:
    """The procedures of these ids in the pages, and the pages that cannot be read."""
    wanted = set(procedure_ids)
    found: list[Procedure] = []
    problems: list[Problem] = []
    for name in files.list_file_sizes(root, PROCEDURES_FOLDER) if wanted else ():
        path = f"{PROCEDURES_FOLDER}/{name}"
        if not name.endswith(".md"):
            continue
        try:
            found += parse_procedures(path, files.read_file(root, path, MAX_PAGE_BYTES), wanted)
        except (NotFound, OutsideWorkspace) as error:
            problems.append(Problem("unreadable", error.message, path))
    return tuple(found), tuple(problems)


def parse_procedures(path: str, data: bytes, procedure_ids: Iterable[str]) -> list[Procedure]:
    """The procedures of these ids in one page: the goal's line, and the numbered and other items below its heading."""
    records = workspace.parse_document(path, data).records
    ids = set(procedure_ids)
    goals = [at for at, record in enumerate(records) if record.id in ids and record.form == "item"]
    found = []
    for at, following in pairwise([*goals, len(records)]):
        goal, following_records = records[at], records[at + 1 : following]
        depth = len(goal.heading)
        section = [one for one in following_records if one.form == "item" and one.heading[:depth] == goal.heading]
        steps = [one for one in section if _NUMBERED_ITEM.match(data, one.source.byte_start)]
        spans = [(step.text.strip(), re.fullmatch(r"(`+)(.+?)\1", step.text.strip())) for step in steps]
        texts = tuple(span[2].strip() if span else text for text, span in spans)
        words, title = goal.text.removeprefix("Goal:").strip(), goal.heading[-1] if goal.heading else ""
        step_ids, all_ids = tuple(step.id for step in steps), (goal.id, *(one.id for one in section))
        found.append(Procedure(goal.id, words, texts, goal.scope, path, title, step_ids=step_ids, record_ids=all_ids))
    return found


def revise_page(data: bytes, revision: PageRevision, own_lines: OwnLines) -> bytes:
    """The page after a revision. What a person changed since we wrote it is left as it is. Of at most ten warnings a
    procedure, the oldest that are ours and unchanged make room."""
    data = data or f"# {revision.path.rpartition('/')[2].removesuffix('.md').capitalize()}\n".encode()
    records = workspace.parse_document(revision.path, data).records
    by_id = {record.id: record for record in records}
    own = [record for record in records if (record.id, text_key(record.text)) in own_lines]
    changes: list[tuple[Source, str | None]] = []
    for record in own:
        if record.id in revision.new_step_texts:
            line = data[record.source.byte_start : record.source.byte_end].decode("utf-8", "surrogateescape")
            step = render_code_span(revision.new_step_texts[record.id])
            changes.append((record.source, line.replace(record.text, step, 1)))
    gotchas: dict[str, list[str]] = {}
    added: dict[str, list[str]] = {}
    for procedure_id, line_by_id in revision.gotchas.items():
        newest = list(line_by_id.items())[-MAX_GOTCHAS:]
        gotchas[procedure_id] = lines = [line for name, line in newest if name not in by_id]
        if procedure_id in by_id and (heading := by_id[procedure_id].heading):
            added.setdefault(heading[-1], []).extend(lines)
        prefix = f"{procedure_id}-g"
        surplus = sum(one.id.startswith(prefix) for one in records) + len(lines) - MAX_GOTCHAS
        oldest = [one.source for one in own if one.id.startswith(prefix)][: max(0, surplus)]
        changes += [(source, None) for source in oldest]
    titles = {title.casefold() for record in records for title in record.heading[-1:]}
    titles |= {record.text.casefold() for record in records if record.form == "heading"}
    for procedure in revision.new_procedures.values():
        if procedure.id not in by_id:
            numbered = (f"{procedure.title} ({number})" for number in count(2))
            title = next(name for name in chain([procedure.title], numbered) if name.casefold() not in titles)
            titles.add(title.casefold())
            added[title] = [*_render_procedure(procedure), *gotchas.get(procedure.id, ())]
    data = workspace.change_lines(data, changes) if changes else data
    return workspace.append_under_headings(data, {title: lines for title, lines in added.items() if lines})


def render_code_span(step: str) -> str:
    """A step as a code span."""
    ticks = "`" * (max((len(run) for run in re.findall("`+", step)), default=0) + 1)
    pad = " " if step[:1] == "`" or step[-1:] == "`" else ""
    return f"{ticks}{pad}{workspace.join_lines(step)}{pad}{ticks}"


def _render_procedure(procedure: Procedure) -> list[str]:
    source = (procedure.goal_capture_id,) if procedure.goal_capture_id else ()
    annotation = workspace.render_annotation({"id": procedure.id, "from": source, "project": procedure.scope})
    lines = [f"- Goal: {workspace.join_lines(procedure.goal)} {annotation}", ""]
    for number, step in enumerate(procedure.steps, 1):
        annotation = workspace.render_annotation({"id": f"{procedure.id}-{number}", "project": procedure.scope})
        lines.append(f"{number}. {render_code_span(step)} {annotation}")
    return lines
