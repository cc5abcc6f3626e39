"""A real daemon in a process of its own, and a client of its sockets, for tests and benches."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.client import HTTPConnection, HTTPResponse
from pathlib import Path
from typing import Any, NamedTuple

WAIT_S = 60


class Reply(NamedTuple):
    """What came back."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        """The body, decoded."""
        return json.loads(self.body)


class UnixConnection(HTTPConnection):
    """HTTP/1.1 over a Unix socket."""

    def __init__(self, path: str) -> None:
        super().__init__("localhost", timeout=WAIT_S)
        self._path = path

    def connect(self) -> None:
        """Connect to the socket."""
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(WAIT_S)
        self.sock.connect(self._path)


class Running:
    """A daemon that runs: its process, its socket, its token, its port (0 without TCP)."""

    def __init__(self, process: subprocess.Popen[bytes], path: str, port: int) -> None:
        self.process, self.path, self.port = process, path, port
        self.token = Path(path.removesuffix(".sock") + ".token").read_text("ascii")
        self.connection = UnixConnection(path)

    def send(self, method: str, path: str, body: bytes = b"", headers: Mapping[str, str] | None = None) -> Reply:
        """One request over the Unix socket, with these headers and those that every request has."""
        connection = UnixConnection(self.path)
        try:
            return exchanged(connection, method, path, body, {"Host": "localhost", **(headers or {})})
        finally:
            connection.close()

    def allowed(self) -> dict[str, str]:
        """The headers of a request that is let in."""
        return {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"}

    def get(self, path: str) -> Reply:
        """Get something, allowed."""
        return self.send("GET", path, headers=self.allowed())

    def ask(self, operation: str, **given: Any) -> Reply:
        """Ask for an operation over a connection that is kept."""
        body = json.dumps(given).encode()
        return exchanged(self.connection, "POST", f"/v1/{operation}", body, {"Host": "localhost", **self.allowed()})

    def stop(self, number: int = signal.SIGTERM) -> int:
        """End it with a signal; its exit code."""
        self.process.send_signal(number)
        return self.process.wait(WAIT_S)


def exchanged(connection: HTTPConnection, method: str, path: str, body: bytes, headers: Mapping[str, str]) -> Reply:
    """One request with exactly these headers (and the length of the body), and what came back."""
    length = {"Content-Length": str(len(body))} if body or method == "POST" else {}
    lines = [
        f"{method} {path} HTTP/1.1",
        *(f"{name}: {value}" for name, value in {**headers, **length}.items()),
        "",
        "",
    ]
    if connection.sock is None:
        connection.connect()
    connection.sock.sendall("\r\n".join(lines).encode("latin-1") + body)  # at once: it may answer before the body
    answer = HTTPResponse(connection.sock, method=method)
    answer.begin()
    reply = Reply(answer.status, {name.lower(): value for name, value in answer.getheaders()}, answer.read())
    if answer.will_close:
        connection.close()
    return reply


def environment(folder: Path | str, **more: str) -> dict[str, str]:
    """What a daemon and the commands beside it see: a runtime directory of their own."""
    names = ("PATH", "HOME", "PYTHONPATH", "LANG", "COMMONPLACE_VECTORS")
    kept = {name: os.environ[name] for name in names if name in os.environ}
    return {**kept, "XDG_RUNTIME_DIR": str(folder), "XDG_STATE_HOME": f"{folder}/state", **more}


@contextmanager
def runtime() -> Iterator[str]:
    """A runtime directory whose name is short enough for a socket."""
    folder = tempfile.mkdtemp(prefix="cpl-")
    try:
        yield folder
    finally:
        shutil.rmtree(folder)


@contextmanager
def running(
    workspace: Path, runtime: str, *arguments: str, module: str = "commonplace", **more: str
) -> Iterator[Running]:
    """A daemon of the workspace, by a module that has the command; it is ended, by force if need be, at the end."""
    command = (sys.executable, "-m", module, "serve", "--workspace", str(workspace), *arguments)
    with subprocess.Popen(command, stderr=subprocess.PIPE, env=environment(runtime, **more)) as process:
        try:
            assert process.stderr is not None
            line = process.stderr.readline().decode()
            while line.startswith("commonplace: the page is at "):  # where the settings open it from the start on
                line = process.stderr.readline().decode()
            assert line.startswith("commonplace: serving "), line + process.stderr.read().decode()
            path, _, at = line.rpartition(" at ")[0].rpartition(" at ") if "http://" in line else (line, "", "")
            socket_path = (at.removesuffix(" and") if at else line.rpartition(" at ")[2]).strip()
            port = int(line.rstrip().rpartition(":")[2]) if "http://" in line else 0
            assert path
            yield Running(process, socket_path, port)
        finally:
            if process.poll() is None:
                process.kill()
