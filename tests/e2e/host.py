"""One OpenClaw of its own: its state, settings and workspace in a folder, its gateway on a free port of this machine."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import perf_counter
from typing import Any, NamedTuple

from e2e.installed import Installed
from e2e.processes import Process, kill, of, wait_until

TOKEN = "e2e"
STARTS, STOPS, TURN, COMMAND = 240.0, 20.0, 240.0, 240.0  # seconds at most
MAIN = "agent:main:"
LAST_WORDS = 800  # characters of a log in a message

Json = dict[str, Any]


class HostError(Exception):
    """The host did not do what it was asked to; the message has its last words."""


class Turn(NamedTuple):
    """What the agent answered, and how long it took in seconds."""

    text: str
    seconds: float


class Host:
    """The folder, the settings and the gateway of one OpenClaw; nothing outside the folder is touched."""

    def __init__(self, folder: Path, place: Installed, model_port: int) -> None:
        self.folder, self._place = folder, place
        self.workspace = folder / "workspace"
        self.settings = folder / "state/openclaw.json"
        self.log = folder / "gateway.log"
        for name in ("home", "state", "tmp", "workspace/memory"):
            (folder / name).mkdir(parents=True)
        self.port = _free_port()
        self.environment = _environment(folder, place)
        self._gateway: subprocess.Popen[bytes] | None = None
        self.write_settings(_settings(self, model_port))

    def read_settings(self) -> Json:
        """The settings as they stand."""
        return dict(json.loads(self.settings.read_text(encoding="utf-8")))

    def write_settings(self, settings: Json) -> None:
        """Settings instead of those that stand there."""
        self.settings.write_text(json.dumps(settings, indent=2) + "\n", encoding="utf-8")

    def note(self, path: str, text: str) -> None:
        """A file of the workspace."""
        (self.workspace / path).write_text(text, encoding="utf-8")

    @property
    def gateway(self) -> int:
        """The number of the gateway's process."""
        if self._gateway is None:
            raise HostError("the gateway does not run")
        return self._gateway.pid

    def start(self) -> float:
        """Start the gateway; the seconds until it answered. HostError if it does not."""
        began = perf_counter()
        with self.log.open("ab") as log:
            self._gateway = subprocess.Popen(
                [*self._place.command, "gateway", "run"],
                env=self.environment,
                cwd=self.folder,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        gateway = self._gateway
        wait_until(lambda: gateway.poll() is not None or self._is_up(), STARTS)
        if gateway.poll() is not None or not self._is_up():
            raise HostError(f"the gateway did not start: {self.last_words()}")
        return perf_counter() - began

    def stop(self) -> None:
        """Stop the gateway as a person would, and wait until it is gone."""
        self._end(signal.SIGTERM)

    def crash(self) -> None:
        """Stop the gateway at once, with no word to it."""
        self._end(signal.SIGKILL)

    def _end(self, how: signal.Signals) -> None:
        gateway, self._gateway = self._gateway, None
        if gateway is None:
            return
        gateway.send_signal(how)
        try:
            gateway.wait(STOPS)
        except subprocess.TimeoutExpired:
            gateway.kill()
            gateway.wait()

    def restart(self) -> None:
        """Stop it and start it again."""
        self.stop()
        self.start()

    def close(self) -> list[Process]:
        """Stop the gateway and end what is left; what had to be ended."""
        self.stop()
        left = of(self.folder)
        for process in left:
            kill(process.number)
        wait_until(lambda: not of(self.folder), STOPS)
        return left

    def turn(self, text: str, session: str = "main") -> Turn:
        """One message of the owner in a session (of the main agent, or `agent:NAME:…`), through the gateway; the answer."""
        began = perf_counter()
        agent = session.split(":")[1] if session.startswith("agent:") else ""
        model = f"openclaw/{agent}" if agent else "openclaw"
        asked = {"model": model, "messages": [{"role": "user", "content": text}]}
        key = session if agent else MAIN + session
        given = self._post("/v1/chat/completions", asked, {"x-openclaw-session-key": key})
        return Turn(given["choices"][0]["message"]["content"] or "", perf_counter() - began)

    def invoke(self, tool: str, **arguments: Any) -> Json:
        """The result of a tool, without a model."""
        return dict(self._post("/tools/invoke", {"tool": tool, "args": arguments})["result"])

    def rpc(self, method: str, **parameters: Any) -> Json:
        """One of the methods that the gateway lets an operator call over HTTP."""
        return dict(self._post("/api/v1/admin/rpc", {"method": method, "params": parameters})["payload"])

    def call(self, method: str, **parameters: Any) -> Json:
        """Any method of the gateway, by its own command; costs some seconds."""
        said = self.command("gateway", "call", method, "--json", "--params", json.dumps(parameters))
        return dict(json.loads(said.stdout[said.stdout.index("{") :]))

    def command(self, *arguments: str, check: bool = True) -> subprocess.CompletedProcess[str]:
        """`openclaw …`; HostError if it fails and `check` is set."""
        return self.run([*self._place.command, *arguments], check=check)

    def commonplace(self, *arguments: str, check: bool = True) -> subprocess.CompletedProcess[str]:
        """`commonplace …`, as the owner of this host would call it."""
        return self.run([str(Path(sys.executable).with_name("commonplace")), *arguments], check=check)

    def run(self, command: list[str], *, check: bool) -> subprocess.CompletedProcess[str]:
        """A command in the surroundings of this host."""
        around: Json = {"env": self.environment, "cwd": self.folder, "stdin": subprocess.DEVNULL}
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=COMMAND, check=False, **around)
        except subprocess.TimeoutExpired as error:
            raise HostError(f"{' '.join(command[1:4])} did not end within {COMMAND:.0f} seconds") from error
        if check and done.returncode:
            said = (done.stdout + done.stderr)[-LAST_WORDS:]
            raise HostError(f"{' '.join(command[1:4])} ended with {done.returncode}: {said}")
        return done

    def log_since(self, mark: int) -> str:
        """What the gateway wrote behind the first so many bytes."""
        return self.log.read_bytes()[mark:].decode(errors="replace")

    def log_mark(self) -> int:
        """How much the gateway has written."""
        return self.log.stat().st_size if self.log.exists() else 0

    def last_words(self) -> str:
        """The end of what the gateway wrote."""
        return self.log.read_text(encoding="utf-8", errors="replace")[-LAST_WORDS:]

    def _is_up(self) -> bool:
        try:
            urllib.request.urlopen(f"http://127.0.0.1:{self.port}/health", timeout=5).close()
        except OSError:
            return False
        return True

    def _post(self, path: str, body: Json, more: dict[str, str] | None = None) -> Json:
        head = {"Authorization": f"Bearer {TOKEN}", "Content-Type": "application/json", **(more or {})}
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}{path}", json.dumps(body).encode(), head)
        try:
            with urllib.request.urlopen(request, timeout=TURN) as reply:
                return dict(json.loads(reply.read()))
        except urllib.error.HTTPError as error:
            said = error.read().decode(errors="replace")[-LAST_WORDS:]
            raise HostError(f"{path} answered {error.code}: {said}") from error
        except OSError as error:
            raise HostError(f"{path} did not answer: {error}; {self.last_words()}") from error


@contextmanager
def running(host: Host) -> Iterator[Host]:
    """The host with its gateway up while the block runs, and the gateway gone behind it."""
    host.start()
    try:
        yield host
    finally:
        host.stop()


def _free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


def _environment(folder: Path, place: Installed) -> dict[str, str]:
    """Nothing of ours but the language, the path, and where Python finds what runs these checks."""
    kept = {name: os.environ[name] for name in ("LANG", "LC_ALL", "PYTHONPATH") if name in os.environ}
    beside = (place.node.parent, place.folder / "node_modules/.bin", Path(sys.executable).parent)
    return kept | {
        "PATH": os.pathsep.join([*map(str, beside), os.environ["PATH"]]),
        "HOME": str(folder / "home"),
        "TMPDIR": str(folder / "tmp"),
        "OPENCLAW_HOME": str(folder / "home"),
        "OPENCLAW_STATE_DIR": str(folder / "state"),
        "OPENCLAW_CONFIG_PATH": str(folder / "state/openclaw.json"),
        "OPENCLAW_GATEWAY_TOKEN": TOKEN,
        "OPENCLAW_OFFLINE": "1",
        "OPENCLAW_NO_AUTO_UPDATE": "1",
        "DO_NOT_TRACK": "1",
        "NO_COLOR": "1",
        "CI": "1",
    }


def _settings(host: Host, model_port: int) -> Json:
    """A gateway that asks the scripted model and nobody else."""
    nothing = {"input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0}
    model = {"id": "scripted", "name": "Scripted", "reasoning": False, "input": ["text"], "cost": nothing}
    provider = {"baseUrl": f"http://127.0.0.1:{model_port}/v1", "apiKey": "none", "api": "openai-completions"}
    return {
        "update": {"checkOnStart": False},
        "telemetry": {"enabled": False},
        "logging": {"file": str(host.folder / "openclaw.log")},
        "gateway": {
            "mode": "local",
            "bind": "loopback",
            "port": host.port,
            "auth": {"mode": "token", "token": TOKEN},
            "http": {"endpoints": {"chatCompletions": {"enabled": True}}},
        },
        "agents": {
            "defaults": {
                "workspace": str(host.workspace),
                "skipBootstrap": True,
                "model": {"primary": "lab/scripted"},
                "heartbeat": {"every": "0m"},
            }
        },
        "models": {
            "mode": "merge",
            "providers": {"lab": provider | {"models": [model | {"contextWindow": 128_000, "maxTokens": 4_096}]}},
        },
        "memory": {"search": {"provider": "none"}},
        "plugins": {"entries": {"admin-http-rpc": {"enabled": True}}},
    }
