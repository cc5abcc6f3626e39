"""The steps of a procedure, cut from what a tool call did, and the slots whose values become `$parameters`."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import cache
from itertools import count
from typing import Any, Literal, cast, get_args

import msgspec
from msgspec import Struct

from commonplace.language.word_data import SHARED, load_word_table
from commonplace.lazy import lazy_pattern
from commonplace.shapes import Json

WordListName = Literal["shells", "edits", "readers", "reading", "nested", "books", "actions", "assent"]
PATH_ARGUMENTS = ("file_path", "path", "filename", "file", "notebook_path", "target_file")
COMMAND_ARGUMENTS = ("command", "cmd", "script", "input")
MAX_ARGUMENTS = 6
MAX_COMMAND_CHARS = 8_000  # characters; what is longer is a script
MAX_ARGUMENT_CHARS = 80  # characters of an argument; a longer one is content, not part of how it is done

_RISKY_REGEX = (
    r"\brm\s+(?:-\w+\s+)*-\w*[rRf]|\bgit\s+(?:push\b.*(?:\s-f\b|--force)|reset\s+--hard|clean\s+-\w*f)|--no-verify\b|\bkill\s+-9"
    r"|\bpkill\b|\bkillall\b|\bdd\s+if=|\bmkfs|\bchmod\s+(?:-R\s+)?777|\b(?:drop|truncate)\s+(?:table|database)\b|\bdestroy\b"
    r"|\bkubectl\s+delete\b|-X\s*DELETE\b|\b(?:curl|wget)\b[^|]*\|\s*(?:sudo\s+)?(?:ba|z)?sh\b|\bsudo\b|\bdelete_"
)
_SENDS_DATA_REGEX = (
    r"-X\s*(?:POST|PUT|PATCH|DELETE)\b|--request[ =](?:POST|PUT|PATCH|DELETE)\b"
    r"|\s(?:-d|--data\S*|-F|--form|-T|--upload-file)\b"
)
_WRITES_FILE_REGEX = r"(?<![0-9&])>>?\s*(?!/dev/null|&)[\w./~$-]"
_HEREDOC_REGEX = r"<<-?\s*(['\"]?)(\w+)\1"
_CONTROL_FLOW_REGEX = r"\s*(?:for|while|until|if|case|function)\b|\s*\w+\s*\(\)"
_QUOTED_TEXT_REGEX = (  # a message over several lines is content
    r"\"\$\(cat <<-?\s*(['\"]?)(\w+)\1\n[\s\S]*?\n\s*\2\s*\)\"|\"(?:\\.|[^\"\\])*\"|'[^']*'"
)


@cache
def word_list(name: WordListName) -> frozenset[str]:
    """Words that classify the calls of tools, and those of a message that agrees."""
    return frozenset(" ".join(load_word_table(SHARED, "tool_words")[name]).split())


class CallPart(Struct, frozen=True):
    """A thing that was done. `is_exit_code_masked`: its exit code is another's (`… | tail`, `… || true`)."""

    text: str
    is_action: bool
    is_exit_code_masked: bool = False


def parse_call_steps(tool: str, arguments: Any) -> tuple[CallPart, ...]:
    """The steps of a tool call, in order; nothing for a call that only looked at things."""
    name = tool.rpartition("__")[2]
    key = name.lower()
    given = _decode_arguments(arguments)
    if key in word_list("shells"):
        command = next((given[field] for field in COMMAND_ARGUMENTS if given.get(field)), "")
        if isinstance(command, list):
            words = [str(word) for word in command]
            is_shell = len(words) > 1 and words[0].rpartition("/")[2] in word_list("shells")
            command = words[-1] if is_shell else " ".join(words)
        script = str(command)
        return tuple(_parse_script(script)) if len(script) <= MAX_COMMAND_CHARS else (CallPart(script, is_action=True),)
    if key in word_list("books") or given.get("command") == "view":
        return ()
    if key in word_list("edits"):
        path = next((str(given[field]) for field in PATH_ARGUMENTS if given.get(field)), "")
        return (CallPart(render_call(name, {"path": path} if path else {}), is_action=True),)
    verbs = _split_identifier_words(name)
    if verbs & word_list("reading") and not verbs & word_list("actions"):
        return ()
    return (CallPart(render_call(name, given), is_action=True),)


def render_call(tool: str, arguments: Json) -> str:
    """A call as a step: `send_mail(to=ana@example.com, subject="Hello")`; long or nested arguments as `$data`."""
    shown = [f"{key}={_render_argument(value)}" for key, value in list(arguments.items())[:MAX_ARGUMENTS]]
    return f"{tool}({', '.join(shown)})"


def split_call(text: str) -> tuple[str, str]:
    """The tool of a step and what it is given; `shell` for a command."""
    found = _CALL_PATTERN.fullmatch(text)
    return (found[1], found[2]) if found else ("shell", text)


def is_risky(text: str) -> bool:
    """Whether a step destroys, forces, or runs what it has just fetched."""
    return re.compile(_RISKY_REGEX, re.IGNORECASE).search(text) is not None


def step_command(text: str) -> str:
    """The command of a step: the program and its subcommand, or the tool."""
    tool, command = split_call(text)
    if tool != "shell":
        return tool
    words = _command_words(command)
    return " ".join(word.rpartition("/")[2] for word in words[:2] if word[:1] not in "-$\"'")


def _decode_arguments(arguments: Any) -> Json:
    decoded = arguments
    if isinstance(arguments, str):
        with suppress(ValueError, RecursionError):
            decoded = msgspec.json.decode(arguments)
    if isinstance(decoded, dict):
        return decoded
    return {"command": arguments} if isinstance(arguments, str | list) else {}


def _parse_script(script: str) -> Iterator[CallPart]:
    """What the commands that follow on each other did, without what only looks and without readers of an output."""
    for text in _split_command_sequence(script.replace("\\\n", " ")):
        command = re.compile(r"\s*(?:2>&1|&?[12]?>\s*/dev/null)").sub("", text)
        stages = _split_outside_quotes(command, ("||", "|"))
        is_masked = len(stages) > 1
        if is_masked and "||" in command:
            shown = command.strip()
        else:
            while len(stages) > 1 and _is_read_only_pipeline(stages[-1]):
                stages.pop()
            shown = " | ".join(stages)
        if shown and not _is_read_only_pipeline(shown):
            yield CallPart(shown, _is_state_changing(shown), is_masked)


def _split_command_sequence(command: str) -> list[str]:
    """The commands that follow on each other: cut at `&&`, `;` and line ends outside of quotes and brackets."""
    command = _replace_heredocs(
        re.compile(_QUOTED_TEXT_REGEX).sub(lambda said: "$data" if "\n" in said[0] else said[0], command)
    )
    if re.compile(_HEREDOC_REGEX).search(command) or re.compile(_CONTROL_FLOW_REGEX).match(command):
        return [command.strip()]
    return _split_outside_quotes(command, ("&&", ";", "\n"))


def _replace_heredocs(command: str) -> str:
    """`cat > a.txt <<EOF …` is a file written; the text of any other here-document stays, on lines of its own."""
    found = re.compile(_HEREDOC_REGEX).search(command)
    target = re.compile(r"(?:>>?|\btee(?:\s+-a)?)\s*([\w./~$-]+)").search(command) if found else None
    if found is None or target is None:
        return command
    line = command.rfind("\n", 0, found.start()) + 1
    body = re.compile(rf"\n[ \t]*{found[2]}[ \t]*(?:\n|$)").search(command, found.end())
    rest = command[body.end() :] if body else ""
    return command[:line] + render_call("Write", {"path": target[1]}) + "\n" + _replace_heredocs(rest)


def _split_outside_quotes(text: str, separators: tuple[str, ...]) -> list[str]:
    """Cut at these marks, but not inside quotes, brackets or behind a backslash."""
    if not any(mark in text for mark in separators):
        return [text.strip()]
    pieces, start, at, depth = [], 0, 0, 0
    while found := re.compile(r"\\[\s\S]?|[\"'`()]|&&|\|\|?|;|\n").search(text, at):
        sign, at = found[0], found.end()
        if sign in "\"'`":  # to behind its end, or that of the text
            ending = "[^']*'" if sign == "'" else rf"(?:[^\\{sign}]|\\[\s\S])*{sign}"
            closing = re.compile(ending).match(text, at)
            at = closing.end() if closing else len(text)
        elif sign in "()":
            depth = max(0, depth + (1 if sign == "(" else -1))
        elif not depth and sign in separators:
            pieces.append(text[start : found.start()].strip())
            start = at
    return [*pieces, text[start:].strip()]


def _is_read_only_pipeline(text: str) -> bool:
    """Whether a pipeline only looks."""
    return all(_is_read_only_stage(stage) for stage in _split_outside_quotes(text, ("||", "|")))


def _is_read_only_stage(stage: str) -> bool:
    words = _command_words(stage)
    if not words:
        return True
    program = words[0].rpartition("/")[2]
    if re.compile(_WRITES_FILE_REGEX).search(stage):
        return False
    if program in word_list("readers"):
        changes = (program == "sed" and "-i" in stage) or (program == "find" and re.search(r"-delete|-exec", stage))
        return not changes
    if re.compile(r"\s(?:--version|--help|-h)\b").search(f" {stage}"):
        return True
    verbs = words[1 : 3 if program in word_list("nested") else 2]
    return program not in ("ssh", "curl") and any(verb in word_list("reading") for verb in verbs)


def _is_state_changing(text: str) -> bool:
    if any(re.search(regex, text) for regex in (_WRITES_FILE_REGEX, _SENDS_DATA_REGEX)) or _CALL_PATTERN.fullmatch(
        text
    ):
        return True
    if re.match(r"\s*(?:curl|wget)\b", text):
        return False
    starts = (" ".join(_command_words(stage)[:4]) for stage in _split_outside_quotes(text, ("||", "|", "&&")))
    return any(_split_identifier_words(start) & word_list("actions") for start in starts)


def _command_words(command: str) -> list[str]:
    """The words without settings of variables, `sudo` and their like in front."""
    words = command.split()
    while words and (words[0] in ("sudo", "time", "env", "nohup", "exec") or re.match(r"[A-Z_]+=", words[0])):
        words = words[1:]
    return words


def _split_identifier_words(text: str) -> set[str]:
    """The words in a name, also between humps: `TodoWrite`, `mcp__mail__send_message`, `build:prod`."""
    return {word.lower() for word in re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])").findall(text)}


def _render_argument(argument: Any) -> str:
    if argument is None or isinstance(argument, bool | int | float):
        return str(argument).lower()
    if not isinstance(argument, str) or len(argument) > MAX_ARGUMENT_CHARS or "\n" in argument:
        return "$data"
    return argument if argument and not re.search(r"[\s,\"'()`]", argument) else '"' + argument.replace('"', "'") + '"'


_CALL_PATTERN = lazy_pattern(r"([A-Za-z][\w.:-]*)\((.*)\)")


ParameterKind = Literal["secret", "text", "url", "address", "date", "id", "path", "version", "number", "data"]
PARAMETER_KINDS: tuple[ParameterKind, ...] = get_args(ParameterKind)
# Kinds that are parameters from the first run on; others are once they differ.
VOLATILE_KINDS = ("secret", "date", "id", "version", "data")

_PARAMETER_REGEX = rf"\$(?P<name>(?P<base>{'|'.join(PARAMETER_KINDS)})(?:_[0-9]+)?)\b"
_REGEX_BY_KIND = {
    "url": r"[A-Za-z][A-Za-z0-9+.-]*://[^\s'\"`]+",
    "address": r"[\w.+-]+@(?:[A-Za-z][\w-]*(?:\.[\w-]+)*|\d{1,3}(?:\.\d{1,3}){3})|\d{1,3}(?:\.\d{1,3}){3}",
    "date": r"\d{4}-\d\d-\d\d(?:[T_]\d\d:?\d\d(?::?\d\d)?Z?)?",
    "id": r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|(?=[0-9a-f]*[0-9])(?=[0-9a-f]*[a-f])[0-9a-f]{7,64}",
    "path": (
        r"(?:~|\.{1,2})?(?:/[\w.@+%$-]+)+/?|[\w.@+-]+(?:/[\w.@+-]+)+/?|\.{1,2}/|[\w-]+(?:\.[\w-]+)*\.[A-Za-z][A-Za-z0-9]{0,4}"
    ),
    "version": r"\d+(?:\.\d+)+(?:[-+][0-9A-Za-z.]+)?",
    "number": r"\d+(?:\.\d+)?",
}
_VALUE_START, _VERSION_START = r"(?<![\w$.@/-])", r"|(?<=(?<![\w.])v)"
_SLOT_REGEX = rf"(?P<secret>⟦secret:[^⟧\s]*⟧)|{_PARAMETER_REGEX}|(?P<text>\"(?:\\.|[^\"\\])*\"|'[^']*')" + "".join(
    rf"|(?:{_VALUE_START}{_VERSION_START * (kind == 'version')})(?P<{kind}>{written})(?![\w@])"
    for kind, written in _REGEX_BY_KIND.items()
)


class Slot(Struct, frozen=True):
    """A place in a step that may differ: what kind of value is there, and the value."""

    kind: str
    value: str
    start: int
    end: int


def find_slots(step: str) -> tuple[Slot, ...]:
    """The places of a step in order. The program itself is none."""
    program = _PROGRAM_PATTERN.match(step)
    first, last = program.span(1) if program else (0, 0)
    found = map(_slot_from_match, _SLOT_PATTERN.finditer(step))
    return tuple(slot for slot in found if slot.end <= first or slot.start >= last)


def normalize_step(step: str) -> str:
    """A step as it is compared: `$kind` in each of its places, single blanks."""
    return " ".join(_replace_slots(step, lambda slot: f"${slot.kind}").split())


def find_parameters(steps: Sequence[str]) -> dict[str, ParameterKind]:
    """The parameters of steps, in order: name to kind; also those that stand within quotes."""
    found = (match for step in steps for match in _PARAMETER_PATTERN.finditer(step))
    return {match["name"]: cast("ParameterKind", match["base"]) for match in found}


def parametrize_steps(steps: Sequence[str]) -> tuple[str, ...]:
    """Steps with a parameter for what hardly stays the same: secrets, versions, dates, ids; equal values share one."""
    names = _ParameterNames(steps)
    steps = [re.sub(r"⟦secret:[^⟧\s]*⟧", lambda it: f"${names.name_for('secret', it[0])}", step) for step in steps]

    def name(slot: Slot) -> str:
        named = slot.kind in VOLATILE_KINDS and not slot.value.startswith("$")
        return "$" + names.name_for(slot.kind, slot.value) if named else slot.value

    return tuple(_replace_slots(step, name) for step in steps)


def generalize_steps(steps: Sequence[str], other_steps: Sequence[str]) -> tuple[str, ...]:
    """The steps with a parameter wherever another run of the same shape had another value; else as they were."""
    if [normalize_step(step) for step in steps] != [normalize_step(other) for other in other_steps]:
        return tuple(steps)
    names = _ParameterNames(steps)
    merged = []
    for step, other in zip(steps, other_steps, strict=True):
        values = iter([slot.value for slot in find_slots(other)])

        def name(slot: Slot, other_values: Iterator[str] = values) -> str:
            value = next(other_values)
            same = slot.value == value or slot.value.startswith("$") or value.startswith("$")
            return slot.value if same else "$" + names.name_for(slot.kind, f"{slot.value}\0{value}")

        merged.append(_replace_slots(step, name))
    return tuple(merged)


def matches_parameter_kind(kind: str, value: str) -> bool:
    """Whether a value is of this kind; text, secrets and data may be anything."""
    written = _REGEX_BY_KIND.get(kind)
    is_number = kind == "version" and matches_parameter_kind("number", value)
    return is_number or written is None or re.fullmatch(written, value) is not None


class _ParameterNames:
    """Names for parameters: the kind, with a number where it is taken; one value has one name."""

    def __init__(self, steps: Sequence[str]) -> None:
        self._used_names = set(find_parameters(steps))
        self._assigned_names: dict[tuple[str, str], str] = {}

    def name_for(self, kind: str, value: str) -> str:
        key = (kind, value)
        if key not in self._assigned_names:
            names = (kind if number == 1 else f"{kind}_{number}" for number in count(1))
            self._assigned_names[key] = next(name for name in names if name not in self._used_names)
            self._used_names.add(self._assigned_names[key])
        return self._assigned_names[key]


def _replace_slots(step: str, replacement: Callable[[Slot], str]) -> str:
    pieces, last = [], 0
    for slot in find_slots(step):
        pieces += [step[last : slot.start], replacement(slot)]
        last = slot.end
    return "".join([*pieces, step[last:]])


def _slot_from_match(match: re.Match[str]) -> Slot:
    kind = match["base"] or str(match.lastgroup)
    if kind == "text":
        inner = match[0][1:-1]
        kind = next((known for known in _REGEX_BY_KIND if inner and re.fullmatch(_REGEX_BY_KIND[known], inner)), "text")
    return Slot(kind, match[0], match.start(), match.end())


_SLOT_PATTERN = lazy_pattern(_SLOT_REGEX)
# The program of a command, behind settings of variables and `sudo`.
_PROGRAM_PATTERN = lazy_pattern(r"\s*(?:[A-Za-z_]\w*=\S*\s+|(?:sudo|env|time|nohup)\s+)*([\w.~/-]+)")
_PARAMETER_PATTERN = lazy_pattern(_PARAMETER_REGEX)
