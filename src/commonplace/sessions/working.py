"""The working memory of one session: goal, plan, facts and the last observations; pure values, rendered to a budget."""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct, structs

from commonplace import tokens
from commonplace.capture.events import TRUST_OF
from commonplace.capture.keys import Place, workspace_key
from commonplace.errors import BadArgument
from commonplace.model import Actor, Trust
from commonplace.redact import Redacted, redact
from commonplace.text import one_line
from commonplace.text.frames import unframed

KEPT = 5  # observations
TARGET, MOST = 800, 2_000  # tokens of the rendering: what it should have, and what it never exceeds
MOST_TEXT = 20_000  # characters of one text that are kept in the file
MOST_NAME = 200  # characters of the name of a fact or a skill
GOAL_CHARS, STEP_CHARS, FACT_CHARS, SEEN_CHARS = 800, 200, 400, 600  # of one piece in the rendering
PLAN_STEPS = 12  # steps of a longer plan that are rendered, those that are at hand
GAP = "…"
SPEAKERS: tuple[Actor, ...] = ("owner", "agent", "tool")  # what the system says is never learned

Mask = Callable[[str], Redacted]


class Step(Struct, frozen=True):
    """One step of a plan."""

    text: str
    done: bool = False


class Said(Struct, frozen=True):
    """A fact's value or an observation, and how far whoever said it is trusted."""

    text: str
    trust: Trust = "unknown"


class Working(Struct, frozen=True, kw_only=True):
    """What one session has in mind. `facts` are in the order in which they were last set, `started` and `updated` ISO
    minutes."""

    session: str
    started: str
    updated: str
    goal: str = ""
    plan: tuple[Step, ...] = ()
    facts: dict[str, Said] = {}
    observations: tuple[Said, ...] = ()
    skill: str = ""
    v: int = 1


class Session(Struct, frozen=True):
    """What a session has in mind, and what its reader should know."""

    working: Working
    notes: tuple[str, ...] = ()


class Progress(Struct, frozen=True, kw_only=True):
    """What a step brings; None leaves things as they are.

    `plan` replaces the plan, `done` are numbers of its steps from 1 on, a fact with an empty value is forgotten.
    """

    goal: str | None = None
    plan: tuple[str, ...] | None = None
    done: tuple[int, ...] = ()
    skill: str | None = None
    facts: tuple[tuple[str, str], ...] = ()
    observations: tuple[str, ...] = ()
    actor: Actor = "agent"


def mask_of(place: Place) -> Mask:
    """Mask the secrets in a text as this workspace does."""
    key = workspace_key(place.root)
    return lambda text: redact(text, key=key, exact=place.exact)


def cleaned(progress: Progress, mask: Mask) -> Progress:
    """The same without secrets, each text on one line and of bounded length. Raises BadArgument."""
    if progress.actor not in SPEAKERS:
        raise BadArgument(f"the actor must be one of {', '.join(SPEAKERS)}")
    if progress.actor == "tool" and (progress.goal is not None or progress.plan is not None or progress.skill):
        message = "a tool sets no goal, plan or skill"
        raise BadArgument(message, hint="what a tool says is an observation or a fact")
    return structs.replace(
        progress,
        goal=None if progress.goal is None else clean(progress.goal, mask),
        plan=None if progress.plan is None else tuple(filter(None, (clean(text, mask) for text in progress.plan))),
        skill=None if progress.skill is None else clean(progress.skill, mask)[:MOST_NAME],
        facts=tuple(_clean_fact(name, value, mask) for name, value in progress.facts),
        observations=tuple(filter(None, (clean(text, mask) for text in progress.observations))),
    )


def clean(text: str, mask: Mask) -> str:
    """A text as it may be written: secrets and packs taken out, on one line, cut where it is too long.

    Empty under `[NOMEM]`.
    """
    once = mask(unframed(text))
    if not once.keep:
        return ""
    flat = mask(one_line(once.text)).text  # what line breaks and control characters hid shows on one line
    return flat if len(flat) <= MOST_TEXT else f"{flat[:MOST_TEXT]}{GAP}"


def begin(known: Working | None, session: str, progress: Progress, *, now: str) -> Working:
    """The session at the start of a task: as it was for the same goal, or for none; from nothing for another one."""
    if known is None or (progress.goal and known.goal and progress.goal != known.goal):
        known = Working(session=session, started=now, updated=now)
    return advance(known, progress, now=now)


def advance(working: Working, progress: Progress, *, now: str) -> Working:
    """The session after a step. Raises BadArgument for a step that the plan does not have."""
    trust = TRUST_OF[progress.actor]
    plan = working.plan if progress.plan is None else tuple(Step(text) for text in progress.plan)
    for number in progress.done:
        if not 1 <= number <= len(plan):
            raise BadArgument(f"the plan has no step {number}; it has {len(plan)}")
    facts, refused = _facts(working.facts, progress, trust)
    seen = (*working.observations, *(Said(text, trust) for text in (*progress.observations, *refused)))
    return structs.replace(
        working,
        goal=working.goal if progress.goal is None else progress.goal,
        plan=tuple(Step(step.text, step.done or number in progress.done) for number, step in enumerate(plan, 1)),
        skill=working.skill if progress.skill is None else progress.skill,
        facts=facts,
        observations=seen[-KEPT:],
        updated=max(now, working.updated),
    )


def render(working: Working, *, target: int = TARGET, most: int = MOST) -> str:
    """The session for a prompt: goal, plan, skill, facts, observations, each part between blank lines.

    Over `target` tokens older observations are left out first, then the facts that were set least recently; the text
    never has more than `most`.
    """
    target = min(target, most)

    def written(facts: int, seen: int) -> str:
        return "\n\n".join(_sections(working, facts, seen))

    facts, seen = len(working.facts), len(working.observations)
    while seen > 1 and tokens.count(written(facts, seen)) > target:
        seen -= 1
    facts = greatest(facts, lambda number: tokens.count(written(number, seen)) <= target) or min(facts, 1)
    return cut(written(facts, seen), most)


def cut(text: str, most: int) -> str:
    """The text, or so much of its beginning as has at most so many tokens, the sign for what is missing included."""
    if tokens.count(text) <= most:
        return text
    kept = greatest(len(text), lambda length: tokens.count(text[:length] + GAP) <= most)
    return text[:kept].rstrip() + GAP if kept else ""


def greatest(limit: int, holds: Callable[[int], bool]) -> int:
    """The greatest number up to `limit` for which this holds, if it holds for all below; else 0."""
    low, high = 0, limit
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if holds(middle) else (low, middle - 1)
    return low


def _clean_fact(name: str, value: str, mask: Mask) -> tuple[str, str]:
    """Redacted together, for `password=…` gives itself away by its name."""
    name = clean(name, mask)[:MOST_NAME]
    if not name:
        raise BadArgument("a fact needs a name", hint="say name=value")
    said = clean(f"{name}={value}", mask)
    return name, said.removeprefix(f"{name}=")


def _facts(known: dict[str, Said], progress: Progress, trust: Trust) -> tuple[dict[str, Said], list[str]]:
    """The facts after a step, the newest last; what a tool says of one that others set is only an observation."""
    facts, refused = dict(known), []
    for name, value in progress.facts:
        if trust == "untrusted" and name in facts and facts[name].trust != "untrusted":
            refused.append(f"{name}={value}")
            continue
        facts.pop(name, None)
        if value:
            facts[name] = Said(value, trust)
    return facts, refused


def _sections(working: Working, facts: int, seen: int) -> list[str]:
    """The parts that say something, with the `facts` newest facts and the `seen` newest observations."""
    known = [f"{name}={_marked(said, FACT_CHARS)}" for name, said in list(working.facts.items())[-facts:] if facts]
    looked = [_marked(said, SEEN_CHARS) for said in working.observations[-seen:] if seen]
    parts = (
        ("Goal", _short(working.goal, GOAL_CHARS)),
        ("Plan", _plan(working.plan)),
        ("Skill", working.skill),
        (f"Facts{_missing(working.facts, known)}", "; ".join(known)),
        (f"Seen{_missing(working.observations, looked)}", " → ".join(looked)),
    )
    return [f"{title}: {text}" for title, text in parts if text]


def _plan(plan: tuple[Step, ...]) -> str:
    """`1. [x] … | 2. [ ] …`; of a long plan the steps around the first that is not done."""
    steps = [
        f"{number}. [{'x' if step.done else ' '}] {_short(step.text, STEP_CHARS)}" for number, step in _numbered(plan)
    ]
    current = next((place for place, step in enumerate(plan) if not step.done), len(plan))
    first = max(0, min(current - 2, len(plan) - PLAN_STEPS))
    shown = steps[first : first + PLAN_STEPS]
    before, after = [f"({first} done)"] if first else [], len(plan) - first - len(shown)
    return " | ".join([*before, *shown, *([f"({after} more)"] if after else [])])


def _numbered(plan: tuple[Step, ...]) -> list[tuple[int, Step]]:
    return list(enumerate(plan, 1))


def _missing(all_of: dict[str, Said] | tuple[Said, ...], shown: list[str]) -> str:
    left = len(all_of) - len(shown)
    return f" ({left} older left out)" if left else ""


def _marked(said: Said, most: int) -> str:
    mark = "(untrusted) " if said.trust == "untrusted" else ""
    return mark + _short(said.text, most)


def _short(text: str, most: int) -> str:
    return text if len(text) <= most else text[:most].rstrip() + GAP
