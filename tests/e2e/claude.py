"""`python -m e2e.claude`, in the folder of the tests: what the real Claude Code hands its model; exit code 1 if wrong.

A scripted server takes the place of the model. npm installs Claude Code outside the repository; a run takes a minute.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter

from commonplace.language.tokens import count_tokens
from e2e.claude_model import MessagesModel, prompt_text, result_text, tool_results
from e2e.host import HostError
from e2e.installed import NotInstalledError, installed_claude
from e2e.model_server import Body, orders
from e2e.processes import wait_until
from e2e.report import Report, Stage
from e2e.scene import FRAME, MARK, SOON

SESSION_S = 120.0  # seconds at most
TOOLS = ("recall", "retain", "show", "timeline", "forget")
MAX_TOOL_TOKENS, MAX_ANSWER_SHARE = 1_000, 1.3
ROTATION = "The staging database is rotated on Tuesdays."
PAGE = "A page says that the staging database is dropped on Fridays."
LESSON = "The staging database needs a warm cache after its rotation."
SISTER = "My sister Ingrid lives in Trondheim."
BROTHER = "My brother Olaf is a carpenter in Bergen."
CORE = "The owner drinks tea, never coffee."
DAY = f"# Day\n\n## Retain\n\n- W @DB: {ROTATION}\n- W @DB: {PAGE} <!-- origin: untrusted -->\n"
LOCKERS = ["oars", "sails", "ropes", "lamps", "charts", "boots", "flares", "pumps", "nets", "hooks"]


@dataclass
class Claude:
    """A Claude Code of its own: its settings, a project, a notebook, and the model that it asks."""

    folder: Path
    command: Path
    model: MessagesModel
    more: dict[str, str] = field(default_factory=dict)  # of the environment

    @property
    def environment(self) -> dict[str, str]:
        """Nothing of ours but the language, the path, and where Python finds what runs these checks."""
        kept = {name: os.environ[name] for name in ("LANG", "LC_ALL", "PYTHONPATH") if name in os.environ}
        programs = (str(Path(sys.executable).parent), str(self.command.parent), os.environ["PATH"])
        return (
            kept
            | {
                "PATH": os.pathsep.join(programs),
                "HOME": str(self.folder / "home"),
                "TMPDIR": str(self.folder / "tmp"),
                "CLAUDE_CONFIG_DIR": str(self.folder / "config"),
                "ANTHROPIC_BASE_URL": f"http://127.0.0.1:{self.model.port}",
                "ANTHROPIC_API_KEY": "none",
                "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
                "DISABLE_AUTOUPDATER": "1",
                "CI": "1",
                "COMMONPLACE_WORKSPACE": str(self.folder / "notebook"),
            }
            | self.more
        )

    def run(self, *command: str) -> str:
        """What a command prints, in the surroundings of this host. HostError if it fails."""
        done = subprocess.run(
            command,
            env=self.environment,
            cwd=self.folder / "project",
            capture_output=True,
            text=True,
            timeout=SESSION_S,
            stdin=subprocess.DEVNULL,
            check=False,
        )
        if done.returncode:
            raise HostError(
                f"{Path(command[0]).name} ended with {done.returncode}: {(done.stdout + done.stderr)[-600:]}"
            )
        return done.stdout

    def session(self, *prompt: str) -> Body:
        """Send a prompt in a new session; the last request that the model got."""
        mark = len(self.model.requests)
        allowed = ",".join(f"mcp__commonplace__{name}" for name in TOOLS)
        self.run(str(self.command), "-p", "\n".join(prompt), "--model", "claude-sonnet-4-5", "--allowedTools", allowed)
        if len(self.model.requests) == mark:
            raise HostError("the model was not asked")
        return self.model.requests[-1]

    @property
    def commonplace(self) -> str:
        """Our own command."""
        return str(Path(sys.executable).with_name("commonplace"))

    def call(self, tool: str, **arguments: object) -> str:
        """What the model reads of the answer of one of our tools."""
        name = f"mcp__commonplace__{tool}"
        load = json.dumps({"query": f"select:{name}", "max_results": 5})
        results = tool_results(self.session(f"CALL ToolSearch {load}", f"CALL {name} {json.dumps(arguments)}"))
        assert len(results) == 2, f"{tool} gave nothing: {results}"
        return result_text(results[-1])


@contextmanager
def scene(folder: Path, command: Path, model: MessagesModel) -> Iterator[Claude]:
    """A Claude Code with a furnished notebook, and Commonplace installed into it."""
    for name in ("home", "config", "tmp", "project", "notebook/memory"):
        (folder / name).mkdir(parents=True)
    lockers = "\n".join(f"- W @Peter: Keeps the {one} of the boat in a locker on the pier." for one in LOCKERS)
    notes = {"MEMORY.md": f"# Core\n\n- {CORE}\n", "memory/2026-11-01.md": DAY}
    notes |= {"memory/2026-11-02.md": f"# Day\n\n## Retain\n\n{lockers}\n"}
    notes |= {"memory/rows.md": "\n".join(f"row {number}" for number in range(1, 151))}
    for path, text in notes.items():
        (folder / "notebook" / path).write_text(text, encoding="utf-8")
    claude = Claude(folder, command, model)
    claude.run(claude.commonplace, "install", "claude-code", "--yes")
    yield claude


def prompt_gets_a_pack(claude: Claude) -> str:
    """A prompt gets the core and a framed, cited pack, without the line that is not trusted"""
    words = prompt_text(claude.session("When is the staging database rotated?"))
    frames = "\n".join(FRAME.findall(words))
    assert CORE in frames, "the core was not added at the start of the session"
    assert re.search(re.escape(ROTATION) + r" \[memory/2026-11-01\.md#L5\]", frames), frames[-600:]
    assert PAGE not in words, "an untrusted line was packed"
    return ""


def recall_is_framed_and_marked(claude: Claude) -> str:
    """The model reads `recall` as framed text, with a mark before what is not the owner's"""
    text = claude.call("recall", text="What is said of the staging database?")
    frames = "\n".join(FRAME.findall(text))
    assert f"{ROTATION} [memory/2026-11-01.md#L5]" in frames, text[:600]
    assert re.search(MARK.pattern + ".*" + re.escape(PAGE), frames), text[:600]
    assert not text.lstrip().startswith("{"), "the model was handed JSON"
    return ""


def ten_hits_cost_their_text(claude: Claude) -> str:
    """An answer of ten hits costs at most 1.3 times the tokens of its text"""
    claude.call("recall", text="What does Peter keep in the locker of the boat?", k=10)
    result = tool_results(claude.model.requests[-1])[-1]
    text = result_text(result)
    assert text.count("[memory/2026-11-02.md#L") == 10, text
    share = count_tokens(json.dumps(result["content"], ensure_ascii=False)) / count_tokens(text)
    assert share <= MAX_ANSWER_SHARE, f"{share:.2f} times"
    return f"{count_tokens(text)} tokens, {share:.2f} times its text"


def tools_are_described_briefly(claude: Claude) -> str:
    """The five tools are described in at most 1,000 tokens"""
    names = ",".join(f"mcp__commonplace__{name}" for name in TOOLS)
    body = claude.session(f"CALL ToolSearch {json.dumps({'query': f'select:{names}', 'max_results': 5})}")
    ours = [one for one in body["tools"] if one["name"].startswith("mcp__commonplace__")]
    found = [one["name"].rpartition("__")[2] for one in ours]  # in the order of the host
    assert sorted(found) == sorted(TOOLS), found
    tokens = count_tokens(json.dumps(ours, ensure_ascii=False, separators=(",", ":")))
    assert tokens <= MAX_TOOL_TOKENS, f"{tokens} tokens"
    return f"{tokens} tokens"


def show_has_pages(claude: Claude) -> str:
    """`show` hands over 60 lines of a file, and says how many pages there are"""
    text = claude.call("show", reference="memory/rows.md", page=2)
    assert text.count(": row ") == 60, text[:300]
    assert "page 2 of 3" in text, text[-300:]
    return ""


def retained_lines_are_marked(claude: Claude) -> str:
    """What the agent retains is marked when it is recalled in the next session"""
    claude.call("retain", text=f"W @DB: {LESSON}")
    text = claude.call("recall", text="What does the staging database need after its rotation?")
    assert re.search(MARK.pattern + ".*" + re.escape(LESSON), text), text[:600]
    return ""


def session_is_captured(claude: Claude) -> str:
    """What was typed and answered is in the journal, and what was recalled is not"""
    claude.session("The lighthouse key hangs behind the barometer.")
    journal = claude.folder / "notebook/.memory/journal"
    said = "\n".join(path.read_text(encoding="utf-8") for path in journal.glob("captures-*.jsonl"))
    assert "lighthouse key" in said, "the prompt was not captured"
    assert "quoted from the user's notebook" not in said, "a frame was captured"
    return ""


def lines_of(claude: Claude, text: str) -> list[str]:
    """The lines of the notebook's files that contain a text."""
    paths = (claude.folder / "notebook").rglob("*.md")
    return [line for path in paths for line in path.read_text(encoding="utf-8").split("\n") if text in line]


def command_consolidates(claude: Claude) -> str:
    """`/commonplace:consolidate` answers the orders with no more than the tools that it is allowed"""
    claude.run(claude.commonplace, "capture", SISTER, "--session", "told", "--speaker", "Peter")
    plugin = str(Path(__file__).parents[2] / "integrations/claude-code")
    claude.run(str(claude.command), "-p", "/commonplace:consolidate", "--plugin-dir", plugin)
    said = [result_text(one) for one in tool_results(claude.model.requests[-1])]
    assert not any("permission" in one for one in said), said
    assert lines_of(claude, SISTER), said[-3:]
    assert not orders(claude.run(claude.commonplace, "consolidate", "--order", "--session", "told"))[0]["turns"]
    return f"{len(said)} calls"


def session_end_consolidates(claude: Claude) -> str:
    """With `--consolidate` a session is consolidated when it ends, by a model without tools, and nothing of that is captured"""
    claude.run(claude.commonplace, "install", "claude-code", "--yes", "--consolidate")
    claude.more["CLAUDE_PLUGIN_OPTION_HEADLESS"] = "owner"  # else this were the session of a program
    journal = claude.folder / "notebook/.memory/journal"
    before = {path: path.stat().st_size for path in journal.glob("captures-*.jsonl")}
    mark = len(claude.model.requests)
    claude.session(BROTHER)
    assert wait_until(lambda: bool(lines_of(claude, BROTHER)), SOON), "nothing was written"
    ordered = [one for one in claude.model.requests[mark:] if orders(prompt_text(one))]
    assert len(ordered) == 1, f"{len(ordered)} orders"
    assert not ordered[0].get("tools"), "the model had tools"
    assert "Understood" not in "".join(lines_of(claude, BROTHER))
    paths = journal.glob("captures-*.jsonl")
    captured = "".join(path.read_bytes()[before.get(path, 0) :].decode() for path in paths)
    assert captured.count(BROTHER) == 1, "the order was captured"
    assert "answer_schema" not in captured, "the order was captured"
    return ""


STAGE = Stage(
    "Claude Code",
    scene,
    (
        prompt_gets_a_pack,
        recall_is_framed_and_marked,
        ten_hits_cost_their_text,
        tools_are_described_briefly,
        show_has_pages,
        retained_lines_are_marked,
        session_is_captured,
        command_consolidates,
        session_end_consolidates,
    ),
)


def main() -> int:
    """Make the checks; the exit code."""
    try:
        command = installed_claude()
    except NotInstalledError as error:
        print(f"make e2e-claude: {error}", file=sys.stderr)
        return 1
    began, report, model = perf_counter(), Report(), MessagesModel()
    folder = Path(tempfile.mkdtemp(prefix="commonplace-e2e-claude-"))
    try:
        report.run(STAGE, folder, command, model)
    finally:
        model.close()
        shutil.rmtree(folder, ignore_errors=True)
    print(f"{perf_counter() - began:.0f} s", flush=True)
    return report.end()


if __name__ == "__main__":
    sys.exit(main())
