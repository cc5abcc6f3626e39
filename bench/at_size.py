"""Recall at size: needles in a haystack that speaks the same words, asked by keywords and by questions.

Most lines share one small vocabulary of services, projects and words about work; among them lie needles of the form
`X decided the S service for project P listens on port N`. With true ranking a needle is among the first five whatever
the size; with a candidate list that is capped and unordered it is lost as the haystack grows.
"""

from __future__ import annotations

import random
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from msgspec import Struct

from commonplace import Memory

SIZES = (1_000, 10_000, 100_000)
NEEDLES = 50
FRESH = 20  # needles of a scope that has nothing else
FIRST = 5
NOW = "2026-06-01T09:00"
PEOPLE = ("Alice", "Bruno", "Chiara", "Dmitri", "Elif", "Farid", "Greta", "Hugo", "Ines", "Jonas")
SCOPES = ("atlas", "borealis", "cobalt", "dune", "ember")
UNTOUCHED = "fathom"
SERVICES = ("auth", "billing", "cache", "gateway", "indexer", "mailer", "metrics", "queue", "search", "storage")
PROJECTS = tuple(f"{first}{second}" for first in ("north", "river", "stone", "wind") for second in ("gate", "mark"))
_WORDS = (
    "service port project decided listens deploy config server request log error update version check build team "
    "meeting review plan release branch token limit timeout retry table schema backup restart patch ticket owner "
    "change node cluster memory disk network traffic alert rule policy access client test staging region report budget"
)
WORDS = tuple(_WORDS.split(" "))
FORMS = ("{}", "The {}", "Today the {}", "We saw that the {}", "After lunch the {}")
LINES = 100  # of one file


class Needle(Struct, frozen=True):
    """A line that is looked for: who decided on which port which service of which project listens."""

    scope: str
    person: str
    service: str
    project: str
    port: int

    @property
    def line(self) -> str:
        """The line as it is written."""
        return (
            f"{self.person} decided the {self.service} service for project {self.project} listens on port {self.port}"
        )

    @property
    def keywords(self) -> str:
        """The short way to ask for it."""
        return f"{self.service} {self.project} listens port {self.port}"

    @property
    def question(self) -> str:
        """The long way to ask for it, which does not know the port."""
        return f"Which port did {self.person} decide that the {self.service} service for project {self.project} uses?"


def run() -> None:
    """Print hit@5 of every way to ask, at 1,000, 10,000 and 100,000 records or at `--records=N`."""
    asked = [int(word.partition("=")[2]) for word in sys.argv if word.startswith("--records=")]
    for records in asked or SIZES:
        with tempfile.TemporaryDirectory(prefix="commonplace-size-") as folder:
            shares = hit_shares(Path(folder), records)
        told = " · ".join(f"{name} {share:.2f}" for name, share in shares.items())
        print(f"{records:,} records, hit@{FIRST}: {told}", flush=True)


def hit_shares(root: Path, records: int, *, seed: int = 7) -> dict[str, float]:
    """For each way to ask the share of needles that are among the first five, through files and the library."""
    needles = write(root, records, seed=seed)
    with Memory.open(root) as memory:
        memory.sync()
        spread = [needle for needle in needles if needle.scope != UNTOUCHED]
        fresh = [needle for needle in needles if needle.scope == UNTOUCHED]
        return {
            "keywords": _share(memory, spread, lambda one: one.keywords, scoped=False),
            "questions": _share(memory, spread, lambda one: one.question, scoped=False),
            "keywords in scope": _share(memory, spread, lambda one: one.keywords, scoped=True),
            "questions in scope": _share(memory, spread, lambda one: one.question, scoped=True),
            "fresh scope": _share(memory, fresh, lambda one: one.question, scoped=True),
        }


def _share(memory: Memory, needles: list[Needle], way: Callable[[Needle], str], *, scoped: bool) -> float:
    return sum(is_found(memory, one, way(one), scoped=scoped) for one in needles) / len(needles)


def is_found(memory: Memory, needle: Needle, asked: str, *, scoped: bool) -> bool:
    """Whether a needle is among the first five for a question, in its scope or in all."""
    scope = needle.scope if scoped else None
    hits = memory.recall(asked, k=FIRST, scope=scope, all_scopes=not scoped, now=NOW, sync=False).hits
    return any(f"port {needle.port}" in hit.record.text and hit.record.scope == needle.scope for hit in hits)


def write(root: Path, records: int, *, seed: int) -> list[Needle]:
    """Logs of one day each, in all `records` lines with needles spread evenly; returns the needles."""
    rng = random.Random(seed)
    needles = list(_needles(rng))
    every = max(records // (len(needles) + 1), 1)
    waiting = iter(needles)
    for number, start in enumerate(range(0, records, LINES)):
        places = range(start, min(start + LINES, records))
        lines = [_line(rng, next(waiting, None) if place % every == every - 1 else None) for place in places]
        day = f"{2000 + number // 336}-{number // 28 % 12 + 1:02d}-{number % 28 + 1:02d}"
        path = root / "memory" / day[:4] / f"{day}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("\n".join((f"# {day}", "", "## Retain", "", *lines)) + "\n", encoding="utf-8")
    return needles


def _needles(rng: random.Random) -> Iterator[Needle]:
    """Each combination of service and project once in a scope, so that a question means one line."""
    places = [(scope, service, project) for scope in SCOPES for service in SERVICES for project in PROJECTS]
    chosen = rng.sample(places, NEEDLES)
    fresh = rng.sample([(UNTOUCHED, service, project) for service in SERVICES for project in PROJECTS], FRESH)
    ports = rng.sample(range(2_000, 60_000), NEEDLES + FRESH)
    for (scope, service, project), port in zip(chosen + fresh, ports, strict=True):
        yield Needle(scope, rng.choice(PEOPLE), service, project, port)


def _line(rng: random.Random, needle: Needle | None) -> str:
    if needle is None:
        return f"- W {_hay(rng)} <!-- project: {rng.choice(SCOPES)} -->"
    return f"- W {needle.line} <!-- project: {needle.scope} -->"


def _hay(rng: random.Random) -> str:
    """A line about work: the words of the needles and others, the commoner ones far more often."""
    words = rng.choices(WORDS, weights=[1 / (place + 2) for place in range(len(WORDS))], k=rng.randint(8, 20))
    words.insert(rng.randrange(len(words)), rng.choice((*SERVICES, *PROJECTS, *PEOPLE)))
    if rng.random() < 0.2:
        words.append(f"{rng.choice(SERVICES)} on port {rng.randint(1_000, 1_999)}")
    return rng.choice(FORMS).format(" ".join(words))
