"""The commands that read: `recall`, `pack`, `why`, `show`, `entity`, `timeline` and `facts`."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterator
from itertools import groupby

from msgspec import structs

from commonplace import truth
from commonplace.cli.options import argument_table, open_memory_or_daemon, read_request, read_text_argument
from commonplace.cli.render import TerminalStyle, hit_lines, pluralize, record_line, view_lines
from commonplace.cli.streams import EXIT_FINDINGS, print_answer, print_json, print_lines, print_messages
from commonplace.errors import BadArgument
from commonplace.language.text import name_key, sanitize_line
from commonplace.model import Hits, SearchFilters, View
from commonplace.operations import parameters
from commonplace.retrieval import pack, recall

ENDS = {"": "until", "stated": "until", "replaced": "replaced on", "retracted": "taken back on"}


recall_arguments = argument_table("""
RecallRequest QUESTION
--plain  Take `tag:x`, `after:x` and the like, and what is between quotes, as words.
--explain  Print how each score is calculated.
""")


def recall_run(options: Namespace) -> int:
    """Search for lines that are relevant to a question, and print them."""
    with open_memory_or_daemon(options) as memory:
        request = read_request(options, parameters.RecallRequest, text=read_text_argument(options))
        request = request if options.plain else _with_search_syntax(memory.search(request.text), request)
        if options.explain and not options.json:
            return _print_explained(memory.explain(request), TerminalStyle(memory.environment))
        hits = memory.recall(request)
        style = TerminalStyle(memory.environment)
        listed, count = enumerate((*hits.hits, *hits.not_confident), 1), len(hits.hits)
        lines = (line for number, hit in listed for line in hit_lines(number, hit, style, is_match=number <= count))
        return print_answer(options, "hits", hits, lines, messages=_confidence_messages(hits))


def _with_search_syntax(search: SearchFilters, request: parameters.RecallRequest) -> parameters.RecallRequest:
    """The request with the filters that its words have, beside those of the options."""
    added = {name: value for name, value in structs.asdict(search).items() if value}
    listed = {name: (*getattr(request, name), *value) for name, value in added.items() if isinstance(value, tuple)}
    return structs.replace(request, **{**added, **listed, "text": search.text})


def _print_explained(explained: recall.RecallExplanation, style: TerminalStyle) -> int:
    print_lines([sanitize_line(line) for line in explained.query_lines])
    for number, (hit, lines) in enumerate(zip(explained.hits.hits, explained.arithmetic, strict=True), 1):
        print_lines([*hit_lines(number, hit, style)[:2], *(f"   {line}" for line in lines)])
    print_lines([style.dim(line) for line in explained.part_lines])
    print_messages(*_confidence_messages(explained.hits))
    return 0


def _confidence_messages(hits: Hits) -> Iterator[str]:
    """What the reader should know of an answer."""
    yield from hits.notes
    if not hits.hits and not hits.not_confident:
        yield "nothing found"
    elif not hits.confident:
        yield f"no confident match (confidence {hits.confidence:.2f})"


pack_arguments = argument_table("""
PackWithReceiptRequest QUESTION -k -receipt
--format {commonplace,openclaw-mem}=commonplace  The shape that --json prints.
PackWithReceiptRequest +receipt
""")


def pack_run(options: Namespace) -> int:
    """Print cited lines that fit a budget."""
    request = read_request(options, parameters.PackWithReceiptRequest, text=read_text_argument(options))
    with open_memory_or_daemon(options) as memory:
        if options.json and options.format == "openclaw-mem":
            return print_json(memory.context_pack(request))
        packed = memory.pack(request)
        lines, messages, budget = packed.text.split("\n") if packed.text else [], [*packed.notes], packed.budget_tokens
        if not packed.text:
            messages.insert(0, f"nothing was found that fits into {budget} tokens" if budget else "the budget is 0")
        if request.receipt:
            messages.append(f"receipt {packed.receipt_id}: {packed.tokens} of {budget} tokens")
        return print_answer(options, "pack", packed, lines, messages=messages, receipt=request.receipt)


why_arguments = argument_table("""
[words=ID...]  The id of a receipt, or `last`; followed by the id of a record, to show how its score was calculated.
""")


def why_run(options: Namespace) -> int:
    """Explain a pack from its receipt."""
    if len(options.words) > 2:
        raise BadArgument(
            f"one receipt and one record, not {' '.join(options.words)}", hint="see `commonplace why --help`"
        )
    receipt = options.words[0] if options.words else "last"
    record = options.words[1] if len(options.words) > 1 else None
    with open_memory_or_daemon(options) as memory:
        explained = memory.why(receipt, record)
        value = memory.receipt(receipt) if options.json else None
        return print_answer(options, "receipt", value, explained.split("\n"), record_id=record)


show_arguments = argument_table("""
reference  $ShowRequest.reference
--cite  Print a citation with an anchor, which survives edits, instead of the lines.
""")


def show_run(options: Namespace) -> int:
    """Print a record or lines of a file as they are on disk."""
    with open_memory_or_daemon(options) as memory:
        if options.cite and not options.json:
            print_lines([memory.cite(options.reference)])
            return 0

        view = memory.show(options.reference)
        if options.json:
            return print_answer(options, "view", view, citation=memory.cite(options.reference) if options.cite else "")
        _print_resolution(view)
        print_lines(view_lines(view))
        for it in view.records:
            day = pack.date_prefix(it.text, it.time, it.source.location + view.text).strip("() ")
            parts = (f"{it.kind} {it.category}", it.trust, it.source.location, day, truth.describe_belief(it))
            print_messages(f"record {it.id}: {', '.join(filter(None, parts))}")
        return 0


def _print_resolution(view: View) -> None:
    """Print how the lines of an anchored citation were found; nothing for any other reference."""
    if isinstance(view, recall.ResolvedCitation) and view.status != "same":
        print_messages(sanitize_line(view.note))
        print_messages(*([f"difference: {sanitize_line(view.difference)}"] if view.difference else []))
        print_messages(*(f"perhaps {sanitize_line(place)}" for place in view.also))


entity_arguments = argument_table("[words=NAME...]  $EntityRequest.name Without a name, all entities are listed.")


def entity_run(options: Namespace) -> int:
    """Print the page of an entity and what names it."""
    with open_memory_or_daemon(options) as memory:
        if not options.words:
            entities = memory.entities()
            lines = [f"{number:>6}  {sanitize_line(name)}" for name, number in entities]
            return print_answer(options, "entities", entities, lines)
        view, style = memory.entity(" ".join(options.words)), TerminalStyle(memory.environment)
        records = (record_line(record, style) for record in (*view.page, *view.mentions))
        return print_answer(options, "entity", view, (style.bold(sanitize_line(view.name)), *records))


timeline_arguments = argument_table("TimelineRequest")


def timeline_run(options: Namespace) -> int:
    """Print records in order of time."""
    with open_memory_or_daemon(options) as memory:
        records = memory.timeline(read_request(options, parameters.TimelineRequest))
        style = TerminalStyle(memory.environment)
        messages = () if records else ["nothing has a date in that time"]
        lines = (record_line(record, style) for record in records)
        return print_answer(options, "timeline", records, lines, messages=messages)


facts_arguments = argument_table("""
action={show,lint}  The action.
[words=NAME...]  For `show`: $FactsRequest.name
FactsRequest
""")


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
        subject = memory.facts(read_request(options, parameters.FactsRequest, name=" ".join(options.words)))
        day = f" on {subject.as_of}; `--all` shows every day" if subject.as_of else ""
        messages = () if subject.facts else [f"no facts of {subject.name}{day}"]
        return print_answer(options, "facts", subject, _subject_lines(subject, style), messages=messages)


def _subject_lines(subject: truth.SubjectFacts, style: TerminalStyle) -> Iterator[str]:
    """Each value with the days on which it held and the number of its sources, and each line that states it."""
    for name, facts in groupby(subject.facts, lambda fact: fact.subject):
        yield style.bold(sanitize_line(subject.name if name_key(subject.name) == name else name))
        for fact in facts:
            marks = [fact.since and f"since {fact.since}", fact.until and f"{ENDS[fact.end]} {fact.until}"]
            marks += [pluralize(fact.support, "source"), fact.scope and f"scope {sanitize_line(fact.scope)}"]
            marks += [fact.trust] if fact.trust != "trusted" else []
            yield f"  {fact.key.replace('_', ' ')}: {sanitize_line(fact.value)} ({', '.join(filter(None, marks))})"
            yield from (f"    {record_line(record, style)}" for record in fact.sources)


def _fault_lines(fault: truth.FactFault, style: TerminalStyle) -> Iterator[str]:
    """What is wrong, then each line that it is about."""
    about = f"{fault.subject}, {fault.key.replace('_', ' ')}: " if fault.subject else ""
    yield style.bold(sanitize_line(f"{about}{fault.message}"))
    yield from (f"    {record_line(record, style)}" for record in fault.records)
