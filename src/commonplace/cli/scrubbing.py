"""`scan` and `scrub`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from commonplace.cli.opening import open_memory
from commonplace.cli.render import counted
from commonplace.cli.streams import print_json, print_lines, say
from commonplace.text import one_line

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Iterator

    from commonplace.scrub import Scanned, Scrubbed, Secret, Spot

SCAN, SCRUB = "commonplace.secrets.v1", "commonplace.scrub.v1"
FOUND = 3  # the exit code, as that of `check`


def scan_arguments(parser: ArgumentParser) -> None:
    """Arguments of `scan`."""
    parser.add_argument("--no-history", action="store_true", help="leave the git history out")


def scan_run(options: Namespace) -> int:
    """Print every secret that the workspace holds, and where to rotate it."""
    with open_memory(options) as memory:
        found = memory.scan(history=not options.no_history)
        if options.json:
            print_json(scan_json(found))
        else:
            print_lines(_found_lines(found))
            say(*found.notes)
            say(_summary(found))
        return FOUND if found.found else 0


def scrub_arguments(parser: ArgumentParser) -> None:
    """Arguments of `scrub`."""
    parser.add_argument("--apply", action="store_true", help="write it; without this it is only shown")
    parser.add_argument("--all-devices", action="store_true", help="journals that other devices write too")


def scrub_run(options: Namespace) -> int:
    """Print what would be taken out, or take it out."""
    with open_memory(options) as memory:
        done = memory.scrub(apply=options.apply, all_devices=options.all_devices)
        if options.json:
            print_json(scrub_json(done))
        else:
            print_lines(_scrub_lines(done))
            say(*done.notes)
            _advise(done)
        return FOUND if done.left or (done.found and not done.applied) else 0


def scan_json(found: Scanned) -> dict[str, Any]:
    """`commonplace.secrets.v1`."""
    looked = {"files": found.files, "bytes": found.bytes, "objects": found.blobs}
    secrets = [_secret_json(secret) for secret in found.found]
    return {"schema": SCAN, "secrets": secrets, "looked_at": looked, "notes": list(found.notes)}


def scrub_json(done: Scrubbed) -> dict[str, Any]:
    """`commonplace.scrub.v1`."""
    return {
        "schema": SCRUB,
        "applied": done.applied,
        "replaced": [{"path": one.path, "secrets": one.count, "diff": one.diff} for one in done.replaced],
        "left": [_spot_json(one.spot) | {"hint": one.hint} for one in done.left],
        "secrets": [_secret_json(secret) for secret in done.found],
        "commands": list(done.commands),
        "notes": list(done.notes),
    }


def _secret_json(secret: Secret) -> dict[str, Any]:
    return {
        "kind": secret.kind,
        "placeholder": secret.placeholder,
        "vendor": secret.vendor,
        "rotate": secret.url,
        "places": [_spot_json(spot) for spot in secret.spots],
    }


def _spot_json(spot: Spot) -> dict[str, Any]:
    return {
        "path": spot.path,
        "line": spot.line,
        "store": spot.store,
        "commit": spot.commit,
        "kind": spot.kind,
        "placeholder": spot.placeholder,
    }


def _found_lines(found: Scanned) -> Iterator[str]:
    for secret in found.found:
        first, *others = (one_line(spot.place) for spot in secret.spots)
        yield f"{secret.placeholder} {first}"
        yield from (f"  also {place}" for place in others)
        yield f"  rotate: {_rotation(secret)}"


def _rotation(secret: Secret) -> str:
    if not secret.url.startswith("https:"):
        return secret.url or secret.vendor
    return f"{secret.vendor}, {secret.url}"


def _summary(found: Scanned) -> str:
    looked = f"looked at {counted(found.files, 'file')}"
    history = f" and {counted(found.blobs, 'object')} of the git history" if found.blobs else ""
    return f"{counted(len(found.found), 'secret')}; {looked}{history}"


def _scrub_lines(done: Scrubbed) -> Iterator[str]:
    for one in done.replaced:
        if one.diff:
            yield from one.diff.split("\n")
    for one in done.replaced:
        if not one.diff:
            yield f"{one.path}: {counted(one.count, 'secret')}"


def _advise(done: Scrubbed) -> None:
    for one in done.left:
        say(f"left: {one_line(one.spot.place)} {one.spot.placeholder}: {one.hint}")
    for secret in done.found:
        say(f"rotate: {secret.placeholder} {_rotation(secret)}")
    if done.commands:
        say("to take it out of the git history (not done here):", *(f"  {command}" for command in done.commands))
    total = sum(one.count for one in done.replaced)
    where = counted(len(done.replaced), "file")
    if done.applied:
        say(f"took {counted(total, 'secret')} out of {where}; this cannot be undone")
    else:
        say(f"would take {counted(total, 'secret')} out of {where}; nothing was written: --apply does it")
