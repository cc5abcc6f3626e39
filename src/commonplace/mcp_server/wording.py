"""Answers as text for a model that does not read the structured ones: framed, quoted, cited."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from commonplace.mcp_server.guarding import VOUCHED
from commonplace.pack.quoting import framed, quoted
from commonplace.shapes import mended
from commonplace.text import one_line

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from commonplace.errors import CommonplaceError
    from commonplace.shapes import Json

UNVERIFIED = {"unknown": "unverified"}
NOTHING = "nothing was found"


def worded(answer: Json) -> str:
    """An answer in words; memory text stands in its frame, and every line of it cites."""
    text: str = mended("\n".join(_WORDS[answer["schema"]](answer)))
    return text


def told(error: CommonplaceError) -> str:
    """What could not be done, why, and what to do: `not-found: no entity 'Peta' (did you mean Peter?)`."""
    hint = f" ({one_line(error.hint)})" if error.hint else ""
    return quoted(mended(f"{error.code}: {one_line(error.message)}{hint}"))


def record_lines(records: Iterable[Json]) -> str:
    """Records, framed."""
    text: str = mended(framed(_line(record) for record in records))
    return text


def _hits(answer: Json) -> Iterator[str]:
    if answer["hits"]:
        yield framed(_line(hit, f"{number}. ") for number, hit in enumerate(answer["hits"], 1))
    if not answer["hits"]:
        yield NOTHING
    elif not answer["confident"]:
        yield f"no confident match (confidence {answer['confidence']:.2f})"
    yield from _notes(answer)


def _pack(answer: Json) -> Iterator[str]:
    yield answer["text"] or f"nothing was found that fits into {answer['budget_tokens']} tokens"
    yield f"receipt {answer['receipt']}: {answer['tokens']} of {answer['budget_tokens']} tokens"
    yield from _notes(answer)


def _view(answer: Json) -> Iterator[str]:
    lines = enumerate(answer["text"].split("\n"), answer["line_start"])
    place = f"{answer['path']}#L{answer['line_start']}-L{answer['line_end']}"
    doubted = [one for one in answer["records"] if one["trust"] != VOUCHED]
    yield framed(
        (
            quoted(f"# {one_line(place)}"),
            *(quoted(f"{number}: {one_line(line)}") for number, line in lines),
            *(quoted(f"({_trust(one)}: {one_line(one['citation'])})") for one in doubted),
        )
    )
    yield from (f"record {one['id']}: {one['kind']} {one['category']}, {one['trust']}" for one in answer["records"])


def _receipt(answer: Json) -> Iterator[str]:
    yield f"receipt {answer['id']} of {answer['ts']}: {answer['tokens']} of {answer['budget_tokens']} tokens"
    for one in answer["considered"]:
        verdict = "taken" if one["included"] else "left out"
        yield quoted(
            f"{verdict}: {one['id']} [{one_line(one['citation'])}] {one['score']:.3f} {one_line(one['reason'])}"
        )
    yield from _notes(answer)


def _kept(answer: Json) -> Iterator[str]:
    record = answer["record"]
    if record is None:
        yield "nothing was kept: the text asks for that"
    else:
        yield quoted(f"kept as {record['id']} at {one_line(record['citation'])} ({record['trust']})")
    yield from _masked(answer)


def _taken(answer: Json) -> Iterator[str]:
    yield f"{answer['outcome']}{': ' if answer['capture'] else ''}{answer['capture']}"
    yield from _masked(answer)


def _pending(answer: Json) -> Iterator[str]:
    if not answer["items"]:
        yield "nothing waits"
        return
    yield framed(
        quoted(f"- {one['id']} ({one['reason']}: {one_line(one['why'])}) {_said(one)}") for one in answer["items"]
    )


def _decided(answer: Json) -> Iterator[str]:
    yield quoted(f"{answer['deed']}: {answer['id']}, now in {one_line(answer['path']) or 'no file'}")
    yield f"can be undone: {', '.join(answer['changes']) or 'nothing'}"


def _audit(answer: Json) -> Iterator[str]:
    if not answer["writes"]:
        yield "nothing was written"
        return
    yield framed(
        quoted(
            f"- {one['change']} {one['ts']} {one_line(one['path'])}: {_string(one['before'])} → {_string(one['after'])}"
        )
        for one in answer["writes"]
    )


def _undone(answer: Json) -> Iterator[str]:
    yield quoted(f"{answer['change']} was taken back in {one_line(answer['path'])}")


_WORDS: dict[str, Callable[[Json], Iterator[str]]] = {
    "commonplace.hits.v1": _hits,
    "commonplace.pack.v1": _pack,
    "commonplace.view.v1": _view,
    "commonplace.receipt.v1": _receipt,
    "commonplace.kept.v1": _kept,
    "commonplace.taken.v1": _taken,
    "commonplace.pending.v1": _pending,
    "commonplace.decided.v1": _decided,
    "commonplace.audit.v1": _audit,
    "commonplace.undone.v1": _undone,
}


def _line(record: Json, lead: str = "- ") -> str:
    """`- (2025-11-27) (untrusted) "text" [memory/2025-11-27.md#L5] id`; what nobody vouched for is a JSON string."""
    date = f"({record['time'][:10]}) " if record["time"] else ""
    return quoted(f"{lead}{date}{_said(record)} [{one_line(record['citation'])}] {one_line(record['id'])}")


def _said(record: Json) -> str:
    if record["trust"] == VOUCHED:
        return one_line(record["text"])
    return f"({_trust(record)}) {_string(record['text'])}"


def _trust(record: Json) -> str:
    return UNVERIFIED.get(record["trust"], str(record["trust"]))


def _string(text: str) -> str:
    return msgspec.json.encode(mended(one_line(text))).decode()


def _masked(answer: Json) -> Iterator[str]:
    if answer["redacted"]:
        yield f"masked: {', '.join(answer['redacted'])}"
    yield from _notes(answer)


def _notes(answer: dict[str, Any]) -> Iterator[str]:
    yield from (quoted(one_line(note)) for note in answer.get("notes", ()))
