"""A small context window: what is said before a flush, a compaction or a reset is still there."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from e2e.companion import furnish
from e2e.host import Host
from e2e.model_server import is_summary, orders, said, tools
from e2e.processes import wait_until
from e2e.report import Stage
from e2e.scene import SOON, Lab, Scene, framed, install, opened

WINDOW = 40_000  # tokens
LONG = 5_000  # tokens of a turn
CHARACTERS = 4  # of a token
TURNS = 6
FLUSH = "memory flush"
BROTHER = "My brother Olaf is a carpenter in Bergen."
NOUNS = ("anchor", "barrel", "candle", "dagger", "ember", "feather", "garnet", "hammer")


@contextmanager
def scene(lab: Lab) -> Iterator[Scene]:
    """A furnished host with the companion in it, whose model has a small window."""

    def prepare(host: Host) -> None:
        furnish(host)
        settings = host.read_settings()
        settings["models"]["providers"]["lab"]["models"][0]["contextWindow"] = WINDOW
        host.write_settings(settings)
        install(host, extra=lab.extra)

    with opened(lab, "boundaries", prepare) as made:
        yield made


def long_message(number: int) -> str:
    """A message of about 5,000 tokens, with sentences of its own at both ends."""
    noun = NOUNS[number % len(NOUNS)]
    middle = " ".join(f"The {noun} of row {row} weighs {row * 7 + number} grams." for row in range(1, 10_000))
    return f"{opening(number)} {middle[: LONG * CHARACTERS]}. {closing(number)}"


def opening(number: int) -> str:
    """How the message begins."""
    return f"List {number} opens with the {NOUNS[number % len(NOUNS)]} of Captain Orla."


def closing(number: int) -> str:
    """How it ends."""
    return f"List {number} closes with the signature of harbour master Finn-{number}."


def automatic_compaction_loses_nothing(scene: Scene) -> str:
    """Automatic flush and compaction lose nothing: every message is in the captures, and none of the host's own"""
    mark = len(scene.model.requests)
    for number in range(TURNS):
        scene.host.turn(long_message(number), "long")
    requests = scene.model.requests[mark:]
    summaries, flushes = sum(map(is_summary, requests)), [one for one in requests if FLUSH in said(one).lower()]
    assert summaries, f"the host never compacted in {len(requests)} requests"
    assert flushes, "the host never flushed"
    assert not any(framed(said(one)) for one in flushes), "memory was recalled into a flush"
    scene.until_captured(*(end(number) for number in range(TURNS) for end in (opening, closing)))
    assert not any(FLUSH in one["text"].lower() for one in scene.captures()), "the flush was captured"
    return f"{TURNS} messages, {len(flushes)} flushes, {summaries} compactions"


def asked_compaction_loses_nothing(scene: Scene) -> str:
    """`/compact` loses nothing, and what was compacted away is recalled"""
    words = "The lighthouse key hangs behind the barometer."
    scene.ask(words, "asked")
    scene.ask(long_message(7), "asked")
    mark = len(scene.model.requests)
    scene.host.call("chat.send", sessionKey="agent:main:asked", message="/compact", idempotencyKey="compact-1")
    assert wait_until(lambda: any(map(is_summary, scene.model.requests[mark:])), 2 * SOON), "nothing was compacted"
    scene.until_captured(words, opening(7), closing(7))
    assert wait_until(lambda: words in scene.frame("Where does the lighthouse key hang?", "asked"), SOON), (
        "not recalled"
    )
    return ""


@contextmanager
def consolidating(lab: Lab) -> Iterator[Scene]:
    """A host whose model consolidates each session when it ends."""

    def prepare(host: Host) -> None:
        install(host, "--consolidate", extra=lab.extra)
        host.command("config", "validate")

    with opened(lab, "consolidating", prepare) as made:
        yield made


def session_end_consolidates(scene: Scene) -> str:
    """A session that ends is consolidated by its agent's model, which has no tools, and nothing of that is captured"""
    scene.ask(BROTHER, "ended")
    scene.until_captured(BROTHER)
    mark = len(scene.model.requests)
    scene.host.call("sessions.reset", key="agent:main:ended")
    assert wait_until(lambda: bool(kept(scene, BROTHER)), 3 * SOON), f"nothing was written: {scene.host.last_words()}"
    ordered = [one for one in scene.model.requests[mark:] if orders(said(one))]
    assert [[turn["text"] for turn in orders(said(one))[0]["turns"]][:1] for one in ordered] == [[BROTHER]]
    assert not tools(ordered[0]), "the model had tools"
    assert not scene.captured("answer_schema"), "the order was captured"
    return kept(scene, BROTHER)[0][:120]


def kept(scene: Scene, words: str) -> list[str]:
    """The lines of the notebook's files that contain the words."""
    paths = scene.host.workspace.rglob("*.md")
    return [line for path in paths for line in path.read_text(encoding="utf-8").split("\n") if words in line]


STAGE = Stage("Boundaries", scene, (automatic_compaction_loses_nothing, asked_compaction_loses_nothing))
CONSOLIDATION = Stage("Consolidation", consolidating, (session_end_consolidates,))
