"""Skills for a person: look at them, approve or reject them; nothing is active that was not approved as it stands."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Any

from msgspec import Struct, to_builtins

from commonplace import files
from commonplace.errors import BadArgument, NotFound
from commonplace.journal import Journal, encode, unsealed
from commonplace.model import Problem
from commonplace.skills import drafts
from commonplace.skills.drafts import DONE, DRAFT, FOLDER, Skill
from commonplace.skills.learn import LOCK, read_book
from commonplace.skills.standing import Standing
from commonplace.workspace.write import archive

APPROVED, REJECTED = "approved", "rejected"


class Shelf(Struct, frozen=True):
    """Every skill, what is wrong with those that cannot be read, and the standings of procedures by id."""

    skills: tuple[Skill, ...]
    problems: tuple[Problem, ...]
    standings: dict[str, Standing]

    def standing(self, skill: Skill) -> Standing | None:
        """How the procedure behind a skill stands; None for a skill that somebody wrote."""
        return self.standings.get(skill.procedure)

    def find(self, name: str, *, draft_first: bool = False) -> Skill:
        """The skill of this name. Raises NotFound with near names, BadArgument for one that cannot be read."""
        named = [skill for skill in self.skills if skill.name == name]
        if named:
            return next((skill for skill in named if skill.path.endswith(DRAFT) == draft_first), named[0])
        for problem in self.problems:
            if problem.path in (f"{FOLDER}/{name}{DRAFT}", f"{FOLDER}/{name}{DONE}"):
                raise BadArgument(problem.message, path=problem.path, hint=problem.hint)
        import difflib

        names = [skill.name for skill in self.skills]
        raise NotFound("skill", name, tuple(difflib.get_close_matches(name, names, 3)))


class _Promise(Struct, frozen=True):
    """What was decided about which file, and what that said."""

    device: str
    now: str
    did: str
    path: str
    digest: str


def open_shelf(journal: Journal) -> Shelf:
    """The skills of the workspace as they stand now."""
    book = read_book(journal)
    return Shelf(*drafts.read_all(journal.root, book.decided), book.standings())


def approve(journal: Journal, name: str, now: str) -> Skill:
    """Make a draft, as it stands with all edits, an active skill; or approve again one that was changed since.

    Raises NotFound, BadArgument.
    """
    with files.hold(journal.root, LOCK):
        skill = open_shelf(journal).find(name, draft_first=True)
        fields = _approved(journal.root, skill)
        if drafts.digest_of(fields) != skill.digest:
            raise BadArgument(f"{skill.path!r} changed while it was read", path=skill.path, hint="try again")
        _require_free(journal.root, skill)
        with _promised(journal, skill, APPROVED, now):
            _tell(journal, skill, APPROVED, now)
            _make_active(journal.root, skill, fields, now)
        return open_shelf(journal).find(name)


def reject(journal: Journal, name: str, now: str) -> str:
    """Put a skill into the archive; the same steps are never drafted again. Raises NotFound.

    Returns where the file is now.
    """
    with files.hold(journal.root, LOCK):
        skill = open_shelf(journal).find(name, draft_first=True)
        with _promised(journal, skill, REJECTED, now):
            _tell(journal, skill, REJECTED, now)
            return archive(journal.root, skill.path, now)


def finish(root: str, word: bytes) -> None:
    """Bring to its end a decision that the ledger knows of, about a file that says what it said then."""
    promise = unsealed(word, _Promise)
    if promise is None:
        return
    journal = Journal(root, promise.device)
    with files.hold(root, LOCK):
        shelf = open_shelf(journal)
        skill = next((one for one in shelf.skills if (one.path, one.digest) == (promise.path, promise.digest)), None)
        if skill is None or read_book(journal).decided.on(promise.digest) != promise.did:
            return
        fields = _approved(root, skill)
        if promise.did == REJECTED:
            archive(root, skill.path, promise.now)
        elif _is_free(root, skill) and drafts.digest_of(fields) == skill.digest:
            _make_active(root, skill, fields, promise.now)


def _approved(root: str, skill: Skill) -> dict[str, Any]:
    """What the file of a skill is to say once it is active."""
    return drafts.fields_of(root, skill.path) | {"status": APPROVED, "hash": skill.digest}


def _make_active(root: str, skill: Skill, fields: dict[str, Any], now: str) -> None:
    """Give an approved draft the name of a skill; what was drafted goes to the archive."""
    if skill.path.endswith(DRAFT):
        files.create(root, f"{FOLDER}/{skill.name}{DONE}", drafts.encoded(fields))
        archive(root, skill.path, now)


def _require_free(root: str, skill: Skill) -> None:
    if not _is_free(root, skill):
        message, path = f"there is another skill of the name {skill.name!r}", f"{FOLDER}/{skill.name}{DONE}"
        raise BadArgument(message, path=path, hint="rename the draft and its `name`, or reject the other one")


def _is_free(root: str, skill: Skill) -> bool:
    """Whether no file has the name that a draft is to get, or one that says the same."""
    if not skill.path.endswith(DRAFT):
        return True
    target = f"{FOLDER}/{skill.name}{DONE}"
    there = drafts.read(root, target, drafts.Decisions()) if _is_there(root, target) else None
    return there is None or (not isinstance(there, Problem) and there.digest == skill.digest)


def _promised(journal: Journal, skill: Skill, did: str, now: str) -> AbstractContextManager[None]:
    """Word of a decision that is being carried out."""
    promise = _Promise(journal.device, now, did, skill.path, skill.digest)
    return files.doing(journal.root, encode(to_builtins(promise)), durable=True)


def _tell(journal: Journal, skill: Skill, did: str, now: str) -> None:
    line = drafts.decision(did, now, skill.procedure, shape=skill.shape, digest=skill.digest)
    journal.append(line, "ledger")


def _is_there(root: str, path: str) -> bool:
    return path.rpartition("/")[2] in files.sizes(root, FOLDER)
