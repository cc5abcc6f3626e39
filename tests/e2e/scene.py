"""What a check looks at: a host with Commonplace in it, the model behind it, and what memory wrote down."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

from e2e.host import Host, HostError, Json
from e2e.installed import Installed
from e2e.model_server import Body, Model, said, text
from e2e.processes import Process, engines, wait_until

SOON = 20.0  # seconds for what happens behind a turn
PLUGIN, SLOT = "commonplace", "commonplace-slot"
FRAME = re.compile(r"<memory [^>]*>\n(.*?)\n</memory>", re.DOTALL)
MARK = re.compile(r"\((?:agent|untrusted|unverified|quoted|from [^)]+)\)")  # before words that are not the owner's
CITATION = re.compile(r"\[[^\]]+#L\d+(?:-L\d+)?\]|\[obs:[^\]]+\]")


@dataclass
class Lab:
    """What all stages share: where the host is installed, the folder of the run, the scripted model.

    `extra` is put into the plugin's settings, to see which checks notice.
    """

    place: Installed
    folder: Path
    model: Model
    extra: Json = field(default_factory=dict)

    def host(self, name: str) -> Host:
        """A new host in a folder of this name."""
        return Host(self.folder / name, self.place, self.model.port)


@dataclass
class Scene:
    """A host and its model; `told` are the messages that the owner has sent in it."""

    host: Host
    model: Model
    told: list[str] = field(default_factory=list)
    figures: dict[str, float] = field(default_factory=dict)

    def ask(self, message: str, session: str = "main") -> Body:
        """Send a message; the first request that the model got for it. HostError if there was none."""
        mark = len(self.model.requests)
        self.told.append(message)
        self.host.turn(message, session)
        asked = [body for body in self.model.since(mark) if message in said(body)]
        if not asked:
            raise HostError(f"the model was not asked about {message!r}")
        return asked[0]

    def frame(self, message: str, session: str = "main") -> str:
        """The recalled lines in the request for a message; empty if there are none."""
        return framed(said(self.ask(message, session)))

    def timed(self, times: int, message: str = "How are you?") -> float:
        """Seconds of a turn, in the middle of so many."""
        return median(self.host.turn(message, "timed").seconds for _ in range(times))

    def captures(self) -> list[Json]:
        """What stands in the journal of captures."""
        files = sorted((self.host.workspace / ".memory/journal").glob("captures-*.jsonl"))
        lines = [line for path in files for line in path.read_text(encoding="utf-8").split("\n") if line]
        return [json.loads(line) for line in lines]

    def captured(self, words: str) -> bool:
        """Whether a capture has the words, wherever it keeps them."""
        return any(words in json.dumps(one, ensure_ascii=False) for one in self.captures()) or any(
            words.encode() in path.read_bytes()
            for path in (self.host.workspace / ".memory/artifacts").rglob("*")
            if path.is_file()
        )

    def until_captured(self, *words: str) -> None:
        """Wait for captures with the words; AssertionError says which did not come."""
        wait_until(lambda: all(map(self.captured, words)), SOON)
        missing = [one[:80] for one in words if not self.captured(one)]
        assert not missing, f"not captured: {missing}"

    def engine(self) -> Process:
        """The one engine of the host; AssertionError if there is none or more than one."""
        wait_until(lambda: len(engines(self.host.folder)) == 1, SOON)
        found = engines(self.host.folder)
        assert len(found) == 1, f"{len(found)} engines run: {found}"
        return found[0]


def framed(words: str) -> str:
    """The lines inside the frames of a text."""
    return "\n".join(FRAME.findall(words))


def history(body: Body) -> str:
    """All that the model was shown of the conversation before the last answer."""
    messages = body["messages"]
    places = [place for place, one in enumerate(messages) if one["role"] == "assistant"]
    return "\n".join(text(one) for one in messages[: places[-1] + 1] if one["role"] != "system") if places else ""


@contextmanager
def opened(lab: Lab, name: str, prepare: Callable[[Host], None]) -> Iterator[Scene]:
    """A new host, prepared, with its gateway up; behind the block nothing of it runs, and its folder is gone."""
    host = lab.host(name)
    try:
        prepare(host)
        host.start()
        yield Scene(host, lab.model)
    finally:
        left = host.close()
        if left:
            print(f"  ended: {[one.command[:80] for one in left]}", flush=True)


def install(host: Host, *arguments: str, extra: Json | None = None) -> None:
    """`commonplace install openclaw`, and further settings of the plugin."""
    done = host.commonplace("install", "openclaw", "--yes", *arguments, check=False)
    if "installed into openclaw" not in done.stderr:
        raise HostError(f"install ended with {done.returncode}: {done.stdout}{done.stderr}")
    if extra:
        settings = host.read_settings()
        settings["plugins"]["entries"][PLUGIN]["config"].update(extra)
        host.write_settings(settings)
