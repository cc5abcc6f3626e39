"""Ways to ask the program from outside, with a fixed clock and nothing of the machine: a command, pipes, a folder."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import commonplace

NOW = "2025-11-30T09:00"
KEY = b"a fixed key, only for this bench"
KEPT_SHUT = ("index.sqlite", "vectors.sqlite", "locks", "key")  # of `.memory`: derived, empty, or ours
MEASURED = ("timings_ms", "pid", "next", "uptime_seconds", "index_bytes")
PROGRAMS = os.path.dirname(sys.executable)
REPOSITORY = Path(commonplace.__file__).parents[2]  # of the program that is asked
OF_HERE = (
    (re.compile(r"(?<=-)[0-9a-f]{8}(?=\.service|\.plist|</string>|\n)"), "digest"),
    (re.compile(r"(?<=/set-aside/)[0-9a-f]{12}-[0-9a-f]{12}"), "digest"),
    (re.compile(r"(?<=next at )\d{4}-[\d:T-]+Z"), "time"),
    (re.compile(r"(?<=127\.0\.0\.1:)\d+"), "port"),
)
SECONDS = 600
Json = dict[str, Any]


class Ran(NamedTuple):
    """How a command ended, what it printed, and its words."""

    code: int
    out: str
    err: str


class Desk:
    """A temporary folder in which workspaces lie, and the surroundings of all that is asked there."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder.resolve()
        (self.folder / "home").mkdir()

    def environment(self, **more: str) -> dict[str, str]:
        """The whole environment of a process; where the program lies is all that is inherited."""
        home = str(self.folder / "home")
        return {
            "PATH": os.pathsep.join((os.path.dirname(sys.executable), "/usr/bin", "/bin")),
            "PYTHONPATH": os.environ.get("PYTHONPATH", ""),
            "HOME": home,
            "XDG_STATE_HOME": f"{home}/state",
            "XDG_RUNTIME_DIR": f"{home}/run",
            "COMMONPLACE_NOW": NOW,
            "COMMONPLACE_DEVICE": "desk",
            "COLUMNS": "100",
            "LC_ALL": "C.UTF-8",
            "NO_COLOR": "1",
            "TZ": "UTC",
            **more,
        }

    def workspace(self, name: str, files: Mapping[str, str] | None = None) -> Path:
        """An empty workspace with a fixed key, so that no digest is left to chance."""
        root = self.folder / name.replace("/", "-")
        (root / ".memory").mkdir(0o700, parents=True)
        self.fix_key(root)
        for path, text in (files or {}).items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text(text, encoding="utf-8")
        return root

    def fix_key(self, root: Path) -> None:
        """Put the fixed key where there is none yet."""
        key = root / ".memory" / "key"
        if not key.exists():
            key.parent.mkdir(0o700, exist_ok=True)
            key.touch(0o600)
            key.write_bytes(KEY)

    def command(self, root: Path, *words: str, given: str = "", **more: str) -> Ran:
        """Run a command in a workspace."""
        ran = subprocess.run(
            (sys.executable, "-m", "commonplace", *words),
            input=given.encode(),
            cwd=root,
            env=self.environment(COMMONPLACE_WORKSPACE=".", **more),
            capture_output=True,
            check=False,
            timeout=SECONDS,
        )
        return Ran(ran.returncode, self.plain(ran.stdout.decode()), self.plain(ran.stderr.decode()))

    @contextmanager
    def pipes(self, root: Path) -> Iterator[Pipes]:
        """Ask a workspace over standard input and output."""
        arguments = ("serve", "--stdio", "--workspace", str(root))
        with self.process(*arguments, cwd=root, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
            yield Pipes(self, process)

    @contextmanager
    def process(self, *arguments: str, **how: Any) -> Iterator[subprocess.Popen[bytes]]:
        """A command that answers until its input is closed, or it is ended."""
        command = (sys.executable, "-m", "commonplace", *arguments)
        with subprocess.Popen(command, env=self.environment(), stderr=subprocess.DEVNULL, **how) as process:
            try:
                yield process
            finally:
                if process.stdin is not None:
                    process.stdin.close()
                else:
                    process.terminate()
                process.wait(SECONDS)

    def plain(self, text: str) -> str:
        """A text without what is of this machine and of this run: places, digests of places, a time, a port."""
        for place, name in ((str(self.folder), "/place"), (PROGRAMS, "/programs"), (str(REPOSITORY), "/repository")):
            text = text.replace(place, name)
        for pattern, name in OF_HERE:
            text = pattern.sub(name, text)
        return text

    def files(self, root: Path) -> Json:
        """What lies in a workspace: texts as they are, lines of JSON read, times that are measured left out."""
        found: Json = {}
        for path in sorted(path for path in root.rglob("*") if path.is_file()):
            name = self.plain(path.relative_to(root).as_posix())
            if ".git/" in name or name.partition(".memory/")[2].startswith(KEPT_SHUT):
                continue
            text = self.plain(path.read_bytes().decode("utf-8", "backslashreplace"))
            found[name] = [read(line) for line in text.split("\n")] if name.endswith((".jsonl", ".json")) else text
        return found


class Pipes:
    """A process that answers lines with lines."""

    def __init__(self, desk: Desk, process: subprocess.Popen[bytes], *, greets: bool = True) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        self._desk, self._in, self._out = desk, process.stdin, process.stdout
        self.greeting = self.read() if greets else None
        self._number = 0

    def ask(self, method: str, **params: Any) -> Any:
        """The result of an operation, or what it is refused with."""
        self._number += 1
        self.send({"id": self._number, "method": method, "params": params})
        answer = self.read()
        return answer["result"] if "result" in answer else {"error": answer["error"]}

    def send(self, message: Any) -> None:
        """One line, as it is if it is a text."""
        line = message if isinstance(message, str) else json.dumps(message)
        self._in.write(line.encode() + b"\n")
        self._in.flush()

    def read(self) -> Any:
        """The next line."""
        return read(self._desk.plain(self._out.readline().decode()))


def read(text: str) -> Any:
    """JSON without what is measured; a text as it is where it is none."""
    try:
        return steady(json.loads(text))
    except ValueError:
        return text


def steady(value: Any) -> Any:
    """A value in which what differs from run to run is the name of its type."""
    if isinstance(value, list):
        return [steady(one) for one in value]
    if not isinstance(value, dict):
        return value
    measured = (*MEASURED, "crc") if "timings_ms" in value else MEASURED  # its sum is that of the line with the times
    return {key: _kind(one) if key in measured else steady(one) for key, one in value.items()}


def _kind(value: Any) -> Any:
    return sorted(value) if isinstance(value, dict) else type(value).__name__
