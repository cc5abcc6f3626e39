"""The commands that add to memory: `init`, `retain`, `log`, `capture`, `ingest` and `import`."""

from __future__ import annotations

import json
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from functools import partial
from typing import Any

from commonplace import capture
from commonplace.cli.options import (
    add_request_options,
    argument_table,
    attribute_to_agent,
    check_folder_name,
    open_memory,
    open_memory_or_daemon,
    parameter_help,
    read_request,
    read_text_argument,
)
from commonplace.cli.render import display_path, pluralize
from commonplace.cli.streams import print_answer, print_lines, print_messages
from commonplace.errors import BadArgument
from commonplace.language.text import sanitize_line
from commonplace.memory import Memory
from commonplace.operations import parameters
from commonplace.storage import files

init_arguments = argument_table("[folder]  The folder; default: --workspace, or the default workspace.")


def init_run(options: Namespace) -> int:
    """Make a workspace."""
    if options.folder == "":
        raise BadArgument("the name of the folder is empty", hint="commonplace init ~/notes")
    folder = options.folder or options.workspace
    check_folder_name(folder or "")
    made = Memory.init(folder)
    message = f"made {', '.join(made.created)}" if made.created else "everything exists already"
    return print_answer(options, "init", made, [display_path(made.root)], messages=[message])


retain_arguments = argument_table("RetainRequest TEXT")
log_arguments = argument_table("LogRequest TEXT")


def _store_sentence(name: str, request: type[parameters.LogRequest], options: Namespace) -> int:
    attribute_to_agent(options)
    with open_memory_or_daemon(options) as memory:
        sentence = read_request(options, request, text=read_text_argument(options))
        return print_retained(getattr(memory, name)(sentence), options)


retain_run = partial(_store_sentence, "retain", parameters.RetainRequest)
log_run = partial(_store_sentence, "log", parameters.LogRequest)


def print_retained(retain_result: capture.RetainResult, options: Namespace) -> int:
    """Print a stored sentence: its id, its location, and notes; returns the exit code."""
    record = retain_result.record
    if record is None:
        messages = ["not stored: the text is marked [NOMEM], or nothing remains of it"]
        return print_answer(options, "kept", retain_result, messages=messages)
    messages = [f"redacted: {', '.join(retain_result.redacted)}"] if retain_result.redacted else []
    if retain_result.rank:
        messages.append(f"found at rank {retain_result.rank} by {retain_result.asked!r}")
    messages += map(describe_met_line, retain_result.met)
    messages += retain_result.notes
    return print_answer(options, "kept", retain_result, [f"{record.id} {record.source.citation}"], messages=messages)


def describe_met_line(met: capture.MetLine) -> str:
    """What a stored line does to a known one, in a sentence."""
    known = f"{met.record.id} {met.record.source.citation}"
    since = f" of {met.record.time[:10]}" if met.record.time else ""
    words = f"{known}{since}: {sanitize_line(met.record.text)}"
    change = f" ({met.old_value} → {met.new_value})" if met.old_value and met.new_value else ""
    choice = f"; decide with `commonplace pending approve {met.pending}` or `reject`" if met.pending else ""
    return f"{EFFECT_VERBS[met.effect]} {words}{change}{choice}"


EFFECT_VERBS: dict[str, str] = {
    "supports": "says the same as",
    "enriches": "says more than",
    "replaces": "replaces",
    "is over": "is older than, and does not replace,",
    "conflicts": "contradicts",
    "follows": "is newer than, and does not end,",
    "precedes": "is older than",
}
MAX_CAPTURE_BYTES = 8 << 20  # of standard input: less than a whole text could end in half a secret


capture_arguments = argument_table("""
CaptureRequest TEXT -sources -keys
--speaker NAME  The name of the speaker.
--tool NAME  The tool that returned the result.
--arguments JSON  The arguments of the tool call, as JSON.
--exit-code N:int  The exit code of the tool.
--duration-ms N:float  The duration of the tool call, in milliseconds.
CaptureRequest +sources +keys
""")


def capture_run(options: Namespace) -> int:
    """Capture one event."""
    attribute_to_agent(options)
    with open_memory_or_daemon(options) as memory:
        text = read_text_argument(options, MAX_CAPTURE_BYTES)
        given = {name: getattr(options, name) for name in ("speaker", "tool", "arguments", "exit_code", "duration_ms")}
        given["arguments"] = _parse_tool_arguments(options.arguments or "")
        detail = {name: value for name, value in given.items() if value not in (None, "")}
        taken = memory.capture(read_request(options, parameters.CaptureRequest, text=text, detail=detail))
    messages = [f"redacted: {', '.join(taken.redacted)}"] if taken.redacted else []
    if not taken.id:
        known = taken.outcome == "known"
        refused = "not captured: the text is marked [NOMEM] or empty, or you are off the record"
        refused = "not captured: it was forgotten" if taken.outcome == "forgotten" else refused
        messages.insert(0, "captured before" if known else refused)
    return print_answer(options, "taken", taken, [taken.id] if taken.id else [], messages=messages)


def _parse_tool_arguments(text: str) -> Any:
    """Arguments as JSON, or as the text that they are."""
    if not text.startswith(("{", "[")):
        return text
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise BadArgument(f"--arguments is not valid JSON: {type(error).__name__}") from None


INGEST_COUNTS = ("captured", "known", "skipped", "blank", "set_aside")


ingest_arguments = argument_table("""
paths=FILE...  Transcript files. `-` reads standard input.
StreamIngestRequest
""")


def ingest_run(options: Namespace) -> int:
    """Capture what files of transcripts hold; bad lines are set aside and change nothing about the exit code."""
    with open_memory(options) as memory:
        for path in options.paths:
            if path != "-":
                with files.open_user_file(path):
                    pass  # a name that is wrong is refused before anything is captured
        done = [(path, _ingest_file(memory, path, options)) for path in options.paths]
    if options.json:
        return print_answer(options, "ingested", done)
    for path, one in done:
        name = sanitize_line(path)
        parts = (f"{getattr(one, part)} {part.replace('_', ' ')}" for part in INGEST_COUNTS)
        masked = f"; redacted: {', '.join(one.redacted)}" if one.redacted else ""
        forgotten = f", {one.forgotten} forgotten" if one.forgotten else ""
        print_lines([f"{name}: {', '.join(parts)}{forgotten}{masked}"])
        print_messages(*(f"{name}: line {it.line}, byte {it.offset}: {it.reason}" for it in one.examples))
        if one.captured and not options.owner:
            print_messages(f"{name}: all of it is untrusted; with --owner NAME, your words in it are yours")
        if one.set_aside:
            print_messages(f"{pluralize(one.set_aside, 'line')} set aside in {one.kept_in}")
    return 0


def _ingest_file(memory: Memory, path: str, options: Namespace) -> capture.IngestResult:
    given: dict[str, Any] = {"name": path, "vouched": False}
    if path == "-":
        return memory.ingest(read_request(options, parameters.StreamIngestRequest, stream=sys.stdin.buffer, **given))
    with files.open_user_file(path) as (stream, identity):
        return memory.ingest(
            read_request(options, parameters.StreamIngestRequest, stream=stream, identity=identity, **given)
        )


def import_arguments(parser: ArgumentParser) -> None:
    """Arguments of `import`."""
    from commonplace.capture.imports.memories import SYSTEMS

    parser.add_argument("path", metavar="PATH", help=parameter_help(parameters.ImportRequest, "path"))
    add_request_options(parser, parameters.ImportRequest, choices={"system": ("auto", *SYSTEMS)})


def import_run(options: Namespace) -> int:
    """Tell what would come in, or let it in; bad rows are set aside and change nothing about the exit code."""
    with open_memory(options) as memory:
        import_result = memory.import_from(read_request(options, parameters.ImportRequest))
    lines, messages = _import_summary(options.path, import_result), _import_messages(options, import_result)
    return print_answer(options, "imported", import_result, lines, messages=messages, path=options.path)


def _import_summary(path: str, import_result: capture.ImportResult) -> list[str]:
    tally, outcome = import_result.tally, import_result.ingest_result
    found, head = sum(tally.kinds.values()), f"{sanitize_line(path)}: {import_result.system}"
    if not found and not outcome.set_aside and not tally.passed_over:
        return [f"{head}: it contains no memories"]
    memories = pluralize(found, "memory").replace("memorys", "memories")
    lines = [f"{head}, {memories}", *_count_lines("kinds", tally.kinds)]
    if tally.kinds:
        undated = f"; {tally.undated} without a date; they get the current time" if tally.undated else ""
        lines.append(f"  dates: {f'{tally.first} to {tally.last}' if tally.first else 'none'}{undated}")
    rest = {"trust": tally.trusts, "of": tally.people, "scope": tally.scopes, "passed over": tally.passed_over}
    lines += [line for name, counts in rest.items() for line in _count_lines(name, counts)]
    if tally.masked:
        lines.append(f"  masked: {', '.join(outcome.redacted)} (in {tally.masked})")
    lines += [f"  e.g. {one.day or 'undated'} {one.kind} ({one.trust}): {one.text}" for one in tally.samples]
    verb = "captured" if import_result.applied else "to capture"
    parts = [f"{outcome.captured} {verb}", f"{outcome.known} known", f"{outcome.skipped} skipped"]
    parts += [f"{outcome.forgotten} forgotten"] if outcome.forgotten else []
    return [*lines, f"  {', '.join([*parts, f'{outcome.set_aside} set aside'])}"]


def _count_lines(name: str, counts: dict[str, int]) -> list[str]:
    told = ", ".join(f"{number} {word}" for word, number in sorted(counts.items(), key=lambda one: (-one[1], one[0])))
    return [f"  {name}: {told}"] if counts else []


def _import_messages(options: Namespace, import_result: capture.ImportResult) -> Iterator[str]:
    for one in import_result.ingest_result.examples:
        where = f"{sanitize_line(one.part)}, " if one.part else ""
        yield f"set aside: {where}line {one.line}: {one.reason}"
    if folder := import_result.ingest_result.kept_in:
        yield f"{pluralize(import_result.ingest_result.set_aside, 'item')} set aside in {folder}"
    if options.owner and not any(name.casefold() == options.owner.casefold() for name in import_result.tally.people):
        named = ", ".join(import_result.tally.people) or "nobody"
        yield f"nothing in it belongs to {sanitize_line(options.owner)}; it names {named}"
    if not import_result.applied and import_result.tally.kinds:
        yield "nothing was written; use --apply to capture it"
        if "trusted" not in import_result.tally.trusts and not options.mine:
            yield "none of it will be trusted; if it is yours, use --mine"
