"""Memory's verbs of testing: a person's own questions held against recall, and two receipts side by side."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import Struct, structs

from commonplace import files
from commonplace.errors import BadArgument, NotFound
from commonplace.memory.asking import Asking
from commonplace.memory.looking import Looking
from commonplace.memory.opening import at_least_one
from commonplace.model import Problem

if TYPE_CHECKING:
    from commonplace.model import Receipt
    from commonplace.pack.compare import Comparison
    from commonplace.review.golden import Golden, Judged, Question, Wanted

GOLDEN = "memory/golden.md"
REMEMBERED = ".memory/golden.json"
MOST_BYTES = 10_000_000
BACK = "last~"
BAD = "bad-question"


class Tested(Struct, frozen=True):
    """What a file of questions came to: each question judged, what could not be read, whether ranks were remembered."""

    path: str
    judged: tuple[Judged, ...]
    problems: tuple[Problem, ...] = ()
    is_updated: bool = False

    @property
    def missing(self) -> int:
        """How many questions lack something that they must find."""
        return sum(not one.rank for one in self.judged)

    @property
    def is_passed(self) -> bool:
        """Whether every question could be read and finds everything."""
        return not self.missing and all(problem.code != BAD for problem in self.problems)


class Testing(Asking, Looking):
    """What proves that recall finds what a person needs."""

    def golden(
        self, path: str = GOLDEN, *, k: int | None = None, update: bool = False, now: str | None = None
    ) -> Tested:
        """Ask every question of a file and look at which rank what it expects is found; `docs/guides/testing.md`.

        A question's own `k`, `now` and `scope` go before those given here and in the settings. With `update` the ranks
        are remembered, and later runs say what became better or worse. Raises NotFound, BadArgument.
        """
        from commonplace.review.golden import verdict

        wanted = at_least_one(self.settings.recall_k if k is None else k, "k")
        known = _Known(self.root, self._named(path))
        golden = self._read_golden(path)
        problems = [*golden.problems, *known.problems, *_indexed(self.root, path)]
        judged: list[Judged] = []
        self._fresh()
        for question in golden.questions:
            one = self._judged(path, question, wanted, now)
            if isinstance(one, Problem):
                problems.append(one)
                continue
            before = known.ranks.get(question.key)
            said = verdict(one.rank, before) if known.ranks else ""
            judged.append(structs.replace(one, before=before, verdict=said))
        if update:
            known.remember({one.question.key: one.rank for one in judged})
        problems.sort(key=lambda problem: problem.line)
        return Tested(path, tuple(judged), tuple(problems), update)

    def diff_receipts(self, before: str = "last~1", after: str = "last") -> Comparison:
        """Two receipts side by side, by id, `last`, or `last~1` for the one before it. Raises NotFound, BadArgument."""
        from commonplace.pack.compare import compare

        return compare(self._receipt_back(before), self._receipt_back(after))

    def _receipt_back(self, name: str) -> Receipt:
        back = name.removeprefix(BACK)
        if back == name:
            return self.receipt(name)
        if not back.isdecimal() or len(back) > len("999999"):
            raise BadArgument(f"{name!r} names no receipt", hint="say last, last~1, or the id of a receipt")
        from commonplace import receipts

        known = receipts.read_all(self.root).receipts
        if int(back) >= len(known):
            missing = NotFound("receipt", name)
            missing.hint = f"there are {len(known)}; every `pack` leaves one"
            raise missing
        return known[-1 - int(back)]

    def _judged(self, path: str, question: Question, k: int, now: str | None) -> Judged | Problem:
        """The question asked and judged, or why it could not be asked."""
        from commonplace.review.golden import ANY_SCOPE, judge, placed

        k = question.k or k
        anywhere = question.scope == ANY_SCOPE
        scope = None if anywhere or not question.scope else question.scope
        try:
            moment = question.now or now
            today = placed(question, self._place_of)
            hits = self.recall(question.text, k=k, scope=scope, all_scopes=anywhere, now=moment, sync=False)
        except (BadArgument, NotFound) as error:
            return Problem(BAD, f"this cannot be asked: {error.message}", path, question.line, error.hint)
        return structs.replace(judge(today, (*hits.hits, *hits.candidates), k), question=question)

    def _place_of(self, reference: str) -> Wanted:
        """The lines that an anchored citation means today. Raises NotFound."""
        from commonplace.review.golden import Wanted

        view = self.show(reference)
        return Wanted("citation", view.path, view.line_start, view.line_end)

    def _read_golden(self, path: str) -> Golden:
        from commonplace.review.golden import read_golden

        real = self._named(path)
        try:
            with files.named(real) as (file, _identity):
                data = file.read(MOST_BYTES + 1)
        except NotFound:
            missing = NotFound("file of questions", path)
            missing.hint = f"write {GOLDEN}: `## a question?`, and below it `- path.md#L12` for what must be found"
            raise missing from None
        if len(data) > MOST_BYTES:
            raise BadArgument(f"{path!r} has more than {MOST_BYTES} bytes")
        return read_golden(path, data)

    def _named(self, path: str) -> str:
        """The file below the notebook, else as the shell would find it."""
        inside = os.path.join(self.root, path)
        return os.path.realpath(inside if os.path.exists(inside) else path)


class _Known:
    """The ranks that were remembered for a file: by the digest of a question, never its text."""

    def __init__(self, root: str, path: str) -> None:
        self.root, self.name = root, files.digest(os.path.relpath(path, root).encode("utf-8", "surrogateescape"))
        self.problems: tuple[Problem, ...] = ()
        self.all: dict[str, dict[str, int]] = {}
        data = files.find(root, REMEMBERED, MOST_BYTES)
        try:
            self.all = msgspec.json.decode(data, type=_Remembered).ranks if data else {}
        except msgspec.DecodeError:
            message = "the remembered ranks cannot be read"
            self.problems = (Problem("bad-ranks", message, REMEMBERED, hint="`--update` writes them anew"),)

    @property
    def ranks(self) -> dict[str, int]:
        """Those of this file; empty if none were remembered."""
        return self.all.get(self.name, {})

    def remember(self, ranks: dict[str, int]) -> None:
        """Replace those of this file; other files keep theirs."""
        data: dict[str, Any] = {"v": 1, "ranks": {**self.all, self.name: ranks}}
        files.write_atomic(self.root, REMEMBERED, msgspec.json.encode(data), mode=0o600)


class _Remembered(Struct, frozen=True):
    """The shape of `.memory/golden.json`."""

    ranks: dict[str, dict[str, int]]


def _indexed(root: str, path: str) -> tuple[Problem, ...]:
    """A file of questions among the notes is recalled itself, and then stands among the hits of its own questions."""
    from commonplace.workspace.roles import is_golden

    inside = not os.path.isabs(path) and os.path.isfile(os.path.join(root, path))
    if not inside or is_golden(os.path.normpath(path)) or not path.lower().endswith(".md"):
        return ()
    hint = f"move it to {GOLDEN} or into memory/golden/"
    return (Problem("golden-recalled", "these questions are recalled as notes", path, hint=hint),)
