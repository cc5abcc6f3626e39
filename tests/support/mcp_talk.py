"""Talk to a real `commonplace mcp`, line by line or over HTTP, with nothing between the test and the wire."""

from __future__ import annotations

import json
import os
import re
import select
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from http.client import HTTPConnection, HTTPResponse
from pathlib import Path
from typing import Any, NamedTuple, Self

CPL = str(Path(sys.executable).parent / "commonplace")
VERSION = "2025-11-25"
ADDRESS = re.compile(r"serving MCP at http://127\.0\.0\.1:(\d+)/mcp; the token is in (.+)")
QUIET_S, PIECE = 5, 60_000  # who takes nothing for so long takes nothing more; bytes that are offered at once
Json = dict[str, Any]


def surroundings(root: Path) -> dict[str, str]:
    """A fixed clock, a workspace, and nothing of the machine."""
    return {
        "PATH": os.environ["PATH"],
        "PYTHONPATH": os.environ.get("PYTHONPATH", ""),
        "HOME": str(root),
        "COMMONPLACE_WORKSPACE": str(root),
        "COMMONPLACE_NOW": "2025-11-30T09:00",
        "COMMONPLACE_DEVICE": "desk",
        "COMMONPLACE_VECTORS": "off",  # the same where the extra is installed
    }


def request(number: Any, method: str, params: Any = None) -> Json:
    return {"jsonrpc": "2.0", "id": number, "method": method} | ({} if params is None else {"params": params})


def initialize(number: Any = 0, version: str = VERSION) -> Json:
    about = {"protocolVersion": version, "capabilities": {}, "clientInfo": {"name": "a test", "version": "1"}}
    return request(number, "initialize", about)


INITIALIZED: Json = {"jsonrpc": "2.0", "method": "notifications/initialized"}


def offered(number: int, data: bytes) -> int:
    """Write to a descriptor until no more is taken for some time; how many bytes were."""
    sent = 0
    os.set_blocking(number, False)
    while sent < len(data) and select.select([], [number], [], QUIET_S)[1]:
        sent += os.write(number, data[sent : sent + PIECE])
    os.set_blocking(number, True)
    return sent


class Talk:
    """A server process and its two pipes; use it with `with`."""

    def __init__(
        self,
        root: Path,
        *arguments: str,
        greet: bool = True,
        command: Sequence[str] = (CPL, "mcp"),
        inherited: Sequence[int] = (),
    ) -> None:
        self.process = subprocess.Popen(
            [*command, *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=surroundings(root),
            cwd=root,
            pass_fds=inherited,
        )
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self._in, self._out = self.process.stdin, self.process.stdout
        self.greeting = self.ask(initialize()) if greet else {}
        if greet:
            self.send(INITIALIZED)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.wait()
        for pipe in (self._in, self._out, self.process.stderr):
            if pipe is not None:
                with suppress(BrokenPipeError):
                    pipe.close()

    def write(self, data: bytes) -> None:
        """Bytes as they are."""
        self._in.write(data)
        self._in.flush()

    def send(self, message: Any) -> None:
        """One message, no answer waited for."""
        self.write(json.dumps(message).encode() + b"\n")

    def offer(self, data: bytes) -> int:
        """Bytes as they are, until no more are taken; how many were."""
        return offered(self._in.fileno(), data)

    def line(self) -> bytes:
        """The next line of the server; empty at the end."""
        return self._out.readline()

    def read(self) -> Json:
        """The next message of the server."""
        line = self.line()
        assert line, (self.process.poll(), self.process.stderr and self.process.stderr.read())
        answer = json.loads(line)
        assert isinstance(answer, dict)
        return answer

    def ask(self, message: Json) -> Json:
        """One request and its answer, which is the next to come."""
        self.send(message)
        answer = self.read()
        assert answer["id"] == message["id"], answer
        return answer

    def call(self, tool: str, number: Any = 1, /, **arguments: Any) -> Json:
        """What a tool answers."""
        answer = self.ask(request(number, "tools/call", {"name": tool, "arguments": arguments}))
        result = answer["result"]
        assert isinstance(result, dict)
        return result

    def stop_reading(self) -> None:
        """Close the end from which the server is read."""
        self._out.close()

    def stop_asking(self) -> None:
        """Close the end to which the server listens."""
        self._in.close()

    def hang_up(self) -> tuple[int, bytes, bytes]:
        """Close the input; the exit code, what came last, and what was said on standard error."""
        if self._out.closed:
            self._in.close()
            assert self.process.stderr is not None
            return self.process.wait(60), b"", self.process.stderr.read()
        out, err = self.process.communicate(timeout=60)
        return self.process.returncode, out, err


class Serving(NamedTuple):
    """A server over HTTP: its process, its port, its token and where that lies."""

    process: subprocess.Popen[str]
    port: int
    token: str
    token_file: Path


@contextmanager
def over_http(root: Path, command: Sequence[str] = (CPL, "mcp", "--http", "0")) -> Iterator[Serving]:
    process = subprocess.Popen(command, stderr=subprocess.PIPE, env=surroundings(root), text=True)
    assert process.stderr is not None
    try:
        line = process.stderr.readline()
        found = ADDRESS.search(line)
        assert found, line + process.stderr.read()
        yield Serving(process, int(found[1]), Path(found[2]).read_text("ascii"), Path(found[2]))
    finally:
        process.kill()
        process.communicate()


class HttpSession:
    """One session over HTTP, a connection for each request."""

    def __init__(self, serving: Serving) -> None:
        self._port = serving.port
        self._told = {"Authorization": f"Bearer {serving.token}", "Content-Type": "application/json"}
        self._told["Accept"] = "application/json, text/event-stream"
        greeted = self.begin("POST", initialize()).getresponse()
        greeted.read()
        self._told["Mcp-Session-Id"] = str(greeted.getheader("Mcp-Session-Id"))

    def begin(self, method: str, message: Any = None) -> HTTPConnection:
        """A request, whose answer is not waited for."""
        connection = HTTPConnection("127.0.0.1", self._port, timeout=60)
        connection.request(method, "/mcp", None if message is None else json.dumps(message), self._told)
        return connection

    def ask(self, method: str) -> HTTPResponse:
        """A request, and its answer as far as its head."""
        return self.begin(method).getresponse()
