"""The table of commands: name, one line, the module that runs it (imported only when asked for), and what it prints."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from commonplace.errors import BadArgument, closest_names

if TYPE_CHECKING:
    from commonplace.cli.options import Parser


class Command(Struct, frozen=True):
    """One command: `module` has `<name>_arguments(parser)` and `<name>_run(options) -> int`; `answers` names what its
    `--json` prints: `hits` for `commonplace.hits.v1`."""

    name: str
    summary: str
    module: str
    answers: str = ""

    @property
    def shapes(self) -> tuple[str, ...]:
        """The schemas of what `--json` prints."""
        return tuple(name if "." in name else f"commonplace.{name}.v1" for name in self.answers.split())

    def parser(self) -> Parser:
        """The parser of its arguments."""
        from commonplace.cli.options import Parser

        parser = Parser(self.name, self.summary)
        self._function("arguments")(parser)
        return parser

    def run(self, argv: list[str]) -> int:
        """Parse the arguments of this command and run it."""
        return int(self._function("run")(self.parser().read(argv)))

    def _function(self, part: str) -> Any:
        return getattr(import_module(f"commonplace.cli.{self.module}"), f"{self.name.replace('-', '_')}_{part}")


COMMANDS: tuple[Command, ...] = (
    Command("init", "Make a workspace, or take an existing folder as it is.", "capture", "init"),
    Command("retain", "Keep a sentence: redacted, journalled, written to today's log.", "capture", "kept"),
    Command("log", "Add a line to the narrative of today's log.", "capture", "kept"),
    Command("capture", "Capture one event: a message, a tool's result.", "capture", "taken"),
    Command("ingest", "Capture what transcripts hold; what is no event is set aside.", "capture", "ingested"),
    Command("import", "What another memory holds, previewed; --apply captures it.", "capture", "imported"),
    Command(
        "consolidate", "From what was captured to what is worth keeping; --apply writes it.", "review", "consolidated"
    ),
    Command("pending", "What waits for your yes or no: list, approve, reject, edit.", "review", "pending decided"),
    Command(
        "skills",
        "Skills learned from successful procedures: list, show, approve, reject, match, dry-run.",
        "skills",
        "skills skill skill-matches dry-run",
    ),
    Command("resume", "What a restarted agent should read, within a budget.", "sessions", "resume"),
    Command("session", "The working memory of a task: start, step, show, done.", "sessions", "session sessions"),
    Command(
        "buffer",
        "The working buffer of running tasks: add a note, show it, move it to today's log.",
        "sessions",
        "kept view rotated",
    ),
    Command("recall", "Find what bears on a question, best first, with reasons.", "query", "hits"),
    Command("pack", "Cited lines that fit a token budget, for a prompt.", "query", "pack openclaw-mem.context-pack.v1"),
    Command("why", "Explain a pack from its receipt.", "query", "receipt"),
    Command(
        "diff-receipts", "Two receipts side by side: what entered, left, moved, and why.", "diagnose", "receipts-diff"
    ),
    Command(
        "test",
        "Run the test questions of memory/golden.md; exit code 3 if one does not find all that is expected.",
        "diagnose",
        "test",
    ),
    Command(
        "why-not",
        "Explain why a line (last argument: PATH#L12 or an id) is not found, and what would change that.",
        "diagnose",
        "why-not",
    ),
    Command("show", "A record by its id, or a file's lines by PATH#L12.", "query", "view"),
    Command("entity", "What is known of a person, place or thing.", "query", "entity entities"),
    Command("timeline", "Records in order of time.", "query", "timeline"),
    Command("tags", "The tags there are, or what bears one.", "review", "tags timeline"),
    Command("audit", "What was written lately, by whom, from what.", "review", "audit"),
    Command("undo", "Take back an applied write.", "review", "undone"),
    Command("learnings", "Lessons that repeat in .learnings.", "review", "learnings"),
    Command("sync", "Bring the index up to date with the files.", "upkeep", "changes"),
    Command("rebuild", "Make the index anew from the files and journals.", "upkeep", "changes"),
    Command("embed", "Give every text a vector, where the settings name a model.", "upkeep", "embedded"),
    Command("status", "What the workspace holds.", "upkeep", "status"),
    Command("check", "Look for everything that is wrong; exit code 3 if something is.", "upkeep", "health"),
    Command("scan", "Find secrets that are there already; exit code 3 if there are any.", "upkeep", "secrets"),
    Command("scrub", "Take secrets out: a proposal, or with --apply the deed.", "upkeep", "scrub"),
    Command("serve", "Answer other programs for as long as they ask.", "serve"),
    Command("service", "What the daemon does; its schedule; units that start it.", "serve", "daemon schedule unit"),
    Command("mcp", "Answer agents that speak the Model Context Protocol.", "serve"),
    Command("hook", "Answer the hook of an agent's host; its JSON comes on standard input.", "hook"),
    Command("install", "Into a host's configuration: shown first, copied, verified.", "install", "host-change"),
    Command("uninstall", "Out of a host's configuration again.", "install", "host-change"),
    Command(
        "doctor",
        "Look for problems with hosts; exit code 3 if there are any.",
        "install",
        "doctor",
    ),
    Command("demo", "Build a sample workspace and walk through it.", "demo", "demo"),
    Command("completion", "Print the completion script for a shell.", "completion", "completion"),
)


def find_command(name: str) -> Command:
    """The command of this name; raises BadArgument with the nearest one."""
    for command in COMMANDS:
        if command.name == name:
            return command
    near = closest_names(name, [command.name for command in COMMANDS])
    hint = f"did you mean `{near[0]}`?" if near else "`commonplace --help` lists the commands"
    raise BadArgument(f"there is no command {name!r}", hint=hint)
