"""`recall`, `pack` and `why`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from commonplace.cli.opening import open_nearby
from commonplace.cli.options import add_query, query_of, said
from commonplace.cli.render import Ink, hit_lines
from commonplace.cli.streams import print_json, print_lines, say
from commonplace.errors import BadArgument
from commonplace.text import one_line

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

    from commonplace.model import Hits
    from commonplace.recall.explain import Explained


def recall_arguments(parser: ArgumentParser) -> None:
    """Arguments of `recall`."""
    add_query(parser)
    parser.add_argument("-k", type=int, default=None, help="how many hits (setting recall.k, 10)")
    parser.add_argument("--explain", action="store_true", help="the whole arithmetic of each score, for a person")


def recall_run(options: Namespace) -> int:
    """Find what bears on a question."""
    with open_nearby(options) as memory:
        if options.explain and not options.json:
            _print_explained(memory.explain(said(options), k=options.k, **query_of(options)), Ink(memory.around))
            return 0
        hits = memory.recall(said(options), k=options.k, **query_of(options))
        if options.json:
            from commonplace.shapes import hits_json

            print_json(hits_json(hits))
        else:
            _print_hits(hits, Ink(memory.around))
        return 0


def _print_hits(hits: Hits, ink: Ink) -> None:
    for number, hit in enumerate(hits.hits, 1):
        print_lines(hit_lines(number, hit, ink))
    _say_how(hits)


def _print_explained(explained: Explained, ink: Ink) -> None:
    print_lines([one_line(line) for line in explained.asked])
    for number, (hit, lines) in enumerate(zip(explained.hits.hits, explained.sums, strict=True), 1):
        print_lines([*hit_lines(number, hit, ink)[:2], *(f"   {line}" for line in lines)])
    print_lines([ink.dim(line) for line in explained.parts])
    _say_how(explained.hits)


def _say_how(hits: Hits) -> None:
    """What the reader should know of an answer."""
    say(*hits.notes)
    if not hits.hits:
        say("nothing found")
    elif not hits.confident:
        say(f"no confident match (confidence {hits.confidence:.2f})")


def pack_arguments(parser: ArgumentParser) -> None:
    """Arguments of `pack`."""
    add_query(parser)
    parser.add_argument("--budget", type=int, default=None, help="tokens (setting pack.budget_tokens, 1200)")
    parser.add_argument("--automatic", action="store_true", help="as a host packs: only what is trusted")
    parser.add_argument("--session", default="", help="with --automatic: its newest captures come last")
    parser.add_argument(
        "--format", choices=("commonplace", "openclaw-mem"), default="commonplace", help="the shape that --json prints"
    )
    parser.add_argument("--receipt", action="store_true", help="say which receipt explains the pack")


def pack_run(options: Namespace) -> int:
    """Print cited lines that fit a budget."""
    asked = said(options)
    choices = {"budget_tokens": options.budget, "automatic": options.automatic, "session": options.session}
    choices |= query_of(options)
    with open_nearby(options) as memory:
        if options.json and options.format == "openclaw-mem":
            print_json(memory.context_pack(asked, **choices))
            return 0
        packed = memory.pack(asked, **choices)
        if options.json:
            from commonplace.shapes import pack_json

            print_json(pack_json(packed, receipt=options.receipt))
            return 0
        if packed.text:
            print_lines(packed.text.split("\n"))
        else:
            budget = packed.budget_tokens
            say(f"nothing was found that fits into {budget} tokens" if budget else "the budget is 0")
        say(*packed.notes)
        if options.receipt:
            say(f"receipt {packed.receipt_id}: {packed.tokens} of {packed.budget_tokens} tokens")
        return 0


def why_arguments(parser: ArgumentParser) -> None:
    """Arguments of `why`."""
    told = "a receipt's id or `last`; then perhaps a record's id, for the whole arithmetic of its score"
    parser.add_argument("words", nargs="*", metavar="ID", help=told)


def why_run(options: Namespace) -> int:
    """Explain a pack from its receipt."""
    if len(options.words) > 2:
        raise BadArgument(
            f"one receipt and one record, not {' '.join(options.words)}", hint="see `commonplace why --help`"
        )
    receipt = options.words[0] if options.words else "last"
    record = options.words[1] if len(options.words) > 1 else None
    with open_nearby(options) as memory:
        explained = memory.why(receipt, record)
        if options.json:
            from commonplace.operations.answers import why_json

            print_json(why_json(memory.receipt(receipt), record))
        else:
            print_lines(explained.split("\n"))
        return 0
