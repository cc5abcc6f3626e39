"""The table of commands: name, one line, and the module that runs it, imported only when it is asked for."""

from __future__ import annotations

from importlib import import_module

from msgspec import Struct

from commonplace.errors import BadArgument


class Command(Struct, frozen=True):
    """One command: `module` has `arguments(parser)` and `run(options) -> int`."""

    name: str
    summary: str
    module: str

    def run(self, arguments: list[str]) -> int:
        """Parse the arguments of this command and run it."""
        from commonplace.cli.options import parser_of

        module = import_module(f"commonplace.cli.{self.module}")
        parser = parser_of(self.name, self.summary)
        getattr(module, f"{self.name}_arguments")(parser)
        return int(getattr(module, f"{self.name}_run")(parser.parse_args(arguments)))


COMMANDS: tuple[Command, ...] = (
    Command("init", "Make a workspace, or take an existing folder as it is.", "keeping"),
    Command("retain", "Keep a sentence: redacted, journalled, written to today's log.", "keeping"),
    Command("log", "Add a line to the narrative of today's log.", "keeping"),
    Command("recall", "Find what bears on a question, best first, with reasons.", "asking"),
    Command("pack", "Cited lines that fit a token budget, for a prompt.", "asking"),
    Command("why", "Explain a pack from its receipt.", "asking"),
    Command("show", "A record by its id, or a file's lines by PATH#L12.", "looking"),
    Command("entity", "What is known of a person, place or thing.", "looking"),
    Command("timeline", "Records in order of time.", "looking"),
    Command("sync", "Bring the index up to date with the files.", "upkeep"),
    Command("rebuild", "Make the index anew from the files and journals.", "upkeep"),
    Command("status", "What the workspace holds.", "upkeep"),
    Command("check", "Look for everything that is wrong; exit code 3 if something is.", "upkeep"),
    Command("demo", "Build a sample workspace and walk through it.", "demo"),
    Command("completion", "Print the completion script for a shell.", "completion"),
)


def find_command(name: str) -> Command:
    """The command of this name; raises BadArgument with the nearest one."""
    for command in COMMANDS:
        if command.name == name:
            return command
    import difflib

    near = difflib.get_close_matches(name, [command.name for command in COMMANDS], 1)
    hint = f"did you mean `{near[0]}`?" if near else "`commonplace --help` lists the commands"
    message = f"there is no command {name!r}"
    raise BadArgument(message, hint=hint)
