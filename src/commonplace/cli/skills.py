"""`skills`: list, show, approve, reject, match and dry-run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from commonplace.cli.opening import open_memory
from commonplace.cli.render import counted, problem_line
from commonplace.cli.streams import print_json, print_lines, say
from commonplace.errors import BadArgument
from commonplace.text import one_line

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

    from commonplace.memory import Memory
    from commonplace.shapes import Json
    from commonplace.skills import Filled, Match, Shelf, Skill, Standing

VERBS = ("list", "show", "approve", "reject", "match", "dry-run")


def skills_arguments(parser: ArgumentParser) -> None:
    """Arguments of `skills`."""
    parser.add_argument("verb", nargs="?", choices=VERBS, default="list", help="what to do (list)")
    parser.add_argument(
        "words", nargs="*", metavar="WORD", help="the skill's NAME; for match a request; for dry-run NAME param=value …"
    )


def skills_run(options: Namespace) -> int:
    """What the agent knows how to do, and which of it a person approved."""
    with open_memory(options) as memory:
        if options.verb == "list":
            return _list(memory, as_json=options.json)
        if options.verb == "match":
            return _match(memory, " ".join(_some(options.words, "say what is asked for")), as_json=options.json)
        name, *rest = _some(options.words, "name a skill; `commonplace skills list` lists them")
        if options.verb == "dry-run":
            return _dry_run(memory, name, rest, as_json=options.json)
        if rest:
            raise BadArgument(f"one skill at a time, not {rest[0]!r} too")
        if options.verb == "reject":
            return _reject(memory, name, as_json=options.json)
        skill = memory.approve_skill(name) if options.verb == "approve" else None
        return _show(memory, skill or memory.skills().find(name), as_json=options.json)


def _some(words: list[str], hint: str) -> list[str]:
    if not words:
        raise BadArgument("something is missing", hint=hint)
    return words


def _list(memory: Memory, *, as_json: bool) -> int:
    shelf = memory.skills()
    if as_json:
        print_json(skills_json(shelf))
        return 0
    print_lines(_line(skill, shelf.standing(skill)) for skill in shelf.skills)
    say(*(problem_line(problem) for problem in shelf.problems))
    drafts = sum(skill.status == "draft" for skill in shelf.skills)
    say(f"{counted(len(shelf.skills), 'skill')}, {counted(drafts, 'draft')} waiting for `commonplace skills approve`")
    return 0


def _match(memory: Memory, text: str, *, as_json: bool) -> int:
    matches = memory.match_skills(text)
    if as_json:
        print_json(matches_json(text, matches))
        return 0
    for match in matches:
        reasons = " + ".join(f"{reason.name} {reason.value:.2f}" for reason in match.reasons)
        print_lines([f"{match.score:.2f}  {match.skill.name}  ({reasons})"])
    if not matches:
        say("no approved skill is called for")
    return 0


def _dry_run(memory: Memory, name: str, given: list[str], *, as_json: bool) -> int:
    pairs = [word.partition("=") for word in given]
    wrong = next((key for key, equals, _value in pairs if not equals), None)
    if wrong is not None:
        raise BadArgument(f"{wrong!r} is no parameter", hint="say param=value")
    filled = memory.dry_run_skill(name, {key: value for key, _equals, value in pairs})
    if as_json:
        print_json(dry_run_json(filled))
        return 0
    print_lines(f"{number}. {_call(*step)}" for number, step in enumerate(filled.steps, 1))
    if filled.missing:
        say(f"missing: {', '.join(filled.missing)}")
    say("nothing was run")
    return 0


def _reject(memory: Memory, name: str, *, as_json: bool) -> int:
    skill = memory.skills().find(name, draft_first=True)
    where = memory.reject_skill(name)
    if as_json:
        print_json({**skill_json(skill, None), "path": where, "status": "rejected"})
        return 0
    print_lines([one_line(where)])
    say(f"{name} was rejected; the same steps are not drafted again")
    return 0


def _show(memory: Memory, skill: Skill, *, as_json: bool) -> int:
    stands = memory.skills().standing(skill)
    if as_json:
        print_json(skill_json(skill, stands))
        return 0
    print_lines([_line(skill, stands), f"for: {one_line(skill.goal)}", f"triggers: {', '.join(skill.triggers)}"])
    for name, need in skill.preconditions.items():
        print_lines([f"${name}: {need.type}{', optional' if need.optional else ''}"])
    print_lines(f"{number}. {_call(*step)}" for number, step in enumerate(skill.steps, 1))
    if stands is not None and stands.reasons:
        say(f"failed lately: {', '.join(_failure(one.at, one.reason, one.exit_code) for one in stands.reasons)}")
    return 0


def skills_json(shelf: Shelf) -> Json:
    """`commonplace.skills.v1`."""
    from commonplace.shapes import problem_json

    return {
        "schema": "commonplace.skills.v1",
        "skills": [skill_json(skill, shelf.standing(skill)) for skill in shelf.skills],
        "problems": [problem_json(problem) for problem in shelf.problems],
    }


def skill_json(skill: Skill, stands: Standing | None) -> Json:
    """`commonplace.skill.v1`; `standing` is null for a skill without a procedure behind it."""
    return {
        "schema": "commonplace.skill.v1",
        "name": skill.name,
        "path": skill.path,
        "status": skill.status,
        "edited": skill.was_edited,
        "goal": skill.goal,
        "triggers": list(skill.triggers),
        "parameters": [
            {"name": name, "type": need.type, "optional": need.optional, "default": need.default}
            for name, need in skill.preconditions.items()
        ],
        "steps": [{"tool": tool, "input": text} for tool, text in skill.steps],
        "procedure": skill.procedure,
        "standing": None if stands is None else _standing_json(stands),
    }


def matches_json(asked: str, matches: tuple[Match, ...]) -> Json:
    """`commonplace.skill-matches.v1`."""
    return {
        "schema": "commonplace.skill-matches.v1",
        "query": asked,
        "matches": [
            {
                "name": match.skill.name,
                "path": match.skill.path,
                "score": match.score,
                "reasons": [{"name": reason.name, "value": reason.value} for reason in match.reasons],
            }
            for match in matches
        ],
    }


def dry_run_json(filled: Filled) -> Json:
    """`commonplace.dry-run.v1`."""
    return {
        "schema": "commonplace.dry-run.v1",
        "skill": filled.skill,
        "steps": [{"tool": tool, "input": text} for tool, text in filled.steps],
        "missing": list(filled.missing),
    }


def _standing_json(stands: Standing) -> Json:
    return {
        "successes": stands.successes,
        "failures": stands.failures,
        "quality": stands.quality,
        "degradation": stands.degradation,
        "last_success": stands.last_success,
        "last_failure": stands.last_failure,
        "failed": [{"at": one.at, "reason": one.reason, "exit_code": one.exit_code} for one in stands.reasons],
    }


def _line(skill: Skill, stands: Standing | None) -> str:
    edited = ", edited" if skill.was_edited else ""
    known = f"  {stands.successes} of {stands.repeats} worked, quality {stands.quality:.2f}" if stands else ""
    return f"{skill.status + edited:<10}  {skill.name}{known}  [{one_line(skill.path)}]"


def _call(tool: str, text: str) -> str:
    return text if tool == "shell" else f"{tool}({text})"


def _failure(at: str, reason: str, exit_code: int | None) -> str:
    from commonplace.skills.verdicts import told

    why = told(reason, exit_code)
    return f"{at[:10]} ({why})" if why else at[:10]
