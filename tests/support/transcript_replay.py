"""Replays a transcript: a Markdown file whose ```console blocks hold `$ command` lines, each followed by its output.

All commands of one file run by `bash -c`, one shell each, in one empty folder that is also the workspace, with a fixed
clock and an environment of its own, so equal programs give equal bytes and nothing needs to be masked. Output is stdout,
then stderr; an exit code other than 0 is a last line `[exit 3]`. A block whose output holds a fence gets a longer fence.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

NOW = "2025-11-30T09:00"
SECONDS = 60
FENCE = re.compile(r"(`{3,}|~{3,})(.*)")

Run = Callable[[str], str]


def replay(text: str, folder: Path) -> str:
    """The transcript with what its commands print now; `folder` must be empty."""
    (folder / "home").mkdir()
    (folder / "workspace").mkdir()
    return rewritten(text, lambda command: run(command, folder))


def rewritten(text: str, run: Run) -> str:
    """The transcript with `run(command)` as the output of each command; all other bytes stay."""
    lines: list[str] = []
    fence, in_console, after_command = "", False, False
    for line in text.split("\n"):
        opening = FENCE.fullmatch(line)
        if not fence and opening:
            fence, in_console, after_command = opening[1], opening[2].strip() == "console", False
            lines.append(line)
        elif fence and line.rstrip() == fence:
            fence = ""
            lines.append(line)
        elif fence and in_console and line.startswith("$ "):
            after_command = True
            lines += [line, *output_lines(run(line.removeprefix("$ ")), fence)]
        elif not (fence and in_console and after_command):
            lines.append(line)
    assert not fence, f"a block opened with {fence} is not closed"
    return "\n".join(lines)


def output_lines(output: str, fence: str) -> list[str]:
    """The output as lines of a block; what would be read as a command or as the end of the block is refused."""
    lines = output.removesuffix("\n").split("\n") if output else []
    for line in lines:
        assert not line.startswith("$ "), f"this output would be read as a command: {line!r}"
        assert line.rstrip() != fence, f"this output would close the block; open it with a longer fence: {line!r}"
    return lines


def run(command: str, folder: Path) -> str:
    """What the command prints, and how it ended if not well."""
    done = subprocess.run(
        ["bash", "-c", command],
        cwd=folder / "workspace",
        env=surroundings(folder / "home"),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=SECONDS,
        check=False,
    )
    streams = (stream.decode("utf-8", "backslashreplace") for stream in (done.stdout, done.stderr))
    printed = "".join(text if text.endswith("\n") or not text else f"{text}\n" for text in streams)
    return printed + (f"[exit {done.returncode}]\n" if done.returncode else "")


def surroundings(home: Path) -> dict[str, str]:
    """The whole environment of a command; nothing is inherited."""
    return {
        "PATH": os.pathsep.join((os.path.dirname(sys.executable), "/usr/local/bin", "/usr/bin", "/bin")),
        "HOME": str(home),
        "XDG_CACHE_HOME": f"{home}/.cache",
        "XDG_CONFIG_HOME": f"{home}/.config",
        "XDG_DATA_HOME": f"{home}/.local/share",
        "XDG_STATE_HOME": f"{home}/.local/state",
        "TMPDIR": str(home),
        "COMMONPLACE_NOW": NOW,
        "COMMONPLACE_DEVICE": "desk",
        "COMMONPLACE_VECTORS": "off",  # the same where the extra is installed
        "COMMONPLACE_WORKSPACE": ".",
        "COLUMNS": "100",
        "LC_ALL": "C.UTF-8",
        "NO_COLOR": "1",
        "TZ": "UTC",
    }
