"""Skills as JSON files: made from procedures as drafts, read with their problems, known by what they say."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Literal

import msgspec
from msgspec import Struct

from commonplace import files
from commonplace.errors import NotFound, OutsideWorkspace
from commonplace.journal import parse as parse_json
from commonplace.model import Problem
from commonplace.skills.commands import split_call
from commonplace.skills.pages import Procedure
from commonplace.skills.similar import called, name_of, shape_id, trigger_of, words
from commonplace.skills.slots import KINDS, parameters
from commonplace.skills.standing import Standing
from commonplace.text import one_line

OP = "skill"
FOLDER = "memory/skills"
DRAFT, DONE = ".draft.json", ".json"
MOST_BYTES = 1_000_000
LEAST_STEPS = 2
MOST_TRIGGERS = 4
MOST_SOURCES = 64
_SAID = ("goal", "triggers", "preconditions", "steps")  # what approval is given to

Status = Literal["draft", "approved", "unapproved", "rejected"]


class Parameter(Struct, frozen=True):
    """What a step needs to be told."""

    type: str = "text"
    optional: bool = False
    default: str = ""


class Skill(Struct, frozen=True):
    """A skill as its file has it. `digest` is that of what it says; `was_edited`, that a person changed it since."""

    name: str
    path: str
    status: Status
    goal: str
    triggers: tuple[str, ...]
    preconditions: dict[str, Parameter]
    steps: tuple[tuple[str, str], ...]  # tool, input
    digest: str
    shape: str
    procedure: str = ""
    sources: tuple[str, ...] = ()
    was_edited: bool = False

    @property
    def is_active(self) -> bool:
        """Whether it may be offered: approved, and unchanged since."""
        return self.status == "approved"


class Draft(Struct, frozen=True):
    """A draft that is to be put into its file."""

    name: str
    path: str
    data: bytes
    procedure: str
    shape: str
    digest: str

    def line(self, now: str) -> dict[str, Any]:
        """What the ledger is told when the file stands."""
        return decision("drafted", now, self.procedure, shape=self.shape, digest=self.digest)


class Making(Struct, frozen=True):
    """When a draft is made, the captures that it rests on, and the names that it cannot have."""

    now: str
    sources: tuple[str, ...]
    taken: set[str]


class Decisions:
    """What the ledger says of skills, the last word on each content."""

    def __init__(self) -> None:
        self._contents: dict[str, str] = {}
        self._shapes: set[str] = set()
        self._procedures: set[str] = set()

    def add(self, line: Mapping[str, Any]) -> None:
        """Take a ledger line in."""
        did = str(line.get("did"))
        if did in ("approved", "rejected"):
            self._contents[str(line.get("content"))] = did
        if did in ("approved", "rejected", "drafted"):
            self._shapes |= {str(shape) for shape in line.get("shapes") or ()}
            self._procedures.add(str(line.get("procedure") or "-"))

    def on(self, digest: str) -> str:
        """`approved`, `rejected`, or nothing."""
        return self._contents.get(digest, "")

    def is_open(self, procedure: str, shape: str) -> bool:
        """Whether nothing was drafted, approved or rejected for this procedure or for the same steps."""
        return procedure not in self._procedures and shape not in self._shapes


def decision(did: str, now: str, procedure: str, *, shape: str, digest: str) -> dict[str, Any]:
    """A ledger line: which content was drafted, approved or rejected, by digests only."""
    return {"op": OP, "ts": now, "did": did, "procedure": procedure, "shapes": [shape], "content": digest}


def make(procedure: Procedure, stands: Standing, making: Making) -> Draft:
    """A draft from a procedure as it stands in Markdown."""
    name = name_of(procedure.goal)
    name = name if name not in making.taken else f"{name}-{procedure.id[-4:]}"
    needs = {key: {"type": kind, "optional": False} for key, kind in parameters(procedure.steps).items()}
    steps = [
        {"action": "call_tool", "params": {"tool": tool, "input": text}}
        for tool, text in map(split_call, procedure.steps)
    ]
    said = {"goal": procedure.goal, "triggers": _triggers(procedure), "preconditions": needs, "steps": steps}
    digest = digest_of(said)
    fields = {
        "name": name,
        "status": "draft",
        **said,
        "hash": digest,
        "_meta": {
            "procedure": procedure.id,
            "page": procedure.path,
            "sources": list(making.sources[-MOST_SOURCES:]),
            "createdAt": making.now,
            "successes": stands.successes,
            "failures": stands.failures,
            "quality": stands.quality,
        },
    }
    return Draft(name, f"{FOLDER}/{name}{DRAFT}", encoded(fields), procedure.id, shape_id(procedure.steps, ""), digest)


def put(root: str, draft: Draft) -> None:
    """Write a draft, unless a file has its name."""
    files.create(root, draft.path, draft.data)


def names(root: str) -> set[str]:
    """The names that files have."""
    return {name.removesuffix(DONE).removesuffix(".draft") for name in files.sizes(root, FOLDER)}


def read_all(root: str, decided: Decisions) -> tuple[tuple[Skill, ...], tuple[Problem, ...]]:
    """Every skill, by name, and what is wrong with those that cannot be read."""
    found = [read(root, f"{FOLDER}/{name}", decided) for name in files.sizes(root, FOLDER) if name.endswith(DONE)]
    return (
        tuple(one for one in found if isinstance(one, Skill)),
        tuple(one for one in found if isinstance(one, Problem)),
    )


def read(root: str, path: str, decided: Decisions) -> Skill | Problem:
    """The skill in a file, or what is wrong with it."""
    try:
        fields = parse_json(files.read(root, path, MOST_BYTES).removeprefix(b"\xef\xbb\xbf"))
    except (NotFound, OutsideWorkspace) as error:
        return Problem("bad-skill", f"this skill cannot be read: {error.message}", path)
    why = fields if isinstance(fields, str) else _why_not(fields) or _misnamed(path, fields)
    if why:
        return Problem("bad-skill", f"this skill is set aside: {why}", path, hint="mend the file, or remove it")
    assert isinstance(fields, dict)
    return _skill(path, fields, decided)


def fields_of(root: str, path: str) -> dict[str, Any]:
    """The file's own fields, with those that we do not know; empty if it is no JSON object."""
    fields = parse_json(files.read(root, path, MOST_BYTES).removeprefix(b"\xef\xbb\xbf"))
    return fields if isinstance(fields, dict) else {}


def digest_of(fields: Mapping[str, Any]) -> str:
    """The digest of what a skill says: goal, triggers, preconditions and steps."""
    said = {key: fields.get(key) for key in _SAID}
    return files.digest(msgspec.json.encode(said, order="sorted"))


def encoded(fields: Mapping[str, Any]) -> bytes:
    """A skill as its file has it."""
    return msgspec.json.format(msgspec.json.encode(fields), indent=2) + b"\n"


def _triggers(procedure: Procedure) -> list[str]:
    """Phrases that call for it: the words of its goal, and those of its calls that share a word with the goal."""
    goal = set(words(procedure.goal))
    calls = [" ".join(called([step])) for step in procedure.steps]
    telling = (call for call in calls if len(call.split()) > 1 and goal.intersection(words(call)))
    phrases = [trigger_of(procedure.goal), *telling]
    return list(dict.fromkeys(phrase for phrase in phrases if words(phrase)))[:MOST_TRIGGERS]


def _skill(path: str, fields: dict[str, Any], decided: Decisions) -> Skill:
    digest = digest_of(fields)
    meta = fields.get("_meta")
    about = meta if isinstance(meta, dict) else {}
    is_draft = path.endswith(DRAFT)
    status: Status = "draft" if is_draft else "approved" if decided.on(digest) == "approved" else "unapproved"
    if decided.on(digest) == "rejected":
        status = "rejected"
    steps = tuple((str(step["params"]["tool"]), str(step["params"]["input"])) for step in fields["steps"])
    needs = {name: msgspec.convert(need, Parameter) for name, need in (fields.get("preconditions") or {}).items()}
    used = parameters([text for _tool, text in steps])
    return Skill(
        name=str(fields["name"]),
        path=path,
        status=status,
        goal=str(fields.get("goal") or ""),
        triggers=tuple(fields["triggers"]),
        preconditions=needs | {name: Parameter(kind) for name, kind in used.items() if name not in needs},
        steps=steps,
        digest=digest,
        shape=shape_id([_text(*step) for step in steps], ""),
        procedure=str(about.get("procedure") or ""),
        sources=tuple(map(str, about.get("sources") or ())) if isinstance(about.get("sources"), list) else (),
        was_edited=fields.get("hash") != digest,
    )


def _text(tool: str, given: str) -> str:
    return given if tool == "shell" else f"{tool}({given})"


def _why_not(fields: dict[str, Any]) -> str:
    """Why an object is no skill; empty if it is one."""
    name = fields.get("name")
    if not isinstance(name, str) or not re.fullmatch(r"[a-z0-9][a-z0-9._-]*", name):
        return "its `name` is no plain name"
    if not isinstance(fields.get("goal", ""), str):
        return "its `goal` is no text"
    triggers = fields.get("triggers")
    if not isinstance(triggers, list) or not triggers or not all(_is_line(one) for one in triggers):
        return "its `triggers` are no list of words"
    needs = fields.get("preconditions")
    if needs is not None and not (isinstance(needs, dict) and all(map(_is_parameter, needs.values()))):
        return f"its `preconditions` do not name parameters with a type ({', '.join(KINDS)})"
    steps = fields.get("steps")
    if not isinstance(steps, list) or not steps or not all(map(_is_step, steps)):
        return "its `steps` are no calls with `params` of `tool` and `input`"
    return ""


def _misnamed(path: str, fields: dict[str, Any]) -> str:
    stem = path.rpartition("/")[2].removesuffix(DONE).removesuffix(".draft")
    return "" if fields["name"] == stem else f"its `name` is not that of its file, {stem!r}"


def _is_line(value: Any) -> bool:
    return isinstance(value, str) and bool(one_line(value))


def _is_parameter(value: Any) -> bool:
    try:
        return msgspec.convert(value, Parameter).type in KINDS
    except msgspec.ValidationError:
        return False


def _is_step(value: Any) -> bool:
    given = value.get("params") if isinstance(value, dict) else None
    return isinstance(given, dict) and _is_line(given.get("tool")) and isinstance(given.get("input"), str)
