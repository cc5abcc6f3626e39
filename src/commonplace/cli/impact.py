"""The commands `impact`, for what a record or capture took part in, and `receipts`, to make a pack again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from commonplace.cli.diagnose import receipts_diff_lines
from commonplace.cli.options import open_memory, parameter_help
from commonplace.cli.render import TerminalStyle, pluralize, problem_line, record_line
from commonplace.cli.streams import EXIT_FINDINGS, print_answer
from commonplace.language.text import sanitize_line
from commonplace.operations.parameters import CorrectionRequest, ReplayRequest, ShowRequest

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Iterator

    from commonplace.retrieval.pack import Impact, ReceiptReplay

PACK_MODES = {True: "automatic", False: "asked for", None: "mode unknown"}
ROLES = {"named": "", "source": ", a source of it", "derived": ", made of it"}


def impact_arguments(parser: ArgumentParser) -> None:
    """Arguments of `impact`."""
    parser.add_argument("reference", metavar="ID", help=parameter_help(ShowRequest, "reference"))
    told = parameter_help(CorrectionRequest, "text")
    parser.add_argument("--notify", metavar="TEXT", help=f"Tell the sessions that read it what is right: {told}")


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


def _impact_lines(impact: Impact, style: TerminalStyle) -> Iterator[str]:
    yield from (record_line(record, style) for record in impact.records)
    if not impact.records:
        yield f"{sanitize_line(impact.reference)} (no longer there)"
    parts: dict[str, list[str]] = {"packs": [], "sessions": [], "made of it": [], "ledger": []}
    for pack in impact.packs:
        session = f", session {sanitize_line(pack.session)}" if pack.session else ""
        parts["packs"].append(f"{pack.ts}  {pack.receipt_id}  {PACK_MODES[pack.automatic]}{session}")
        for packed in pack.lines:
            form = f"{packed.reason}, {packed.tokens} tokens" if packed.reason else "the receipt is gone"
            citation = sanitize_line(packed.citation or packed.record_id)
            parts["packs"].append(f"  {citation}  {packed.record_id}  {form}{ROLES[packed.role]}")
    for one in impact.sessions:
        when = one.first if one.first == one.last else f"{one.first} to {one.last}"
        parts["sessions"].append(f"{sanitize_line(one.session)}  {pluralize(one.packs, 'pack')}, {when}")
    for line in impact.derived:
        steps = f"  (in {line.steps} steps)" if line.steps > 1 else ""
        parts["made of it"].append(f"{record_line(line.record, style)}{steps}")
    parts["ledger"] = [f"{event.ts}  {event.op}  {event.id}" for event in impact.events]
    for title, rows in parts.items():
        yield from (style.bold(title), *(f"  {row}" for row in rows)) if rows else ()


def _impact_totals(impact: Impact) -> str:
    totals = [f"in {pluralize(len(impact.packs), 'pack')} of {pluralize(len(impact.sessions), 'known session')}"]
    totals += [f"left out of {impact.left_out} others"] if impact.left_out else []
    totals += [f"{pluralize(len(impact.derived), 'line')} made of it"] if impact.derived else []
    return "; ".join(totals)


def receipts_arguments(parser: ArgumentParser) -> None:
    """Arguments of `receipts`."""
    parser.add_argument("action", choices=("replay",), help="The action.")
    parser.add_argument("receipt", nargs="?", default="last", help=parameter_help(ReplayRequest, "receipt"))
    parser.add_argument("words", nargs="*", metavar="QUESTION", help=parameter_help(ReplayRequest, "question"))


def receipts_run(options: Namespace) -> int:
    """Make a pack again, and say whether it is the same."""
    with open_memory(options) as memory:
        replay = memory.replay(options.receipt, " ".join(options.words))
        print_answer(options, "replay", replay, _replay_lines(replay), messages=memory.notes)
    return 0 if replay.same_pack else EXIT_FINDINGS


def _replay_lines(replay: ReceiptReplay) -> Iterator[str]:
    receipt, inside = replay.comparison.before, replay.comparison.unchanged
    files = "same files" if replay.same_files else "other files or settings"
    answer = "same pack" if replay.same_pack else "another pack"
    yield f"{files}, {answer}: {receipt.id} of {receipt.ts}, {pluralize(inside, 'line')} unchanged"
    yield from (f"  {cause.kind}: {sanitize_line(f'{cause.subject} {cause.outcome}')}" for cause in replay.causes)
    if replay.comparison.differences:
        yield from receipts_diff_lines(replay.comparison)
    if replay.left_out_differ:
        yield f"{pluralize(replay.left_out_differ, 'candidate')} in neither pack differ in score or outcome"
