"""The commands that examine recall: `why-not`, `test` and `diff-receipts`."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Any

from commonplace.cli.open_memory import open_memory
from commonplace.cli.operation_options import (
    add_request_options,
    add_text_argument,
    option_of,
    parameter_help,
    read_request,
)
from commonplace.cli.options import read_text_argument
from commonplace.cli.render import TerminalStyle, pluralize, problem_line, reasons_line
from commonplace.cli.streams import print_json, print_lines, print_messages
from commonplace.errors import BadArgument
from commonplace.language.text import sanitize_line
from commonplace.operations import serializers
from commonplace.operations.parameters import GoldenRequest, WhyNotRequest
from commonplace.shapes import pick_fields, problem_json, reasons_json

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Iterator

    from commonplace.memory import GoldenResult
    from commonplace.model import Receipt
    from commonplace.retrieval.pack import ReceiptComparison, RecordDifference
    from commonplace.retrieval.recall import ComparedHit, Counterfactual, Stage, WhyNot
    from commonplace.shapes import Json
    from commonplace.upkeep.review import QuestionResult


def why_not_arguments(parser: ArgumentParser) -> None:
    """Arguments of `why-not`."""
    add_text_argument(parser, WhyNotRequest, "QUESTION")
    add_request_options(parser, WhyNotRequest)
    parser.usage = "commonplace why-not [options] QUESTION REFERENCE"
    parser.epilog = "The last argument is the REFERENCE: PATH#L12, or the id of a record or capture."


def why_not_run(options: Namespace) -> int:
    """Say why a line is not among the answers, and what would show it."""
    *words, reference = options.words
    if not words:
        raise BadArgument(
            "a question and a line are needed", hint='commonplace why-not "who sails?" memory/2025-11-27.md#L4'
        )
    options.words = words
    with open_memory(options) as memory:
        request = read_request(options, WhyNotRequest, text=read_text_argument(options), reference=reference)
        told = memory.why_not(request)
        if options.json:
            print_json(why_not_json(told))
            return 0
        print_lines(_why_not_lines(told, TerminalStyle(memory.environment)))
        print_messages(*told.notes)
        return 0


def why_not_json(report: WhyNot) -> Json:
    """`commonplace.why-not.v1`."""
    return {
        "schema": "commonplace.why-not.v1",
        "query": report.query,
        "reference": report.reference,
        "id": report.record.id if report.record else "",
        "citation": report.record.source.citation if report.record else "",
        "rank": report.rank,
        "lost_at": report.lost_at,
        "stages": [_stage_json(stage) for stage in report.stages],
        "changes": [
            {"change": change_as_options(change), **pick_fields(change, "arguments word rank")}
            for change in report.changes
        ],
        "notes": list(report.notes),
    }


def change_as_options(counterfactual: Counterfactual) -> str:
    """A counterfactual as it is typed; what the command line has no option for is the argument as Python has it."""
    typed = [_option_text(name, value) for name, value in counterfactual.arguments.items() if name != "text"]
    return " ".join((*typed, *([f'"… {counterfactual.word}"'] if counterfactual.word else [])))


def _option_text(name: str, argument: Any) -> str:
    if name == "history":
        return "--history"
    if name == "automatic":
        return "without --automatic"
    if name == "trust":  # the command offers no quarantined records
        return f"{name}={argument!r}"
    option = option_of(WhyNotRequest, name)
    if not argument and name != "k":
        return f"without {option}"
    values = argument if isinstance(argument, tuple) else (argument,)
    return " ".join(f"{option} {shlex.quote(str(one))}" for one in values)


def _why_not_lines(report: WhyNot, style: TerminalStyle) -> Iterator[str]:
    for stage in report.stages:
        head = f"{'ok' if stage.passed else 'no':<3} {stage.name:<7}"
        yield f"{head if stage.passed else style.bold(head)} {sanitize_line(stage.says)}"
        yield from (style.dim(f"    {line}") for line in _score_lines(stage))
    if report.rank:
        yield f"it is shown, at rank {report.rank}"
    elif report.changes:
        yield "changes that would show it:"
        yield from (
            f"    {sanitize_line(change_as_options(change))}  (rank {change.rank})" for change in report.changes
        )
    elif report.record:
        yield "no small change would show it: use more of its own words in the question"


def _score_lines(stage: Stage) -> Iterator[str]:
    if stage.name in ("told", "rank") and stage.reasons:
        yield f"this line: {reasons_line(stage.reasons)}"
    if stage.beside is not None:
        yield _neighbour_line(stage.beside)


def _neighbour_line(neighbour: ComparedHit) -> str:
    return (
        f"hit {neighbour.rank}, {sanitize_line(neighbour.citation)}, "
        f"{neighbour.score:.3f}: {reasons_line(neighbour.reasons)}"
    )


def _stage_json(stage: Stage) -> Json:
    return {
        **pick_fields(stage, "name passed says filter"),
        "reasons": reasons_json(stage.reasons),
        "beside": _neighbour_json(stage.beside) if stage.beside else None,
    }


def _neighbour_json(neighbour: ComparedHit) -> Json:
    return {
        "id": neighbour.record_id,
        **pick_fields(neighbour, "citation rank score"),
        "reasons": reasons_json(neighbour.reasons),
    }


EXIT_FAILED = 3  # the exit code where a question finds less than it must
VERDICTS = ("lost", "worse", "better", "found again", "new")
NO_VALUE = "—"


def test_arguments(parser: ArgumentParser) -> None:
    """Arguments of `test`."""
    told = f"{parameter_help(GoldenRequest, 'path')[:-1]}; `memory/golden.md` if absent."
    parser.add_argument("path", nargs="?", default=None, help=told)
    add_request_options(parser, GoldenRequest)


def test_run(options: Namespace) -> int:
    """Ask the questions of a file and say at which rank each finds what it must."""
    with open_memory(options) as memory:
        tested = memory.golden(read_request(options, GoldenRequest))
        if options.json:
            print_json(_test_json(tested))
        else:
            _print_test_results(tested, TerminalStyle(memory.environment), memory.notes)
    return 0 if tested.is_passed else EXIT_FAILED


def _print_test_results(tested: GoldenResult, style: TerminalStyle, notes: tuple[str, ...]) -> None:
    width = max((len(_rank_text(judgement)) for judgement in tested.question_results), default=0)
    for judgement in tested.question_results:
        outcome = f"{_rank_text(judgement):<{width}}"
        change = f"  ({_rank_change_text(judgement)})" if judgement.verdict in VERDICTS else ""
        question = sanitize_line(judgement.question.text)
        print_lines(
            [
                f"{outcome if judgement.rank else style.bold(outcome)}  {question}{change}",
                *_missing_expectation_lines(tested.path, judgement),
            ]
        )
    print_messages(*(problem_line(problem) for problem in tested.problems), *notes)
    found = len(tested.question_results) - tested.missing
    changes = (
        f"{number} {word}" for word in VERDICTS if (number := sum(x.verdict == word for x in tested.question_results))
    )
    print_messages("; ".join((f"{found} of {pluralize(len(tested.question_results), 'question')} found", *changes)))
    if tested.is_updated:
        print_messages("the ranks are stored; later runs are compared with them")


def _rank_text(judgement: QuestionResult) -> str:
    return f"rank {judgement.rank} of {judgement.k}" if judgement.rank else "missing"


def _rank_change_text(judgement: QuestionResult) -> str:
    if judgement.before is None:
        return judgement.verdict
    return f"{judgement.verdict}: was {f'rank {judgement.before}' if judgement.before else 'missing'}"


def _missing_expectation_lines(path: str, judgement: QuestionResult) -> Iterator[str]:
    for expected, rank in zip(judgement.question.expected, judgement.ranks, strict=True):
        if not 0 < rank <= judgement.k:
            where = f"only at rank {rank}" if rank else "nowhere"
            yield f"    {where}: {sanitize_line(expected.text)}  [{sanitize_line(path)}#L{expected.line}]"


def _test_json(tested: GoldenResult) -> Json:
    """`commonplace.test.v1`."""
    return {
        "schema": "commonplace.test.v1",
        "path": tested.path,
        "passed": tested.is_passed,
        "found": len(tested.question_results) - tested.missing,
        "missing": tested.missing,
        "updated": tested.is_updated,
        "questions": [_question_json(judgement) for judgement in tested.question_results],
        "problems": [problem_json(problem) for problem in tested.problems],
    }


def _question_json(judgement: QuestionResult) -> Json:
    asked = judgement.question
    expected = [
        {"written": wanted.text, "line": wanted.line, "rank": rank, "found": 0 < rank <= judgement.k}
        for wanted, rank in zip(asked.expected, judgement.ranks, strict=True)
    ]
    return {
        "question": asked.text,
        "line": asked.line,
        "k": judgement.k,
        "scope": asked.scope,
        "now": asked.now,
        "found": bool(judgement.rank),
        "rank": judgement.rank,
        "before": judgement.before,
        "change": judgement.verdict,
        "expected": expected,
    }


def diff_receipts_arguments(parser: ArgumentParser) -> None:
    """Arguments of `diff-receipts`."""
    told = "Two receipts, the earlier first: ids, `last`, or `last~1` for the one before; default: `last~1 last`."
    parser.add_argument("words", nargs="*", metavar="RECEIPT", help=told)


def diff_receipts_run(options: Namespace) -> int:
    """Say what became of each record from one pack to another."""
    if len(options.words) > 2:
        raise BadArgument(f"two receipts, not {' '.join(options.words)}", hint="see `commonplace diff-receipts --help`")
    with open_memory(options) as memory:
        compared = memory.diff_receipts(*options.words)
        if options.json:
            print_json(serializers.receipts_diff_json(compared))
        else:
            print_lines(_receipts_diff_lines(compared))
            if not compared.same_question:
                print_messages("the two receipts have different questions or scopes")
    return 0


def _receipts_diff_lines(compared: ReceiptComparison) -> Iterator[str]:
    for sign, receipt in (("-", compared.before), ("+", compared.after)):
        yield f"{sign} {_receipt_head_line(receipt)}"
    fate = ""
    for difference in compared.differences:
        if difference.change != fate:
            fate = difference.change
            yield fate
        yield from _record_difference_lines(difference)
    yield f"{pluralize(compared.unchanged, 'line')} unchanged"


def _receipt_head_line(receipt: Receipt) -> str:
    inside = sum(entry.included for entry in receipt.considered)
    asked = f" for {sanitize_line(receipt.query)!r}" if receipt.query else ""
    scope = f" in {sanitize_line(receipt.scope)}" if receipt.scope else ""
    return (
        f"{receipt.id} of {receipt.ts}{asked}{scope}: {receipt.tokens} of {receipt.budget_tokens} tokens, {inside} in"
    )


def _record_difference_lines(difference: RecordDifference) -> Iterator[str]:
    then, now = difference.before, difference.after
    changes = [
        f"{name} {_arrow(str(before or NO_VALUE), str(after or NO_VALUE))}"
        for name, before, after in (("rank", then.rank, now.rank), ("tokens", then.tokens, now.tokens))
        if before != after
    ]
    if then.reason != now.reason:
        changes.append(f"{sanitize_line(then.reason)} → {sanitize_line(now.reason)}")
    yield (
        f"  {sanitize_line(difference.citation)}  {sanitize_line(difference.record_id)}  {', '.join(changes)}"
    ).rstrip()
    if difference.parts and then.rank and now.rank:
        for part in difference.parts:
            yield f"      {sanitize_line(part.name):<12} {_arrow(_score_text(part.before), _score_text(part.after))}"
        yield f"      {'= score':<12} {_arrow(_score_text(then.score), _score_text(now.score))}"


def _arrow(from_text: str, to_text: str) -> str:
    return f"{from_text} → {to_text}"


def _score_text(score: float | None) -> str:
    return NO_VALUE if score is None else f"{score:.4f}"
