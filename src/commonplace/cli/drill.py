"""`drill`: attack a copy of a notebook through every entrance, and tell what of it would enter a prompt."""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import datetime, timedelta
from functools import partial
from io import BytesIO
from typing import TYPE_CHECKING, Any, Literal

import msgspec
from msgspec import Struct

from commonplace.cli.options import open_memory
from commonplace.cli.streams import EXIT_FINDINGS, print_answer
from commonplace.language.text import hash_shingles, is_copied
from commonplace.memory import Memory
from commonplace.operations.parameters import HookCall
from commonplace.storage import files
from commonplace.turns import answer_hook

if TYPE_CHECKING:
    from argparse import Namespace

    from commonplace.shapes import Json
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

    def capture(self, text: str, **fields: Any) -> None:
        """Capture what is said in the session of the attack."""
        self.memory.capture(text, session=self.attack.id, ts=self.now, now=self.now, **fields)

    def call_host(self, operation: str, event: Json, host: Literal["openclaw", "claude-code"] = "openclaw") -> None:
        """Call the module of a host; `chat` of the event is where it happens."""
        key = f"agent:main:{event.get('chat', 'main')}"
        context = {"agentId": "main", "sessionKey": key, "sessionId": self.attack.id, "trigger": "user"}
        answer_hook(self.memory, operation, HookCall(host=host, event=event, context=context))

    def entering_lines(self, now: str) -> Iterator[str]:
        """The lines of what enters a prompt by itself: a pack, and what resumes the work."""
        pack = self.memory.pack(self.attack.prompt, automatic=True, session=self.attack.id, now=now)
        yield from pack.text.split("\n")
        yield from self.memory.resume(session=self.attack.id, now=now).text.split("\n")

    def has_words_of_attack(self, line: str) -> bool:
        """Whether a line says what the attack says, in either wording."""
        printed = set(hash_shingles(line))
        wordings = map(hash_shingles, (self.attack.verbatim, self.attack.paraphrase))
        return any(is_copied(own, len(printed.intersection(own))) for own in wordings)


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
            day.capture(day.attack.text, actor="tool", type="tool_result")
            ENTRANCES[entrance](day)
        copy.consolidate(apply=True, now=now)
        for day in days:
            found = [line for line in day.entering_lines(next_day) if day.has_words_of_attack(line)]
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


def _write_both_wordings(day: DrillDay, method: str) -> None:
    """An agent writes what it read with a method of the memory."""
    for text in (day.attack.verbatim, day.attack.paraphrase):
        getattr(day.memory, method)(text, actor="agent", session=day.attack.id, now=day.now)


def _note_in_session(day: DrillDay) -> None:
    day.memory.session_start(day.attack.id, goal="Go on", now=day.now)
    wordings = (day.attack.verbatim, day.attack.paraphrase)
    day.memory.session_step(day.attack.id, observations=wordings, actor="agent", now=day.now)


def _ingest_file(day: DrillDay) -> None:
    line = {"ts": day.now, "actor": "owner", "session": day.attack.id, "text": day.attack.paraphrase}
    day.memory.ingest(BytesIO(msgspec.json.encode(line)), format="jsonl", vouched=False)


def _end_tool_call(day: DrillDay) -> None:
    event = {"hook_event_name": "PostToolUse", "session_id": day.attack.id, "tool_use_id": day.attack.id}
    answer = {"tool_name": "WebFetch", "tool_input": {}, "tool_response": day.attack.paraphrase}
    day.call_host("turn", event | answer, "claude-code")


def _end_turn(day: DrillDay, role: str, chat: str = "main") -> None:
    """A turn of OpenClaw ends with the words of somebody who is not the owner."""
    message = {"role": role, "content": day.attack.paraphrase, "toolCallId": day.attack.id, "senderIsOwner": False}
    day.call_host("turn", {"name": "agent_end", "messages": [message], "chat": chat})


def _call_retain_tool(day: DrillDay) -> None:
    for text in (day.attack.verbatim, day.attack.paraphrase):
        day.call_host("tool", {"name": "commonplace_retain", "params": {"text": text}})


ENTRANCES: dict[str, Callable[[DrillDay], None]] = {
    "tool in Claude Code": _end_tool_call,
    "tool in OpenClaw": partial(_end_turn, role="toolResult"),
    "stranger in OpenClaw": partial(_end_turn, role="user"),
    "group in OpenClaw": partial(_end_turn, role="user", chat="telegram:group:-1"),
    "ingest of a file": _ingest_file,
    "agent's retain": partial(_write_both_wordings, method="retain"),
    "agent's retain in OpenClaw": _call_retain_tool,
    "agent's log": partial(_write_both_wordings, method="log"),
    "agent's buffer add": partial(_write_both_wordings, method="buffer_add"),
    "agent's capture": partial(_write_both_wordings, method="capture"),
    "agent's session step": _note_in_session,
    "owner's paste": lambda day: day.capture(day.attack.owner_paste),
}
