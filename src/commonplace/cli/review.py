"""The commands for consolidation and review: `consolidate`, `pending`, `undo`, `audit`, `tags` and `learnings`."""

from __future__ import annotations

import sys
from argparse import Namespace
from collections.abc import Iterator
from typing import Any

import msgspec

from commonplace.cli.options import argument_table, open_memory, read_request, require_person
from commonplace.cli.render import TerminalStyle, pluralize, record_line
from commonplace.cli.streams import print_answer, print_json, print_messages
from commonplace.errors import BadArgument, CommonplaceError, LockBusy, WriteConflict
from commonplace.language.text import sanitize_line
from commonplace.memory import Memory
from commonplace.operations.parameters import AuditRequest, ConsolidateRequest
from commonplace.shapes import Json
from commonplace.storage.files import hold_workspace_lock, open_user_file
from commonplace.upkeep import consolidate, review

PROGRAM_LOCK = "consolidate-with-program"
MAX_ANSWER_BYTES = 1_000_000


consolidate_arguments = argument_table("""
ConsolidateRequest -answer
| --order  Print what an agent needs to consolidate the oldest open session itself; `--session` names another one.
| --answer FILE  $ConsolidateRequest.answer
| --ask COMMAND  Let a program, such as the command line of an agent, answer the orders: it reads a prompt and prints
  JSON.
--session SESSION  With `--order` or `--ask`: the session.
""")


def consolidate_run(options: Namespace) -> int:
    """Show, or write, what is worth keeping of what was captured."""
    if options.session and not options.order and options.ask is None:
        raise BadArgument("--session is for --order and --ask")
    answer = _read_answer(options.answer) if options.answer else None
    with open_memory(options) as memory:
        if options.order:
            from commonplace.operations.serializers import answer_json

            return print_json(answer_json("order", memory.order(session=options.session or "")))
        options.apply = options.apply or answer is not None or options.ask is not None
        if options.ask is None:
            run = memory.consolidate(read_request(options, ConsolidateRequest, answer=answer))
        else:
            run = _ask_program(memory, options)
        found = memory.findability(run) if options.apply else ()
        notes = memory.notes
    plans = run.plans
    totals = (
        pluralize(sum(plan.capture_count for plan in plans), "capture"),
        pluralize(sum(len(plan.episodes) for plan in plans), "episode"),
        pluralize(sum(len(plan.lines) for plan in plans), "line"),
        f"{sum(len(plan.pending) for plan in plans)} to review",
        f"{sum(len(plan.skipped) for plan in plans)} skipped",
    )
    messages = [", ".join(totals), *notes, *run.notes, *(one.warning for one in found if one.warning)]
    if plans and not options.apply:
        messages.append("nothing was written; run `commonplace consolidate --apply` to write it")
    more = {"findability": found, "notes": notes, "applied": options.apply}
    return print_answer(options, "consolidated", run, _plan_lines(run), messages=messages, **more)


def _ask_program(memory: Memory, options: Namespace) -> consolidate.ConsolidationRun:
    """Consolidate with a program, unless another process does that; a failure is noted for `doctor`, for often nobody
    watches."""
    from commonplace.bridges.hosts import ConsolidationFailure, note_consolidation

    with hold_workspace_lock(memory.root, PROGRAM_LOCK, 0):
        try:
            run = memory.consolidate_with(options.ask, session=options.session or "")
        except LockBusy:  # another process consolidates
            raise
        except CommonplaceError as error:
            note_consolidation(memory.root, ConsolidationFailure(memory.workspace.resolve_now(None), error.message))
            raise
        note_consolidation(memory.root, None)
        return run


def _read_answer(path: str) -> Json:
    """The JSON object in a file, or on standard input for `-`. Raises BadArgument, NotFound, OutsideWorkspace."""
    if path == "-":
        data = sys.stdin.buffer.read(MAX_ANSWER_BYTES)
    else:
        with open_user_file(path) as (stream, _identity):
            data = stream.read(MAX_ANSWER_BYTES)
    try:
        return msgspec.json.decode(data, type=dict[str, Any])
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise BadArgument(f"{path} is no JSON object: {error}", hint="see commonplace.order-answer.v1") from None


def _plan_lines(run: consolidate.ConsolidationRun) -> Iterator[str]:
    for plan in run.plans:
        for episode in plan.episodes:
            yield f"+ {episode.path}: {sanitize_line(episode.summary)}"
        for claim in plan.lines:
            note = f" (replaces {', '.join(one.id for one in claim.replaces)})" if claim.replaces else ""
            note = f" (until {claim.valid_to})" if claim.is_over else note
            yield f"+ {claim.destination.path}: {sanitize_line(claim.text)}{note}"
        for item in plan.pending:
            yield f"? {sanitize_line(item.text)} ({item.why})"
        for claim in plan.skipped:
            same = f": {claim.duplicate_of}" if claim.duplicate_of else ""
            yield f"- {sanitize_line(claim.text)} ({consolidate.SKIP_REASON_SENTENCES[claim.reason]}{same})"
    yield from (f"+ {path}: procedure" for path in run.learned.pages)
    for path in run.learned.drafts:
        yield f"? {path}: a skill draft; approve it with `commonplace skills approve`"


MAX_CHANGE_LINES = 8  # lines of one change that are shown


pending_arguments = argument_table("""
[deed={list,approve,both,reject,edit}=list]  The action; default: `list`; `both` approves an item and keeps what it
  contradicts.
[words=ID [TEXT]...]  The id of an item; for `edit`, also its new text.
""")


def pending_run(options: Namespace) -> int:
    """List the review queue, or decide about one item."""
    with open_memory(options) as memory:
        if options.deed == "list":
            queue = memory.explain_pending()
            lines = _queue_lines(queue.items, TerminalStyle(memory.environment))
            return print_answer(
                options, "pending", queue, lines, messages=() if queue.items else ["no items are pending"]
            )
        if not options.words:
            raise BadArgument(
                f"`pending {options.deed}` needs the id of an item", hint="`commonplace pending` lists them"
            )
        item_id, words = options.words[0], " ".join(options.words[1:])
        if options.deed != "reject" and any(one.is_held and one.id == item_id for one in memory.pending()):
            require_person("whether an agent's own words are approved")
        if options.deed == "edit":
            decided = memory.edit(item_id, words)
        elif words:
            raise BadArgument(f"`pending {options.deed}` takes one id; `edit` changes the text")
        else:
            is_both = options.deed == "both"
            decided = memory.reject(item_id) if options.deed == "reject" else memory.approve(item_id, both=is_both)
        notes = memory.notes
    messages = (*(f"undo with `commonplace undo {change}`" for change in decided.changes), *notes)
    deed = "approve" if options.deed == "both" else options.deed
    return print_answer(options, "decided", decided, [decided.path or "rejected"], messages=messages, deed=deed)


def _queue_lines(items: tuple[review.ExplainedItem, ...], style: TerminalStyle) -> Iterator[str]:
    for item, evidence in ((one.item, one.evidence) for one in items):
        about = f", {sanitize_line(item.entity)}" if item.entity else ""
        yield f"{item.id}  {item.category}{about}: {sanitize_line(item.text)}"
        yield f"    {sanitize_line(item.why)}"
        yield from (f"    {record_line(record, style)}" for record in evidence)


undo_arguments = argument_table("change  $UndoRequest.change_id")


def undo_run(options: Namespace) -> int:
    """Undo a write."""
    with open_memory(options) as memory:
        try:
            path = memory.undo(options.change)
        except WriteConflict:
            if not options.json:
                print_messages(*memory.difference(options.change))
            raise
        notes = memory.notes
    lines = [path or "nothing was left to undo"]
    return print_answer(options, "undone", path, lines, messages=notes, change=options.change)


audit_arguments = argument_table("AuditRequest")


def audit_run(options: Namespace) -> int:
    """Print what was written lately."""
    with open_memory(options) as memory:
        written = memory.audit(read_request(options, AuditRequest))
        style = TerminalStyle(memory.environment)
    lines = (line for write in written for line in _write_lines(write, style))
    return print_answer(options, "audit", written, lines, messages=() if written else ["nothing was written"])


def _write_lines(write: review.AuditedWrite, style: TerminalStyle) -> Iterator[str]:
    yield style.bold(f"{write.change_id}  {write.ts.replace('T', ' ')}  {sanitize_line(write.path)}")
    about = [", ".join(write.by), ", ".join(write.trust), f"from {', '.join(write.sources)}" if write.sources else ""]
    if any(about):
        yield f"   {' · '.join(filter(None, about))}"
    for sign, text in (("-", write.before), ("+", write.after)):
        lines = [line for line in text.split("\n") if line.strip()]
        yield from (f"   {sign} {sanitize_line(line)}" for line in lines[:MAX_CHANGE_LINES])
        if len(lines) > MAX_CHANGE_LINES:
            yield f"   {sign} … {len(lines) - MAX_CHANGE_LINES} more"


tags_arguments = argument_table("[tag]  A tag; without one, all tags are listed.")


def tags_run(options: Namespace) -> int:
    """Print all tags, or the records with one tag."""
    with open_memory(options) as memory:
        if options.tag:
            records = memory.tagged(options.tag)
            lines = (record_line(record, TerminalStyle(memory.environment)) for record in records)
            return print_answer(options, "timeline", records, lines)
        found = memory.tags()
    lines = (
        f"{one.records:>6}  {sanitize_line(one.name)}  ({', '.join(map(sanitize_line, one.paths[:3]))})"
        for one in found
    )
    return print_answer(options, "tags", found, lines)


learnings_arguments = argument_table("--all  Also list entries that occur only once or twice.")


def learnings_run(options: Namespace) -> int:
    """Print the lessons that repeat."""
    with open_memory(options) as memory:
        found = tuple(one for one in memory.learnings() if options.all or one.is_candidate)
    lines = (f"{one.times:>4}×  {sanitize_line(one.text)} [{one.citations[0]}]" for one in found)
    messages = () if found else ["nothing occurs three times; use `--all` to show everything"]
    return print_answer(options, "learnings", found, lines, messages=messages)
