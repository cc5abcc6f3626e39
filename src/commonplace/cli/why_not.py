"""`why-not`."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Any

from commonplace.cli.opening import open_memory
from commonplace.cli.options import add_query, query_of, said
from commonplace.cli.render import Ink, reasons_line
from commonplace.cli.streams import print_json, print_lines, say
from commonplace.errors import BadArgument
from commonplace.text import one_line

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Iterator

    from commonplace.recall.surfacing import Change
    from commonplace.recall.why_not import Beside, Stage, WhyNot
    from commonplace.shapes import Json

OPTIONS = {  # the options of `recall` and `pack` that take the value of an argument
    "scope": "--scope",
    "since": "--since",
    "until": "--until",
    "as_of": "--as-of",
    "evidence": "--evidence",
    "k": "-k",
    "budget_tokens": "--budget",
    "kinds": "--kind",
    "categories": "--category",
    "entities": "--entity",
}


def why_not_arguments(parser: ArgumentParser) -> None:
    """Arguments of `why-not`."""
    add_query(parser)
    parser.add_argument("-k", type=int, default=None, help="how many hits are shown (setting recall.k, 10)")
    parser.add_argument("--budget", type=int, default=None, help="explain the pack of so many tokens, not the hits")
    parser.add_argument("--automatic", action="store_true", help="with --budget: as a host packs")
    parser.add_argument("--session", default="", help="with --automatic: its newest captures come last")
    parser.usage = "commonplace why-not [options] QUESTION REFERENCE"
    parser.epilog = "The last word is the REFERENCE: PATH#L12, or the id of a record or capture."


def why_not_run(options: Namespace) -> int:
    """Say why a line is not among the answers, and what would show it."""
    *words, reference = options.words
    if not words:
        raise BadArgument("say a question and a line", hint='commonplace why-not "who sails?" memory/2025-11-27.md#L4')
    options.words = words
    choices = {"budget_tokens": options.budget, **query_of(options), **({} if options.k is None else {"k": options.k})}
    with open_memory(options) as memory:
        told = memory.why_not(said(options), reference, automatic=options.automatic, session=options.session, **choices)
        if options.json:
            print_json(why_not_json(told))
            return 0
        print_lines(_lines(told, Ink(memory.around)))
        say(*told.notes)
        return 0


def why_not_json(told: WhyNot) -> Json:
    """`commonplace.why-not.v1`."""
    return {
        "schema": "commonplace.why-not.v1",
        "query": told.query,
        "reference": told.reference,
        "id": told.record.id if told.record else "",
        "citation": told.record.source.citation if told.record else "",
        "rank": told.rank,
        "lost_at": told.lost_at,
        "stages": [_stage_json(stage) for stage in told.stages],
        "changes": [
            {"change": option_of(change), "arguments": dict(change.choices), "word": change.word, "rank": change.rank}
            for change in told.changes
        ],
        "notes": list(told.notes),
    }


def option_of(change: Change) -> str:
    """A change as it is typed; what the command line has no option for is the argument as Python has it."""
    typed = [_typed(name, value) for name, value in change.choices.items() if name != "text"]
    return " ".join((*typed, *([f'"… {change.word}"'] if change.word else [])))


def _typed(name: str, value: Any) -> str:
    if name == "history":
        return "--history"
    if name == "automatic":
        return "without --automatic"
    if name not in OPTIONS:
        return f"{name}={value!r}"
    if not value and name != "k":
        return f"without {OPTIONS[name]}"
    values = value if isinstance(value, tuple) else (value,)
    return " ".join(f"{OPTIONS[name]} {shlex.quote(str(one))}" for one in values)


def _lines(told: WhyNot, ink: Ink) -> Iterator[str]:
    for stage in told.stages:
        head = f"{'ok' if stage.passed else 'no':<3} {stage.name:<7}"
        yield f"{head if stage.passed else ink.bold(head)} {one_line(stage.says)}"
        yield from (ink.dim(f"    {line}") for line in _arithmetic(stage))
    if told.rank:
        yield f"it is shown, at place {told.rank}"
    elif told.changes:
        yield "what would show it:"
        yield from (f"    {one_line(option_of(change))}  (place {change.rank})" for change in told.changes)
    elif told.record:
        yield "no small change shows it: ask with more of its own words"


def _arithmetic(stage: Stage) -> Iterator[str]:
    if stage.name in ("told", "rank") and stage.reasons:
        yield f"this line: {reasons_line(stage.reasons)}"
    if stage.beside is not None:
        yield _beside(stage.beside)


def _beside(beside: Beside) -> str:
    return f"hit {beside.rank}, {one_line(beside.citation)}, {beside.score:.3f}: {reasons_line(beside.reasons)}"


def _stage_json(stage: Stage) -> Json:
    return {
        "name": stage.name,
        "passed": stage.passed,
        "says": stage.says,
        "filter": stage.filter,
        "reasons": [{"name": one.name, "value": one.value} for one in stage.reasons],
        "beside": _beside_json(stage.beside) if stage.beside else None,
    }


def _beside_json(beside: Beside) -> Json:
    return {
        "id": beside.record_id,
        "citation": beside.citation,
        "rank": beside.rank,
        "score": beside.score,
        "reasons": [{"name": one.name, "value": one.value} for one in beside.reasons],
    }
