"""A run of consolidation, resumable at any point: plan interactions, write the ledger, the Markdown, then the notes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime, timedelta
from typing import Any

from msgspec import Struct, structs

from commonplace.capture.write_context import WriteContext, text_key, workspace_key
from commonplace.index import Index
from commonplace.model import Actor, Record, Trust
from commonplace.storage import files
from commonplace.storage.journal import Journal
from commonplace.storage.workspace import parse_document
from commonplace.storage.workspace.edits import update_file
from commonplace.upkeep.consolidate import file_edits
from commonplace.upkeep.consolidate.claims import DEFAULT_OWNER
from commonplace.upkeep.consolidate.episodes import Episode, Interaction, read_interactions, read_session_captures
from commonplace.upkeep.consolidate.existing_records import ExistingRecords, StatedValue
from commonplace.upkeep.consolidate.file_edits import (
    HISTORY_HEADING,
    STRIKETHROUGH,
    AddedLine,
    FileEdits,
    RenderedLine,
    ReviewItem,
    apply_file_edits,
    new_file_header,
    render_claim_line,
    strike_line,
)
from commonplace.upkeep.consolidate.history import (
    CONSOLIDATED_OP,
    REPEATED_OP,
    STATED_OP,
    LedgerHistory,
    read_recent_packs,
)
from commonplace.upkeep.consolidate.planning import (
    ConsolidationPlan,
    PlannedLine,
    PlanningContext,
    plan_consolidation,
    statement_from_draft,
)
from commonplace.upkeep.skills.learning import LearningResult, learn_procedures

CONSOLIDATE_AUTHOR = "consolidate"
Json = dict[str, Any]


class WrittenChanges(Struct, frozen=True):
    """What was written: the files, and the changes by which it can be undone."""

    paths: tuple[str, ...] = ()
    changes: tuple[str, ...] = ()


def apply_consolidation(context: WriteContext, plan: ConsolidationPlan, history: LedgerHistory) -> WrittenChanges:
    """Write what was planned. Every step may be repeated: what a stopped run wrote is found by its id and left.

    That the captures are consolidated is said last.
    """
    done = write_plan(context, plan, history, CONSOLIDATE_AUTHOR)
    Journal(context.root, context.device).append({"ts": context.now, **_run_ledger_entry(plan)}, "ledger")
    return done


def write_plan(context: WriteContext, plan: ConsolidationPlan, history: LedgerHistory, author: str) -> WrittenChanges:
    """Write the lines of a plan, which `author` made: origins to the ledger before the lines they are about."""
    lines = {planned_line.draft.id: _render_planned_line(planned_line) for planned_line in plan.lines}
    told = [{"ts": context.now, **line, "by": author} for line in _plan_ledger_entries(plan, lines, history)]
    Journal(context.root, context.device).append_all(told, "ledger")
    written = [_edit_file(context, edits, history) for edits in _collect_file_edits(context.now[:10], plan, lines)]
    written += [_write_episode(context, episode) for episode in plan.episodes]
    done = [(path, change) for path, change in written if change]
    return WrittenChanges(tuple(path for path, _change in done), tuple(change for _path, change in done))


def _edit_file(context: WriteContext, edits: FileEdits, history: LedgerHistory) -> tuple[str, str]:
    """Do what is to be done to one file, in one change: its path and the id of the change, empty if nothing was."""
    written = update_file(
        context.root, edits.path, lambda data: apply_file_edits(data, edits, history.is_unchanged), now=context.now
    )
    return edits.path, written.change_id


def _write_episode(context: WriteContext, episode: Episode) -> tuple[str, str]:
    """Write an episode once; a file of that name is the same interaction, and perhaps a person's by now."""
    return episode.path, update_file(
        context.root, episode.path, lambda data: data or episode.data, now=context.now
    ).change_id


def _render_planned_line(planned_line: PlannedLine) -> RenderedLine:
    line = render_claim_line(planned_line.draft, planned_line.home)
    return (
        strike_line(line, planned_line.home, f"{planned_line.draft.valid_from}..{planned_line.draft.valid_to}")
        if planned_line.is_over
        else line
    )


# the files


def _collect_file_edits(day: str, plan: ConsolidationPlan, lines_by_id: dict[str, RenderedLine]) -> list[FileEdits]:
    """What is to be done, file by file; the queue comes last, so that nothing is off it before it stands elsewhere."""
    sheets: dict[str, FileEdits] = {}
    for planned_line in plan.lines:
        edits = _edits_for_path(sheets, planned_line.home.path, day)
        heading = (
            HISTORY_HEADING if planned_line.is_over and not planned_line.home.is_log else planned_line.home.heading
        )
        edits.added.append(AddedLine(heading, planned_line.draft.id, lines_by_id[planned_line.draft.id].markdown))
        for other in planned_line.replaces:
            if other.path:
                _edits_for_path(sheets, other.path, day).validity_by_id[other.id] = validity_interval(
                    other, planned_line.draft.time
                )
    for late in plan.late_supersessions:
        _edits_for_path(sheets, late.newer.path, day).superseded_by_id[late.newer.id] = late.ids
    return [*sheets.values(), *_queue_edits(plan)]


def _edits_for_path(edits_by_path: dict[str, FileEdits], path: str, day: str) -> FileEdits:
    return edits_by_path.setdefault(path, FileEdits(path, new_file_header(path, day)))


def _queue_edits(plan: ConsolidationPlan) -> Iterator[FileEdits]:
    if plan.pending or plan.settled:
        added = [
            AddedLine(file_edits.HEADING_BY_REASON[item.reason], item.id, file_edits.render_queue_line(item))
            for item in plan.pending
        ]
        taken = {item.id: item.record.text for item in plan.settled if item.record}
        yield FileEdits(file_edits.QUEUE_PATH, file_edits.QUEUE_HEADER.encode(), added, removed_text_by_id=taken)


def validity_interval(stated_value: StatedValue, end: str) -> str:
    """The time for which a statement held, both days included."""
    start = stated_value.valid_from or stated_value.time
    return f"{min(start, end)[:10]}..{end[:10]}"


# the ledger


def _plan_ledger_entries(
    plan: ConsolidationPlan, lines_by_id: dict[str, RenderedLine], history: LedgerHistory
) -> Iterator[Json]:
    """What the ledger is to know and does not: whose each line is and how far it is trusted, what it states, what
    was said again, what replaces what."""
    for planned_line in plan.lines:
        yield from _line_ledger_entries(planned_line, lines_by_id[planned_line.draft.id].record, history)
    for episode in plan.episodes:
        for record in episode.records:
            yield from _origin_ledger_entries(history, record.id, record.text, (episode.record_trust(record), "agent"))
    for item in plan.pending:
        yield from _item_ledger_entries(item, history)
    for skipped in plan.skipped:
        known = history.repeated_captures.get(skipped.duplicate_of, {})
        new = [source for source in skipped.draft.sources if source not in known]
        if skipped.duplicate_of and new:
            yield {"op": REPEATED_OP, "record": skipped.duplicate_of, "captures": new}


def _line_ledger_entries(planned_line: PlannedLine, record: Record, history: LedgerHistory) -> Iterator[Json]:
    draft = planned_line.draft
    yield from _origin_ledger_entries(history, record.id, record.text, (draft.trust, draft.actor))
    for other in planned_line.replaces:
        if other.path:
            yield from _origin_ledger_entries(
                history, other.id, f"{STRIKETHROUGH}{other.text}{STRIKETHROUGH}", (other.trust, draft.actor)
            )
    if draft.id in history.statement_by_record:
        return
    yield {"op": STATED_OP, **structs.asdict(planned_line.states or statement_from_draft(draft))}
    if draft.supersedes:
        yield {"op": "superseded", "record": draft.id, "records": list(draft.supersedes)}


def _item_ledger_entries(item: ReviewItem, history: LedgerHistory) -> Iterator[Json]:
    record = parse_document(file_edits.QUEUE_PATH, file_edits.render_queue_line(item).encode()).records[0]
    yield from _origin_ledger_entries(history, record.id, record.text, (item.trust, "agent"))
    if item.states and item.id not in history.statement_by_record:
        yield {"op": STATED_OP, **structs.asdict(item.states)}


def _origin_ledger_entries(
    history: LedgerHistory, record_id: str, text: str, attribution: tuple[Trust, Actor]
) -> Iterator[Json]:
    """The ledger line about a line that the system writes, unless the ledger has it."""
    digest = text_key(text)
    if digest not in history.digests_by_record.get(record_id, ()):
        yield {"op": "origin", "record": record_id, "digest": digest, "trust": attribution[0], "actor": attribution[1]}


def _run_ledger_entry(plan: ConsolidationPlan) -> Json:
    """What the run did, by ids and counts; with it the captures are done."""
    return {
        "op": CONSOLIDATED_OP,
        "captures": [capture.id for interaction in plan.interactions for capture in interaction.captures],
        "kept": [planned_line.draft.id for planned_line in plan.lines],
        "pending": [item.id for item in plan.pending],
        "episodes": len(plan.episodes),
        "skipped": Counter(skipped.reason for skipped in plan.skipped),
        "by": CONSOLIDATE_AUTHOR,
    }


MIN_BATCH_INTERACTIONS = 100  # interactions that are planned and written together, before the index sees them
CONSOLIDATE_LOCK = "consolidate"
TAG_VOCABULARY_PATH = "memory/tags.yaml"
RECENT_MINUTES = 30 * 24 * 60  # minutes: what was said in them is taken to be newer than a line without a date


class ConsolidateOptions(Struct, frozen=True):
    """What is wanted: whether to write, which interactions are over (`ended_before`, an ISO minute), the owner's
    name."""

    write: bool = False
    ended_before: str = ""
    owner: str = DEFAULT_OWNER


class ConsolidationRun(Struct, frozen=True):
    """What a run did, or would do: its plans in order, what was written, and what it learned of how things are done."""

    plans: tuple[ConsolidationPlan, ...] = ()
    writes: tuple[WrittenChanges, ...] = ()
    learned: LearningResult = LearningResult()

    @property
    def skipped(self) -> dict[str, int]:
        """Why claims were not kept, and how many for each reason."""
        counts = Counter(one.why for plan in self.plans for one in plan.skipped)
        return dict(sorted(counts.items(), key=lambda pair: (-pair[1], pair[0])))


def run_consolidation(
    context: WriteContext, open_index: Callable[[], Index], options: ConsolidateOptions
) -> ConsolidationRun:
    """Consolidate what was captured. `open_index` gives the index as it is after what was written last. Raises
    LockBusy."""
    with files.hold_workspace_lock(context.root, CONSOLIDATE_LOCK):
        journal = Journal(context.root, context.device)
        history = LedgerHistory(journal)
        found = read_interactions(journal, history.consolidated, ended_before=options.ended_before)
        learned = _learn_procedures(
            context, journal, found, options
        )  # first: a session that is done is not looked at again
        plans: list[ConsolidationPlan] = []
        written: list[WrittenChanges] = []
        for some in _growing_batches(found) if options.write else filter(None, (found,)):
            plans.append(plan_consolidation(some, _build_planning_context(context, open_index(), history, options)))
            if options.write:
                written.append(apply_consolidation(context, plans[-1], history))
                history.catch_up()
        return ConsolidationRun(tuple(plans), tuple(written), learned)


def _learn_procedures(
    context: WriteContext, journal: Journal, interactions: Sequence[Interaction], options: ConsolidateOptions
) -> LearningResult:
    """What the sessions in which tools ran teach of how things are done."""
    sessions = {
        one.session for one in interactions if any(capture.type == "tool_result" for capture in one.captures)
    } - {""}
    if not sessions:
        return LearningResult()
    return learn_procedures(
        context.root, journal, read_session_captures(journal, sessions), context.now, apply=options.write
    )


def _growing_batches(interactions: Sequence[Interaction]) -> Iterator[Sequence[Interaction]]:
    """Each as large as all before it, so that what a batch costs by itself (a look at every file) does not add up."""
    start = 0
    while start < len(interactions):
        size = max(MIN_BATCH_INTERACTIONS, start)
        yield interactions[start : start + size]
        start += size


def _build_planning_context(
    context: WriteContext, index: Index, history: LedgerHistory, options: ConsolidateOptions
) -> PlanningContext:
    return PlanningContext(
        existing=ExistingRecords(index, history),
        history=history,
        recent_packs=read_recent_packs(context.root, index, workspace_key(context.root)).with_tombstones(
            history.tombstones
        ),
        tag_vocabulary=read_tag_vocabulary(context.root),
        queued_items=file_edits.parse_queue(files.read_file_if_exists(context.root, file_edits.QUEUE_PATH) or b""),
        owner=options.owner,
        recent_since=minutes_before(context.now, RECENT_MINUTES),
    )


def minutes_before(now: str, minutes: int) -> str:
    """The ISO minute so many before another; empty, which is before all, where the calendar has none."""
    try:
        return (datetime.fromisoformat(now) - timedelta(minutes=minutes)).isoformat(timespec="minutes")
    except OverflowError:
        return ""


def read_tag_vocabulary(root: str) -> frozenset[str]:
    """The frozen tags of `memory/tags.yaml`: every word in it, comments aside, that is a list's item or name."""
    data = files.read_file_if_exists(root, TAG_VOCABULARY_PATH) or b""
    said = (line.partition("#")[0] for line in data.decode("utf-8", "replace").split("\n"))
    words = " ".join(said).translate(dict.fromkeys(map(ord, ",[]{}"), " ")).split()
    return frozenset(word.strip("-:'\"").casefold() for word in words) - {""}
