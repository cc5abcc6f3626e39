"""`test` and `diff-receipts`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from commonplace.cli.opening import open_memory
from commonplace.cli.options import at_least
from commonplace.cli.render import Ink, counted, problem_line
from commonplace.cli.streams import print_json, print_lines, say
from commonplace.errors import BadArgument
from commonplace.text import one_line

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Iterator

    from commonplace.memory.testing import Tested
    from commonplace.model import Receipt
    from commonplace.pack.compare import Comparison, Difference, Standing
    from commonplace.review.golden import Judged
    from commonplace.shapes import Json

FAILED = 3  # the exit code where a question finds less than it must
CHANGES = ("lost", "worse", "better", "found again", "new")
NOTHING = "—"


def test_arguments(parser: ArgumentParser) -> None:
    """Arguments of `test`."""
    parser.add_argument("path", nargs="?", default=None, help="the file of questions (memory/golden.md)")
    parser.add_argument("-k", type=at_least(1), default=None, help="among how many hits (setting recall.k, 10)")
    parser.add_argument("--update", action="store_true", help="remember the ranks, for later runs to compare with")


def test_run(options: Namespace) -> int:
    """Ask the questions of a file and say at which rank each finds what it must."""
    given = {} if options.path is None else {"path": options.path}
    with open_memory(options) as memory:
        tested = memory.golden(**given, k=options.k, update=options.update)
        if options.json:
            print_json(_test_json(tested))
        else:
            _print_tested(tested, Ink(memory.around), memory.notes)
    return 0 if tested.is_passed else FAILED


def _print_tested(tested: Tested, ink: Ink, notes: tuple[str, ...]) -> None:
    width = max((len(_outcome(one)) for one in tested.judged), default=0)
    for one in tested.judged:
        outcome = f"{_outcome(one):<{width}}"
        change = f"  ({_change(one)})" if one.verdict in CHANGES else ""
        question = one_line(one.question.text)
        print_lines([f"{outcome if one.rank else ink.bold(outcome)}  {question}{change}", *_missing(tested.path, one)])
    say(*(problem_line(problem) for problem in tested.problems), *notes)
    found = len(tested.judged) - tested.missing
    changes = (f"{number} {word}" for word in CHANGES if (number := sum(x.verdict == word for x in tested.judged)))
    say("; ".join((f"{found} of {counted(len(tested.judged), 'question')} found", *changes)))
    if tested.is_updated:
        say("the ranks are remembered; later runs are compared with them")


def _outcome(one: Judged) -> str:
    return f"rank {one.rank} of {one.k}" if one.rank else "missing"


def _change(one: Judged) -> str:
    if one.before is None:
        return one.verdict
    return f"{one.verdict}: was {f'rank {one.before}' if one.before else 'missing'}"


def _missing(path: str, one: Judged) -> Iterator[str]:
    for expected, rank in zip(one.question.expected, one.ranks, strict=True):
        if not 0 < rank <= one.k:
            where = f"only at rank {rank}" if rank else "nowhere"
            yield f"    {where}: {one_line(expected.written)}  [{one_line(path)}#L{expected.line}]"


def _test_json(tested: Tested) -> Json:
    """`commonplace.test.v1`."""
    from commonplace.shapes import problem_json

    return {
        "schema": "commonplace.test.v1",
        "path": tested.path,
        "passed": tested.is_passed,
        "found": len(tested.judged) - tested.missing,
        "missing": tested.missing,
        "updated": tested.is_updated,
        "questions": [_judged_json(one) for one in tested.judged],
        "problems": [problem_json(problem) for problem in tested.problems],
    }


def _judged_json(one: Judged) -> Json:
    asked = one.question
    expected = [
        {"written": wanted.written, "line": wanted.line, "rank": rank, "found": 0 < rank <= one.k}
        for wanted, rank in zip(asked.expected, one.ranks, strict=True)
    ]
    return {
        "question": asked.text,
        "line": asked.line,
        "k": one.k,
        "scope": asked.scope,
        "now": asked.now,
        "found": bool(one.rank),
        "rank": one.rank,
        "before": one.before,
        "change": one.verdict,
        "expected": expected,
    }


def diff_receipts_arguments(parser: ArgumentParser) -> None:
    """Arguments of `diff-receipts`."""
    told = "two receipts, the earlier first: ids, `last`, `last~1` for the one before it (last~1 last)"
    parser.add_argument("words", nargs="*", metavar="RECEIPT", help=told)


def diff_receipts_run(options: Namespace) -> int:
    """Say what became of each record from one pack to another."""
    if len(options.words) > 2:
        raise BadArgument(f"two receipts, not {' '.join(options.words)}", hint="see `commonplace diff-receipts --help`")
    with open_memory(options) as memory:
        compared = memory.diff_receipts(*options.words)
        if options.json:
            print_json(_comparison_json(compared))
        else:
            print_lines(_comparison_lines(compared))
            if not compared.same_question:
                say("the two were not asked the same question in the same scope")
    return 0


def _comparison_lines(compared: Comparison) -> Iterator[str]:
    for sign, receipt in (("-", compared.before), ("+", compared.after)):
        yield f"{sign} {_receipt_line(receipt)}"
    fate = ""
    for one in compared.differences:
        if one.fate != fate:
            fate = one.fate
            yield fate
        yield from _difference_lines(one)
    yield f"{counted(compared.same, 'line')} unchanged"


def _receipt_line(receipt: Receipt) -> str:
    inside = sum(one.included for one in receipt.considered)
    asked = f" for {one_line(receipt.query)!r}" if receipt.query else ""
    scope = f" in {one_line(receipt.scope)}" if receipt.scope else ""
    return (
        f"{receipt.id} of {receipt.ts}{asked}{scope}: {receipt.tokens} of {receipt.budget_tokens} tokens, {inside} in"
    )


def _difference_lines(one: Difference) -> Iterator[str]:
    then, now = one.before, one.after
    changes = [
        f"{name} {_step(str(before or NOTHING), str(after or NOTHING))}"
        for name, before, after in (("rank", then.rank, now.rank), ("tokens", then.tokens, now.tokens))
        if before != after
    ]
    if then.reason != now.reason:
        changes.append(f"{one_line(then.reason)} → {one_line(now.reason)}")
    yield f"  {one_line(one.citation)}  {one_line(one.record_id)}  {', '.join(changes)}".rstrip()
    if one.parts and then.rank and now.rank:
        for part in one.parts:
            yield f"      {one_line(part.name):<12} {_step(_value(part.before), _value(part.after))}"
        yield f"      {'= score':<12} {_step(_value(then.score), _value(now.score))}"


def _step(before: str, after: str) -> str:
    return f"{before} → {after}"


def _value(value: float | None) -> str:
    return NOTHING if value is None else f"{value:.4f}"


def _comparison_json(compared: Comparison) -> Json:
    """`commonplace.receipts-diff.v1`."""
    return {
        "schema": "commonplace.receipts-diff.v1",
        "before": _receipt_json(compared.before),
        "after": _receipt_json(compared.after),
        "same_question": compared.same_question,
        "unchanged": compared.same,
        "differences": [_difference_json(one) for one in compared.differences],
    }


def _receipt_json(receipt: Receipt) -> Json:
    return {
        "id": receipt.id,
        "ts": receipt.ts,
        "scope": receipt.scope,
        "tokens": receipt.tokens,
        "budget_tokens": receipt.budget_tokens,
        "included": sum(one.included for one in receipt.considered),
        "considered": len(receipt.considered),
    }


def _difference_json(one: Difference) -> Json:
    return {
        "id": one.record_id,
        "citation": one.citation,
        "change": one.fate,
        "before": _standing_json(one.before),
        "after": _standing_json(one.after),
        "parts": [{"name": part.name, "before": part.before, "after": part.after} for part in one.parts],
    }


def _standing_json(standing: Standing) -> Json:
    return {
        "included": standing.included,
        "rank": standing.rank,
        "score": standing.score,
        "tokens": standing.tokens,
        "reason": standing.reason,
    }
