"""What can be wrong with us in any host: the command that it starts, the notebook, who else may write its files."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator
from typing import Any

from commonplace import files
from commonplace.hosts.asking import first_line, is_program, last_words
from commonplace.hosts.nouns import Finding

READY = '"ready":true'
HELLO = (
    b'{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},'
    b'"clientInfo":{"name":"commonplace doctor","version":"1"}}}\n'
)


def engine_findings(host: str, command: Any, workspace: str) -> Iterator[Finding]:
    """Whether the command of a plugin starts and says that it is ready. `workspace` is the notebook it works on."""
    wrong = command_finding(host, command)
    if wrong is not None:
        yield wrong
    elif not os.path.isdir(workspace):
        hint = f"run `commonplace init {shlex.quote(workspace)}`, or let the host make it"
        yield Finding(host, "workspace-missing", f"there is no notebook at {workspace!r}", path=workspace, hint=hint)
    else:
        answer = first_line([*command, "--workspace", workspace])
        if READY not in answer.out.replace(" ", ""):
            yield _silent(host, [*command, "--workspace", workspace], last_words(answer))


def mcp_findings(host: str, command: Any, path: str) -> Iterator[Finding]:
    """Whether an MCP server that a host starts answers the first message."""
    wrong = command_finding(host, command, path)
    if wrong is not None:
        yield wrong
        return
    answer = first_line(command, HELLO)
    if '"result"' not in answer.out:
        yield _silent(host, command, last_words(answer))


def command_finding(host: str, command: Any, path: str = "") -> Finding | None:
    """What is wrong with a command before it is started; None if nothing is."""
    again = f"run `commonplace install {host}`"
    if not (isinstance(command, list) and command and all(isinstance(word, str) for word in command)):
        return Finding(host, "engine-missing", "the host does not say how we are started", path=path, hint=again)
    if not os.path.isabs(command[0]):
        told = f"{command[0]!r} is no absolute path: what is started depends on the PATH of the host"
        return Finding(host, "engine-missing", told, path=path, hint=again)
    if not is_program(command[0]):
        told = f"there is no program {command[0]!r}: it went with its environment"
        return Finding(host, "engine-missing", told, path=path, hint=again)
    return None


def words_of(server: dict[str, Any]) -> list[str]:
    """The command of an MCP server as a list of words; empty if what stands there is none."""
    arguments = server.get("args") or []
    words = [server.get("command"), *(arguments if isinstance(arguments, list) else [None])]
    return [word for word in words if isinstance(word, str)] if all(isinstance(word, str) for word in words) else []


def open_to_others(host: str, path: str) -> Iterator[Finding]:
    """Whether others may write, or read, a configuration that holds keys and says what is started."""
    openness = files.openness(path)
    if openness:
        told = f"others may {openness} the configuration of the host"
        level: Any = "problem" if openness == "write" else "note"
        hint = f"chmod {'go-w' if level == 'problem' else '600'} {shlex.quote(path)}"
        yield Finding(host, "open-to-others", told, level, path, hint)


def _silent(host: str, command: list[str], why: str) -> Finding:
    hint = f"try it by hand: {shlex.join(command)}"
    return Finding(host, "engine-silent", f"the command that the host starts does not answer: {why}", hint=hint)
