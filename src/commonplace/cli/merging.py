"""The command `merge`, for copies of sync tools."""

from __future__ import annotations

from argparse import Namespace

from commonplace.cli.options import argument_table, open_memory, read_request
from commonplace.cli.render import pluralize
from commonplace.cli.streams import EXIT_FINDINGS, print_answer
from commonplace.language.text import sanitize_line
from commonplace.operations.parameters import MergeRequest

merge_arguments = argument_table("""
path:FILE  The copy, as a path in the workspace.
MergeRequest
""")


def merge_run(options: Namespace) -> int:
    """Unite a copy with its original; exit code 3 if that was only shown."""
    with open_memory(options) as memory:
        merged = memory.merge(read_request(options, MergeRequest))
        questions = f"; {pluralize(merged.questions, 'question')} in `commonplace pending`" if merged.questions else ""
        done = "united with" if merged.applied else "not yet united (use `--apply`) with"
        summary = f"{sanitize_line(merged.path)}: {done} {sanitize_line(merged.original)}{questions}"
        lines = merged.diff.split("\n") if merged.diff else ()
        print_answer(options, "merge", merged, lines, messages=[summary])
        return 0 if merged.applied else EXIT_FINDINGS
