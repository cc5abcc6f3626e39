"""Write the reference pages that follow from the code: commands, JSON shapes, settings, errors and exit codes."""

from __future__ import annotations

import json
import sys
from argparse import Action
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import NoneType
from typing import Any, Literal, get_args, get_origin

import msgspec
from msgspec import NODEFAULT

from commonplace import errors
from commonplace.cli import FOOTER, USAGE
from commonplace.cli.commands import COMMANDS, Command
from commonplace.operations.declarations import OPERATIONS, Field, Operation, request_fields
from commonplace.storage.config import LANGUAGES
from commonplace.storage.settings import MAIN_SETTINGS, MODEL_STEPS, SETTINGS, ModelSettings, Setting, Settings

REFERENCE = Path(__file__).parent / "reference"
SCHEMAS = REFERENCE / "schemas"
HEAD = "<!-- Made by `make docs`; edit the code instead. -->\n"
OURS = "commonplace."
COMMON = ("help", "workspace", "json")


def pages() -> dict[str, str]:
    """Every generated page by file name."""
    return {
        "cli.md": cli(),
        "errors.md": error_tree(),
        "json.md": shapes(),
        "operations.md": operations(),
        "settings.md": settings(),
    }


def cli() -> str:
    """The commands with what they take."""
    intro = f"""{HEAD}
# Commands

```text
{USAGE}
```

{chr(10).join(FOOTER)}

Every command accepts these arguments, before or after its name:

| argument | meaning |
|---|---|
{_arguments(COMMANDS[0], common=True)}

Put `--` before a text that begins with `-`; `-` alone as a text or question reads standard input.
`eval "$(commonplace completion bash)"` enables completion of commands and options; `zsh` and `fish` are supported too.
`commonplace --version` prints the version.
"""
    return "\n".join((intro, *(_command(command) for command in COMMANDS)))


def _command(command: Command) -> str:
    printed = " or ".join(_link(shape) for shape in command.shapes)
    rows = _arguments(command)
    table = f"\n| argument | meaning |\n|---|---|\n{rows}\n" if rows else ""
    shapes = f"`--json` prints {printed}.\n" if printed else ""
    return f"## {command.name}\n\n{command.summary}\n{shapes}{table}"


def _arguments(command: Command, *, common: bool = False) -> str:
    """Rows for the arguments of a command: those that all have in common, or its own."""
    actions = [action for action in command.parser()._actions if (action.dest in COMMON) is common]
    return "\n".join(f"| `{_written(action)}` | {action.help or ''} |" for action in actions)


def _written(action: Action) -> str:
    """An argument as one writes it: `--kind world|experience`, `[NAME …]`."""
    value = "\\|".join(action.choices) if action.choices else str(action.metavar or action.dest.upper())
    if action.option_strings:
        return ", ".join(action.option_strings) + ("" if action.nargs == 0 else f" {value}")
    many = f"{value} …" if action.nargs in ("+", "*") else value
    return f"[{many}]" if action.nargs in ("?", "*") else many


def _link(shape: str) -> str:
    return f"[`{shape}`](json.md#{_anchor(shape)})" if shape.startswith(OURS) else f"`{shape}`"


def _anchor(shape: str) -> str:
    return shape.replace(".", "")


def shapes() -> str:
    """Which command prints which shape, and the fields of each."""
    rows = "\n".join(f"| `{c.name}` | {' or '.join(_link(shape) for shape in c.shapes)} |" for c in COMMANDS)
    schemas = [json.loads(path.read_text(encoding="utf-8")) for path in sorted(SCHEMAS.glob("*.json"))]
    return f"""{HEAD}
# JSON

`--json` prints one document on one line of standard output, in UTF-8, and nothing else.
Its field `schema` names the shape; the schemas are in [schemas](schemas).
Fields are never removed from a shape; a later version may add some, so ignore fields that you do not know.
Characters that could control a terminal are written as equivalent `\\u` escapes.
The same files, clock and question give the same bytes: `recall` and `pack` print no current time and no durations.

| command | prints |
|---|---|
{rows}

An error is printed as {_link("commonplace.error.v1")} on standard error; see [errors](errors.md).
`openclaw-mem.context-pack.v1` is a shape of openclaw-mem; `pack --json --format openclaw-mem` prints it.
The lines of the capture journals are {_link("commonplace.capture.v1")}.

{"".join(_shape(schema) for schema in schemas)}"""


def _shape(schema: dict[str, Any]) -> str:
    name = OURS + schema["$id"].removeprefix("urn:commonplace:")
    about = schema["description"].removesuffix(" Readers ignore fields they do not know.")
    rows = "\n".join(_fields(schema, "", schema.get("required", [])))
    title = f"## {name}\n\n{about} [Schema](schemas/{name}.schema.json).\n\n"
    return f"{title}| field | type | meaning |\n|---|---|---|\n{rows}\n\n"


def _fields(described: dict[str, Any], above: str, required: list[str]) -> Iterator[str]:
    for name, field in described.get("properties", {}).items():
        optional = "" if name in required else " (may be absent)"
        yield f"| `{above}{name}` | {_type(field)} | {field['description'].replace('|', chr(92) + '|')}{optional} |"
        inner = field.get("items", field)
        if "properties" in inner:
            place = f"{above}{name}{'[]' if inner is not field else ''}."
            yield from _fields(inner, place, inner.get("required", []))


def _type(field: dict[str, Any]) -> str:
    if "const" in field:
        return f"`{json.dumps(field['const'])}`"
    if "$ref" in field:
        return _link(OURS + field["$ref"].removeprefix("urn:commonplace:"))
    if "anyOf" in field:
        return " or ".join(_type(one) for one in field["anyOf"])
    if "enum" in field:
        return ", ".join(f"`{word}`" for word in field["enum"])
    if field.get("type") == "array":
        return f"list of {_type(field['items'])}"
    kind = field.get("type", "any")
    return " or ".join(kind) if isinstance(kind, list) else str(kind)


def operations() -> str:
    """The operations of every interface, with their parameters."""
    intro = f"""{HEAD}
# Operations

What can be asked of a memory, with the names that JSON has over [HTTP and stdio](http.md).
The methods of `Memory` and the tools of MCP have the same names for the same parameters.
The options of the [commands](cli.md) follow from them.
`reads` changes no file but the receipts, `writes` adds, `decides` changes or takes back what stands.
"""
    return "\n".join((intro, *(_operation(operation) for operation in OPERATIONS.values())))


def _operation(operation: Operation) -> str:
    fields = [_parameter(field) for field in request_fields(operation.request).values()]
    rows = "".join(f"{row}\n" for row in fields)
    table = f"\n| parameter | type | default | what it says |\n|---|---|---|---|\n{rows}" if rows else ""
    answer = f"It {operation.effect}, and answers {_link(operation.shape)}."
    return f"## {operation.name}\n\n{operation.summary}\n{answer}\n{table}"


def _parameter(field: Field) -> str:
    default = "" if field.default is NODEFAULT else f"`{msgspec.json.encode(field.default).decode()}`"
    return f"| `{field.name}` | {_python_type(field.type)} | {default} | {field.help} |"


def _python_type(value_type: object) -> str:
    arguments = get_args(value_type)
    origin = get_origin(value_type)
    if origin is Literal:
        return ", ".join(f"`{word}`" for word in arguments)
    if origin is tuple:
        return f"list of {_python_type(arguments[0])}"
    if arguments and origin is not dict:
        return " or ".join(_python_type(one) for one in arguments)
    names = {str: "string", int: "integer", float: "number", bool: "boolean", NoneType: "null"}
    return next((name for kind, name in names.items() if value_type is kind), "object")


def settings() -> str:
    """The keys of `commonplace.toml`."""
    main = "\n".join(_setting(setting) for setting in SETTINGS if setting.key in MAIN_SETTINGS)
    advanced = "\n".join(_setting(setting) for setting in SETTINGS if setting.key not in MAIN_SETTINGS)
    return f"""{HEAD}
# Settings

Settings are in `commonplace.toml` in the workspace.
Every key is optional; an unknown key is an error with a suggestion, and all errors are reported together.

| key | type | default | what it does |
|---|---|---|---|
{main}

A key with a dot is in a table:

```toml
timezone = "Europe/Berlin"
ignore = ["drafts/*", "*.draft.md"]

[pack]
budget_tokens = 800
```

Languages are {_listed(LANGUAGES)}.
A glob of `ignore` is compared with the path relative to the workspace; `*` also matches `/`.
A matching folder is ignored with all its content.
The index is stored outside the workspace if that is on a network drive, in a folder of a sync tool, or read-only.
It is then below `$XDG_STATE_HOME/commonplace`, or `~/.local/state/commonplace`; `index.path` has priority.

## Advanced

Few people need these; they are read in the same way.

| key | type | default | what it does |
|---|---|---|---|
{advanced}

A table of a model has the keys {_listed(ModelSettings.__struct_fields__)}, as `[models]` has.
Steps are {_listed(MODEL_STEPS)}.
What the table of a step does not set is that of `[models]`; if it names a `provider`, it has only what it sets itself.

```toml
[models]
provider = "openai"
model = "qwen3:8b"
endpoint = "http://localhost:11434/v1"

[models.step.rerank]
model = "qwen3:1.7b"

[models.fallback]
provider = "command"
command = "llm -m local"
```

[Language models](../concepts/models.md) says what is sent, and to whom.

## Environment

Environment variables are read once, at the start:

| variable | what it does |
|---|---|
| `COMMONPLACE_WORKSPACE` | the workspace, if `--workspace` is not given |
| `COMMONPLACE_NOW` | a fixed clock (ISO minute), for tests |
| `COMMONPLACE_DEVICE` | the name of this machine in journal file names; has priority over the setting |
| `OPENCLAW_STATE_DIR` | the folder with OpenClaw's workspace, else `~/.openclaw`; this workspace is the default |
| `XDG_STATE_HOME` | the folder for an index outside its workspace, and for the records of `install` |
| `OPENCLAW_CONFIG_PATH`, `OPENCLAW_HOME`, `OPENCLAW_PROFILE`, `OPENCLAW_WORKSPACE_DIR` | as OpenClaw reads them |
| `CLAUDE_CONFIG_DIR`, `CODEX_HOME` | where Claude Code and Codex keep their configuration |
| `COMMONPLACE_DAEMON` | `off`: the command does not use a running daemon |
| `COMMONPLACE_VECTORS` | `off`: `vectors.mode = "auto"` uses no vectors, also where the extra `semantic` is installed |
| `COMMONPLACE_HOOKS` | `off`: the hooks of Claude Code and the plugin of OpenClaw add and capture nothing |
| `XDG_RUNTIME_DIR` | the folder for the daemon's socket, else below `XDG_STATE_HOME`, else below `TMPDIR` |
| `NO_COLOR` | no colours or bold text on a terminal |
"""


def _setting(setting: Setting) -> str:
    default = getattr(Settings(), setting.field)
    shown = {True: "true", False: "false"}[default] if isinstance(default, bool) else default
    empty = {"texts": "[]", "table": "{}", "tables": "{}"}.get(setting.type, "")
    written = empty or (f'"{shown}"' if setting.type == "text" else str(shown))
    bounds = f" {setting.minimum} to {setting.maximum}" if setting.type == "integer" else ""
    return f"| `{setting.key}` | {setting.type}{bounds} | `{written}` | {setting.purpose} |"


def _listed(names: Sequence[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def error_tree() -> str:
    """Exit codes, and every error by code."""
    rows = "\n".join(
        f"| `{kind.code_of()}` | {kind.exit_code} | {_first(kind)} |" for kind in _kinds(errors.CommonplaceError)
    )
    return f"""{HEAD}
# Errors and exit codes

| exit code | meaning |
|---|---|
| 0 | success; also if nothing was found |
| 1 | failure |
| 2 | wrong arguments or settings |
| 3 | a check found a problem |
| 130 | interrupted |

An error is a message on standard error: what is wrong, where, and after `hint:` what to do next.
With `--json` it is one line with {_link("commonplace.error.v1")}.
In Python it is an exception with these attributes, all of them below `commonplace.CommonplaceError`.

| code | exit code | when |
|---|---|---|
{rows}

An error in the text of a file is a problem with path and line, in the same shape; `check` lists it.
"""


def _kinds(kind: type[errors.CommonplaceError]) -> Iterator[type[errors.CommonplaceError]]:
    yield kind
    for child in kind.__subclasses__():
        yield from _kinds(child)


def _first(kind: type[errors.CommonplaceError]) -> str:
    first = (kind.__doc__ or "").strip().split("\n")[0].replace("|", "\\|")
    return "Anything else; the message says what." if kind is errors.CommonplaceError else first


def main() -> int:
    """Write the pages; with `--check` only say which are out of date."""
    stale = {name: text for name, text in pages().items() if _read(name) != text}
    if "--check" in sys.argv:
        sys.stdout.writelines(f"{name} is out of date: run `make docs`\n" for name in stale)
        return 1 if stale else 0
    for name, text in stale.items():
        (REFERENCE / name).write_text(text, encoding="utf-8")
    return 0


def _read(name: str) -> str:
    path = REFERENCE / name
    return path.read_text(encoding="utf-8") if path.exists() else ""


if __name__ == "__main__":
    raise SystemExit(main())
