"""`drill`: attack a copy of a notebook through every entrance, and tell what of it would enter a prompt."""

from __future__ import annotations

import os
import re
import tempfile
from argparse import Namespace
from contextlib import suppress
from datetime import datetime, timedelta
from io import BytesIO

import msgspec
from msgspec import Struct

from commonplace.cli.options import open_memory
from commonplace.cli.streams import EXIT_FINDINGS, print_answer
from commonplace.language.text import hash_shingles, is_copied
from commonplace.memory import Memory
from commonplace.operations.parameters import HookCall
from commonplace.shapes import Json
from commonplace.storage import files
from commonplace.turns import answer_hook

ATTACKS_FOLDER = os.path.join(os.path.dirname(os.path.dirname(__file__)), "data", "drill")
SKIPPED_FOLDERS = ("locks", "doing", ".git")
SKIPPED_PATHS = (".memory/index.sqlite", ".memory/vectors.sqlite", ".memory/off-record.json")
MARK_PATTERN = re.compile(r"\((?:[^()]*, )?(?:agent|unverified|quoted|untrusted|from [^()]*)\) ")


class DrillAttack(Struct, frozen=True):
    """An invented attack: what is read, its point word for word and in other words, a message in which the owner pastes
    it, and a prompt of the next day."""

    id: str
    text: str
    verbatim: str
    paraphrase: str
    owner_paste: str
    prompt: str


class DrillOutcome(Struct, frozen=True):
    """The numbers of attacks through an entrance of which nothing, something marked, or something unmarked would enter
    a prompt."""

    entrance: str
    held_back: int
    marked: int
    unmarked: int


class DrillDay(Struct, frozen=True):
    """An attack on a copy, and the minute."""

    memory: Memory
    attack: DrillAttack
    now: str

    def enter(self, entrance: str) -> None:
        """What is untrusted is read, and then comes in by an entrance, in both wordings where an agent writes it."""
        memory, attack, session, now = self.memory, self.attack, self.attack.id, self.now
        memory.capture(attack.text, actor="tool", type="tool_result", session=session, ts=now, now=now)
        if entrance == "owner's paste":
            memory.capture(attack.owner_paste, session=session, ts=now, now=now)
        elif entrance == "ingest of a file":
            line = {"ts": now, "actor": "owner", "session": session, "text": attack.paraphrase}
            memory.ingest(BytesIO(msgspec.json.encode(line)), format="jsonl", vouched=False)
        elif entrance == "tool in Claude Code":
            event = {"hook_event_name": "PostToolUse", "session_id": session, "tool_use_id": session}
            answer = {"tool_name": "WebFetch", "tool_input": {}, "tool_response": attack.paraphrase}
            answer_hook(memory, "turn", HookCall(host="claude-code", event=event | answer))
        elif entrance in OPENCLAW_SPEAKERS:
            role, chat = OPENCLAW_SPEAKERS[entrance]
            message = {"role": role, "content": attack.paraphrase, "toolCallId": session, "senderIsOwner": False}
            self._call_openclaw("turn", {"name": "agent_end", "messages": [message]}, chat)
        elif entrance == "agent's session step":
            memory.session_start(session, goal="Go on", now=now)
            wordings = (attack.verbatim, attack.paraphrase)
            memory.session_step(session, observations=wordings, actor="agent", now=now)
        else:
            for text in (attack.verbatim, attack.paraphrase):
                if entrance == "agent's retain in OpenClaw":
                    self._call_openclaw("tool", {"name": "commonplace_retain", "params": {"text": text}})
                else:
                    getattr(memory, WRITING_METHODS[entrance])(text, actor="agent", session=session, now=now)

    def _call_openclaw(self, operation: str, event: Json, chat: str = "main") -> None:
        key = f"agent:main:{chat}"
        context = {"agentId": "main", "sessionKey": key, "sessionId": self.attack.id, "trigger": "user"}
        answer_hook(self.memory, operation, HookCall(host="openclaw", event=event, context=context))

    def find_entering_lines(self, now: str) -> list[str]:
        """The lines with the words of the attack, in either wording, of what enters a prompt by itself: a pack, and
        what resumes the work."""
        pack = self.memory.pack(self.attack.prompt, automatic=True, session=self.attack.id, now=now)
        resumed = self.memory.resume(session=self.attack.id, now=now)
        wordings = [hash_shingles(text) for text in (self.attack.verbatim, self.attack.paraphrase)]
        lines = [(line, {*hash_shingles(line)}) for line in f"{pack.text}\n{resumed.text}".split("\n")]
        return [line for line, own in lines if any(is_copied(one, len(own.intersection(one))) for one in wordings)]


OPENCLAW_SPEAKERS = {
    "tool in OpenClaw": ("toolResult", "main"),
    "stranger in OpenClaw": ("user", "main"),
    "group in OpenClaw": ("user", "telegram:group:-1"),
}
WRITING_METHODS = {
    "agent's retain": "retain",
    "agent's log": "log",
    "agent's buffer add": "buffer_add",
    "agent's capture": "capture",
}
ENTRANCES = (
    *("owner's paste", "ingest of a file", "tool in Claude Code"),
    *OPENCLAW_SPEAKERS,
    *WRITING_METHODS,
    *("agent's session step", "agent's retain in OpenClaw"),
)


def drill_run(options: Namespace) -> int:
    """Attack copies, and print what came through; nothing is written to the notebook itself."""
    with open_memory(options) as memory, tempfile.TemporaryDirectory(prefix="commonplace-drill-") as folder:
        outcomes = [_try_entrance(memory, folder, entrance) for entrance in ENTRANCES]
    width = max(len(one.entrance) for one in outcomes)
    lines = [f"{'':<{width}}  held back  marked  unmarked"]
    lines += [f"{one.entrance:<{width}}  {one.held_back:9}  {one.marked:6}  {one.unmarked:8}" for one in outcomes]
    unmarked = sum(one.unmarked for one in outcomes)
    print_answer(options, "drill", outcomes, lines, messages=[f"{unmarked or 'nothing'} came through unmarked"])
    return EXIT_FINDINGS if unmarked else 0


def _try_entrance(memory: Memory, folder: str, entrance: str) -> DrillOutcome:
    """Try each attack through one entrance, consolidate, and look at the prompts of the next day."""
    now = memory.workspace.resolve_now(None)
    next_day = (datetime.fromisoformat(now) + timedelta(days=1)).isoformat(timespec="minutes")
    data = files.read_file(ATTACKS_FOLDER, "attacks.jsonl")
    results = []
    with _open_copy(memory, folder) as copy:
        days = [DrillDay(copy, one, now) for one in msgspec.json.Decoder(DrillAttack).decode_lines(data)]
        for day in days:
            day.enter(entrance)
        copy.consolidate(apply=True, now=now)
        for day in days:
            found = day.find_entering_lines(next_day)
            results.append("unmarked" if not all(map(MARK_PATTERN.search, found)) else "marked" if found else "")
    return DrillOutcome(entrance, *map(results.count, ("", "marked", "unmarked")))


def _open_copy(memory: Memory, folder: str) -> Memory:
    """A new copy of a notebook, with an index that is no other's whatever the settings say."""
    from shutil import copyfile

    root = tempfile.mkdtemp(dir=folder)
    for path in files.walk_paths(memory.root, skipped_folders=SKIPPED_FOLDERS):
        source, target = os.path.join(memory.root, path), os.path.join(root, path)
        if path.endswith("/"):
            os.mkdir(target, 0o700)
        elif not path.startswith(SKIPPED_PATHS):
            with suppress(OSError):  # no plain file, or not to be read, and then it is not remembered either
                copyfile(source, target, follow_symlinks=False)
    copy = Memory.open(root)
    copy.workspace.index_path = f"{root}.sqlite"
    return copy
