"""`embed`."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from commonplace.cli.opening import open_memory
from commonplace.cli.render import counted
from commonplace.cli.streams import print_json, print_lines, say

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

BAR = 20  # characters


def embed_arguments(_parser: ArgumentParser) -> None:
    """Arguments of `embed`: none."""


def embed_run(options: Namespace) -> int:
    """Give every text a vector, with a bar on a terminal."""
    with open_memory(options) as memory:
        filled = memory.embed(_progress if sys.stderr.isatty() else None)
        notes = memory.notes
    if options.json:
        told = {name: getattr(filled, name) for name in filled.__struct_fields__}
        print_json({"schema": "commonplace.embedded.v1", **told})
        return 0
    print_lines([f"{filled.model}, {filled.dimensions} numbers a vector"])
    held = f"{counted(filled.added, 'text')} embedded, {counted(filled.dropped, 'vector')} dropped"
    say(f"{held}; {counted(filled.texts, 'text')} in all", *notes)
    return 0


def _progress(done: int, total: int) -> None:
    if done >= total:
        sys.stderr.write("\r\x1b[K")
    else:
        sys.stderr.write(f"\r{'█' * (BAR * done // total):<{BAR}} {done} of {total} texts")
    sys.stderr.flush()
