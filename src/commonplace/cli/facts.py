"""`facts`: what is known of a name on a day, and what is wrong with it."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from commonplace.cli.options import add_request_options, open_memory_or_daemon, parameter_help, read_request
from commonplace.cli.render import TerminalStyle, pluralize, record_line
from commonplace.cli.streams import EXIT_FINDINGS, print_answer
from commonplace.errors import BadArgument
from commonplace.language.text import name_key, sanitize_line
from commonplace.operations.parameters import FactsRequest

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Iterator

    from commonplace.truth import FactFault, SubjectFacts
FACTS_ACTIONS = ("show", "lint")
ENDS = {"": "until", "stated": "until", "replaced": "replaced on", "retracted": "taken back on"}


def facts_arguments(parser: ArgumentParser) -> None:
    """Arguments of `facts`."""
    parser.add_argument("action", choices=FACTS_ACTIONS, help="The action.")
    name_help = f"For `show`: {parameter_help(FactsRequest, 'name')}"
    parser.add_argument("words", nargs="*", metavar="NAME", help=name_help)
    add_request_options(parser, FactsRequest)


def facts_run(options: Namespace) -> int:
    """Print the facts of a name, or the faults of all facts."""
    if (options.action == "show") is not bool(options.words):
        what = "facts about whom?" if options.action == "show" else "`lint` takes no name"
        raise BadArgument(what, hint="commonplace facts show NAME, or commonplace facts lint")
    with open_memory_or_daemon(options) as memory:
        style = TerminalStyle(memory.environment)
        if options.action == "lint":
            faults = memory.facts_lint()
            lines = (line for fault in faults for line in _fault_lines(fault, style))
            print_answer(options, "facts-lint", faults, lines, messages=[pluralize(len(faults), "finding")])
            return EXIT_FINDINGS if any(fault.code != "replaced" for fault in faults) else 0
        subject = memory.facts(read_request(options, FactsRequest, name=" ".join(options.words)))
        day = f" on {subject.as_of}; `--all` shows every day" if subject.as_of else ""
        messages = () if subject.facts else [f"no facts of {subject.name}{day}"]
        return print_answer(options, "facts", subject, _subject_lines(subject, style), messages=messages)


def _subject_lines(subject: SubjectFacts, style: TerminalStyle) -> Iterator[str]:
    """Each value with the days on which it held and the number of its sources, and each line that states it."""
    for name, facts in groupby(subject.facts, lambda fact: fact.subject):
        yield style.bold(sanitize_line(subject.name if name_key(subject.name) == name else name))
        for fact in facts:
            marks = [fact.since and f"since {fact.since}", fact.until and f"{ENDS[fact.end]} {fact.until}"]
            marks += [pluralize(fact.support, "source"), fact.scope and f"scope {sanitize_line(fact.scope)}"]
            marks += [fact.trust] if fact.trust != "trusted" else []
            yield f"  {fact.key.replace('_', ' ')}: {sanitize_line(fact.value)} ({', '.join(filter(None, marks))})"
            yield from (f"    {record_line(record, style)}" for record in fact.sources)


def _fault_lines(fault: FactFault, style: TerminalStyle) -> Iterator[str]:
    """What is wrong, then each line that it is about."""
    about = f"{fault.subject}, {fault.key.replace('_', ' ')}: " if fault.subject else ""
    yield style.bold(sanitize_line(f"{about}{fault.message}"))
    yield from (f"    {record_line(record, style)}" for record in fault.records)
