"""The table of commands: name, one line, the module that runs it (imported only when asked for), and what it prints."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from commonplace.errors import BadArgument, closest_names

if TYPE_CHECKING:
    from commonplace.cli.options import Parser


class Command(Struct, frozen=True):
    """One command: `module` has `<name>_arguments(parser)` and `<name>_run(options) -> int`; `shapes` is what its
    `--json` prints."""

    name: str
    summary: str
    module: str
    shapes: tuple[str, ...]

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
    Command("init", "Make a workspace, or take an existing folder as it is.", "capture", ("commonplace.init.v1",)),
    Command(
        "retain",
        "Keep a sentence: redacted, journalled, written to today's log.",
        "capture",
        ("commonplace.kept.v1",),
    ),
    Command("log", "Add a line to the narrative of today's log.", "capture", ("commonplace.kept.v1",)),
    Command("capture", "Capture one event: a message, a tool's result.", "capture", ("commonplace.taken.v1",)),
    Command(
        "ingest",
        "Capture what transcripts hold; what is no event is set aside.",
        "capture",
        ("commonplace.ingested.v1",),
    ),
    Command(
        "import",
        "What another memory holds, previewed; --apply captures it.",
        "capture",
        ("commonplace.imported.v1",),
    ),
    Command(
        "consolidate",
        "From what was captured to what is worth keeping; --apply writes it.",
        "review",
        ("commonplace.consolidated.v1",),
    ),
    Command(
        "pending",
        "What waits for your yes or no: list, approve, reject, edit.",
        "review",
        ("commonplace.pending.v1", "commonplace.decided.v1"),
    ),
    Command(
        "skills",
        "Skills learned from what worked: list, show, approve, reject, match, dry-run.",
        "skills",
        (
            "commonplace.skills.v1",
            "commonplace.skill.v1",
            "commonplace.skill-matches.v1",
            "commonplace.dry-run.v1",
        ),
    ),
    Command("resume", "What a restarted agent should read, within a budget.", "sessions", ("commonplace.resume.v1",)),
    Command(
        "session",
        "The working memory of a task: start, step, show, done.",
        "sessions",
        ("commonplace.session.v1", "commonplace.sessions.v1"),
    ),
    Command(
        "buffer",
        "Note what must not be lost while a task runs; show it, move it to today's log.",
        "sessions",
        ("commonplace.kept.v1", "commonplace.view.v1", "commonplace.rotated.v1"),
    ),
    Command("recall", "Find what bears on a question, best first, with reasons.", "query", ("commonplace.hits.v1",)),
    Command(
        "pack",
        "Cited lines that fit a token budget, for a prompt.",
        "query",
        ("commonplace.pack.v1", "openclaw-mem.context-pack.v1"),
    ),
    Command("why", "Explain a pack from its receipt.", "query", ("commonplace.receipt.v1",)),
    Command(
        "diff-receipts",
        "Two receipts side by side: what entered, left, moved, and why.",
        "diagnose",
        ("commonplace.receipts-diff.v1",),
    ),
    Command(
        "test",
        "Ask your own questions of memory/golden.md; exit code 3 if one finds less than it must.",
        "diagnose",
        ("commonplace.test.v1",),
    ),
    Command(
        "why-not",
        "Why a line (PATH#L12 or an id, the last word) is not among the answers, and what would show it.",
        "diagnose",
        ("commonplace.why-not.v1",),
    ),
    Command("show", "A record by its id, or a file's lines by PATH#L12.", "query", ("commonplace.view.v1",)),
    Command(
        "entity",
        "What is known of a person, place or thing.",
        "query",
        ("commonplace.entity.v1", "commonplace.entities.v1"),
    ),
    Command("timeline", "Records in order of time.", "query", ("commonplace.timeline.v1",)),
    Command(
        "tags",
        "The tags there are, or what bears one.",
        "review",
        ("commonplace.tags.v1", "commonplace.timeline.v1"),
    ),
    Command("audit", "What was written lately, by whom, from what.", "review", ("commonplace.audit.v1",)),
    Command("undo", "Take back an applied write.", "review", ("commonplace.undone.v1",)),
    Command("learnings", "Lessons that repeat in .learnings.", "review", ("commonplace.learnings.v1",)),
    Command("sync", "Bring the index up to date with the files.", "upkeep", ("commonplace.changes.v1",)),
    Command("rebuild", "Make the index anew from the files and journals.", "upkeep", ("commonplace.changes.v1",)),
    Command(
        "embed",
        "Give every text a vector, where the settings name a model.",
        "upkeep",
        ("commonplace.embedded.v1",),
    ),
    Command("status", "What the workspace holds.", "upkeep", ("commonplace.status.v1",)),
    Command(
        "check",
        "Look for everything that is wrong; exit code 3 if something is.",
        "upkeep",
        ("commonplace.health.v1",),
    ),
    Command(
        "scan",
        "Find secrets that are there already; exit code 3 if there are any.",
        "upkeep",
        ("commonplace.secrets.v1",),
    ),
    Command(
        "scrub",
        "Take secrets out: a proposal, or with --apply the deed.",
        "upkeep",
        ("commonplace.scrub.v1",),
    ),
    Command("serve", "Answer other programs for as long as they ask.", "serve", ()),
    Command(
        "service",
        "What the daemon does; its schedule; units that start it.",
        "serve",
        ("commonplace.daemon.v1", "commonplace.schedule.v1", "commonplace.unit.v1"),
    ),
    Command("mcp", "Answer agents that speak the Model Context Protocol.", "serve", ()),
    Command("hook", "Answer the hook of an agent's host; its JSON comes on standard input.", "hook", ()),
    Command(
        "install",
        "Into a host's configuration: shown first, copied, verified.",
        "install",
        ("commonplace.host-change.v1",),
    ),
    Command("uninstall", "Out of a host's configuration again.", "install", ("commonplace.host-change.v1",)),
    Command(
        "doctor",
        "Look for everything that is wrong between a host and us; exit code 3 if something is.",
        "install",
        ("commonplace.doctor.v1",),
    ),
    Command("demo", "Build a sample workspace and walk through it.", "demo", ("commonplace.demo.v1",)),
    Command("completion", "Print the completion script for a shell.", "completion", ("commonplace.completion.v1",)),
)


def find_command(name: str) -> Command:
    """The command of this name; raises BadArgument with the nearest one."""
    for command in COMMANDS:
        if command.name == name:
            return command
    near = closest_names(name, [command.name for command in COMMANDS])
    hint = f"did you mean `{near[0]}`?" if near else "`commonplace --help` lists the commands"
    raise BadArgument(f"there is no command {name!r}", hint=hint)
