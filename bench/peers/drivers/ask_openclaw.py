"""OpenClaw's own memory: notes of one session each in its workspace, without a model (`memory.search.provider: none`).

Its gateway runs on this machine, and its tool `memory_search` is called by `POST /tools/invoke`, as a model would call
it. A hit is a passage with its lines; it shows the turns whose lines lie in it. Names with a date are those that it
gives its notes itself, and it lets them fade with the age that the name tells; `dated` says whether names have one.
"""

from __future__ import annotations

from gateway import Gateway
from job import Hits, Job, sessions, work


class Notes:
    """The notes, and the gateway over them."""

    def __init__(self, job: Job) -> None:
        self._job = job
        self._lines: dict[str, list[str]] = {}  # path -> the turn of each line, from the third on
        (job.root / "workspace/memory").mkdir(parents=True)
        for number, turns in enumerate(sessions(job.turns).values(), 1):
            name = f"memory/{turns[0]['day']}-{number}.md" if job.options["dated"] else f"memory/talk-{number}.md"
            self._lines[name] = [turn["id"] for turn in turns]
            text = "\n".join([f"# Session {number}, {turns[0]['day']}", "", *(f"- {turn['text']}" for turn in turns)])
            (job.root / "workspace" / name).write_text(text + "\n", encoding="utf-8")
        self._gateway = Gateway(job.root, job.options["package"])
        self.processes = (self._gateway.number,)

    def index(self) -> None:
        """Its own command."""
        self._gateway.index()

    def ask(self, question: str, now: str) -> Hits:
        """The turns that the passages show."""
        found = self._gateway.search(question, self._job.k)
        return [turns for turns in map(self._turns, found) if turns]

    def _turns(self, passage: dict) -> list[str]:
        """The turns between its lines; none for one that is only a heading."""
        first, last = max(passage["startLine"], 3), passage["endLine"]
        return self._lines[passage["path"]][first - 3 : last - 2]

    def close(self) -> None:
        """Stop the gateway."""
        self._gateway.close()


if __name__ == "__main__":
    work(Notes)
