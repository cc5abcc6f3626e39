"""The command `forget`."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from commonplace.cli.options import add_request_options, open_memory, parameter_help, read_request, require_person
from commonplace.cli.render import TerminalStyle, pluralize, record_line
from commonplace.cli.streams import print_answer
from commonplace.operations.parameters import ForgetRequest

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Iterator

    from commonplace.upkeep.forget import ForgetResult
REASON_WORDS = {"named": "", "source": "its source: ", "derived": "made of it: ", "repeats": "repeats it: "}


def forget_arguments(parser: ArgumentParser) -> None:
    """Arguments of `forget`."""
    told = parameter_help(ForgetRequest, "references")
    parser.add_argument("words", nargs="*", metavar="REFERENCE", help=told)
    add_request_options(parser, ForgetRequest)


def forget_run(options: Namespace) -> int:
    """Print what would be forgotten, or forget it."""
    if options.apply:
        require_person("what is forgotten")
    with open_memory(options) as memory:
        result = memory.forget(read_request(options, ForgetRequest, references=tuple(options.words)))
        style = TerminalStyle(memory.environment)
        messages = (*_summary(result), *memory.notes)
    lines = (REASON_WORDS[one.reason] + record_line(one.record, style) for one in result.selected)
    return print_answer(options, "forgotten", result, lines, messages=messages)


def _summary(result: ForgetResult) -> Iterator[str]:
    """What is, or would be, forgotten, by reason."""
    counts = Counter(one.reason for one in result.selected)
    what = ", ".join(f"{count} {reason}" for reason, count in counts.items()) or "nothing"
    total = pluralize(len(result.selected), "record")
    if result.is_applied:
        yield f"hidden: {total} ({what}); undo with `commonplace undo {result.id}`"
    else:
        yield f"would be forgotten: {total} ({what}); use --apply to hide them"
