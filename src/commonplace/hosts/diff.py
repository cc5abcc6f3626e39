"""What an edit changes, as a person sees it: our lines in full, of everything else no value that could be a secret."""

from __future__ import annotations

import re
from difflib import unified_diff
from typing import TYPE_CHECKING

from commonplace.hosts.json5 import Node, parse
from commonplace.hosts.nouns import FileChange, Pointer, Target
from commonplace.hosts.toml_block import BEGIN, END
from commonplace.redact import scan

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

MASK = "…"
LONG = 400  # characters
AROUND = 2  # lines shown before and behind a change

_PLACE = re.compile(r"(?<= )([-+])(\d+)")
_TOML_VALUE = re.compile(r"^(\s*[\w.\"'-]+\s*=\s*)\S.*$")
_TOML_PLAIN = re.compile(r"^\s*(#.*|\[.*\]\s*(#.*)?)?$")

Span = tuple[int, int]


def diff_lines(change: FileChange, target: Target) -> tuple[str, ...]:
    """A unified diff of the two versions, with all values masked that are not ours."""
    old, new = (_masked(_text(data), target) for data in (change.before, change.after))
    names = (
        (change.path if change.before is not None else "/dev/null"),
        (change.path if change.after is not None else "/dev/null"),
    )
    lines = [line.rstrip("\r\n") for line in _compared(_lines(old), _lines(new), names)]
    return tuple(_hidden("\n".join(_short(lines))).split("\n"))


def _compared(old: list[str], new: list[str], names: tuple[str, str]) -> Iterator[str]:
    """A unified diff; only the lines between the first and the last that differ are compared, for files can be long."""
    start = _alike(old, new)
    end = _alike(old[start:][::-1], new[start:][::-1])
    skipped = max(0, start - AROUND)
    one, other = (lines[skipped : len(lines) - max(0, end - AROUND)] for lines in (old, new))
    for line in unified_diff(one, other, *names, n=AROUND, lineterm=""):
        yield _PLACE.sub(lambda at: f"{at[1]}{int(at[2]) + skipped}", line) if line.startswith("@@") else line


def _short(lines: list[str]) -> list[str]:
    """A pair of long lines is cut to where they differ: a file on one line would be shown as a whole, twice."""
    for at in range(2, len(lines) - 1):
        old, new = lines[at], lines[at + 1]
        if old[:1] == "-" and new[:1] == "+" and max(len(old), len(new)) > LONG:
            start = _alike(old[1:], new[1:])
            end = _alike(old[:start:-1], new[:start:-1])
            lines[at : at + 2] = [_middle(line, start, end) for line in (old, new)]
    return [line if len(line) <= 2 * LONG else f"{line[:LONG]} …" for line in lines]


def _alike(one: Sequence[str], other: Sequence[str]) -> int:
    """How many characters or lines two texts have in common at their beginning."""
    shorter = min(len(one), len(other))
    return next((at for at in range(shorter) if one[at] != other[at]), shorter)


def _middle(line: str, start: int, end: int) -> str:
    first, last = max(1, start - LONG // 4), min(len(line), len(line) - end + LONG // 4)
    return line[0] + ("… " if first > 1 else "") + line[first:last] + (" …" if last < len(line) else "")


def _lines(text: str) -> list[str]:
    return text.removesuffix("\n").split("\n") if text else []


def _text(data: bytes | None) -> str:
    return "" if data is None else data.decode("utf-8", "replace")


def _masked(text: str, target: Target) -> str:
    """The text with what could be a secret replaced; it has the same lines."""
    if target.form == "toml":
        return _masked_toml(text)
    if not text.strip():
        return text
    spans = tuple(_foreign(parse(text, target.path), (), target))
    return _cut(text, spans)


def _foreign(node: Node, at: Pointer, target: Target) -> Iterator[Span]:
    """Where texts stand that are not ours."""
    if node.kind == "scalar":
        if isinstance(node.scalar, str) and not _is_shown(at, node, target):
            yield node.start, node.end
        return
    if any(want.element and want.pointer == at[:-1] and want.value == node.value() for want in target.wants):
        return
    for item in node.items:
        yield from _foreign(item.node, (*at, item.key), target)


def _is_shown(at: Pointer, node: Node, target: Target) -> bool:
    if any(at[: len(above)] == above for above in (*target.owned, *target.shown)):
        return True
    return any(
        want.value == node.scalar
        if want.element and want.pointer == at[:-1]
        else want.pointer == at[: len(want.pointer)]
        for want in target.wants
    )


def _masked_toml(text: str) -> str:
    lines, is_ours = [], False
    for line in text.split("\n"):
        bare = line.rstrip("\r")
        is_ours = bare == BEGIN or (is_ours and bare != END)
        if is_ours or _TOML_PLAIN.match(bare):
            lines.append(line)
        else:
            found = _TOML_VALUE.match(bare)
            lines.append((found[1] if found else "") + MASK)
    return "\n".join(lines)


def _hidden(text: str) -> str:
    """Without whatever the rules of redaction find: comments can hold a key as well."""
    return _cut(text, tuple((one.start, one.end) for one in scan(text)))


def _cut(text: str, spans: tuple[Span, ...]) -> str:
    """The text with a mask in place of these stretches, which do not overlap; line ends in them stay."""
    pieces, last = [], 0
    for start, end in sorted(spans):
        held = text[start:end]
        quote = held[0] if held[:1] in ('"', "'") and held[-1:] == held[:1] else ""
        pieces += [text[last:start], quote, MASK, quote, "\n" * held.count("\n")]
        last = end
    return "".join([*pieces, text[last:]])
