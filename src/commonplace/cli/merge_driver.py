"""The command `merge-driver`, which git runs for each file that both sides changed."""

from __future__ import annotations

import os
from argparse import ArgumentParser, Namespace

from commonplace.upkeep.merge import run_merge_driver


def merge_driver_arguments(parser: ArgumentParser) -> None:
    """Arguments of `merge-driver`, as git gives them."""
    parser.add_argument("base", help="The common version, `%%O`.")
    parser.add_argument("ours", help="Our version, `%%A`, which becomes the merged one.")
    parser.add_argument("theirs", help="Their version, `%%B`.")
    parser.add_argument("path", help="The path of the file in the working tree, `%%P`.")


def merge_driver_run(options: Namespace) -> int:
    """Write the merged version over ours."""
    root = os.path.realpath(options.workspace or os.curdir)
    run_merge_driver(root, options.path, (options.base, options.ours, options.theirs))
    return 0
