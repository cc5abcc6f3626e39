"""The table of commands: name, summary, the module that runs it (imported when needed), and the shapes it prints."""

from __future__ import annotations

from argparse import ArgumentParser, HelpFormatter, Namespace
from functools import partial
from importlib import import_module
from typing import Any, NoReturn

from msgspec import Struct

from commonplace.cli.streams import is_encodable
from commonplace.errors import BadArgument, closest_names
from commonplace.shapes import repair_text

PATH_OPTIONS = ("workspace", "folder", "paths", "target")  # names of files may hold any bytes; all others are text
HELP_WIDTH = 98  # of help; argparse would import shutil at each start to ask the terminal


class Command(Struct, frozen=True):
    """One command: `module` has `<name>_run(options) -> int`, and `<name>_arguments(parser)` if it takes any; `answers`
    names what its `--json` prints: `hits` for `commonplace.hits.v1`."""

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
        parser = Parser(self.name, self.summary)
        if add_arguments := self._find_function("arguments"):
            add_arguments(parser)
        return parser

    def run(self, argv: list[str]) -> int:
        """Parse the arguments of this command and run it."""
        return int(self._find_function("run")(self.parser().read(argv)))

    def _find_function(self, part: str) -> Any:
        return getattr(import_module(f"commonplace.cli.{self.module}"), f"{self.name.replace('-', '_')}_{part}", None)


# Name, module, what `--json` prints (`-`: nothing, `+`: one of them), summary.
TABLE = """
init          capture    init          Create a workspace, or use an existing folder.
retain        capture    kept          Store a sentence: secrets masked, added to the journal and to today's log.
log           capture    kept          Add a line to today's log.
capture       capture    taken         Capture one event, such as a message or a tool's result.
ingest        capture    ingested      Capture the messages of transcripts; lines that cannot be read are set aside.
import        capture    imported      Preview the import of another memory program; --apply captures it.
consolidate   review     consolidated+order Turn captures into lasting records: show changes, or with \
--apply write them.
pending       review     pending+decided List, approve, reject or edit the items that need your decision.
skills        skills     skills+skill+skill-matches+dry-run Skills learned from successful procedures: list, show, \
approve, reject, match, dry-run.
resume        sessions   resume        Show what a restarted agent needs to continue, within a token budget.
session       sessions   session+sessions+status The working memory of a task: start, step, show, done.
buffer        sessions   kept+view+rotated The working buffer of running tasks: add a note, show it, move it to \
today's log.
recall        query      hits          Search for lines that are relevant to a question, best first, with reasons.
pack          query      pack+openclaw-mem.context-pack.v1 Build a pack for a prompt: lines with citations within a \
token budget.
why           query      receipt       Explain a pack from its receipt.
impact        impact    impact+correction List the packs and sessions that had a record, and what was made of it.
receipts      impact    replay        Make the pack of a receipt again, name what differs; exit code 3 if anything does.
diff-receipts diagnose   receipts-diff Compare two receipts: what was added, removed or moved, and why.
test          diagnose   test Run the test questions of memory/golden.md; exit code 3 if one does not find all that is \
expected.
why-not       diagnose   why-not Explain why a line (last argument: PATH#L12 or an id) is not found, and what would \
change that.
show          query      view          Show a record by its id, or lines of a file by PATH#L12.
entity        query      entity+entities Show everything about a person, place or thing.
facts         query      facts+facts-lint Show the values of a name by key, on a day and as known on a day; lint them.
timeline      query      timeline      List records in order of time.
tags          review     tags+timeline List all tags, or the records with one tag.
audit         review     audit         List recent writes: who made them, and what they are based on.
undo          review     undone        Undo a write.
forget        forget     forgotten+forget-scan Forget what is named: show it, or with --apply hide it; erase it with \
--now.
learnings     review     learnings     List lessons that occur repeatedly in .learnings.
sync          upkeep     changes       Update the index from the files.
rebuild       upkeep     changes       Rebuild the index from the files and journals.
embed         upkeep     embedded      Compute a vector for every text, if the settings name a model.
status        upkeep     status        Show the workspace, its index and the number of records.
check         upkeep     health        Look for problems; exit code 3 if there are any.
merge         merging    merge         Unite a copy that a sync tool made with its file: show the changes, or with \
--apply write them.
merge-driver  merge_driver -             Merge three versions of a file; git runs this after `install git`.
scan          upkeep     secrets       Find secrets in existing files; exit code 3 if there are any.
scrub         upkeep     scrub         Remove secrets from files: show the changes, or with --apply make them.
backup        backup     backup+verified Back up the workspace to a folder, incrementally, or --verify a backup.
restore       backup     restored      Restore a backup into an empty folder.
export        backup     exported+export-diff Write all of memory, or a part, to an archive; or compare two.
serve         serve      -             Run the daemon, or with --stdio a server for one program.
page          page       page           Open the notebook in your browser: see it, ask it, correct it.
service       serve      daemon+schedule+unit Show the daemon or its schedule; print a unit that starts it.
mcp           serve      -             Run a server for the Model Context Protocol (MCP).
hook          hook       -             Answer a hook of an agent's host; its JSON is read from standard input.
install       install    host-change   Install into a host's configuration; the change is shown first.
uninstall     install    host-change   Remove Commonplace from a host's configuration.
doctor        install    doctor        Look for problems with hosts; exit code 3 if there are any.
drill         drill      drill         Attack a copy of the notebook; exit code 3 if anything enters a prompt unmarked.
demo          demo       demo          Create a sample workspace and show what Commonplace does with it.
completion    completion completion    Print a completion script for a shell.
"""


def _parse_command(row: str) -> Command:
    name, module, answers, summary = row.split(maxsplit=3)
    return Command(name, summary, module, "" if answers == "-" else answers.replace("+", " "))


COMMANDS = tuple(map(_parse_command, TABLE.strip().split("\n")))


def find_command(name: str) -> Command:
    """The command of this name; raises BadArgument with the nearest one."""
    for command in COMMANDS:
        if command.name == name:
            return command
    near = closest_names(name, [command.name for command in COMMANDS])
    hint = f"did you mean `{near[0]}`?" if near else "`commonplace --help` lists the commands"
    raise BadArgument(f"there is no command {name!r}", hint=hint)


class Parser(ArgumentParser):
    """The parser of one command with the options that every command takes; its errors are ours, with exit code 2."""

    def __init__(self, name: str, summary: str) -> None:
        wide = partial(HelpFormatter, width=HELP_WIDTH)
        super().__init__(prog=f"commonplace {name}", description=summary, allow_abbrev=False, formatter_class=wide)
        self.add_argument(
            "--workspace",
            metavar="FOLDER",
            help="The workspace folder; default: COMMONPLACE_WORKSPACE, or the default workspace.",
        )
        self.add_argument("--json", action="store_true", help="Print one line of JSON in a documented shape.")

    def read(self, argv: list[str]) -> Namespace:
        """The arguments as options; words may stand on both sides of an option. Raises BadArgument."""
        options, rest = self.parse_known_args(argv)
        if rest and (not hasattr(options, "words") or any(word.startswith("-") for word in rest)):
            self.error(f"unrecognized arguments: {' '.join(rest)}")
        if rest:
            options.words = [*options.words, *rest]
        for name, value in vars(options).items():
            if name not in PATH_OPTIONS:
                setattr(options, name, _repair_argument(value))
        if options.workspace == "":
            self.error("--workspace needs a folder")
        return options

    def error(self, message: str) -> NoReturn:
        """Raise instead of exiting."""
        dash = "; text that begins with `-` goes behind `--`" if "argument" in message else ""
        raise BadArgument(message, hint=f"see `{self.prog} --help`{dash}")


def _repair_argument(argument: Any) -> Any:
    """An argument as text: bytes that the locale could not read arrive as surrogates, which no file can hold."""
    if isinstance(argument, list):
        return [_repair_argument(inner) for inner in argument]
    if not isinstance(argument, str) or is_encodable(argument):
        return argument
    try:
        return argument.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    except UnicodeEncodeError:
        return repair_text(argument)
