"""The same operations over stdio and HTTP, the tools of MCP, and what none of them takes."""

from __future__ import annotations

import json
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from bench.behaviour_parts.asking import Desk, Json, Pipes, read
from bench.behaviour_parts.commands import filled, remember
from bench.behaviour_parts.scripts import FACES, NOTEBOOK, TOOLS
from bench.running_daemon import UnixConnection, exchanged

WAIT_S = 60
ARGUMENTS = {"budget_tokens": "300", "scope": "", "session": ""}  # of prompts; a name for any other
LISTS = ("tools/list", "prompts/list", "resources/list", "resources/templates/list")
PAGES = ("/healthz", "/v1/schedule", "/nothing", "/v1/recall")
HEADERS = ("content-type", "cache-control", "retry-after", "allow", "www-authenticate")


def run(desk: Desk, quick: bool) -> Iterator[tuple[str, Any]]:
    """Each answer of each face; both modes ask the same."""
    for name, face in {"stdio": _stdio, "http": _http, "mcp": _mcp}.items():
        root = desk.workspace(name, NOTEBOOK)
        yield from ((f"{name} {label}", value) for label, value in face(desk, root))
        yield from ((f"{name}, file {path}", text) for path, text in desk.files(root).items())


def _asked(ask: Callable[[str, Json], Any], steps: tuple[tuple[str, Json], ...]) -> Iterator[tuple[str, Any]]:
    seen: dict[str, str] = {}
    for number, (name, given) in enumerate(steps):
        answer = ask(name, {key: filled(one, seen) if isinstance(one, str) else one for key, one in given.items()})
        remember(answer, seen)
        yield f"{number} {name}", answer


def _stdio(desk: Desk, root: Path) -> Iterator[tuple[str, Any]]:
    with desk.pipes(root) as pipes:
        yield "greeting", pipes.greeting
        yield from _asked(lambda name, given: pipes.ask(name, **given), FACES)
        refused = ("no JSON", {"id": 7}, {"id": 8, "method": "status", "params": [1]}, {"id": [], "method": "status"})
        late = {"id": 9, "method": "status", "deadline_ms": 0}
        for number, message in enumerate((*refused, late, {"id": 10, "method": "status", "more": 1}, "[" * 200)):
            pipes.send(message)
            yield f"refused {number}", pipes.read()


def _http(desk: Desk, root: Path) -> Iterator[tuple[str, Any]]:
    with daemon(desk, root) as send:

        def ask(name: str, given: Json) -> Any:
            return send("POST", f"/v1/{name}", given)

        yield from _asked(ask, FACES)
        for page in PAGES:
            yield f"GET {page}", send("GET", page)
        openapi = send("GET", "/openapi.json")
        yield "GET /openapi.json", {"status": openapi["status"], "paths": list(openapi["body"]["paths"])}
        metrics = send("GET", "/metrics")
        names = [line.split("{")[0].split(" ")[0] for line in metrics["body"].split("\n") if line[:1] not in ("", "#")]
        yield "GET /metrics", sorted(set(names))
        yield "a body that is no JSON", send("POST", "/v1/recall", b"{")
        yield "another method", send("PUT", "/v1/recall", {})
        for name, value in (("Authorization", "Bearer x"), ("Host", "example.org"), ("Origin", "http://a.example")):
            yield f"{name} {value}", send("GET", "/healthz", **{name: value})
        yield "Content-Type text/plain", send("POST", "/v1/recall", {}, **{"Content-Type": "text/plain"})
        yield "a deadline of nothing", send("POST", "/v1/recall", {"text": "a"}, **{"Commonplace-Deadline-Ms": "0"})


@contextmanager
def daemon(desk: Desk, root: Path) -> Iterator[Callable[..., Json]]:
    """A daemon, and how to send it something."""
    with desk.process("serve", "--workspace", str(root), cwd=root, stdin=None):
        run_folder = desk.folder / "home" / "run"
        until = time.monotonic() + WAIT_S
        while not (found := list(run_folder.rglob("*.token"))) or not found[0].with_suffix(".sock").exists():
            assert time.monotonic() < until, "the daemon does not listen"
            time.sleep(0.05)
        token = found[0].read_text("ascii")

        def send(method: str, path: str, given: Json | bytes | None = None, **more: str) -> Json:
            connection = UnixConnection(str(found[0].with_suffix(".sock")))
            body = given if isinstance(given, bytes) else b"" if given is None else json.dumps(given).encode()
            usual = {"Host": "localhost", "Authorization": f"Bearer {token}", "Content-Type": "application/json"}
            reply = exchanged(connection, method, path, body, usual | more)
            connection.close()
            kept = {name: reply.headers[name] for name in HEADERS if name in reply.headers}
            return {"status": reply.status, "headers": kept, "body": read(desk.plain(reply.body.decode()))}

        yield send


def _mcp(desk: Desk, root: Path) -> Iterator[tuple[str, Any]]:
    with talk(desk, root, "--all-tools", "--allow-decisions", "--structured") as ask:
        for uri in ("commonplace://file/memory/2025-11-27.md", "commonplace://entity/Peter", "commonplace://nothing"):
            yield f"resource {uri}", ask("resources/read", {"uri": uri})
        for prompt in ask("prompts/list")["result"]["prompts"]:
            given = {one["name"]: ARGUMENTS.get(one["name"], "Peter") for one in prompt.get("arguments", ())}
            yield f"prompt {prompt['name']}", ask("prompts/get", {"name": prompt["name"], "arguments": given})

        def call(name: str, given: Json) -> Any:
            answer = ask("tools/call", {"name": name, "arguments": given})
            answer.get("result", {}).pop("content", None)  # the same as `structuredContent`, in words
            return answer

        yield from _asked(call, TOOLS)


@contextmanager
def talk(desk: Desk, root: Path, *arguments: str) -> Iterator[Callable[..., Json]]:
    """A server of MCP over standard input and output, greeted."""
    pipe = subprocess.PIPE
    with desk.process("mcp", "--workspace", str(root), *arguments, cwd=root, stdin=pipe, stdout=pipe) as process:
        pipes = Pipes(desk, process, greets=False)

        def ask(method: str, params: Json | None = None) -> Json:
            pipes.send({"jsonrpc": "2.0", "id": 1, "method": method, "params": params or {}})
            answer: Json = pipes.read()
            return answer

        about = {"name": "a bench", "version": "1"}
        ask("initialize", {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": about})
        pipes.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        yield ask
