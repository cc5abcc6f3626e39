"""`facts`: what is known of a name on a day, and what is wrong with it."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from commonplace.cli.options import add_request_options, open_memory_or_daemon, parameter_help, read_request
from commonplace.cli.render import TerminalStyle, pluralize
from commonplace.cli.streams import print_answer
from commonplace.errors import BadArgument
from commonplace.language.text import sanitize_line
from commonplace.operations.parameters import FactsRequest

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Iterator

    from commonplace.truth import Fact, SubjectFacts
FACTS_ACTIONS = ("show", "lint")
FAULTS_FOUND = 3  # exit code


def facts_arguments(parser: ArgumentParser) -> None:
    """Arguments of `facts`."""
    parser.add_argument("action", choices=FACTS_ACTIONS, help="The action.")
    told = f"For `show`: {parameter_help(FactsRequest, 'name')}"
    parser.add_argument("words", nargs="*", metavar="NAME", help=told)
    add_request_options(parser, FactsRequest)


def facts_run(options: Namespace) -> int:
    """Print the facts of a name, or the faults of all facts."""
    if (options.action == "show") is not bool(options.words):
        what = "facts about whom?" if options.action == "show" else "`lint` takes no name"
        raise BadArgument(what, hint="commonplace facts show NAME, or commonplace facts lint")
    with open_memory_or_daemon(options) as memory:
        if options.action == "lint":
            faults = memory.facts_lint()
            lines = (
                f"{fault.code}  {''.join(f'{sanitize_line(name)}: ' for name in (fault.subject, fault.key) if name)}"
                f"{sanitize_line(fault.message)} [{', '.join(map(sanitize_line, fault.citations))}]"
                for fault in faults
            )
            print_answer(options, "facts-lint", faults, lines, messages=[pluralize(len(faults), "finding")])
            return FAULTS_FOUND if any(fault.code != "replaced" for fault in faults) else 0
        subject = memory.facts(read_request(options, FactsRequest, name=" ".join(options.words)))
        nothing = "nothing with a key is known" + (f" for {subject.as_of}" if subject.as_of else "")
        facts = _subject_lines(subject, TerminalStyle(memory.environment))
        return print_answer(options, "facts", subject, facts, messages=() if subject.facts else [nothing])


def _subject_lines(subject: SubjectFacts, style: TerminalStyle) -> Iterator[str]:
    for name, facts in groupby(subject.facts, lambda fact: fact.subject):
        yield style.bold(sanitize_line(name))
        for fact in facts:
            yield from _fact_lines(fact, style)


def _fact_lines(fact: Fact, style: TerminalStyle) -> list[str]:
    """A value with its interval and support, and each line that states it."""
    until = fact.until and f"{'to' if fact.end == 'stated' else 'until'} {fact.until}"
    interval = " ".join(filter(None, (fact.since and f"since {fact.since}", until)))
    marks = [interval, f"support {fact.support}", fact.scope and f"scope {sanitize_line(fact.scope)}"]
    marks += [fact.trust] if fact.trust != "trusted" else []
    lines = [f"{fact.key}: {sanitize_line(fact.value)}  ({', '.join(filter(None, marks))})"]
    for source in fact.sources:
        said = source.time.replace("T", " ") or "undated"
        lines.append(style.dim(f"   {said}  {sanitize_line(source.text)} [{sanitize_line(source.citation)}]"))
    return lines
