"""Where hosts keep their configuration and their notebooks, as the environment says it."""

from __future__ import annotations

import os
import re
import sys

from commonplace.config import default_workspace, surroundings, variable
from commonplace.errors import WorkspaceUnusable
from commonplace.hosts.nouns import Choice, Places

_VARIABLE = re.compile(r"\$\{([A-Z_][A-Z0-9_]*)\}")
_UNSET = ("", "undefined", "null")  # what OpenClaw takes for not set


def places() -> Places:
    """Read what the environment says of hosts; a relative path in it is meant from the working folder."""
    around = surroundings()
    home = around.home
    openclaw_home = _path("OPENCLAW_HOME", home) or home
    profile = _said("OPENCLAW_PROFILE")
    folder = f".openclaw-{profile}" if profile not in ("", "default") else ".openclaw"
    state = _path("OPENCLAW_STATE_DIR", openclaw_home) or f"{openclaw_home}/{folder}"
    claude = _path("CLAUDE_CONFIG_DIR", home)
    return Places(
        home=home,
        here=os.path.abspath(os.curdir),
        state=around.state_home,
        openclaw_state=state,
        openclaw_config=_path("OPENCLAW_CONFIG_PATH", openclaw_home) or f"{state}/openclaw.json",
        openclaw_workspace=_path("OPENCLAW_WORKSPACE_DIR", openclaw_home) or f"{state}/workspace",
        claude=claude or f"{home}/.claude",
        claude_json=f"{claude or home}/.claude.json",
        codex=_path("CODEX_HOME", home) or f"{home}/.codex",
        workspace=default_workspace(around),
        program_path=variable("PATH"),
    )


def workspace_of(choice: Choice, where: Places) -> str:
    """The notebook that was asked for, else the default one, as an absolute path."""
    return notebook(choice.workspace or where.workspace)


def notebook(path: str) -> str:
    """The absolute path of a notebook. Raises WorkspaceUnusable for one that no configuration can name."""
    try:
        os.path.abspath(path).encode()
    except UnicodeEncodeError:
        raise WorkspaceUnusable(path, "its name is not valid UTF-8") from None
    return os.path.abspath(path)


def command(*words: str) -> list[str]:
    """How a host starts us: this interpreter by its absolute path, so that no PATH and no working folder matters."""
    return [sys.executable, "-P", "-m", "commonplace", *words]


def expanded(path: str, home: str, base: str) -> str:
    """A path as a host writes it, absolute: `${NAME}` is of the environment, `~` the home folder; a relative one begins
    at `base`."""
    path = _VARIABLE.sub(lambda found: variable(found[1]) or found[0], path)
    if path == "~" or path.startswith("~/"):
        path = home + path[1:]
    return os.path.normpath(os.path.join(base, path))


def _said(name: str) -> str:
    said = variable(name).strip()
    return "" if said in _UNSET else said


def _path(name: str, home: str) -> str:
    said = _said(name)
    return expanded(said, home, os.path.abspath(os.curdir)) if said else ""
