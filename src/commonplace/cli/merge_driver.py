"""The command `merge-driver`, which git runs for each file that both sides changed."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from commonplace.upkeep.merge import run_merge_driver

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace


def merge_driver_arguments(parser: ArgumentParser) -> None:
    """Arguments of `merge-driver`, as git gives them."""
    for name, help_text in (
        ("base", "The common version, `%%O`."),
        ("ours", "Our version, `%%A`, which becomes the merged one."),
        ("theirs", "Their version, `%%B`."),
        ("path", "The path of the file in the working tree, `%%P`."),
    ):
        parser.add_argument(name, help=help_text)


def merge_driver_run(options: Namespace) -> int:
    """Write the merged version over ours."""
    root = os.path.realpath(options.workspace or os.curdir)
    run_merge_driver(root, options.path, (options.base, options.ours, options.theirs))
    return 0
