"""`skills`: list, show, approve, reject, match and dry-run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from commonplace.cli.open_memory import open_memory
from commonplace.cli.render import pluralize, problem_line
from commonplace.cli.streams import print_json, print_lines, print_messages
from commonplace.errors import BadArgument
from commonplace.language.text import sanitize_line
from commonplace.operations import serializers

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

    from commonplace.memory import Memory
    from commonplace.upkeep.skills import Skill, TrackRecord
SKILL_ACTIONS = ("list", "show", "approve", "reject", "match", "dry-run")


def skills_arguments(parser: ArgumentParser) -> None:
    """Arguments of `skills`."""
    parser.add_argument("verb", nargs="?", choices=SKILL_ACTIONS, default="list", help="the action; default: `list`")
    parser.add_argument(
        "words",
        nargs="*",
        metavar="WORD",
        help="the NAME of a skill; for `match`, a request; for `dry-run`, NAME param=value …",
    )


def skills_run(options: Namespace) -> int:
    """What the agent knows how to do, and which of it a person approved."""
    with open_memory(options) as memory:
        if options.verb == "list":
            return _print_skills(memory, as_json=options.json)
        if options.verb == "match":
            return _print_matches(
                memory, " ".join(_require_words(options.words, "a request is needed")), as_json=options.json
            )
        name, *rest = _require_words(options.words, "name a skill; `commonplace skills list` lists them")
        if options.verb == "dry-run":
            return _print_dry_run(memory, name, rest, as_json=options.json)
        if rest:
            raise BadArgument(f"one skill at a time, not {rest[0]!r} too")
        if options.verb == "reject":
            return _reject_skill_by_name(memory, name, as_json=options.json)
        skill = memory.approve_skill(name) if options.verb == "approve" else None
        return _print_skill(memory, skill or memory.skills().find(name), as_json=options.json)


def _require_words(words: list[str], hint: str) -> list[str]:
    if not words:
        raise BadArgument("something is missing", hint=hint)
    return words


def _print_skills(memory: Memory, *, as_json: bool) -> int:
    library = memory.skills()
    if as_json:
        print_json(serializers.skills_json(library))
        return 0
    print_lines(_skill_line(skill, library.track_record_of(skill)) for skill in library.skills)
    print_messages(*(problem_line(problem) for problem in library.problems))
    drafts = sum(skill.status == "draft" for skill in library.skills)
    print_messages(
        f"{pluralize(len(library.skills), 'skill')}, "
        f"{pluralize(drafts, 'draft')} waiting for `commonplace skills approve`"
    )
    return 0


def _print_matches(memory: Memory, text: str, *, as_json: bool) -> int:
    matches = memory.match_skills(text)
    if as_json:
        print_json(serializers.skill_matches_json(text, matches))
        return 0
    for match in matches:
        reasons = " + ".join(f"{reason.name} {reason.value:.2f}" for reason in match.reasons)
        print_lines([f"{match.score:.2f}  {match.skill.name}  ({reasons})"])
    if not matches:
        print_messages("no approved skill fits")
    return 0


def _print_dry_run(memory: Memory, name: str, assignments: list[str], *, as_json: bool) -> int:
    pairs = [word.partition("=") for word in assignments]
    wrong = next((key for key, equals, _value in pairs if not equals), None)
    if wrong is not None:
        raise BadArgument(f"{wrong!r} is not a parameter", hint="say param=value")
    filled = memory.dry_run_skill(name, {key: value for key, _equals, value in pairs})
    if as_json:
        print_json(serializers.dry_run_json(filled))
        return 0
    print_lines(f"{number}. {_step_text(*step)}" for number, step in enumerate(filled.steps, 1))
    if filled.missing:
        print_messages(f"missing: {', '.join(filled.missing)}")
    print_messages("nothing was run")
    return 0


def _reject_skill_by_name(memory: Memory, name: str, *, as_json: bool) -> int:
    skill = memory.skills().find(name, draft_first=True)
    where = memory.reject_skill(name)
    if as_json:
        print_json({**serializers.skill_json(skill, None), "path": where, "status": "rejected"})
        return 0
    print_lines([sanitize_line(where)])
    print_messages(f"{name} was rejected; the same steps are not drafted again")
    return 0


def _print_skill(memory: Memory, skill: Skill, *, as_json: bool) -> int:
    stands = memory.skills().track_record_of(skill)
    if as_json:
        print_json(serializers.skill_json(skill, stands))
        return 0
    print_lines(
        [_skill_line(skill, stands), f"for: {sanitize_line(skill.goal)}", f"triggers: {', '.join(skill.triggers)}"]
    )
    for name, need in skill.preconditions.items():
        print_lines([f"${name}: {need.type}{', optional' if need.optional else ''}"])
    print_lines(f"{number}. {_step_text(*step)}" for number, step in enumerate(skill.steps, 1))
    if stands is not None and stands.recent_failures:
        print_messages(
            f"recent failures: "
            f"{', '.join(_failure_text(one.at, one.reason, one.exit_code) for one in stands.recent_failures)}"
        )
    return 0


def _skill_line(skill: Skill, track_record: TrackRecord | None) -> str:
    edited = ", edited" if skill.was_edited else ""
    known = (
        f"  {track_record.successes} of {track_record.attempts} worked, quality {track_record.quality:.2f}"
        if track_record
        else ""
    )
    return f"{skill.status + edited:<10}  {skill.name}{known}  [{sanitize_line(skill.path)}]"


def _step_text(tool: str, text: str) -> str:
    return text if tool == "shell" else f"{tool}({text})"


def _failure_text(at: str, reason: str, exit_code: int | None) -> str:
    from commonplace.upkeep.skills import describe_failure

    why = describe_failure(reason, exit_code)
    return f"{at[:10]} ({why})" if why else at[:10]
