"""A notebook with canaries in every store, and its twin into which they were never put."""

from __future__ import annotations

import gzip
import io
import json
import os
import random
import shutil
import tempfile
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import NamedTuple

from bench.acceptance.canary_parts.scanner import canary_word
from bench.behaviour_parts.notebooks import SHARED
from bench.notebook import Language
from commonplace import Memory
from commonplace.capture import Event, WriteContext
from commonplace.model import Actor
from commonplace.storage.journal import Journal
from commonplace.upkeep.consolidate.file_edits import ReviewItem
from commonplace.upkeep.consolidate.history import LedgerHistory
from commonplace.upkeep.consolidate.planning import ConsolidationPlan
from commonplace.upkeep.consolidate.runs import write_plan

START = datetime(2026, 9, 7, 9, 0)
NOW = "2026-11-20T18:00"
OWN, OTHER = "desk", "phone"
COUNTS = {  # canaries in each store, 200 in all
    "note": 37, "core": 6, "day": 20, "capture": 28, "other device": 24, "artifact": 6, "deep in an artifact": 2,
    "retain": 16, "log": 4, "consolidated": 20, "question": 1, "set-aside": 2, "session": 2, "buffer": 4, "pending": 4,
    "archive": 4, "conflict copy": 4, "skill": 1, "model answer": 1, "leftover": 1, "undone": 2, "superseded": 4,
    "learning": 1, "episode": 4, "detail": 2,
}  # fmt: skip
SAMPLE = {  # ten canaries, for the tests
    "note": 1,
    "day": 1,
    "capture": 1,
    "other device": 1,
    "artifact": 1,
    "retain": 1,
    "consolidated": 1,
    "buffer": 1,
    "archive": 1,
    "superseded": 1,
}
NOTE_FILES = ("notes/boat.md", "notes/house.md", "notes/plans/garden.md")
CONFLICT_COPY = "notes/boat.sync-conflict-20261101-101112-ABCDEFG.md"
PLAIN_NOTES, PLAIN_DAYS, PLAIN_TURNS, SESSION_TURNS = 60, 12, 240, 20
LONG_CHARS = 12_000
LATE_TURNS = 8
FERRY = "The ferry was late."  # of a transcript, which is read behind the canaries
PLAIN_FACTS = (  # so that each page that consolidation writes has a line of its own
    "Remember that the spare key costs more than a new door.",
    "We decided that the boat is named after the harbour.",
    "My sister said the shed opens at noon.",
    "I prefer trains to planes.",
)


class Canary(NamedTuple):
    """A canary: its number, the store into which it is put, its word, and the sentence around it."""

    number: int
    store: str
    word: str
    sentence: str


class Turn(NamedTuple):
    """What somebody said in a session."""

    session: str
    ts: str
    actor: Actor
    text: str


class Size(NamedTuple):
    """How large a notebook is: the canaries of each store, and how many notes, days and turns are ordinary."""

    counts: dict[str, int]
    notes: int = PLAIN_NOTES
    days: int = PLAIN_DAYS
    turns: int = PLAIN_TURNS
    uses_shared: bool = True


def canaries_of(size: Size) -> list[Canary]:
    """All canaries of a size, in order of their stores; the words around each are its own."""
    language, made = Language(24), list[Canary]()
    frames = (
        "The {1} key for the {2} lies behind the {0} {3}.",
        "We decided that {0} is the name of the {1} {2} {3}.",
        "My {1} said the {0} {2} opens the {3} at noon.",
        "Remember that the {1} {0} costs more than a {2} {3}.",
    )
    for store, count in size.counts.items():
        for _each in range(count):
            number = len(made) * 7 + 11
            word = canary_word(number)
            around = language.rng.sample(language.words[5_000:30_000], 3)
            made.append(Canary(number, store, word, frames[len(made) % len(frames)].format(word, *around)))
    return made


def ordinary_turns(size: Size) -> list[Turn]:
    """What was said besides: of a shared conversation where it is there, else made sentences."""
    path = SHARED / "bench/locomo/corpus.jsonl.gz"
    language = Language(7)
    texts = [language.sentence().capitalize() + "." for _each in range(size.turns)]
    if size.uses_shared and path.exists():
        rows = (json.loads(line) for line in gzip.decompress(path.read_bytes()).splitlines())
        texts = [f"{row['speaker']}: {row['text']}" for row in rows if row["ns"] == "conv-26"][: size.turns]
    turns = []
    for number, text in enumerate(texts):
        session = number // SESSION_TURNS
        moment = START + timedelta(days=3 * session, minutes=number % SESSION_TURNS)
        actor: Actor = "agent" if number % 4 == 3 else "owner"
        turns.append(Turn(f"talk-{session}", moment.isoformat(timespec="seconds"), actor, text))
    return turns


class Builder:
    """Writes a notebook, with the canaries or without."""

    def __init__(self, root: Path, size: Size, *, settings: str = "", is_planted: bool = True) -> None:
        self.root, self.size, self.is_planted = root, size, is_planted
        self._settings = settings
        self._canaries = canaries_of(size)
        self._rng = random.Random(5)
        self._language = Language(3)

    def build(self) -> None:
        """Write the notebook."""
        self.root.mkdir()
        if self._settings:
            self._write("commonplace.toml", self._settings)
        self._write_by_hand()
        with opened(self.root, OTHER) as memory:
            self._capture_on_other(memory)
        with opened(self.root, OWN) as memory:
            self._capture_on_own(memory)
            memory.consolidate(apply=True, now=NOW)
        self._plant_by_hand()
        with opened(self.root, OTHER) as memory:
            self._plant_on_other(memory)
        with opened(self.root, OWN) as memory:
            for step in (self._retain, self._work, self._ask, self._consolidate_canaries):
                step(memory)
            self._write_as_program(memory)
        with opened(self.root, OTHER) as memory:
            self._capture_late(memory)
            if "[vectors]" in self._settings:
                memory.embed()
        self._leave_behind()

    def of(self, *stores: str) -> list[Canary]:
        """The canaries of stores; none in the twin."""
        return [one for one in self._canaries if one.store in stores] if self.is_planted else []

    # by hand

    def _write_by_hand(self) -> None:
        lines = [f"- {_plain(self)}" for _each in range(self.size.notes)]
        for at, path in enumerate(NOTE_FILES):
            self._write(path, _page(Path(path).stem.title(), lines[at :: len(NOTE_FILES)]))
        self._write(CONFLICT_COPY, _page("Boat", lines[:2]))
        self._write("MEMORY.md", _page("Mine", [f"- {_plain(self)}" for _each in range(8)]))
        for day in self._days():
            kept = "\n".join(f"- W @Ilse: {_plain(self)}" for _each in range(4))
            self._write(f"memory/{day}.md", f"# {day}\n\nRain in the morning, {_plain(self)}\n\n## Retain\n\n{kept}\n")
        self._write("memory/archive/2025/03/old.md", _page("Old", [f"- {_plain(self)}"]))
        self._write(".learnings/LEARNINGS.md", _page("Learnings", [f"- {_plain(self)}"]))

    def _days(self) -> list[str]:
        return [(START + timedelta(days=2 * number)).date().isoformat() for number in range(self.size.days)]

    def _plant_by_hand(self) -> None:
        """Canaries between the lines of pages; what was consolidated by then is that of the twin."""
        for at, path in enumerate(NOTE_FILES):
            self._insert(path, [f"- {one.sentence}" for one in self.of("note")[at :: len(NOTE_FILES)]])
        self._insert("MEMORY.md", [f"- {one.sentence}" for one in self.of("core")])
        for at, day in enumerate(self._days()):
            own = self.of("day")[at :: self.size.days]
            self._insert(f"memory/{day}.md", [f"- W @Mara: {one.sentence}" for one in own])
        self._insert("memory/archive/2025/03/old.md", [f"- {one.sentence}" for one in self.of("archive")])
        self._insert(".learnings/LEARNINGS.md", [f"- {one.sentence}" for one in self.of("learning")])
        for number, one in enumerate(self.of("episode")):
            front = f'---\ntimestamp: "2026-10-0{number + 1}T10:00:00"\ntags: [work]\nsummary: "{one.sentence}"\n---\n'
            path = f"memory/episodes/2026-10-0{number + 1}_10-00-00_talk.md"
            self._write(path, f"{front}\n**Details:**\n\n{one.sentence} It was said twice.\n")
        copied = [*self.of("conflict copy"), *self.of("note")[:4]]
        self._insert(CONFLICT_COPY, [f"- {one.sentence}" for one in copied])
        for number, one in enumerate(self.of("skill")):
            calls = [
                {"action": "call_tool", "params": {"tool": "shell", "input": f"open {one.word} {n}"}} for n in "ab"
            ]
            skill = {"name": f"open-it-{number}", "goal": one.sentence, "triggers": ["open"], "preconditions": {}}
            self._write(f"memory/skills/open-it-{number}.draft.json", json.dumps(skill | {"steps": calls}, indent=1))

    def _insert(self, path: str, own: list[str]) -> None:
        """Put lines before items of a page by lot."""
        lines = (self.root / path).read_text(encoding="utf-8").split("\n")
        for line in own:
            items = [at for at, there in enumerate(lines) if there.startswith("- ")]
            lines.insert(self._rng.choice(items), line)
        self._write(path, "\n".join(lines))

    def _write(self, path: str, text: str) -> None:
        place = self.root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8")

    # captures

    def _capture_on_other(self, memory: Memory) -> None:
        """What was said, then canaries: so the ordinary captures lie where they lie in the twin, and have its ids."""
        turns = ordinary_turns(self.size)
        events = [_event(turn) for turn in turns[len(turns) // 2 : -LATE_TURNS]]
        memory.capture_all(events, now=NOW)

    def _plant_on_other(self, memory: Memory) -> None:
        last = ordinary_turns(self.size)[-LATE_TURNS - 1].ts
        own = self.of("other device")
        memory.capture_all(
            [Event(text=one.sentence, session=f"phone-{at % 3}", ts=last) for at, one in enumerate(own)], now=NOW
        )

    def _capture_late(self, memory: Memory) -> None:
        """Ordinary turns behind the canaries: these lie elsewhere than in the twin, and have other ids."""
        memory.capture_all([_event(turn) for turn in ordinary_turns(self.size)[-LATE_TURNS:]], now=NOW)

    def _capture_on_own(self, memory: Memory) -> None:
        turns = ordinary_turns(self.size)
        events = [_event(turn) for turn in turns[: len(turns) // 2]]
        events += [Event(text=text, session="shed", ts=turns[0].ts) for text in PLAIN_FACTS]
        memory.capture_all(events, now=NOW)

    def own_events(self) -> list[Event]:
        """The canaries that are captured on this device, after all else."""
        filler = Language(9)
        events = list[Event]()
        for number, one in enumerate(self.of("capture")):
            scope = "heron" if number % 6 == 5 else ""
            keys = (f"chat:{one.number}",) if number % 2 else ()
            at = f"2026-10-{number % 20 + 1:02d}T12:00:00"
            events.append(Event(text=one.sentence, session=f"own-{number % 3}", ts=at, scope=scope, keys=keys))
        for one in self.of("artifact", "deep in an artifact"):
            head = one.sentence if one.store == "artifact" else "A long report begins here."
            text = f"{head} {_long(filler)} {one.sentence} {_long(filler)}"
            events.append(Event(text=text, session="reports", ts="2026-10-21T12:00:00"))
        for one in self.of("detail"):
            call = {"tool": "bash", "arguments": {"command": f"open {one.word}"}, "exit_code": 0}
            text = f"The door number {one.number} opened without a sound."
            at = "2026-10-22T12:00:00"
            events.append(Event(text=text, session="tools", ts=at, actor="tool", type="tool_result", detail=call))
        return events

    # by the product

    def _retain(self, memory: Memory) -> None:
        for number in range(6):
            memory.retain(f"W @Ilse: {self._language.sentence().capitalize()}.", now=f"2026-11-0{number + 1}T10:00")
        for day in (8, 9, 10):
            memory.retain(f"W @Ilse: {self._language.sentence().capitalize()}.", now=f"2026-11-{day:02d}T10:00")
        memory.log("The boiler was repaired.", now="2026-11-07T10:00")
        self._add_pending("wait", "Ilse's city is Bern.", "Ilse")
        memory.session_start("roof", goal="Mend the roof", plan=("Buy slates", "Climb"), now="2026-11-20T17:00")
        memory.buffer_add("The slates are grey.", task="roof", now="2026-11-20T17:01")
        for number, one in enumerate(self.of("retain")):
            who = f"@{one.word.capitalize()}" if number < 3 else "@Mara"
            memory.retain(f"W {who}: {one.sentence}", now=f"2026-11-0{number % 6 + 1}T11:00")
        for one in self.of("log"):
            memory.log(one.sentence, now="2026-11-07T11:00")
        for one in self.of("undone"):
            memory.retain(f"W @Mara: {one.sentence}", now="2026-11-08T11:00")
            change = next(write for write in memory.audit(at_most=200) if one.word in write.after)
            memory.undo(change.change_id, now="2026-11-08T11:01")
        for one in self.of("superseded"):
            kept = memory.retain(f"W @Mara: {one.sentence}", now="2026-11-09T11:00")
            assert kept.record is not None
            later = f"W @Mara: {one.sentence[:-1]}, no longer."
            memory.retain(later, supersedes=(kept.record.id,), now="2026-11-09T11:05")

    def _work(self, memory: Memory) -> None:
        for number, one in enumerate(self.of("session")):
            name = f"work-{number}"
            memory.session_start(name, goal=one.sentence, plan=(f"Find {one.word}", "Rest"), now="2026-11-20T17:02")
            said = (f"{one.word} was seen",)
            memory.session_step(name, observations=said, facts={"lamp": one.word}, now="2026-11-20T17:03")
        for one in self.of("buffer"):
            memory.buffer_add(one.sentence, task="roof", now="2026-11-20T17:01")
        for number, one in enumerate(self.of("pending")):
            self._add_pending(f"wait{number:04d}", one.sentence, "Mara")

    def _add_pending(self, item_id: str, text: str, entity: str) -> None:
        """Put something into the queue, as a consolidation does."""
        place = WriteContext(str(self.root), OWN, NOW)
        item = ReviewItem(item_id, text, "fact", "doubt", "not sure", entity=entity)
        write_plan(place, ConsolidationPlan(pending=(item,)), LedgerHistory(Journal(place.root, OWN)), "consolidate")

    def _ask(self, memory: Memory) -> None:
        events = self.own_events()
        memory.capture_all(events, now=NOW)
        memory.pack("what about the roof and the slates?", now=NOW)
        for one in self.of("note", "capture", "retain", "artifact")[::3]:
            memory.pack(f"what about {one.word}?", automatic=True, session="own-0", now=NOW)
            memory.recall(one.sentence, now=NOW)
        for one in self.of("question"):
            memory.pack(f"who has seen {one.sentence}", now=NOW)
        self.ingest(memory)

    def ingest(self, memory: Memory) -> None:
        """A transcript with lines that are set aside: canaries of their own, and some that were captured too."""
        lines = [json.dumps({"ts": "2026-11-10T10:00", "actor": "owner", "text": FERRY, "session": "f"})]
        lines += [f'{{"ts": "2026-11-10T10:01", "text": "{one.sentence}' for one in self.of("set-aside")]
        lines += [f'{{"ts": "2026-11-10T10:02", "text": "{one.sentence}' for one in self.of("capture")[:2]]
        memory.ingest(io.BytesIO("\n".join([*lines, ""]).encode()), format="jsonl", name="talk.jsonl", now=NOW)

    def consolidated_events(self) -> list[Event]:
        """Sessions about canaries alone, five in each."""
        return [
            Event(text=one.sentence, session=f"about-{number // 5}", ts=f"2026-11-1{number // 5}T09:0{number % 5}:00")
            for number, one in enumerate(self.of("consolidated"))
        ]

    def _consolidate_canaries(self, memory: Memory) -> None:
        if events := self.consolidated_events():
            memory.capture_all(events, now=NOW)
        memory.consolidate(apply=True, now=NOW)

    def _write_as_program(self, memory: Memory) -> None:
        for one in self.of("model answer"):
            answer = {"claims": [{"quote": one.sentence, "category": "fact"}]}
            self._write(f".memory/model-cache/{one.number:064x}.json", json.dumps(answer))
        memory.sync()

    def _leave_behind(self) -> None:
        """What killed writers and sync tools leave."""
        for one in self.of("leftover"):
            self._write(f"memory/.2026-11-10.md.{one.number:016x}.tmp", _page("Half", [f"- {one.sentence}"]))
        for path in sorted((self.root / ".memory/journal").glob(f"captures-{OTHER}-*.jsonl"))[: self.is_planted]:
            copy = path.with_name(f"{path.stem}.sync-conflict-20261101-101112-ABCDEFG.jsonl")
            shutil.copy(path, copy)


def leave_killed(memory: Memory) -> None:
    """Leave what a `check` does that was killed: a copy of the index among the temporary files."""
    killed = Path(tempfile.mkdtemp(prefix="commonplace-"))
    shutil.copy(memory.workspace.index_path, killed / "index.sqlite")


def opened(root: Path, device: str) -> Memory:
    """The notebook as one of its devices opens it."""
    os.environ["COMMONPLACE_DEVICE"] = device
    return Memory.open(root)


def ordinary_questions(size: Size, root: Path, count: int) -> Iterator[str]:
    """Questions about what is no canary: words, a sentence, a whole line of notes and turns."""
    lines = [turn.text for turn in ordinary_turns(size)]
    for path in NOTE_FILES:
        lines += [line[2:] for line in (root / path).read_text(encoding="utf-8").split("\n") if line.startswith("- ")]
    rng = random.Random(11)
    forms: tuple[Callable[[list[str]], str], ...] = (
        lambda words: " ".join(words[:12]),
        lambda words: f"What about {rng.choice(words)} and {words[-1]}?",
        lambda words: " ".join(rng.sample(words, min(4, len(words)))),
        lambda words: f"when was {' '.join(words[1:4])}?",
    )
    for number in range(count):
        yield forms[number % len(forms)](rng.choice(lines).split() or ["boat"])


def _event(turn: Turn) -> Event:
    return Event(text=turn.text, session=turn.session, ts=turn.ts, actor=turn.actor)


def _page(title: str, lines: list[str]) -> str:
    return f"# {title}\n\n" + "".join(f"{line}\n" for line in lines)


def _plain(builder: Builder) -> str:
    return builder._language.sentence().capitalize() + "."


def _long(language: Language) -> str:
    text = language.sentence()
    while len(text) < LONG_CHARS // 2:
        text += f". {language.sentence().capitalize()}"
    return text
