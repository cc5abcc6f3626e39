"""The commands `impact`, for what a record or capture took part in, and `receipts`, to make a pack again."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterator

from commonplace.cli.diagnose import receipts_diff_lines
from commonplace.cli.options import argument_table, open_memory
from commonplace.cli.render import TerminalStyle, pluralize, problem_line, record_line
from commonplace.cli.streams import EXIT_FINDINGS, print_answer
from commonplace.language.text import sanitize_line
from commonplace.retrieval import pack

PACK_MODES = {True: "automatic", False: "asked for", None: "mode unknown"}
ROLES = {"named": "", "source": ", a source of it", "derived": ", made of it"}


impact_arguments = argument_table("""
reference:ID  $ShowRequest.reference
--notify TEXT  Tell the sessions that read it what is right: $CorrectionRequest.text
""")


def impact_run(options: Namespace) -> int:
    """Print what a record or capture took part in."""
    with open_memory(options) as memory:
        if options.notify is None:
            impact = memory.impact(options.reference)
            lines = _impact_lines(impact, TerminalStyle(memory.environment))
            messages = (*map(problem_line, impact.problems), *memory.notes, _impact_totals(impact))
            return print_answer(options, "impact", impact, lines, messages=messages)
        correction = memory.correct(options.reference, options.notify)
        number, masked = pluralize(len(correction.sessions), "session"), ", ".join(correction.redacted)
        summary = f"{correction.capture_id} tells {number} with the next automatic pack, until {correction.expires}"
        messages = (*memory.notes, f"{summary}; masked: {masked}" if masked else summary)
        return print_answer(
            options, "correction", correction, map(sanitize_line, correction.sessions), messages=messages
        )


def _impact_lines(impact: pack.Impact, style: TerminalStyle) -> Iterator[str]:
    yield from (record_line(record, style) for record in impact.records)
    if not impact.records:
        yield f"{sanitize_line(impact.reference)} (no longer there)"
    parts: dict[str, list[str]] = {"packs": [], "sessions": [], "made of it": [], "ledger": []}
    for one in impact.packs:
        session = f", session {sanitize_line(one.session)}" if one.session else ""
        parts["packs"].append(f"{one.ts}  {one.receipt_id}  {PACK_MODES[one.automatic]}{session}")
        for packed in one.lines:
            form = f"{packed.reason}, {packed.tokens} tokens" if packed.reason else "the receipt is gone"
            citation = sanitize_line(packed.citation or packed.record_id)
            parts["packs"].append(f"  {citation}  {packed.record_id}  {form}{ROLES[packed.role]}")
    for reader in impact.sessions:
        when = reader.first if reader.first == reader.last else f"{reader.first} to {reader.last}"
        parts["sessions"].append(f"{sanitize_line(reader.session)}  {pluralize(reader.packs, 'pack')}, {when}")
    for line in impact.derived:
        steps = f"  (in {line.steps} steps)" if line.steps > 1 else ""
        parts["made of it"].append(f"{record_line(line.record, style)}{steps}")
    parts["ledger"] = [f"{event.ts}  {event.op}  {event.id}" for event in impact.events]
    for title, rows in parts.items():
        yield from (style.bold(title), *(f"  {row}" for row in rows)) if rows else ()


def _impact_totals(impact: pack.Impact) -> str:
    totals = [f"in {pluralize(len(impact.packs), 'pack')} of {pluralize(len(impact.sessions), 'known session')}"]
    totals += [f"left out of {impact.left_out} others"] if impact.left_out else []
    totals += [f"{pluralize(len(impact.derived), 'line')} made of it"] if impact.derived else []
    return "; ".join(totals)


receipts_arguments = argument_table("""
action={replay}  The action.
[receipt=last]  $ReplayRequest.receipt
[words=QUESTION...]  $ReplayRequest.question
""")


def receipts_run(options: Namespace) -> int:
    """Make a pack again, and say whether it is the same."""
    with open_memory(options) as memory:
        replay = memory.replay(options.receipt, " ".join(options.words))
        print_answer(options, "replay", replay, _replay_lines(replay), messages=memory.notes)
    return 0 if replay.same_pack else EXIT_FINDINGS


def _replay_lines(replay: pack.ReceiptReplay) -> Iterator[str]:
    receipt, inside = replay.comparison.before, replay.comparison.unchanged
    files = "same files" if replay.same_files else "other files or settings"
    answer = "same pack" if replay.same_pack else "another pack"
    yield f"{files}, {answer}: {receipt.id} of {receipt.ts}, {pluralize(inside, 'line')} unchanged"
    yield from (f"  {cause.kind}: {sanitize_line(f'{cause.subject} {cause.outcome}')}" for cause in replay.causes)
    if replay.comparison.differences:
        yield from receipts_diff_lines(replay.comparison)
    if replay.left_out_differ:
        yield f"{pluralize(replay.left_out_differ, 'candidate')} in neither pack differ in score or outcome"
