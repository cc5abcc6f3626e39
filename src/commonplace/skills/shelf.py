"""Skills for a person: look at them, approve or reject them; nothing is active that was not approved as it stands."""

from __future__ import annotations

from msgspec import Struct

from commonplace import files
from commonplace.errors import BadArgument, NotFound
from commonplace.journal import Journal
from commonplace.model import Problem
from commonplace.skills import drafts
from commonplace.skills.drafts import DONE, DRAFT, FOLDER, Skill
from commonplace.skills.learn import LOCK, read_book
from commonplace.skills.standing import Standing
from commonplace.workspace.write import archive


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
        if not skill.path.endswith(DRAFT):
            _decide(journal, skill, "approved", now)
            return open_shelf(journal).find(name)
        target = f"{FOLDER}/{name}{DONE}"
        fields = drafts.fields_of(journal.root, skill.path) | {"status": "approved", "hash": skill.digest}
        if drafts.digest_of(fields) != skill.digest:
            raise BadArgument(f"{skill.path!r} changed while it was read", path=skill.path, hint="try again")
        there = drafts.read(journal.root, target, drafts.Decisions()) if _is_there(journal.root, target) else None
        if there is not None and (isinstance(there, Problem) or there.digest != skill.digest):
            message = f"there is another skill of the name {name!r}"
            raise BadArgument(message, path=target, hint="rename the draft and its `name`, or reject the other one")
        _decide(journal, skill, "approved", now)
        files.create(journal.root, target, drafts.encoded(fields))
        archive(journal.root, skill.path, now)
        return open_shelf(journal).find(name)


def reject(journal: Journal, name: str, now: str) -> str:
    """Put a skill into the archive; the same steps are never drafted again. Raises NotFound.

    Returns where the file is now.
    """
    with files.hold(journal.root, LOCK):
        skill = open_shelf(journal).find(name, draft_first=True)
        _decide(journal, skill, "rejected", now)
        return archive(journal.root, skill.path, now)


def _decide(journal: Journal, skill: Skill, did: str, now: str) -> None:
    line = drafts.decision(did, now, skill.procedure, shape=skill.shape, digest=skill.digest)
    journal.append(line, "ledger")


def _is_there(root: str, path: str) -> bool:
    return path.rpartition("/")[2] in files.sizes(root, FOLDER)
