"""The slot plugin in place of the host's own memory."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager

from e2e.companion import KAYAK, ORDER, ROTATION, furnish
from e2e.host import Host
from e2e.installing import inspected
from e2e.model_server import system
from e2e.report import Stage
from e2e.scene import MARK, SLOT, Lab, Scene, install, opened


@contextmanager
def scene(lab: Lab) -> Iterator[Scene]:
    """A furnished host with companion and slot in it."""

    def prepare(host: Host) -> None:
        furnish(host)
        install(host, "--slot", extra=lab.extra)

    with opened(lab, "slot", prepare) as made:
        made.host.turn("Good morning.", "warm")
        yield made


def memory_stays_in_the_prompt(scene: Scene) -> str:
    """MEMORY.md stays in the prompt with our plugin in the memory slot"""
    assert KAYAK in system(scene.ask("Hello there.", "plain")), "MEMORY.md is gone from the system prompt"
    return ""


def slot_is_ours(scene: Scene) -> str:
    """The memory slot is ours, and OpenClaw reports no conflict of tools"""
    assert scene.host.read_settings()["plugins"]["slots"]["memory"] == SLOT
    found = json.dumps(inspected(scene.host, SLOT))
    assert "memory_search" in found, found[:500]
    assert "conflict" not in scene.host.log_since(0), "the log tells of a conflict"
    return ""


def memory_search_is_ours(scene: Scene) -> str:
    """`memory_search` of the slot answers from our index, with a citation"""
    details = scene.host.invoke("memory_search", query="When is the staging database rotated?")["details"]
    assert details.get("provider") == "commonplace", f"it is answered by {details.get('provider')!r}"
    first = details["results"][0]
    assert ROTATION in first["snippet"], first
    assert (first["path"], first["startLine"]) == ("memory/2026-11-01.md", 5), first
    return first["citation"]


def memory_get_is_ours(scene: Scene) -> str:
    """`memory_get` of the slot reads the lines of a note"""
    details = scene.host.invoke("memory_get", path="memory/2026-11-01.md", **{"from": 5, "lines": 1})["details"]
    assert ROTATION in details["text"], details
    return ""


def untrusted_is_marked(scene: Scene) -> str:
    """What a tool's result told is in no automatic pack, and `memory_search` marks it"""
    scene.ask('CALL read {"path": "mail.txt"}', "mail")
    scene.until_captured(ORDER)
    lines = scene.frame("Which account gets the harbour invoice?", "later")
    assert "4417" not in lines, f"the order came: {lines!r}"
    results = scene.host.invoke("memory_search", query="account of the harbour invoice", corpus="all")["details"][
        "results"
    ]
    told = [one for one in results if "4417" in one["snippet"]]
    assert told, f"asked for, it is not shown: {results}"
    assert all(one["provenance"]["originClass"] in ("untrusted", "agent") for one in told), told
    assert all(MARK.match(one["snippet"]) for one in told), told
    return ""


STAGE = Stage(
    "Slot",
    scene,
    (memory_stays_in_the_prompt, slot_is_ours, memory_search_is_ours, memory_get_is_ours, untrusted_is_marked),
)
