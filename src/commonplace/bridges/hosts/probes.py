"""Runs other programs with a deadline, and checks what any host needs: the command, the workspace, file permissions."""

from __future__ import annotations

import os
import shlex
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from select import select
from time import monotonic
from typing import Any

from msgspec import DecodeError, Struct, json

from commonplace.bridges.hosts.plans import Finding, HostPaths
from commonplace.shapes import Json
from commonplace.storage import files

MAX_OUTPUT_BYTES = 4_000_000  # bytes of an answer
START_TIMEOUT_S = 20.0  # how long our own command may take until it says something
EXIT_TIMEOUT_S = 2.0  # how long it may take to end once nobody talks to it
HOST_TIMEOUT_S = 120.0  # how long a host may take: it loads all its plugins


class ProgramOutput(Struct, frozen=True):
    """The output and exit code of a program; `exit_code` is -1 if it could not be started or did not answer in time."""

    exit_code: int
    stdout: str
    stderr: str


def find_program(name: str, host_paths: HostPaths) -> str:
    """The absolute path of a program on the PATH; empty if it is not there."""
    from shutil import which

    return which(name, path=host_paths.program_path) or ""


def run_program(command: list[str], seconds: float = HOST_TIMEOUT_S) -> ProgramOutput:
    """Run a program to its end."""
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=seconds, check=False)  # noqa: S603 - words of ours, no shell
    except subprocess.TimeoutExpired:
        return ProgramOutput(-1, "", f"no answer within {seconds:g} s")
    except OSError as error:
        return ProgramOutput(-1, "", (error.strerror or str(error)).lower())
    out, err = (said[:MAX_OUTPUT_BYTES].decode("utf-8", "replace") for said in (done.stdout, done.stderr))
    return ProgramOutput(done.returncode, out, err)


def read_first_output_line(
    command: list[str], input_data: bytes = b"", seconds: float = START_TIMEOUT_S
) -> ProgramOutput:
    """Start a program that reads and writes lines, send it something, return its first line, and stop it."""
    try:
        child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)  # noqa: S603 - the command that the host would start
    except OSError as error:
        return ProgramOutput(-1, "", (error.strerror or str(error)).lower())
    with child:
        if child.stdin is None or child.stdout is None:
            return ProgramOutput(-1, "", "it has no streams")
        with suppress(BrokenPipeError):  # it is gone already: what it said tells why
            child.stdin.write(input_data)
            child.stdin.flush()
        line = _read_until_newline(child.stdout.fileno(), seconds)
        try:
            _out, err = child.communicate(timeout=EXIT_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            child.kill()
            child.communicate()
            return ProgramOutput(0, line, "") if line else ProgramOutput(-1, "", f"no answer within {seconds:g} s")
        return ProgramOutput(0 if line else child.returncode or -1, line, err.decode("utf-8", "replace"))


def _read_until_newline(descriptor: int, seconds: float) -> str:
    """The output of a program up to the first newline; empty if that does not come in time."""
    said, until = b"", monotonic() + seconds
    while b"\n" not in said and len(said) < MAX_OUTPUT_BYTES:
        ready, _, _ = select([descriptor], [], [], max(0.0, until - monotonic()))
        piece = os.read(descriptor, 65536) if ready else b""
        if not piece:
            return ""
        said += piece
    return said.partition(b"\n")[0].decode("utf-8", "replace")


def last_output_line(output: ProgramOutput) -> str:
    """The last line that a program said, for a message about it."""
    said = (output.stderr.strip() or output.stdout).split("\n")
    lines = [line for line in said if line.strip() and not line.startswith("hint: ")]
    return lines[-1].strip()[:300] if lines else f"it ended with {output.exit_code} without a message"


READY_MARK = '"ready":true'
MCP_INITIALIZE = (
    b'{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},'
    b'"clientInfo":{"name":"commonplace doctor","version":"1"}}}\n'
)


def check_plugin_command(host: str, command: Any, workspace: str) -> Iterator[Finding]:
    """Whether the command of a plugin starts and says that it is ready. `workspace` is the notebook it works on."""
    if check_command(host, command) is None and not os.path.isdir(workspace):
        hint = f"run `commonplace init {shlex.quote(workspace)}`, or let the host make it"
        yield Finding(host, "workspace-missing", f"there is no workspace at {workspace!r}", path=workspace, hint=hint)
    else:
        yield from _check_answer(host, command, READY_MARK, ("--workspace", workspace))


def check_mcp_server(host: str, command: Any) -> Iterator[Finding]:
    """Whether an MCP server that a host starts answers the first message."""
    yield from _check_answer(host, command, '"result"')


def _check_answer(host: str, command: Any, mark: str, more_words: tuple[str, ...] = ()) -> Iterator[Finding]:
    """Whether a command can be started, and has this mark in its first line; a server is asked for it."""
    if wrong := check_command(host, command):
        yield wrong
        return
    command = [*command, *more_words]
    output = read_first_output_line(command, b"" if more_words else MCP_INITIALIZE)
    if mark not in output.stdout.replace(" ", ""):
        told = f"the command that the host starts does not answer: {last_output_line(output)}"
        yield Finding(host, "engine-silent", told, hint=f"try it by hand: {shlex.join(command)}")


def check_command(host: str, command: Any) -> Finding | None:
    """The problem with a command, found before it is started; None if there is none."""
    if not (isinstance(command, list) and command and all(isinstance(word, str) for word in command)):
        told = "the configuration does not say how Commonplace is started"
    elif not os.path.isabs(command[0]):
        told = f"{command[0]!r} is not an absolute path, so the program depends on the PATH of the host"
    elif not (os.path.isfile(command[0]) and os.access(command[0], os.X_OK)):
        told = f"there is no program {command[0]!r}: its environment was removed"
    else:
        return None
    return Finding(host, "engine-missing", told, hint=f"run `commonplace install {host}`")


def parse_server_command(server: Json) -> list[str]:
    """The command of an MCP server as a list of words; empty if the entry has no valid command."""
    arguments = server.get("args") or []
    words = [server.get("command"), *(arguments if isinstance(arguments, list) else [None])]
    return [word for word in words if isinstance(word, str)] if all(isinstance(word, str) for word in words) else []


def check_permissions(host: str, path: str) -> Iterator[Finding]:
    """Whether others may write, or read, a configuration that holds keys and says what is started."""
    openness = files.access_by_others(path)
    if openness:
        told = f"others may {openness} the configuration of the host"
        level: Any = "problem" if openness == "write" else "note"
        hint = f"chmod {'go-w' if level == 'problem' else '600'} {shlex.quote(path)}"
        yield Finding(host, "open-to-others", told, level, path, hint)


FAILURE_PATH = ".memory/failed-consolidation.json"


class ConsolidationFailure(Struct, frozen=True):
    """Why the last consolidation that nobody watched failed, and when."""

    ts: str
    message: str


def note_consolidation(root: str, failure: ConsolidationFailure | None) -> None:
    """Leave word for `doctor` that a consolidation in the background failed, or that the last one did not."""
    if failure is not None:
        files.write_atomic(root, FAILURE_PATH, json.encode(failure) + b"\n")
    elif not files.is_missing(root, FAILURE_PATH):
        files.remove_file(root, FAILURE_PATH)


def check_last_consolidation(host: str, workspace: str) -> Iterator[Finding]:
    """Whether the last consolidation at the end of a session failed."""
    path = os.path.join(workspace, FAILURE_PATH)
    data = files.read_foreign_file(path).data
    with suppress(DecodeError):  # half a note is none
        failure = json.decode(data or b"", type=ConsolidationFailure)
        told = f"the consolidation at the end of a session failed at {failure.ts}: {failure.message}"
        yield Finding(host, "consolidation-failed", told, path=path, hint="the session waits for the next one")


def split_shell_line(line: str) -> list[str]:
    """The words of a line for a shell; none if a quote in it is not closed."""
    try:
        return shlex.split(line)
    except ValueError:
        return []
