"""The paths of host files, of our plugin folders, and of the records of installations."""

from __future__ import annotations

import os
import re
import sys
from contextlib import suppress

from msgspec import DecodeError, json

from commonplace.bridges.hosts.plans import HostPaths, InstallRecord
from commonplace.errors import CommonplaceError, WorkspaceUnusable
from commonplace.storage import files
from commonplace.storage.config import default_workspace, environment_variable, read_environment

_VARIABLE = re.compile(r"\$\{([A-Z_][A-Z0-9_]*)\}")
_UNSET_VALUES = ("", "undefined", "null")  # what OpenClaw takes for not set


def read_host_paths() -> HostPaths:
    """Read what the environment says of hosts; a relative path in it is meant from the working folder."""
    environment = read_environment()
    home = environment.home
    openclaw_home = _read_path_variable("OPENCLAW_HOME", home) or home
    profile = _read_host_variable("OPENCLAW_PROFILE")
    folder = f".openclaw-{profile}" if profile not in ("", "default") else ".openclaw"
    state = _read_path_variable("OPENCLAW_STATE_DIR", openclaw_home) or f"{openclaw_home}/{folder}"
    claude = _read_path_variable("CLAUDE_CONFIG_DIR", home)
    return HostPaths(
        home=home,
        working_folder=os.path.abspath(os.curdir),
        state_home=environment.state_home,
        openclaw_state=state,
        openclaw_config=_read_path_variable("OPENCLAW_CONFIG_PATH", openclaw_home) or f"{state}/openclaw.json",
        openclaw_workspace=_read_path_variable("OPENCLAW_WORKSPACE_DIR", openclaw_home) or f"{state}/workspace",
        claude=claude or f"{home}/.claude",
        claude_json=f"{claude or home}/.claude.json",
        codex=_read_path_variable("CODEX_HOME", home) or f"{home}/.codex",
        workspace=default_workspace(environment),
        program_path=environment_variable("PATH"),
    )


def absolute_workspace(path: str) -> str:
    """The absolute path of a notebook. Raises WorkspaceUnusable for one that no configuration can name."""
    try:
        os.path.abspath(path).encode()
    except UnicodeEncodeError:
        raise WorkspaceUnusable(path, "its name is not valid UTF-8") from None
    return os.path.abspath(path)


def build_launch_command(*words: str) -> list[str]:
    """The command with which a host starts us: this interpreter by its absolute path, whatever PATH is."""
    return [sys.executable, "-P", "-m", "commonplace", *words]


def expand_host_path(path: str, home: str, base: str) -> str:
    """A path as a host writes it, absolute; `${NAME}` is of the environment, a relative one begins at `base`."""
    path = _VARIABLE.sub(lambda found: environment_variable(found[1]) or found[0], path)
    if path == "~" or path.startswith("~/"):
        path = home + path[1:]
    return os.path.normpath(os.path.join(base, path))


def _read_host_variable(name: str) -> str:
    said = environment_variable(name).strip()
    return "" if said in _UNSET_VALUES else said


def _read_path_variable(name: str, home: str) -> str:
    said = _read_host_variable(name)
    return expand_host_path(said, home, os.path.abspath(os.curdir)) if said else ""


_HERE = os.path.dirname(os.path.abspath(__file__))
_PACKAGE = os.path.dirname(os.path.dirname(_HERE))
_DATA = os.path.join(_PACKAGE, "hosts", "data")  # where installed hosts are configured to look
_REPOSITORY = os.path.join(os.path.dirname(os.path.dirname(_PACKAGE)), "integrations")


def find_plugin_folder(name: str) -> str:
    """The absolute path of `openclaw`, `openclaw-slot` or `claude-code`. Raises CommonplaceError if it is not there."""
    for folder in (_DATA, _REPOSITORY):
        path = os.path.join(folder, name)
        if os.path.isdir(path):
            return path
    hint = "install Commonplace again: this folder is part of the package"
    raise CommonplaceError(f"the part for {name!r} is not in this installation", path=f"{_DATA}/{name}", hint=hint)


RECORD_FOLDER = "commonplace/hosts"
_DIGEST_CHARS = 12  # characters of the digest of a path


def find_install_record(host_paths: HostPaths, host: str, real_path: str) -> InstallRecord | None:
    """The record of what we wrote into this file; None if there is none."""
    records = list_install_records(host_paths)
    return next((one for one in records if (one.host, one.path) == (host, real_path)), None)


def list_install_records(host_paths: HostPaths) -> tuple[InstallRecord, ...]:
    """All records, sorted by host and path."""
    found, folder = [], f"{host_paths.state_home}/{RECORD_FOLDER}"
    for name in files.list_folder_names(folder):
        if not name.startswith("."):  # else it is an older version that a kill has left
            with suppress(DecodeError):  # half a record is none: our part is then found by its names
                found.append(json.decode(files.read_foreign_file(f"{folder}/{name}").data or b"", type=InstallRecord))
    return tuple(sorted(found, key=lambda one: (one.host, one.path)))


def write_install_record(host_paths: HostPaths, install_record: InstallRecord) -> None:
    """Write a record in the place of an earlier one."""
    expected_file = files.read_foreign_file(_install_record_path(host_paths, install_record.host, install_record.path))
    files.write_foreign_file(expected_file, json.encode(install_record) + b"\n")


def remove_install_record(host_paths: HostPaths, host: str, real_path: str) -> None:
    """Forget what we wrote into this file, once it is undone."""
    files.remove_foreign_file(files.read_foreign_file(_install_record_path(host_paths, host, real_path)))


def _install_record_path(host_paths: HostPaths, host: str, real_path: str) -> str:
    name = f"{host}-{files.content_digest(os.fsencode(real_path))[:_DIGEST_CHARS]}.json"
    return os.path.join(host_paths.state_home, RECORD_FOLDER, name)
