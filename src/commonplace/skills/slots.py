"""The places in a step that differ from time to time: what two runs have in common, and `$parameters` for the rest."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from itertools import count

from msgspec import Struct

KINDS = ("secret", "text", "url", "address", "date", "id", "path", "version", "number", "data")
VOLATILE = ("secret", "date", "id", "version", "data")  # parameters from the first run on; others once they differ

_PARAMETER = rf"\$(?P<name>(?P<base>{'|'.join(KINDS)})(?:_[0-9]+)?)\b"
_KINDS = {
    "url": r"[A-Za-z][A-Za-z0-9+.-]*://[^\s'\"`]+",
    "address": r"[\w.+-]+@(?:[A-Za-z][\w-]*(?:\.[\w-]+)*|\d{1,3}(?:\.\d{1,3}){3})|\d{1,3}(?:\.\d{1,3}){3}",
    "date": r"\d{4}-\d\d-\d\d(?:[T_]\d\d:?\d\d(?::?\d\d)?Z?)?",
    "id": r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|(?=[0-9a-f]*[0-9])(?=[0-9a-f]*[a-f])[0-9a-f]{7,64}",
    "path": (
        r"(?:~|\.{1,2})?(?:/[\w.@+%$-]+)+/?|[\w.@+-]+(?:/[\w.@+-]+)+/?|\.{1,2}/|[\w-]+(?:\.[\w-]+)*\.[A-Za-z][A-Za-z0-9]{0,4}"
    ),
    "version": r"\d+(?:\.\d+)+(?:[-+][0-9A-Za-z.]+)?",
    "number": r"\d+(?:\.\d+)?",
}
_SLOT = (
    r"(?P<placeholder>⟦secret:[^⟧\s]*⟧)"
    rf"|{_PARAMETER}"
    r"|(?P<text>\"(?:\\.|[^\"\\])*\"|'[^']*')"
    + "".join(
        rf"|(?:(?<![\w$.@/-])|(?<=(?<![\w.])v))(?P<{kind}>{written})(?![\w@])"
        if kind == "version"
        else rf"|(?<![\w$.@/-])(?P<{kind}>{written})(?![\w@])"
        for kind, written in _KINDS.items()
    )
)


class Slot(Struct, frozen=True):
    """A place in a step that may differ: what sort of value stands there, and the value."""

    kind: str
    value: str
    start: int
    end: int


def slots(step: str) -> tuple[Slot, ...]:
    """The places of a step in order. The program itself is none."""
    program = _program().match(step)
    first, last = program.span(1) if program else (0, 0)
    found = map(_slot, _pattern().finditer(step))
    return tuple(slot for slot in found if slot.end <= first or slot.start >= last)


def normal(step: str) -> str:
    """A step as it is compared: `$kind` in each of its places, single blanks."""
    return " ".join(_filled(step, lambda slot: f"${slot.kind}").split())


def parameters(steps: Sequence[str]) -> dict[str, str]:
    """The parameters of steps, in order: name to kind; also those that stand within quotes."""
    found = (match for step in steps for match in _parameter().finditer(step))
    return {match["name"]: match["base"] for match in found}


def parametrised(steps: Sequence[str]) -> tuple[str, ...]:
    """Steps with a parameter for what hardly stays the same: secrets, versions, dates, ids; equal values share one."""
    names = _Names(steps)

    def placeholder(found: re.Match[str]) -> str:
        return "$" + names.of("secret", found[0])

    def name(slot: Slot) -> str:
        named = slot.kind in VOLATILE and not slot.value.startswith("$")
        return "$" + names.of(slot.kind, slot.value) if named else slot.value

    plain = [re.sub(r"⟦secret:[^⟧\s]*⟧", placeholder, step) for step in steps]
    return tuple(_filled(step, name) for step in plain)


def generalised(steps: Sequence[str], others: Sequence[str]) -> tuple[str, ...]:
    """The steps with a parameter wherever another run of the same shape had another value; else as they were."""
    if [normal(step) for step in steps] != [normal(other) for other in others]:
        return tuple(steps)
    names = _Names(steps)
    merged = []
    for step, other in zip(steps, others, strict=True):
        values = iter([slot.value for slot in slots(other)])

        def name(slot: Slot, values: Iterator[str] = values) -> str:
            value = next(values)
            same = slot.value == value or slot.value.startswith("$") or value.startswith("$")
            return slot.value if same else "$" + names.of(slot.kind, f"{slot.value}\0{value}")

        merged.append(_filled(step, name))
    return tuple(merged)


def fits(kind: str, value: str) -> bool:
    """Whether a value is of this kind; text, secrets and data may be anything."""
    written = _KINDS.get(kind)
    return written is None or re.fullmatch(written, value) is not None or (kind == "version" and fits("number", value))


class _Names:
    """Names for parameters: the kind, with a number where it is taken; one value has one name."""

    def __init__(self, steps: Sequence[str]) -> None:
        self._taken = set(parameters(steps))
        self._given: dict[tuple[str, str], str] = {}

    def of(self, kind: str, value: str) -> str:
        key = (kind, value)
        if key not in self._given:
            names = (kind if number == 1 else f"{kind}_{number}" for number in count(1))
            self._given[key] = next(name for name in names if name not in self._taken)
            self._taken.add(self._given[key])
        return self._given[key]


def _filled(step: str, fill: Callable[[Slot], str]) -> str:
    pieces, last = [], 0
    for slot in slots(step):
        pieces += [step[last : slot.start], fill(slot)]
        last = slot.end
    return "".join([*pieces, step[last:]])


def _slot(match: re.Match[str]) -> Slot:
    kind = match["base"] or str(match.lastgroup)
    if kind == "placeholder":
        kind = "secret"
    if kind == "text":
        inner = match[0][1:-1]
        kind = next((known for known in _KINDS if inner and re.fullmatch(_KINDS[known], inner)), "text")
    return Slot(kind, match[0], match.start(), match.end())


@cache
def _pattern() -> re.Pattern[str]:
    return re.compile(_SLOT)


@cache
def _program() -> re.Pattern[str]:
    """The program of a command, behind settings of variables and `sudo`."""
    return re.compile(r"\s*(?:[A-Za-z_]\w*=\S*\s+|(?:sudo|env|time|nohup)\s+)*([\w.~/-]+)")


@cache
def _parameter() -> re.Pattern[str]:
    return re.compile(_PARAMETER)
