"""The commands that examine recall: `why-not`, `test` and `diff-receipts`."""

from __future__ import annotations

import shlex
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from typing import Any

from commonplace.cli.options import argument_table, open_memory, option_of, read_request, read_text_argument
from commonplace.cli.render import TerminalStyle, pluralize, problem_line, reasons_line
from commonplace.cli.streams import EXIT_FINDINGS, print_answer, print_result
from commonplace.errors import BadArgument
from commonplace.language.text import sanitize_line
from commonplace.memory import GoldenResult
from commonplace.operations.parameters import GoldenRequest, WhyNotRequest
from commonplace.retrieval import pack, recall
from commonplace.shapes import Json, pick_fields
from commonplace.upkeep import review


def why_not_arguments(parser: ArgumentParser) -> None:
    """Arguments of `why-not`."""
    argument_table("WhyNotRequest QUESTION")(parser)
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
        report = memory.why_not(request)
        lines = _why_not_lines(report, TerminalStyle(memory.environment))
        return print_answer(options, "why-not", report, lines, messages=report.notes, describe=change_as_options)


def change_as_options(counterfactual: recall.Counterfactual) -> str:
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


def _why_not_lines(report: recall.WhyNot, style: TerminalStyle) -> Iterator[str]:
    for stage in report.stages:
        head = f"{'ok' if stage.passed else 'no':<3} {stage.name:<7}"
        yield f"{head if stage.passed else style.bold(head)} {sanitize_line(stage.says)}"
        if stage.name in ("told", "rank") and stage.reasons:
            yield style.dim(f"    this line: {reasons_line(stage.reasons)}")
        if (other := stage.beside) is not None:
            head = f"    hit {other.rank}, {sanitize_line(other.citation)}, {other.score:.3f}"
            yield style.dim(f"{head}: {reasons_line(other.reasons)}")
    if report.rank:
        yield f"it is shown, at rank {report.rank}"
    elif report.changes:
        yield "changes that would show it:"
        yield from (
            f"    {sanitize_line(change_as_options(change))}  (rank {change.rank})" for change in report.changes
        )
    elif report.record:
        yield "no small change would show it: use more of its own words in the question"


VERDICTS = ("lost", "worse", "better", "found again", "new")
NO_VALUE = "—"


test_arguments = argument_table("""
[path]  The file with the questions; `memory/golden.md` if absent.
GoldenRequest
""")


def test_run(options: Namespace) -> int:
    """Ask the questions of a file and say at which rank each finds what it must."""
    with open_memory(options) as memory:
        tested = memory.golden(read_request(options, GoldenRequest))
        lines = _test_lines(tested, TerminalStyle(memory.environment))
        messages = (*map(problem_line, tested.problems), *memory.notes, *_test_totals(tested))
        print_result(options, _test_json(tested), lines, messages)
    return 0 if tested.is_passed else EXIT_FINDINGS


def _test_lines(tested: GoldenResult, style: TerminalStyle) -> Iterator[str]:
    width = max((len(_rank_text(result)) for result in tested.question_results), default=0)
    for result in tested.question_results:
        outcome, change = f"{_rank_text(result):<{width}}", ""
        if result.verdict in VERDICTS:
            was = f": was {f'rank {result.before}' if result.before else 'missing'}"
            change = f"  ({result.verdict}{'' if result.before is None else was})"
        yield f"{outcome if result.rank else style.bold(outcome)}  {sanitize_line(result.question.text)}{change}"
        for expected, rank in zip(result.question.expected, result.ranks, strict=True):
            if not 0 < rank <= result.k:
                where = f"only at rank {rank}" if rank else "nowhere"
                yield f"    {where}: {sanitize_line(expected.text)}  [{sanitize_line(tested.path)}#L{expected.line}]"


def _test_totals(tested: GoldenResult) -> Iterator[str]:
    found = len(tested.question_results) - tested.missing
    verdicts = [one.verdict for one in tested.question_results]
    changes = (f"{verdicts.count(word)} {word}" for word in VERDICTS if word in verdicts)
    yield "; ".join((f"{found} of {pluralize(len(tested.question_results), 'question')} found", *changes))
    if tested.is_updated:
        yield "the ranks are stored; later runs are compared with them"


def _rank_text(judgement: review.QuestionResult) -> str:
    return f"rank {judgement.rank} of {judgement.k}" if judgement.rank else "missing"


def _test_json(tested: GoldenResult) -> Json:
    """The JSON shape `commonplace.test.v1`."""
    return {
        "schema": "commonplace.test.v1",
        **pick_fields(tested, "path passed:is_passed"),
        "found": len(tested.question_results) - tested.missing,
        **pick_fields(tested, "missing updated:is_updated"),
        "questions": [_question_json(judgement) for judgement in tested.question_results],
        **pick_fields(tested, "problems"),
    }


def _question_json(judgement: review.QuestionResult) -> Json:
    asked = "question:question.text line:question.line k scope:question.scope now:question.now"
    expected = [
        {"written": wanted.text, "line": wanted.line, "rank": rank, "found": 0 < rank <= judgement.k}
        for wanted, rank in zip(judgement.question.expected, judgement.ranks, strict=True)
    ]
    return {
        **pick_fields(judgement, asked),
        "found": bool(judgement.rank),
        **pick_fields(judgement, "rank before change:verdict"),
        "expected": expected,
    }


diff_receipts_arguments = argument_table("""
[words=RECEIPT...]  Two receipts, the earlier first: ids, `last`, or `last~1` for the one before; default:
  `last~1 last`.
""")


def diff_receipts_run(options: Namespace) -> int:
    """Say what became of each record from one pack to another."""
    if len(options.words) > 2:
        raise BadArgument(f"two receipts, not {' '.join(options.words)}", hint="see `commonplace diff-receipts --help`")
    with open_memory(options) as memory:
        compared = memory.diff_receipts(*options.words)
    messages = () if compared.same_question else ["the two receipts have different questions or scopes"]
    return print_answer(options, "receipts-diff", compared, receipts_diff_lines(compared), messages=messages)


def receipts_diff_lines(compared: pack.ReceiptComparison) -> Iterator[str]:
    """Two receipts, and what became of each record from one to the other."""
    for sign, receipt in (("-", compared.before), ("+", compared.after)):
        asked = f" for {sanitize_line(receipt.query)!r}" if receipt.query else ""
        scope = f" in {sanitize_line(receipt.scope)}" if receipt.scope else ""
        tokens = f"{receipt.tokens} of {receipt.budget_tokens} tokens"
        inside = sum(entry.included for entry in receipt.considered)
        yield f"{sign} {receipt.id} of {receipt.ts}{asked}{scope}: {tokens}, {inside} in"
    fate = ""
    for difference in compared.differences:
        if difference.change != fate:
            fate = difference.change
            yield fate
        yield from _record_difference_lines(difference)
    yield f"{pluralize(compared.unchanged, 'line')} unchanged"


def _record_difference_lines(difference: pack.RecordDifference) -> Iterator[str]:
    then, now = difference.before, difference.after
    changes = [
        f"{name} {before or NO_VALUE} → {after or NO_VALUE}"
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
            yield f"      {sanitize_line(part.name):<12} {_score_text(part.before)} → {_score_text(part.after)}"
        yield f"      {'= score':<12} {_score_text(then.score)} → {_score_text(now.score)}"


def _score_text(score: float | None) -> str:
    return NO_VALUE if score is None else f"{score:.4f}"
