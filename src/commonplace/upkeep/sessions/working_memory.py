"""The working memory of a session: goal, plan, facts and last observations, rendered to a token budget and stored."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable
from contextlib import AbstractContextManager
from functools import partial

import msgspec
from msgspec import Struct, structs

from commonplace.capture import TRUST_BY_ACTOR, TextMasker, WriteContext, require_on_record
from commonplace.errors import BadArgument, NotFound
from commonplace.language import tokens
from commonplace.language.text import sanitize_line, strip_frames
from commonplace.model import Actor, Trust, least_trusted, mark_of_words
from commonplace.redact import RedactedText
from commonplace.storage import files
from commonplace.storage.workspace import slugify_distinct

MAX_OBSERVATIONS = 5  # observations
TARGET_TOKENS, MAX_TOKENS = 800, 2_000  # tokens of the rendering: what it should have, and what it never exceeds
MAX_TEXT_CHARS = 20_000  # characters of one text that are kept in the file
MAX_NAME_CHARS = 200  # characters of the name of a fact or a skill
GOAL_CHARS, STEP_CHARS, FACT_CHARS, OBSERVATION_CHARS = 800, 200, 400, 600  # of one piece in the rendering
MAX_PLAN_STEPS = 12  # steps of a longer plan that are rendered, those that are at hand
ELLIPSIS = "…"
ALLOWED_ACTORS: tuple[Actor, ...] = ("owner", "agent", "tool")  # what the system says is never learned

UNASKED_TRUSTS: tuple[Trust, ...] = ("trusted", "unknown")

Mask = Callable[[str], RedactedText]


class PlanStep(Struct, frozen=True):
    """One step of a plan."""

    text: str
    done: bool = False


class AttributedText(Struct, frozen=True):
    """A fact's value or an observation, and how far whoever said it is trusted."""

    text: str
    trust: Trust = "unknown"


class WorkingMemory(Struct, frozen=True, kw_only=True):
    """The working memory of one session: facts in the order of their setting, and the trust of goal, plan and skill."""

    session: str
    started: str
    updated: str
    goal: str = ""
    plan: tuple[PlanStep, ...] = ()
    facts: dict[str, AttributedText] = {}
    observations: tuple[AttributedText, ...] = ()
    skill: str = ""
    trust: Trust = "unknown"
    v: int = 1

    def without_untrusted(self) -> WorkingMemory:
        """What an agent may be given unasked."""
        allowed = {name: fact for name, fact in self.facts.items() if fact.trust in UNASKED_TRUSTS}
        seen = tuple(one for one in self.observations if one.trust in UNASKED_TRUSTS)
        bare = self if self.trust in UNASKED_TRUSTS else structs.replace(self, goal="", plan=(), skill="")
        return structs.replace(bare, facts=allowed, observations=seen)


class SessionState(Struct, frozen=True):
    """The working memory of a session, with notes for the reader."""

    working: WorkingMemory
    notes: tuple[str, ...] = ()


class SessionUpdate(Struct, frozen=True, kw_only=True):
    """The changes of one step; None leaves a field as it is. `completed_steps` are numbers of steps of the plan from 1
    on, a fact with an empty value is forgotten. What is `held` back is an agent's and may be a stranger's."""

    goal: str | None = None
    plan: tuple[str, ...] | None = None
    completed_steps: tuple[int, ...] = ()
    skill: str | None = None
    facts: tuple[tuple[str, str], ...] = ()
    observations: tuple[str, ...] = ()
    actor: Actor = "agent"
    held: bool = False

    @property
    def texts(self) -> tuple[str, ...]:
        """All that is said in it."""
        facts = (f"{name}: {value}" for name, value in self.facts)
        return tuple(filter(None, (self.goal, *(self.plan or ()), self.skill, *facts, *self.observations)))


def redact_update(update: SessionUpdate, mask: Mask) -> SessionUpdate:
    """The same without secrets, each text on one line and of bounded length. Raises BadArgument."""
    if update.actor not in ALLOWED_ACTORS:
        raise BadArgument(f"the actor must be one of {', '.join(ALLOWED_ACTORS)}")
    if update.actor == "tool" and (update.goal is not None or update.plan is not None or update.skill):
        message = "a tool sets no goal, plan or skill"
        raise BadArgument(message, hint="what a tool says is an observation or a fact")

    def sanitize(texts: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(filter(None, (sanitize_session_text(text, mask) for text in texts)))

    return structs.replace(
        update,
        goal=None if update.goal is None else sanitize_session_text(update.goal, mask),
        plan=None if update.plan is None else sanitize(update.plan),
        skill=None if update.skill is None else sanitize_session_text(update.skill, mask)[:MAX_NAME_CHARS],
        facts=tuple(_redact_fact(name, value, mask) for name, value in update.facts),
        observations=sanitize(update.observations),
    )


def sanitize_session_text(text: str, mask: Mask) -> str:
    """A text as it may be written: without secrets and packs, on one line, cut if too long; empty under `[NOMEM]`."""
    once = mask(strip_frames(text))
    if not once.keep:
        return ""
    flat = mask(sanitize_line(once.text)).text  # what line breaks and control characters hid shows on one line
    return flat if len(flat) <= MAX_TEXT_CHARS else f"{flat[:MAX_TEXT_CHARS]}{ELLIPSIS}"


def apply_update(working: WorkingMemory, update: SessionUpdate, *, now: str) -> WorkingMemory:
    """The session after a step. Raises BadArgument for a step that the plan does not have."""
    trust: Trust = "untrusted" if update.held else TRUST_BY_ACTOR[update.actor]
    plan = working.plan if update.plan is None else tuple(PlanStep(text) for text in update.plan)
    for number in update.completed_steps:
        if not 1 <= number <= len(plan):
            raise BadArgument(f"the plan has no step {number}; it has {len(plan)}")
    # What a tool says of a fact that others set is only an observation.
    facts, refused = dict(working.facts), []
    for name, value in update.facts:
        if trust == "untrusted" and name in facts and facts[name].trust != "untrusted":
            refused.append(f"{name}={value}")
            continue
        facts.pop(name, None)  # the newest are last
        if value:
            facts[name] = AttributedText(value, trust)
    is_new_goal = update.goal is not None and update.goal != working.goal
    sets_outline = is_new_goal or update.plan is not None or bool(update.skill)
    seen = (*working.observations, *(AttributedText(text, trust) for text in (*update.observations, *refused)))
    done = update.completed_steps
    return structs.replace(
        working,
        goal=working.goal if update.goal is None else update.goal,
        plan=tuple(PlanStep(step.text, step.done or number in done) for number, step in enumerate(plan, 1)),
        skill=working.skill if update.skill is None else update.skill,
        facts=facts,
        observations=seen[-MAX_OBSERVATIONS:],
        trust=least_trusted(trust, *(() if is_new_goal else (working.trust,))) if sets_outline else working.trust,
        updated=max(now, working.updated),
    )


def render_working_memory(working: WorkingMemory, *, max_tokens: int = MAX_TOKENS) -> str:
    """The session for a prompt: goal, plan, skill, facts, observations, each part between blank lines. Over
    `TARGET_TOKENS` tokens older observations are left out first, then the facts that were set least recently; the text
    never has more than `max_tokens`."""
    target_tokens = min(TARGET_TOKENS, max_tokens)
    facts, seen = len(working.facts), len(working.observations)

    def is_over(count: int) -> bool:
        return tokens.count_tokens(_render_sections(working, count, seen)) > target_tokens

    while seen > 1 and is_over(facts):
        seen -= 1
    fitting = bisect_left(range(1, facts + 1), True, key=is_over)
    text = _render_sections(working, fitting or min(facts, 1), seen)
    if tokens.count_tokens(text) <= max_tokens:
        return text
    lengths = range(1, len(text) + 1)
    kept = bisect_left(lengths, True, key=lambda length: tokens.count_tokens(text[:length] + ELLIPSIS) > max_tokens)
    return text[:kept].rstrip() + ELLIPSIS if kept else ""


def _redact_fact(name: str, value: str, mask: Mask) -> tuple[str, str]:
    """Redacted together, for `password=…` gives itself away by its name."""
    name = sanitize_session_text(name, mask)[:MAX_NAME_CHARS]
    if not name:
        raise BadArgument("a fact needs a name", hint="say name=value")
    said = sanitize_session_text(f"{name}={value}", mask)
    return name, said.removeprefix(f"{name}=")


def _render_sections(working: WorkingMemory, fact_count: int, observation_count: int) -> str:
    """The parts that say something, with so many of the newest facts and observations."""
    facts = list(working.facts.items())[-fact_count:] if fact_count else []
    known = [(f"{name}=", _truncate_chars(fact.text, FACT_CHARS), fact.trust) for name, fact in facts]
    seen = working.observations[-observation_count:] if observation_count else ()
    looked = [("", _truncate_chars(one.text, OBSERVATION_CHARS), one.trust) for one in seen]
    outline = (
        ("Goal", _truncate_chars(working.goal, GOAL_CHARS)),
        ("Plan", _render_plan(working.plan)),
        ("Skill", working.skill),
    )
    parts = (
        *((title, _join_marked([("", text, working.trust)], "")) for title, text in outline if text),
        (f"Facts{_render_omitted_count(len(working.facts) - len(known))}", _join_marked(known, "; ")),
        (f"Seen{_render_omitted_count(len(working.observations) - len(looked))}", _join_marked(looked, " → ")),
    )
    return "\n\n".join(f"{title}: {text}" for title, text in parts if text)


def _render_plan(plan_steps: tuple[PlanStep, ...]) -> str:
    """`1. [x] … | 2. [ ] …`; of a long plan the plan_steps around the first that is not done."""
    numbered = enumerate(plan_steps, 1)
    rendered = [f"{at}. [{'x' if it.done else ' '}] {_truncate_chars(it.text, STEP_CHARS)}" for at, it in numbered]
    current = next((position for position, step in enumerate(plan_steps) if not step.done), len(plan_steps))
    first = max(0, min(current - 2, len(plan_steps) - MAX_PLAN_STEPS))
    shown = rendered[first : first + MAX_PLAN_STEPS]
    before, after = [f"({first} done)"] if first else [], len(plan_steps) - first - len(shown)
    return " | ".join([*before, *shown, *([f"({after} more)"] if after else [])])


def _render_omitted_count(omitted: int) -> str:
    return f" ({omitted} older left out)" if omitted else ""


def _join_marked(pieces: list[tuple[str, str, Trust]], separator: str) -> str:
    """The pieces (name, text, trust), with their mark before the first if they share one, else before each text."""
    marks = [mark_of_words(trust, "agent") for _name, _text, trust in pieces]
    before = [f"({mark}) " if mark else "" for mark in marks]
    if len(set(marks)) == 1:
        return before[0] + separator.join(name + text for name, text, _trust in pieces)
    return separator.join(name + mark + text for mark, (name, text, _trust) in zip(before, pieces, strict=True))


def _truncate_chars(text: str, max_chars: int) -> str:
    return text if len(text) <= max_chars else text[:max_chars].rstrip() + ELLIPSIS


SESSIONS_FOLDER = ".memory/sessions"
SET_ASIDE_FOLDER = ".memory/set-aside"
MAX_SESSION_BYTES = 64_000_000


def edit_session(context: WriteContext, session: str, update: SessionUpdate, *, is_start: bool) -> WorkingMemory:
    """Note what a step brought, or begin a task: a session keeps what it knows for the same goal, or for none. Raises
    BadArgument, and NotFound for a step of a session that was not started."""
    require_on_record(context.root)
    masker = TextMasker(context.root, context.exact)
    name = _sanitize_session_name(session, masker.redact)
    clean = redact_update(update, partial(masker.redact, session=session))
    with _hold_session_lock(context.root, name), files.log_intent(context.root):
        known = _read_session(context.root, name)
        if is_start and (known is None or (clean.goal and known.goal and clean.goal != known.goal)):
            known = WorkingMemory(session=name, started=context.now, updated=context.now)
        if known is None:
            raise NotFound("session", name)
        masker.save()
        changed = apply_update(known, clean, now=context.now)
        files.write_atomic(context.root, session_path(name), msgspec.json.encode(changed), mode=0o600)
    return changed


def find_session(context: WriteContext, session: str) -> WorkingMemory | None:
    """The working memory of a session; None if it was not started, or is done."""
    return _read_session(context.root, _sanitize_session_name(session, TextMasker(context.root, context.exact).redact))


def end_session(context: WriteContext, session: str) -> WorkingMemory:
    """Clear a session at completion; returns what it had in mind, and nothing where it is not under way."""
    name = _sanitize_session_name(session, TextMasker(context.root, context.exact).redact)
    with _hold_session_lock(context.root, name):
        known = _read_session(context.root, name)
        if known is not None:
            files.remove_file(context.root, session_path(name), durable=True)
    return known or WorkingMemory(session=name, started=context.now, updated=context.now)


def list_sessions(root: str) -> tuple[WorkingMemory, ...]:
    """The sessions that are under way, the one that was last at work first."""
    names = (name for name in files.list_file_sizes(root, SESSIONS_FOLDER) if name.endswith(".json"))
    known = [found for name in names if (found := _load_session_file(root, f"{SESSIONS_FOLDER}/{name}")) is not None]
    known.sort(key=lambda working: working.session)
    return tuple(sorted(known, key=lambda working: working.updated, reverse=True))


def session_path(name: str) -> str:
    """The path of a session's file: its name made valid for a file, with a digest of its exact spelling."""
    return f"{SESSIONS_FOLDER}/{slugify_distinct(name)}.json"


def _sanitize_session_name(session: str, mask: Mask) -> str:
    """The name as it is kept: on one line, without secrets. Raises BadArgument."""
    name = sanitize_session_text(session, mask)
    if not name or len(name) > MAX_NAME_CHARS:
        raise BadArgument(f"a session needs a name of at most {MAX_NAME_CHARS} characters")
    return name


def _hold_session_lock(root: str, name: str) -> AbstractContextManager[None]:
    return files.hold_workspace_lock(root, files.path_lock_name(session_path(name)))


def _read_session(root: str, name: str) -> WorkingMemory | None:
    known = _load_session_file(root, session_path(name))
    if known is not None and known.session != name:  # two names with one digest: neither sees the other
        message = f"another session has the file name of {name!r}"
        raise BadArgument(message, hint="choose another name for the session")
    return known


def _load_session_file(root: str, path: str) -> WorkingMemory | None:
    """Move a file that does not contain a session aside, where a person can look at it."""
    data = files.read_file_if_exists(root, path, MAX_SESSION_BYTES)
    try:
        return None if data is None else msgspec.json.decode(data, type=WorkingMemory)
    except (msgspec.DecodeError, UnicodeDecodeError):
        aside = f"{SET_ASIDE_FOLDER}/{path.rpartition('/')[2]}-{files.content_digest(data or b'')[:12]}"
        if not files.move_file(root, path, aside):
            files.remove_file(root, path)  # the same bytes lie there already
    return None
