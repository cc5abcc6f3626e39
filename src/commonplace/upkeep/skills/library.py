"""The skill library: list, approve and reject skills, match them to a request, and fill in their parameters."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from msgspec import Struct, to_builtins

from commonplace.errors import BadArgument, NotFound, closest_names
from commonplace.model import Problem, Reason
from commonplace.storage import files
from commonplace.storage.journal import Journal, decode_with_checksum, encode_journal_line
from commonplace.storage.workspace import archive_file
from commonplace.upkeep.skills import skill_files
from commonplace.upkeep.skills.learning import SKILLS_LOCK, ProcedureLedger
from commonplace.upkeep.skills.procedures import content_terms
from commonplace.upkeep.skills.skill_files import DRAFT_SUFFIX, SKILL_SUFFIX, SKILLS_FOLDER, Skill, TrackRecord
from commonplace.upkeep.skills.steps import matches_parameter_kind

APPROVED, REJECTED = "approved", "rejected"


class SkillLibrary(Struct, frozen=True):
    """Every skill, what is wrong with those that cannot be read, and the standings of procedures by id."""

    skills: tuple[Skill, ...]
    problems: tuple[Problem, ...]
    track_records: dict[str, TrackRecord]

    def find(self, name: str, *, draft_first: bool = False) -> Skill:
        """The skill of this name. Raises NotFound with near names, BadArgument for one that cannot be read."""
        named = [skill for skill in self.skills if skill.name == name]
        if named:
            return next((skill for skill in named if skill.path.endswith(DRAFT_SUFFIX) == draft_first), named[0])
        for problem in self.problems:
            if problem.path in (f"{SKILLS_FOLDER}/{name}{DRAFT_SUFFIX}", f"{SKILLS_FOLDER}/{name}{SKILL_SUFFIX}"):
                raise BadArgument(problem.message, path=problem.path, hint=problem.hint)
        names = [skill.name for skill in self.skills]
        raise NotFound("skill", name, closest_names(name, names, 3))


class _SkillDecisionIntent(Struct, frozen=True):
    """A decision about a skill, with the file and its content."""

    device: str
    now: str
    did: str
    path: str
    digest: str


def read_skill_library(journal: Journal) -> SkillLibrary:
    """The skills of the workspace as they stand now."""
    ledger = ProcedureLedger(journal)
    track_records = skill_files.compute_track_records(ledger.run_lines)
    return SkillLibrary(*skill_files.read_skills(journal.root, ledger.decisions), track_records)


def approve_skill(journal: Journal, name: str, now: str) -> Skill:
    """Make a draft, with all edits, an active skill; or approve again a changed one. Raises NotFound, BadArgument."""
    with files.hold_workspace_lock(journal.root, SKILLS_LOCK):
        skill = read_skill_library(journal).find(name, draft_first=True)
        if not _is_skill_name_free(journal.root, skill):
            path = f"{SKILLS_FOLDER}/{skill.name}{SKILL_SUFFIX}"
            hint = "rename the draft and its `name`, or reject the other one"
            raise BadArgument(f"there is another skill of the name {skill.name!r}", path=path, hint=hint)
        with _record_decision(journal, skill, APPROVED, now):
            _activate_skill(journal.root, skill, now)
        return read_skill_library(journal).find(name)


def reject_skill(journal: Journal, name: str, now: str) -> str:
    """Put a skill into the archive, and return where; the same steps are never drafted again. Raises NotFound."""
    with files.hold_workspace_lock(journal.root, SKILLS_LOCK):
        skill = read_skill_library(journal).find(name, draft_first=True)
        with _record_decision(journal, skill, REJECTED, now):
            return archive_file(journal.root, skill.path, now)


def finish_skill_decision(root: str, intent_bytes: bytes) -> None:
    """Bring to its end a decision that the ledger knows of, about a file that says what it said then."""
    promise = decode_with_checksum(intent_bytes, _SkillDecisionIntent)
    if promise is None:
        return
    journal = Journal(root, promise.device)
    with files.hold_workspace_lock(root, SKILLS_LOCK):
        library = read_skill_library(journal)
        skill = next((one for one in library.skills if (one.path, one.digest) == (promise.path, promise.digest)), None)
        if skill is None or ProcedureLedger(journal).decisions.get(promise.digest) != promise.did:
            return
        if promise.did == REJECTED:
            archive_file(root, skill.path, promise.now)
        elif _is_skill_name_free(root, skill):
            _activate_skill(root, skill, promise.now)


def _activate_skill(root: str, skill: Skill, now: str) -> None:
    """Give an approved draft the name of a skill; what was drafted goes to the archive."""
    if skill.path.endswith(DRAFT_SUFFIX):
        fields = skill.fields | {"status": APPROVED, "hash": skill.digest}
        skill_files.write_skill(root, f"{SKILLS_FOLDER}/{skill.name}{SKILL_SUFFIX}", fields)
        archive_file(root, skill.path, now)


def _is_skill_name_free(root: str, skill: Skill) -> bool:
    """Whether no file has the name that a draft is to get, or one that says the same."""
    name = f"{skill.name}{SKILL_SUFFIX}"
    if not skill.path.endswith(DRAFT_SUFFIX) or name not in files.list_file_sizes(root, SKILLS_FOLDER):
        return True
    there = skill_files.read_skill(root, f"{SKILLS_FOLDER}/{name}", {})
    return not isinstance(there, Problem) and there.digest == skill.digest


@contextmanager
def _record_decision(journal: Journal, skill: Skill, decision: str, now: str) -> Iterator[None]:
    """Append a decision to the ledger, and leave an intent until the block has carried it out."""
    intent = _SkillDecisionIntent(journal.device, now, decision, skill.path, skill.digest)
    with files.log_intent(journal.root, encode_journal_line(to_builtins(intent)), durable=True):
        journal.append(skill_files.decision_line(decision, now, skill), "ledger")
        yield


TRIGGER_WEIGHT, INTENT_WEIGHT = 0.6, 0.4
FIRST_WORD_SCORE, NEXT_WORD_SCORE = 0.5, 0.25  # of a trigger; three words are as telling as it gets
DEGRADED_FACTOR = 0.5
MIN_MATCH_SCORE = 0.3


class SkillMatch(Struct, frozen=True):
    """A skill that a request calls for, and the named parts of its score."""

    skill: Skill
    score: float
    reasons: tuple[Reason, ...]


def match_skills(library: SkillLibrary, text: str, now: str) -> tuple[SkillMatch, ...]:
    """The active skills that a text calls for, best first; whole words count, in any inflection."""
    asked = frozenset(form for term in content_terms(text) for form in term.forms)
    found = [_score_skill(library, skill, asked, now) for skill in library.skills if skill.status == APPROVED]
    called = (one for one in found if one.score >= MIN_MATCH_SCORE)
    return tuple(sorted(called, key=lambda one: (-one.score, one.skill.name)))


def _score_skill(library: SkillLibrary, skill: Skill, request_forms: frozenset[str], now: str) -> SkillMatch:
    trigger = 0.0  # of one whose words all occur
    for terms in filter(None, map(content_terms, skill.triggers)):
        if not any(request_forms.isdisjoint(term.forms) for term in terms):
            trigger = max(trigger, min(1.0, FIRST_WORD_SCORE + NEXT_WORD_SCORE * (len(terms) - 1)))
    matches = [not request_forms.isdisjoint(term.forms) for term in content_terms(skill.goal)]
    intent = sum(matches) / len(matches) if matches else 0.0
    weighed = {"trigger": TRIGGER_WEIGHT * trigger, "intent": INTENT_WEIGHT * intent}
    reasons = [Reason(name, round(value, 4)) for name, value in weighed.items()]
    score = sum(reason.value for reason in reasons)
    stands = library.track_records.get(skill.procedure)
    if stands is not None and stands.is_degraded(now):
        reasons.append(Reason("degraded×", DEGRADED_FACTOR))
        score *= DEGRADED_FACTOR
    return SkillMatch(skill, round(score, 4), tuple(reason for reason in reasons if reason.value))


class SkillDryRun(Struct, frozen=True):
    """The calls that a skill would make, as (tool, input), and the parameters that are missing."""

    skill: str
    steps: tuple[tuple[str, str], ...]
    missing: tuple[str, ...]


def dry_run_skill(skill: Skill, arguments: Mapping[str, str]) -> SkillDryRun:
    """The steps with these values, quoted in commands; an optional parameter without one takes its default, or is left
    out. Raises BadArgument for a parameter that the skill does not have, or a value that is not of its type."""
    needs = skill.preconditions
    unknown = sorted(set(arguments) - set(needs))
    if unknown:
        names = ", ".join(needs) or "none"
        raise BadArgument(f"{skill.name!r} has no parameter {unknown[0]!r}", hint=f"its parameters: {names}")
    for name, value in arguments.items():
        if not matches_parameter_kind(needs[name].type, value):
            raise BadArgument(f"{name!r} must be a {needs[name].type}, not {value!r}")
    defaults = {name: need.default for name, need in needs.items() if need.optional or need.default}
    given = {**defaults, **arguments}
    steps = tuple((tool, _fill_step(text, given, is_command=tool == "shell")) for tool, text in skill.steps)
    return SkillDryRun(skill.name, steps, tuple(name for name in needs if name not in given))


def _fill_step(text: str, arguments: Mapping[str, str], *, is_command: bool) -> str:
    from shlex import quote

    def value(match: re.Match[str]) -> str:
        known = arguments.get(match[1])
        if not known or not is_command:
            return match[0] if known is None else known
        before = re.sub(r"\\.", "", text[: match.start()])
        is_inside_quotes = before.count('"') % 2 == 1 or before.count("'") % 2 == 1
        return known if is_inside_quotes else quote(known)

    return re.sub(r"\$([a-z][a-z0-9_]*)", value, text)
