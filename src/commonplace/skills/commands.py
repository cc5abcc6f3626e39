"""What a tool call did, as steps of a procedure: a shell command cut into its parts, an edit, a call with arguments."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Any

import msgspec
from msgspec import Struct

from commonplace.skills.vocabulary import words_of

PATHS = ("file_path", "path", "filename", "file", "notebook_path", "target_file")
COMMANDS = ("command", "cmd", "script", "input")
MOST_ARGUMENTS = 6
MOST_COMMAND = 8_000  # characters; what is longer is a script
LONG = 80  # characters of an argument; a longer one is content, not part of how it is done

_RISKY = (
    r"\brm\s+(?:-\w+\s+)*-\w*[rRf]|\bgit\s+(?:push\b.*(?:\s-f\b|--force)|reset\s+--hard|clean\s+-\w*f)|--no-verify\b|\bkill\s+-9"
    r"|\bpkill\b|\bkillall\b|\bdd\s+if=|\bmkfs|\bchmod\s+(?:-R\s+)?777|\b(?:drop|truncate)\s+(?:table|database)\b|\bdestroy\b"
    r"|\bkubectl\s+delete\b|-X\s*DELETE\b|\b(?:curl|wget)\b[^|]*\|\s*(?:sudo\s+)?(?:ba|z)?sh\b|\bsudo\b|\bdelete_"
)
_SENDS = (
    r"-X\s*(?:POST|PUT|PATCH|DELETE)\b|--request[ =](?:POST|PUT|PATCH|DELETE)\b"
    r"|\s(?:-d|--data\S*|-F|--form|-T|--upload-file)\b"
)
_WRITES = r"(?<![0-9&])>>?\s*(?!/dev/null|&)[\w./~$-]"
_HEREDOC = r"<<-?\s*(['\"]?)(\w+)\1"
_CONTROL = r"\s*(?:for|while|until|if|case|function)\b|\s*\w+\s*\(\)"
_LONG_TEXT = (  # a message over several lines is content
    r"\"\$\(cat <<-?\s*(['\"]?)(\w+)\1\n[\s\S]*?\n\s*\2\s*\)\"|\"(?:\\.|[^\"\\])*\"|'[^']*'"
)


class Part(Struct, frozen=True):
    """One thing that was done. `masked`: its exit code is that of something else (`… | tail`, `… || true`)."""

    text: str
    is_action: bool
    masked: bool = False


def parts(tool: str, arguments: Any) -> tuple[Part, ...]:
    """What a tool call did, in order; nothing for a call that only looked at things."""
    name = tool.rpartition("__")[2]
    key = name.lower()
    given = _arguments(arguments)
    if key in words_of("shells"):
        command = _command(given)
        return tuple(_shell_parts(command)) if len(command) <= MOST_COMMAND else (Part(command, is_action=True),)
    if key in words_of("books") or given.get("command") == "view":
        return ()
    if key in words_of("edits"):
        path = next((str(given[field]) for field in PATHS if given.get(field)), "")
        return (Part(call_text(name, {"path": path} if path else {}), is_action=True),)
    verbs = _words(name)
    if verbs & words_of("reading") and not verbs & words_of("actions"):
        return ()
    return (Part(call_text(name, given), is_action=True),)


def call_text(tool: str, arguments: dict[str, Any]) -> str:
    """A call as a step: `send_mail(to=ana@example.com, subject="Hello")`; long or nested arguments as `$data`."""
    shown = [f"{key}={_value(value)}" for key, value in list(arguments.items())[:MOST_ARGUMENTS]]
    return f"{tool}({', '.join(shown)})"


def split_call(text: str) -> tuple[str, str]:
    """The tool of a step and what it is given; `shell` for a command."""
    found = _call().fullmatch(text)
    return (found[1], found[2]) if found else ("shell", text)


def is_risky(text: str) -> bool:
    """Whether a step destroys, forces, or runs what it has just fetched."""
    return _pattern(_RISKY).search(text) is not None


def head(text: str) -> str:
    """What a step calls: the program and its verb, or the tool."""
    tool, command = split_call(text)
    if tool != "shell":
        return tool
    words = _plain_words(command)
    return " ".join(word.rpartition("/")[2] for word in words[:2] if word[:1] not in "-$\"'")


def _arguments(arguments: Any) -> dict[str, Any]:
    if isinstance(arguments, str):
        try:
            decoded = msgspec.json.decode(arguments)
        except (ValueError, RecursionError):
            return {"command": arguments}
        return decoded if isinstance(decoded, dict) else {"command": arguments}
    if isinstance(arguments, list):
        return {"command": arguments}
    return arguments if isinstance(arguments, dict) else {}


def _command(given: dict[str, Any]) -> str:
    command = next((given[field] for field in COMMANDS if given.get(field)), "")
    if isinstance(command, list):
        words = [str(word) for word in command]
        return words[-1] if len(words) > 1 and words[0].rpartition("/")[2] in words_of("shells") else " ".join(words)
    return str(command)


def _shell_parts(command: str) -> Iterator[Part]:
    for text in _sequence(command.replace("\\\n", " ")):
        shown, masked = _unpiped(_pattern(r"\s*(?:2>&1|&?[12]?>\s*/dev/null)").sub("", text))
        if shown and not _is_reading(shown):
            yield Part(shown, _is_action(shown), masked)


def _sequence(command: str) -> Iterator[str]:
    """The commands that follow on each other: cut at `&&`, `;` and line ends outside of quotes and brackets."""
    command = _without_heredocs(_pattern(_LONG_TEXT).sub(lambda said: "$data" if "\n" in said[0] else said[0], command))
    if _pattern(_HEREDOC).search(command) or _pattern(_CONTROL).match(command):
        yield command.strip()
        return
    yield from (piece for piece in _cut(command, ("&&", ";", "\n")) if piece)


def _without_heredocs(command: str) -> str:
    """`cat > a.txt <<EOF …` is a file written; the text of any other here-document stays, on lines of its own."""
    found = _pattern(_HEREDOC).search(command)
    target = _pattern(r"(?:>>?|\btee(?:\s+-a)?)\s*([\w./~$-]+)").search(command) if found else None
    if found is None or target is None:
        return command
    line = command.rfind("\n", 0, found.start()) + 1
    body = _pattern(rf"\n[ \t]*{found[2]}[ \t]*(?:\n|$)").search(command, found.end())
    rest = command[body.end() :] if body else ""
    return command[:line] + call_text("Write", {"path": target[1]}) + "\n" + _without_heredocs(rest)


def _cut(text: str, marks: tuple[str, ...]) -> list[str]:
    """Cut at these marks, but not inside quotes, brackets or behind a backslash."""
    if not any(mark in text for mark in marks):
        return [text.strip()]
    pieces, start, at, depth = [], 0, 0, 0
    while found := _pattern(r"\\[\s\S]?|[\"'`()]|&&|\|\|?|;|\n").search(text, at):
        sign, at = found[0], found.end()
        if sign in "\"'`":
            at = _closing(text, at, sign)
        elif sign in "()":
            depth = max(0, depth + (1 if sign == "(" else -1))
        elif not depth and sign in marks:
            pieces.append(text[start : found.start()].strip())
            start = at
    return [*pieces, text[start:].strip()]


def _closing(text: str, at: int, quote: str) -> int:
    """The place behind the end of a quotation; the end of the text where it does not end."""
    ending = quote if quote == "'" else rf"(?:[^\\{quote}]|\\[\s\S])*{quote}"
    found = _pattern(ending).search(text, at) if quote == "'" else _pattern(ending).match(text, at)
    return found.end() if found else len(text)


def _unpiped(text: str) -> tuple[str, bool]:
    """The command without the readers that its output runs through, and whether its exit code was masked."""
    stages = _cut(text, ("||", "|"))
    kept = list(stages)
    if "||" in text and len(stages) > 1:
        return text.strip(), True
    while len(kept) > 1 and _is_reading(kept[-1]):
        kept.pop()
    return " | ".join(kept), len(stages) > 1


def _is_reading(text: str) -> bool:
    """Whether a pipeline only looks."""
    return all(_stage_reads(stage) for stage in _cut(text, ("||", "|")))


def _stage_reads(stage: str) -> bool:
    words = _plain_words(stage)
    if not words:
        return True
    program = words[0].rpartition("/")[2]
    if _pattern(_WRITES).search(stage):
        return False
    if program in words_of("readers"):
        changes = (program == "sed" and "-i" in stage) or (program == "find" and re.search(r"-delete|-exec", stage))
        return not changes
    if _pattern(r"\s(?:--version|--help|-h)\b").search(f" {stage}"):
        return True
    verbs = words[1 : 3 if program in words_of("nested") else 2]
    return program not in ("ssh", "curl") and any(verb in words_of("reading") for verb in verbs)


def _is_action(text: str) -> bool:
    if _pattern(_WRITES).search(text) or _pattern(_SENDS).search(text) or _call().fullmatch(text):
        return True
    if re.match(r"\s*(?:curl|wget)\b", text):
        return False
    return any(
        _words(" ".join(_plain_words(stage)[:4])) & words_of("actions") for stage in _cut(text, ("||", "|", "&&"))
    )


def _plain_words(command: str) -> list[str]:
    """The words without settings of variables, `sudo` and their like in front."""
    words = command.split()
    while words and (words[0] in ("sudo", "time", "env", "nohup", "exec") or re.match(r"[A-Z_]+=", words[0])):
        words = words[1:]
    return words


def _words(text: str) -> set[str]:
    """The words in a name, also between humps: `TodoWrite`, `mcp__mail__send_message`, `build:prod`."""
    return {word.lower() for word in _pattern(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])").findall(text)}


def _value(value: Any) -> str:
    if isinstance(value, bool) or value is None:
        return str(value).lower()
    if isinstance(value, int | float):
        return str(value)
    if not isinstance(value, str) or len(value) > LONG or "\n" in value:
        return "$data"
    return value if value and not re.search(r"[\s,\"'()`]", value) else '"' + value.replace('"', "'") + '"'


@cache
def _call() -> re.Pattern[str]:
    return re.compile(r"([A-Za-z][\w.:-]*)\((.*)\)")


@cache
def _pattern(written: str) -> re.Pattern[str]:
    return re.compile(written, re.IGNORECASE if written == _RISKY else 0)
