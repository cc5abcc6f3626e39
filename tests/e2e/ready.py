"""The first prompt of a gateway that has just started: memory is there already."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager

from e2e.companion import ROTATION, furnish
from e2e.host import Host
from e2e.report import Stage
from e2e.scene import Lab, Scene, install, opened

STARTS = 10
FILES = 1_000
LINES = "".join(f"- W @Crew: Barrel {number} holds {number * 7} litres of rum.\n" for number in range(5))
LATE = "goes on without memory"


@contextmanager
def scene(lab: Lab) -> Iterator[Scene]:
    """A host with a notebook of some size, into which the companion was just installed."""

    def prepare(host: Host) -> None:
        furnish(host)
        for number in range(FILES):
            host.note(f"memory/crew-{number}.md", f"# Crew {number}\n\n## Retain\n\n{LINES}")
        shutil.rmtree(host.workspace / ".memory", ignore_errors=True)
        install(host, extra=lab.extra)

    with opened(lab, "ready", prepare) as made:
        yield made


def first_prompt_has_memory(scene: Scene) -> str:
    """The first prompt of a started gateway has memory, ten times of ten"""
    missing = []
    for number in range(STARTS):
        mark = scene.host.log_mark()
        if number:
            scene.host.restart()
        if ROTATION not in scene.frame("When is the staging database rotated?", f"first {number}"):
            missing.append(number)
        assert LATE not in scene.host.log_since(mark), scene.host.last_words()
    assert not missing, f"no memory at the starts {missing}"
    return f"{STARTS} of {STARTS}"


STAGE = Stage("Ready", scene, (first_prompt_has_memory,))
