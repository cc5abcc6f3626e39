"""`skills`: list, show, approve, reject, match and dry-run."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterable, Iterator

from msgspec import structs

from commonplace.cli.options import argument_table, open_memory, parse_assignments
from commonplace.cli.render import pluralize, problem_line
from commonplace.cli.streams import print_answer
from commonplace.errors import BadArgument
from commonplace.language.text import sanitize_line
from commonplace.upkeep import skills

skills_arguments = argument_table("""
[verb={list,show,approve,reject,match,dry-run}=list]  The action; default: `list`.
[words=WORD...]  The NAME of a skill; for `match`, a request; for `dry-run`, NAME param=value …
""")


def skills_run(options: Namespace) -> int:
    """List the skills, and show, approve, reject, match or dry-run one."""
    with open_memory(options) as memory:
        if options.verb == "list":
            return _print_skills(memory.skills(), options)
        if options.verb == "match":
            request = " ".join(_require_words(options.words, "a request is needed"))
            matches = memory.match_skills(request)
            messages = () if matches else ["no approved skill fits"]
            lines = map(_match_line, matches)
            return print_answer(options, "skill-matches", matches, lines, messages=messages, query=request)
        name, *rest = _require_words(options.words, "name a skill; `commonplace skills list` lists them")
        if options.verb == "dry-run":
            filled = memory.dry_run_skill(name, parse_assignments(rest, "param=value"))
            missing = [f"missing: {', '.join(filled.missing)}"] if filled.missing else []
            missing.append("nothing was run")
            return print_answer(options, "dry-run", filled, _step_lines(filled.steps), messages=missing)
        if rest:
            raise BadArgument(f"one skill at a time, not {rest[0]!r} too")
        if options.verb == "reject":
            skill, where = memory.skills().find(name, draft_first=True), memory.reject_skill(name)
            skill = structs.replace(skill, path=where, status="rejected")
            message = f"{name} was rejected; the same steps are not drafted again"
            return print_answer(options, "skill", skill, [sanitize_line(where)], messages=[message], track_record=None)
        skill = memory.approve_skill(name) if options.verb == "approve" else memory.skills().find(name)
        return _print_skill(skill, memory.skills().track_records.get(skill.procedure), options)


def _require_words(words: list[str], hint: str) -> list[str]:
    if not words:
        raise BadArgument("something is missing", hint=hint)
    return words


def _print_skills(library: skills.SkillLibrary, options: Namespace) -> int:
    drafts = pluralize(sum(skill.status == "draft" for skill in library.skills), "draft")
    summary = f"{pluralize(len(library.skills), 'skill')}, {drafts} waiting for `commonplace skills approve`"
    lines = (_skill_line(skill, library.track_records.get(skill.procedure)) for skill in library.skills)
    return print_answer(options, "skills", library, lines, messages=(*map(problem_line, library.problems), summary))


def _match_line(match: skills.SkillMatch) -> str:
    reasons = " + ".join(f"{reason.name} {reason.value:.2f}" for reason in match.reasons)
    return f"{match.score:.2f}  {match.skill.name}  ({reasons})"


def _print_skill(skill: skills.Skill, track_record: skills.TrackRecord | None, options: Namespace) -> int:
    lines = [_skill_line(skill, track_record), f"for: {sanitize_line(skill.goal)}"]
    lines.append(f"triggers: {', '.join(skill.triggers)}")
    for name, need in skill.preconditions.items():
        lines.append(f"${name}: {need.type}{', optional' if need.optional else ''}")
    failures = [
        f"{one.at[:10]} ({why})" if (why := skills.describe_failure(one.reason, one.exit_code)) else one.at[:10]
        for one in (track_record.recent_failures if track_record else ())
    ]
    messages = [f"recent failures: {', '.join(failures)}"] if failures else []
    lines += _step_lines(skill.steps)
    return print_answer(options, "skill", skill, lines, messages=messages, track_record=track_record)


def _skill_line(skill: skills.Skill, track_record: skills.TrackRecord | None) -> str:
    edited = ", edited" if skill.was_edited else ""
    known = (
        f"  {track_record.successes} of {track_record.attempts} worked, quality {track_record.quality:.2f}"
        if track_record
        else ""
    )
    return f"{skill.status + edited:<10}  {skill.name}{known}  [{sanitize_line(skill.path)}]"


def _step_lines(steps: Iterable[tuple[str, str]]) -> Iterator[str]:
    for number, (tool, text) in enumerate(steps, 1):
        yield f"{number}. {text if tool == 'shell' else f'{tool}({text})'}"
