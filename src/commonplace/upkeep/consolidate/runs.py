"""A run of consolidation, which may be interrupted: plan interactions, write the ledger, the Markdown, then the end."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime, timedelta
from functools import partial

from msgspec import Struct, structs

from commonplace.capture import SUPPORTED_OP, WriteContext, text_key, workspace_key
from commonplace.index import Index
from commonplace.model import Actor, Query, Trust
from commonplace.shapes import Json
from commonplace.storage import files
from commonplace.storage.journal import Journal
from commonplace.storage.tombstones import read_tombstones
from commonplace.storage.workspace import HISTORY_HEADING, QUEUE_PATH, parse_document, update_file
from commonplace.truth import Vocabulary
from commonplace.upkeep.consolidate import file_edits, log_lines, orders, planning
from commonplace.upkeep.consolidate.claim_record import DEFAULT_OWNER, words_key
from commonplace.upkeep.consolidate.duplicates import BlockedTexts
from commonplace.upkeep.consolidate.episodes import read_written_paths
from commonplace.upkeep.consolidate.existing_records import ExistingRecords
from commonplace.upkeep.consolidate.history import (
    CONSOLIDATED_OP,
    STATED_OP,
    Interaction,
    LedgerHistory,
    read_interactions,
    read_learnable_captures,
    read_recent_packs,
)
from commonplace.upkeep.consolidate.model_steps import ModelSteps, StepModel
from commonplace.upkeep.skills import LearningResult, learn_procedures

CONSOLIDATE_AUTHOR = "consolidate"


def write_plan(
    context: WriteContext, plan: planning.ConsolidationPlan, history: LedgerHistory, author: str
) -> tuple[str, ...]:
    """Write the lines of a plan made by `author`; return the ids of the changes. Every step may be repeated: what an
    interrupted run wrote is found by its id and left. The ledger comes before the lines that its entries are about, and
    the queue last, so that nothing is off it before it is written elsewhere."""
    rendered = {claim.id: file_edits.render_claim_line(claim) for claim in plan.lines}
    late = [{"op": "superseded", "record": one.id, "records": list(one.supersedes)} for one in plan.late_supersessions]
    entries = [*_ledger_entries(plan, rendered, history), *late]
    stamped = [{"ts": context.now, **entry, "by": author} for entry in entries]
    Journal(context.root, context.device).append_all(stamped, "ledger")
    steps: list[tuple[str, Callable[[bytes], bytes]]] = [
        (edits.path, partial(file_edits.apply_file_edits, edits=edits, is_unchanged=history.is_unchanged))
        for edits in _collect_file_edits(context.now[:10], plan, rendered)
    ]
    # An episode that is there is about the same interaction, and perhaps edited by a person.
    steps += [(one.path, partial(lambda new, data: data or new, one.data)) for one in plan.episodes]
    moment = {"now": context.now, "act": context.act}
    changes = [update_file(context.root, path, edit, **moment).change_id for path, edit in steps]
    return tuple(filter(None, changes))


def _collect_file_edits(
    day: str, plan: planning.ConsolidationPlan, rendered: dict[str, file_edits.RenderedLine]
) -> list[file_edits.FileEdits]:
    """The edits of each file, those of the queue last."""
    by_path: dict[str, file_edits.FileEdits] = {}

    def edits_of(path: str) -> file_edits.FileEdits:
        return by_path.setdefault(path, file_edits.FileEdits(path, file_edits.new_file_header(path, day)))

    for claim in plan.lines:
        home = claim.destination
        heading = HISTORY_HEADING if claim.is_over and not home.is_log else home.heading
        edits_of(home.path).added.append(file_edits.AddedLine(heading, claim.id, rendered[claim.id].markdown))
        for other in claim.replaces:
            if other.path:
                end = (claim.valid_from or claim.time)[:10]
                edits_of(other.path).validity_by_id[other.id] = f"{min(other.valid_from[:10], end)}..{end}"
    for late in plan.late_supersessions:
        edits_of(late.path).superseded_by_id[late.id] = late.supersedes
        edits_of(late.path).start_by_id[late.id] = late.time[:10]
    edits = list(by_path.values())
    if plan.pending or plan.settled:
        queue = file_edits.FileEdits(QUEUE_PATH, file_edits.QUEUE_HEADER.encode())
        for item in plan.pending:
            heading, line = file_edits.HEADING_BY_REASON[item.reason], file_edits.render_queue_line(item)
            queue.added.append(file_edits.AddedLine(heading, item.id, line))
        queue.removed_text_by_id |= {item.id: item.record.text for item in plan.settled if item.record}
        edits.append(queue)
    return edits


def _ledger_entries(
    plan: planning.ConsolidationPlan, rendered: dict[str, file_edits.RenderedLine], history: LedgerHistory
) -> Iterator[Json]:
    """The entries that the ledger lacks: the origin and statement of each line, repetitions, what replaces what."""
    for claim in plan.lines:
        line = rendered[claim.id].record
        yield from _origin_entries(history, line.id, line.text, trust=claim.trust, actor=claim.actor)
        for other in claim.replaces:
            if other.path:
                struck = f"{file_edits.STRIKETHROUGH}{other.line_text}{file_edits.STRIKETHROUGH}"
                yield from _origin_entries(history, other.id, struck, trust=other.trust, actor=claim.actor)
        if claim.id not in history.statement_by_record:
            yield {"op": STATED_OP, **structs.asdict(claim.ledger_statement)}
            if claim.supersedes:
                yield {"op": "superseded", "record": claim.id, "records": list(claim.supersedes)}
    for episode in plan.episodes:
        for record in episode.records:
            # The trust of the summary is the least of its sentences.
            trust = episode.trust if record.form == "summary" else record.trust
            yield from _origin_entries(history, record.id, record.text, trust=trust)
    for item in plan.pending:
        record = parse_document(QUEUE_PATH, file_edits.render_queue_line(item).encode()).records[0]
        yield from _origin_entries(history, record.id, record.text, trust=item.trust)
        if item.states and item.id not in history.statement_by_record:
            yield {"op": STATED_OP, **structs.asdict(item.states)}
    gathered = [(claim.id, claim.gathered) for claim in plan.lines]
    for record_id, sources in [*gathered, *((skipped.duplicate_of, skipped.sources) for skipped in plan.skipped)]:
        repeated = history.repeated_captures.get(record_id, {})
        new = [source for source in sources if source not in repeated]
        if record_id and new:
            yield {"op": SUPPORTED_OP, "record": record_id, "sources": new}


def _origin_entries(
    history: LedgerHistory, record_id: str, text: str, *, trust: Trust, actor: Actor = "agent"
) -> Iterator[Json]:
    """The entry about the origin of a line that the system writes, unless the ledger has it."""
    digest = text_key(text)
    if digest not in history.digests_by_record.get(record_id, ()):
        yield {"op": "origin", "record": record_id, "digest": digest, "trust": trust, "actor": actor}


MIN_BATCH_INTERACTIONS = 100  # interactions that are planned and written together, before the index sees them
CONSOLIDATE_LOCK = "consolidate"
NEAR_TO_EACH = 3  # known lines that are near to each turn of an order
TAG_VOCABULARY_PATH = "memory/tags.yaml"
MAX_CORE_LINES, CORE_HEADER_LINES, CORE_HEADING_LINES = 60, 6, 3
RECENT_MINUTES = 30 * 24 * 60  # what was said in these minutes counts as newer than a line without a date


class ConsolidateOptions(Struct, frozen=True):
    """Whether to write, the ISO minute before which interactions must have ended, the owner's name, names and keys, and
    the model that is asked; with the id of an `order` only its interaction is consolidated."""

    write: bool = False
    ended_before: str = ""
    owner: str = DEFAULT_OWNER
    vocabulary: Vocabulary = Vocabulary()
    model: StepModel | None = None
    order: str = ""


class ConsolidationRun(Struct, frozen=True):
    """The plans of a run, the ids of its changes, the procedures that were learned, and notes on a model's failures."""

    plans: tuple[planning.ConsolidationPlan, ...] = ()
    changes: tuple[str, ...] = ()
    learned: LearningResult = LearningResult()
    notes: tuple[str, ...] = ()

    @property
    def skipped(self) -> dict[str, int]:
        """The reasons for which claims were skipped, in sentences, and the number of claims for each."""
        counts = Counter(planning.SKIP_REASON_SENTENCES[claim.reason] for plan in self.plans for claim in plan.skipped)
        return dict(sorted(counts.items(), key=lambda pair: (-pair[1], pair[0])))


def run_consolidation(
    context: WriteContext, open_index: Callable[[], Index], options: ConsolidateOptions
) -> ConsolidationRun:
    """Consolidate what was captured. `open_index` returns the index with all that was written. Raises LockBusy."""
    with files.hold_workspace_lock(context.root, CONSOLIDATE_LOCK):
        journal = Journal(context.root, context.device)
        history = LedgerHistory(journal)
        done = history.consolidated | history.hidden_ids
        interactions = read_interactions(journal, done, ended_before=options.ended_before)
        interactions = (orders.find_ordered(interactions, options.order),) if options.order else interactions
        steps = ModelSteps(options.model, options.owner, options.vocabulary) if options.model else None
        # Procedures come first: a session that is consolidated is not looked at again.
        with_tools = (one for one in interactions if any(capture.type == "tool_result" for capture in one.captures))
        learned = LearningResult()
        if sessions := {one.session for one in with_tools} - {""}:
            hidden = history.hidden_ids
            talk = read_learnable_captures(journal, lambda fields: fields.get("session") in sessions)
            captures = [one for one in talk if one.id not in hidden]
            learned = learn_procedures(context.root, journal, captures, context.now, apply=options.write)
        plans: list[planning.ConsolidationPlan] = []
        changes: list[str] = []
        for batch in _growing_batches(interactions) if options.write else filter(None, (interactions,)):
            planning_context = _build_planning_context(context, open_index(), history, options)
            plan = planning.plan_consolidation(batch, structs.replace(planning_context, steps=steps))
            plans.append(plan)
            if options.write:
                changes += _finish_plan(context, plan, history)
        index = open_index()
        if logs := log_lines.find_unread_logs(index, history):
            planning_context = _build_planning_context(context, index, history, options)
            plan, read = log_lines.plan_log_lines(logs, index, context, planning_context)
            plans += [plan] if plan.pending or plan.skipped or plan.settled else []
            if options.write and read:
                changes += _finish_plan(context, plan, history, read)
        return ConsolidationRun(tuple(plans), tuple(changes), learned, tuple(steps.notes) if steps else ())


def _finish_plan(
    context: WriteContext, plan: planning.ConsolidationPlan, history: LedgerHistory, read_logs: tuple[str, ...] = ()
) -> tuple[str, ...]:
    """Write a plan, and then the entry with which its captures and logs are done; before it a run begins again."""
    changes = write_plan(context, plan, history, CONSOLIDATE_AUTHOR)
    done: Json = {
        "op": CONSOLIDATED_OP,
        "captures": [capture.id for interaction in plan.interactions for capture in interaction.captures],
        "logs": list(read_logs),
        "kept": [claim.id for claim in plan.lines],
        "pending": [item.id for item in plan.pending],
        "episodes": len(plan.episodes),
        "skipped": Counter(claim.reason for claim in plan.skipped),
        "by": CONSOLIDATE_AUTHOR,
    }
    for one in plan.steps:  # the digests of the words of its lines, but no text
        lines = {name: list(map(words_key, getattr(one, name))) for name in ("result", "rules", "refused")}
        receipt = {"step": one.step, "session": one.session, "model": one.model, **lines}
        done.setdefault("steps", []).append(receipt)
    Journal(context.root, context.device).append({"ts": context.now, **done}, "ledger")
    history.catch_up()
    return changes


def open_order(
    context: WriteContext, open_index: Callable[[], Index], session: str, options: ConsolidateOptions
) -> orders.WorkOrder:
    """The order for the oldest interaction, of a session if that is named, that is not consolidated; else empty."""
    journal = Journal(context.root, context.device)
    history = LedgerHistory(journal)
    done = history.consolidated | history.hidden_ids
    interactions = read_interactions(journal, done, ended_before=options.ended_before)
    order, interaction = orders.make_order(interactions, session, options.owner)
    if interaction is None:
        return order
    existing = ExistingRecords(open_index(), history, options.vocabulary)
    query = Query(
        text="", now=context.now, k=NEAR_TO_EACH, scope=interaction.scope, evidence="none", trust=("trusted", "unknown")
    )
    known = existing.find_near_lines([turn.text for turn in order.turns], query, orders.MAX_KNOWN_LINES)
    return structs.replace(order, known_lines=tuple(orders.KnownLine(one.id, one.text) for one in known))


def _growing_batches(interactions: Sequence[Interaction]) -> Iterator[Sequence[Interaction]]:
    """Batches, each as large as all before it, so that the fixed cost of a batch (it reads all files) is rare."""
    start = 0
    while start < len(interactions):
        size = max(MIN_BATCH_INTERACTIONS, start)
        yield interactions[start : start + size]
        start += size


def _build_planning_context(
    context: WriteContext, index: Index, history: LedgerHistory, options: ConsolidateOptions
) -> planning.PlanningContext:
    root, key = context.root, workspace_key(context.root)
    core = files.read_file_if_exists(root, file_edits.CORE_PATH) or b""
    has_heading = f"\n## {file_edits.CORE_DESTINATION.heading}\n".encode() in core
    core_lines = max(core.count(b"\n"), CORE_HEADER_LINES) + (0 if has_heading else CORE_HEADING_LINES)
    queue_data = files.read_file_if_exists(root, QUEUE_PATH) or b""
    return planning.PlanningContext(
        existing=ExistingRecords(index, history, options.vocabulary),
        history=history,
        blocked=BlockedTexts(read_recent_packs(root, index, key), read_tombstones(root), key),
        tag_vocabulary=read_tag_vocabulary(root),
        queued_items=tuple(one for one in file_edits.parse_queue(queue_data) if not one.asks_to_forget),
        owner=options.owner,
        recent_since=minutes_before(context.now, RECENT_MINUTES),
        root=root,
        core_room=MAX_CORE_LINES - core_lines,
        episode_paths=read_written_paths(root),
    )


def minutes_before(now: str, minutes: int) -> str:
    """The ISO minute this many minutes earlier; empty, which sorts first, if the calendar ends before that."""
    try:
        return (datetime.fromisoformat(now) - timedelta(minutes=minutes)).isoformat(timespec="minutes")
    except OverflowError:
        return ""


def read_tag_vocabulary(root: str) -> frozenset[str]:
    """The tags of `memory/tags.yaml`: every word in it that is a name or an item of a list, without comments."""
    data = files.read_file_if_exists(root, TAG_VOCABULARY_PATH) or b""
    lines = (line.partition("#")[0] for line in data.decode("utf-8", "replace").split("\n"))
    words = " ".join(lines).translate(dict.fromkeys(map(ord, ",[]{}"), " ")).split()
    return frozenset(word.strip("-:'\"").casefold() for word in words) - {""}
