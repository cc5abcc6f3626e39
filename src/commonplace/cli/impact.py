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

    from commonplace.memory import CorrectionResult
    from commonplace.retrieval.pack import Impact, PackImpact, ReceiptReplay

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
        if options.notify is not None:
            correction = memory.correct(options.reference, options.notify)
            told = [sanitize_line(session) for session in correction.sessions]
            summary = _correction_summary(correction)
            return print_answer(options, "correction", correction, told, messages=(*memory.notes, summary))
        impact = memory.impact(options.reference)
        lines = _impact_lines(impact, TerminalStyle(memory.environment))
        messages = (*map(problem_line, impact.problems), *memory.notes, *_impact_totals(impact))
        return print_answer(options, "impact", impact, lines, messages=messages)


def _correction_summary(correction: CorrectionResult) -> str:
    number, masked = pluralize(len(correction.sessions), "session"), ", ".join(correction.redacted)
    masked = f"; masked: {masked}" if masked else ""
    return f"{correction.capture_id} tells {number} with the next automatic pack, until {correction.expires}{masked}"


def _impact_lines(impact: Impact, style: TerminalStyle) -> Iterator[str]:
    yield from (record_line(record, style) for record in impact.records)
    if not impact.records:
        yield f"{sanitize_line(impact.reference)} (no longer there)"
    if impact.packs:
        yield style.bold("packs")
    for pack in impact.packs:
        yield from _pack_lines(pack)
    if impact.sessions:
        yield style.bold("sessions")
    for session in impact.sessions:
        when = session.first if session.first == session.last else f"{session.first} to {session.last}"
        yield f"  {sanitize_line(session.session)}  {pluralize(session.packs, 'pack')}, {when}"
    if impact.derived:
        yield style.bold("made of it")
    for line in impact.derived:
        yield f"  {record_line(line.record, style)}" + (f"  (in {line.steps} steps)" if line.steps > 1 else "")
    if impact.events:
        yield style.bold("ledger")
    yield from (f"  {event.ts}  {event.op}  {event.id}" for event in impact.events)


def _pack_lines(pack: PackImpact) -> Iterator[str]:
    """A pack, and each line by which the record was in it."""
    session = f", session {sanitize_line(pack.session)}" if pack.session else ""
    yield f"  {pack.ts}  {pack.receipt_id}  {PACK_MODES[pack.automatic]}{session}"
    for line in pack.lines:
        form = f"{line.reason}, {line.tokens} tokens" if line.reason else "the receipt is gone"
        yield f"    {sanitize_line(line.citation or line.record_id)}  {line.record_id}  {form}{ROLES[line.role]}"


def _impact_totals(impact: Impact) -> Iterator[str]:
    totals = [f"in {pluralize(len(impact.packs), 'pack')} of {pluralize(len(impact.sessions), 'known session')}"]
    totals += [f"left out of {impact.left_out} others"] if impact.left_out else []
    totals += [f"{pluralize(len(impact.derived), 'line')} made of it"] if impact.derived else []
    yield "; ".join(totals)


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
