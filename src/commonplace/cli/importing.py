"""`import`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from commonplace.cli.opening import open_memory
from commonplace.cli.render import counted
from commonplace.cli.streams import print_json, print_lines, say
from commonplace.text import one_line

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

    from commonplace.capture.bringing import Import
    from commonplace.shapes import Json


def import_arguments(parser: ArgumentParser) -> None:
    """Arguments of `import`."""
    from commonplace.imports.memories import SYSTEMS

    parser.add_argument("path", metavar="PATH", help="a database, a folder or an export of another memory")
    parser.add_argument("--format", choices=("auto", *SYSTEMS), default="auto", help="which memory it is")
    parser.add_argument("--mine", action="store_true", help="you vouch for all of it: it is as if you had said it")
    parser.add_argument("--owner", default="", metavar="NAME", help="your name there: you vouch for what is yours")
    parser.add_argument("--scope", default="", help="the project it all belongs to")
    parser.add_argument("--apply", action="store_true", help="capture it; else nothing is written")


def import_run(options: Namespace) -> int:
    """Tell what would come in, or let it in; bad rows are set aside and change nothing about the exit code."""
    with open_memory(options) as memory:
        done = memory.import_from(
            options.path,
            system=options.format,
            owner=options.owner,
            mine=options.mine,
            scope=options.scope,
            apply=options.apply,
        )
    if options.json:
        print_json(imported_json(options.path, done))
        return 0
    print_lines(_lines(options.path, done))
    for one in done.done.examples:
        where = f"{one_line(one.part)}, " if one.part else ""
        say(f"set aside: {where}line {one.line}: {one.reason}")
    if done.done.kept_in:
        say(f"{counted(done.done.set_aside, 'item')} set aside in {done.done.kept_in}")
    for hint in _hints(options, done):
        say(hint)
    return 0


def imported_json(path: str, done: Import) -> Json:
    """`commonplace.imported.v1`."""
    tally, outcome = done.tally, done.done
    return {
        "schema": "commonplace.imported.v1",
        "source": one_line(path),
        "system": done.system,
        "applied": done.applied,
        "kinds": tally.kinds,
        "trusts": tally.trusts,
        "people": tally.people,
        "scopes": tally.scopes,
        "first": tally.first,
        "last": tally.last,
        "undated": tally.undated,
        "captured": outcome.captured,
        "known": outcome.known,
        "skipped": outcome.skipped,
        "passed_over": tally.passed_over,
        "set_aside": outcome.set_aside,
        "examples": [
            {"part": one_line(it.part), "offset": it.offset, "line": it.line, "reason": it.reason}
            for it in outcome.examples
        ],
        "kept_in": outcome.kept_in,
        "masked": tally.masked,
        "redacted": list(outcome.redacted),
        "samples": [{"kind": one.kind, "day": one.day, "trust": one.trust, "text": one.text} for one in tally.samples],
    }


def _lines(path: str, done: Import) -> list[str]:
    tally, outcome = done.tally, done.done
    found = sum(tally.kinds.values())
    if not found and not outcome.set_aside and not tally.passed_over:
        return [f"{one_line(path)}: {done.system}: there is nothing in it"]
    lines = [f"{one_line(path)}: {done.system}, {counted(found, 'memory').replace('memorys', 'memories')}"]
    lines += _counted("kinds", tally.kinds) + _dates(done) + _counted("trust", tally.trusts)
    lines += _counted("of", tally.people) + _counted("scope", tally.scopes) + _counted("passed over", tally.passed_over)
    if tally.masked:
        lines.append(f"  masked: {', '.join(outcome.redacted)} (in {tally.masked})")
    lines += [f"  e.g. {one.day or 'undated'} {one.kind} ({one.trust}): {one.text}" for one in tally.samples]
    verb = "captured" if done.applied else "to capture"
    parts = [f"{outcome.captured} {verb}", f"{outcome.known} known", f"{outcome.skipped} skipped"]
    return [*lines, f"  {', '.join([*parts, f'{outcome.set_aside} set aside'])}"]


def _counted(name: str, counts: dict[str, int]) -> list[str]:
    told = ", ".join(f"{number} {word}" for word, number in sorted(counts.items(), key=lambda one: (-one[1], one[0])))
    return [f"  {name}: {told}"] if counts else []


def _dates(done: Import) -> list[str]:
    tally = done.tally
    undated = f"; {tally.undated} without a date, which count as from now" if tally.undated else ""
    span = f"{tally.first} to {tally.last}" if tally.first else "none"
    return [f"  dates: {span}{undated}"] if tally.kinds else []


def _hints(options: Namespace, done: Import) -> list[str]:
    hints = []
    if options.owner and not any(name.casefold() == options.owner.casefold() for name in done.tally.people):
        named = ", ".join(done.tally.people) or "nobody"
        hints.append(f"nothing there belongs to {one_line(options.owner)}; it names {named}")
    if not done.applied and done.tally.kinds:
        hints.append("nothing was written; --apply captures it")
        if "trusted" not in done.tally.trusts and not options.mine:
            hints.append("none of it will be trusted; if it is yours, say --mine")
    return hints
